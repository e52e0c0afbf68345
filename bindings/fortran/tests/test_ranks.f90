! SPDX-License-Identifier: MIT
!> Contexts as ranks that reach each other through procedures in Fortran. Threads are the ranks.
module thread_ranks
  use, intrinsic :: iso_c_binding
  use attopotts
  implicit none
  integer, parameter :: RANKS = 3
  type(c_ptr) :: places(0:RANKS - 1)

  !> All ranks call the same: an array of one is at its place between two barriers.
  type, extends(rank_handler) :: thread_rank
    integer :: rank = 0
    logical :: broken = .false.
  contains
    procedure :: gather => thread_gather
    procedure :: sum => thread_sum
    procedure :: broadcast => thread_broadcast
  end type

contains

  integer function thread_gather(self, bytes, ends) result(failed)
    class(thread_rank), intent(inout) :: self
    integer(c_int8_t), intent(inout), contiguous, target :: bytes(:)
    integer(c_int64_t), intent(in) :: ends(0:)
    integer(c_int8_t), pointer :: other(:)
    integer :: r
    places(self%rank) = c_loc(bytes)
    !$omp barrier
    do r = 0, ubound(ends, 1) - 1
      call c_f_pointer(places(r), other, [size(bytes)])
      if (r /= self%rank) bytes(ends(r) + 1:ends(r + 1)) = other(ends(r) + 1:ends(r + 1))
    end do
    !$omp barrier
    failed = merge(0, 1, ubound(ends, 1) == RANKS .and. ends(0) == 0)
  end function

  integer function thread_sum(self, values) result(failed)
    class(thread_rank), intent(inout) :: self
    integer(c_int64_t), intent(inout), contiguous, target :: values(:)
    integer(c_int64_t) :: total(size(values))
    integer(c_int64_t), pointer :: other(:)
    integer :: r
    failed = merge(5, 0, self%broken)
    if (self%broken) return
    places(self%rank) = c_loc(values)
    total = 0
    !$omp barrier
    do r = 0, RANKS - 1
      call c_f_pointer(places(r), other, [size(values)])
      total = total + other
    end do
    !$omp barrier
    values = total
  end function

  integer function thread_broadcast(self, bytes, root) result(failed)
    class(thread_rank), intent(inout) :: self
    integer(c_int8_t), intent(inout), contiguous, target :: bytes(:)
    integer, intent(in) :: root
    integer(c_int8_t), pointer :: other(:)
    places(self%rank) = c_loc(bytes)
    !$omp barrier
    call c_f_pointer(places(root), other, [size(bytes)])
    if (self%rank /= root) bytes = other
    !$omp barrier
    failed = 0
  end function
end module

program test_ranks
  use omp_lib, only: omp_get_thread_num
  use checks
  use thread_ranks
  implicit none
  integer, parameter :: L = 7, N = 40
  integer(c_int8_t) :: expected(L, N)
  type(atp_context) :: context
  type(thread_rank) :: nobody

  call context%create(threads=1)
  call draw(context, expected)
  call check(context%rank() == 0 .and. context%rank_count() == 1 .and. context%any(.true.), 'one rank')
  call context%set_ranks(nobody, 2, 2, stat, errmsg)
  call fails(ATP_E_VALUE, 'rank')
  call check(.not. context%traffic('bytes', stat, errmsg) >= 0, 'no such number')
  call fails(ATP_E_VALUE, 'calls, sent, received, seconds')
  !$omp parallel num_threads(RANKS)
  call one_rank(omp_get_thread_num())
  !$omp end parallel
  call report_and_stop

contains

  subroutine draw(context, sequences)
    type(atp_context), intent(inout) :: context
    integer(c_int8_t), intent(out) :: sequences(:, :)
    type(atp_model) :: model
    type(atp_sampler) :: sampler
    type(atp_options) :: options
    call model%create_random(context, L, 4, seed=1)
    call options%create(context, 'sampler', 'chains=32 seed=5')
    call sampler%create(model, options)
    call sampler%sweep(3)
    call sampler%sample(sequences)
  end subroutine

  subroutine one_rank(rank)
    integer, intent(in) :: rank
    type(atp_context) :: context
    type(thread_rank), target :: handler
    integer(c_int8_t) :: found(L, N), bytes(3)
    real(c_double) :: reals(2)
    integer :: whole(2), status, ended, empty, refused
    logical :: same, some, none
    character(len=200) :: text, text_ended
    handler%rank = rank
    call context%set_ranks(handler, rank, RANKS, empty)
    call context%create(threads=1)
    call context%set_ranks(handler, rank, RANKS)
    ! What is refused changes nothing.
    call context%set_ranks(nobody, RANKS, RANKS, refused)
    call draw(context, found)
    bytes = int(rank, c_int8_t)
    whole = rank
    reals = rank + 0.5_c_double
    call context%broadcast(bytes, 1)
    call context%broadcast(whole, 2)
    call context%broadcast(reals, 0)
    same = all(bytes == 1) .and. all(whole == 2) .and. all(reals == 0.5_c_double)
    some = context%any(rank == 1)
    none = context%any(.false.)
    if (rank == 2) call context%fail('data.aln is missing', status, text)
    if (rank /= 2) none = context%any(.false., status, text) .or. none
    handler%broken = .true.
    none = context%any(.false., ended, text_ended) .or. none
    !$omp critical
    call check(context%rank() == rank .and. context%rank_count() == RANKS .and. context%traffic('sent') > 0, 'ranks')
    call check(empty == ATP_E_NULL .and. refused == ATP_E_VALUE, 'refused')
    call check(all(found == expected), 'the samples of one rank')
    call check(same .and. some .and. .not. none, 'broadcasts and flags')
    call check(status == merge(ATP_OK, ATP_E_RANK, rank == 2), 'a rank fails')
    call check(rank == 2 .or. index(text, 'data.aln is missing') > 0, 'and says why: ' // text)
    call check(ended == ATP_E_RANK .and. index(text_ended, 'returned 5') > 0, 'a procedure fails: ' // text_ended)
    call context%leave_ranks()
    call check(context%rank_count() == 1, 'one rank again')
    !$omp end critical
  end subroutine
end program
