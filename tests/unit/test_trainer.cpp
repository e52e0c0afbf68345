// SPDX-License-Identifier: MIT
// What a trainer learns: against exact enumeration, against Fisher information, and one optimiser against the other.
#include "small_matrix.hpp"
#include "small_potts.hpp"

#include "potts/coupling_error.hpp"
#include "math/optim/vector.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

double squared_error(const Trainer &t, const Model &truth) {
  double sum = 0;
  for (int64_t k = 0; k < truth.maps.size(); ++k) {
    const double d = parameters_in(t)[k] - truth.beta * truth.maps[k];
    sum += d * d;
  }
  return sum;
}

// With V = U fixed the rows of A are independent logistic regressions: Cov(A_i) = I_i^-1 / M with the Fisher information
//   I_i(j, k) = < sum_a p_a U(a, s_j) U(a, s_k) - (sum_a p_a U(a, s_j)) (sum_a p_a U(a, s_k)) >.
// Returns sum_i tr I_i^-1 and, for the spread, sum_i tr I_i^-2.
void fisher(const SmallPotts &p, double *trace, double *square) {
  const int64_t L = p.truth->sites(), q = p.truth->colors(), N = p.states->count();
  const double *U = p.truth->values.data();
  Vector conditional(static_cast<size_t>(N * L * q));
  conditionals(*p.truth, p.states->sequences.data(), N, conditional.data());
  *trace = *square = 0;
  for (int64_t i = 0; i < L; ++i) {
    const int64_t n = L - 1;
    small::Matrix info(static_cast<int>(n), static_cast<int>(n));
    for (int64_t s = 0; s < N; ++s) {
      const uint8_t *x = p.states->sequence(s);
      const double *pr = conditional.data() + (s * L + i) * q;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k) {
          const uint8_t b = x[j + (j >= i)], c = x[k + (k >= i)];
          double both = 0, one = 0, other = 0;
          for (int64_t a = 0; a < q; ++a) {
            both += pr[a] * U[a * q + b] * U[a * q + c];
            one += pr[a] * U[a * q + b];
            other += pr[a] * U[a * q + c];
          }
          info.x[static_cast<size_t>(j * n + k)] += p.states->weights[s] * (both - one * other);
        }
    }
    const small::Matrix inverse = small::inverse(info);
    for (int64_t j = 0; j < n; ++j) {
      *trace += inverse.x[static_cast<size_t>(j * n + j)];
      for (int64_t k = 0; k < n; ++k) *square += inverse.x[static_cast<size_t>(j * n + k)] * inverse.x[static_cast<size_t>(k * n + j)];
    }
  }
}

void learns_the_truth_from_exact_weights(void **) {
  // All states with weights P(s): the minimum is the truth itself, A = beta J.
  SmallPotts p(5, 4, 0.8, 3);
  Trainer *t = p.trainer(*p.states, options_of({{ATP_OPT_COLORS_FIXED, 1}, {ATP_OPT_PRECISION, 64}, {ATP_OPT_TOLERANCE, 1e-10}}));
  assert_int_equal(run(*t, 200), ATP_OUTCOME_CONVERGED);
  assert_true(squared_error(*t, *p.truth) < 1e-16);
  const double optimal = mean_loss(*p.truth, p.states->sequences.data(), p.states->weights.data(), p.states->count());
  assert_close(t->loss(*p.states), optimal, 0, 1e-14);
}

void errors_are_those_of_fisher_information(void **) {
  SmallPotts p(6, 3, 0.8, 5);
  double trace, square;
  fisher(p, &trace, &square);
  const double optimal = mean_loss(*p.truth, p.states->sequences.data(), p.states->weights.data(), p.states->count());
  const Options options = options_of({{ATP_OPT_COLORS_FIXED, 1}, {ATP_OPT_PRECISION, 64}, {ATP_OPT_TOLERANCE, 1e-8}});
  for (int64_t count : {4000, 40000}) {
    constexpr int kRepeats = 24;
    double error = 0, excess = 0;
    for (int r = 0; r < kRepeats; ++r) {
      Trainer *t = p.trainer(*p.counted_sample(count, static_cast<uint64_t>(10 + r)), options);
      assert_int_equal(run(*t, 200), ATP_OUTCOME_CONVERGED);
      error += squared_error(*t, *p.truth) / kRepeats;
      excess += (t->loss(*p.states) - optimal) / kRepeats;
    }
    // The mean of kRepeats has standard deviation sqrt(2 square / kRepeats) / count with independent rows, and at most sqrt(2) times as
    // much with A_ij = A_ji; the loss lies L (L-1) / (2 count) per sequence above the optimum. Four deviations,
    // twice: one false alarm in 8000 choices of seeds. The excess scatters by 8 per cent at most: a factor 2 is six deviations.
    const double m = static_cast<double>(count), deviation = sqrt(4 * square / kRepeats) / m, expected_excess = 5 / (2 * m);
    print_message("M = %d: |A - beta J|^2 = %.3g, Fisher %.3g +- %.2g; loss - optimum = %.3g, expected %.3g\n", static_cast<int>(count),
                  error, trace / m, deviation, excess, expected_excess);
    assert_true(fabs(error - trace / m) < 4 * deviation + 5 * trace / (m * sqrt(m)));
    assert_close(excess, expected_excess, 0.5, 0);
  }
}

