! SPDX-License-Identifier: MIT
! Sample a Potts ring and learn it: indices are reversed, sites count from 1, colours from 0.
program own_model
  use attopotts
  implicit none
  integer, parameter :: L = 8, q = 3, n = 20000
  type(atp_context) :: context
  type(atp_options) :: sampling, learning
  type(atp_model) :: truth, learned
  type(atp_sampler) :: sampler
  type(atp_alignment) :: data
  type(atp_trainer) :: trainer
  real(c_double) :: couplings(q, q, L, L)
  integer(c_int8_t) :: sequences(L, n)
  integer(c_int) :: outcome
  integer :: i, j, a

  couplings = 0
  do i = 1, L
    j = mod(i, L) + 1
    do a = 1, q
      couplings(a, a, i, j) = 0.8_c_double
      couplings(a, a, j, i) = 0.8_c_double
    end do
  end do
  call context%create()
  call sampling%create(context, 'sampler', 'chains=32 seed=2')
  call learning%create(context, 'trainer', 'l2-couplings=1e-4 l2-colors=1e-4 seed=2')
  call truth%create_dense(context, couplings)
  call sampler%create(truth, sampling)
  call sampler%sweep(100)
  call sampler%sample(sequences, thin=5)
  call data%create(context, sequences, colors=q)
  call trainer%create(data, learning)
  call trainer%run(200, outcome=outcome)  ! more: raise the option epochs, too
  call trainer%model(learned)
  print '(2a, f8.5, a, f8.5)', outcome_name(outcome), ': loss', learned%loss(data), ', optimal loss', truth%loss(data)
  if (abs(learned%loss(data) - truth%loss(data)) > 0.01) error stop 'not learned'
end program
