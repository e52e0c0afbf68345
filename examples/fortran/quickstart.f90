! SPDX-License-Identifier: MIT
! Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the true ones.
! Build: gfortran quickstart.f90 -o quickstart $(pkg-config --cflags --libs attopotts-fortran)
program quickstart
  use attopotts
  implicit none
  type(atp_context) :: context
  type(atp_options) :: sampling, training
  type(atp_model) :: truth, learned
  type(atp_sampler) :: sampler
  type(atp_alignment) :: data
  type(atp_trainer) :: trainer
  integer(c_int8_t) :: sequences(10, 4000)
  integer(c_int) :: outcome

  call context%create()
  call sampling%create(context, 'sampler', 'chains=32')
  call training%create(context, 'trainer', 'l2-couplings=1e-4, l2-colors=1e-4')

  ! The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
  call truth%create_random(context, sites=10, colors=5, seed=1)
  call sampler%create(truth, sampling)
  call sampler%sweep(100)
  call sampler%sample(sequences, thin=10)
  call data%create(context, sequences, colors=5)

  ! Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
  call trainer%create(data, training)
  call trainer%run(200, outcome=outcome)
  call trainer%model(learned)
  print '(6a)', outcome_name(outcome), ': loss ', number(learned%loss(data)), ', optimal loss ' // number(truth%loss(data)), &
    ', coupling error ', number(learned%coupling_error(truth))
contains
  function number(x) result(text)  ! as %.16e of C
    real(c_double), intent(in) :: x
    character(len=22) :: text
    write (text, '(es22.16e2)') x
    text(19:19) = 'e'
  end function
end program
