// SPDX-License-Identifier: MIT
#include "theory/dotattn/tokens/mixing.hpp"

#include "math/small_linear.hpp"

#include <algorithm>
#include <cstring>

namespace atp::dotattn {

namespace {
constexpr double kDependent = 1e-12;  // what is left, squared, of a column that depends on the others
}

void Mixing::keep(const double *x, const double *f) {
  if (count_ == kDepth + 1) {
    std::memmove(x_[0], x_[1], sizeof x_[0] * kDepth);
    std::memmove(f_[0], f_[1], sizeof f_[0] * kDepth);
    --count_;
  }
  for (int e = 0; e < n_; ++e) {
    x_[count_][e] = x[e];
    f_[count_][e] = f[e];
  }
  ++count_;
}

void Mixing::next(const double *x, const double *f, const double *scale, double *out) {
  keep(x, f);
  const int columns = std::min(count_ - 1, n_);
  double gamma[kDepth] = {};
  if (columns > 0) fit(columns, scale, gamma);
  for (int e = 0; e < n_; ++e) {
    double value = x[e] + kDamp * f[e];
    for (int c = 0; c < columns; ++c) {
      const int k = count_ - 1 - c;
      value -= gamma[c] * (x_[k][e] - x_[k - 1][e] + kDamp * (f_[k][e] - f_[k - 1][e]));
    }
    out[e] = value;
  }
}

void Mixing::fit(int columns, const double *scale, double *gamma) const {
  double changes[kDepth * kMostOverlaps], rest[kMostOverlaps];
  const int newest = count_ - 1;
  for (int e = 0; e < n_; ++e) rest[e] = f_[newest][e] / scale[e];
  for (int c = 0; c < columns; ++c)
    for (int e = 0; e < n_; ++e) changes[c * n_ + e] = (f_[newest - c][e] - f_[newest - c - 1][e]) / scale[e];
  fit_small(columns, n_, changes, rest, kDependent, gamma);
}

}  // namespace atp::dotattn
