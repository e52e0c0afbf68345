! SPDX-License-Identifier: MIT
!> Gibbs sampling and replica exchange, tuning of beta, and whether the chains are good.
module attopotts_sampler
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  use attopotts_model
  implicit none
  private
  public :: atp_sampler, sampler_bytes, tune_beta, autocorrelation_time, split_rhat, hamming_histogram

  !> Cyclic Gibbs sweeps of many chains. It copies what it needs of its model.
  type :: atp_sampler
    type(shared) :: ref  ! not for users
  contains
    procedure :: create => sampler_create
    procedure :: destroy => sampler_destroy
    procedure :: address => sampler_address
    procedure :: chains => sampler_chains
    procedure :: sites => sampler_sites
    procedure :: temperatures => sampler_temperatures
    procedure :: sweeps => sampler_sweeps
    procedure :: betas => sampler_betas
    procedure :: set_betas => sampler_set_betas
    procedure :: swap_rates => sampler_swap_rates
    procedure :: start_random => sampler_start_random
    procedure :: start_from => sampler_start_from
    !> sweep(count [, progress, outcome]): count sweeps of all chains, an integer of either kind.
    generic :: sweep => sweep_integer, sweep_long
    procedure :: sample => sampler_sample
    procedure :: states => sampler_states
    procedure :: energies => sampler_energies
    procedure :: request_stop => sampler_request_stop
    procedure :: state_bytes => sampler_state_bytes
    procedure :: save_state => sampler_save_state
    procedure :: load_state => sampler_load_state
    procedure, private :: sweep_integer, sweep_long, assign_sampler
    generic :: assignment(=) => assign_sampler
    final :: final_sampler
  end type

