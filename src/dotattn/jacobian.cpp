// SPDX-License-Identifier: MIT
#include "dotattn/jacobian.hpp"

#include <cmath>
#include <utility>

namespace atp::dotattn {

namespace {
constexpr double kSingular = 1e-300;  // a pivot that is zero but for underflow
}

void Jacobian::set_column(int c, const double *before, const double *after, double h) {
  for (int k = 0; k < n_; ++k) a_[k][c] = (after[k] - before[k]) / h;
}

bool Jacobian::solve(const double *b, double *x) const {
  double a[kMost][kMost + 1];
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < n_; ++j) a[i][j] = a_[i][j];
    a[i][n_] = b[i];
  }
  for (int c = 0; c < n_; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n_; ++i)
      if (std::fabs(a[i][c]) > std::fabs(a[pivot][c])) pivot = i;
    if (!(std::fabs(a[pivot][c]) > kSingular)) return false;
    for (int j = 0; j <= n_; ++j) std::swap(a[c][j], a[pivot][j]);
    for (int i = 0; i < n_; ++i) {
      if (i == c) continue;
      const double factor = a[i][c] / a[c][c];
      for (int j = c; j <= n_; ++j) a[i][j] -= factor * a[c][j];
    }
  }
  for (int i = 0; i < n_; ++i) x[i] = a[i][n_] / a[i][i];
  return true;
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
