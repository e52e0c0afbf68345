! SPDX-License-Identifier: MIT
!> What all handles share: ownership by counted references, errors in the manner of stat= and errmsg=, texts, callbacks.
module attopotts_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use attopotts_constants
  use attopotts_c
  implicit none
  private
  public :: shared, adopt, share, has_room, drop, address_of, need, needed, context_of, set_log_of, warn_on_stderr, set_ranks_of
  public :: settle, refuse, fits, is_real, may_replace, known, decimal, c_text, text_at, text_in, enum_of, option_of, owner_of
  public :: progress_handler, progress_report, progress_call, prepare, finish, log_handler, rank_handler
  public :: status_name, status_text, outcome_name, level_name, last_error, color_byte, color_number, nan
  public :: SLOT_CONTEXT, SLOT_DATA, SLOT_TEST, SLOT_TRUTH, SLOT_LOG

  integer, parameter :: SLOT_CONTEXT = 1, SLOT_DATA = 2, SLOT_TEST = 3, SLOT_TRUTH = 4, SLOT_LOG = 5

  !> The numbers of a run, as a handler sees them.
  type :: progress_report
    private
    type(c_ptr) :: address = c_null_ptr
  contains
    !> The number of a key, ATP_PROGRESS_TRAIN_LOSS say; NaN where the run does not have it.
    procedure :: value => progress_value
  end type

  !> Extend this to follow a run, with whatever components you need.
  type, abstract :: progress_handler
  contains
    procedure(report_interface), deferred :: report
  end type

  !> Extend this to receive the messages of a context.
  type, abstract :: log_handler
  contains
    procedure(line_interface), deferred :: line
  end type

  !> Extend this to reach the other ranks of a context without libattopotts_mpi (ranks.h). All ranks call the same procedures in
  !> the same order. They give 0; another number ends the call of the library with ATP_E_RANK.
  type, abstract :: rank_handler
  contains
    procedure(gather_interface), deferred :: gather
    procedure(sum_interface), deferred :: sum
    procedure(broadcast_interface), deferred :: broadcast
  end type

  abstract interface
    !> Called between steps, in the thread that made the call. Gives 0 to go on; a positive number stops with
    !> ATP_OUTCOME_CANCELLED; a negative one makes the call fail with that stat. Either way the state is kept.
    integer function report_interface(self, progress)
      import :: progress_handler, progress_report
      class(progress_handler), intent(inout) :: self
      type(progress_report), intent(in) :: progress
    end function
    !> What frees a C handle.
    subroutine destroy_interface(handle) bind(c)
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine
    !> One line of text; level is ATP_LOG_INFO or ATP_LOG_WARNING.
    subroutine line_interface(self, level, text)
      import :: log_handler
      class(log_handler), intent(inout) :: self
      integer, intent(in) :: level
      character(len=*), intent(in) :: text
    end subroutine
    !> Rank r, from 0, has written bytes(ends(r) + 1:ends(r + 1)); gives every rank all bytes, as MPI_Allgatherv does.
    integer function gather_interface(self, bytes, ends)
      import :: rank_handler, c_int8_t, c_int64_t
      class(rank_handler), intent(inout) :: self
      integer(c_int8_t), intent(inout), contiguous, target :: bytes(:)
      integer(c_int64_t), intent(in) :: ends(0:)
    end function
    !> Replaces the values by their sums over the ranks, as MPI_Allreduce does.
    integer function sum_interface(self, values)
      import :: rank_handler, c_int64_t
      class(rank_handler), intent(inout) :: self
      integer(c_int64_t), intent(inout), contiguous, target :: values(:)
    end function
    !> Gives every rank the bytes of rank root, from 0, as MPI_Bcast does.
    integer function broadcast_interface(self, bytes, root)
      import :: rank_handler, c_int8_t
      class(rank_handler), intent(inout) :: self
      integer(c_int8_t), intent(inout), contiguous, target :: bytes(:)
      integer, intent(in) :: root
    end function
  end interface

  !> struct atp_ranks; the library refuses one of another size.
  type, bind(c) :: ranks_of_c
    integer(c_int64_t) :: struct_bytes, rank, count
    type(c_ptr) :: user
    type(c_funptr) :: gather, sum, broadcast
  end type

  type :: owned_pointer
    type(owned), pointer :: to => null()
  end type

  !> A C handle and how many need it: variables, and handles made from it. The memory is used again and never given back: `serial`, 0
  !> where there is no handle, tells a copy made byte by byte that its handle is gone.
  type :: owned
    integer(c_int64_t) :: serial = 0
    type(owned), pointer :: next => null()  ! of those without a handle
    type(c_ptr) :: address = c_null_ptr
    procedure(destroy_interface), pointer, nopass :: destroy => null()
    integer :: users = 0
    type(owned_pointer) :: needs(SLOT_LOG)
    class(log_handler), pointer :: log => null()
    class(rank_handler), pointer :: ranks => null()
    integer :: rank_count = 1
  end type

  !> The reference that a variable holds. `at` is the variable's own place: a copy made byte by byte (by a compiler, in a
  !> temporary, or by sourced allocation) has another place, counts for nothing and frees nothing. It can be used while the handle lives.
  type :: shared
    private
    type(owned), pointer :: to => null()
    integer(c_int64_t) :: serial = 0
    integer(c_intptr_t) :: at = 0
  end type

  !> A call that reports: who listens, what he answered, and a reference that keeps the handle for as long as it runs.
  type :: progress_call
    class(progress_handler), pointer :: handler => null()
    integer :: failure = 0
    type(shared) :: kept
  end type

  type(owned), pointer :: unused => null()
  integer(c_int64_t) :: last_serial = 0

