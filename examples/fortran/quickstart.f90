! SPDX-License-Identifier: MIT
! Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the true ones.
! Build: gfortran quickstart.f90 -o quickstart $(pkg-config --cflags --libs attopotts)
module attopotts_c
  ! The functions of the C API that this program calls. Handles are type(c_ptr), statuses and enums integer(c_int), counts
  ! integer(c_int64_t); arrays of shape [N][L] in C are (L, N) here; c_null_ptr stands for what is optional and not given.
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: ATP_OPT_CHAINS = 101, ATP_OPT_L2_COUPLINGS = 212, ATP_OPT_L2_COLORS = 213
  integer(c_int), parameter :: ATP_COUPLINGS_GAUSSIAN = 1, ATP_COLOR_MATRIX_GAUSSIAN = 1
  interface
    integer(c_int) function atp_context_create(alloc, release, user, context) bind(c)
      import :: c_int, c_ptr, c_funptr
      type(c_funptr), value :: alloc, release
      type(c_ptr), value :: user
      type(c_ptr), intent(out) :: context
    end function
    integer(c_int) function atp_options_create(context, options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function atp_options_set_i64(options, key, val) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: options
      integer(c_int), value :: key
      integer(c_int64_t), value :: val
    end function
    integer(c_int) function atp_options_set_f64(options, key, val) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: options
      integer(c_int), value :: key
      real(c_double), value :: val
    end function
    integer(c_int) function atp_model_create_random(context, sites, colors, couplings, color_matrix, seed, model) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: context
      integer(c_int64_t), value :: sites, colors, seed
      integer(c_int), value :: couplings, color_matrix
      type(c_ptr), intent(out) :: model
    end function
    integer(c_int) function atp_sampler_create(context, model, options, sampler) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context, model, options
      type(c_ptr), intent(out) :: sampler
    end function
    integer(c_int) function atp_sampler_sweep(sampler, sweeps, progress, user, outcome) bind(c)
      import :: c_int, c_ptr, c_funptr, c_int64_t
      type(c_ptr), value :: sampler, user
      integer(c_int64_t), value :: sweeps
      type(c_funptr), value :: progress
      integer(c_int), intent(out) :: outcome
    end function
    integer(c_int) function atp_sampler_sample(sampler, n, thin, sequences, size, energies, done, progress, user, outcome) bind(c)
      import :: c_int, c_ptr, c_funptr, c_int64_t, c_int8_t
      type(c_ptr), value :: sampler, user, energies
      integer(c_int64_t), value :: n, thin, size
      integer(c_int8_t), intent(out) :: sequences(*)
      integer(c_int64_t), intent(out) :: done
      type(c_funptr), value :: progress
      integer(c_int), intent(out) :: outcome
    end function
    integer(c_int) function atp_alignment_create(context, sequences, n, sites, colors, weights, alignment) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_int8_t
      type(c_ptr), value :: context, weights
      integer(c_int8_t), intent(in) :: sequences(*)
      integer(c_int64_t), value :: n, sites, colors
      type(c_ptr), intent(out) :: alignment
    end function
    integer(c_int) function atp_trainer_create(context, train, options, trainer) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context, train, options
      type(c_ptr), intent(out) :: trainer
    end function
    integer(c_int) function atp_trainer_run(trainer, epochs, progress, user, outcome) bind(c)
      import :: c_int, c_ptr, c_funptr, c_int64_t
      type(c_ptr), value :: trainer, user
      integer(c_int64_t), value :: epochs
      type(c_funptr), value :: progress
      integer(c_int), intent(out) :: outcome
    end function
    integer(c_int) function atp_trainer_model(trainer, model) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), intent(out) :: model
    end function
    integer(c_int) function atp_model_loss(context, model, alignment, loss) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: context, model, alignment
      real(c_double), intent(out) :: loss
    end function
    integer(c_int) function atp_model_coupling_error(context, model, truth, error) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: context, model, truth
      real(c_double), intent(out) :: error
    end function
    type(c_ptr) function atp_outcome_name(outcome) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: outcome
    end function
    integer(c_int64_t) function atp_last_error(buffer, size) bind(c)
      import :: c_char, c_int64_t
      character(kind=c_char), intent(out) :: buffer(*)
      integer(c_int64_t), value :: size
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
    subroutine atp_context_destroy(context) bind(c)
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
    subroutine atp_options_destroy(options) bind(c)
      import :: c_ptr
      type(c_ptr), value :: options
    end subroutine
    subroutine atp_model_destroy(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end subroutine
    subroutine atp_sampler_destroy(sampler) bind(c)
      import :: c_ptr
      type(c_ptr), value :: sampler
    end subroutine
    subroutine atp_alignment_destroy(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end subroutine
    subroutine atp_trainer_destroy(trainer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: trainer
    end subroutine
  end interface
contains
  subroutine check(status)
    integer(c_int), intent(in) :: status
    character(kind=c_char) :: text(512)
    integer(c_int64_t) :: length
    if (status == 0) return
    length = min(atp_last_error(text, size(text, kind=c_int64_t)), size(text, kind=c_int64_t) - 1)
    print '(*(a))', text(1:length)
    error stop 1
  end subroutine
end module

program quickstart
  use attopotts_c
  implicit none
  integer(c_int64_t), parameter :: sites = 10, colors = 5, samples = 4000
  integer(c_int8_t) :: sequences(sites, samples)
  type(c_ptr) :: context, options, truth, sampler, data, trainer, learned
  integer(c_int) :: outcome
  integer(c_int64_t) :: done
  real(c_double) :: loss, optimal, error
  character(kind=c_char), pointer :: name(:)

  call check(atp_context_create(c_null_funptr, c_null_funptr, c_null_ptr, context))
  call check(atp_options_create(context, options))
  call check(atp_options_set_i64(options, ATP_OPT_CHAINS, 32_c_int64_t))
  call check(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 1e-4_c_double))
  call check(atp_options_set_f64(options, ATP_OPT_L2_COLORS, 1e-4_c_double))

  ! The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
  call check(atp_model_create_random(context, sites, colors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1_c_int64_t, truth))
  call check(atp_sampler_create(context, truth, options, sampler))
  call check(atp_sampler_sweep(sampler, 100_c_int64_t, c_null_funptr, c_null_ptr, outcome))
  call check(atp_sampler_sample(sampler, samples, 10_c_int64_t, sequences, size(sequences, kind=c_int64_t), c_null_ptr, done, &
                                c_null_funptr, c_null_ptr, outcome))
  call check(atp_alignment_create(context, sequences, samples, sites, colors, c_null_ptr, data))

  ! Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
  call check(atp_trainer_create(context, data, options, trainer))
  call check(atp_trainer_run(trainer, 200_c_int64_t, c_null_funptr, c_null_ptr, outcome))
  call check(atp_trainer_model(trainer, learned))
  call check(atp_model_loss(context, learned, data, loss))
  call check(atp_model_loss(context, truth, data, optimal))
  call check(atp_model_coupling_error(context, learned, truth, error))
  call c_f_pointer(atp_outcome_name(outcome), name, [strlen(atp_outcome_name(outcome))])
  print '(*(a))', name, ': loss ', number(loss), ', optimal loss ', number(optimal), ', coupling error ', number(error)

  call atp_model_destroy(learned)
  call atp_trainer_destroy(trainer)
  call atp_alignment_destroy(data)
  call atp_sampler_destroy(sampler)
  call atp_model_destroy(truth)
  call atp_options_destroy(options)
  call atp_context_destroy(context)
contains
  function number(x) result(text)
    real(c_double), intent(in) :: x
    character(len=24) :: text
    write (text, '(es24.16e3)') x
  end function
end program
