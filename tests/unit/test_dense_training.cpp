// SPDX-License-Identifier: MIT
// Training of dense couplings: what it finds against what is known exactly, float32 against float64, reports, saved states, ends.
#include "dense_problem.hpp"
#include "small_potts.hpp"

#include "base/philox.hpp"
#include "potts/coupling_error.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

struct Owned {
  ~Owned() { destroy_trainer(trainer); }
  Context *context;
  Trainer *trainer;
};

double error_of(const Trainer &t, const Model &truth) {
  Model *model = t.make_model();
  std::vector<double> scratch(static_cast<size_t>(coupling_error_scratch(truth.colors())));
  const double error = coupling_error(couplings_of(*model), couplings_of(truth), {scratch.data(), static_cast<int64_t>(scratch.size())});
  destroy_block(t.context->allocator, model);
  return error;
}

// Trained on the exact distribution without penalties, the minimum is the truth, in some gauge.
void finds_the_truth_in_exact_data(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  for (int precision : {64, 32})
    for (int asymmetric : {0, 1}) {
      const Owned t{&p.context, create_trainer(p.context,
                                               dense_options({{ATP_OPT_PRECISION, precision},
                                                              {ATP_OPT_ASYMMETRIC, asymmetric},
                                                              {ATP_OPT_L2_COUPLINGS, 0},
                                                              {ATP_OPT_L2_FIELDS, 0},
                                                              {ATP_OPT_EPOCHS, 2000},
                                                              {ATP_OPT_TOLERANCE, precision == 64 ? 1e-9 : 1e-6}}),
                                               *p.states)};
      const double without = error_of(*t.trainer, *p.truth);
      const atp_outcome outcome = run_all(*t.trainer, 2000);
      assert_true(outcome == ATP_OUTCOME_CONVERGED || (precision == 32 && outcome == ATP_OUTCOME_STALLED));
      const double error = error_of(*t.trainer, *p.truth);
      print_message("precision %d, asymmetric %d: coupling error %.3g, without couplings %.3g\n", precision, asymmetric, error, without);
      assert_true(without > 1e-3);
      assert_true(error < (precision == 64 ? 1e-12 : 1e-5));
      double loss = NAN;
      loss = t.trainer->evaluate({}).loss;
      assert_close(loss, mean_loss(*p.truth, p.states->sequences.data(), p.states->weights.data(), p.states->count()), 1e-6, 0);
    }
}

// The minimum does not depend on the precision, with gaps ignored or not. Couplings are compared in the model: fields have a direction, the
// same number for all colours, that only their small penalty holds.
void float32_finds_what_float64_finds(void **) {
  for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
    for (int asymmetric : {0, 1}) {
      DenseProblem p(600, 12, 5, best_target());
      Model *found[2];
      for (int k = 0; k < 2; ++k) {
        Trainer &t = p.trainer(dense_options({{ATP_OPT_PRECISION, k == 0 ? 64 : 32},
                                              {ATP_OPT_GAPS, gaps},
                                              {ATP_OPT_ASYMMETRIC, asymmetric},
                                              {ATP_OPT_L2_COUPLINGS, 0.5},
                                              {ATP_OPT_EPOCHS, 1000},
                                              {ATP_OPT_TOLERANCE, k == 0 ? 1e-6 : 2e-4}}));
        const atp_outcome outcome = run_all(t, 1000);
        assert_true(outcome == ATP_OUTCOME_CONVERGED || (k == 1 && outcome == ATP_OUTCOME_STALLED));
        found[k] = t.make_model();
      }
      double largest = 0, worst = 0;
      for (int64_t k = 0; k < found[0]->couplings.size(); ++k) {
        largest = fmax(largest, fabs(found[0]->couplings[k]));
        worst = fmax(worst, fabs(found[0]->couplings[k] - found[1]->couplings[k]));
      }
      for (Model *model : found) destroy_block(p.context.allocator, model);
      print_message("gaps %d, asymmetric %d: couplings up to %.3g, off by %.3g\n", gaps, asymmetric, largest, worst);
      assert_true(largest > 0.1);
      assert_true(worst < 1e-3);
    }
}