void learns_colors_too(void **) {
  // V learned from a random start: the true conditionals come out, whatever the gauge.
  SmallPotts p(5, 4, 0.8, 3);
  const double optimal = mean_loss(*p.truth, p.states->sequences.data(), p.states->weights.data(), p.states->count());
  for (int seed = 1; seed <= 5; ++seed) {
    Trainer *t = p.trainer(*p.states,
                           options_of({{ATP_OPT_PRECISION, 64}, {ATP_OPT_TOLERANCE, 1e-9}, {ATP_OPT_EPOCHS, 1000}, {ATP_OPT_SEED, seed}}));
    const atp_outcome outcome = run(*t, 1000);
    print_message("seed %d: %s after %d iterations, loss - optimum = %.3g\n", seed,
                  outcome == ATP_OUTCOME_CONVERGED ? "converged" : "not converged", static_cast<int>(t->epochs()),
                  t->loss(*p.states) - optimal);
    assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    assert_close(t->loss(*p.states), optimal, 0, 1e-12);
    Model *model = t->make_model();
    Vector scratch(static_cast<size_t>(coupling_error_scratch(4)));
    const double error =
        coupling_error(couplings_of(*model), couplings_of(*p.truth), {scratch.data(), static_cast<int64_t>(scratch.size())});
    destroy_block(p.context.allocator, model);
    assert_true(error < 1e-12);
  }
}

void optimizers_agree(void **) {
  // Convex: V fixed, a small penalty. SGD and Adam anneal to the minimum that L-BFGS finds.
  SmallPotts p(6, 3, 0.7, 9);
  const Alignment *train = p.sample(400, 2);
  const auto options = [&](atp_optimizer optimizer, double rate, double momentum) {
    return options_of({{ATP_OPT_COLORS_FIXED, 1},
                       {ATP_OPT_OPTIMIZER, optimizer},
                       {ATP_OPT_RATE, rate},
                       {ATP_OPT_MOMENTUM, momentum},
                       {ATP_OPT_L2_COUPLINGS, 1e-3},
                       {ATP_OPT_EPOCHS, 300},
                       {ATP_OPT_BATCH, 100},
                       {ATP_OPT_PRECISION, 64}});
  };
  Trainer *lbfgs = p.trainer(*train, options(ATP_OPTIMIZER_LBFGS, 0, 0));
  assert_int_equal(run(*lbfgs, 300), ATP_OUTCOME_CONVERGED);
  const double best = lbfgs->evaluate({}).objective;
  const struct {
    atp_optimizer optimizer;
    double rate, momentum;
  } others[] = {{ATP_OPTIMIZER_SGD, 1, 0}, {ATP_OPTIMIZER_SGD, 0.1, 0.9}, {ATP_OPTIMIZER_ADAM, 0.01, 0}};
  for (const auto &o : others) {
    Trainer *t = p.trainer(*train, options(o.optimizer, o.rate, o.momentum));
    const atp_outcome outcome = run(*t, 300);
    assert_true(outcome == ATP_OUTCOME_MAX_ITER || outcome == ATP_OUTCOME_CONVERGED);
    const double value = t->evaluate({}).objective;
    double distance = 0;
    for (int64_t k = 0; k < parameters_in(*t).size(); ++k) distance = fmax(distance, fabs(parameters_in(*t)[k] - parameters_in(*lbfgs)[k]));
    print_message("optimiser %d: objective - minimum = %.3g, largest difference of a parameter %.3g\n", o.optimizer, value - best,
                  distance);
    assert_true(value - best < 1e-6);
    assert_true(distance < 5e-3);
  }
}

