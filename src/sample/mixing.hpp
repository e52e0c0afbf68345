// SPDX-License-Identifier: MIT
// Whether chains agree, and how many independent samples they are worth. The rule by which everything here judges:
//
//   chains agree     R-hat <= rhat_limit(), where R-hat is the larger of rank-normalised split R-hat of x and of |x - median|
//   errors hold      bulk and tail ESS >= kLeastEffective
//
// Chains that agree can be too short for errors, which is another answer. Source: A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C.
// Buerkner, Bayesian Anal. 16, 667 (2021), sec. 4, with its limits 1.01 and 400.
#pragma once

#include "base/arena.hpp"
#include "base/span.hpp"

#include <attopotts/status.h>

#include <cstdint>

namespace atp {

inline constexpr double kRhatTarget = 1.01;     // of long chains
inline constexpr double kLeastEffective = 400;  // samples
inline constexpr double kFalseAlarm = 1e-3;     // that an R-hat of independent samples is above the limit, at the most
inline constexpr int64_t kMixingTimes = 16;     // at least, for mixing_of()

// R-hat that `chains` chains of n samples may have: sqrt(1.01^2 + (F - 1) / h). Of independent samples R-hat^2 is (h - 1) / h + F / h with
// halves of h = n / 2 samples and F from Fisher's distribution with 2 chains - 1 and 2 chains (h - 1) degrees of freedom; here F is its
// quantile 1 - kFalseAlarm / quantities, where R-hat is the largest of so many. n >= 4.
double rhat_limit(int64_t chains, int64_t n, int64_t quantities);

// An R-hat and its limit.
struct RhatTest {
  double rhat, limit;
  bool agreed() const { return rhat <= limit; }
};

struct Mixing : RhatTest {
  double bulk, tail;  // effective samples of ranks; the smaller one of the events x <= quantile 0.05 and 0.95
  bool enough() const { return bulk >= kLeastEffective && tail >= kLeastEffective; }
  atp_outcome outcome() const { return agreed() && enough() ? ATP_OUTCOME_CONVERGED : ATP_OUTCOME_MAX_ITER; }
};

// Work space for series of chains * n numbers.
struct MixingWork {
  Span<double> halves, scores;  // [2 chains][n / 2]
  Span<int64_t> order;
  void lay_out(Arena &arena, int64_t chains, int64_t n);
};

// Of series[chains][n], finite. If all numbers are equal R-hat is 1. An infinite R-hat: every half of a chain is constant, and they differ.
// The limit is that of one of so many tests that are made together. rank_rhat() takes n >= 4 and knows no effective samples, mixing_of() n
// >= kMixingTimes.
RhatTest rank_rhat(const double *series, int64_t chains, int64_t n, const MixingWork &work, int64_t tests = 1);
Mixing mixing_of(const double *series, int64_t chains, int64_t n, const MixingWork &work, int64_t tests = 1);

// N / (2 tau) of the numbers themselves, with the autocorrelation time by Geyer's initial monotone sequence over all halves. n >=
// kMixingTimes.
double effective_samples(const double *series, int64_t chains, int64_t n, const MixingWork &work);

}  // namespace atp
