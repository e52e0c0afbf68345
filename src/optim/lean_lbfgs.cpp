// SPDX-License-Identifier: MIT
#include "optim/lean_lbfgs.hpp"

#include "base/team.hpp"
#include "optim/lbfgs_scalars.hpp"
#include "optim/line_search.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kIdleLimit = 20;  // as in lbfgs.cpp

// Elementary steps on blocks: kernels for floats, plain loops for the reference.
double dot(const VectorKernels &kernels, const float *x, const float *y, int64_t n) { return kernels.dot(n, x, y); }

double dot(const VectorKernels &, const double *x, const double *y, int64_t n) {
  double sums[4] = {};
  int64_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int j = 0; j < 4; ++j) sums[j] += x[k + j] * y[k + j];
  for (int j = 0; k < n; ++k, ++j) sums[j] += x[k] * y[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void add_scaled(const VectorKernels &kernels, float c, const float *x, float *y, int64_t n) { kernels.add_scaled(n, c, x, y); }

void add_scaled(const VectorKernels &, double c, const double *x, double *y, int64_t n) {
  for (int64_t k = 0; k < n; ++k) y[k] += c * x[k];
}

}  // namespace

template <class Real>
void LeanLbfgs<Real>::lay_out(Arena &arena) {
  gradient_ = arena.take<Real>(n_);
  trial_ = arena.take<Real>(n_);
  metric_ = arena.take<Real>(n_);
  s_ = arena.take<Real>(history_, n_);
  y_ = arena.take<Real>(history_, n_);
  sy_ = arena.take<double>(history_, history_);
  yy_ = arena.take<double>(history_, history_);
  for (Span<double> *x : {&sg_, &yg_, &s_factors_, &y_factors_}) *x = arena.take<double>(history_);
  partial_ = arena.take<double>(tasks(), slots());
  sums_ = arena.take<double>(slots());
}

template <class Real>
void LeanLbfgs<Real>::reset() {
  pairs_ = 0;
  newest_ = -1;
  idle_ = 0;
  value_ = step_ = length_ = gradient_norm_ = x_norm_ = lowest_value_ = lowest_norm_ = 0;
  started_ = false;
  for (Span<Real> x : {gradient_, s_, y_}) std::fill(x.begin(), x.end(), Real{0});
  for (Span<double> x : {sy_, yy_, sg_, yg_}) std::fill(x.begin(), x.end(), 0.0);
}

// sums_[0..count-1] = what body(first, elements, out) adds to out, block by block.
template <class Real>
template <class Body>
void LeanLbfgs<Real>::sum(Threads threads, int64_t count, Body &&body) {
  parallel_for(threads, tasks(), [&](int64_t task, int) {
    double *out = partial_.data() + task * slots();
    std::fill_n(out, count, 0.0);
    const int64_t end = std::min(n_, (task + 1) * kTask);
    for (int64_t first = task * kTask; first < end; first += kBlock) body(first, std::min(kBlock, end - first), out);
  });
  std::fill_n(sums_.data(), count, 0.0);
  for (int64_t task = 0; task < tasks(); ++task)
    for (int64_t k = 0; k < count; ++k) sums_[k] += partial_[task * slots() + k];
}

template <class Real>
void LeanLbfgs<Real>::measure(Threads threads, Span<const Real> x) {
  sum(threads, 2, [&](int64_t first, int64_t n, double *out) {
    const Real *g = gradient_.data() + first;
    out[0] += dot(*kernels_, g, g, n);
    out[1] += dot(*kernels_, x.data() + first, x.data() + first, n);
  });
  gradient_norm_ = std::sqrt(sums_[0]);
  x_norm_ = std::sqrt(sums_[1]);
}

// The direction goes to the place of the next pair's s.
template <class Real>
void LeanLbfgs<Real>::find_direction(Threads threads) {
  double g_factor = 1;
  for (int64_t age = 0; age < pairs_; ++age) {
    const int64_t i = place(age);
    double q = sg_[i];
    for (int64_t newer = 0; newer < age; ++newer) q -= y_factors_[place(newer)] * sy(i, place(newer));
    y_factors_[i] = q / sy(i, i);
  }
  if (pairs_ > 0) g_factor = sy(newest_, newest_) / yy(newest_, newest_);
  for (int64_t age = pairs_ - 1; age >= 0; --age) {
    const int64_t i = place(age);
    double r = yg_[i];
    for (int64_t other = 0; other < pairs_; ++other) r -= y_factors_[place(other)] * yy(i, place(other));
    r *= g_factor;
    for (int64_t older = pairs_ - 1; older > age; --older) r += s_factors_[place(older)] * sy(place(older), i);
    s_factors_[i] = y_factors_[i] - r / sy(i, i);
  }
  Real *direction = pair_s((newest_ + 1) % history_).data();
  sum(threads, 2, [&](int64_t first, int64_t n, double *out) {
    const Real *g = gradient_.data() + first, *metric = metric_.data() + first;
    Real d[kBlock];
    for (int64_t k = 0; k < n; ++k) d[k] = static_cast<Real>(-g_factor) * g[k];
    for (int64_t age = 0; age < pairs_; ++age) {
      const int64_t i = place(age);
      add_scaled(*kernels_, static_cast<Real>(g_factor * y_factors_[i]), pair_y(i).data() + first, d, n);
    }
    for (int64_t k = 0; k < n; ++k) d[k] *= metric[k];
    for (int64_t age = pairs_ - 1; age >= 0; --age) {
      const int64_t i = place(age);
      add_scaled(*kernels_, static_cast<Real>(-s_factors_[i]), pair_s(i).data() + first, d, n);
    }
    std::copy_n(d, n, direction + first);
    out[0] += dot(*kernels_, d, g, n);
    out[1] += dot(*kernels_, d, d, n);
  });
  slope_ = sums_[0];
  direction_norm_ = std::sqrt(sums_[1]);
  if (pairs_ == history_) --pairs_;  // the oldest has made room
}