// The two-point correlations of the learned model, summed over all its states, against those of the samples that it learned from.
void reproduces_the_correlations_of_its_samples(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *sample = p.sample(4000, 7);
  for (int asymmetric : {0, 1}) {
    const Owned t{&p.context, create_trainer(p.context, dense_options({{ATP_OPT_ASYMMETRIC, asymmetric}}), *sample)};
    const atp_outcome outcome = run_all(*t.trainer, 200);  // float32 may end where its gradients are noise
    assert_true(outcome == ATP_OUTCOME_CONVERGED || outcome == ATP_OUTCOME_STALLED);
    Model *model = t.trainer->make_model();
    const int64_t L = 6, q = 3, states = p.states->count();
    Vector h(static_cast<size_t>(states)), weight(h.size());
    energies(*model, p.states->sequences.data(), states, h.data());
    double z = 0;
    for (size_t n = 0; n < h.size(); ++n) z += weight[n] = exp(-h[n]);
    double sum_xy = 0, sum_xx = 0, sum_yy = 0;
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = i + 1; j < L; ++j)
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            const auto correlation = [&](const Alignment &data, const double *w, double total) {
              double one = 0, other = 0, both = 0;
              for (int64_t n = 0; n < data.count(); ++n) {
                const uint8_t *s = data.sequence(n);
                one += s[i] == a ? w[n] / total : 0;
                other += s[j] == b ? w[n] / total : 0;
                both += s[i] == a && s[j] == b ? w[n] / total : 0;
              }
              return both - one * other;
            };
            const double x = correlation(*sample, sample->weights.data(), 4000), y = correlation(*p.states, weight.data(), z);
            sum_xy += x * y;
            sum_xx += x * x;
            sum_yy += y * y;
          }
    const double pearson = sum_xy / sqrt(sum_xx * sum_yy);  // both have mean 0: they sum to 0 over a
    print_message("asymmetric %d: Pearson %.4f\n", asymmetric, pearson);
    assert_true(pearson > 0.98);
    destroy_block(p.context.allocator, model);
  }
}

struct Log {
  std::vector<Vector> rows;
  double stop_at = -1;
};

int keep(const atp_progress *progress, void *user) {
  Log &log = *static_cast<Log *>(user);
  log.rows.emplace_back(progress->values, progress->values + atp_progress::kKeys);
  log.rows.back()[ATP_PROGRESS_SECONDS] = 0;
  return progress->values[ATP_PROGRESS_STEP] == log.stop_at ? 1 : 0;
}

bool same(const std::vector<Vector> &x, const std::vector<Vector> &y) {
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); ++k)
    if (memcmp(x[k].data(), y[k].data(), x[k].size() * sizeof(double)) != 0) return false;
  return true;
}

