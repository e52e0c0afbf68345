// SPDX-License-Identifier: MIT
// The method of conjugate gradients. Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithm 5.2.
#pragma once

#include "base/arena.hpp"
#include "math/optim/vector.hpp"

namespace atp {

// Solves A x = b for a symmetric, positive definite A, of which products with vectors are given.
class ConjugateGradients {
 public:
  explicit ConjugateGradients(int64_t unknowns) : unknowns_(unknowns) {}
  void lay_out(Arena &arena);
  // From x = 0 until |A x - b| <= tolerance |b|; product(v, out) sets out = A v. Returns false after 2 n + 100 iterations for n unknowns,
  // or where v . A v is not positive, so that A is not positive definite; x is then what was reached.
  bool solve(FunctionRef<void(Span<const double>, Span<double>)> product, Span<const double> b, double tolerance, Span<double> x);

 private:
  int64_t unknowns_;
  Span<double> residual_, direction_, product_;
};

}  // namespace atp
