! SPDX-License-Identifier: MIT
!> Attention networks that see tokens, trained on masked tokens: what factored attention is compared with.
module attopotts_transformer
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  use attopotts_alignment
  use attopotts_model
  implicit none
  private
  public :: atp_transformer, transformer_bytes

  !> A transformer encoder, or a layer with a dial between factored (0) and plain attention (1). Keeps its alignment
  !> alive, as well as the test alignment and the true model.
  type :: atp_transformer
    type(shared) :: ref  ! not for users
  contains
    procedure :: create => transformer_create
    procedure :: destroy => transformer_destroy
    procedure :: address => transformer_address
    procedure :: set_test => transformer_set_test
    procedure :: set_truth => transformer_set_truth
    procedure :: parameter_count => transformer_parameter_count
    procedure :: parameters => transformer_parameters
    procedure :: set_parameters => transformer_set_parameters
    procedure :: gradient => transformer_gradient
    procedure :: masked_gradient => transformer_masked_gradient
    procedure :: loss => transformer_loss
    procedure :: run => transformer_run
    procedure :: epochs => transformer_epochs
    procedure :: request_stop => transformer_request_stop
    procedure :: model => transformer_model
    procedure :: part_count => transformer_part_count
    procedure :: part => transformer_part
    procedure :: conditionals => transformer_conditionals
    procedure :: map_count => transformer_map_count
    procedure :: maps => transformer_maps
    procedure :: state_bytes => transformer_state_bytes
    procedure :: save_state => transformer_save_state
    procedure :: load_state => transformer_load_state
    procedure, private :: assign_transformer
    generic :: assignment(=) => assign_transformer
    final :: final_transformer
  end type