contains

  ! References

  integer(c_intptr_t) function place(self)
    type(shared), intent(in), target :: self
    place = transfer(c_loc(self), place)
  end function

  !> Let a variable own a new C handle that needs a context (not given for contexts themselves).
  subroutine adopt(self, destroy, address, context)
    type(shared), intent(inout) :: self
    procedure(destroy_interface) :: destroy
    type(c_ptr), intent(in) :: address
    type(shared), intent(in), optional :: context
    type(owned), pointer :: made, needed_context
    !$omp critical (attopotts_references)
    if (associated(unused)) then
      made => unused
      unused => made%next
    else
      allocate (made)
    end if
    last_serial = last_serial + 1
    made%serial = last_serial
    !$omp end critical (attopotts_references)
    made%address = address
    made%destroy => destroy
    made%users = 1
    if (present(context)) then
      needed_context => held(context)
      made%needs(SLOT_CONTEXT)%to => needed_context
      call retain(needed_context)
    end if
    call drop(self)
    self%to => made
    self%serial = made%serial
    self%at = place(self)
  end subroutine

  !> What a variable or a copy of it holds; not associated where that is gone.
  function held(self) result(node)
    type(shared), intent(in) :: self
    type(owned), pointer :: node
    nullify (node)
    if (.not. associated(self%to)) return
    if (self%serial /= 0 .and. self%to%serial == self%serial) node => self%to
  end function

  !> What the variable itself keeps alive.
  function kept(self) result(node)
    type(shared), intent(in) :: self
    type(owned), pointer :: node
    nullify (node)
    if (self%at == place(self)) node => held(self)
  end function

  subroutine retain(node)
    type(owned), pointer, intent(in) :: node
    if (.not. associated(node)) return
    !$omp critical (attopotts_references)
    node%users = node%users + 1
    !$omp end critical (attopotts_references)
  end subroutine

  recursive subroutine release(node)
    type(owned), pointer, intent(inout) :: node
    integer :: left, k
    if (.not. associated(node)) return
    !$omp critical (attopotts_references)
    node%users = node%users - 1
    left = node%users
    if (left == 0) node%serial = 0
    !$omp end critical (attopotts_references)
    if (left > 0) return
    call node%destroy(node%address)
    do k = size(node%needs), 1, -1
      call release(node%needs(k)%to)
      nullify (node%needs(k)%to)
    end do
    nullify (node%log, node%ranks)
    !$omp critical (attopotts_references)
    node%next => unused
    unused => node
    !$omp end critical (attopotts_references)
    nullify (node)
  end subroutine

  !> self = right: both hold the same handle, which lives until the last of them is gone.
  subroutine share(self, right)
    type(shared), intent(inout) :: self
    type(shared), intent(in) :: right
    type(owned), pointer :: old, new
    old => kept(self)
    new => held(right)
    call retain(new)
    self%to => new
    self%serial = 0
    if (associated(new)) self%serial = new%serial
    self%at = place(self)
    call release(old)
  end subroutine

  !> Whether what stands at this place has as many elements as an assignment to it needs; if not, the program ends.
  logical function has_room(array, elements, needed)
    type(c_ptr), intent(in) :: array
    integer, intent(in) :: elements, needed
    has_room = c_associated(array) .and. elements == needed
    if (needed == 0) return
    if (.not. c_associated(array)) then
      call refuse(ATP_E_NULL, 'a handle is assigned to what is not allocated: allocate the variable, or append_handle(list, x)')
    else if (.not. has_room) then
      call refuse(ATP_E_SHAPE, decimal(needed) // ' handles are assigned to an array of ' // decimal(elements) // &
        ': assignment does not change its size, append_handle(list, x) does')
    end if
  end function

  !> The variable holds nothing any more.
  subroutine drop(self)
    type(shared), intent(inout) :: self
    type(owned), pointer :: old
    old => kept(self)
    nullify (self%to)
    self%at = 0
    call release(old)
  end subroutine

  !> The C handle, NULL where the variable holds none: the C functions have an error for that.
  type(c_ptr) function address_of(self)
    type(shared), intent(in) :: self
    type(owned), pointer :: node
    address_of = c_null_ptr
    node => held(self)
    if (associated(node)) address_of = node%address
  end function

  !> Keep another handle as long as this one lives, in place of what the slot held; without `other` nothing.
  subroutine need(self, slot, other)
    type(shared), intent(inout) :: self
    integer, intent(in) :: slot
    type(shared), intent(in), optional :: other
    type(owned), pointer :: node, old, new
    node => held(self)
    if (.not. associated(node)) return
    old => node%needs(slot)%to
    nullify (node%needs(slot)%to)
    if (present(other)) then
      new => held(other)
      call retain(new)
      node%needs(slot)%to => new
    end if
    call release(old)
  end subroutine

  !> The C handle that a slot holds, NULL where there is none.
  type(c_ptr) function needed(self, slot)
    type(shared), intent(in) :: self
    integer, intent(in) :: slot
    type(owned), pointer :: node
    needed = c_null_ptr
    node => held(self)
    if (.not. associated(node)) return
    if (associated(node%needs(slot)%to)) needed = node%needs(slot)%to%address
  end function

  !> The context that a handle was made in.
  subroutine context_of(self, context)
    type(shared), intent(in) :: self
    type(shared), intent(inout) :: context
    type(shared) :: found
    type(owned), pointer :: node
    node => held(self)
    if (associated(node)) found%to => node%needs(SLOT_CONTEXT)%to
    if (associated(found%to)) found%serial = found%to%serial
    call share(context, found)
  end subroutine

  ! Errors and texts

  !> What a status says, in the manner of the standard: into stat and errmsg, or an error stop with the library's text.
  !> sizes: what C's names of sizes at the beginning of a text are here, 'n=size(weights);'.
  subroutine settle(status, stat, errmsg, sizes, within)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in), optional :: sizes, within
    character(len=:), allocatable :: text
    integer :: name, at
    if (status == ATP_OK) then
      if (present(stat)) stat = ATP_OK
      return
    end if
    text = last_error()
    name = index(text, ' is ') - 1
    if (present(sizes) .and. name > 0) then
      at = index(';' // sizes, ';' // text(:name) // '=') + name + 1
      if (at > name + 1) text = sizes(at:at + index(sizes(at:), ';') - 2) // text(name + 1:)
    end if
    call refuse(status, text, stat, errmsg, within)
  end subroutine

  !> The same with a text of this layer. within: the procedure that the user called, "alignment%weigh", at the end of the text.
  subroutine refuse(status, text, stat, errmsg, within)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: text
    character(len=*), intent(in), optional :: within
    character(len=:), allocatable :: told
    told = status_name(status) // ': ' // text
    if (present(within)) told = told // ' [' // within // ']'
    if (present(errmsg)) errmsg = told
    if (present(stat)) then
      stat = status
    else
      write (error_unit, '(a)') 'attopotts: ' // told
      error stop 1
    end if
  end subroutine

  !> A number of any kind as the library takes it; false, and the error dealt with, for something else.
  logical function is_real(name, given, value, stat, errmsg, within)
    character(len=*), intent(in) :: name
    class(*), intent(in) :: given
    real(c_double), intent(out) :: value
    character(len=*), intent(in), optional :: within
    is_real = .true.
    value = 0
    select type (given)
    type is (real(c_double))
      value = given
    type is (real(c_float))
      value = real(given, c_double)
    type is (integer(c_int))
      value = real(given, c_double)
    type is (integer(c_int64_t))
      value = real(given, c_double)
    class default
      is_real = .false.
      call refuse(ATP_E_VALUE, name // ' is no number of a kind that C has', stat, errmsg, within)
    end select
  end function

  !> Whether an array has the shape that is expected (-1: any); if not, the error is dealt with. Where an extent is 0 there is no such
  !> array, or no handle: the library says so.
  logical function fits(name, found, expected, stat, errmsg, within)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: within
    integer, intent(in) :: found(:)
    integer(c_int64_t), intent(in) :: expected(:)
    fits = all(found == expected .or. expected < 0) .or. any(expected == 0)
    if (.not. fits) call refuse(ATP_E_SHAPE, name // ' has shape ' // shape_text(int(found, c_int64_t)) // &
      ', expected ' // shape_text(expected), stat, errmsg, within)
  end function

  !> Whether a call may fill a variable from another one of its type: if it holds something else already, operands may be swapped.
  logical function may_replace(self, source, stat, errmsg, within)
    type(shared), intent(in) :: self, source
    character(len=*), intent(in), optional :: within
    type(owned), pointer :: node, given
    node => held(self)
    given => held(source)
    may_replace = .not. associated(node) .or. associated(node, given)
    if (.not. may_replace) call refuse(ATP_E_CONFLICT, 'the variable that the call fills holds something else already: ' // &
      'destroy() it before, or swap the two if it is the source', stat, errmsg, within)
  end function

  !> Whether colours as bytes have no -1 (at: where the first is, 0 where there is none), which is ATP_MISSING, or the caller allows it.
  logical function known(name, at, missing, stat, errmsg, within)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: within
    integer, intent(in) :: at(:)
    logical, intent(in), optional :: missing
    known = any(at == 0)
    if (known) return
    if (present(missing)) known = missing
    if (.not. known) call refuse(ATP_E_ALPHABET, name // shape_text(int(at, c_int64_t)) // ' is -1, expected a colour from 0; ' // &
      'missing=.true. takes -1 for a missing site (ATP_MISSING)', stat, errmsg, within)
  end function

  function decimal(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: buffer
    write (buffer, '(i0)') number
    text = trim(buffer)
  end function

  function shape_text(extents) result(text)
    integer(c_int64_t), intent(in) :: extents(:)
    character(len=:), allocatable :: text
    integer :: k
    text = '('
    do k = 1, size(extents)
      if (k > 1) text = text // ', '
      if (extents(k) < 0) text = text // ':'
      if (extents(k) >= 0) text = text // decimal(int(extents(k)))
    end do
    text = text // ')'
  end function

  !> The address of a text for C, with a final 0 and without blanks at the end; `store` must live as long. NULL without a text.
  type(c_ptr) function c_text(store, text)
    character(kind=c_char), allocatable, intent(inout), target :: store(:)
    character(len=*), intent(in), optional :: text
    c_text = c_null_ptr
    if (.not. present(text)) return
    store = transfer(trim(text) // c_null_char, [c_null_char])
    c_text = c_loc(store)
  end function

  !> A text of C; empty for NULL.
  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: array(:)
    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, array, [huge(0)])
    text = text_in(array)
  end function

  !> The text in a buffer that C filled.
  function text_in(buffer) result(text)
    character(kind=c_char), intent(in) :: buffer(:)
    character(len=:), allocatable :: text
    integer :: n
    do n = 1, size(buffer)
      if (buffer(n) == c_null_char) exit
    end do
    text = transfer(buffer(:n - 1), repeat(' ', n - 1))
  end function

  !> The text of the last failure of the library in the calling thread.
  function last_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    integer(c_int64_t) :: length
    allocate (buffer(atp_last_error_from_one(c_null_ptr, 0_c_int64_t) + 1))
    length = atp_last_error_from_one(c_loc(buffer), size(buffer, kind=c_int64_t))
    text = text_in(buffer(:length))
  end function

  !> "ATP_E_VALUE" say.
  function status_name(status) result(text)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: text
    if (status < 0) then
      text = 'progress handler'
    else
      text = text_at(atp_status_name(status))
    end if
  end function

  !> One sentence on a status.
  !@ plain status_text(status) = atp_status_string
  !> "converged", "max_iter", "cancelled", "diverged", "stalled" or "done" (all steps made, nothing tested).
  !@ plain outcome_name(outcome)
  !@ plain level_name(level)

  !> The constant of a word in any case, with - or _; -1 and an error where there is no such word.
  integer(c_int) function enum_of(enum, word, stat, errmsg, within) result(value)
    character(len=*), intent(in) :: enum, word
    character(len=*), intent(in), optional :: within
    value = word_value(enum, plain(word, '-', '_'))
    if (value < 0) call refuse(ATP_E_VALUE, enum // ' is "' // trim(word) // '", expected one of ' // words_of(enum), stat, &
      errmsg, within)
  end function

  !> An owner of options by its word: "trainer", or the kind of a task, "replica_square"; -1 and an error for other words.
  integer(c_int) function owner_of(word, stat, errmsg, within) result(value)
    character(len=*), intent(in) :: word
    character(len=*), intent(in), optional :: within
    value = word_value('option_owner', plain(word, '-', '_'))
    if (value < 0) value = word_value('task_kind', plain(word, '-', '_'))
    if (value < 0) call refuse(ATP_E_VALUE, 'owner is "' // trim(word) // '", expected one of ' // words_of('option_owner') // &
      ', ' // words_of('task_kind'), stat, errmsg, within)
  end function

  !> The key of an option by its name, with - or _; -1 and an error where there is none.
  integer(c_int) function option_of(name, stat, errmsg, within) result(key)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: within
    character(kind=c_char), allocatable, target :: store(:)
    key = atp_option_from_name(c_text(store, plain(name, '_', '-')))
    if (key < 0) call refuse(ATP_E_OPTION, 'there is no option "' // trim(name) // '"', stat, errmsg, within)
  end function

  !> Lower case, with one character for another, without blanks at either end.
  pure function plain(word, from, to) result(text)
    character(len=*), intent(in) :: word, from, to
    character(len=:), allocatable :: text
    integer :: k, letter
    text = trim(adjustl(word))
    do k = 1, len(text)
      letter = index('ABCDEFGHIJKLMNOPQRSTUVWXYZ', text(k:k))
      if (letter > 0) text(k:k) = achar(iachar('a') + letter - 1)
      if (text(k:k) == from) text(k:k) = to
    end do
  end function

  real(c_double) function nan()
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
    nan = ieee_value(1.0_c_double, ieee_quiet_nan)
  end function

  !> A colour 0..255 as the byte that stands for it: bytes are signed in Fortran and read unsigned, 128 is -128 and 255 is -1.
  elemental integer(c_int8_t) function color_byte(number)
    integer, intent(in) :: number
    color_byte = int(merge(number - 256, number, number > 127), c_int8_t)
  end function

  !> The colour 0..255 that a byte stands for.
  elemental integer function color_number(byte)
    integer(c_int8_t), intent(in) :: byte
    color_number = iand(int(byte), 255)
  end function

  ! Callbacks

  real(c_double) function progress_value(self, key)
    class(progress_report), intent(in) :: self
    integer(c_int), intent(in) :: key
    progress_value = atp_progress_value(self%address, key)
  end function

  integer(c_int) function forward_progress(progress, user) bind(c)
    type(c_ptr), value :: progress, user
    type(progress_call), pointer :: running
    type(progress_report) :: report
    call c_f_pointer(user, running)
    report%address = progress
    forward_progress = running%handler%report(report)
    if (forward_progress < 0) running%failure = forward_progress
  end function

  !> Before a call that reports: what to hand over as callback. The handle is kept until finish(), whatever the handler does.
  subroutine prepare(running, progress, callback, handle)
    type(progress_call), intent(inout) :: running
    class(progress_handler), intent(in), optional, target :: progress
    type(c_funptr), intent(out) :: callback
    type(shared), intent(in) :: handle
    class(progress_handler), pointer :: listener
    callback = c_null_funptr
    call share(running%kept, handle)
    if (.not. present(progress)) return
    listener => progress
    running%handler => listener
    callback = c_funloc(forward_progress)
  end subroutine

  !> After it.
  subroutine finish(running, status, stat, errmsg, sizes, within)
    type(progress_call), intent(inout) :: running
    integer(c_int), intent(in) :: status
    character(len=*), intent(in), optional :: sizes, within
    call drop(running%kept)
    if (status == ATP_OK .and. running%failure < 0) then
      call refuse(int(running%failure, c_int), 'it failed with ' // decimal(running%failure), stat, errmsg, within)
    else
      call settle(status, stat, errmsg, sizes, within)
    end if
  end subroutine

  subroutine forward_log(level, text, user) bind(c)
    integer(c_int), value :: level
    type(c_ptr), value :: text, user
    type(owned), pointer :: node
    call c_f_pointer(user, node)
    call node%log%line(int(level), text_at(text))
  end subroutine

  !> The handler of a context's messages; without `handler` they are dropped.
  integer(c_int) function set_log_of(self, handler) result(status)
    type(shared), intent(inout) :: self
    class(log_handler), intent(in), optional, target :: handler
    class(log_handler), pointer :: listener
    type(owned), pointer :: node
    node => held(self)
    if (.not. present(handler) .or. .not. associated(node)) then
      status = atp_context_set_log(address_of(self), c_null_funptr, c_null_ptr)
      return
    end if
    listener => handler
    node%log => listener
    status = atp_context_set_log(node%address, c_funloc(forward_log), c_loc(node))
  end function

  !> Warnings of a new context go to the standard error.
  integer(c_int) function warn_on_stderr(address) result(status)
    type(c_ptr), intent(in) :: address
    status = atp_context_set_log(address, c_funloc(print_warning), c_null_ptr)
  end function

  subroutine print_warning(level, text, user) bind(c)
    integer(c_int), value :: level
    type(c_ptr), value :: text, user
    if (level == ATP_LOG_WARNING .and. .not. c_associated(user)) write (error_unit, '(a)') 'attopotts: warning: ' // text_at(text)
  end subroutine

  integer(c_int) function forward_gather(bytes, ends, user) bind(c)
    type(c_ptr), value :: bytes, ends, user
    type(owned), pointer :: node
    integer(c_int8_t), pointer, contiguous :: all(:)
    integer(c_int64_t), pointer :: last(:)
    call c_f_pointer(user, node)
    call c_f_pointer(ends, last, [node%rank_count])
    call c_f_pointer(bytes, all, [last(node%rank_count)])
    forward_gather = int(node%ranks%gather(all, [0_c_int64_t, last]), c_int)
  end function

  integer(c_int) function forward_sum(values, count, user) bind(c)
    type(c_ptr), value :: values, user
    integer(c_int64_t), value :: count
    type(owned), pointer :: node
    integer(c_int64_t), pointer, contiguous :: all(:)
    call c_f_pointer(user, node)
    call c_f_pointer(values, all, [count])
    forward_sum = int(node%ranks%sum(all), c_int)
  end function

  integer(c_int) function forward_broadcast(bytes, count, root, user) bind(c)
    type(c_ptr), value :: bytes, user
    integer(c_int64_t), value :: count, root
    type(owned), pointer :: node
    integer(c_int8_t), pointer, contiguous :: all(:)
    call c_f_pointer(user, node)
    call c_f_pointer(bytes, all, [count])
    forward_broadcast = int(node%ranks%broadcast(all, int(root)), c_int)
  end function

  !> A context becomes one of `count` ranks.
  integer(c_int) function set_ranks_of(self, handler, rank, count) result(status)
    type(shared), intent(inout) :: self
    class(rank_handler), intent(in), target :: handler
    integer, intent(in) :: rank, count
    class(rank_handler), pointer :: listener, before
    type(owned), pointer :: node
    type(ranks_of_c), target :: given
    integer :: count_before
    node => held(self)
    if (.not. associated(node)) then
      status = atp_context_set_ranks(c_null_ptr, c_null_ptr)
      return
    end if
    before => node%ranks
    count_before = node%rank_count
    listener => handler
    node%ranks => listener
    node%rank_count = count
    given = ranks_of_c(int(c_sizeof(given), c_int64_t), rank, count, c_loc(node), c_funloc(forward_gather), &
      c_funloc(forward_sum), c_funloc(forward_broadcast))
    status = atp_context_set_ranks(node%address, c_loc(given))
    if (status == ATP_OK) return
    node%ranks => before
    node%rank_count = count_before
  end function
end module attopotts_base
