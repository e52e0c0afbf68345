// SPDX-License-Identifier: MIT
#include "math/optim/two_loops.hpp"

#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace atp {

void TwoLoops::lay_out(Arena &arena) {
  for (Span<double> *v : {&gradient, &direction_, &trial, &trial_gradient_}) *v = arena.take<double>(n_);
  s_ = arena.take<double>(ring.size, n_);
  y_ = arena.take<double>(ring.size, n_);
  inverse_sy_ = arena.take<double>(ring.size);
  alpha_ = arena.take<double>(ring.size);
}

void TwoLoops::narrow(int64_t unknowns) {
  n_ = unknowns;
  for (Span<double> *v : {&gradient, &direction_, &trial, &trial_gradient_}) *v = v->sub(0, n_);
  for (Span<double> *v : {&s_, &y_}) *v = v->sub(0, ring.size * n_);
}

void TwoLoops::reset() {
  ring.forget();
  for (Span<double> v : {gradient, s_, y_, inverse_sy_}) fill(v, 0);
}

Norms TwoLoops::measure(Threads, Span<const double> x) const { return {norm(gradient), norm(x)}; }

DescentDirection TwoLoops::find_direction(Threads) {
  for (int64_t k = 0; k < n_; ++k) direction_[k] = -gradient[k];
  for (int64_t age = 0; age < ring.pairs; ++age) {
    const int64_t p = ring.place(age);
    alpha_[p] = inverse_sy_[p] * dot(pair_s(p), direction_);
    add_scaled(-alpha_[p], pair_y(p), direction_);
  }
  if (ring.pairs > 0) {
    const Span<const double> y = pair_y(ring.newest);
    const double scale = 1 / (inverse_sy_[ring.newest] * dot(y, y));
    for (double &d : direction_) d *= scale;
  }
  for (int64_t age = ring.pairs - 1; age >= 0; --age) {
    const int64_t p = ring.place(age);
    const double beta = inverse_sy_[p] * dot(pair_y(p), direction_);
    add_scaled(alpha_[p] - beta, pair_s(p), direction_);
  }
  return {dot(gradient, direction_), norm(direction_)};
}

void TwoLoops::try_step(Threads, Span<const double> x, double step) {
  for (int64_t k = 0; k < n_; ++k) trial[k] = x[k] + step * direction_[k];
}

double TwoLoops::trial_slope(Threads) { return dot(trial_gradient_, direction_); }

AcceptedStep TwoLoops::accept(Threads, Span<double> x, double) {
  const int64_t p = ring.next();
  const Span<double> s = pair_s(p), y = pair_y(p);
  for (int64_t k = 0; k < n_; ++k) {
    s[k] = trial[k] - x[k];
    y[k] = trial_gradient_[k] - gradient[k];
  }
  const double length = norm(s), sy = dot(s, y), yy = dot(y, y);
  if (sy > 1e-12 * length * std::sqrt(yy) && std::isfinite(1 / sy) && std::isfinite(yy)) {
    inverse_sy_[p] = 1 / sy;
    ring.newest = p;
    ring.pairs = std::min(ring.pairs + 1, ring.size);
  } else {
    // The curvature is lost in rounding. The place holds no pair now; it was the oldest one where the ring is full.
    if (ring.pairs == ring.size) --ring.pairs;
    inverse_sy_[p] = 0;
    fill(s, 0);
    fill(y, 0);
  }
  copy(trial, x);
  copy(trial_gradient_, gradient);
  return {{norm(gradient), norm(x)}, length};
}

void TwoLoops::save(StateWriter &writer) const {
  for (Span<double> v : {gradient, s_, y_, inverse_sy_}) writer.array(Span<const double>(v));
}

void TwoLoops::check(StateReader &reader, const PairRing &saved, bool started) const {
  check_gradient<double>(reader, n_, started);
  check_pairs<double>(reader, saved, n_, "steps of the history");
  check_pairs<double>(reader, saved, n_, "changes of the gradient");
  for (int64_t k = 0; k < saved.size; ++k) {
    if (saved.uses(k))
      reader.real("curvature", 0);
    else
      reader.pass_over<double>(1);
  }
}

void TwoLoops::load(StateReader &reader) {
  for (Span<double> v : {gradient, s_, y_, inverse_sy_}) reader.array(v);
}

}  // namespace atp
