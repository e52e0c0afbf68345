! SPDX-License-Identifier: MIT
!> Sequences by a whole protocol: ladder of replica exchange, burn-in, distance between sequences, tests of equilibrium.
!@ module sampling uses context alignment model table
  public :: atp_sampling, sample_equilibrium

  !> A sampling run. It copies its model. sample_equilibrium makes it, runs it and frees it in one call.
  !@ type sampling
  end type

contains

  !@ life sampling
  !> A run for n sequences. Its options are protocol, seed, chains, beta, temperatures, beta-hot, swap-interval, burn-in, thin,
  !> first-chain, max-mutations, kept-color, annealing.
  !@ create(model, n, options?, context?)
  !@ options(options)
  !@ count sites
  !> ATP_SAMPLING_STAGE_LADDER, _BURN_IN, _SAMPLE or _DONE.
  !@ stage = atp_sampling_stage_of
  !> Allowed colours of each site, (q, L), 1 or 0; before start_from and run.
  !@ restrict(allowed)
  !> Where chains start, (L, n), in turn: max-mutations and kept-color count from there.
  !@ start_from(sequences)
  !@ run
  !> Append the walks of the chains to a table of the kind "trajectory".
  !@ trajectory(table)
  !> Append to a table of the kind "forgetting" how long starts are remembered, against independent sequences (L, n).
  !@ forgetting(independent, table)
  !> The sequences, (L, n).
  !@ sequences(sequences)
  !@ alignment(alignment@out)
  !> Append the measured numbers to a table of the kind "sampling".
  !@ report(table)
  !> What the last test found different between the two runs; empty where they agree.
  !@ difference
  !@ request_stop state_bytes save_state
  !@ load_state(state@buffer)

  !> Draw as many sequences as the array (L, n) takes. By default the run finds ladder and burn-in and tests equilibrium: outcome is
  !> ATP_OUTCOME_CONVERGED where the tests found no difference, ATP_OUTCOME_MAX_ITER where they did. `table` becomes a table of the
  !> kind "sampling" with the measured numbers. A run that `progress` stops gives no sequences: ATP_E_STAGE.
  subroutine sample_equilibrium(model, sequences, options, table, progress, outcome, stat, errmsg)
    class(atp_model), intent(in) :: model
    integer(c_int8_t), intent(inout), contiguous, target :: sequences(:, :)
    class(atp_options), intent(in), optional :: options
    class(atp_table), intent(inout), optional :: table
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    type(atp_sampling) :: sampling
    type(atp_context) :: context
    if (present(outcome)) outcome = ATP_OUTCOME_NONE
    if (.not. fits('sequences', shape(sequences), [model%sites(), -1_c_int64_t], stat, errmsg)) return
    call sampling%create(model, size(sequences, 2), options, stat=stat, errmsg=errmsg)
    if (failed(stat)) return
    call sampling%run(progress, outcome, stat, errmsg)
    if (failed(stat)) return
    call sampling%sequences(sequences, stat, errmsg)
    if (failed(stat) .or. .not. present(table)) return
    call context_of(sampling%ref, context%ref)
    call table%create(context, 'sampling', 1, stat, errmsg)
    if (.not. failed(stat)) call sampling%report(table, stat, errmsg)
  end subroutine

  logical function failed(stat)
    integer, intent(in), optional :: stat
    failed = .false.
    if (present(stat)) failed = stat /= ATP_OK
  end function
end module attopotts_sampling
