// SPDX-License-Identifier: MIT
// The learning curve of an Ising model's pseudo-likelihood: theory for the measured covariance of the other spins against Gibbs samples of
// a Sherrington- Kirkpatrick model at high temperature, learned by the library's trainer.
//
// 4 choices of (alpha, lambda), test and train: 8 comparisons of averages over sites at 3 standard errors of 20 realisations each
// (Student's t: 0.74 per cent): a right theory fails for one choice of seeds in 17; the seeds are fixed. What the theory leaves out, fields
// that are not quite normal at 60 sites, is about 1 per cent of the excess loss here (docs/results.md: 2 where samples are nearly
// separable), where an error is 1 to 2. Planted fault: the theory at alpha 10 per cent larger must fail.
#include "ising_curve.hpp"

#include "base/arena.hpp"
#include "base/team.hpp"

#include "support.h"

#include <cmath>

namespace {

void theory_is_what_samples_do(void **) {
  constexpr int64_t kSites = 60, kRealisations = 20;
  const struct { double alpha, lambda; } cases[] = {{4, 0.01}, {4, 0.1}, {8, 0.1}, {8, 1}};
  ising::Experiment experiment(kSites, 0.4, 7, 4);
  experiment.measure(1 << 16);
  for (const auto &c : cases) {
    if ((ATP_HAS_ASAN || ATP_HAS_TSAN) && &c != cases) break;  // once is enough for them
    if (&c != cases && left_out("theory_is_what_samples_do (other alphas and penalties)")) break;
    const int64_t samples = std::lround(c.alpha * (kSites - 1));
    const ising::Losses theory = experiment.theory(samples, c.lambda, true), fault = experiment.theory(samples, c.lambda, true, 1.1);
    std::vector<double> test, train;
    for (int64_t r = 0; r < kRealisations; ++r) {
      const ising::Losses losses = experiment.realise(samples, c.lambda, 2048);
      test.push_back(losses.excess);
      train.push_back(losses.train);
    }
    const ising::Estimate tested = ising::estimate(test), trained = ising::estimate(train);
    const double wrong = std::fabs(tested.mean - fault.excess) / tested.error;
    print_message("alpha = %g, lambda = %g: test %.5f(%.5f), theory %.5f; train %.5f(%.5f), theory %.5f; fault seen at %.1f errors\n",
                  c.alpha, c.lambda, tested.mean, tested.error, theory.excess, trained.mean, trained.error, theory.train, wrong);
    assert_true(std::fabs(tested.mean - theory.excess) < 3 * tested.error);
    assert_true(std::fabs(trained.mean - theory.train) < 3 * trained.error);
    assert_true(wrong > 3);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(theory_is_what_samples_do)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
