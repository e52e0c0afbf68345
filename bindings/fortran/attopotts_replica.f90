! SPDX-License-Identifier: MIT
!> Learning curves of masked Gaussian modelling in theory, and simulated. Curves are rows(column, k), k the alpha;
!> columns are
!> ATP_REPLICA_EG, ... and ATP_REPLICA_SIM_EG, ..., or replica_column('eg'); the first c of them where rows is (c,
!> alphas).
!> The sites of masks count from 1.
module attopotts_replica
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  implicit none
  private
  public :: replica_column, replica_column_name, replica_goe, replica_mask_precision, replica_mask_covariance
  public :: replica_spectrum, replica_square, replica_square_saddle, replica_limit, replica_convex, replica_simulate
  public :: replica_simulate_bytes

  abstract interface
    integer(c_int) function mask_interface(matrix, sites, site, covariance, covariance_size, teacher, teacher_size, &
      noise, &
      work, work_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: matrix, covariance, teacher, noise, work
      integer(c_int64_t), value :: sites, site, covariance_size, teacher_size, work_size
    end function
  end interface

contains

  !> The place of a column by its name, "eg" say; 0 for other names.
  integer function replica_column(name)
    character(len=*), intent(in) :: name
    character(kind=c_char), allocatable, target :: store(:)
    replica_column = atp_replica_column_find(c_text(store, name)) + 1
  end function

  !> The name of a column by its place; empty for others.
  function replica_column_name(column) result(name)
    integer, intent(in) :: column
    character(len=:), allocatable :: name
    name = text_at(atp_replica_column_name(int(column - 1, c_int)))
  end function

  !> P = z I - J with a Gaussian orthogonal J, (L, L); seed: 1 where not given.
  subroutine replica_goe(shift, precision, seed, stat, errmsg)
    real(c_double), intent(in) :: shift
    real(c_double), intent(inout), contiguous, target :: precision(:, :)
    integer, intent(in), optional :: seed
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: sites, seed_
    sites = size(precision, 1)
    seed_ = 1
    if (present(seed)) seed_ = seed
    if (.not. fits('precision', shape(precision), [sites, sites], stat, errmsg)) return
    call settle(atp_replica_goe(sites, shift, seed_, c_loc(precision), size(precision, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> The problem of predicting a site 1..L of x ~ N(0, P^-1) from the others: S (L-1, L-1), w* (L-1), noise.
  subroutine replica_mask_precision(precision, site, covariance, teacher, noise, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: precision(:, :)
    integer, intent(in) :: site
    real(c_double), intent(inout), contiguous, target :: covariance(:, :), teacher(:)
    real(c_double), intent(out), target :: noise
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call mask(atp_replica_mask_precision, 'precision', precision, site, covariance, teacher, noise, stat, errmsg)
  end subroutine

  !> The same from a covariance (L, L).
  subroutine replica_mask_covariance(full, site, covariance, teacher, noise, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: full(:, :)
    integer, intent(in) :: site
    real(c_double), intent(inout), contiguous, target :: covariance(:, :), teacher(:)
    real(c_double), intent(out), target :: noise
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call mask(atp_replica_mask_covariance, 'full', full, site, covariance, teacher, noise, stat, errmsg)
  end subroutine

  subroutine mask(function, name, matrix, site, covariance, teacher, noise, stat, errmsg)
    procedure(mask_interface) :: function
    character(len=*), intent(in) :: name
    real(c_double), intent(in), contiguous, target :: matrix(:, :)
    integer, intent(in) :: site
    real(c_double), intent(inout), contiguous, target :: covariance(:, :), teacher(:)
    real(c_double), intent(out), target :: noise
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable, target :: work(:)
    integer(c_int64_t), target :: doubles
    integer(c_int64_t) :: sites
    integer(c_int) :: status
    noise = nan()
    sites = size(matrix, 1)
    if (.not. fits(name, shape(matrix), [sites, sites], stat, errmsg)) return
    if (.not. fits('covariance', shape(covariance), [sites - 1, sites - 1], stat, errmsg)) return
    if (.not. fits('teacher', shape(teacher), [sites - 1], stat, errmsg)) return
    status = atp_replica_mask_workspace(sites, c_loc(doubles))
    if (status == ATP_OK) then
      allocate (work(doubles))
      status = function(c_loc(matrix), sites, int(site - 1, c_int64_t), c_loc(covariance), size(covariance, &
        kind=c_int64_t), &
        c_loc(teacher), size(teacher, kind=c_int64_t), c_loc(noise), c_loc(work), doubles)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> Eigenvalues of S (p, p), rising, and the projections of w* (p) on its eigenvectors, squared; both (p).
  subroutine replica_spectrum(covariance, teacher, eigenvalues, projections, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: covariance(:, :), teacher(:)
    real(c_double), intent(inout), contiguous, target :: eigenvalues(:), projections(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable, target :: work(:)
    integer(c_int64_t), target :: doubles
    integer(c_int64_t) :: p
    integer(c_int) :: status
    p = size(teacher)
    if (.not. fits('covariance', shape(covariance), [p, p], stat, errmsg)) return
    if (.not. fits('eigenvalues', shape(eigenvalues), [p], stat, errmsg)) return
    if (.not. fits('projections', shape(projections), [p], stat, errmsg)) return
    status = atp_replica_spectrum_workspace(p, c_loc(doubles))
    if (status == ATP_OK) then
      allocate (work(doubles))
      status = atp_replica_spectrum(c_loc(covariance), size(covariance, kind=c_int64_t), c_loc(teacher), p, &
        c_loc(eigenvalues), &
        c_loc(projections), p, c_loc(work), doubles)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> The learning curve of the square loss on a spectrum; lambda: the penalty per parameter; temperature: 0 where not
  !> given.
  subroutine replica_square(eigenvalues, projections, noise, alphas, lambda, rows, temperature, outcome, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: eigenvalues(:), projections(:), alphas(:)
    real(c_double), intent(in) :: noise, lambda
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: temperature
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: ended
    if (.not. fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)) return
    ended = ATP_OUTCOME_NONE
    call settle(atp_replica_square(c_loc(eigenvalues), size(eigenvalues, kind=c_int64_t), c_loc(projections), &
      size(projections, kind=c_int64_t), noise, c_loc(alphas), size(alphas, kind=c_int64_t), lambda, &
      either(temperature, 0.0_c_double), &
      c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended)), stat, errmsg)
    if (present(outcome)) outcome = ended
  end subroutine

  !> The same from the saddle-point equations; max_iter: 1000 where not given.
  subroutine replica_square_saddle(eigenvalues, projections, noise, alphas, lambda, rows, temperature, max_iter, &
    outcome, stat, &
    errmsg)
    real(c_double), intent(in), contiguous, target :: eigenvalues(:), projections(:), alphas(:)
    real(c_double), intent(in) :: noise, lambda
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: temperature
    integer, intent(in), optional :: max_iter
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: iterations
    integer(c_int), target :: ended
    if (.not. fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)) return
    iterations = 1000
    if (present(max_iter)) iterations = max_iter
    ended = ATP_OUTCOME_NONE
    call settle(atp_replica_square_saddle(c_loc(eigenvalues), size(eigenvalues, kind=c_int64_t), c_loc(projections), &
      size(projections, kind=c_int64_t), noise, c_loc(alphas), size(alphas, kind=c_int64_t), lambda, &
      either(temperature, 0.0_c_double), &
      iterations, c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended)), stat, errmsg)
    if (present(outcome)) outcome = ended
  end subroutine

  !> The curve in the limit of many sites, P = z I - J; shift is z.
  subroutine replica_limit(shift, alphas, lambda, rows, temperature, outcome, stat, errmsg)
    real(c_double), intent(in) :: shift, lambda
    real(c_double), intent(in), contiguous, target :: alphas(:)
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: temperature
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: ended
    if (.not. fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)) return
    ended = ATP_OUTCOME_NONE
    call settle(atp_replica_limit(shift, c_loc(alphas), size(alphas, kind=c_int64_t), lambda, either(temperature, &
      0.0_c_double), &
      c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended)), stat, errmsg)
    if (present(outcome)) outcome = ended
  end subroutine

  !> The curve of a convex loss on a spectrum: "square", "huber" (with delta, 1 where not given) or "logistic". noise:
  !> 0 where not given;
  !> optimum: the loss of the teacher.
  subroutine replica_convex(eigenvalues, projections, alphas, lambda, loss, rows, noise, delta, max_iter, optimum, &
    outcome, stat, &
    errmsg)
    real(c_double), intent(in), contiguous, target :: eigenvalues(:), projections(:), alphas(:)
    real(c_double), intent(in) :: lambda
    character(len=*), intent(in) :: loss
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    real(c_double), intent(in), optional :: noise, delta
    integer, intent(in), optional :: max_iter
    real(c_double), intent(out), optional :: optimum
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable, target :: work(:)
    real(c_double), target :: best
    integer(c_int64_t), target :: doubles
    integer(c_int64_t) :: iterations
    integer(c_int), target :: ended
    integer(c_int) :: loss_, status
    loss_ = enum_of('replica_loss', loss, stat, errmsg)
    if (loss_ < 0) return
    if (.not. fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)) return
    iterations = 1000
    if (present(max_iter)) iterations = max_iter
    ended = ATP_OUTCOME_NONE
    best = nan()
    status = atp_replica_convex_workspace(c_loc(doubles))
    if (status == ATP_OK) then
      allocate (work(doubles))
      status = atp_replica_convex(c_loc(eigenvalues), size(eigenvalues, kind=c_int64_t), c_loc(projections), &
        size(projections, kind=c_int64_t), either(noise, 0.0_c_double), loss_, either(delta, 1.0_c_double), &
        c_loc(alphas), &
        size(alphas, kind=c_int64_t), lambda, iterations, c_loc(work), doubles, c_loc(rows), size(rows, &
        kind=c_int64_t), &
        c_loc(best), c_loc(ended))
    end if
    if (present(optimum)) optimum = best
    if (present(outcome)) outcome = ended
    call settle(status, stat, errmsg)
  end subroutine

  !> Draw, learn, look: means over realisations and standard errors, by alpha; seed: 1 where not given.
  subroutine replica_simulate(context, covariance, teacher, noise, alphas, lambda, realisations, rows, seed, &
    progress, outcome, stat, &
    errmsg)
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: covariance(:, :), teacher(:), alphas(:)
    real(c_double), intent(in) :: noise, lambda
    integer, intent(in) :: realisations
    real(c_double), intent(inout), contiguous, target :: rows(:, :)
    integer, intent(in), optional :: seed
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(progress_call), target :: running
    type(c_funptr) :: callback
    integer(c_int64_t) :: p, seed_
    integer(c_int), target :: ended
    integer(c_int) :: status
    p = size(teacher)
    if (.not. fits('covariance', shape(covariance), [p, p], stat, errmsg)) return
    if (.not. fits('rows', shape(rows), [-1_c_int64_t, size(alphas, kind=c_int64_t)], stat, errmsg)) return
    seed_ = 1
    if (present(seed)) seed_ = seed
    ended = ATP_OUTCOME_NONE
    call prepare(running, progress, callback, context%ref)
    status = atp_replica_simulate(context%address(), c_loc(covariance), size(covariance, kind=c_int64_t), &
      c_loc(teacher), p, noise, &
      c_loc(alphas), size(alphas, kind=c_int64_t), lambda, int(realisations, c_int64_t), seed_, callback, &
      c_loc(running), &
      c_loc(rows), size(rows, kind=c_int64_t), c_loc(ended))
    if (present(outcome)) outcome = ended
    call finish(running, status, stat, errmsg)
  end subroutine

  !> The bytes that replica_simulate will ask of the context; 0 where it fails.
  integer(c_int64_t) function replica_simulate_bytes(context, parameters, alphas, lambda, realisations, stat, &
    errmsg) result(bytes)
    class(atp_context), intent(in) :: context
    integer, intent(in) :: parameters
    real(c_double), intent(in), contiguous, target :: alphas(:)
    real(c_double), intent(in) :: lambda
    integer, intent(in) :: realisations
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: found
    found = 0
    call settle(atp_replica_simulate_bytes(context%address(), int(parameters, c_int64_t), c_loc(alphas), &
      size(alphas, kind=c_int64_t), lambda, int(realisations, c_int64_t), c_loc(found)), stat, errmsg)
    bytes = found
  end function

  real(c_double) function either(value, default)
    real(c_double), intent(in), optional :: value
    real(c_double), intent(in) :: default
    either = default
    if (present(value)) either = value
  end function
end module attopotts_replica
