// SPDX-License-Identifier: MIT
#include "theory/dotattn/tokens/proximal.hpp"

#include "math/small_newton.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr int64_t kMost = kMostTokens * kMostRank;

}  // namespace

double Proximal::value(const double *x) const {
  double s[kMostTokens * kMostTokens], distance = 0, misfit = 0;
  attention(tokens, rank, x, s);
  for (int64_t e = 0; e < tokens * tokens; ++e) misfit += (s[e] - t[e]) * (s[e] - t[e]);
  for (int64_t e = 0; e < unknowns(); ++e) distance += (x[e] - w[e]) * (x[e] - w[e]) / v[e % rank];
  return 0.5 * (distance + rho * misfit);
}

// What row a of z adds: of the misfit, row a of G, and B_a^T K_a B_a of the Hessian.
void Proximal::add_row(int64_t a, const double *x, const double *s, double *misfit, double *g, double *hessian) const {
  const int64_t L = tokens, n = unknowns();
  const double *row = s + a * L;
  double d[kMostTokens], both[kMostTokens], mean = 0, mean_both = 0;
  for (int64_t b = 0; b < L; ++b) {
    d[b] = row[b] - t[a * L + b];
    both[b] = d[b] + row[b];
    *misfit += d[b] * d[b];
    mean += row[b] * d[b];
    mean_both += row[b] * both[b];
  }
  double k[kMostTokens * kMostTokens];
  for (int64_t b = 0; b < L; ++b) {
    g[a * L + b] = rho * row[b] * (d[b] - mean);
    for (int64_t e = 0; e < L; ++e) {
      const double delta = b == e ? 1 : 0;
      k[b * L + e] = rho * row[b] * ((delta - row[e]) * (both[b] - mean) - row[e] * (both[e] - mean_both));
    }
  }
  // z_ae = x_a . x_e: row e of B_a has x_e at token a and x_a at token e. K B first, then B^T (K B).
  double kb[kMostTokens * kMost];
  for (int64_t b = 0; b < L; ++b)
    for (int64_t j = 0; j < rank; ++j) {
      double sum = 0;
      for (int64_t e = 0; e < L; ++e) {
        kb[b * n + e * rank + j] = k[b * L + e] * x[a * rank + j];
        sum += k[b * L + e] * x[e * rank + j];
      }
      kb[b * n + a * rank + j] += sum;
    }
  for (int64_t b = 0; b < L; ++b)
    for (int64_t j = 0; j < rank; ++j) {
      double *first = hessian + (a * rank + j) * n, *second = hessian + (b * rank + j) * n;
      for (int64_t e = 0; e < n; ++e) first[e] += x[b * rank + j] * kb[b * n + e];
      for (int64_t e = 0; e < n; ++e) second[e] += x[a * rank + j] * kb[b * n + e];
    }
}

// With z_ab = x_a . x_b, S the softmax of its rows and D = S - T: dE/dz_ab = rho S_ab (D_ab - sum_c S_ac D_ac) = G_ab,
// dE/dx_a = sum_b (G_ab + G_ba) x_b, and the Hessian is sum_a B_a^T K_a B_a + (G + G^T) x 1, K_a the Hessian by row a of z and
// B_a = dz_a/dx.
double Proximal::derivatives(const double *x, double *gradient, double *hessian) const {
  const int64_t L = tokens, n = unknowns();
  double s[kMostTokens * kMostTokens], g[kMostTokens * kMostTokens], misfit = 0, distance = 0;
  attention(L, rank, x, s);
  for (int64_t e = 0; e < n; ++e) {
    const double difference = x[e] - w[e];
    distance += difference * difference / v[e % rank];
    gradient[e] = difference / v[e % rank];
  }
  std::fill(hessian, hessian + n * n, 0.0);
  for (int64_t e = 0; e < n; ++e) hessian[e * n + e] = 1 / v[e % rank];
  for (int64_t a = 0; a < L; ++a) add_row(a, x, s, &misfit, g, hessian);
  for (int64_t a = 0; a < L; ++a)
    for (int64_t b = 0; b < L; ++b) {
      const double both = g[a * L + b] + g[b * L + a];
      for (int64_t j = 0; j < rank; ++j) {
        gradient[a * rank + j] += both * x[b * rank + j];
        hessian[(a * rank + j) * n + b * rank + j] += both;
      }
    }
  return 0.5 * (distance + rho * misfit);
}

double Proximal::descend(double *x) const {
  double scale = 0;
  for (int64_t e = 0; e < unknowns(); ++e) scale += w[e] * w[e] + x[e] * x[e];
  return descend_newton<kMost>(*this, std::sqrt(scale), x);
}

double Proximal::minimise(double *x, bool all) const {
  const int64_t n = unknowns();
  double lowest = descend(x), trial[kMost];
  const auto from = [&](auto &&start) {
    for (int64_t e = 0; e < n; ++e) trial[e] = start(e);
    const double found = descend(trial);
    if (found < lowest - 1e-13 * std::fabs(lowest)) {
      lowest = found;
      std::copy(trial, trial + n, x);
    }
  };
  from([&](int64_t e) { return w[e]; });
  if (!all) return lowest;
  for (int64_t l = 0; l < tokens; ++l) from([&](int64_t e) { return e / rank == l ? -w[e] : w[e]; });
  from([&](int64_t e) { return w[e] / 4; });
  from([&](int64_t e) { return 2 * w[e]; });
  return lowest;
}

}  // namespace atp::dotattn
