! SPDX-License-Identifier: MIT
!> Theory and simulation of masked Gaussian modelling and of dot-product attention: tasks, made from options and arrays, that fill tables.
!> What the kinds of tasks need is in task.h, what they compute in replica.h and dotattn*.h.
!@ module theory uses alignment context model table
  public :: atp_task, atp_masked, replica_goe, replica_color_covariance, dotattn_linear

  !> It keeps its options and arrays, and can be run again.
  !@ type task
    !> set(name, array): (n), or (columns, rows), A of attention as teacher(j, l), a code as code(column, token).
    generic :: set => set_vector, set_matrix
    procedure, private :: set_vector => task_set_vector
    procedure :: run => task_run
  end type

  !> The problem of predicting a Gaussian value from others: covariance (p, p), weights (p) of the teacher, noise.
  !@ type masked
  end type

contains

  !@ life task
  !@ create(context, kind, options?)
  !@ private set_matrix(which, values) = atp_task_set_array; rows=size(values, 2, c_int64_t), columns=size(values, 1, c_int64_t)
  !@ array_shape(which, columns?, rows?)
  !> An array that was set, or the default, (columns, rows).
  !@ get(which, values) = atp_task_get_array; rows=-1_c_int64_t, columns=-1_c_int64_t
  !@ kind = atp_task_kind_of
  !@ rows
  !@ options(options)
  !@ bytes -> bytes
  !> Run and append the rows to a table with room for them.
  !@ append(table) = atp_task_run
  !@ request_stop
  !> A number that the last run gave beside its rows: "optimum".
  !@ value(which) -> value

  !> An array (n): "alphas", "omegas", "eigenvalues", "projections", "weights".
  subroutine task_set_vector(self, which, values, stat, errmsg)
    class(atp_task), intent(inout) :: self
    character(len=*), intent(in) :: which
    real(c_double), intent(in) :: values(:)
    call self%set_matrix(which, reshape(values, [1, size(values)]), stat, errmsg)
  end subroutine

  !> Run; `table` becomes a new one, of the rows.
  subroutine task_run(self, table, progress, outcome, stat, errmsg)
    class(atp_task), intent(inout) :: self
    class(atp_table), intent(inout) :: table
    class(progress_handler), intent(inout), optional, target :: progress
    integer(c_int), intent(out), optional :: outcome
    type(shared) :: context
    type(c_ptr) :: made
    integer(c_int) :: status
    call context_of(self%ref, context)
    status = atp_table_create(address_of(context), atp_task_table_kind(self%address()), self%rows(), made)
    if (status == ATP_OK) call adopt(table%ref, atp_table_destroy, made, context)
    call drop(context)
    if (status == ATP_OK) then
      call self%append(table, progress, outcome, stat, errmsg)
    else
      if (present(outcome)) outcome = ATP_OUTCOME_NONE
      call settle(status, stat, errmsg)
    end if
  end subroutine

  !@ life masked
  !@ create_precision(context, precision, site)
  !> The same from a covariance (L, L).
  !@ create_covariance(context, full, site)
  !@ create(context, covariance, weights, noise)
  !> One site of a spin glass in the limit of many sites.
  !@ create_spin_glass(context, beta, color_covariance, parameters, inputs)
  !> The mean site of a Potts model, from its sequences.
  !@ create_potts(context, model, alignment, inputs, color_covariance)
  !@ parameters noise
  !@ covariance(values)
  !@ weights(values)
  !@ spectrum(eigenvalues, projections)

  !@ plain replica_goe(shift, precision, seed?=1)
  !> The covariance (q, q) of the fields of uniform colours, for V as values(b, a).
  !@ plain replica_color_covariance(values, covariance)
  !> The best linear map of positions and its generalisation loss, for A as teacher(j, l).
  !@ plain dotattn_linear(teacher, map?, loss?, omega?=0.3_c_double, sigma?=0.5_c_double)
end module attopotts_theory