// Gradients of the points tried go to the place of the next pair's y.
template <class Real>
bool LeanLbfgs<Real>::search(Threads threads, Span<const Real> x, Function f, double first_step) {
  if (!(slope_ < 0) || !std::isfinite(slope_) || !std::isfinite(first_step)) return false;
  const int64_t next = (newest_ + 1) % history_;
  const Real *d = pair_s(next).data(), *from = x.data();
  const Span<Real> g = pair_y(next);
  const auto phi = [&](double step) {
    parallel_for(threads, tasks(), [&](int64_t task, int) {
      Real *to = trial_.data();
      for (int64_t k = task * kTask; k < std::min(n_, (task + 1) * kTask); ++k) to[k] = from[k] + static_cast<Real>(step) * d[k];
    });
    trial_value_ = f(trial_, g);
    sum(threads, 1, [&](int64_t first, int64_t n, double *out) { out[0] += dot(*kernels_, g.data() + first, d + first, n); });
    return SearchPoint{step, trial_value_, sums_[0]};
  };
  LineSearch line(SearchPoint{0, value_, slope_}, resolution_ * std::fabs(value_), phi);
  const SearchResult result = line.run(first_step);
  if (!result.accepted || !std::isfinite(trial_value_)) return false;
  step_ = result.point.step;
  return true;
}

// Move to the trial point; its pair joins the history unless its curvature is lost in rounding.
template <class Real>
void LeanLbfgs<Real>::accept(Threads threads, Span<Real> x) {
  const int64_t next = (newest_ + 1) % history_;
  Real *s = pair_s(next).data(), *y = pair_y(next).data();
  sum(threads, 2 * pairs_ + 7, [&](int64_t first, int64_t n, double *out) {
    Real *g = gradient_.data() + first, *s_new = s + first, *y_new = y + first, scaled_g[kBlock], scaled_y[kBlock];
    const Real *metric = metric_.data() + first;
    for (int64_t k = 0; k < n; ++k) {
      const Real after = y_new[k];
      y_new[k] = after - g[k];
      g[k] = after;
      scaled_g[k] = metric[k] * after;
      scaled_y[k] = metric[k] * y_new[k];
      s_new[k] *= static_cast<Real>(step_);
      x[first + k] = trial_[first + k];
    }
    out[0] += dot(*kernels_, g, g, n);
    out[1] += dot(*kernels_, x.data() + first, x.data() + first, n);
    out[2] += dot(*kernels_, s_new, y_new, n);
    out[3] += dot(*kernels_, s_new, g, n);
    out[4] += dot(*kernels_, y_new, scaled_y, n);
    out[5] += dot(*kernels_, y_new, scaled_g, n);
    out[6] += dot(*kernels_, y_new, y_new, n);
    for (int64_t age = 0; age < pairs_; ++age) {
      out[7 + 2 * age] += dot(*kernels_, pair_s(place(age)).data() + first, g, n);
      out[8 + 2 * age] += dot(*kernels_, pair_y(place(age)).data() + first, scaled_g, n);
    }
  });
  const double s_y = sums_[2], y_y = sums_[4];
  gradient_norm_ = std::sqrt(sums_[0]);
  x_norm_ = std::sqrt(sums_[1]);
  length_ = step_ * direction_norm_;
  value_ = trial_value_;
  // y . v = g_new . v - g_old . v
  for (int64_t age = 0; age < pairs_; ++age) {
    const int64_t i = place(age);
    sy(i, next) = sums_[7 + 2 * age] - sg_[i];
    yy(i, next) = yy(next, i) = sums_[8 + 2 * age] - yg_[i];
    sg_[i] = sums_[7 + 2 * age];
    yg_[i] = sums_[8 + 2 * age];
  }
  if (!(s_y > 1e-12 * length_ * std::sqrt(sums_[6])) || !std::isfinite(1 / s_y) || !(y_y > 0) || !std::isfinite(y_y)) return;
  sy(next, next) = s_y;
  yy(next, next) = y_y;
  sg_[next] = sums_[3];
  yg_[next] = sums_[5];
  newest_ = next;
  ++pairs_;
}