std::vector<char> saved(const Trainer &t) {
  std::vector<char> bytes(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(bytes.data(), static_cast<int64_t>(bytes.size()));
  return bytes;
}

Options small_options(int precision, int asymmetric, double epochs = 12) {
  return dense_options({{ATP_OPT_PRECISION, precision},
                        {ATP_OPT_ASYMMETRIC, asymmetric},
                        {ATP_OPT_EPOCHS, epochs},
                        {ATP_OPT_HISTORY, 3},
                        {ATP_OPT_TOLERANCE, 0}});
}

// Stopped after any epoch, saved, loaded into another trainer: the same parameters, states and reports.
void interruptions_do_not_matter(void **) {
  for (int precision : {32, 64})
    for (int asymmetric : {0, 1}) {
      DenseProblem p(150, 10, 4, best_target());
      p.context.threads = 2;
      Trainer &whole = p.trainer(small_options(precision, asymmetric));
      Log all;
      run_all(whole, 100, keep, &all);
      const int64_t epochs = asymmetric != 0 ? 10 : 12;
      assert_int_equal(whole.epochs(), epochs);
      assert_int_equal(all.rows.size(), epochs);
      Log parts;
      std::vector<char> state = saved(p.trainer(small_options(precision, asymmetric)));
      for (int64_t stop : {1, 4, 5, 9, 100}) {
        p.context.threads = static_cast<int>(1 + stop % 3);
        Trainer &part = p.trainer(small_options(precision, asymmetric));
        set(part, DenseProblem::parameters(part, 0.3));  // something else
        part.load(state.data(), static_cast<int64_t>(state.size()));
        parts.stop_at = static_cast<double>(stop);
        const atp_outcome outcome = run_all(part, 100, keep, &parts);
        if (stop < 100) assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
        assert_int_equal(part.epochs(), stop < 100 ? stop : epochs);
        state = saved(part);
      }
      assert_true(same(parts.rows, all.rows));
      assert_true(state == saved(whole));
      // The comparison sees one step less.
      Trainer &shorter = p.trainer(small_options(precision, asymmetric));
      run_all(shorter, epochs - 1);
      assert_true(saved(shorter) != saved(whole));
    }
}

// Requests come from another thread at random times, most of them within an evaluation.
void interrupted_evaluations(void **) {
  DenseProblem p(3000, 30, 8, best_target());
  const Options options = small_options(32, 0);
  Trainer &whole = p.trainer(options);
  const auto begin = std::chrono::steady_clock::now();
  run_all(whole, 100);
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  std::vector<char> state = saved(p.trainer(options));
  double evaluations = 0;
  for (uint64_t cut = 0;; ++cut) {
    Trainer &part = p.trainer(options);
    part.load(state.data(), static_cast<int64_t>(state.size()));
    std::thread stopper([&] {
      if (cut >= 5) return;
      std::this_thread::sleep_for(all * 0.2 * RandomView(1, Stream::start, 0, 0).uniform(cut));
      part.stop().request();
    });
    const atp_outcome outcome = run_all(part, 100);
    stopper.join();
    evaluations += part.evaluations();
    state = saved(part);
    if (outcome != ATP_OUTCOME_CANCELLED) break;
  }
  print_message("%g evaluations instead of %g\n", evaluations, whole.evaluations());
  assert_true(evaluations > whole.evaluations());
  assert_true(state == saved(whole));
}

void stop_requests(void **) {
  for (int asymmetric : {0, 1}) {
    DenseProblem p(100, 8, 4, best_target());
    Trainer &t = p.trainer(small_options(32, asymmetric)), &other = p.trainer(small_options(32, asymmetric));
    t.stop().request();
    assert_int_equal(run_all(t, 100), ATP_OUTCOME_CANCELLED);
    assert_int_equal(t.epochs(), 0);
    assert_int_equal(run_all(t, 0), ATP_OUTCOME_NONE);
    assert_int_equal(run_all(t, 3), ATP_OUTCOME_MAX_ITER);
    assert_int_equal(t.epochs(), 3);
    run_all(t, 100);
    run_all(other, 100);
    assert_true(saved(t) == saved(other));
  }
}

void mismatches_are_named(void **) {
  DenseProblem p(100, 8, 4), q(100, 8, 4, Target::scalar, 2);
  Trainer &t = p.trainer(small_options(32, 0));
  run_all(t, 2);
  std::vector<char> state = saved(t);
  const auto refused = [&](Trainer &by, atp_status status, const char *part) {
    const Vector before = parameters_of(by);
    try {
      by.load(state.data(), static_cast<int64_t>(state.size()));
      fail_msg("a state was taken; expected: %s", part);
    } catch (const Error &e) {
      if (e.status() != status || std::strstr(e.what(), part) == nullptr)
        fail_msg("status %d, \"%s\" without \"%s\"", e.status(), e.what(), part);
    }
    assert_true(parameters_of(by) == before);
  };
  const std::pair<atp_option, double> changes[] = {{ATP_OPT_GAPS, 2},        {ATP_OPT_ASYMMETRIC, 1}, {ATP_OPT_PRECISION, 64},
                                                   {ATP_OPT_HISTORY, 4},     {ATP_OPT_TOLERANCE, 1},  {ATP_OPT_L2_FIELDS, 1},
                                                   {ATP_OPT_L2_COUPLINGS, 1}};
  for (const auto &change : changes) {
    Options options = small_options(32, 0);
    options.set(change.first, change.second);
    refused(p.trainer(options), ATP_E_MISMATCH, kTrainerOptions.find(change.first)->name);
  }
  refused(q.trainer(small_options(32, 0)), ATP_E_MISMATCH, "other training sequences");
  refused(p.trainer(Options(kTrainerOptions)), ATP_E_MISMATCH, "the state has family dense, the trainer has factored");
  for (size_t k : {size_t{0}, size_t{40}, state.size() / 2, state.size() - 1}) {
    state[k] = static_cast<char>(state[k] ^ 1);
    refused(p.trainer(small_options(32, 0)), k == 0 ? ATP_E_FORMAT : ATP_E_CHECKSUM, "state");
    state[k] = static_cast<char>(state[k] ^ 1);
  }
  // The limit of iterations may change.
  Trainer &longer = p.trainer(small_options(32, 0, 20)), &once = p.trainer(small_options(32, 0, 20));
  longer.load(state.data(), static_cast<int64_t>(state.size()));
  run_all(longer, 100);
  run_all(once, 100);
  assert_true(parameters_of(longer) == parameters_of(once));
}

// Reports agree with the trainer's values afterwards.
void reports_tell_the_truth(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(500, 1), *test = p.sample(300, 2);
  for (int asymmetric : {0, 1}) {
    const Owned t{
        &p.context,
        create_trainer(p.context, dense_options({{ATP_OPT_PRECISION, 64}, {ATP_OPT_ASYMMETRIC, asymmetric}, {ATP_OPT_EPOCHS, 6}}), *train)};
    t.trainer->set_test(test);
    t.trainer->set_truth(p.truth);
    Log log;
    assert_int_equal(run_all(*t.trainer, 6, keep, &log), ATP_OUTCOME_MAX_ITER);
    const Vector &last = log.rows.back();
    double loss = NAN, objective = NAN, norm2 = 0;
    for (double g : gradient_of(*t.trainer, &loss, &objective)) norm2 += g * g;
    assert_close(last[ATP_PROGRESS_STEP], 6, 0, 0);
    assert_close(last[ATP_PROGRESS_TRAIN_LOSS], loss, 1e-12, 0);
    assert_close(last[ATP_PROGRESS_OBJECTIVE], objective, 1e-12, 0);
    assert_close(last[ATP_PROGRESS_GRADIENT_NORM], sqrt(norm2), 1e-9, 0);
    assert_close(last[ATP_PROGRESS_TEST_LOSS], t.trainer->loss(*test), 1e-12, 0);
    assert_close(last[ATP_PROGRESS_OPTIMAL_LOSS], mean_loss(*p.truth, test->sequences.data(), test->weights.data(), 300), 1e-12, 0);
    assert_close(last[ATP_PROGRESS_COUPLING_ERROR], error_of(*t.trainer, *p.truth), 1e-9, 0);
    Model *model = t.trainer->make_model();
    if (asymmetric == 0)
      assert_close(mean_loss(*model, test->sequences.data(), test->weights.data(), 300), t.trainer->loss(*test), 1e-12, 0);
    destroy_block(p.context.allocator, model);
    if (asymmetric != 0) assert_true(std::isnan(log.rows[2][ATP_PROGRESS_TEST_LOSS]));
  }
}

void gaps_leave_the_model(void **) {
  DenseProblem p(60, 5, 4);
  std::strcpy(p.data->alphabet, "-ABC");
  Trainer &t = p.trainer(dense_options({{ATP_OPT_GAPS, ATP_GAPS_IGNORE}}));
  assert_int_equal(t.parameter_count(), 5 * 3 + 10 * 9);
  Model *model = t.make_model();
  assert_string_equal(model->alphabet, "ABC");
  assert_int_equal(model->colors(), 3);
  destroy_block(p.context.allocator, model);
  // A gap anywhere changes the number of predictions, not the prediction of the others: a column of gaps adds nothing.
  for (int64_t n = 0; n < 60; ++n) p.data->own_sequences[n * 5 + 2] = 0;
  Trainer &with = p.trainer(dense_options({{ATP_OPT_GAPS, ATP_GAPS_IGNORE}, {ATP_OPT_PRECISION, 64}}));
  const Vector x = DenseProblem::parameters(with, 0.5);
  Vector y = x;
  for (int64_t a = 0; a < 3; ++a) y[static_cast<size_t>(2 * 3 + a)] += 1;  // fields of a site that is never predicted
  double loss = NAN, other = NAN;
  set(with, x);
  loss = with.evaluate({}).loss;
  set(with, y);
  other = with.evaluate({}).loss;
  assert_true(loss == other);
}

void honest_ends(void **) {
  // No weight but on sequences of gaps: nothing is predicted, and the penalties alone are at their minimum at once or soon.
  DenseProblem p(20, 4, 3);
  for (int64_t k = 0; k < 80; ++k) p.data->own_sequences[k] = 0;
  for (int asymmetric : {0, 1}) {
    Trainer &t = p.trainer(dense_options({{ATP_OPT_GAPS, ATP_GAPS_IGNORE}, {ATP_OPT_ASYMMETRIC, asymmetric}}));
    assert_int_equal(run_all(t, 50), ATP_OUTCOME_CONVERGED);
    double loss = NAN;
    loss = t.evaluate({}).loss;
    assert_true(loss == 0);
  }
  // Penalties beyond what floats hold.
  DenseProblem r(20, 4, 3);
  Trainer &t = r.trainer(dense_options({{ATP_OPT_L2_COUPLINGS, 1e12}, {ATP_OPT_L2_FIELDS, 1e12}}));
  Vector x = DenseProblem::parameters(t, 1e30);
  set(t, x);
  assert_int_equal(run_all(t, 50), ATP_OUTCOME_DIVERGED);
  assert_int_equal(run_all(t, 50), ATP_OUTCOME_DIVERGED);
  set(t, DenseProblem::parameters(t, 0.1));
  assert_int_equal(run_all(t, 100), ATP_OUTCOME_CONVERGED);
}

void nothing_is_allocated(void **) {
  DenseProblem p(150, 10, 4, best_target());
  std::vector<Trainer *> trainers;
  for (int precision : {32, 64})
    for (int asymmetric : {0, 1}) trainers.push_back(&p.trainer(small_options(precision, asymmetric)));
  const int64_t before = p.context.allocator.count(), bytes = p.context.allocator.bytes();
  for (Trainer *t : trainers) {
    t->set_test(p.data);
    Log log;
    run_all(*t, 2, keep, &log);
    const std::vector<char> state = saved(*t);
    t->load(state.data(), static_cast<int64_t>(state.size()));
    run_all(*t, 2, keep, &log);
    gradient_of(*t);
  }
  assert_int_equal(p.context.allocator.count(), before);
  assert_int_equal(p.context.allocator.bytes(), bytes);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_truth_in_exact_data),
      cmocka_unit_test(float32_finds_what_float64_finds),
      cmocka_unit_test(reproduces_the_correlations_of_its_samples),
      cmocka_unit_test(interruptions_do_not_matter),
      cmocka_unit_test(interrupted_evaluations),
      cmocka_unit_test(stop_requests),
      cmocka_unit_test(mismatches_are_named),
      cmocka_unit_test(reports_tell_the_truth),
      cmocka_unit_test(gaps_leave_the_model),
      cmocka_unit_test(honest_ends),
      cmocka_unit_test(nothing_is_allocated),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
