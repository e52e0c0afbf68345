! SPDX-License-Identifier: MIT
! A learning curve by random rows of an alignment, a bootstrap sample, and a trainer that goes on from bytes, as in another process.
! Build: gfortran rows.f90 -o rows $(pkg-config --cflags --libs attopotts-fortran)
program rows
  use attopotts
  implicit none
  character(len=*), parameter :: settings = 'l2-couplings=1e-4, l2-colors=1e-4'
  type(atp_context) :: context
  type(atp_options) :: options
  type(atp_model) :: truth, learned
  type(atp_sampler) :: sampler
  type(atp_alignment) :: data, bootstrap, there
  type(atp_trainer) :: trainer, again
  integer(c_int8_t) :: sequences(10, 2000)
  integer(c_int8_t), allocatable :: state(:)
  integer :: counts(3) = [100, 500, 2000], k

  call context%create()
  call options%create(context, 'sampler', 'chains=32')
  call truth%create_random(context, sites=10, colors=5, seed=1)
  call sampler%create(truth, options)
  call sampler%sweep(100)
  call sampler%sample(sequences, thin=10)
  call data%create(context, sequences, colors=5)
  call options%create(context, 'trainer', settings)

  ! With one seed, a smaller sample is a part of a larger one.
  do k = 1, 3
    call learn(counts(k))
  end do

  ! As many as there are, each drawn from all: how much the loss depends on the sequences that were drawn.
  call bootstrap%sample(data, 2000, replace=1, seed=1)
  print '(2a)', 'bootstrap: loss ', number(truth%loss(bootstrap))

  ! The alignment and the state of the trainer as bytes: what is made of them goes on with the same numbers.
  call trainer%create(data, options)
  call trainer%run(5)
  call data%save_state(state)
  call there%from_state(context, state)
  call again%create(there, options)
  call trainer%save_state(state)
  call again%load_state(state)
  call again%run(5)
  call again%model(learned)
  print '(2a)', 'it goes on: loss ', number(learned%loss(data))
contains
  subroutine learn(count)
    integer, intent(in) :: count
    type(atp_alignment) :: part
    type(atp_trainer) :: trainer
    type(atp_model) :: learned
    call part%sample(data, count, seed=1)
    call trainer%create(part, options)
    call trainer%run(100)
    call trainer%model(learned)
    print '(i0, 2a)', count, ' sequences: coupling error ', number(learned%coupling_error(truth))
  end subroutine

  function number(x) result(text)  ! as %.16e of C
    real(c_double), intent(in) :: x
    character(len=22) :: text
    write (text, '(es22.16e2)') x
    text(19:19) = 'e'
  end function
end program