// A and V start small, where the gradient is small: a rate that is too low ends where it began. L-BFGS on the same data is the scale.
void default_rates_learn(void **) {
  SmallPotts p(6, 3, 1, 5);
  const Alignment *train = p.sample(1000, 2);
  Trainer *lbfgs = p.trainer(*train, options_of({{ATP_OPT_PRECISION, 64}}));
  run(*lbfgs, 200);
  const double best = lbfgs->loss(*train);
  for (atp_optimizer optimizer : {ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM}) {
    Trainer *t = p.trainer(*train, options_of({{ATP_OPT_OPTIMIZER, optimizer}, {ATP_OPT_PRECISION, 64}}));
    const double before = t->loss(*train);
    assert_int_equal(run(*t, 200), ATP_OUTCOME_MAX_ITER);
    const double after = t->loss(*train);
    print_message("optimiser %d: loss - minimum = %.3g, %.3g at the start\n", optimizer, after - best, before - best);
    assert_true(before - best > 0.05);
    assert_true(after - best < 1e-3);
  }
}

// SGD with masks, written out from the definitions of order, masks and schedule.
void sgd_epoch_by_hand(void **) {
  SmallPotts p(6, 3, 0.7, 9);
  const Alignment *train = p.sample(25, 2);
  for (bool masked : {false, true}) {
    const Options options = options_of({{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD},
                                        {ATP_OPT_RATE, 0.3},
                                        {ATP_OPT_EPOCHS, 4},
                                        {ATP_OPT_BATCH, 10},
                                        {ATP_OPT_SEED, 77},
                                        {ATP_OPT_PRECISION, 64},
                                        {ATP_OPT_L2_COUPLINGS, 0.01},
                                        {ATP_OPT_OBJECTIVE, masked ? ATP_OBJECTIVE_MLM : ATP_OBJECTIVE_PSEUDOLIKELIHOOD}});
    Trainer *t = p.trainer(*train, options), *by_hand = p.trainer(*train, options);
    const int64_t unknowns = parameters_in(*t).size();
    Vector x(parameters_in(*t).begin(), parameters_in(*t).end()), g(x.size());
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      std::vector<int64_t> order(25);
      for (int64_t k = 0; k < 25; ++k) order[static_cast<size_t>(k)] = k;
      const RandomView random(77, Stream::batch, 0, static_cast<uint64_t>(epoch)), mask(77, Stream::mask, 0, static_cast<uint64_t>(epoch));
      for (int64_t k = 24; k > 0; --k)
        std::swap(order[static_cast<size_t>(k)],
                  order[static_cast<size_t>(random.uniform(static_cast<uint64_t>(24 - k)) * static_cast<double>(k + 1))]);
      for (int step = 0; step < 3; ++step) {
        // A batch as weights 0 and 1 of the whole data: gradients of batches must be means over their sequences.
        const int64_t first = 10 * step, count = step < 2 ? 10 : 5;
        for (double &w : train->weights) w = 0;
        std::vector<int64_t> sites(25);
        for (int64_t k = first; k < first + count; ++k) train->weights[order[static_cast<size_t>(k)]] = 1;
        for (size_t n = 0; n < 25; ++n) sites[n] = static_cast<int64_t>(mask.word(n) * uint64_t{6} >> 32);
        by_hand->set_parameters({x.data(), unknowns});
        const Span<double> slope(g.data(), unknowns);
        masked ? by_hand->evaluate_masked(sites.data(), slope) : by_hand->evaluate(slope);
        const double rate = 0.15 * (1 + std::cos(3.14159265358979323846 * static_cast<double>(3 * epoch + step) / 12));
        for (size_t k = 0; k < x.size(); ++k) x[k] -= rate * g[k];
      }
      for (double &w : train->weights) w = 1;
      run(*t, 1);
      for (size_t k = 0; k < x.size(); ++k) assert_close(parameters_in(*t)[static_cast<int64_t>(k)], x[k], 1e-12, 1e-14);
    }
  }
}

