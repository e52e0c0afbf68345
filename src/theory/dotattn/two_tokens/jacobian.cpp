// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/jacobian.hpp"

#include "math/small_linear.hpp"

#include <algorithm>

namespace atp::dotattn {

namespace {
constexpr double kSingular = 1e-300;  // a pivot that is zero but for underflow
}

void Jacobian::set_column(int c, const double *before, const double *after, double h) {
  for (int k = 0; k < n_; ++k) a_[k][c] = (after[k] - before[k]) / h;
}

bool Jacobian::solve(const double *b, double *x) const {
  double a[kMost * kMost];
  for (int i = 0; i < n_; ++i) std::copy(a_[i], a_[i] + n_, a + i * n_);
  std::copy(b, b + n_, x);
  return solve_small(n_, a, x, kSingular);
}

void Jacobian::update(const double *step, const double *before, const double *after) {
  double norm = 0;
  for (int c = 0; c < n_; ++c) norm += step[c] * step[c];
  for (int k = 0; k < n_; ++k) {
    double predicted = 0;
    for (int c = 0; c < n_; ++c) predicted += a_[k][c] * step[c];
    for (int c = 0; c < n_ && norm > 0; ++c) a_[k][c] += (after[k] - before[k] - predicted) * step[c] / norm;
  }
}

}  // namespace atp::dotattn
