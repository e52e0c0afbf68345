! SPDX-License-Identifier: MIT
!> The binding against definitions, closed forms and itself. usage: test_numbers FOLDER (to write files in)
program test_numbers
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use checks
  implicit none
  type(atp_context) :: context
  type(atp_model) :: truth
  type(atp_alignment) :: data
  type(atp_options) :: options  ! of the test that runs
  integer(c_int) :: outcome
  character(len=:), allocatable, save :: folder
  integer, parameter :: L = 6, q = 4, N = 500

  folder = argument(1)
  call context%create()
  call make_data
  call test_model_by_definition
  call test_order
  call test_heads
  call test_samples
  call test_sampling
  call test_replica_exchange
  call test_alignment
  call test_focus_filter_weights
  call test_files
  call test_training
  call test_selection
  call test_network
  call test_states
  call test_rows_and_bytes
  call test_scores
  call test_asymptotics
  call test_methods_without_training
  call test_log
  call test_options
  call test_library
  call test_threads
  call report_and_stop

contains

  subroutine make_data
    integer(c_int8_t) :: sequences(L, N)
    type(atp_sampler) :: sampler
    call truth%create_random(context, L, q, seed=3)
    call options%create(context, 'sampler', 'chains=16 seed=5')
    call sampler%create(truth, options)
    call sampler%sweep(50)
    call sampler%sample(sequences, thin=2)
    call data%create(context, sequences, q)
  end subroutine

  !> Energies, conditionals and log Z of a small dense model from the formulas.
  subroutine test_model_by_definition
    real(c_double) :: c(0:2, 0:2, 3, 3), b(0:2, 3), energies(27), expected(27), p(0:2, 3, 27), probabilities(27), &
      log_z, energy
    real(c_double) :: marginals(0:2, 3), again(3, 3, 3, 3), logs(27), pairs(3, 3, 3, 3)
    real(c_float) :: single(3, 3, 3, 3)
    integer(c_int8_t) :: s(3, 27)
    type(atp_model) :: model, other
    integer :: i, j, k, x, y
    c = 0
    do i = 1, 3
      do j = 1, i - 1
        c(:, :, j, i) = reshape([((sin(1.0_c_double + x + 3 * y + 10 * i + 27 * j), y=0, 2), x=0, 2)], [3, 3])  ! C_ij(x, y)
        c(:, :, i, j) = transpose(c(:, :, j, i))  ! C_ji(y, x)
      end do
      b(:, i) = [0.1_c_double * i, -0.2_c_double, 0.3_c_double]
    end do
    do k = 1, 27
      s(:, k) = int([(k - 1) / 9, mod((k - 1) / 3, 3), mod(k - 1, 3)], c_int8_t)
      expected(k) = -sum([(b(s(i, k), i), i=1, 3)]) - sum([((c(s(j, k), s(i, k), j, i), j=1, i - 1), i=1, 3)])
    end do
    call model%create_dense(context, c, b)
    call model%energies(s, energies)
    call check(all(abs(energies - expected) < 1e-12), 'energies of the definition')
    call model%enumerate(log_z, energy, marginals, pairs)
    call model%probabilities(probabilities)
    call close_to(log_z, log(sum(exp(-expected))), 1e-12_c_double, 'log Z')
    call close_to(energy, sum(expected * exp(-expected)) / sum(exp(-expected)), 1e-12_c_double, 'mean energy')
    call check(all(abs(probabilities - exp(-expected) / sum(exp(-expected))) < 1e-14), 'P(s), site 1 the slowest digit')
    call close_to(marginals(2, 1), sum(probabilities(19:27)), 1e-13_c_double, 'p_1(2)')
    call close_to(pairs(2, 3, 3, 1), sum(probabilities, mask=s(1, :) == 2 .and. s(3, :) == 1), 1e-13_c_double, &
      'p_13(2, 1)')
    call model%conditionals(s, p)
    ! p(s_1 = a | s_2 = 1, s_3 = 2) from the states 6, 15, 24
    call check(all(abs(p(:, 1, 6) - probabilities([6, 15, 24]) / sum(probabilities([6, 15, 24]))) < 1e-13), &
      'conditionals')
    call model%log_pseudolikelihoods(s, logs)
    call close_to(logs(6), log(p(0, 1, 6)) + log(p(1, 2, 6)) + log(p(2, 3, 6)), 1e-12_c_double, 'log pseudo-likelihood')
    call model%couplings(again)
    call check(all(again == c), 'couplings come back')
    call model%couplings(single)
    call check(all(single == real(c, c_float)), 'couplings come back in single precision')
    call other%create_dense(context, single, real(b, c_float))
    call check(other%heads() == 0 .and. other%has_fields() .and. other%is_symmetric(), &
      'a dense model in single precision')
    call other%destroy()
    call other%gauge(model, 'zero-sum')
    call other%couplings(again)
    call check(maxval(abs(sum(again, 1))) < 1e-12, 'zero-sum gauge')
    call other%conditionals(s, p)
    call close_to(p(0, 1, 6), probabilities(6) / sum(probabilities([6, 15, 24])), 1e-13_c_double, &
      'gauges keep conditionals')
    call other%destroy()
    call other%copy(model)
    call other%set_beta(2.0_c_double)
    call check(model%beta() == 1 .and. other%beta() == 2, 'a copy is another model')
    other = model
    call other%set_beta(3.0_c_double)
    call check(model%beta() == 3, 'assignment shares one model')
  end subroutine

  subroutine test_order
    integer(c_int64_t), parameter :: order(3) = [3, 1, 2]
    real(c_double) :: c(0:1, 0:1, 3, 3), b(0:1, 3), logs(8), energies(8), scores(3, 3), x(0:1), log_z
    integer(c_int64_t) :: found(3)
    integer(c_int8_t) :: s(3, 8)
    type(atp_model) :: model
    integer :: i, j, k, l, stat
    character(len=200) :: errmsg
    c = 0
    do k = 2, 3
      do l = 1, k - 1
        c(:, :, order(l), order(k)) = reshape([(sin(1.0_c_double * k + 3 * l + i), i=1, 4)], [2, 2])
      end do
    end do
    b = reshape([(cos(1.0_c_double * i), i=1, 6)], [2, 3])
    call model%create_dense(context, c, b)
    call check(.not. model%is_ordered(), 'a Potts model')
    call model%set_order(order(3:1:-1), stat, errmsg)
    call check(stat == ATP_E_VALUE .and. index(errmsg, 'order has site 2 before site 1') > 0, 'an order that couplings forbid')
    call model%set_order(order)
    call model%order(found)
    call check(model%is_ordered() .and. all(found == order), 'the order of sites')
    do k = 1, 8
      s(:, k) = int([(k - 1) / 4, mod((k - 1) / 2, 2), mod(k - 1, 2)], c_int8_t)
      logs(k) = 0
      do i = 1, 3
        x = b(:, i)
        do j = 1, 3
          x = x + c(s(j, k), :, j, i)
        end do
        logs(k) = logs(k) + x(s(i, k)) - log(sum(exp(x)))
      end do
    end do
    call close_to(sum(exp(logs)), 1.0_c_double, 1e-14_c_double, 'probabilities')
    call model%energies(s, energies)
    call check(all(abs(energies + logs) < 1e-12), 'energies are -log P')
    call model%enumerate(log_z)
    call close_to(log_z, 0.0_c_double, 1e-12_c_double, 'log Z of an autoregressive model')
    call model%epistatic_scores(s(:, 1:1), scores, gap=-1)
    call close_to(scores(1, 3), abs(logs(1) - logs(2) - logs(5) + logs(6)) / 2, 1e-12_c_double, 'epistasis')
    call model%set_order()
    call check(.not. model%is_ordered(), 'a Potts model again')
  end subroutine

  subroutine test_heads
    real(c_double) :: maps(L, L, 1), values(q, q, 1), c(q, q, L, L), fields(q, L)
    type(atp_model) :: again
    call truth%maps(maps)
    call truth%values(values)
    call truth%couplings(c)
    call truth%fields(fields)
    call check(all(fields == 0), 'no fields')
    call close_to(c(3, 2, 5, 1), maps(5, 1, 1) * values(3, 2, 1), 1e-15_c_double, 'C_15(1, 2) = A_15 V(1, 2)')
    fields = 0.5_c_double
    call again%create_heads(context, maps, values, fields)
    call check(again%heads() == 1 .and. again%sites() == L .and. again%colors() == q .and. again%has_fields(), 'heads')
    call check(again%coupling_error(truth) < 1e-28, 'coupling error of itself')
    call again%set_sites([integer(c_int64_t) :: 11, 12, 13, 24, 25, 26], 'ACDEFG')
    call again%set_alphabet('ACDE')
    call check(again%alphabet() == 'ACDE' .and. again%site_residues() == 'ACDEFG', 'alphabet and residues')
    call check(all(again%site_numbers() == [11, 12, 13, 24, 25, 26]), 'site numbers')
  end subroutine

  subroutine test_samples
    integer(c_int8_t) :: one(L, 64), two(L, 64), states(L, 8)
    integer(c_int8_t), allocatable :: long(:, :), allowed(:, :)
    integer(c_int64_t) :: counts(L + 1)
    real(c_double) :: energies(64), expected(64), now(8), exact(q, L), found(q, L), mean
    type(atp_sampler) :: sampler, other
    type(atp_alignment) :: samples
    call options%create(context, 'sampler', 'chains=8 seed=9')
    call sampler%create(truth, options)
    call check(sampler_bytes(truth, options) > 0 .and. sampler%chains() == 8 .and. sampler%sites() == L, 'sampler')
    call sampler%sample(one, thin=3, outcome=outcome)
    call sampler%sequence_energies(one, energies)
    call check(sampler%drawn() == 64 .and. outcome == ATP_OUTCOME_DONE .and. sampler%sweeps() == 24, 'all were drawn')
    call other%create(truth, options)
    call other%sample(two, thin=3)
    call check(all(one == two), 'the same seed, the same sequences')
    call truth%energies(one, expected)
    call check(maxval(abs(energies - expected)) < 1e-9, 'energies of samples')
    call sampler%states(states)
    call check(all(states == one(:, 57:)), 'the last samples are the present states')
    call sampler%energies(now)
    call check(maxval(abs(now - energies(57:))) < 1e-12, 'energies of states')
    call sampler%start_from(one(:, :2))
    call sampler%states(states)
    call check(all(states(:, 3) == one(:, 1)) .and. sampler%sweeps() == 0, 'start from sequences')
    allocate (allowed(q, L))
    allowed = 1
    allowed(:, 1) = 0
    allowed(2, 1) = 1
    call other%create(truth, options)
    call other%restrict(allowed)
    call other%sweep(3)
    call other%states(states)
    call check(all(states(1, :) == 1) .and. any(states(2, :) /= 1), 'allowed colours')
    call sampler%start_random()
    call sampler%sweep(3_c_int64_t)
    call check(sampler%sweeps() == 3, 'sweeps by a long integer')
    ! A section that is not contiguous is copied in and out.
    allocate (long(2 * L, 64))
    long = 7
    call other%create(truth, options)
    call other%sample(long(::2, :), thin=3)
    call check(all(long(::2, :) == one) .and. all(long(2::2, :) == 7), 'a section of an array')
    deallocate (long)

    call options%set('chains', 256)
    call sampler%create(truth, options)
    call sampler%sweep(100)
    allocate (long(L, 256 * 40))
    call sampler%sample(long, thin=5)
    call samples%create(context, long, q)
    call samples%frequencies(found)
    call truth%enumerate(marginals=exact)
    ! Binomial errors, times 2 for what is left of correlation, 5 of them.
    call check(all(abs(found - exact) < 10 * sqrt(exact * (1 - exact) / size(long, 2)) + 1e-4), &
      'samples follow exact marginals')
    call check(abs(overlap_rhat(context, long, 256) - 1) < 0.05_c_double, 'R-hat of overlaps')
    call hamming_histogram(one, counts, mean)
    call check(sum(counts) == 64 * 63 / 2, 'pairs of the histogram')
    call close_to(mean, real(sum(counts * [0, 1, 2, 3, 4, 5, 6]), c_double) / (L * sum(counts)), 1e-14_c_double, &
      'mean distance')
  end subroutine

  !> 2000 sequences of the equilibrium protocol against exact enumeration: 18 probabilities and the mean energy, by 5 standard errors
  !> from the scatter of 50 independent ladders (t distribution). With another seed a right program fails with probability
  !> 19 * 7.6e-6 = 1.5e-4; the seed is fixed.
  subroutine test_sampling
    integer, parameter :: ladders = 50, each = 40, colors = 3
    integer(c_int8_t) :: one(L, ladders * each), two(L, ladders * each)
    real(c_double) :: exact(0:colors - 1, L), log_z, energy, energies(ladders * each)
    integer(c_int8_t), allocatable :: state(:)
    integer :: a, i
    type(atp_model) :: model
    type(atp_table) :: found
    type(atp_alignment) :: samples
    type(atp_sampling) :: run, other
    type(watcher), target :: watch
    call model%create_random(context, L, colors, seed=5)
    call model%set_beta(2.0_c_double)
    call options%create(context, 'sampling', 'chains=50 seed=11')
    call sample_equilibrium(model, one, options, found, outcome=outcome)
    call check(outcome == ATP_OUTCOME_CONVERGED .and. all(found%column('outcome') == outcome), 'equilibrium is found')
    call check(all(found%column('burn_in') >= 256 .and. found%column('thin') >= 1), 'numbers of the run')
    call model%enumerate(log_z, energy, exact)
    call model%energies(one, energies)
    call follows(energies, ladders, energy, 'mean energy of samples')
    do i = 1, L
      do a = 0, colors - 1
        call follows(merge(1.0_c_double, 0.0_c_double, one(i, :) == a), ladders, exact(a, i), &
          'samples follow p_i(a)')
      end do
    end do
    call sample_equilibrium(model, two, options)
    call check(all(one == two), 'the same seed, the same sequences of a run')
    ! By steps, stopped and gone on with in another run.
    call run%create(model, size(two, 2), options)
    call check(run%count() == size(two, 2) .and. run%sites() == L .and. run%stage() == ATP_SAMPLING_STAGE_LADDER, 'run')
    call run%sequences(two, stat, errmsg)
    call fails(ATP_E_STAGE, 'not finished')
    call run%request_stop()
    call run%run(watch, outcome)
    call check(outcome == ATP_OUTCOME_CANCELLED, 'a run stops')
    call run%save_state(state)
    call other%create(model, size(two, 2), options)
    call other%load_state(state)
    call other%run(watch, outcome)
    call check(outcome == ATP_OUTCOME_CONVERGED .and. watch%calls > 0 .and. other%difference() == '', 'and goes on')
    call other%alignment(samples)
    call check(all(samples%sequences() == one) .and. index(samples%origin(), 'equilibrium') > 0, 'to the same sequences')
    call sample_equilibrium(model, two(:L - 1, :), options, stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'sequences has shape (5, 2000), expected (6, :)')
    watch%stop_at = 0
    call sample_equilibrium(model, two, options, progress=watch, stat=stat, errmsg=errmsg)
    call fails(ATP_E_STAGE, 'not finished')
  end subroutine

  !> The mean of the values is the expected one. Value m is of ladder mod(m - 1, ladders) + 1.
  subroutine follows(values, ladders, expected, what)
    real(c_double), intent(in) :: values(:), expected
    integer, intent(in) :: ladders
    character(len=*), intent(in) :: what
    real(c_double) :: means(ladders), mean
    means = sum(reshape(values, [ladders, size(values) / ladders]), 2) / (size(values) / ladders)
    mean = sum(means) / ladders
    call close_to(mean, expected, 5 * sqrt(sum((means - mean)**2) / (ladders * (ladders - 1.0_c_double))), what)
  end subroutine

  subroutine test_replica_exchange
    real(c_double) :: betas(4), rates(3), series(200, 2), tau, tau_error, log_p, error, mixing(5)
    real(c_double), allocatable :: heats(:)
    integer :: k
    type(atp_table) :: found, distances
    type(atp_sampler) :: sampler
    type(atp_alignment) :: small, renamed
    type(atp_model) :: model
    call options%create(context, 'sampler', 'chains=4 temperatures=4 beta=2 beta-hot=0.25')
    call sampler%create(truth, options)
    call sampler%betas(betas)
    call check(sampler%temperatures() == 4 .and. betas(4) == 2 .and. abs(betas(1) - 0.25_c_double) < 1e-15, 'ladder')
    call sampler%sweep(200)
    call sampler%swap_rates(rates)
    call check(all(rates > 0 .and. rates <= 1), 'swap rates')
    betas(4) = 2.5_c_double
    call sampler%set_betas(betas)
    betas = 0
    call sampler%betas(betas)
    call check(betas(4) == 2.5_c_double, 'betas are set')
    series = reshape([(sin(0.05_c_double * k), k=1, 200), (cos(0.7_c_double * k), k=1, 200)], [200, 2])
    call autocorrelation_time(series, tau, tau_error)
    call check(tau > 0 .and. tau_error > 0, 'autocorrelation time')
    call check(split_rhat(series) > 0.9_c_double, 'split R-hat')
    call chain_mixing(context, series, mixing)
    call check(mixing(1) >= 0.9_c_double .and. mixing(2) > 1 .and. mixing(3) > 0, 'R-hat, its limit and effective samples')
    call found%create(context, 'rungs', 8)
    call distances%create(context, 'overlaps', 4 * (L + 1))
    call sampler%set_reference(int([(mod(k, q), k=1, L)], c_int8_t))
    call sampler%measure(100, 2, found, distances)
    call check(all(abs(found%column('reference')) < 0.9_c_double), 'magnetisation by a reference')
    call sampler%set_reference()
    call check(found%rows() == 4 .and. all(abs(found%column('beta') - betas) < 1e-15), 'rungs are measured')
    call check(abs(sum(distances%column('density') * distances%column('width')) - 4) < 1e-9, 'distributions of overlaps')
    call enumerate_rungs(truth, [0.0_c_double, 1.0_c_double], found, int([(mod(k, q), k=1, L)], c_int8_t))
    heats = found%column('log_z')
    call check(abs(heats(5) - L * log(real(q, c_double))) < 1e-9, 'log Z at beta = 0')
    call model%create_random(context, 8, 4, seed=2)
    call options%create(context, 'tuning', 'chains=64 seed=1')
    call found%create(context, 'tuning', 1)
    call tune_beta(model, 0.6_c_double, found, options=options)
    call check(all(found%column('outcome') == ATP_OUTCOME_CONVERGED) .and. all(found%column('beta') > 0) .and. &
      all(found%column('beta_error') < 1), 'beta is tuned')
    call check(all(abs(found%column('hamming') - 0.6_c_double) < 1e-6), 'to the distance')
    call model%set_beta(0.0_c_double)
    call options%create(context, 'partition', 'method=annealing chains=16')
    call found%create(context, 'partition', 1)
    call estimate_log_z(model, found, options=options)
    call small%create(context, reshape([integer :: 0, 1, 2, 3, 0, 1, 2, 3], [8, 1]), 4)
    call model%mean_log_p(small, log_p=log_p, error=error, log_z=8 * log(4.0_c_double), log_z_error=0.5_c_double)
    call check(abs(log_p + log(4.0_c_double)) < 1e-9 .and. abs(error - 0.5_c_double / 8) < 1e-9, 'mean log P')
    call renamed%rename(small, 'one')
    call check(renamed%name(1) == 'one' .and. all(renamed%sequences() == small%sequences()), 'other names')
    call check(all(abs(found%column('log_z') - 8 * log(4.0_c_double)) < 1e-9) .and. all(found%column('log_z_error') >= 0), 'log Z')
  end subroutine

  !> The columns of a path, and folds that keep equal sequences together.
  subroutine test_selection
    type(atp_table) :: path, listed
    integer(c_int64_t) :: folds(N), clusters(N)
    integer :: k
    call options%create(context, 'selection', 'family=dense folds=3 strengths=3 fold-distance=0')
    call select_folds(data, folds, clusters, options=options)
    call check(minval(folds) == 0 .and. maxval(folds) == 2 .and. clusters(1) == 0, 'folds')
    call check(all([(all(pack(folds, clusters == clusters(k)) == folds(k)), k=1, N)]), 'no cluster is split')
    call path%create(context, 'selection', 3)
    call select_penalty(data, path, options=options)
    call check(sum(path%column('chosen')) == 1 .and. all(path%column('heldout_loss') > 0), 'a penalty is chosen')
    call listed%create(context, 'selection', 3)
    call select_penalty_pairs(data, reshape([integer(c_int64_t) :: 1, 2, 2, 3], [2, 2]), listed, options=options)
    call check(sum(listed%column('chosen')) == 1 .and. all(listed%column('heldout_loss') > 0), 'a penalty is chosen for pairs')
  end subroutine

  subroutine test_alignment
    real(c_double) :: weights(N), f(q, L), with(q, L), pairs(q, q, L, L), c(q, q, L, L), expected, loss
    integer(c_int8_t), pointer :: s(:, :)
    integer(c_int8_t) :: bytes(2, 3)
    integer :: k, numbers(2, 3)
    type(atp_alignment) :: some, kept, many
    weights = [(1 + mod(k, 7), k=1, N)]
    call kept%create(context, data%sequences(), q, weights, 'ACDE')
    call some%parse(context, kept%format('fasta'), 'ACDE')
    call check(all(some%sequences() == data%sequences()), 'text in memory')
    s => kept%sequences()
    call check(kept%count() == N .and. kept%sites() == L .and. kept%colors() == q .and. kept%alphabet() == 'ACDE', &
      'alignment')
    call check(all(shape(s) == [L, N]) .and. all(s == data%sequences()) .and. all(kept%weights() == weights), 'views')
    call close_to(kept%effective_count(), sum(weights), 1e-9_c_double, 'sum of weights')
    call kept%frequencies(f)
    call close_to(f(3, 2), sum(weights, mask=s(2, :) == 2) / sum(weights), 1e-12_c_double, 'f_2(2)')
    call kept%frequencies(with, pseudocount=0.5_c_double)
    call check(maxval(abs(with - (0.5 * f + 0.125))) < 1e-12, 'pseudocount')
    call kept%pair_frequencies(pairs)
    call close_to(pairs(2, 4, 6, 1), sum(weights, mask=s(1, :) == 3 .and. s(6, :) == 1) / sum(weights), &
      1e-12_c_double, &
      'f_16(3, 1)')
    call kept%covariances(c)
    call close_to(c(2, 4, 6, 1), pairs(2, 4, 6, 1) - f(4, 1) * f(2, 6), 1e-12_c_double, 'C_16(3, 1)')
    loss = kept%independent_loss(f)
    expected = -sum(f * log(max(f, 1e-300_c_double))) / L
    call close_to(loss, expected, 1e-12_c_double, 'loss of the independent model')
    call kept%set_weights(weights + 1)
    call check(kept%effective_count() == sum(weights + 1), 'weights are set')
    call kept%set_sites(residues='ACDEAC')
    call kept%set_origin('a test')
    call check(kept%site_residues() == 'ACDEAC' .and. kept%origin() == 'a test' .and. kept%name(1) == '', 'labels')
    call some%destroy()
    call some%select(kept, first=4, count=20, stride=3)
    call check(all(some%sequences() == s(:, &
      4:61:3)) .and. some%count() == 20 .and. some%site_residues() == 'ACDEAC', 'select')
    call some%destroy()
    call some%select(kept, first=2, stride=2)
    call check(some%count() == N / 2, 'select to the end')
    ! Colours above 127: default integers, or bytes by color_byte.
    numbers = reshape([0, 199, 128, 127, 1, 254], [2, 3])
    call many%create(context, numbers, 255)
    call check(all(color_number(many%sequences()) == numbers), 'colours above 127')
    bytes = color_byte(numbers)
    call check(all(bytes == many%sequences()) .and. color_byte(ATP_MISSING) == -1_c_int8_t, 'bytes of colours')
    call many%set_sites([integer(c_int64_t) :: -5, 7])
    call check(all(many%site_numbers() == [-5, 7]), 'site numbers')
  end subroutine

  subroutine test_focus_filter_weights
    type(atp_alignment) :: all_of_it, focus, filtered, apart
    type(atp_table) :: scan
    integer(c_int64_t) :: dropped(3), parts(5)
    integer :: k
    character(len=:), allocatable :: path
    path = folder // '/focus.fasta'
    call write_lines(path, '>one/11-14 AC-DE >two ACDDE >three ACDDE >four ----E >five CCDAE')
    call all_of_it%read(context, path, '-ACDE')
    call check(all_of_it%count() == 5 .and. all_of_it%name(1) == 'one/11-14', 'names')
    call check(all_of_it%find('one') == 1 .and. all_of_it%find('five') == 5, 'find')
    call focus%focus(all_of_it, 'one')
    call check(focus%sites() == 4 .and. focus%site_residues() == 'ACDE', 'focus')
    call check(all(focus%site_numbers() == [11, 12, 13, 14]), 'numbers of the focus')
    call options%create(context, 'filter', 'max-gaps-sequence=0.5, remove-duplicates=1')
    call filtered%filter(all_of_it, options, dropped)
    call check(filtered%count() == 3 .and. all(dropped == [1, 0, 1]), 'filter')
    call filtered%destroy()
    call filtered%filter(all_of_it)
    call check(filtered%count() == 5, 'a filter that leaves all')
    call filtered%destroy()
    call filtered%filter_identity(all_of_it, 0.8_c_double)
    call check(filtered%count() == 2 .and. filtered%name(2) == 'five', 'a filter of similar sequences')
    call focus%weigh(0.2_c_double)
    call check(all(abs(focus%weights() - [1, 1, 1, 3, 3] / 3.0_c_double) < 1e-12) .or. focus%effective_count() < 5, &
      'weights')
    call focus%weigh(0.0_c_double, 'inclusive')
    call close_to(focus%effective_count(), 3.0_c_double, 1e-12_c_double, 'distinct sequences')
    call scan%create(context, 'weights', 2)
    call scan_weights(focus, [0.0_c_double, 1.0_c_double], scan)
    call check(scan%rows() == 2, 'a row for each theta')
    call options%create(context, 'split', 'identity=0.5 identity-test=1')
    call split_alignment(focus, parts, options=options)
    call apart%take(focus, pack([(int(k, c_int64_t), k=1, 5)], parts == ATP_PART_TEST))
    call check(apart%count() == count(parts == ATP_PART_TEST) .and. apart%count() > 0, 'the test set of a split')
    call check(focus%auto_theta() > 0 .and. focus%auto_theta() <= 0.5_c_double, 'theta')
  end subroutine

  !> Parts of a file of 10 records; sequences that are read where they are.
  subroutine check_parts_and_borrowing(some)
    type(atp_alignment), intent(in) :: some
    type(atp_alignment) :: part, borrowed
    integer(c_int8_t), allocatable, target :: bytes(:, :)
    integer(c_int8_t), pointer :: found(:, :)
    integer :: k, stat
    integer(c_int64_t) :: done
    character(len=300) :: errmsg
    done = 0
    bytes = some%sequences()
    do k = 0, 2
      call part%read_part(context, folder // '/a.fasta', k, 3, 'ACDE')
      call check(all(part%sequences() == bytes(:, done + 1:done + part%count())), 'a part of a file')
      done = done + part%count()
    end do
    call check(done == 10, 'the parts are not all')
    call part%read_part(context, folder // '/a.fasta', 3, 3, 'ACDE', stat=stat, errmsg=errmsg)
    call check(stat == ATP_E_VALUE .and. index(errmsg, 'part is 3') > 0, 'a part too many: ' // trim(errmsg))
    call borrowed%borrow(context, bytes, 4, weights=some%weights(), alphabet='ACDE')
    found => borrowed%sequences()
    call check(associated(found, bytes) .and. borrowed%alphabet() == 'ACDE', 'borrowed sequences')
    call part%destroy()
    call part%select(borrowed, count=3)
    call borrowed%destroy()
    call check(part%count() == 3 .and. all(part%sequences() == bytes(:, :3)), 'a copy of borrowed sequences')
    call borrowed%borrow(context, bytes, 2, stat=stat)
    call check(stat == ATP_E_ALPHABET, 'borrowed colours that are too large')
  end subroutine

  subroutine test_files
    type(atp_alignment) :: some, again
    type(atp_model) :: model
    type(notebook), target :: notes
    integer(c_int8_t), allocatable :: bytes(:)
    call some%select(data, count=10)
    call some%set_alphabet('ACDE')
    call some%write(folder // '/a.fasta', 'fasta')
    call again%read(context, folder // '/a.fasta', 'ACDE')
    call check(all(again%sequences() == some%sequences()) .and. len(again%name(1)) > 0, 'FASTA there and back')
    call check(file_kind(context, folder // '/a.fasta') == 'fasta', 'kind of file')
    call check_parts_and_borrowing(some)
    call check_input(some)
    call some%write(folder // '/a.txt', 'integers')
    call options%create(context, 'alignment', 'colors=4 format=integers')
    call again%read(context, folder // '/a.txt', options=options)
    call check(all(again%sequences() == some%sequences()), 'integers there and back')
    if (has_feature('hdf5')) then
      call data%write(folder // '/a.h5', 'hdf5')
      call again%read(context, folder // '/a.h5')
      call check(all(again%sequences() == data%sequences()), 'HDF5 there and back')
      call truth%write(folder // '/m.h5')
      call model%read(context, folder // '/m.h5')
      call check(model%coupling_error(truth) < 1e-28, 'models there and back')
    end if
    call check(model_of_other_tools() < 1e-10, 'models of other tools there and back')
    call write_lines(folder // '/odd.fasta', '>a ACDX >b ACDE')
    call context%set_log(notes)
    call again%read(context, folder // '/odd.fasta', '-ACDE')
    call check(notes%lines > 0 .and. index(notes%text, 'X') > 0, 'messages go to the handler')
    call context%set_log()
    call file_write(context, folder // '/bytes', [1_c_int8_t, -1_c_int8_t, 3_c_int8_t])
    call check(file_size(context, folder // '/bytes') == 3, 'size of a file')
    call file_read(context, folder // '/bytes', bytes)
    call check(all(bytes == [1, -1, 3]), 'bytes there and back')
  end subroutine

  !> An input gives what reading by path gives.
  subroutine check_input(some)
    type(atp_alignment), intent(in) :: some
    type(atp_input) :: input
    type(atp_alignment) :: again
    type(atp_model) :: lettered, model
    real(c_double) :: scores(L, L)
    real(c_double), allocatable :: found(:, :), values(:)
    integer(c_int64_t), allocatable :: extents(:)
    logical :: replaced
    call input%open(context, folder // '/a.fasta')
    call input%alignment(again, 'ACDE')
    call check(input%kind() == 'fasta' .and. all(again%sequences() == some%sequences()), 'sequences from an input')
    call check(size(input%bytes(), kind=c_int64_t) == file_size(context, folder // '/a.fasta'), 'bytes of an input')
    call lettered%copy(truth)
    call lettered%write(folder // '/input', 'bmdca')
    call input%open(context, folder // '/input')
    call input%model(model)
    call check(input%kind() == 'bmdca' .and. model%coupling_error(truth) < 1e-10, 'a model from an input')
    call truth%frobenius(scores)
    call write_scores(context, folder // '/input', scores, 'ccmpred')
    call input%open(context, folder // '/input')
    call input%scores(found)
    call check(all(found == scores), 'scores from an input')
    call write_npy(folder // '/input')
    call input%open(context, folder // '/input')
    call input%array(values, extents)
    call check(input%kind() == 'npy' .and. all(extents == [3, 2]) .and. all(values == [1, 2, 3, 4, 5, 6]), 'an array of NumPy')
    call file_writable(folder // '/input', replaced)
    call check(replaced, 'a file is replaced')
  end subroutine

  !> The array [[1, 2, 3], [4, 5, 6]] of float64, as NumPy writes it: a header of 128 bytes, then the numbers.
  subroutine write_npy(path)
    character(len=*), intent(in) :: path
    character(len=118) :: header
    integer :: unit, i
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
    header(118:) = new_line('a')
    open (newunit=unit, file=path, access='stream', form='unformatted', status='replace')
    write (unit) achar(147), 'NUMPY', achar(1), achar(0), achar(118), achar(0), header, [(real(i, c_double), i=1, 6)]
    close (unit)
  end subroutine

  real(c_double) function model_of_other_tools() result(error)
    type(atp_model) :: lettered, again
    type(atp_alignment) :: some
    real(c_double) :: scores(L, L)
    real(c_double), allocatable :: found(:, :)
    integer(c_int64_t), allocatable :: numbers(:)
    character(len=:), allocatable :: residues, path
    path = folder // '/model'
    call lettered%copy(truth)
    call lettered%set_alphabet('ACDE')
    call lettered%write(path, 'adabm')
    call again%read(context, path, alphabet='ACDE')
    error = again%coupling_error(truth)
    call check(file_kind(context, path) == 'adabm' .and. again%heads() == 0, 'text of a dense model')
    call some%select(data)
    call some%set_alphabet('ACDE')
    call lettered%write(path, 'plmc', some)
    call again%read(context, path, 'plmc')
    call check(again%coupling_error(truth) < 1e-10 .and. file_kind(context, path) == 'plmc-model', 'single precision')
    call truth%frobenius(scores)
    call write_scores(context, path, scores, 'ccmpred')
    call read_scores(context, path, found)
    call check(all(found == scores), 'scores there and back')
    call write_scores(context, path, scores, 'plmc', [integer(c_int64_t) :: 3, 4, 5, 7, 8, 9], 'ACDEFG')
    call read_scores(context, path, found, numbers, residues)
    call check(maxval(abs(found - scores)) < 1e-6, 'scores of pairs there and back')
    call check(all(numbers == [3, 4, 5, 7, 8, 9]) .and. residues == 'ACDEFG', 'labels of sites there and back')
  end function

  subroutine test_training
    real(c_double), allocatable :: x(:), g(:), y(:), blocks(:, :, :)
    real(c_double) :: loss, objective, sides(2), values(q, q, 1)
    integer :: k, sign, masked(N)
    type(atp_trainer) :: learner, again, wide, narrow, more, few
    integer(c_int64_t) :: pairs(2, 2)
    type(atp_model) :: learned, wider
    type(watcher) :: watch
    integer(c_int8_t), allocatable :: state(:)
    call options%create(context, 'trainer', 'precision=64 fields=1 map=softmax l2-couplings=0.01')
    call learner%create(data, options)
    call check(trainer_bytes(context, N, L, q, options) > 0, 'bytes')
    call few%create_pairs(data, reshape([integer(c_int64_t) :: 3, 1, 2, 3], [2, 2]))
    call check(few%pair_count() == 2 .and. learner%pair_count() == 0, 'number of pairs')
    call few%pairs(pairs)
    call check(all(pairs == reshape([1, 3, 2, 3], [2, 2])), 'list of pairs')
    call check(trainer_pairs_bytes(context, data, pairs) > 0, 'bytes with pairs')
    call few%run(3)
    call few%model(learned)
    call wider%keep_pairs(learned, pairs(:, 2:2))
    call check(wider%pair_count() == 1 .and. learned%pair_count() == 2, 'pairs of a model')
    call learned%pairs(pairs)
    call check(all(pairs == reshape([1, 3, 2, 3], [2, 2])), 'list of a model')
    allocate (blocks(q, q, 2))
    call learned%pair_couplings(blocks)
    call wider%create_pairs(context, L, pairs, blocks)
    call check(wider%pair_count() == 2 .and. wider%colors() == q, 'a model of pairs')
    blocks = 0
    call wider%pair_couplings(blocks)
    call check(any(blocks /= 0), 'couplings of pairs')
    call wider%create_lattice(context)
    call check(wider%sites() == 1024 .and. wider%pair_count() == 2048, 'a lattice')
    call wider%destroy()
    call wider%weigh_sites(learned, [(0.5_c_double, k=1, L)])
    call check(wider%pair_count() == 2 .and. wider%sites() == L, 'a model with weights of its sites')
    allocate (x(learner%parameter_count()), g(learner%parameter_count()), y(learner%parameter_count()))
    x = [(sin(3.0_c_double * k), k=1, size(x))]
    call learner%set_parameters(x)
    call learner%parameters(y)
    call check(all(x == y), 'parameters are set')
    call learner%gradient(loss, objective, g)
    call check(objective > loss .and. loss == learner%loss(data), 'loss and objective')
    do k = 1, size(x), 13
      do sign = 1, 2
        y = x
        y(k) = x(k) + merge(1e-5_c_double, -1e-5_c_double, sign == 1)
        call learner%set_parameters(y)
        call learner%gradient(objective=sides(sign))
      end do
      call close_to((sides(1) - sides(2)) / 2e-5_c_double, g(k), 1e-8_c_double, 'gradient by differences')
    end do
    masked = 1
    call learner%masked_gradient(masked, loss)
    masked = L
    call learner%masked_gradient(masked, sides(1), gradient=g)
    call check(loss /= sides(1), 'masked sites')

    call options%create(context, 'trainer', 'epochs=50 tolerance=1e-12')
    include 'learner.inc'
    call check(watch%train_loss > 0 .and. watch%coupling_error > 0 .and. watch%energy /= watch%energy, 'a handler sees numbers')
    call learner%model(learned)
    call check(learned%loss(data) < log(real(q, c_double)), 'it has learned')

    call wide%create(data, options)
    call wide%start_wide(2, 5, outcome=outcome)
    call check(outcome /= ATP_OUTCOME_NONE, 'start wide')
    call narrow%create(data, options)
    call options%set('heads', 2)
    call more%create(data, options)
    call more%run(5)
    call narrow%start_from(more)
    call narrow%model(learned)
    call wide%model(wider)
    call check(learned%loss(data) == wider%loss(data), 'start from more heads')
    call options%set('heads', 1)
    call options%set('colors-fixed', .true.)
    call wide%create(data, options)
    call truth%values(values)
    call wide%set_values(values)
    call wide%run(5)
    call wide%model(learned)
    values = 0
    call learned%values(values)
    call check(learned%heads() == 1 .and. any(values /= 0), 'fixed colours')
    call options%create(context, 'trainer', 'family=dense epochs=20')
    call wide%create(data, options)
    call wide%run()
    call wide%model(learned)
    call check(learned%heads() == 0 .and. learned%has_fields(), 'dense couplings')
  end subroutine

  !> An encoder by definition and against the C functions called by hand; a dial at 0 against the model that it is.
  subroutine test_network
    use attopotts_c
    type(atp_trainer) :: learner, again
    type(atp_model) :: model
    type(watcher) :: watch
    type(c_ptr) :: handle
    real(c_double), allocatable, target :: x(:), y(:), g(:), one(:)
    real(c_double), target :: p(q, L, N), by_hand(q, L, N), maps(L, L, 2), maps_by_hand(L, L, 2), found
    real(c_double) :: loss, sides(2), mean(L), a(L, L, 1)
    integer(c_int8_t), allocatable :: state(:)
    integer(c_int8_t), pointer :: s(:, :)
    integer(c_int64_t) :: first, last, before
    integer :: i, j, k, masked(N), sign
    character(len=:), allocatable :: name
    call options%create(context, 'trainer', 'family=encoder blocks=2 width=6 batch=50 epochs=12 precision=64 seed=7')
    call learner%create(data, options)
    call check(trainer_bytes(context, N, L, q, options) > 0, 'bytes of a network')
    call learner%run(outcome=outcome)
    call check(outcome == ATP_OUTCOME_MAX_ITER .and. learner%epochs() == 12, 'an encoder is trained')
    s => data%sequences()
    call learner%conditionals(s, p)
    call learner%maps(data, maps)
    loss = learner%loss(data)
    call check(atp_trainer_create(context%address(), data%address(), options%address(), handle) == ATP_OK .and. &
      atp_trainer_run(handle, 12_c_int64_t, c_null_funptr, c_null_ptr, c_null_ptr) == ATP_OK .and. &
      atp_trainer_loss(handle, data%address(), c_loc(found)) == ATP_OK .and. &
      atp_trainer_conditionals(handle, c_loc(s), int(N, c_int64_t), int(L, c_int64_t), c_loc(by_hand), &
      size(by_hand, kind=c_int64_t)) == ATP_OK .and. &
      atp_trainer_maps(handle, data%address(), c_loc(maps_by_hand), size(maps, kind=c_int64_t)) == ATP_OK, &
      'the same by hand')
    call atp_trainer_destroy(handle)
    call check(loss == found .and. all(p == by_hand) .and. all(maps == maps_by_hand), 'the numbers of the C functions')
    call check(all(abs(sum(p, 1) - 1) < 1e-13) .and. all(abs(sum(maps, 1) - 1) < 1e-13), 'probabilities')
    call check(learner%map_count() == 2 .and. any(abs(maps - reshape(maps, shape(maps), order=[2, 1, 3])) > 1e-6), &
      'maps have rows')
    mean = 0
    do k = 1, N
      do i = 1, L
        mean(i) = mean(i) - log(p(s(i, k) + 1, i, k)) / N
      end do
    end do
    call close_to(loss, sum(mean) / L, 1e-12_c_double, 'loss of the conditionals')

    allocate (x(learner%parameter_count()), y(learner%parameter_count()), g(learner%parameter_count()))
    allocate (one(size(g)))
    call learner%parameters(x)
    call learner%gradient(loss, gradient=g)
    call close_to(loss, sum(mean) / L, 1e-12_c_double, 'loss with the gradient')
    y = 0
    do i = 1, L
      masked = i
      call learner%masked_gradient(masked, loss, gradient=one)
      call close_to(loss, mean(i), 1e-12_c_double, 'loss at a masked site')
      y = y + one / L
    end do
    call check(maxval(abs(y - g)) < 1e-12, 'the gradient is the mean over masked sites')
    do k = 1, size(x), 53
      do sign = 1, 2
        y = x
        y(k) = x(k) + merge(1e-5_c_double, -1e-5_c_double, sign == 1)
        call learner%set_parameters(y)
        sides(sign) = learner%loss(data)
      end do
      call close_to((sides(1) - sides(2)) / 2e-5_c_double, g(k), 1e-7_c_double, 'gradient of a network by differences')
    end do
    call check(learner%epochs() == 0, 'parameters that are set start afresh')
    before = 0
    do j = 1, int(learner%part_count())
      call learner%part(j, name, first, last)
      call check(first == before + 1 .and. last >= first .and. len(name) > 0, 'parts in a row')
      if (j == 1) call check(name == 'tokens' .and. last == (q + 1) * 6, 'tokens')
      if (j == 2) call check(name == 'block1.qkv' .and. last - first + 1 == 18 * 6, 'block1.qkv')
      before = last
    end do
    call check(before == size(x), 'parts are all parameters')

    include 'learner.inc'
    call check(watch%coupling_error /= watch%coupling_error, 'an encoder has no couplings')

    call options%create(context, 'trainer', 'family=dial dial=0 precision=64 epochs=20')
    call learner%create(data, options)
    call learner%set_test(data)
    call learner%set_truth(truth)
    watch%stop_at = huge(0)
    call learner%run(5, watch)
    call learner%model(model)
    call model%conditionals(s, by_hand)
    call learner%conditionals(s, p)
    call check(model%heads() == 1 .and. maxval(abs(p - by_hand)) < 1e-12, 'a dial at 0 is a model')
    call close_to(watch%coupling_error, model%coupling_error(truth), 1e-9_c_double, 'coupling error of a dial')
    call learner%maps(data, maps(:, :, :1))
    call model%maps(a)
    do i = 1, L
      maps(i, i, 1) = 0
    end do
    call check(maxval(abs(maps(:, :, 1) - a(:, :, 1))) < 1e-12, 'its map')
  end subroutine

  subroutine test_states
    integer(c_int8_t), allocatable :: state(:)
    integer(c_int8_t) :: one(L, 20), two(L, 20)
    type(atp_sampler) :: a, b
    call a%create(truth)
    call b%create(truth)
    call a%sweep(10)
    call a%save_state(state)
    call check(size(state) == a%state_bytes(), 'size of a state')
    call b%load_state(state)
    call a%sample(one)
    call b%sample(two)
    call check(all(one == two), 'a sampler goes on with the same numbers')
  end subroutine

  subroutine test_scores
    real(c_double) :: c(q, q, L, L), s(q, q), scores(L, L), corrected(L, L), row(L), distances(L, L), curve(2)
    real(c_double) :: energy(q, L), log(q, L), energies(2), logs(2), numbers(ATP_COMPARISON_COLUMNS, &
      ATP_COMPARISON_ROWS)
    real(c_double), allocatable :: values(:)
    integer(c_int64_t), allocatable :: pairs(:, :), places(:, :)
    integer(c_int64_t) :: counts(2)
    integer(c_int8_t) :: sequences(L, 2)
    type(atp_model) :: other
    real(c_double) :: overlap
    integer :: i, j, k, unit
    call truth%couplings(c)
    call truth%frobenius(scores)
    do i = 1, L
      do j = 1, L
        if (i == j) cycle
        s = (c(:, :, j, i) + transpose(c(:, :, i, j))) / 2
        s = s - spread(sum(s, 1) / q, 1, q) - spread(sum(s, 2) / q, 2, q) + sum(s) / q**2
        call close_to(scores(j, i), sqrt(sum(s**2)), 1e-12_c_double, 'Frobenius norm')
      end do
    end do
    corrected = scores
    call apc(corrected)
    row = sum(scores, 1) / (L - 1)
    call close_to(corrected(2, 5), scores(2, 5) - row(2) * row(5) / (sum(row) / L), 1e-12_c_double, 'APC')
    call rank_pairs(corrected, places)
    call check(size(places, 2) == 15 .and. all(places >= 1 .and. places <= L) .and. all(places(1, :) < places(2, &
      :)), 'pairs from 1')
    overlap = pairs_overlap(context, places, places(2:1:-1, 3:5))
    call close_to(overlap, 0.2_c_double, 1e-15_c_double, 'overlap')
    do k = 2, 15
      call check(corrected(places(1, k), places(2, k)) <= corrected(places(1, k - 1), places(2, k - 1)), &
        'largest first')
    end do
    call contacts(truth, pairs, values, count=3, separation=1, gap=-1)
    call check(all(pairs == places(:, :3)) .and. values(1) == corrected(places(1, 1), places(2, 1)), 'contacts')
    call other%create_random(context, 30, 4, seed=3)
    call contacts(other, pairs, values)
    call check(size(values) == 435 .and. all(pairs(:, 1) == [5, 19]) .and. other%gap_color() == -1, &
      'contacts of a model without a gap')
    call close_to(values(1), 1.75548377_c_double, 1e-8_c_double, 'the score of the program')
    call other%set_alphabet('-ACD')
    call contacts(other, pairs, values)
    call check(size(values) == 435 .and. all(pairs(:, 1) == [5, 19]) .and. other%gap_color() == 0, &
      'contacts of a model with a gap')
    call close_to(values(1), 1.172985382_c_double, 1e-8_c_double, 'the score of the program without the gap')
    call other%destroy()
    call rank_pairs(corrected, pairs, separation=4)
    call check(size(pairs, 2) == 3 .and. all(pairs(2, :) - pairs(1, :) >= 4), 'separation')
    open (newunit=unit, file=folder // '/distances', action='write', status='replace')
    do i = 1, L
      do j = i + 1, L
        write (unit, '(2i4, f6.1)') i, j, merge(5.0, 10.0, all(places(:, 1) == [i, j]))
      end do
    end do
    close (unit)
    call read_distances(context, folder // '/distances', distances, counts=counts)
    call check(all(counts == 15) .and. distances(places(1, 1), places(2, 1)) == 5, 'distances')
    call pairs_precision(places(:, :2), distances, curve)
    call check(all(curve == [1.0, 0.5]), 'precision')
    sequences = 0
    sequences(3, 2) = 3
    call truth%mutants(sequences(:, 1), energy, log)
    call truth%energies(sequences, energies)
    call truth%log_pseudolikelihoods(sequences, logs)
    call close_to(energy(4, 3), energies(2) - energies(1), 1e-12_c_double, 'energy of a mutant')
    call close_to(log(4, 3), logs(2) - logs(1), 1e-12_c_double, 'log pseudo-likelihood of a mutant')
    call test_mutations
    call compare_statistics(data, data, numbers)
    call close_to(numbers(ATP_COMPARISON_PEARSON, ATP_COMPARISON_PAIRS), 1.0_c_double, 1e-12_c_double, &
      'statistics of itself')
    call close_to(numbers(ATP_COMPARISON_SLOPE, ATP_COMPARISON_COVARIANCES), 1.0_c_double, 1e-12_c_double, &
      'slope of itself')
    call test_quality(data)
  end subroutine

  !> Data as samples are copies of themselves, with the same coordinates.
  subroutine test_quality(data)
    type(atp_alignment), intent(in) :: data
    type(atp_table) :: quality, distances
    real(c_double) :: found(ATP_QUALITY_COLUMNS, ATP_QUALITY_ROWS), variances(2)
    real(c_double), allocatable :: coordinates(:, :)
    call quality%create(context, 'quality', 32)
    call distances%create(context, 'distances', int(data%sites()) + 1)
    call samples_quality(data, data, quality, distances)
    call quality%values(found)
    call check(found(ATP_QUALITY_SAMPLES, ATP_QUALITY_COPIES + 1) == 1, 'copies')
    call check(distances%rows() == data%sites() + 1, 'a row for each number of differing sites')
    allocate (coordinates(2, 2 * data%count()))
    call principal_components(data, coordinates, variances, data)
    call check(all(coordinates(:, :data%count()) == coordinates(:, data%count() + 1:)), 'coordinates of the data as samples')
    call check(variances(1) > variances(2), 'variances along principal components')
  end subroutine

  !> Texts of mutants, their scores, double mutants, independent sites and columns.
  subroutine test_mutations
    type(atp_alignment) :: family, whole, part
    type(atp_model) :: texts, independent
    type(atp_table) :: measured
    integer(c_int8_t) :: wild(5), mutated(5, 3)
    integer(c_int64_t) :: changes(3, 4), count, doubles(4, 2), k, offset(4)
    real(c_double) :: scores(2, 2), sites(2, 2), energies(3), pair(4, 4, 1), lowest(2), again(2), apart(2), alone(4, 5), interval(3)
    call family%parse(context, '>w' // new_line('a') // '-ACDA' // new_line('a') // '>x' // new_line('a') // 'AACDA', '-ACD')
    call family%set_columns([1_c_int64_t, 2_c_int64_t, 4_c_int64_t, 5_c_int64_t, 8_c_int64_t], 9_c_int64_t)
    call texts%create_random(context, 5, 4, seed=3)
    call texts%set_alphabet('-ACD')
    call independent%create_independent(context, family)
    call check(independent%total_columns() == 9 .and. all(independent%columns() == [1, 2, 4, 5, 8]), 'columns of a model')
    wild = [1_c_int8_t, 1_c_int8_t, 2_c_int8_t, 3_c_int8_t, 1_c_int8_t]
    call texts%parse_mutations(wild, 'A1D' // new_line('a') // 'A2C/C3-', changes, count)
    call check(count == 3 .and. all(changes(:, 3) == [1, 2, 0]), 'mutations of a text')
    call texts%mutations_offset(wild, 'A11D' // new_line('a') // 'C13A', offset)
    call check(all(offset == [2, 0, -10, 2]), 'offset of the numbers of a list')
    call texts%score_mutants(wild, changes(:, :count), scores)
    call independent%score_mutants(wild, changes(:, :count), sites)
    mutated = spread(wild, 2, 3)
    mutated(1, 2) = 3_c_int8_t
    mutated(2:3, 3) = [2_c_int8_t, 0_c_int8_t]
    call texts%energies(mutated, energies)
    call close_to(scores(1, 1), energies(2) - energies(1), 1e-12_c_double, 'energy of a mutant of a list')
    call close_to(scores(1, 2), energies(3) - energies(1), 1e-12_c_double, 'energy of a double mutant')
    call texts%double_mutants(wild, reshape([2_c_int64_t, 3_c_int64_t], [2, 1]), pair)
    call close_to(pair(1, 3, 1), scores(1, 2), 1e-12_c_double, 'energies of a pair of sites')
    call texts%best_doubles(wild, doubles, lowest, gap=-1)
    call texts%epistasis(wild, doubles, again, apart)
    call check(all(again == lowest), 'double mutants one by one')
    call check(count_within_errors(lowest, again, 0 * again, 1.0_c_double) == 2, 'numbers within their errors')
    call texts%mutants(wild, alone)
    do k = 1, size(lowest)
      call close_to(apart(k), lowest(k) - alone(doubles(2, k) + 1, doubles(1, k) + 1) - &
          alone(doubles(4, k) + 1, doubles(3, k) + 1), 1e-12_c_double, 'epistasis')
    end do
    mutated(:, 2) = wild
    mutated(doubles(1, 1) + 1, 2) = int(doubles(2, 1), c_int8_t)
    mutated(doubles(3, 1) + 1, 2) = int(doubles(4, 1), c_int8_t)
    call texts%energies(mutated, energies)
    call close_to(lowest(1), energies(2) - energies(1), 1e-12_c_double, 'the lowest double mutant')
    call check(lowest(1) <= lowest(2) .and. sites(1, 1) > 0, 'order of double mutants, score by independent sites')
    call whole%parse(context, '>a' // new_line('a') // '-ACDACDAC', '-ACD')
    call alignment_for_model(whole, independent, part)
    call check(part%sites() == 5 .and. part%total_columns() == 9, 'sequences for a model')
    call part%destroy()
    call part%match(whole, family)
    call check(all(part%columns() == [1, 2, 4, 5, 8]), 'sequences with the columns of others')
    call agreement_interval(context, 'spearman', [1.0_c_double, 2.0_c_double, 3.0_c_double, 4.0_c_double], &
      [2.0_c_double, 1.0_c_double, 4.0_c_double, 3.0_c_double], [0_c_int64_t, 1_c_int64_t, 1_c_int64_t], interval)
    call close_to(interval(1), 0.6_c_double, 1e-12_c_double, 'a rank correlation')
    call measured%create(context, 'measured', 8)
    call mutants_agreement([1.0_c_double, 2.0_c_double, 3.0_c_double], [1.0_c_double, 4.0_c_double, 9.0_c_double], &
      [1_c_int64_t, 1_c_int64_t, 1_c_int64_t], [0_c_int64_t, 1_c_int64_t, 0_c_int64_t], 2.0_c_double, measured)
    call check(measured%rows() == 4, 'measures of mutants')
    call measured%destroy()
  end subroutine

  !> Two spins: the variance of the logit times M is 1 / (p (1 - p)).
  subroutine test_asymptotics
    type(atp_model) :: model
    type(atp_table) :: table
    type(atp_alignment) :: states
    real(c_double) :: couplings(2, 2, 2, 2), errors(2, 2, 2, 2), scores(2, 2, 2), excess(1), p
    real(c_double), parameter :: c = 0.9_c_double
    p = 1 / (1 + exp(-c))
    couplings = 0
    couplings(:, :, 1, 2) = reshape([c, -c, -c, c] / 2, [2, 2])
    couplings(:, :, 2, 1) = couplings(:, :, 1, 2)
    call model%create_dense(context, couplings, spread([0.0_c_double, 0.0_c_double], 2, 2))
    call options%create(context, 'asymptotics', 'samples=50')
    call table%create(context, 'asymptotics', 1)
    call asymptotics(model, table=table, errors=errors, options=options)
    excess = table%column('excess')
    call close_to(excess(1), 4 / (2 * 2 * 50.0_c_double), 1e-9_c_double, 'excess of two spins')
    call close_to(errors(1, 1, 2, 1), 0.5_c_double / sqrt(50 * p * (1 - p)), 1e-9_c_double, 'errors of two spins')
    call states%create(context, reshape(int([0, 0, 0, 1, 1, 0, 1, 1], c_int8_t), [2, 4]), 2, weights=25 * [p, 1 - p, 1 - p, p])
    call options%create(context, 'asymptotics', 'l2-couplings=1e-6 l2-fields=1e-6')
    call score_errors(model, states, scores, options)
    call close_to(scores(1, 2, 1), 2 * errors(1, 1, 2, 1), 1e-3_c_double, 'errors of scores')
    call check(asymptotics_bytes(model, 4) > 0 .and. score_errors_bytes(model, 4) > 0, 'bytes of errors')
    call table%destroy()
  end subroutine

  !> Mutual information by its definition, Gaussian norms as those of the mean-field couplings.
  subroutine test_methods_without_training
    integer(c_int8_t) :: s(2, 8)
    type(atp_alignment) :: few
    type(atp_model) :: model
    real(c_double) :: p(0:1, 0:1), scores(2, 2), norms(2, 2), f(2, 2), expected
    integer :: a, b, k
    s(1, :) = int([0, 0, 0, 0, 1, 1, 1, 1], c_int8_t)
    s(2, :) = int([0, 0, 0, 1, 1, 1, 0, 1], c_int8_t)
    call few%create(context, s, 2)
    p = 0
    do k = 1, 8
      p(s(1, k), s(2, k)) = p(s(1, k), s(2, k)) + 0.125_c_double
    end do
    expected = 0
    do a = 0, 1
      do b = 0, 1
        expected = expected + p(a, b) * log(p(a, b) / (sum(p(a, :)) * sum(p(:, b))))
      end do
    end do
    call mutual_information(few, scores)
    call close_to(scores(1, 2), expected, 1e-12_c_double, 'mutual information')
    call options%create(context, 'mean_field', 'pseudocount=0.8 precision=64')
    call model%create_mean_field(few, options)
    call model%frobenius(norms)
    call options%create(context, 'gaussian', 'pseudocount=0.8 precision=64')
    call gaussian_scores(few, scores, options=options)
    call close_to(scores(1, 2), norms(1, 2), 1e-12_c_double, 'Gaussian norms')
    f = 0.5_c_double
    call model%direct_information(f, scores)
    call gaussian_scores(few, norms, score='di')
    call check(scores(1, 2) > 0 .and. norms(1, 2) > 0, 'direct information')
    call options%create(context, 'mean_field', 'precision=64')
    call check(mean_field_bytes(context, 8, 20, 4) < &
      mean_field_bytes(context, 8, 20, 4, options), 'bytes of mean-field couplings')
  end subroutine

  !> The log outlives the variable that the trainer was given.
  subroutine test_log
    type(atp_table) :: log
    type(atp_trainer) :: trainer
    call options%create(context, 'trainer', 'epochs=5 tolerance=0')
    call trainer%create(data, options)
    call log%create(context, 'training_log', 5)
    call trainer%set_log(log)
    call trainer%run(3)
    call check(all(log%column('epoch') == [1, 2, 3]) .and. all(ieee_is_nan(log%column('test_loss'))), 'a log of training')
    call log%destroy()
    call trainer%run(1)
    call trainer%set_log()
    call trainer%run()
    call check(trainer%epochs() == 5, 'a trainer without a log')
  end subroutine

  subroutine test_options
    integer(c_int64_t) :: number
    real(c_double) :: lowest, highest, initial, real_number
    logical :: whole
    integer :: k, owner
    call options%create(context, 'trainer')
    call options%set('l2_colors', 0.5_c_double)
    call options%set('map', 'softmax')
    call options%set('fields', .true.)
    call options%set('seed', 2_c_int64_t**40)
    call options%get('map', number)
    call check(number == ATP_MAP_SOFTMAX, 'a word')
    call options%get('seed', number)
    call check(number == 2_c_int64_t**40, 'a long integer')
    call options%get('l2-colors', real_number)
    call check(real_number == 0.5_c_double, 'a real')
    call options%set_all('optimizer=ADAM,rate=1e-2  objective=pseudolikelihood')
    call options%get('optimizer', number)
    call options%get('rate', real_number)
    call check(number == ATP_OPTIMIZER_ADAM .and. real_number == 0.01_c_double, 'several at once')
    call options%reset()
    call check(options%owner() == ATP_OWNER_TRAINER, 'an owner')
    call options%set('blocks', 3)
    call options%set('beta', 3, stat, errmsg)
    call fails(ATP_E_OPTION, 'a trainer has no option beta: a sampler has it')
    call options%reset()
    call options%get('optimizer', number)
    call check(number == 0, 'reset')
    call option_bounds(int(ATP_OWNER_TRAINER), 'heads', lowest, highest, initial, whole)
    call check(lowest == 1 .and. highest > 1 .and. initial == 1 .and. whole, 'bounds')
    owner = int(ATP_OWNER_TRAINER)
    do k = 1, int(option_count(owner))
      call check(len(option_name(option_at(owner, k))) > 0 .and. len(option_text(owner, option_at(owner, k))) > 0, &
        'names and texts of options')
    end do
    call check(option_at(owner, int(option_count(owner)) + 1) == -1, 'past the last option')
    call check(option_owner_name(owner) == 'a trainer' .and. option_owner_at(1) == ATP_OWNER_SAMPLER, 'owners')
  end subroutine

  subroutine test_library
    integer(c_int64_t) :: count, bytes
    type(atp_context) :: other
    call check(library_version_number() >= 100 .and. index(library_version(), '.') > 0, 'version')
    call check(library_abi_version() == ATP_HEADERS_ABI .and. len(blas_description()) > 0, 'about the library')
    call check(simd_target(1) == 'scalar' .and. simd_target(100) == '', 'SIMD targets')
    call other%create(threads=2, simd='scalar')
    call check(other%simd() == 'scalar' .and. (other%threads() == 2 .or. .not. has_feature('threads')), &
      'threads and SIMD target')
    call other%set_threads(1)
    call other%set_simd('auto')
    call check(other%threads() == 1, 'threads are set')
    call other%memory(count, bytes)
    call check(count >= 0 .and. bytes >= 0, 'memory')
    call other%set_memory_limit(bytes + 10000)
    call other%memory_limit(count, bytes)
    call check(count >= 10000 .and. bytes == 10000, 'memory limit')
    call other%set_memory_limit(0_c_int64_t)
    call check(status_name(ATP_E_VALUE) == 'ATP_E_VALUE' .and. len(status_text(ATP_E_VALUE)) > 0, 'names of statuses')
  end subroutine

  !> Two handles in two threads give the numbers of one after the other; the model is read by both.
  subroutine test_threads
    integer(c_int8_t) :: alone(L, 400, 2), together(L, 400, 2)
    integer :: k
    do k = 1, 2
      call work(k, alone(:, :, k))
    end do
    !$omp parallel do num_threads(2) schedule(static, 1)
    do k = 1, 2
      call work(k, together(:, :, k))
    end do
    !$omp end parallel do
    call check(all(alone == together) .and. any(alone(:, :, 1) /= alone(:, :, 2)), 'two threads')
  end subroutine

  !> Rows in any order, random rows, an alignment by its bytes, options as text, numbers of default kinds.
  subroutine test_rows_and_bytes
    type(atp_alignment) :: some, more, back
    type(atp_options) :: again
    integer(c_int8_t), allocatable :: state(:)
    integer(c_int8_t), pointer :: all(:, :), found(:, :)
    real(c_double) :: counts(N), weights(N)
    real(c_double), pointer :: kept(:)
    integer :: k
    call data%set_weights([(0.1_c_double * k, k=1, N)])
    all => data%sequences()
    call some%take(data, int([5, 2, 2, N], c_int64_t))
    found => some%sequences()
    kept => some%weights()
    call check(all_equal(found, all(:, [5, 2, 2, N])), 'rows in any order')
    call check(maxval(abs(kept - 0.1_c_double * [5, 2, 2, N])) < 1e-13, 'rows keep their weights')
    call some%destroy()
    call some%sample(data, 20, seed=4)
    call more%sample(data, 60, seed=4)
    kept => some%weights()
    call check(some%count() == 20 .and. more%count() == 60 .and. all_in(kept, more%weights()), 'a sample is a part of a larger one')
    ! A bootstrap sample: as often as its weights count.
    call back%sample(data, N, replace=1, seed=7)
    call data%resample(7, 0, weights)
    kept => back%weights()
    counts = [(count(abs(kept - 0.1_c_double * k) < 1e-13), k=1, N)]
    call check(maxval(abs(counts * [(0.1_c_double * k, k=1, N)] - weights)) < 1e-9, 'a bootstrap sample')
    call back%destroy()
    call data%set_origin('of a test')
    call data%save_state(state)
    call back%from_state(context, state)
    call check(back%count() == N .and. back%origin() == 'of a test', 'an alignment by its bytes')
    call check(all_equal(back%sequences(), all), 'sequences by their bytes')
    call back%destroy()
    state(size(state) - 30) = not(state(size(state) - 30))
    call back%from_state(context, state, stat, errmsg)
    call fails(ATP_E_CHECKSUM, '[alignment%from_state]')
    call data%set_weights([(1.0_c_double, k=1, N)])
    call options%create(context, 'trainer', 'optimizer=adam rate=0.5')
    call options%set('l2-couplings', 0.25)  ! a default real
    call check(index(options%settings(), 'l2-couplings=0.25') > 0, 'options as text')
    call again%create(context, 'trainer', options%settings())
    call check(again%settings() == options%settings(), 'options from their text')
  end subroutine

  pure logical function all_equal(a, b)
    integer(c_int8_t), intent(in) :: a(:, :), b(:, :)
    all_equal = all(shape(a) == shape(b))
    if (all_equal) all_equal = all(a == b)
  end function

  pure logical function all_in(a, b)
    real(c_double), intent(in) :: a(:), b(:)
    integer :: k
    all_in = all([(any(b == a(k)), k=1, size(a))])
  end function

  recursive subroutine work(seed, sequences)
    integer, intent(in) :: seed
    integer(c_int8_t), intent(inout) :: sequences(:, :)
    type(atp_context) :: mine
    type(atp_options) :: options
    type(atp_sampler) :: sampler
    type(atp_trainer) :: trainer
    integer :: k
    call mine%create(threads=1)
    call options%create(mine, 'sampler')
    call options%set('seed', seed)
    call sampler%create(truth, options, mine)
    do k = 1, 20
      call sampler%sample(sequences, thin=5)
      call trainer%create(data, context=mine)  ! the alignment is shared
      call trainer%run(1)
    end do
  end subroutine
end program test_numbers
