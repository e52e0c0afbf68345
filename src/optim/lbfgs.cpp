// SPDX-License-Identifier: MIT
#include "optim/lbfgs.hpp"

#include "optim/lbfgs_scalars.hpp"
#include "optim/line_search.hpp"
#include "optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {
// Iterations without a visible fall of f, nor of |g| by a tenth, after which nothing more is to be had.
constexpr int64_t kIdleLimit = 20;
}  // namespace

void Lbfgs::lay_out(Arena &arena) {
  gradient_ = arena.take<double>(n_);
  direction_ = arena.take<double>(n_);
  trial_ = arena.take<double>(n_);
  trial_gradient_ = arena.take<double>(n_);
  s_ = arena.take<double>(history_, n_);
  y_ = arena.take<double>(history_, n_);
  inverse_sy_ = arena.take<double>(history_);
  alpha_ = arena.take<double>(history_);
}

void Lbfgs::reset() {
  pairs_ = 0;
  newest_ = -1;
  idle_ = 0;
  value_ = step_ = length_ = lowest_value_ = lowest_norm_ = 0;
  started_ = false;
  for (Span<double> x : {gradient_, s_, y_, inverse_sy_}) fill(x, 0);
}

bool Lbfgs::gradient_is_small(Span<const double> x) const { return norm(gradient_) <= tolerance_ * std::max(1.0, norm(x)); }

// direction = -H gradient by the two-loop recursion.
void Lbfgs::find_direction() {
  for (int64_t k = 0; k < n_; ++k) direction_[k] = -gradient_[k];
  if (pairs_ == 0) return;
  const auto place = [&](int64_t age) { return (newest_ - age + history_) % history_; };
  for (int64_t age = 0; age < pairs_; ++age) {
    const int64_t p = place(age);
    alpha_[p] = inverse_sy_[p] * dot(pair_s(p), direction_);
    add_scaled(-alpha_[p], pair_y(p), direction_);
  }
  const double scale = 1 / (inverse_sy_[newest_] * dot(pair_y(newest_), pair_y(newest_)));
  for (double &d : direction_) d *= scale;
  for (int64_t age = pairs_ - 1; age >= 0; --age) {
    const int64_t p = place(age);
    const double beta = inverse_sy_[p] * dot(pair_y(p), direction_);
    add_scaled(alpha_[p] - beta, pair_s(p), direction_);
  }
}

bool Lbfgs::search(Span<double> x, Evaluate f, double first_step) {
  const SearchPoint start{0, value_, dot(gradient_, direction_)};
  if (!(start.slope < 0) || !std::isfinite(start.slope) || !std::isfinite(first_step)) return false;
  const auto phi = [&](double step) {
    for (int64_t k = 0; k < n_; ++k) trial_[k] = x[k] + step * direction_[k];
    trial_value_ = f(trial_, trial_gradient_);
    return SearchPoint{step, trial_value_, dot(trial_gradient_, direction_)};
  };
  LineSearch line(start, resolution_ * std::fabs(value_), phi);
  const SearchResult result = line.run(first_step);
  if (!result.accepted || !all_finite(trial_gradient_)) return false;
  step_ = result.point.step;
  return true;
}

// Take the pair of the step x -> trial into the history, unless its curvature is lost in rounding.
void Lbfgs::remember(Span<const double> x) {
  const int64_t p = (newest_ + 1) % history_;
  const Span<double> s = pair_s(p), y = pair_y(p);
  for (int64_t k = 0; k < n_; ++k) {
    s[k] = trial_[k] - x[k];
    y[k] = trial_gradient_[k] - gradient_[k];
  }
  length_ = norm(s);
  const double sy = dot(s, y), yy = dot(y, y);
  if (!(sy > 1e-12 * length_ * std::sqrt(yy)) || !std::isfinite(1 / sy) || !std::isfinite(yy)) {
    // The slot now holds no pair; it was the oldest one where the ring is full.
    if (pairs_ == history_) --pairs_;
    inverse_sy_[p] = 0;
    fill(s, 0);
    fill(y, 0);
    return;
  }
  inverse_sy_[p] = 1 / sy;
  newest_ = p;
  pairs_ = std::min(pairs_ + 1, history_);
}

bool Lbfgs::stuck() {
  const double length = norm(gradient_);
  if (value_ < lowest_value_ - resolution_ * std::fabs(lowest_value_) || length < 0.9 * lowest_norm_) {
    lowest_value_ = std::min(lowest_value_, value_);
    lowest_norm_ = std::min(lowest_norm_, length);
    idle_ = 0;
  }
  return ++idle_ > kIdleLimit;
}

Descent Lbfgs::iterate(Span<double> x, Evaluate f, bool *moved) {
  *moved = false;
  if (!started_) {
    value_ = f(x, gradient_);
    if (!std::isfinite(value_) || !all_finite(gradient_)) return Descent::diverged;
    started_ = true;
    lowest_value_ = value_;
    lowest_norm_ = norm(gradient_);
  }
  if (gradient_is_small(x)) return Descent::converged;

  find_direction();
  bool found = pairs_ > 0 && search(x, f, 1);
  if (!found) {
    // The first step, or a history that leads nowhere: down the gradient, as far as the last step went.
    pairs_ = 0;
    newest_ = -1;
    find_direction();
    found = search(x, f, (length_ > 0 ? length_ : 1) / norm(gradient_));
  }
  if (!found) return Descent::stalled;

  remember(x);
  copy(trial_, x);
  copy(trial_gradient_, gradient_);
  value_ = trial_value_;
  *moved = true;
  if (gradient_is_small(x)) return Descent::converged;
  return stuck() ? Descent::stalled : Descent::going;
}

int64_t Lbfgs::payload() const {
  return static_cast<int64_t>(sizeof(double)) * ((2 * history_ + 1) * n_ + history_ + 5) + static_cast<int64_t>(sizeof(int64_t)) * 4;
}

void Lbfgs::save(StateWriter &writer) const {
  save_scalars(writer, {value_, step_, length_, lowest_value_, lowest_norm_}, {pairs_, newest_, idle_, started_});
  for (Span<double> v : {gradient_, s_, y_, inverse_sy_}) writer.array(Span<const double>(v));
}

void Lbfgs::check(StateReader &reader) const {
  const SavedRing ring = check_scalars(reader, history_, kIdleLimit, 5, 3);
  if (ring.started)
    reader.reals<double>(n_, "gradient");
  else
    reader.pass_over<double>(n_);
  for (const char *name : {"steps of the history", "changes of the gradient"})
    for (int64_t k = 0; k < history_; ++k) {
      if (ring.uses(k, history_))
        reader.reals<double>(n_, name);
      else
        reader.pass_over<double>(n_);
    }
  for (int64_t k = 0; k < history_; ++k) {
    if (ring.uses(k, history_))
      reader.real("curvature", 0);
    else
      reader.pass_over<double>(1);
  }
}

void Lbfgs::load(StateReader &reader) {
  load_scalars(reader, {&value_, &step_, &length_, &lowest_value_, &lowest_norm_}, pairs_, newest_, idle_, started_);
  for (Span<double> v : {gradient_, s_, y_, inverse_sy_}) reader.array(v);
}

}  // namespace atp
