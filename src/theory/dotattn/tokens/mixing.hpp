// SPDX-License-Identifier: MIT
// Anderson's mixing of fixed-point iterations: the combination of the last points whose change is smallest, by least squares. Source:
// D. Anderson, J. ACM 12, 547 (1965).
#pragma once

#include "theory/dotattn/tokens/overlaps.hpp"

namespace atp::dotattn {

inline constexpr double kDamp = 0.25;  // weight of the new point where there is no mixing: the map of m has slopes below -3

class Mixing {
 public:
  explicit Mixing(int n) : n_(n) {}
  void reset() { count_ = 0; }
  // The next point from x and the change f that one application makes; weights: 1 / scale.
  void next(const double *x, const double *f, const double *scale, double *out);

 private:
  static constexpr int kDepth = 5;  // differences that are kept: about as many as there are unknowns

  void keep(const double *x, const double *f);
  // Minimise |f - sum_c gamma_c (f_k - f_(k-1))|, dropping what depends on the others.
  void fit(int columns, const double *scale, double *gamma) const;

  int n_, count_ = 0;
  double x_[kDepth + 1][kMostOverlaps], f_[kDepth + 1][kMostOverlaps];
};

}  // namespace atp::dotattn
