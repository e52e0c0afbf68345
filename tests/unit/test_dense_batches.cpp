// SPDX-License-Identifier: MIT
// Dense couplings by SGD and Adam: a step against the gradient of the batch alone, the optimum of L-BFGS, threads and saved states.
#include "dense_problem.hpp"

#include "math/optim/stochastic.hpp"

#include <algorithm>
#include <string>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

Options options_of(int optimizer, int precision, double batch, double epochs, double rate) {
  return dense_options({{ATP_OPT_OPTIMIZER, optimizer},
                        {ATP_OPT_PRECISION, precision},
                        {ATP_OPT_BATCH, batch},
                        {ATP_OPT_EPOCHS, epochs},
                        {ATP_OPT_RATE, rate},
                        {ATP_OPT_L2_COUPLINGS, 0.6},
                        {ATP_OPT_L2_FIELDS, 0.1},
                        {ATP_OPT_TOLERANCE, 0},
                        {ATP_OPT_SEED, 5}});
}

// The weight of the predicted sites of some sequences, and the sum of the derivatives of their losses: of a trainer of these sequences
// alone, whose batch is all of its data.
double sum_of_slopes(const DenseProblem &p, const std::vector<int64_t> &rows, int gaps, const Vector &x, Vector &sum) {
  const int64_t L = p.data->sites();
  DenseProblem part(static_cast<int64_t>(rows.size()), L, p.data->colors());
  double weight = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    const uint8_t *s = p.data->sequence(rows[k]);
    std::copy_n(s, L, part.data->own_sequences.data() + static_cast<int64_t>(k) * L);
    const double w = part.data->weights[static_cast<int64_t>(k)] = p.data->weights[rows[k]];
    weight += w * static_cast<double>(gaps == ATP_GAPS_IGNORE ? L - std::count(s, s + L, 0) : L);
  }
  Trainer &t =
      part.trainer(dense_options({{ATP_OPT_PRECISION, 64}, {ATP_OPT_GAPS, gaps}, {ATP_OPT_L2_COUPLINGS, 0}, {ATP_OPT_L2_FIELDS, 0}}));
  set(t, x);
  sum = gradient_of(t);
  return weight;
}

// An epoch of SGD in three batches, the last of them smaller.
void steps_of_an_epoch(void **) {
  const int64_t count = 25, batch = 10, L = 5, colors = 4;
  for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE}) {
    const int64_t q = colors - (gaps == ATP_GAPS_IGNORE ? 1 : 0);
    DenseProblem p(count, L, colors, best_target());
    Options options = options_of(ATP_OPTIMIZER_SGD, 64, batch, 1, 0.7);
    options.set(ATP_OPT_GAPS, int64_t{gaps});
    Trainer &t = p.trainer(options);
    Vector x = DenseProblem::parameters(t, 0.3), slopes;
    set(t, x);
    std::vector<int64_t> order(static_cast<size_t>(count));
    shuffle(5, 0, {order.data(), count});
    const double all = sum_of_slopes(p, order, gaps, x, slopes);
    for (int64_t step = 0; step < 3; ++step) {
      const auto first = order.begin() + step * batch, last = order.begin() + std::min(count, (step + 1) * batch);
      const double weight = sum_of_slopes(p, {first, last}, gaps, x, slopes), rate = 0.35 * (1 + cos(M_PI * static_cast<double>(step) / 3));
      for (int64_t k = 0; k < static_cast<int64_t>(x.size()); ++k) {
        double &value = x[static_cast<size_t>(k)];
        value -= rate * (slopes[static_cast<size_t>(k)] / weight + 2 * (k < L * q ? 0.1 : 0.6) * value / all);
      }
    }
    assert_int_equal(run_all(t, 10), ATP_OUTCOME_MAX_ITER);
    const Vector found = parameters_of(t);
    for (size_t k = 0; k < x.size(); ++k) assert_close(found[k], x[k], 1e-10, 1e-12);
  }
}