contains

  !> The C handles that a create function takes: a context (that of the model where none is given) and options or NULL.
  subroutine arguments(model, context, options, context_, options_)
    class(atp_model), intent(in) :: model
    class(atp_context), intent(in), optional :: context
    class(atp_options), intent(in), optional :: options
    type(shared), intent(inout) :: context_
    type(c_ptr), intent(out) :: options_
    call context_of(model%ref, context_)
    if (present(context)) call share(context_, context%ref)
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
  end subroutine

  !> Make a sampler with random starts. Options: seed, chains, beta, temperatures, beta-hot, swap-interval.
  subroutine sampler_create(self, model, options, context, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    class(atp_model), intent(in) :: model
    class(atp_options), intent(in), optional :: options
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: options_, made
    integer(c_int) :: status
    call arguments(model, context, options, context_, options_)
    status = atp_sampler_create(address_of(context_), model%address(), options_, made)
    if (status == ATP_OK) call adopt(self%ref, KIND_SAMPLER, made, context_)
    call drop(context_)
    call settle(status, stat, errmsg)
  end subroutine

  !> The bytes that create will ask for; 0 where it fails.
  integer(c_int64_t) function sampler_bytes(model, options, context, stat, errmsg) result(bytes)
    class(atp_model), intent(in) :: model
    class(atp_options), intent(in), optional :: options
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    type(shared) :: context_
    type(c_ptr) :: options_
    integer(c_int) :: status
    call arguments(model, context, options, context_, options_)
    found = 0
    status = atp_sampler_bytes(address_of(context_), model%address(), options_, c_loc(found))
    bytes = found
    call drop(context_)
    call settle(status, stat, errmsg)
  end function

  !> Let go of the handle; it is freed when no variable holds it any more.
  impure elemental subroutine sampler_destroy(self)
    class(atp_sampler), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function sampler_address(self)
    class(atp_sampler), intent(in) :: self
    sampler_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_sampler(self, right)
    class(atp_sampler), intent(inout) :: self
    type(atp_sampler), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_sampler(self)
    type(atp_sampler), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> C, chains or ladders.
  integer(c_int64_t) function sampler_chains(self)
    class(atp_sampler), intent(in) :: self
    sampler_chains = atp_sampler_chains(self%address())
  end function

  !> L.
  integer(c_int64_t) function sampler_sites(self)
    class(atp_sampler), intent(in) :: self
    sampler_sites = atp_sampler_sites(self%address())
  end function

  !> K, rungs of the ladder.
  integer(c_int64_t) function sampler_temperatures(self)
    class(atp_sampler), intent(in) :: self
    sampler_temperatures = atp_sampler_temperatures(self%address())
  end function

  !> Sweeps made since the start state was set.
  integer(c_int64_t) function sampler_sweeps(self)
    class(atp_sampler), intent(in) :: self
    sampler_sweeps = atp_sampler_sweeps(self%address())
  end function

  !> The betas of the ladder, (K), the target last.
  subroutine sampler_betas(self, betas, stat, errmsg)
    class(atp_sampler), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: betas(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_betas(self%address(), c_loc(betas), size(betas, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Set them, increasing, the target last; the states stay.
  subroutine sampler_set_betas(self, betas, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: betas(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_set_betas(self%address(), c_loc(betas), size(betas, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Fractions of accepted exchanges between rungs k and k + 1, (K - 1).
  subroutine sampler_swap_rates(self, rates, stat, errmsg)
    class(atp_sampler), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: rates(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_swap_rates(self%address(), c_loc(rates), size(rates, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Start again from random colours and sweep 0.
  subroutine sampler_start_random(self, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_start_random(self%address()), stat, errmsg)
  end subroutine

  !> Start again from sequences (L, n) and sweep 0: chain c takes the sequence 1 + mod(c - 1, n).
  subroutine sampler_start_from(self, sequences, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_start_from(self%address(), c_loc(sequences), size(sequences, 2, c_int64_t), &
      size(sequences, 1, c_int64_t)), stat, errmsg)
  end subroutine

  subroutine sweep_integer(self, count, progress, outcome, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer, intent(in) :: count
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call self%sweep_long(int(count, c_int64_t), progress, outcome, stat, errmsg)
  end subroutine

  subroutine sweep_long(self, count, progress, outcome, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer(c_int64_t), intent(in) :: count
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    integer(c_int), target :: ended
    integer(c_int) :: status
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, self%ref)
    status = atp_sampler_sweep(self%address(), count, callback, c_loc(running), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Draw as many sequences as the array (L, n) takes, `thin` sweeps (1 where not given) before each from every chain.
  !> energies (n): H(s) without beta; done: sequences filled, fewer than n where the run was cancelled.
  subroutine sampler_sample(self, sequences, thin, energies, done, progress, outcome, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer(c_int8_t), intent(inout), contiguous, target :: sequences(:, :)
    integer, intent(in), optional :: thin
    real(c_double), intent(inout), contiguous, optional, target :: energies(:)
    integer(c_int64_t), intent(out), optional :: done
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    type(c_ptr) :: energies_
    integer(c_int64_t), target :: filled
    integer(c_int64_t) :: n, thin_
    integer(c_int), target :: ended
    integer(c_int) :: status
    n = size(sequences, 2)
    thin_ = 1
    if (present(thin)) thin_ = thin
    if (c_associated(self%address())) then
      if (.not. fits('sequences', shape(sequences), [self%sites(), n], stat, errmsg)) return
    end if
    energies_ = c_null_ptr
    if (present(energies)) then
      if (.not. fits('energies', shape(energies), [n], stat, errmsg)) return
      energies_ = c_loc(energies)
    end if
    filled = 0
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, self%ref)
    status = atp_sampler_sample(self%address(), n, thin_, c_loc(sequences), size(sequences, kind=c_int64_t), &
      energies_, &
      c_loc(filled), callback, c_loc(running), c_loc(ended))
    if (present(done)) done = filled
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> The present states, (L, C), at a rung 1..K; K, the target, where not given.
  subroutine sampler_states(self, sequences, rung, stat, errmsg)
    class(atp_sampler), intent(in) :: self
    integer(c_int8_t), intent(inout), contiguous, target :: sequences(:, :)
    integer, intent(in), optional :: rung
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: rung_
    rung_ = self%temperatures()
    if (present(rung)) rung_ = rung
    if (c_associated(self%address())) then
      if (.not. fits('sequences', shape(sequences), [self%sites(), self%chains()], stat, errmsg)) return
    end if
    call settle(atp_sampler_states(self%address(), rung_ - 1, c_loc(sequences), size(sequences, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> The present energies, (C), at a rung 1..K.
  subroutine sampler_energies(self, energies, rung, stat, errmsg)
    class(atp_sampler), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: energies(:)
    integer, intent(in), optional :: rung
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: rung_
    rung_ = self%temperatures()
    if (present(rung)) rung_ = rung
    call settle(atp_sampler_energies(self%address(), rung_ - 1, c_loc(energies), size(energies, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> Ask a running call to stop after the present block: from a signal handler or another thread.
  subroutine sampler_request_stop(self)
    class(atp_sampler), intent(in) :: self
    call atp_sampler_request_stop(self%address())
  end subroutine

  integer(c_int64_t) function sampler_state_bytes(self)
    class(atp_sampler), intent(in) :: self
    sampler_state_bytes = atp_sampler_state_bytes(self%address())
  end function

  !> A sampler of the same options that loads the state goes on with the same numbers.
  subroutine sampler_save_state(self, state, stat, errmsg)
    class(atp_sampler), intent(in) :: self
    integer(c_int8_t), allocatable, intent(inout), target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (allocated(state)) deallocate (state)
    allocate (state(self%state_bytes()))
    call settle(atp_sampler_save_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine

  subroutine sampler_load_state(self, state, stat, errmsg)
    class(atp_sampler), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_sampler_load_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> The beta at which independent equilibrium samples differ on average at a fraction `target` of the sites, and what
  !> belongs to it.
  !> Options: seed, chains, temperatures.
  subroutine tune_beta(model, target, beta, beta_error, hamming, hamming_error, options, context, progress, outcome, &
    stat, errmsg)
    class(atp_model), intent(in) :: model
    real(c_double), intent(in) :: target
    real(c_double), intent(out) :: beta
    real(c_double), intent(out), optional :: beta_error, hamming, hamming_error
    class(atp_options), intent(in), optional :: options
    class(atp_context), intent(in), optional :: context
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(shared) :: context_
    type(c_funptr) :: callback
    type(c_ptr) :: options_
    real(c_double), target :: found(4)
    integer(c_int), target :: ended
    integer(c_int) :: status
    found = nan()
    ended = ATP_OUTCOME_NONE
    call arguments(model, context, options, context_, options_)
    call prepare(running, progress, callback, model%ref)
    status = atp_tune_beta(address_of(context_), model%address(), options_, target, callback, c_loc(running), &
      c_loc(found(1)), &
      c_loc(found(2)), c_loc(found(3)), c_loc(found(4)), c_loc(ended))
    beta = found(1)
    if (present(beta_error)) beta_error = found(2)
    if (present(hamming)) hamming = found(3)
    if (present(hamming_error)) hamming_error = found(4)
    if (present(outcome)) outcome = ended
    call drop(context_)
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Integrated autocorrelation time of a series (n, chains), in units of its spacing.
  subroutine autocorrelation_time(series, tau, tau_error, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: series(:, :)
    real(c_double), intent(out), target :: tau
    real(c_double), intent(out), optional :: tau_error
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: error
    tau = nan()
    error = tau
    call settle(atp_autocorrelation_time(c_loc(series), size(series, 2, c_int64_t), size(series, 1, c_int64_t), &
      c_loc(tau), &
      c_loc(error)), stat, errmsg)
    if (present(tau_error)) tau_error = error
  end subroutine

  !> Split R-hat of a series (n, chains); NaN where it fails.
  real(c_double) function split_rhat(series, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: series(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    found = nan()
    call settle(atp_split_rhat(c_loc(series), size(series, 2, c_int64_t), size(series, 1, c_int64_t), c_loc(found)), &
      stat, errmsg)
    split_rhat = found
  end function

  !> Pairs of sequences (L, n) at distance d at counts(d + 1), (L + 1), and the mean distance as a fraction of the
  !> sites.
  subroutine hamming_histogram(sequences, counts, mean, stat, errmsg)
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    integer(c_int64_t), intent(inout), contiguous, target :: counts(:)
    real(c_double), intent(out), optional :: mean
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    found = nan()
    call settle(atp_hamming_histogram(c_loc(sequences), size(sequences, 2, c_int64_t), size(sequences, 1, c_int64_t), &
      c_loc(counts), size(counts, kind=c_int64_t), c_loc(found)), stat, errmsg)
    if (present(mean)) mean = found
  end subroutine
end module attopotts_sampler
