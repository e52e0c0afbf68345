! SPDX-License-Identifier: MIT
!> Ranks of MPI: tells a context which processes work with it. Beside `use attopotts`, in programs that use MPI.
module attopotts_mpi
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_int8_t, c_loc, c_null_ptr, c_ptr
  use mpi_f08, only: MPI_Comm
  use attopotts_base
  use attopotts_constants, only: ATP_OK
  use attopotts_context
  implicit none
  private
  public :: set_mpi, set_mpi_world, mpi_node_ranks, share_bytes, release_bytes

  !> call set_mpi(context, comm): the context is one of the ranks of a communicator, of mpi_f08 or the INTEGER of the
  !> module mpi. All ranks of the communicator make the call; the communicator must live as long as the context works.
  interface set_mpi
    module procedure set_mpi_comm, set_mpi_handle
  end interface

  interface
    integer(c_int) function atp_context_set_mpi_f(context, handle) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: handle
    end function

    integer(c_int) function atp_context_set_mpi_world(context) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
    end function

    integer(c_int) function atp_mpi_share_bytes(context, bytes, count, root, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context, bytes
      integer(c_int64_t), value :: count, root
      type(c_ptr), intent(out) :: out
    end function

    integer(c_int) function atp_mpi_release_bytes(context, bytes) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context, bytes
    end function

    !> The number of ranks of MPI_COMM_WORLD on this machine; 0 where MPI is not running. All ranks make the call.
    integer(c_int64_t) function mpi_node_ranks() bind(c, name='atp_mpi_node_ranks')
      use, intrinsic :: iso_c_binding, only: c_int64_t
    end function
  end interface

contains

  !> The same with MPI_COMM_WORLD.
  subroutine set_mpi_world(context, stat, errmsg)
    class(atp_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_context_set_mpi_world(context%address()), stat, errmsg)
  end subroutine

  subroutine set_mpi_comm(context, comm, stat, errmsg)
    class(atp_context), intent(inout) :: context
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call set_mpi_handle(context, comm%MPI_VAL, stat, errmsg)
  end subroutine

  subroutine set_mpi_handle(context, comm, stat, errmsg)
    class(atp_context), intent(inout) :: context
    integer, intent(in) :: comm
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_context_set_mpi_f(context%address(), int(comm, c_int)), stat, errmsg)
  end subroutine

  !> Gives all ranks the bytes of rank root, once per machine: its ranks see the same pages. count is the number of bytes, the same on all
  !> ranks; bytes is read on rank root alone, and may be of size 0 elsewhere. shared points to the bytes, which must not be changed. For
  !> sequences: s(1:sites, 1:count / sites) => shared, and call alignment%borrow(context, s, colors).
  subroutine share_bytes(context, bytes, count, root, shared, stat, errmsg)
    class(atp_context), intent(inout) :: context
    integer(c_int8_t), intent(in), contiguous, target :: bytes(:)
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    integer(c_int8_t), pointer, contiguous, intent(out) :: shared(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: from, out
    integer(c_int) :: status
    from = c_null_ptr
    if (size(bytes, kind=c_int64_t) >= max(count, 1_c_int64_t)) from = c_loc(bytes)
    status = atp_mpi_share_bytes(context%address(), from, count, int(root, c_int64_t), out)
    shared => null()
    if (status == ATP_OK) call c_f_pointer(out, shared, [count])
    call settle(status, stat, errmsg)
  end subroutine

  !> Frees what share_bytes gave, on all ranks, after the handles that read it are destroyed and before MPI_Finalize. shared is null then.
  subroutine release_bytes(context, shared, stat, errmsg)
    class(atp_context), intent(inout) :: context
    integer(c_int8_t), pointer, contiguous, intent(inout) :: shared(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: from
    integer(c_int) :: status
    from = c_null_ptr
    if (associated(shared)) from = c_loc(shared)
    status = atp_mpi_release_bytes(context%address(), from)
    if (status == ATP_OK) shared => null()
    call settle(status, stat, errmsg)
  end subroutine
end module attopotts_mpi
