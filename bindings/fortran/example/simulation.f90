! SPDX-License-Identifier: MIT
! A simulation code of somebody's own - a ring of Potts spins, Metropolis' rule, one spin at a time - that asks
! attopotts two things: whether its configurations have the statistics of the model, and what attention learns from
! them.
module ring
  use attopotts
  implicit none
  integer, parameter :: L = 12, q = 3, n = 4000
  real(c_double), parameter :: beta = 0.8_c_double

  !> Prints every 10th iteration of the training.
  type, extends(progress_handler) :: printer
    integer :: answer = 0
  contains
    procedure :: report
  end type

contains

  !> The simulation: configurations (L, n) of the energy -sum_i [s_i = s_(i+1)], 20 sweeps apart.
  subroutine simulate(configurations)
    integer(c_int8_t), intent(out) :: configurations(L, n)
    integer(c_int8_t) :: s(L), new
    integer :: k, step, i, left, right, gain
    integer(c_int64_t) :: state
    state = 1
    s = 0
    do k = 1, n
      do step = 1, 20 * L
        i = 1 + int(L * uniform(state))
        new = int(q * uniform(state), c_int8_t)
        left = merge(L, i - 1, i == 1)
        right = merge(1, i + 1, i == L)
        gain = count([s(left), s(right)] == new) - count([s(left), s(right)] == s(i))
        if (uniform(state) < exp(beta * gain)) s(i) = new
      end do
      configurations(:, k) = s
    end do
  end subroutine

  !> The multiplicative generator of Park and Miller.
  real(c_double) function uniform(state)
    integer(c_int64_t), intent(inout) :: state
    state = mod(48271 * state, 2147483647_c_int64_t)
    uniform = real(state, c_double) / 2147483647
  end function

  integer function report(self, progress)
    class(printer), intent(inout) :: self
    type(progress_report), intent(in) :: progress
    if (mod(nint(progress%value(ATP_PROGRESS_STEP)), 10) == 0) print '(a, i4, a, f8.5)', 'iteration', &
      nint(progress%value(ATP_PROGRESS_STEP)), '  loss', progress%value(ATP_PROGRESS_TRAIN_LOSS)
    report = self%answer  ! 0: go on
  end function
end module ring

program simulation
  use attopotts
  use ring
  implicit none
  type(atp_context) :: context
  type(atp_alignment) :: data
  type(atp_model) :: truth, learned
  type(atp_options) :: options
  type(atp_trainer) :: trainer
  type(printer) :: progress
  integer(c_int8_t) :: configurations(L, n)
  real(c_double) :: maps(L, L, 1), values(q, q, 1), exact(q, q, L, L), found(q, q, L, L)
  integer(c_int64_t), allocatable :: pairs(:, :)
  real(c_double), allocatable :: scores(:)
  integer(c_int) :: outcome
  integer :: i

  call simulate(configurations)

  ! The same model for attopotts: J_ij = 1 between neighbours, U the identity. Configurations are read where they are.
  maps = 0
  do i = 1, L
    maps(i, mod(i, L) + 1, 1) = 1
    maps(mod(i, L) + 1, i, 1) = 1
  end do
  values = 0
  do i = 1, q
    values(i, i, 1) = 1
  end do
  call context%create()
  call truth%create_heads(context, maps, values)
  call truth%set_beta(beta)
  call data%create(context, configurations, q)
  call data%pair_frequencies(found)
  call truth%enumerate(pairs=exact)
  print '(a, f7.4)', 'largest deviation of a pair frequency from the exact one:', maxval(abs(found - exact))

  call options%create(context, 'trainer', 'l2-couplings=1e-4 l2-colors=1e-4 epochs=100')
  call trainer%create(data, options)
  call trainer%run(progress=progress, outcome=outcome)
  call trainer%model(learned)
  call contacts(learned, pairs, scores, count=L, separation=1, gap=-1)
  print '(2a, f8.5, a, f8.5)', outcome_name(outcome), ': loss', learned%loss(data), ', optimal loss', truth%loss(data)
  print '(a, *(i3, a, i0, :))', 'strongest pairs:', (pairs(1, i), '-', pairs(2, i), i=1, L)
  if (any(pairs(2, :) - pairs(1, :) /= 1 .and. pairs(2, :) - pairs(1, :) /= L - 1)) error stop 'not the ring'
end program