template <class Real>
bool LeanLbfgs<Real>::stuck() {
  if (value_ < lowest_value_ - resolution_ * std::fabs(lowest_value_) || gradient_norm_ < 0.9 * lowest_norm_) {
    lowest_value_ = std::min(lowest_value_, value_);
    lowest_norm_ = std::min(lowest_norm_, gradient_norm_);
    idle_ = 0;
  }
  return ++idle_ > kIdleLimit;
}

template <class Real>
Descent LeanLbfgs<Real>::iterate(Threads threads, Span<Real> x, Function f, bool *moved) {
  *moved = false;
  if (!started_) {
    value_ = f(x, gradient_);
    measure(threads, x);
    if (!std::isfinite(value_) || !std::isfinite(gradient_norm_)) return Descent::diverged;
    started_ = true;
    lowest_value_ = value_;
    lowest_norm_ = gradient_norm_;
  }
  if (gradient_is_small()) return Descent::converged;

  bool found = false;
  if (pairs_ > 0) {
    find_direction(threads);
    found = search(threads, x, f, 1);
  }
  if (!found) {
    // The first step, or a history that leads nowhere: down the gradient, as far as the last step went.
    pairs_ = 0;
    newest_ = -1;
    find_direction(threads);
    found = search(threads, x, f, (length_ > 0 ? length_ : 1) / direction_norm_);
  }
  if (!found) return Descent::stalled;
  accept(threads, x);
  *moved = true;
  if (gradient_is_small()) return Descent::converged;
  return stuck() ? Descent::stalled : Descent::going;
}

template <class Real>
int64_t LeanLbfgs<Real>::payload() const {
  return static_cast<int64_t>(sizeof(double)) * (7 + 2 * history_ * history_ + 2 * history_) + static_cast<int64_t>(sizeof(int64_t)) * 4 +
         static_cast<int64_t>(sizeof(Real)) * (2 * history_ + 1) * n_;
}

template <class Real>
void LeanLbfgs<Real>::save(StateWriter &writer) const {
  save_scalars(writer, {value_, step_, length_, gradient_norm_, x_norm_, lowest_value_, lowest_norm_}, {pairs_, newest_, idle_, started_});
  for (Span<double> v : {sy_, yy_, sg_, yg_}) writer.array(Span<const double>(v));
  for (Span<Real> v : {gradient_, s_, y_}) writer.array(Span<const Real>(v));
}

template <class Real>
void LeanLbfgs<Real>::check(StateReader &reader) const {
  const SavedRing ring = check_scalars(reader, history_, kIdleLimit, 7, 5);
  // s . y is kept for an s that is not newer than y alone.
  for (bool steps : {true, false})
    for (int64_t i = 0; i < history_; ++i)
      for (int64_t k = 0; k < history_; ++k) {
        double x;
        reader.value(x);
        if (!ring.uses(i, history_) || !ring.uses(k, history_) || (steps && ring.age(i, history_) < ring.age(k, history_))) continue;
        if (!std::isfinite(x) || (i == k && !(x > 0)))
          fail(ATP_E_FORMAT, "the state's inner product of pairs %lld and %lld is %g, must be finite%s", static_cast<long long>(i),
               static_cast<long long>(k), x, i == k ? " and positive" : "");
      }
  const auto used = [&](int64_t n, const char *name, auto zero) {
    using Number = decltype(zero);
    for (int64_t k = 0; k < history_; ++k) {
      if (ring.uses(k, history_))
        reader.reals<Number>(n, name);
      else
        reader.pass_over<Number>(n);
    }
  };
  used(1, "inner products of a step and the gradient", 0.0);
  used(1, "inner products of changes and the gradient", 0.0);
  if (ring.started)
    reader.reals<Real>(n_, "gradient");
  else
    reader.pass_over<Real>(n_);
  used(n_, "steps of the history", Real{0});
  used(n_, "changes of the gradient", Real{0});
}

template <class Real>
void LeanLbfgs<Real>::load(StateReader &reader) {
  load_scalars(reader, {&value_, &step_, &length_, &gradient_norm_, &x_norm_, &lowest_value_, &lowest_norm_}, pairs_, newest_, idle_,
               started_);
  for (Span<double> v : {sy_, yy_, sg_, yg_}) reader.array(v);
  for (Span<Real> v : {gradient_, s_, y_}) reader.array(v);
}

template class LeanLbfgs<float>;
template class LeanLbfgs<double>;

}  // namespace atp
