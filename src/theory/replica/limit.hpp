// SPDX-License-Identifier: MIT
// The square loss for P = z I - J, J from the Gaussian orthogonal ensemble, in the limit L -> infinity. Sums
// over the spectrum are in closed form.
#pragma once

#include "theory/replica/kappa.hpp"
#include "theory/replica/row.hpp"

namespace atp::replica {

class Limit {
 public:
  // shift = z > 2.
  explicit Limit(double shift);
  // For kappa >= 0; accurate to working precision from 0 to beyond 1e12.
  Traces traces(double kappa) const;
  SquareSums sums(double kappa, double gap) const;
  double mean() const { return g_; }          // E s = g(z)
  double inverse_mean() const { return z_; }  // E 1/s
  Row solve(double alpha, double lambda, double temperature) const;

 private:
  struct Parts;
  Parts parts(double kappa) const;
  double z_, root_, g_;  // z, sqrt(z^2 - 4), g(z)
};

}  // namespace atp::replica