// Adam with annealing ends where L-BFGS does, with all pairs and with a list.
void ends_at_the_optimum(void **) {
  for (bool listed : {false, true}) {
    DenseProblem p(400, 8, 4, best_target());
    const Pairs pairs = p.some_pairs(3);
    const auto make = [&](const Options &options) -> Trainer & { return listed ? p.trainer(options, pairs) : p.trainer(options); };
    Options exact = options_of(ATP_OPTIMIZER_ADAM, 64, 40, 500, 0);
    exact.set(ATP_OPT_OPTIMIZER, int64_t{ATP_OPTIMIZER_LBFGS});
    exact.set(ATP_OPT_TOLERANCE, 1e-6);
    Trainer &best = make(exact), &adam = make(options_of(ATP_OPTIMIZER_ADAM, 32, 40, 300, 0.02));
    double lowest = NAN, start = NAN, end = NAN;
    start = adam.evaluate({}).objective;
    assert_int_equal(run_all(best, 500), ATP_OUTCOME_CONVERGED);
    assert_int_equal(run_all(adam, 300), ATP_OUTCOME_MAX_ITER);
    lowest = best.evaluate({}).objective;
    end = adam.evaluate({}).objective;
    const Vector x = parameters_of(best), y = parameters_of(adam);
    double distance = 0, size = 0;
    for (size_t k = 32; k < x.size(); ++k) {  // the couplings
      distance += (x[k] - y[k]) * (x[k] - y[k]);
      size += x[k] * x[k];
    }
    print_message("objective %.6f at the start, %.6f by Adam, %.6f by L-BFGS; couplings off by %.2g\n", start, end, lowest,
                  sqrt(distance / size));
    assert_true(start - lowest > 10);
    assert_true(end >= lowest * (1 - 1e-7) && end - lowest < 1e-3 * (start - lowest));
    assert_true(distance < 0.05 * 0.05 * size);
  }
}

std::vector<char> state_of(const Trainer &t) {
  std::vector<char> state(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(state.data(), static_cast<int64_t>(state.size()));
  return state;
}

int stop_after(const atp_progress *progress, void *user) { return progress->values[ATP_PROGRESS_STEP] >= *static_cast<int64_t *>(user); }

void threads_and_saved_states(void **) {
  for (int optimizer : {ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM})
    for (int precision : {32, 64})
      for (int listed : {0, 1}) {
        Vector first;
        for (int threads : {1, 2, 3}) {
          DenseProblem p(130, 9, 4, best_target());
          p.context.threads = threads;
          const Options options = options_of(optimizer, precision, 30, 6, optimizer == ATP_OPTIMIZER_SGD ? 0.5 : 0.05);
          const Pairs pairs = p.some_pairs(2);
          const auto make = [&]() -> Trainer & { return listed != 0 ? p.trainer(options, pairs) : p.trainer(options); };
          Trainer &whole = make(), &halves = make(), &later = make();
          run_all(whole, 100);
          int64_t stop = 2;
          assert_int_equal(run_all(halves, 100, stop_after, &stop), ATP_OUTCOME_CANCELLED);
          halves.stop().request();  // before its next step
          run_all(halves, 100);
          const std::vector<char> saved = state_of(halves);
          later.load(saved.data(), static_cast<int64_t>(saved.size()));
          assert_int_equal(later.epochs(), 2);
          assert_int_equal(run_all(later, 100), ATP_OUTCOME_MAX_ITER);
          assert_true(parameters_of(later) == parameters_of(whole));
          assert_true(state_of(later) == state_of(whole));
          if (threads == 1) first = parameters_of(whole);
          assert_true(parameters_of(whole) == first);
        }
      }
}

std::string refusal(Trainer &t, const std::vector<char> &state) {
  try {
    t.load(state.data(), static_cast<int64_t>(state.size()));
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_MISMATCH);
    return e.what();
  }
  return "";
}

void states_of_others(void **) {
  DenseProblem p(60, 5, 3, best_target());
  Trainer &t = p.trainer(options_of(ATP_OPTIMIZER_ADAM, 64, 20, 6, 0.05));
  const std::vector<char> adam = state_of(t), rate = state_of(p.trainer(options_of(ATP_OPTIMIZER_ADAM, 64, 20, 6, 0.06))),
                          batch = state_of(p.trainer(options_of(ATP_OPTIMIZER_ADAM, 64, 30, 6, 0.05)));
  Options exact = options_of(ATP_OPTIMIZER_LBFGS, 64, 100, 6, 0);
  Trainer &lbfgs = p.trainer(exact);
  assert_true(refusal(t, adam).empty());
  assert_non_null(strstr(refusal(t, rate).c_str(), "the state has rate 0.0"));
  assert_non_null(strstr(refusal(t, batch).c_str(), "the state has batch 30, the trainer has 20"));
  assert_non_null(strstr(refusal(t, state_of(lbfgs)).c_str(), "the state has optimizer lbfgs, the trainer has adam"));
  assert_non_null(strstr(refusal(lbfgs, adam).c_str(), "the state has optimizer adam, the trainer has lbfgs"));
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(steps_of_an_epoch),
      cmocka_unit_test(ends_at_the_optimum),
      cmocka_unit_test(threads_and_saved_states),
      cmocka_unit_test(states_of_others),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
