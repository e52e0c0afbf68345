// SPDX-License-Identifier: MIT
#include "math/optim/conjugate_gradients.hpp"

namespace atp {

void ConjugateGradients::lay_out(Arena &arena) {
  residual_ = arena.take<double>(unknowns_);
  direction_ = arena.take<double>(unknowns_);
  product_ = arena.take<double>(unknowns_);
}

bool ConjugateGradients::solve(FunctionRef<void(Span<const double>, Span<double>)> product, Span<const double> b, double tolerance,
                               Span<double> x) {
  fill(x, 0);
  copy(b, residual_);
  copy(b, direction_);
  double square = dot(b, b);
  const double small = tolerance * tolerance * square;
  for (int64_t iteration = 0; iteration < 2 * unknowns_ + 100; ++iteration) {
    if (square <= small) return true;
    product(direction_, product_);
    const double curvature = dot(direction_, product_);
    if (!(curvature > 0)) return false;
    const double step = square / curvature, before = square;
    add_scaled(step, direction_, x);
    add_scaled(-step, product_, residual_);
    square = dot(residual_, residual_);
    for (int64_t k = 0; k < unknowns_; ++k) direction_[k] = residual_[k] + square / before * direction_[k];
  }
  return false;
}

}  // namespace atp
