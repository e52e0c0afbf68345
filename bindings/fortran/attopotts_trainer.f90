! SPDX-License-Identifier: MIT
!> Training: factored attention and dense couplings by pseudo-likelihood.
module attopotts_trainer
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  use attopotts_alignment
  use attopotts_model
  implicit none
  private
  public :: atp_trainer, trainer_bytes

  !> Learns a model from an alignment, which it keeps alive, as well as the test alignment and the true model.
  type :: atp_trainer
    type(shared) :: ref  ! not for users
  contains
    procedure :: create => trainer_create
    procedure :: destroy => trainer_destroy
    procedure :: address => trainer_address
    procedure :: set_values => trainer_set_values
    procedure :: set_test => trainer_set_test
    procedure :: set_truth => trainer_set_truth
    procedure :: parameter_count => trainer_parameter_count
    procedure :: parameters => trainer_parameters
    procedure :: set_parameters => trainer_set_parameters
    procedure :: gradient => trainer_gradient
    procedure :: masked_gradient => trainer_masked_gradient
    procedure :: loss => trainer_loss
    procedure :: start_wide => trainer_start_wide
    procedure :: start_from => trainer_start_from
    procedure :: run => trainer_run
    procedure :: epochs => trainer_epochs
    procedure :: request_stop => trainer_request_stop
    procedure :: model => trainer_model
    procedure :: state_bytes => trainer_state_bytes
    procedure :: save_state => trainer_save_state
    procedure :: load_state => trainer_load_state
    procedure, private :: assign_trainer
    generic :: assignment(=) => assign_trainer
    final :: final_trainer
  end type

