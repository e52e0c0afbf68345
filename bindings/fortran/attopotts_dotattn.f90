! SPDX-License-Identifier: MIT
!> Dot-product attention with a positional and a semantic solution, in theory and simulated. Results are
!> rows(column, k), k the alpha or omega; columns are ATP_DOTATTN_EG, ATP_DOTATTN_TRANSITION_ALPHA_C,
!> ATP_DOTATTN_TOKENS_EG, ATP_DOTATTN_SIM_EG, ..., or dotattn_column('eg'), dotattn_tokens_column('eg'), ...; the first
!> c of them where rows is (c, alphas). dotattn_curve, dotattn_transition and dotattn_linear are for two tokens, by
!> quadrature.
!> The code of positions is code(k, l), (columns, L), and the teacher's positional part A is teacher(l', l), (L, L):
!> what token l takes from token l'. What is not given is that of H. Cui et al. (2024): code (1, -1), teacher
!> (0.6, 0.4; 0.4, 0.6), omega 0.3, sigma 0.5, lambda 0.01, rank 1.
module attopotts_dotattn
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  implicit none
  private
  public :: dotattn_sim_column, dotattn_sim_column_name, dotattn_tokens_column, dotattn_tokens_column_name
  public :: dotattn_column, dotattn_column_name, dotattn_transition_column, dotattn_transition_column_name
  public :: dotattn_curve, dotattn_transition, dotattn_linear, dotattn_bytes
  public :: dotattn_simulate, dotattn_simulate_bytes, dotattn_tokens, dotattn_tokens_bytes

