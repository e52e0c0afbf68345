! SPDX-License-Identifier: MIT
! New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare.
! Build: gfortran generate.f90 -o generate $(pkg-config --cflags --libs attopotts-fortran)
module generate_look
  use attopotts
  implicit none

  ! What a callback of training keeps of the last step, and the Pearson correlation at which it stops the run.
  type, extends(progress_handler) :: look
    real(c_double) :: stop_above = 1, pearson, slope, verified(4)
  contains
    procedure :: report
  end type
contains
  integer function report(self, progress)
    class(look), intent(inout) :: self
    type(progress_report), intent(in) :: progress
    self%pearson = progress%value(ATP_PROGRESS_PEARSON)
    self%slope = progress%value(ATP_PROGRESS_SLOPE)
    self%verified = [progress%value(ATP_PROGRESS_PEARSON_RANDOM), progress%value(ATP_PROGRESS_SLOPE_RANDOM), &
      progress%value(ATP_PROGRESS_PEARSON_NATURAL), progress%value(ATP_PROGRESS_SLOPE_NATURAL)]
    report = merge(1, 0, self%pearson > self%stop_above)  ! other than 0: the run stops, and the next one goes on from there
  end function
end module

program generate
  use generate_look
  implicit none
  type(atp_context) :: context
  type(atp_options) :: sampling, training, exactly
  type(atp_model) :: truth, learned
  type(atp_sampler) :: source, sampler
  type(atp_alignment) :: family, held_out, samples
  type(atp_trainer) :: trainer
  type(atp_table) :: z
  type(look) :: at
  integer(c_int8_t) :: sequences(10, 4000), others(10, 1000)
  real(c_double) :: frequencies(5, 10), weights(2), found(ATP_COMPARISON_COLUMNS, ATP_COMPARISON_ROWS), &
    parts(ATP_COMPARISON_COLUMNS, ATP_COMPARISON_ROWS, 2)
  real(c_double) :: log_z(2), error(2)
  integer(c_int) :: outcome
  integer, parameter :: c_ij = ATP_COMPARISON_COVARIANCES

  call context%create()
  call training%create(context, 'trainer', 'family=dense, objective=likelihood, epochs=1000')
  call exactly%create(context, 'partition', 'method=exact')

  ! The family: samples of a true model, and more that nothing is learned from. Your own: call family%read(context, file, 'protein').
  call truth%create_random(context, sites=10, colors=5, seed=1)
  call sampling%create(context, 'sampler', 'chains=32')
  call source%create(truth, sampling)
  call source%sweep(100)
  call source%sample(sequences, thin=10)
  call source%sample(others, thin=10)
  call family%create(context, sequences, colors=5)
  call held_out%create(context, others, colors=5)

  ! Boltzmann learning: until the callback stops it, and then to its end.
  call trainer%create(family, training)
  at%stop_above = 0.9_c_double
  call trainer%run(progress=at, outcome=outcome)
  print '(2a, i0, a, f6.4, a, f6.4)', outcome_name(outcome), ' after ', trainer%epochs(), ' steps: chains have Pearson ', &
    at%pearson, ', slope ', at%slope
  at%stop_above = 1
  call trainer%run(progress=at, outcome=outcome)
  print '(2a, i0, 4(a, f6.4), a)', outcome_name(outcome), ' after ', trainer%epochs(), ' steps: in equilibrium ', &
    at%verified(1), ', ', at%verified(2), ' from random starts, ', at%verified(3), ', ', at%verified(4), ' from the family'
  call trainer%model(learned)

  ! log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states.
  call z%create(context, 'partition', 2)
  call estimate_log_z(learned, z)
  call estimate_log_z(truth, z, exactly)
  log_z = z%column('log_z')
  error = z%column('log_z_error')
  call family%frequencies(frequencies)
  print '(a, f0.4, a, f6.4)', 'log Z ', log_z(1), ', standard error ', error(1)
  print '(3(a, f0.4))', 'log P of held-out sequences: ', mean_log_p(learned, log_z(1)), ', true model ', &
    mean_log_p(truth, log_z(2)), ', independent sites ', -10 * held_out%independent_loss(frequencies)

  ! New sequences, and their C_ij against those of the family; parts of the family say what independent samples would have.
  call sampling%create(context, 'sampler', 'chains=64, seed=2')
  call sampler%create(learned, sampling)
  call sampler%sweep(100)
  call sampler%sample(sequences, thin=10)
  call samples%create(context, sequences, colors=5)
  call compare_statistics(family, samples, found)
  call compare_parts(family, 4000.0_c_double, 10, 1, parts, weights)
  print '(2(a, f6.4, a, f6.4))', 'C_ij of samples: Pearson ', found(ATP_COMPARISON_PEARSON, c_ij), ', slope ', &
    found(ATP_COMPARISON_SLOPE, c_ij), '; of independent samples ', parts(ATP_COMPARISON_PEARSON, c_ij, 1), ', ', &
    parts(ATP_COMPARISON_SLOPE, c_ij, 1)
contains
  ! The mean of log P(s) = -beta H(s) - log Z over the held-out sequences.
  function mean_log_p(model, log_z) result(mean)
    type(atp_model), intent(in) :: model
    real(c_double), intent(in) :: log_z
    real(c_double) :: mean, energies(size(others, 2))
    call model%energies(others, energies)
    mean = -model%beta() * sum(energies) / size(energies) - log_z
  end function
end program
