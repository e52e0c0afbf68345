! SPDX-License-Identifier: MIT
!> The assertions of the tests: they count, and say what went wrong.
module checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use attopotts
  implicit none
  integer :: passed = 0, failed = 0
  !> Of the call that is to fail.
  integer :: stat = -77
  character(len=200) :: errmsg = 'untouched'

  !> A handler that looks and stops, or fails, at a step.
  type, extends(progress_handler) :: watcher
    integer :: calls = 0, stop_at = huge(0), answer = 1
    real(c_double) :: step = 0, train_loss = 0, optimal_loss = 0, coupling_error = 0, energy = 0
  contains
    procedure :: report => watcher_report
  end type

  !> A handler of messages that keeps the last one.
  type, extends(log_handler) :: notebook
    integer :: lines = 0, worst = -1
    character(len=400) :: text = ''
  contains
    procedure :: line => notebook_line
  end type

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) then
      passed = passed + 1
    else
      failed = failed + 1
      write (error_unit, '(a)') 'FAILED: ' // what
    end if
  end subroutine

  subroutine close_to(found, expected, tolerance, what)
    real(c_double), intent(in) :: found, expected, tolerance
    character(len=*), intent(in) :: what
    character(len=80) :: numbers
    write (numbers, '(2(a, es24.16))') ': ', found, ', expected ', expected
    call check(abs(found - expected) <= tolerance, what // trim(numbers))
  end subroutine

  !> The call before it set `stat` to this status and `errmsg` to a text that holds `part`; both are ready for the next call afterwards.
  subroutine fails(expected, part)
    integer, intent(in) :: expected
    character(len=*), intent(in) :: part
    character(len=12) :: numbers(2)
    write (numbers, '(i0)') stat, expected
    call check(stat == expected .and. index(errmsg, part) > 0, 'status ' // trim(numbers(1)) // ' with "' // &
      trim(errmsg) // '", expected ' // trim(numbers(2)) // ' with "' // part // '"')
    stat = -77
    errmsg = 'untouched'
  end subroutine

  !> A text file of these words, one a line.
  subroutine write_lines(path, words)
    character(len=*), intent(in) :: path, words
    integer :: unit, k
    open (newunit=unit, file=path, access='stream', form='formatted', status='replace')
    write (unit, '(*(a))') (merge(new_line('a'), words(k:k), words(k:k) == ' '), k=1, len(words))
    close (unit)
  end subroutine

  !> An argument of the program; empty where there is none.
  function argument(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=400) :: buffer
    call get_command_argument(number, buffer)
    text = trim(buffer)
  end function

  subroutine report_and_stop()
    print '(i0, a, i0, a)', passed, ' checks passed, ', failed, ' failed'
    if (failed > 0) error stop 1
  end subroutine

  integer function watcher_report(self, progress)
    class(watcher), intent(inout) :: self
    type(progress_report), intent(in) :: progress
    self%calls = self%calls + 1
    self%step = progress%value(ATP_PROGRESS_STEP)
    self%train_loss = progress%value(ATP_PROGRESS_TRAIN_LOSS)
    self%optimal_loss = progress%value(ATP_PROGRESS_OPTIMAL_LOSS)
    self%coupling_error = progress%value(ATP_PROGRESS_COUPLING_ERROR)
    self%energy = progress%value(ATP_PROGRESS_ENERGY)
    watcher_report = merge(self%answer, 0, self%calls >= self%stop_at)
  end function

  subroutine notebook_line(self, level, text)
    class(notebook), intent(inout) :: self
    integer, intent(in) :: level
    character(len=*), intent(in) :: text
    self%lines = self%lines + 1
    self%worst = max(self%worst, level)
    self%text = text
  end subroutine
end module checks
