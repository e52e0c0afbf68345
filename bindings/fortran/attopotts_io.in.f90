! SPDX-License-Identifier: MIT
!> Files of bytes (states of samplers and trainers), written under a temporary name and renamed; what a file holds.
!@ module io uses context
  public :: file_kind, file_write, file_write_parts, file_writable, file_size, file_read

contains

  !> "model", "alignment", "fasta", "stockholm", "integers", "state" or "unknown"; empty where it fails.
  function file_kind(context, path, stat, errmsg) result(kind)
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    character(len=:), allocatable :: kind
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr), target :: text
    integer(c_int) :: status
    text = c_null_ptr
    status = atp_file_kind(context%address(), c_text(store, path), c_loc(text))
    kind = text_at(text)
    call settle(status, stat, errmsg)
  end function

  !@ plain file_write(context, path, bytes)
  !> A file part by part, so that it needs not be in memory. `next` is c_funloc() of a function with bind(c):
  !> integer(c_int64_t) function next(bytes, user), with type(c_ptr) :: bytes, which it sets to the c_loc() of the next part, and
  !> type(c_ptr), value :: user. Its result is the number of bytes, 0 at the end, negative where it has failed.
  subroutine file_write_parts(context, path, next, user, stat, errmsg)
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    type(c_funptr), intent(in) :: next
    type(c_ptr), intent(in), optional :: user
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr) :: passed
    passed = c_null_ptr
    if (present(user)) passed = user
    call settle(atp_file_write_parts(context%address(), c_text(store, path), next, passed), stat, errmsg)
  end subroutine

  !> Whether a file could be written; replaced: whether each writing replaces a file as a whole.
  !@ plain file_writable(path, replaced?)
  !@ plain file_size(context, path) -> size

  subroutine file_read(context, path, bytes, stat, errmsg)
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    integer(c_int8_t), allocatable, intent(inout), target :: bytes(:)
    character(kind=c_char), allocatable, target :: store(:)
    integer(c_int64_t), target :: found
    integer(c_int) :: status
    found = 0
    status = atp_file_size(context%address(), c_text(store, path), c_loc(found))
    if (status == ATP_OK) then
      if (allocated(bytes)) deallocate (bytes)
      allocate (bytes(found))
      status = atp_file_read(context%address(), c_text(store, path), c_loc(bytes), found)
    end if
    call settle(status, stat, errmsg)
  end subroutine
end module attopotts_io
