! SPDX-License-Identifier: MIT
!> Training: factored attention, dense couplings, and networks that they are compared with, as the option family says.
!@ module trainer uses context alignment model table
  public :: atp_trainer, trainer_bytes, trainer_pairs_bytes, select_penalty, select_penalty_pairs, select_folds

  !> Learns a model from an alignment, which it keeps alive, as well as the test alignment and the true model.
  !@ type trainer
    procedure :: set_reduction => trainer_set_reduction
    procedure :: pairs => trainer_pairs
    procedure :: set_order => trainer_set_order
    procedure :: part => trainer_part
  end type

contains

  !@ life trainer
  !@ create(train, options?, context?)
  !@ plain trainer_bytes(context, n, sites, colors, options?) -> bytes
  !> Dense couplings of some pairs of sites, pairs(2, n), sites from 1.
  !@ create_pairs(train, pairs, options?, context?); n=size(pairs, 2, c_int64_t)
  !@ plain trainer_pairs_bytes(context, train, pairs, options?) -> bytes; n=size(pairs, 2, c_int64_t)
  !@ pair_count
  !> The list of pairs of sites that have couplings, pairs(2, pair_count), sites from 1, the smaller first.
  subroutine trainer_pairs(self, pairs, stat, errmsg)
    class(atp_trainer), intent(in) :: self
    integer(c_int64_t), intent(inout), contiguous, target :: pairs(:, :)
    integer(c_int) :: status
    status = atp_trainer_pairs(self%address(), c_loc(pairs), size(pairs, kind=c_int64_t))
    if (status == ATP_OK) pairs = pairs + 1
    call settle(status, stat, errmsg)
  end subroutine

  !> The order of the sites of an autoregressive model, (L), from 1; training starts afresh.
  subroutine trainer_set_order(self, order, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    integer(c_int64_t), intent(in) :: order(:)
    integer(c_int64_t), allocatable, target :: order_(:)
    allocate (order_, source=order - 1)
    call settle(atp_trainer_set_order(self%address(), c_loc(order_), size(order_, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Report the loss on these sequences, too; without `test` no longer.
  !@ set_test(test?)
  !> Report the loss of this model on the test sequences, and the coupling error against it where there are couplings; without `truth` no
  !> longer.
  !@ set_truth(truth?)
  !> Append the numbers of every epoch to a table of the kind "training_log"; without `table` no longer.
  !@ set_log(table?)

  !> The sequences are those of one process of several: `reduce` sums numbers over them. It is c_funloc() of a function with bind(c):
  !> integer(c_int) function reduce(values, count, user), with values a real(c_double) array of integer(c_int64_t), value :: count numbers,
  !> type(c_ptr), value :: user. Its result is 0 where it has succeeded. Without `reduce` the sequences are all.
  subroutine trainer_set_reduction(self, reduce, user, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    type(c_funptr), intent(in), optional :: reduce
    type(c_ptr), intent(in), optional :: user
    type(c_funptr) :: callback
    type(c_ptr) :: passed
    callback = c_null_funptr
    passed = c_null_ptr
    if (present(reduce)) callback = reduce
    if (present(user)) passed = user
    call settle(atp_trainer_set_reduction(self%address(), callback, passed), stat, errmsg)
  end subroutine

  !@ options(options)
  !@ parameter_count
  !@ parameters(parameters)
  !> Set them; training starts afresh.
  !@ set_parameters(parameters)
  !> V, values(b + 1, a + 1, h), (q, q, H); needed before a run with colors-fixed.
  !@ set_values(values)
  !> Loss (nats per site), objective (with penalties) and its gradient, (parameter count), at the present parameters.
  !> To compare it with finite differences make the trainer with precision=64: losses in single precision are too coarse for them.
  !@ gradient(loss?, objective?, gradient?)
  !@ masked_gradient(masked_sites, loss?, objective?, gradient?); n=size(masked_sites, kind=c_int64_t)
  !@ start_wide(heads, iterations)
  !> Start from fields and couplings of a Potts model, for dense couplings.
  !@ start_model(model)
  !> Start the chains of the likelihood at sequences; the last call before a run.
  !@ start_chains(chains)
  !> The chains of the likelihood, as sequences.
  !@ chains(alignment@out)
  !> Add tested sequences to the family of the likelihood, with adjustments of either sign, (tested%count()); strength 0:
  !> 1 / max |adjustment|. Training starts afresh.
  !@ reintegrate(tested, adjustments, strength)
  !@ start_from(wide)
  !@ loss(alignment) -> loss
  !> Train for at most so many epochs more; to the end where not given. The option epochs limits the total of all calls.
  !@ run(epochs?=huge(epochs_))
  !@ epochs request_stop
  !@ model(model@out)
  !@ state_bytes save_state
  !@ load_state(state@buffer)
  !@ part_count

  !> A part, 1..part_count: parameters(first:last) are what `name` says, "maps" or "block1.qkv" say.
  subroutine trainer_part(self, index, name, first, last, stat, errmsg)
    class(atp_trainer), intent(in) :: self
    integer, intent(in) :: index
    character(len=:), allocatable, intent(inout), optional :: name
    integer(c_int64_t), intent(inout), optional :: first, last
    type(c_ptr), target :: name_
    integer(c_int64_t), target :: offset, count
    integer(c_int) :: status
    status = atp_trainer_part(self%address(), int(index - 1, c_int64_t), c_loc(name_), c_loc(offset), c_loc(count))
    if (status == ATP_OK) then
      if (present(name)) name = text_at(name_)
      if (present(first)) first = offset + 1
      if (present(last)) last = offset + count
    end if
    call settle(status, stat, errmsg)
  end subroutine


  !> Of networks (family encoder or dial): p(s_i = a | rest), conditionals(a + 1, i, n), (q, L, n), of sequences (L, n), each site masked in turn.
  !@ conditionals(sequences, conditionals@out); sites=atp_alignment_sites(needed(self%ref, SLOT_DATA)), colors=atp_alignment_colors(needed(self%ref, SLOT_DATA))
  !@ map_count
  !> Of networks: attention maps, means over an alignment: maps(j, k, b), (L, L, map_count), is what site k takes from site j in block b while it is
  !> masked.
  !@ maps(alignment, maps); sites=atp_alignment_sites(needed(self%ref, SLOT_DATA))
  !> Penalties or heads chosen by cross-validation: a table of the kind "selection" gets a row for each strength, `chosen` 1 in one of them.
  !@ plain select_penalty(alignment, table, options?, context?)
  !> The same for couplings of some pairs of sites, pairs(2, n), sites from 1.
  !@ plain select_penalty_pairs(alignment, pairs, table, options?); n=size(pairs, 2, c_int64_t)
  !> Folds of whole clusters of similar sequences, and the clusters, (N) both; numbers count from 0.
  subroutine select_folds(alignment, folds, clusters, options, stat, errmsg)
    class(atp_alignment), intent(in) :: alignment
    integer(c_int64_t), intent(inout), contiguous, target :: folds(:), clusters(:)
    class(atp_options), intent(in), optional :: options
    type(shared) :: owner
    type(c_ptr) :: options_
    integer(c_int) :: status
    if (.not. fits('clusters', shape(clusters), [size(folds, kind=c_int64_t)], stat, errmsg)) return
    call context_of(alignment%ref, owner)
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    status = atp_select_folds(address_of(owner), alignment%address(), options_, c_loc(folds), c_loc(clusters), &
      size(folds, kind=c_int64_t))
    call drop(owner)
    call settle(status, stat, errmsg)
  end subroutine
end module attopotts_trainer
