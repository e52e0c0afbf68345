! SPDX-License-Identifier: MIT
!> Contexts (threads, SIMD target, messages, memory), bags of options, and what the library says about itself.
!@ module context
  public :: atp_context, atp_options, option_count, option_at, option_name, option_bounds, &
    option_owner_at, option_owner_name, option_text, option_word
  public :: library_version, library_version_number, library_abi_version, has_feature, blas_description, simd_target

  !> What handles are made in. One thread at a time; make one per thread.
  !@ type context
    procedure :: create => context_create
    procedure :: set_log => context_set_log
    procedure :: error => context_error
    procedure :: set_ranks => context_set_ranks, leave_ranks => context_leave_ranks
    !> broadcast(values, root): every rank gets the values of rank root, from 0: an array of integer, real(c_double) or
    !> integer(c_int8_t), of the same size on all ranks.
    generic :: broadcast => broadcast_bytes, broadcast_integers, broadcast_reals
    procedure :: any => context_any
    procedure, private :: broadcast_bytes => context_broadcast_bytes, broadcast_integers => context_broadcast_integers
    procedure, private :: broadcast_reals => context_broadcast_reals
  end type

  !> Options by name: the names and bounds are those of options.h. Values stay until they are set again.
  !@ type options
    procedure :: create => options_create
    !> set(name, value): an integer of either kind, a real of either kind, a logical, or a word; - and _ are the same in
    !> names and words.
    generic :: set => set_integer, set_long, set_real, set_single, set_logical, set_word
    !> get(name, value): integer(c_int64_t) or real(c_double).
    generic :: get => get_long, get_real
    procedure, private :: set_logical => options_set_logical, set_word => options_set_word, set_single => options_set_single
  end type