contains

  !> Make a network with random parameters. Options: seed and those of transformer.h (architecture, blocks, width,
  !> dial, optimizer, epochs, ...).
  subroutine transformer_create(self, train, options, context, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
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
    status = atp_transformer_create(address_of(context_), train%address(), options_, made)
    if (status == ATP_OK) then
      call adopt(self%ref, KIND_TRANSFORMER, made, context_)
      call need(self%ref, SLOT_DATA, train%ref)
    end if
    call drop(context_)
    call settle(status, stat, errmsg)
  end subroutine

  !> The bytes that create will ask for, for n sequences of so many sites and colours; 0 where it fails.
  integer(c_int64_t) function transformer_bytes(context, n, sites, colors, options, stat, errmsg) result(bytes)
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
    call settle(atp_transformer_bytes(context%address(), int(n, c_int64_t), int(sites, c_int64_t), int(colors, &
      c_int64_t), options_, &
      c_loc(found)), stat, errmsg)
    bytes = found
  end function

  !> Let go of the handle; it is freed when no variable holds it any more.
  impure elemental subroutine transformer_destroy(self)
    class(atp_transformer), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function transformer_address(self)
    class(atp_transformer), intent(in) :: self
    transformer_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_transformer(self, right)
    class(atp_transformer), intent(inout) :: self
    type(atp_transformer), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_transformer(self)
    type(atp_transformer), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> Report the loss on these sequences, too; without `test` no longer.
  subroutine transformer_set_test(self, test, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    class(atp_alignment), intent(in), optional :: test
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    if (present(test)) then
      status = atp_transformer_set_test(self%address(), test%address())
      if (status == ATP_OK) call need(self%ref, SLOT_TEST, test%ref)
    else
      status = atp_transformer_set_test(self%address(), c_null_ptr)
      if (status == ATP_OK) call need(self%ref, SLOT_TEST)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> Report the loss of this model on the test sequences, and with the dial at 0 the coupling error against it;
  !> without `truth` no longer.
  subroutine transformer_set_truth(self, truth, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    class(atp_model), intent(in), optional :: truth
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    if (present(truth)) then
      status = atp_transformer_set_truth(self%address(), truth%address())
      if (status == ATP_OK) call need(self%ref, SLOT_TRUTH, truth%ref)
    else
      status = atp_transformer_set_truth(self%address(), c_null_ptr)
      if (status == ATP_OK) call need(self%ref, SLOT_TRUTH)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  integer(c_int64_t) function transformer_parameter_count(self)
    class(atp_transformer), intent(in) :: self
    transformer_parameter_count = atp_transformer_parameter_count(self%address())
  end function

  !> The parameters, in the order of transformer.h.
  subroutine transformer_parameters(self, parameters, stat, errmsg)
    class(atp_transformer), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_transformer_parameters(self%address(), c_loc(parameters), size(parameters, kind=c_int64_t)), stat, &
      errmsg)
  end subroutine

  !> Set them; training starts afresh.
  subroutine transformer_set_parameters(self, parameters, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_transformer_set_parameters(self%address(), c_loc(parameters), size(parameters, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> Loss (nats per site) and its gradient, (parameter count), at the present parameters, each site masked in turn.
  subroutine transformer_gradient(self, loss, gradient, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    real(c_double), intent(out), optional :: loss
    real(c_double), intent(inout), contiguous, optional, target :: gradient(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    type(c_ptr) :: gradient_
    integer(c_int64_t) :: n
    integer(c_int) :: status
    call gradient_place(gradient, gradient_, n)
    found = nan()
    status = atp_transformer_gradient(self%address(), c_loc(found), gradient_, n)
    if (present(loss)) loss = found
    call settle(status, stat, errmsg)
  end subroutine

  !> The same for one masked site 1..L per sequence, (N).
  subroutine transformer_masked_gradient(self, masked_sites, loss, gradient, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    integer, intent(in) :: masked_sites(:)
    real(c_double), intent(out), optional :: loss
    real(c_double), intent(inout), contiguous, optional, target :: gradient(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: masked(:)
    real(c_double), target :: found
    type(c_ptr) :: gradient_
    integer(c_int64_t) :: n
    integer(c_int) :: status
    allocate (masked(size(masked_sites)))
    masked(:) = masked_sites - 1
    call gradient_place(gradient, gradient_, n)
    found = nan()
    status = atp_transformer_masked_gradient(self%address(), c_loc(masked), size(masked, kind=c_int64_t), &
      c_loc(found), gradient_, n)
    if (present(loss)) loss = found
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
  real(c_double) function transformer_loss(self, alignment, stat, errmsg) result(loss)
    class(atp_transformer), intent(inout) :: self
    class(atp_alignment), intent(in) :: alignment
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    found = nan()
    call settle(atp_transformer_loss(self%address(), alignment%address(), c_loc(found)), stat, errmsg)
    loss = found
  end function

  !> Train for so many epochs more; to the end where not given.
  subroutine transformer_run(self, epochs, progress, outcome, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
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
    status = atp_transformer_run(self%address(), epochs_, callback, c_loc(running), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Done so far.
  integer(c_int64_t) function transformer_epochs(self)
    class(atp_transformer), intent(in) :: self
    transformer_epochs = atp_transformer_epochs(self%address())
  end function

  !> Ask a running call to stop after the present step: from a signal handler or another thread.
  subroutine transformer_request_stop(self)
    class(atp_transformer), intent(in) :: self
    call atp_transformer_request_stop(self%address())
  end subroutine

  !> The present parameters of a dial at 0 as a model of one head.
  subroutine transformer_model(self, model, stat, errmsg)
    class(atp_transformer), intent(in) :: self
    class(atp_model), intent(inout) :: model
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status
    status = atp_transformer_model(self%address(), made)
    call context_of(self%ref, context_)
    call keep_model(model, status, made, context_, stat, errmsg)
    call drop(context_)
  end subroutine

  !> How many named parts the parameters have.
  integer(c_int64_t) function transformer_part_count(self)
    class(atp_transformer), intent(in) :: self
    transformer_part_count = atp_transformer_part_count(self%address())
  end function

  !> A part, 1..part_count: parameters(first:last) are what `name` says, "tokens" or "block1.qkv" say.
  subroutine transformer_part(self, index, name, first, last, stat, errmsg)
    class(atp_transformer), intent(in) :: self
    integer, intent(in) :: index
    character(len=:), allocatable, intent(inout), optional :: name
    integer(c_int64_t), intent(inout), optional :: first, last
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr), target :: name_
    integer(c_int64_t), target :: offset, count
    integer(c_int) :: status
    status = atp_transformer_part(self%address(), int(index - 1, c_int64_t), c_loc(name_), c_loc(offset), c_loc(count))
    if (status == ATP_OK) then
      if (present(name)) name = text_at(name_)
      if (present(first)) first = offset + 1
      if (present(last)) last = offset + count
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> p(s_i = a | rest), conditionals(a + 1, i, n), (q, L, n), of sequences (L, n), each site masked in turn.
  subroutine transformer_conditionals(self, sequences, conditionals, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    real(c_double), intent(inout), contiguous, target :: conditionals(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: n, sites, colors
    call shape_of(self, sites, colors)
    n = size(sequences, 2)
    if (c_associated(self%address())) then  ! else the library says that there is none
      if (.not. fits('sequences', shape(sequences), [sites, n], stat, errmsg)) return
      if (.not. fits('conditionals', shape(conditionals), [colors, sites, n], stat, errmsg)) return
    end if
    call settle(atp_transformer_conditionals(self%address(), c_loc(sequences), n, sites, c_loc(conditionals), &
      size(conditionals, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> How many attention maps there are: the blocks of an encoder.
  integer(c_int64_t) function transformer_map_count(self)
    class(atp_transformer), intent(in) :: self
    transformer_map_count = atp_transformer_map_count(self%address())
  end function

  !> Attention maps, means over an alignment: maps(j, k, b), (L, L, map_count), is what site k takes from site j in
  !> block b while it is masked.
  subroutine transformer_maps(self, alignment, maps, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    class(atp_alignment), intent(in) :: alignment
    real(c_double), intent(inout), contiguous, target :: maps(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: sites, colors
    call shape_of(self, sites, colors)
    if (c_associated(self%address())) then
      if (.not. fits('maps', shape(maps), [sites, sites, self%map_count()], stat, errmsg)) return
    end if
    call settle(atp_transformer_maps(self%address(), alignment%address(), c_loc(maps), size(maps, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> L and q of the training data; 0 where there are none.
  subroutine shape_of(self, sites, colors)
    class(atp_transformer), intent(in) :: self
    integer(c_int64_t), intent(out) :: sites, colors
    sites = atp_alignment_sites(needed(self%ref, SLOT_DATA))
    colors = atp_alignment_colors(needed(self%ref, SLOT_DATA))
  end subroutine

  integer(c_int64_t) function transformer_state_bytes(self)
    class(atp_transformer), intent(in) :: self
    transformer_state_bytes = atp_transformer_state_bytes(self%address())
  end function

  !> A network of the same data and options that loads the state goes on with the same numbers.
  subroutine transformer_save_state(self, state, stat, errmsg)
    class(atp_transformer), intent(in) :: self
    integer(c_int8_t), allocatable, intent(inout), target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (allocated(state)) deallocate (state)
    allocate (state(self%state_bytes()))
    call settle(atp_transformer_save_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine

  subroutine transformer_load_state(self, state, stat, errmsg)
    class(atp_transformer), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_transformer_load_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine
end module attopotts_transformer
