// SPDX-License-Identifier: MIT
// Statistics of a family to which tested sequences are added, with positive or negative weights.
#include "learn/likelihood/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kRounds = 1000;
constexpr double kAgree = 1e-6;  // of sums; float tables have rounding errors of 1e-7

// Frequencies below the lowest possible become that. Returns whether there was one.
template <class Real>
bool raise(double lowest, Real *f, int64_t n) {
  bool any = false;
  for (int64_t k = 0; k < n; ++k) {
    if (static_cast<double>(f[k]) >= lowest * (1 - 1e-6)) continue;
    f[k] = static_cast<Real>(lowest);
    any = true;
  }
  return any;
}

// Multiplies rows and columns of a table until their sums are f and g: of all tables with these sums the one closest to it in the sense of
// Kullback and Leibler. A table that has them is left as it is. [W. Deming, F. Stephan, Ann. Math. Stat. 11, 427 (1940)]
void fit_sums(const double *f, const double *g, int64_t q, float *table, double *work) {
  std::copy_n(table, q * q, work);
  for (int round = 0; round < kRounds; ++round) {
    double most = 0;
    for (int64_t a = 0; a < q; ++a) {
      double sum = 0;
      for (int64_t b = 0; b < q; ++b) sum += work[a * q + b];
      most = std::fmax(most, std::fabs(sum - f[a]));
      for (int64_t b = 0; b < q; ++b) work[a * q + b] *= f[a] / sum;
    }
    for (int64_t b = 0; b < q; ++b) {
      double sum = 0;
      for (int64_t a = 0; a < q; ++a) sum += work[a * q + b];
      most = std::fmax(most, std::fabs(sum - g[b]));
      for (int64_t a = 0; a < q; ++a) work[a * q + b] *= g[b] / sum;
    }
    if (most < kAgree) {
      if (round == 0) return;
      break;
    }
  }
  std::copy_n(work, q * q, table);
}

double mean_of(Span<const double> x) {
  double sum = 0;
  for (double a : x) sum += a;
  return sum / static_cast<double>(x.size());
}

}  // namespace

void Statistics::check_reintegration(Span<const double> adjustments, double strength) const {
  const double mean = mean_of(adjustments), weight = 1 + strength * mean;
  if (!(weight > 0))
    fail(ATP_E_VALUE, "adjustments have the mean %g, and strength is %g: 1 + strength * mean is %g, must be above 0", mean, strength,
         weight);
  if (!(pseudocount_ > 0))
    fail(ATP_E_VALUE, "pseudocount is 0: adjustments below 0 could leave a colour with the frequency 0, a pseudocount above 0 is needed");
}

// With t the strength, <.> means over the tested sequences and e those of one-hot sequences with the pseudocount:
//     f <- (f + t <adjustment e>) / (1 + t <adjustment>).
int64_t Statistics::reintegrate(const Alignment &tested, Span<const double> adjustments, double strength, Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors, K = tested.count();
  const double colors = static_cast<double>(q), c = pseudocount_, t = strength, mean = mean_of(adjustments), scale = 1 / (1 + t * mean);
  const double each = t * (1 - c) / static_cast<double>(K);
  parallel_for(threads, L, [&](int64_t i, int) {
    double *f = f_.data() + i * q, sum = 0;
    for (int64_t a = 0; a < q; ++a) f[a] += t * mean * c / colors;
    for (int64_t k = 0; k < K; ++k) f[tested.sequence(k)[i]] += each * adjustments[k];
    for (int64_t a = 0; a < q; ++a) f[a] *= scale;
    if (!raise(c / colors, f, q)) return;
    for (int64_t a = 0; a < q; ++a) sum += f[a];
    for (int64_t a = 0; a < q; ++a) f[a] /= sum;
  });
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *sums = sums_.data() + thread * q * q;
    rows_[i] = {};
    for (int64_t n = pairs_.below(i); n < pairs_.degree(i); ++n) {
      const int64_t j = pairs_.neighbor(i, n);
      float *f = f_pairs_.data() + pairs_.pair(i, n) * q * q;
      for (int64_t b = 0; b < q * q; ++b) sums[b] = static_cast<double>(f[b]) + t * mean * c / (colors * colors);
      for (int64_t k = 0; k < K; ++k) sums[tested.sequence(k)[i] * q + tested.sequence(k)[j]] += each * adjustments[k];
      for (int64_t b = 0; b < q * q; ++b) f[b] = static_cast<float>(sums[b] * scale);
      if (raise(c / (colors * colors), f, q * q)) rows_[i].moments.n += 1;
      fit_sums(family(i), family(j), q, f, sums);
    }
  });
  measure_signal();
  double raised = 0;
  for (const Row &row : rows_) raised += row.moments.n;
  return static_cast<int64_t>(raised);
}

}  // namespace atp
