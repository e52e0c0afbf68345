// SPDX-License-Identifier: MIT
// What is searched for along a learning curve: the penalty of smallest test loss, and the smallest number of samples of a test loss.
#pragma once

#include "math/search.hpp"
#include "theory/replica/square.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

// noise / |w*|^2, the best penalty where w* has no preferred direction; 1 where one of them is 0.
inline double penalty_scale(const Spectrum &spectrum) {
  double norm = 0;
  for (int64_t k = 0; k < spectrum.p; ++k) norm += spectrum.t[k];
  return norm > 0 && spectrum.noise > 0 ? spectrum.noise / norm : 1;
}

// The row of the penalty of smallest e_g. `solve(lambda)` gives the row of a penalty. Penalties are tried in steps of half a decade around
// `scale`, nine decades to each side, then by the golden section in log lambda.
template <class Solve>
Row best_penalty(double scale, Solve &&solve) {
  constexpr int kDecades = 9, kPerDecade = 2, kMost = kDecades * kPerDecade;
  constexpr double kAccuracy = 1e-7;
  const auto lambda_of = [scale](int k) { return scale * std::pow(10.0, static_cast<double>(k) / kPerDecade); };
  int best = -kMost;
  double least = solve(lambda_of(best)).eg;
  for (int k = 1 - kMost; k <= kMost; ++k) {
    const double eg = solve(lambda_of(k)).eg;
    if (!(eg < least)) continue;
    least = eg;
    best = k;
  }
  if (best == -kMost || best == kMost) return solve(lambda_of(best));
  const double log_lambda = find_minimum(std::log(lambda_of(best - 1)), std::log(lambda_of(best + 1)), kAccuracy,
                                         [&](double x) { return solve(std::exp(x)).eg; });
  return solve(std::exp(log_lambda));
}

inline constexpr double kFirstAlpha = 1e-3, kLastAlpha = 1e9;
inline constexpr int64_t kAlphasAtOnce = 64;

struct AlphaSearch {
  int64_t parameters;  // alpha = M / parameters for a whole number of samples M; 0: any alpha
  bool falls;          // e_g only falls with alpha, as with the best penalty
};

// The smallest alpha whose loss is small enough, from kFirstAlpha or one sample up to kLastAlpha; NaN if there is none, or if `fill` fails.
// `fill(alphas, n)` computes the losses of up to kAlphasAtOnce rising alphas, false where it fails, and `enough(k)` says whether that of
// alphas[k] is small enough. A curve that only falls goes up by factors of 2, one at a time, another in steps of 2 per cent; the last step
// is halved.
template <class Fill, class Enough>
double smallest_alpha(const AlphaSearch &search, Fill &&fill, Enough &&enough) {
  const double kNone = std::nan("");
  const bool whole = search.parameters > 0;
  const double p = static_cast<double>(search.parameters), factor = search.falls ? 2 : 1.02;
  // Steps are in units of M or of alpha.
  const double last = whole ? kLastAlpha * p : kLastAlpha;
  const auto alpha_of = [&](double unit) { return whole ? unit / p : unit; };
  const auto step = [&](double unit) { return whole ? std::max(unit + 1, std::floor(unit * factor)) : unit * factor; };
  bool failed = false;
  const auto too_few = [&](double unit) {
    const double alpha = alpha_of(unit);
    if (!failed && !fill(&alpha, int64_t{1})) failed = true;
    return failed || !enough(0);
  };
  double below = 0, next = whole ? 1 : kFirstAlpha;
  while (next < last) {
    double units[kAlphasAtOnce], alphas[kAlphasAtOnce];
    const int64_t n = search.falls ? 1 : kAlphasAtOnce;
    for (int64_t k = 0; k < n; ++k, next = step(next)) alphas[k] = alpha_of(units[k] = next);
    if (!fill(alphas, n)) return kNone;
    for (int64_t k = 0; k < n; below = units[k++]) {
      if (!enough(k)) continue;
      if (below == 0) return alphas[0];
      double found = 0;
      if (whole)
        found = static_cast<double>(bisect(
                                        Bracket<int64_t>{static_cast<int64_t>(below), static_cast<int64_t>(units[k])},
                                        [&](int64_t samples) { return too_few(static_cast<double>(samples)); },
                                        [](Bracket<int64_t>) { return false; })
                                        .high);
      else
        found = bisect(Bracket<double>{below, units[k]}, too_few, [](Bracket<double> b) { return !(b.high - b.low > 1e-9 * b.high); }).high;
      return failed ? kNone : alpha_of(found);
    }
  }
  return kNone;
}

}  // namespace atp::replica