contains

  !> Make a context.
  !> threads: all cores where not given; simd: "auto", "scalar", "avx2", ...; alloc, release, user: an allocator, see
  !> context.h.
  subroutine context_create(self, threads, simd, alloc, release, user, stat, errmsg)
    class(atp_context), intent(inout) :: self
    integer, intent(in), optional :: threads
    character(len=*), intent(in), optional :: simd
    type(c_funptr), intent(in), optional :: alloc, release
    type(c_ptr), intent(in), optional :: user
    character(kind=c_char), allocatable, target :: store(:)
    type(c_funptr) :: alloc_, release_
    type(c_ptr) :: user_, made
    integer(c_int) :: status
    if (atp_abi_version() /= ATP_HEADERS_ABI) then
      call refuse(ATP_E_UNSUPPORTED, 'the library has binary interface ' // decimal(int(atp_abi_version())) // &
        ', this module needs ' // decimal(int(ATP_HEADERS_ABI)), stat, errmsg)
      return
    end if
    alloc_ = c_null_funptr
    release_ = c_null_funptr
    user_ = c_null_ptr
    if (present(alloc)) alloc_ = alloc
    if (present(release)) release_ = release
    if (present(user)) user_ = user
    status = atp_context_create(alloc_, release_, user_, made)
    if (status == ATP_OK) status = warn_on_stderr(made)
    if (status == ATP_OK .and. present(threads)) status = atp_context_set_threads(made, int(threads, c_int64_t))
    if (status == ATP_OK .and. present(simd)) status = atp_context_set_simd(made, c_text(store, simd))
    if (status == ATP_OK) then
      call adopt(self%ref, atp_context_destroy, made)
    else
      call atp_context_destroy(made)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !@ life context
  !> The number of threads of later calls; 0 for all cores.
  !@ set_threads(threads)
  !@ threads
  !@ set_simd(name)
  !@ simd

  !> Ask all runs in this context to stop, from any thread; later runs end at once, too, until clear_stop().
  !@ request_stop clear_stop
  !> 1 from request_stop() to clear_stop(), else 0.
  !@ stop_requested

  !> Where messages go; without a handler they are dropped. The handler must be a target and live as long as it is set. A context
  !> begins with a handler that writes warnings to the standard error.
  subroutine context_set_log(self, handler, stat, errmsg)
    class(atp_context), intent(inout) :: self
    class(log_handler), intent(in), optional, target :: handler
    call settle(set_log_of(self%ref, handler), stat, errmsg)
  end subroutine

  !@ memory(count?, bytes?)
  !> The memory limit in bytes; 0: automatic, what the process can still have.
  !@ set_memory_limit(bytes:long)
  !> The memory limit (0: automatic) and the bytes that it leaves now; huge(available) where nothing limits them.
  !@ memory_limit(limit?, available?)

  !> The text of the last failure of the context or one of its handles.
  function context_error(self) result(text)
    class(atp_context), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    integer(c_int64_t) :: length
    allocate (buffer(atp_context_error_from_one(self%address(), c_null_ptr, 0_c_int64_t) + 1))
    buffer = c_null_char
    length = atp_context_error_from_one(self%address(), c_loc(buffer), size(buffer, kind=c_int64_t))
    text = text_in(buffer(:length))
  end function

  !> One of `count` ranks, which call the procedures of the handler to reach each other: see rank_handler and ranks.h. rank: of this
  !> process, from 0. The handler must be a target and live as long as it is set. With MPI, set_mpi of the module attopotts_mpi does
  !> all of this.
  subroutine context_set_ranks(self, handler, rank, count, stat, errmsg)
    class(atp_context), intent(inout) :: self
    class(rank_handler), intent(in), target :: handler
    integer, intent(in) :: rank, count
    call settle(set_ranks_of(self%ref, handler, rank, count), stat, errmsg)
  end subroutine

  !> One process again.
  subroutine context_leave_ranks(self, stat, errmsg)
    class(atp_context), intent(inout) :: self
    call settle(atp_context_set_ranks(self%address(), c_null_ptr), stat, errmsg)
  end subroutine

  !> The number of this rank, from 0.
  !@ rank
  !> The number of ranks; 1 without others.
  !@ rank_count

  subroutine context_broadcast_bytes(self, values, root, stat, errmsg)
    class(atp_context), intent(inout) :: self
    integer(c_int8_t), intent(inout), contiguous, target :: values(:)
    integer, intent(in) :: root
    call settle(atp_context_broadcast(self%address(), c_loc(values), storage_size(values) / 8 * size(values, kind=c_int64_t), &
      int(root, c_int64_t)), stat, errmsg)
  end subroutine

  subroutine context_broadcast_integers(self, values, root, stat, errmsg)
    class(atp_context), intent(inout) :: self
    integer, intent(inout), contiguous, target :: values(:)
    integer, intent(in) :: root
    call settle(atp_context_broadcast(self%address(), c_loc(values), storage_size(values) / 8 * size(values, kind=c_int64_t), &
      int(root, c_int64_t)), stat, errmsg)
  end subroutine

  subroutine context_broadcast_reals(self, values, root, stat, errmsg)
    class(atp_context), intent(inout) :: self
    real(c_double), intent(inout), contiguous, target :: values(:)
    integer, intent(in) :: root
    call settle(atp_context_broadcast(self%address(), c_loc(values), storage_size(values) / 8 * size(values, kind=c_int64_t), &
      int(root, c_int64_t)), stat, errmsg)
  end subroutine

  !> Whether a flag is set on any rank.
  logical function context_any(self, flag, stat, errmsg) result(found)
    class(atp_context), intent(inout) :: self
    logical, intent(in) :: flag
    integer(c_int), target :: number
    number = merge(1, 0, flag)
    call settle(atp_context_any(self%address(), c_loc(number)), stat, errmsg)
    found = number /= 0
  end function

  !> End the collective call in which the other ranks are, or their next one, with ATP_E_RANK and this text.
  !@ fail(text)
  !> What has passed between the ranks: "calls", bytes "sent", bytes "received", "seconds".
  !@ traffic(what) -> value

  ! Options

  !> Make a bag of an owner's options, "trainer" or "replica_square", with every option at its default, but for those in
  !> `settings`, see set_all.
  subroutine options_create(self, context, owner, settings, stat, errmsg)
    class(atp_options), intent(inout) :: self
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: owner
    character(len=*), intent(in), optional :: settings
    type(c_ptr) :: made
    integer(c_int) :: status, number
    number = owner_of(owner, stat, errmsg)
    if (number < 0) return
    status = atp_options_create(context%address(), number, made)
    if (status == ATP_OK) call adopt(self%ref, atp_options_destroy, made, context%ref)
    call settle(status, stat, errmsg)
    if (status == ATP_OK .and. present(settings)) call self%set_all(settings, stat, errmsg)
  end subroutine

  !@ life options
  !@ reset

  !@ private set_integer(name@key, value) = atp_options_set_i64
  !@ private set_long(name@key, value:long) = atp_options_set_i64
  !@ private set_real(name@key, value) = atp_options_set_f64

  subroutine options_set_single(self, name, value, stat, errmsg)
    class(atp_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    real(c_float), intent(in) :: value
    call self%set_real(name, real(value, c_double), stat, errmsg)
  end subroutine

  subroutine options_set_logical(self, name, value, stat, errmsg)
    class(atp_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    call self%set_long(name, merge(1_c_int64_t, 0_c_int64_t, value), stat, errmsg)
  end subroutine

  !> A word of the option's enum ("softmax"), or a number as text.
  subroutine options_set_word(self, name, value, stat, errmsg)
    class(atp_options), intent(inout) :: self
    character(len=*), intent(in) :: name, value
    character(len=:), allocatable :: enum
    integer(c_int64_t) :: whole
    real(c_double) :: number
    integer(c_int) :: key, word
    integer :: failed
    key = option_of(name, stat, errmsg)
    if (key < 0) return
    if (verify(trim(adjustl(value)), '+-0123456789') == 0) then
      read (value, *, iostat=failed) whole
      if (failed == 0) then
        call self%set_long(name, whole, stat, errmsg)
        return
      end if
    end if
    if (verify(trim(adjustl(value)), '+-.0123456789eEdD') == 0) then
      read (value, *, iostat=failed) number
      if (failed == 0) then
        call self%set_real(name, number, stat, errmsg)
        return
      end if
    end if
    enum = enum_of_option(key)
    if (len(enum) == 0) then
      call refuse(ATP_E_OPTION_RANGE, 'option "' // trim(name) // '" is "' // trim(value) // '", expected a number', stat, errmsg)
      return
    end if
    word = enum_of(enum, value, stat, errmsg)
    if (word >= 0) call self%set_integer(name, int(word), stat, errmsg)
  end subroutine

  !> name=value, separated by commas or blanks; if one is wrong, none is set.
  !@ set_all(settings@text) = atp_options_set_text
  !> What differs from the defaults, for set_all.
  !@ settings -> text = atp_options_get_text

  !@ owner
  !@ private get_long(name@key, value) = atp_options_get_i64
  !@ private get_real(name@key, value) = atp_options_get_f64

  !> The index-th owner, an ATP_OWNER_... or ATP_TASK_..., from 1; -1 past the end.
  !@ plain option_owner_at(index)
  !> What an owner is called in error texts; empty for other numbers.
  !@ plain option_owner_name(owner)
  !@ plain option_count(owner)
  !> The key of the index-th option of an owner, from 1; -1 past the end.
  !@ plain option_at(owner, index)

  !> The name of a key; empty for other numbers.
  !@ plain option_name(key)
  !> What an option means to an owner; empty where the owner does not have it.
  !@ plain option_text(owner, key)
  !> The word of a value of an option that is an enum; empty for numbers.
  !@ plain option_word(owner, key, value)
  !@ plain option_bounds(owner, name@key, lowest?, highest?, initial?, is_integer?)

  ! The library

  !@ plain library_version = atp_version_string
  !@ plain library_version_number = atp_version_number
  !@ plain library_abi_version = atp_abi_version
  !> Whether the library was built with "threads", "hdf5", "zlib", "msgpack", "blis" or "lapack".
  !@ plain has_feature(name)
  !@ plain blas_description
  !> The SIMD targets of this machine and build, worst first, from index 1; empty past the end.
  !@ plain simd_target(index)
end module attopotts_context