contains

  !> Make a trainer with random parameters. Options: seed and the 200s of options.h (heads, map, fields, optimizer,
  !> epochs, ...).
  subroutine trainer_create(self, train, options, context, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    class(atp_alignment), intent(in) :: train
    class(atp_options), intent(in), optional :: options
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: options_, made
    integer(c_int) :: status
    call context_of(train%ref, context_)
    if (present(context)) call share(context_, context%ref)
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    status = atp_trainer_create(address_of(context_), train%address(), options_, made)
    if (status == ATP_OK) then
      call adopt(self%ref, KIND_TRAINER, made, context_)
      call need(self%ref, SLOT_DATA, train%ref)
    end if
    call drop(context_)
    call settle(status, stat, errmsg)
  end subroutine

  !> The bytes that create will ask for, for n sequences of so many sites and colours; 0 where it fails.
  integer(c_int64_t) function trainer_bytes(context, n, sites, colors, options, stat, errmsg) result(bytes)
    class(atp_context), intent(in) :: context
    integer, intent(in) :: n, sites, colors
    class(atp_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    type(c_ptr) :: options_
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    found = 0
    call settle(atp_trainer_bytes(context%address(), int(n, c_int64_t), int(sites, c_int64_t), int(colors, &
      c_int64_t), options_, &
      c_loc(found)), stat, errmsg)
    bytes = found
  end function

  !> Let go of the handle; it is freed when no variable holds it any more.
  impure elemental subroutine trainer_destroy(self)
    class(atp_trainer), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function trainer_address(self)
    class(atp_trainer), intent(in) :: self
    trainer_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_trainer(self, right)
    class(atp_trainer), intent(inout) :: self
    type(atp_trainer), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_trainer(self)
    type(atp_trainer), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> V, values(b + 1, a + 1, h), (q, q, H); needed before a run with colors-fixed.
  subroutine trainer_set_values(self, values, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_trainer_set_values(self%address(), c_loc(values), size(values, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Report the loss on these sequences, too; without `test` no longer.
  subroutine trainer_set_test(self, test, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    class(atp_alignment), intent(in), optional :: test
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    if (present(test)) then
      status = atp_trainer_set_test(self%address(), test%address())
      if (status == ATP_OK) call need(self%ref, SLOT_TEST, test%ref)
    else
      status = atp_trainer_set_test(self%address(), c_null_ptr)
      if (status == ATP_OK) call need(self%ref, SLOT_TEST)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> Report the coupling error against this model, and its loss on the test sequences; without `truth` no longer.
  subroutine trainer_set_truth(self, truth, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    class(atp_model), intent(in), optional :: truth
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    if (present(truth)) then
      status = atp_trainer_set_truth(self%address(), truth%address())
      if (status == ATP_OK) call need(self%ref, SLOT_TRUTH, truth%ref)
    else
      status = atp_trainer_set_truth(self%address(), c_null_ptr)
      if (status == ATP_OK) call need(self%ref, SLOT_TRUTH)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  integer(c_int64_t) function trainer_parameter_count(self)
    class(atp_trainer), intent(in) :: self
    trainer_parameter_count = atp_trainer_parameter_count(self%address())
  end function

  !> The parameters, in the order of trainer.h.
  subroutine trainer_parameters(self, parameters, stat, errmsg)
    class(atp_trainer), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_trainer_parameters(self%address(), c_loc(parameters), size(parameters, kind=c_int64_t)), stat, &
      errmsg)
  end subroutine

  !> Set them; training starts afresh.
  subroutine trainer_set_parameters(self, parameters, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_trainer_set_parameters(self%address(), c_loc(parameters), size(parameters, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> Loss (nats per site), objective (with penalties) and its gradient, (parameter count), at the present parameters.
  subroutine trainer_gradient(self, loss, objective, gradient, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    real(c_double), intent(out), optional :: loss, objective
    real(c_double), intent(inout), contiguous, optional, target :: gradient(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found(2)
    type(c_ptr) :: gradient_
    integer(c_int64_t) :: n
    integer(c_int) :: status
    call gradient_place(gradient, gradient_, n)
    found = nan()
    status = atp_trainer_gradient(self%address(), c_loc(found(1)), c_loc(found(2)), gradient_, n)
    if (present(loss)) loss = found(1)
    if (present(objective)) objective = found(2)
    call settle(status, stat, errmsg)
  end subroutine

  !> The same for one masked site 1..L per sequence, (N).
  subroutine trainer_masked_gradient(self, masked_sites, loss, objective, gradient, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    integer, intent(in) :: masked_sites(:)
    real(c_double), intent(out), optional :: loss, objective
    real(c_double), intent(inout), contiguous, optional, target :: gradient(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: masked(:)
    real(c_double), target :: found(2)
    type(c_ptr) :: gradient_
    integer(c_int64_t) :: n
    integer(c_int) :: status
    allocate (masked(size(masked_sites)))
    masked(:) = masked_sites - 1
    call gradient_place(gradient, gradient_, n)
    found = nan()
    status = atp_trainer_masked_gradient(self%address(), c_loc(masked), size(masked, kind=c_int64_t), c_loc(found(1)), &
      c_loc(found(2)), gradient_, n)
    if (present(loss)) loss = found(1)
    if (present(objective)) objective = found(2)
    call settle(status, stat, errmsg)
  end subroutine

  subroutine gradient_place(gradient, address, n)
    real(c_double), intent(in), contiguous, optional, target :: gradient(:)
    type(c_ptr), intent(out) :: address
    integer(c_int64_t), intent(out) :: n
    address = c_null_ptr
    n = 0
    if (.not. present(gradient)) return
    address = c_loc(gradient)
    n = size(gradient, kind=c_int64_t)
  end subroutine

  !> Of the present parameters on an alignment, nats per site; NaN where it fails.
  real(c_double) function trainer_loss(self, alignment, stat, errmsg) result(loss)
    class(atp_trainer), intent(inout) :: self
    class(atp_alignment), intent(in) :: alignment
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    found = nan()
    call settle(atp_trainer_loss(self%address(), alignment%address(), c_loc(found)), stat, errmsg)
    loss = found
  end function

  !> Set the parameters to good initial ones by way of more heads.
  subroutine trainer_start_wide(self, heads, iterations, progress, outcome, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    integer, intent(in) :: heads, iterations
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
    status = atp_trainer_start_wide(self%address(), int(heads, c_int64_t), int(iterations, c_int64_t), callback, &
      c_loc(running), &
      c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Set the parameters to the closest couplings to those of a trainer with more heads.
  subroutine trainer_start_from(self, wide, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    class(atp_trainer), intent(in) :: wide
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_trainer_start_from(self%address(), wide%address()), stat, errmsg)
  end subroutine

  !> Train for so many epochs more; to the end where not given.
  subroutine trainer_run(self, epochs, progress, outcome, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    integer, intent(in), optional :: epochs
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    integer(c_int64_t) :: epochs_
    integer(c_int), target :: ended
    integer(c_int) :: status
    epochs_ = huge(epochs_)
    if (present(epochs)) epochs_ = epochs
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, self%ref)
    status = atp_trainer_run(self%address(), epochs_, callback, c_loc(running), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Done so far.
  integer(c_int64_t) function trainer_epochs(self)
    class(atp_trainer), intent(in) :: self
    trainer_epochs = atp_trainer_epochs(self%address())
  end function

  !> Ask a running call to stop after the present step: from a signal handler or another thread.
  subroutine trainer_request_stop(self)
    class(atp_trainer), intent(in) :: self
    call atp_trainer_request_stop(self%address())
  end subroutine

  !> The present parameters as a model.
  subroutine trainer_model(self, model, stat, errmsg)
    class(atp_trainer), intent(in) :: self
    class(atp_model), intent(inout) :: model
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status
    status = atp_trainer_model(self%address(), made)
    call context_of(self%ref, context_)
    call keep_model(model, status, made, context_, stat, errmsg)
    call drop(context_)
  end subroutine

  integer(c_int64_t) function trainer_state_bytes(self)
    class(atp_trainer), intent(in) :: self
    trainer_state_bytes = atp_trainer_state_bytes(self%address())
  end function

  !> A trainer of the same data and options that loads the state goes on with the same numbers.
  subroutine trainer_save_state(self, state, stat, errmsg)
    class(atp_trainer), intent(in) :: self
    integer(c_int8_t), allocatable, intent(inout), target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (allocated(state)) deallocate (state)
    allocate (state(self%state_bytes()))
    call settle(atp_trainer_save_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine

  subroutine trainer_load_state(self, state, stat, errmsg)
    class(atp_trainer), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_trainer_load_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine
end module attopotts_trainer
