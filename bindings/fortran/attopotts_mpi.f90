! SPDX-License-Identifier: MIT
!> Ranks of MPI: tells a context which processes work with it. Beside `use attopotts`, in programs that use MPI.
module attopotts_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use mpi_f08, only: MPI_Comm
  use attopotts_base
  use attopotts_context
  implicit none
  private
  public :: set_mpi, set_mpi_world, mpi_node_ranks

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
end module attopotts_mpi
