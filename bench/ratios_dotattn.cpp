// SPDX-License-Identifier: MIT
// Dot-product attention: fixed points and steps of gradient descent per second through the public API, vectors against the library's own
// scalar reference.
#include "ratios.hpp"

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

constexpr double kMap[4] = {0.6, 0.4, 0.4, 0.6}, kAlpha = 1;

// The uninformed solution at alpha = 1 on the two coarsest quadratures: about twenty averages over 25000 minimisations.
class FixedPoint : public TwoTargets {
  using TwoTargets::TwoTargets;
  double work() override {
    double row[ATP_DOTATTN_COLUMNS];
    check(atp_dotattn_curve(context_, kMap, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, &kAlpha, 1, 1e-2, 1000, nullptr, nullptr, row,
                            ATP_DOTATTN_COLUMNS, nullptr));
    return 1;
  }
};

// Gradient descent on 1000 samples of 1000 dimensions, a run for each thread; drawing the data counts, for as much as ten steps or so.
class Descent : public TwoTargets {
  using TwoTargets::TwoTargets;
  double work() override {
    constexpr int64_t kDimension = 1000, kSteps = 200;
    const int64_t runs = atp_context_threads(context_);
    const double code[2] = {1, -1};
    double row[ATP_DOTATTN_SIM_COLUMNS];
    check(atp_dotattn_simulate(context_, kDimension, 2, code, 1, 2, 1, kMap, 4, 0.3, 0.5, 0.01, &kAlpha, 1, ATP_DOTATTN_START_SEMANTIC,
                               ATP_OPTIMIZER_SGD, kSteps, 0, 0, 1, runs, 1, nullptr, nullptr, row, ATP_DOTATTN_SIM_COLUMNS, nullptr));
    return static_cast<double>(kSteps * runs);
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