contains

  !> The place of a column of dotattn_curve by its name, "eg" say; 0 for other names.
  integer function dotattn_column(name)
    character(len=*), intent(in) :: name
    character(kind=c_char), allocatable, target :: store(:)
    dotattn_column = atp_dotattn_column_find(c_text(store, name)) + 1
  end function

  !> The name of a column by its place; empty for others.
  function dotattn_column_name(column) result(name)
    integer, intent(in) :: column
    character(len=:), allocatable :: name
    name = text_at(atp_dotattn_column_name(int(column - 1, c_int)))
  end function

  !> The same for columns of dotattn_transition.
  integer function dotattn_transition_column(name) result(column)
    character(len=*), intent(in) :: name
    do column = ATP_DOTATTN_TRANSITION_COLUMNS, 1, -1
      if (dotattn_transition_column_name(column) == name) return
    end do
  end function

  function dotattn_transition_column_name(column) result(name)
    integer, intent(in) :: column
    character(len=:), allocatable :: name
    name = text_at(atp_dotattn_transition_column_name(int(column - 1, c_int)))
  end function

  !> A branch of the state evolution: "semantic", "positional" or "uninformed". Where not given: semantic, accuracy
  !> 1e-3, 10000 iterations.
  subroutine dotattn_curve(context, alphas, rows, branch, teacher, omega, sigma, lambda, accuracy, max_iter, &
    progress, outcome, stat, errmsg)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: alphas(:)
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    character(len=*), intent(in), optional :: branch
    real(c_double), intent(in), optional :: teacher(:, :), omega, sigma, lambda, accuracy
    integer, intent(in), optional :: max_iter
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    real(c_double), allocatable, target :: code_(:, :), teacher_(:, :)
    integer(c_int), target :: ended
    integer(c_int) :: branch_, status
    if (.not. task_fits(teacher=teacher, code_=code_, teacher_=teacher_, alphas=alphas, rows=rows, stat=stat, &
      errmsg=errmsg)) return
    branch_ = ATP_DOTATTN_SEMANTIC
    if (present(branch)) branch_ = enum_of('dotattn_branch', branch, stat, errmsg)
    if (branch_ < 0) return
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, context%ref)
    status = atp_dotattn_curve(context%address(), c_loc(teacher_), size(teacher_, kind=c_int64_t), &
      either(omega, 0.3_c_double), either(sigma, 0.5_c_double), either(lambda, 0.01_c_double), branch_, c_loc(alphas), &
      size(alphas, kind=c_int64_t), either(accuracy, 1e-3_c_double), whole(max_iter, 10000), callback, &
      c_loc(running), c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> Where the semantic branch gets the smaller training loss, where the branch that has it beats the linear map, and where
  !> the branches begin and end, by omega. Where not given: accuracy 1e-3, 100000 iterations.
  subroutine dotattn_transition(context, omegas, rows, teacher, sigma, lambda, accuracy, max_iter, progress, outcome, &
    stat, errmsg)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: omegas(:)
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: teacher(:, :), sigma, lambda, accuracy
    integer, intent(in), optional :: max_iter
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    real(c_double), allocatable, target :: code_(:, :), teacher_(:, :)
    integer(c_int), target :: ended
    integer(c_int) :: status
    if (.not. task_fits(teacher=teacher, code_=code_, teacher_=teacher_, alphas=omegas, rows=rows, stat=stat, &
      errmsg=errmsg)) return
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, context%ref)
    status = atp_dotattn_transition(context%address(), c_loc(teacher_), size(teacher_, kind=c_int64_t), &
      either(sigma, 0.5_c_double), either(lambda, 0.01_c_double), c_loc(omegas), size(omegas, kind=c_int64_t), &
      either(accuracy, 1e-3_c_double), whole(max_iter, 100000), callback, c_loc(running), c_loc(rows), &
      size(rows, kind=c_int64_t), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> The best linear map of positions, map(l', l), (2, 2), and its generalisation loss.
  subroutine dotattn_linear(map, loss, teacher, omega, sigma, stat, errmsg)
    real(c_double), intent(inout), contiguous, optional, target :: map(:, :)
    real(c_double), intent(out), optional :: loss
    real(c_double), intent(in), optional :: teacher(:, :), omega, sigma
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable, target :: code_(:, :), teacher_(:, :)
    real(c_double), target :: found, place(2, 2)
    integer(c_int) :: status
    if (present(loss)) loss = nan()
    if (present(map)) then
      if (.not. fits('map', shape(map), [2_c_int64_t, 2_c_int64_t], stat, errmsg)) return
    end if
    place = 0
    if (.not. task_fits(teacher=teacher, code_=code_, teacher_=teacher_, alphas=place(:, 1), rows=place, stat=stat, &
      errmsg=errmsg)) return
    status = atp_dotattn_linear(c_loc(teacher_), size(teacher_, kind=c_int64_t), either(omega, 0.3_c_double), &
      either(sigma, 0.5_c_double), c_loc(place), size(place, kind=c_int64_t), c_loc(found))
    if (status == ATP_OK .and. present(map)) map = place
    if (status == ATP_OK .and. present(loss)) loss = found
    call settle(status, stat, errmsg)
  end subroutine

  !> The bytes that dotattn_curve will ask of the context for so many alphas; for 0 those of dotattn_transition.
  integer(c_int64_t) function dotattn_bytes(context, alphas, stat, errmsg) result(bytes)
    class(atp_context), intent(in) :: context
    integer, intent(in) :: alphas
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    found = 0
    call settle(atp_dotattn_bytes(context%address(), int(alphas, c_int64_t), c_loc(found)), stat, errmsg)
    bytes = found
  end function

  !> The place of a column of simulations by its name, "eg" say; 0 for other names.
  integer function dotattn_sim_column(name)
    character(len=*), intent(in) :: name
    character(kind=c_char), allocatable, target :: store(:)
    dotattn_sim_column = atp_dotattn_sim_column_find(c_text(store, name)) + 1
  end function

  !> The name of a column by its place; empty for others.
  function dotattn_sim_column_name(column) result(name)
    integer, intent(in) :: column
    character(len=:), allocatable :: name
    name = text_at(atp_dotattn_sim_column_name(int(column - 1, c_int)))
  end function

  !> The same for columns of dotattn_tokens.
  integer function dotattn_tokens_column(name)
    character(len=*), intent(in) :: name
    character(kind=c_char), allocatable, target :: store(:)
    dotattn_tokens_column = atp_dotattn_tokens_column_find(c_text(store, name)) + 1
  end function

  function dotattn_tokens_column_name(column) result(name)
    integer, intent(in) :: column
    character(len=:), allocatable :: name
    name = text_at(atp_dotattn_tokens_column_name(int(column - 1, c_int)))
  end function

  !> Draw data and descend, several runs for each alpha. start: "semantic", "positional", "random" or "mixed";
  !> optimizer: "lbfgs", "sgd" (gradient descent) or "adam". Where not given: dimension 1000, start semantic, L-BFGS,
  !> 5000 steps, rate 0 (that of the optimiser), tolerance 1e-5, 1000 fresh samples, 10 runs, seed 1.
  subroutine dotattn_simulate(context, alphas, rows, dimension, code, teacher, omega, sigma, lambda, rank, start, &
    optimizer, steps, rate, tolerance, fresh, runs, seed, progress, outcome, stat, errmsg)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: alphas(:)
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: code(:, :), teacher(:, :), omega, sigma, lambda, rate, tolerance
    integer, intent(in), optional :: dimension, rank, steps, fresh, runs, seed
    character(len=*), intent(in), optional :: start, optimizer
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    real(c_double), allocatable, target :: code_(:, :), teacher_(:, :)
    integer(c_int), target :: ended
    integer(c_int) :: start_, optimizer_, status
    if (.not. task_fits(code, teacher, code_, teacher_, alphas, rows, stat, errmsg)) return
    start_ = ATP_DOTATTN_START_SEMANTIC
    if (present(start)) start_ = enum_of('dotattn_start', start, stat, errmsg)
    if (start_ < 0) return
    optimizer_ = ATP_OPTIMIZER_LBFGS
    if (present(optimizer)) optimizer_ = enum_of('optimizer', optimizer, stat, errmsg)
    if (optimizer_ < 0) return
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, context%ref)
    status = atp_dotattn_simulate(context%address(), whole(dimension, 1000), size(code_, 2, c_int64_t), c_loc(code_), &
      size(code_, 1, c_int64_t), size(code_, kind=c_int64_t), whole(rank, 1), c_loc(teacher_), &
      size(teacher_, kind=c_int64_t), either(omega, 0.3_c_double), either(sigma, 0.5_c_double), &
      either(lambda, 0.01_c_double), c_loc(alphas), size(alphas, kind=c_int64_t), start_, optimizer_, &
      whole(steps, 5000), either(rate, 0.0_c_double), either(tolerance, 1e-5_c_double), whole(fresh, 1000), &
      whole(runs, 10), whole(seed, 1), callback, c_loc(running), c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> The bytes that dotattn_simulate will ask of the context; 0 where it fails.
  integer(c_int64_t) function dotattn_simulate_bytes(context, alphas, dimension, tokens, code_columns, rank, &
    optimizer, runs, stat, errmsg) result(bytes)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: alphas(:)
    integer, intent(in), optional :: dimension, tokens, code_columns, rank, runs
    character(len=*), intent(in), optional :: optimizer
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    integer(c_int) :: optimizer_
    bytes = 0
    optimizer_ = ATP_OPTIMIZER_LBFGS
    if (present(optimizer)) optimizer_ = enum_of('optimizer', optimizer, stat, errmsg)
    if (optimizer_ < 0) return
    found = 0
    call settle(atp_dotattn_simulate_bytes(context%address(), whole(dimension, 1000), whole(tokens, 2), &
      whole(code_columns, 1), whole(rank, 1), c_loc(alphas), size(alphas, kind=c_int64_t), optimizer_, &
      whole(runs, 10), c_loc(found)), stat, errmsg)
    bytes = found
  end function

  !> Theory for any number of tokens, codes and students of rank two, by randomised lattices. solution: "semantic"
  !> (m = 0), "positional" (theta = 0) or "mixed". Where not given: solution semantic, 4096 points, 8 shifts, seed 1,
  !> tolerance 1e-8, 500 iterations.
  subroutine dotattn_tokens(context, alphas, rows, code, teacher, omega, sigma, lambda, rank, solution, points, &
    shifts, seed, tolerance, max_iter, progress, outcome, stat, errmsg)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: alphas(:)
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: code(:, :), teacher(:, :), omega, sigma, lambda, tolerance
    integer, intent(in), optional :: rank, points, shifts, seed, max_iter
    character(len=*), intent(in), optional :: solution
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    real(c_double), allocatable, target :: code_(:, :), teacher_(:, :)
    integer(c_int), target :: ended
    integer(c_int) :: solution_, status
    if (.not. task_fits(code, teacher, code_, teacher_, alphas, rows, stat, errmsg)) return
    solution_ = ATP_DOTATTN_START_SEMANTIC
    if (present(solution)) solution_ = enum_of('dotattn_start', solution, stat, errmsg)
    if (solution_ < 0) return
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, context%ref)
    status = atp_dotattn_tokens(context%address(), size(code_, 2, c_int64_t), c_loc(code_), &
      size(code_, 1, c_int64_t), size(code_, kind=c_int64_t), whole(rank, 1), c_loc(teacher_), &
      size(teacher_, kind=c_int64_t), either(omega, 0.3_c_double), either(sigma, 0.5_c_double), &
      either(lambda, 0.01_c_double), c_loc(alphas), size(alphas, kind=c_int64_t), solution_, whole(points, 4096), &
      whole(shifts, 8), whole(seed, 1), either(tolerance, 1e-8_c_double), whole(max_iter, 500), callback, &
      c_loc(running), c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> The bytes that dotattn_tokens will ask of the context for so many alphas; 0 where it fails.
  integer(c_int64_t) function dotattn_tokens_bytes(context, alphas, tokens, rank, points, shifts, stat, errmsg) &
    result(bytes)
    class(atp_context), intent(in) :: context
    integer, intent(in) :: alphas
    integer, intent(in), optional :: tokens, rank, points, shifts
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    found = 0
    call settle(atp_dotattn_tokens_bytes(context%address(), whole(tokens, 2), whole(rank, 1), int(alphas, c_int64_t), &
      whole(points, 4096), whole(shifts, 8), c_loc(found)), stat, errmsg)
    bytes = found
  end function

  !> Code and teacher, those that are given or the default, if the shapes go together.
  logical function task_fits(code, teacher, code_, teacher_, alphas, rows, stat, errmsg)
    real(c_double), intent(in), optional :: code(:, :), teacher(:, :)
    real(c_double), allocatable, intent(out) :: code_(:, :), teacher_(:, :)
    real(c_double), intent(in) :: alphas(:), rows(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: tokens
    if (present(code)) then
      code_ = code
    else
      code_ = reshape([1.0_c_double, -1.0_c_double], [1, 2])
    end if
    if (present(teacher)) then
      teacher_ = teacher
    else
      teacher_ = reshape([0.6_c_double, 0.4_c_double, 0.4_c_double, 0.6_c_double], [2, 2])
    end if
    tokens = size(code_, 2)
    task_fits = fits('teacher', shape(teacher_), [tokens, tokens], stat, errmsg)
    if (.not. task_fits) return
    task_fits = fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)
  end function

  integer(c_int64_t) function whole(value, default)
    integer, intent(in), optional :: value
    integer, intent(in) :: default
    whole = default
    if (present(value)) whole = value
  end function

  real(c_double) function either(value, default)
    real(c_double), intent(in), optional :: value
    real(c_double), intent(in) :: default
    either = default
    if (present(value)) either = value
  end function
end module attopotts_dotattn
