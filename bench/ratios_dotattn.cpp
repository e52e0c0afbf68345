// SPDX-License-Identifier: MIT
// Dot-product attention: fixed points and steps of gradient descent per second through the public API, vectors against the library's own
// scalar reference.
#include "ratios.hpp"

#include <initializer_list>
#include <utility>

namespace ratios {

namespace {

// A call with the vectors of the context, and the same call with the scalar reference.
class TwoTargets : public Case {
 public:
  explicit TwoTargets(atp_context *context) : context_(context), simd_(atp_context_simd(context)) {}
  double ours() override { return work(); }
  double reference() override {
    check(atp_context_set_simd(context_, "scalar"));
    const double done = work();
    check(atp_context_set_simd(context_, simd_.c_str()));
    return done;
  }

 protected:
  virtual double work() = 0;
  atp_context *context_;

 private:
  std::string simd_;
};

// A task of one alpha with its table.
class TaskCase : public TwoTargets {
 public:
  TaskCase(atp_context *context, atp_task_kind kind, std::initializer_list<std::pair<atp_option, double>> settings) : TwoTargets(context) {
    constexpr double kAlpha = 1;
    atp_options *options = nullptr;
    check(atp_options_create(context, kind, &options));
    for (const auto &[key, value] : settings) check(atp_options_set_f64(options, key, value));
    check(atp_task_create(context, kind, options, &task_));
    atp_options_destroy(options);
    check(atp_task_set_array(task_, ATP_ARRAY_ALPHAS, &kAlpha, 1, 1));
    check(atp_table_create(context, static_cast<atp_table_kind>(atp_task_table_kind(task_)), 1, &table_));
  }
  TaskCase(const TaskCase &) = delete;
  TaskCase &operator=(const TaskCase &) = delete;
  ~TaskCase() override {
    atp_table_destroy(table_);
    atp_task_destroy(task_);
  }

 protected:
  void run() {
    check(atp_table_clear(table_));
    check(atp_task_run(task_, table_, nullptr, nullptr, nullptr));
  }

 private:
  atp_task *task_ = nullptr;
  atp_table *table_ = nullptr;
};

// The uninformed solution at alpha = 1 on the two coarsest quadratures: about twenty averages over 25000 minimisations.
class FixedPoint : public TaskCase {
 public:
  explicit FixedPoint(atp_context *context)
      : TaskCase(context, ATP_TASK_DOTATTN_CURVE,
                 {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 1e-2}, {ATP_OPT_MAX_ITER, 1000}}) {}

 private:
  double work() override {
    run();
    return 1;
  }
};

// Gradient descent on 1000 samples of 1000 dimensions, a run for each thread; drawing the data counts, for as much as ten steps or so.
class Descent : public TaskCase {
 public:
  explicit Descent(atp_context *context)
      : TaskCase(context, ATP_TASK_DOTATTN_SIMULATION,
                 {{ATP_OPT_DIMENSION, 1000},
                  {ATP_OPT_STEPS, kSteps},
                  {ATP_OPT_TOLERANCE, 0},
                  {ATP_OPT_TEST_SAMPLES, 1},
                  {ATP_OPT_RUNS, static_cast<double>(atp_context_threads(context))}}) {}

 private:
  static constexpr int64_t kSteps = 200;
  double work() override {
    run();
    return static_cast<double>(kSteps * atp_context_threads(context_));
  }
};

template <class C>
std::unique_ptr<Case> make(atp_context *context) {
  return std::make_unique<C>(context);
}

}  // namespace

std::vector<Entry> dotattn_cases() {
  return {{"dotattn_uninformed", "fixed points/s", true, &make<FixedPoint>}, {"dotattn_descent_d1000", "steps/s", true, &make<Descent>}};
}

}  // namespace ratios
