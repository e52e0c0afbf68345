! SPDX-License-Identifier: MIT
!> Ranks of MPI from Fortran: communicators of mpi_f08 and INTEGER handles, errors, the same numbers as on one rank.
program mpi_fortran
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use attopotts
  use attopotts_mpi
  implicit none
  integer :: rank, ranks, failures = 0, total, stat
  character(len=300) :: errmsg = ''
  type(atp_context) :: context
  type(MPI_Comm) :: half

  call context%create(threads=1)
  call set_mpi(context, MPI_COMM_WORLD, stat, errmsg)
  call check(stat == ATP_E_STAGE .and. index(errmsg, 'MPI is not initialised') > 0, 'before MPI_Init: ' // trim(errmsg))
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call check(mpi_node_ranks() == ranks, 'ranks of this machine')

  call set_mpi(context, MPI_COMM_WORLD)
  call compare('type(MPI_Comm)')
  call set_mpi(context, MPI_COMM_WORLD%MPI_VAL)
  call compare('INTEGER')
  call set_mpi_world(context, stat)
  call check(stat == ATP_OK, 'set_mpi_world')
  call compare('set_mpi_world')
  call share
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half)
  call set_mpi(context, half)
  call set_mpi(context, MPI_COMM_NULL, stat, errmsg)
  call check(stat == ATP_E_NULL .and. index(errmsg, 'MPI_COMM_NULL') > 0, 'MPI_COMM_NULL: ' // trim(errmsg))
  call MPI_Comm_free(half)

  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (total > 0) error stop 1
  if (rank == 0) print '(i0, a)', ranks, ' ranks: passed'

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, '(a)') 'FAILED: ' // what
  end subroutine

  !> Sequences of the last rank are shared and borrowed.
  subroutine share
    integer(c_int8_t), allocatable, target :: own(:)
    integer(c_int8_t), pointer, contiguous :: shared(:), sequences(:, :), found(:, :)
    type(atp_alignment) :: alignment
    integer :: k
    allocate (own(merge(30, 0, rank == ranks - 1)))
    own = [(int(mod(k, 4), c_int8_t), k=1, size(own))]
    call share_bytes(context, own, 30_c_int64_t, ranks - 1, shared)
    call check(size(shared) == 30 .and. all(shared == [(int(mod(k, 4), c_int8_t), k=1, 30)]), 'shared bytes')
    sequences(1:5, 1:6) => shared
    call alignment%borrow(context, sequences, 4)
    found => alignment%sequences()
    call check(associated(found, sequences), 'sequences that are not borrowed')
    call alignment%destroy()
    call release_bytes(context, shared)
    call check(.not. associated(shared), 'released bytes')
    call release_bytes(context, shared, stat, errmsg)
    call check(stat == ATP_E_NULL .and. index(errmsg, 'bytes is NULL') > 0, 'released twice: ' // trim(errmsg))
    call share_bytes(context, own(1:0), 30_c_int64_t, 0, shared, stat, errmsg)
    call check(stat == merge(ATP_E_NULL, ATP_E_RANK, rank == 0) .and. .not. associated(shared), 'no bytes: ' // trim(errmsg))
  end subroutine

  subroutine compare(what)
    character(len=*), intent(in) :: what
    type(atp_context) :: alone
    integer(c_int8_t) :: sequences(5, 40), expected(5, 40)
    call alone%create(threads=1)
    call sample(alone, expected)
    call sample(context, sequences)
    call check(all(sequences == expected), what // ': other samples than on one rank')
    call check(any(sequences /= sequences(1, 1)), what // ': samples that are all the same')
  end subroutine

  subroutine sample(where, sequences)
    type(atp_context), intent(in) :: where
    integer(c_int8_t), intent(inout) :: sequences(:, :)
    type(atp_options) :: options
    type(atp_model) :: model
    type(atp_sampler) :: sampler
    call options%create(where, 'sampler', 'chains=8')
    call model%create_random(where, sites=5, colors=4, seed=3)
    call sampler%create(model, options)
    call sampler%sweep(20)
    call sampler%sample(sequences, thin=2)
  end subroutine
end program mpi_fortran