void diverges_honestly(void **) {
  SmallPotts p(6, 3, 0.7, 9);
  const Alignment *train = p.sample(300, 2);
  const Options options =
      options_of({{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {ATP_OPT_RATE, 1e6}, {ATP_OPT_EPOCHS, 50}, {ATP_OPT_BATCH, 100}});
  Trainer *t = p.trainer(*train, options);
  assert_int_equal(run(*t, 50), ATP_OUTCOME_DIVERGED);
  assert_true(all_finite(parameters_in(*t)));
  assert_true(t->epochs() < 50);
  print_message("diverged after %d epochs\n", static_cast<int>(t->epochs()));
  // They are the parameters after the last finite epoch, and stay so.
  Trainer *again = p.trainer(*train, options);
  run(*again, t->epochs());
  assert_memory_equal(parameters_in(*again).data(), parameters_in(*t).data(),
                      sizeof(double) * static_cast<size_t>(parameters_in(*t).size()));
  assert_int_equal(run(*t, 50), ATP_OUTCOME_DIVERGED);
}

struct Log {
  Vector values[atp_progress::kKeys];
};

int keep(const atp_progress *progress, void *user) {
  for (int k = 0; k < atp_progress::kKeys; ++k) static_cast<Log *>(user)->values[k].push_back(progress->values[k]);
  return 0;
}

void reports_are_what_they_say(void **) {
  SmallPotts p(6, 3, 0.7, 9);
  const Alignment *train = p.sample(500, 2), *test = p.sample(300, 3);
  const double optimal = mean_loss(*p.truth, test->sequences.data(), test->weights.data(), test->count());
  Trainer *t = p.trainer(*train, options_of({{ATP_OPT_L2_COUPLINGS, 0.01}, {ATP_OPT_EPOCHS, 30}, {ATP_OPT_PRECISION, 64}}));
  t->set_test(test);
  t->set_truth(p.truth);
  Log log;
  run(*t, 30, keep, &log);
  assert_int_equal(log.values[0].size(), t->epochs());
  Vector g(static_cast<size_t>(parameters_in(*t).size()));
  const Evaluation now = t->evaluate({g.data(), parameters_in(*t).size()});
  const double loss = now.loss;
  assert_close(log.values[ATP_PROGRESS_STEP].back(), static_cast<double>(t->epochs()), 0, 0);
  assert_close(log.values[ATP_PROGRESS_TOTAL].back(), 30, 0, 0);
  assert_close(log.values[ATP_PROGRESS_TRAIN_LOSS].back(), loss, 0, 0);
  assert_close(log.values[ATP_PROGRESS_OBJECTIVE].back(), now.objective, 0, 0);
  assert_close(log.values[ATP_PROGRESS_GRADIENT_NORM].back(), norm({g.data(), parameters_in(*t).size()}), 0, 0);
  assert_close(log.values[ATP_PROGRESS_TEST_LOSS].back(), t->loss(*test), 0, 0);
  assert_close(log.values[ATP_PROGRESS_OPTIMAL_LOSS].back(), optimal, 0, 0);
  Model *model = t->make_model();
  Vector scratch(static_cast<size_t>(coupling_error_scratch(3)));
  assert_close(log.values[ATP_PROGRESS_COUPLING_ERROR].back(),
               coupling_error(couplings_of(*model), couplings_of(*p.truth), {scratch.data(), static_cast<int64_t>(scratch.size())}), 0, 0);
  assert_close(mean_loss(*model, test->sequences.data(), test->weights.data(), test->count()), t->loss(*test), 1e-13, 0);
  destroy_block(p.context.allocator, model);
  assert_true(log.values[ATP_PROGRESS_SECONDS].back() > 0);
  assert_true(isnan(log.values[ATP_PROGRESS_ENERGY].back()));
  // Not asked for: not there.
  t = p.trainer(*train, options_of({{ATP_OPT_EPOCHS, 2}}));
  Log bare;
  run(*t, 2, keep, &bare);
  assert_true(isnan(bare.values[ATP_PROGRESS_TEST_LOSS].back()) && isnan(bare.values[ATP_PROGRESS_OPTIMAL_LOSS].back()));
  assert_true(isnan(bare.values[ATP_PROGRESS_COUPLING_ERROR].back()));
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(learns_the_truth_from_exact_weights),
      cmocka_unit_test(errors_are_those_of_fisher_information),
      cmocka_unit_test(learns_colors_too),
      cmocka_unit_test(optimizers_agree),
      cmocka_unit_test(default_rates_learn),
      cmocka_unit_test(sgd_epoch_by_hand),
      cmocka_unit_test(diverges_honestly),
      cmocka_unit_test(reports_are_what_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
