// SPDX-License-Identifier: MIT
#include "math/optim/lbfgs_history.hpp"

#include "math/optim/vector.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <initializer_list>

namespace atp {

void DescentNumbers::save(StateWriter &writer, const PairRing &ring, bool with_norms) const {
  for (double v : {value, step, length}) writer.value(v);
  if (with_norms)
    for (double v : {norms.gradient, norms.x}) writer.value(v);
  for (double v : {lowest_value, lowest_norm}) writer.value(v);
  for (int64_t v : {ring.pairs, ring.newest, idle, int64_t{started} + int64_t{found}}) writer.value(v);
}

void DescentNumbers::read(StateReader &reader, PairRing &ring, bool with_norms) {
  for (double *v : {&value, &step, &length}) reader.value(*v);
  norms = {};
  measured = with_norms;
  if (with_norms)
    for (double *v : {&norms.gradient, &norms.x}) reader.value(*v);
  for (double *v : {&lowest_value, &lowest_norm}) reader.value(*v);
  ring.pairs = reader.integer("number of pairs", 0, ring.size);
  ring.newest = reader.integer("place of the newest pair", ring.pairs > 0 ? 0 : -1, ring.size - 1);
  idle = reader.integer("number of idle iterations", 0, kIdleLimit + 1);
  const int64_t mark = reader.integer("mark of a run that has started", 0, with_norms ? 2 : 1);
  started = mark > 0;
  found = mark > 1;
  if (!started) {
    if (ring.pairs > 0) fail(ATP_E_FORMAT, "the state has pairs of a run that has not started");
    value = step = length = lowest_value = lowest_norm = 0;
    norms = {};
    return;
  }
  const auto check = [](double v, bool negative_allowed) {
    if (!std::isfinite(v) || (!negative_allowed && v < 0))
      fail(ATP_E_FORMAT, "the state's descent has %g where it must have a finite number%s", v, negative_allowed ? "" : ", not below 0");
  };
  check(value, true);
  check(lowest_value, true);
  for (double v : {step, length, norms.gradient, norms.x, lowest_norm}) check(v, false);
}

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

void TwoLoops::check(StateReader &reader, const PairRing &saved, const DescentNumbers &numbers) const {
  check_gradient<double>(reader, n_, numbers.started);
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

namespace {

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
InnerProducts<Real>::InnerProducts(int64_t unknowns, int64_t history, Target target, Ranks *ranks)
    : kernels_(&vector_kernels(target)), ranks_(ranks != nullptr && ranks->several() ? ranks : nullptr), n_(unknowns) {
  ring.size = history;
  first_task_ = ranks_ == nullptr ? 0 : ranks_->first(ranks_->rank(), tasks());
  end_task_ = ranks_ == nullptr ? tasks() : ranks_->first(ranks_->rank() + 1, tasks());
  from_ = std::min(n_, first_task_ * kTask);
  size_ = std::min(n_, end_task_ * kTask) - from_;
}

template <class Real>
void InnerProducts<Real>::lay_out(Arena &arena) {
  trial = arena.take<Real>(n_);
  whole_ = arena.take<Real>(ranks_ == nullptr ? 0 : n_);
  for (Span<Real> *v : {&gradient, &metric}) *v = arena.take<Real>(size_);
  s_ = arena.take<Real>(ring.size, size_);
  y_ = arena.take<Real>(ring.size, size_);
  sy_ = arena.take<double>(ring.size, ring.size);
  yy_ = arena.take<double>(ring.size, ring.size);
  for (Span<double> *x : {&sg_, &yg_, &s_factors_, &y_factors_}) *x = arena.take<double>(ring.size);
  partial_ = arena.take<double>(tasks(), slots());
  sums_ = arena.take<double>(slots());
}

template <class Real>
void InnerProducts<Real>::narrow(int64_t unknowns) {
  assert(ranks_ == nullptr && unknowns <= n_);
  n_ = size_ = unknowns;
  end_task_ = tasks();
  for (Span<Real> *v : {&trial, &gradient, &metric}) *v = v->sub(0, n_);
  for (Span<Real> *v : {&s_, &y_}) *v = v->sub(0, ring.size * n_);
}

template <class Real>
void InnerProducts<Real>::reset() {
  ring.forget();
  for (Span<Real> x : {gradient, s_, y_}) std::fill(x.begin(), x.end(), Real{0});
  for (Span<double> x : {sy_, yy_, sg_, yg_}) std::fill(x.begin(), x.end(), 0.0);
}

// sums_[0..count-1] = what body(first, elements, out) adds to out, block by block. Elements count from the first of this rank.
template <class Real>
template <class Body>
void InnerProducts<Real>::sum(Threads threads, int64_t count, Body &&body) {
  parallel_for(threads, end_task_ - first_task_, [&](int64_t task, int) {
    double *out = partial_.data() + (first_task_ + task) * count;
    std::fill_n(out, count, 0.0);
    const int64_t end = std::min(size_, (task + 1) * kTask);
    for (int64_t first = task * kTask; first < end; first += kBlock) body(first, std::min(kBlock, end - first), out);
  });
  if (ranks_ != nullptr) ranks_->gather(partial_.data(), tasks(), count * static_cast<int64_t>(sizeof(double)));
  std::fill_n(sums_.data(), count, 0.0);
  for (int64_t task = 0; task < tasks(); ++task)
    for (int64_t k = 0; k < count; ++k) sums_[k] += partial_[task * count + k];
}

// Each rank has written its range of a whole vector; gives all ranks the whole.
template <class Real>
void InnerProducts<Real>::gather(void *whole) const {
  if (ranks_ == nullptr) return;
  for (int64_t r = 0; r < ranks_->size(); ++r)
    ranks_->ends()[r] = std::min(n_, ranks_->first(r + 1, tasks()) * kTask) * static_cast<int64_t>(sizeof(Real));
  ranks_->gather(whole, ranks_->ends());
}

template <class Real>
void InnerProducts<Real>::take_start() {
  if (ranks_ != nullptr) std::copy_n(whole_.data() + from_, size_, gradient.data());
}

template <class Real>
Norms InnerProducts<Real>::measure(Threads threads, Span<const Real> x) {
  const Real *point = x.data() + from_;
  sum(threads, 2, [&](int64_t first, int64_t n, double *out) {
    const Real *g = gradient.data() + first;
    out[0] += dot(*kernels_, g, g, n);
    out[1] += dot(*kernels_, point + first, point + first, n);
  });
  return {std::sqrt(sums_[0]), std::sqrt(sums_[1])};
}

// The direction goes to the place of the next pair's s.
template <class Real>
DescentDirection InnerProducts<Real>::find_direction(Threads threads) {
  double g_factor = 1;
  for (int64_t age = 0; age < ring.pairs; ++age) {
    const int64_t i = ring.place(age);
    double q = sg_[i];
    for (int64_t newer = 0; newer < age; ++newer) q -= y_factors_[ring.place(newer)] * sy(i, ring.place(newer));
    y_factors_[i] = q / sy(i, i);
  }
  if (ring.pairs > 0) g_factor = sy(ring.newest, ring.newest) / yy(ring.newest, ring.newest);
  for (int64_t age = ring.pairs - 1; age >= 0; --age) {
    const int64_t i = ring.place(age);
    double r = yg_[i];
    for (int64_t other = 0; other < ring.pairs; ++other) r -= y_factors_[ring.place(other)] * yy(i, ring.place(other));
    r *= g_factor;
    for (int64_t older = ring.pairs - 1; older > age; --older) r += s_factors_[ring.place(older)] * sy(ring.place(older), i);
    s_factors_[i] = y_factors_[i] - r / sy(i, i);
  }
  Real *direction = pair_s(ring.next()).data();
  sum(threads, 2, [&](int64_t first, int64_t n, double *out) {
    const Real *g = gradient.data() + first, *diagonal = metric.data() + first;
    Real d[kBlock];
    for (int64_t k = 0; k < n; ++k) d[k] = static_cast<Real>(-g_factor) * g[k];
    for (int64_t age = 0; age < ring.pairs; ++age) {
      const int64_t i = ring.place(age);
      add_scaled(*kernels_, static_cast<Real>(g_factor * y_factors_[i]), pair_y(i).data() + first, d, n);
    }
    for (int64_t k = 0; k < n; ++k) d[k] *= diagonal[k];
    for (int64_t age = ring.pairs - 1; age >= 0; --age) {
      const int64_t i = ring.place(age);
      add_scaled(*kernels_, static_cast<Real>(-s_factors_[i]), pair_s(i).data() + first, d, n);
    }
    std::copy_n(d, n, direction + first);
    out[0] += dot(*kernels_, d, g, n);
    out[1] += dot(*kernels_, d, d, n);
  });
  direction_norm_ = std::sqrt(sums_[1]);
  if (ring.pairs == ring.size) --ring.pairs;  // the oldest has made room
  return {sums_[0], direction_norm_};
}

template <class Real>
DescentDirection InnerProducts<Real>::found_direction(Threads threads) {
  const Real *direction = pair_s(ring.next()).data();
  sum(threads, 2, [&](int64_t first, int64_t n, double *out) {
    const Real *d = direction + first;
    out[0] += dot(*kernels_, d, gradient.data() + first, n);
    out[1] += dot(*kernels_, d, d, n);
  });
  direction_norm_ = std::sqrt(sums_[1]);
  return {sums_[0], direction_norm_};
}

template <class Real>
void InnerProducts<Real>::try_step(Threads threads, Span<const Real> x, double step) {
  const Real *d = pair_s(ring.next()).data(), *from = x.data() + from_;
  parallel_for(threads, end_task_ - first_task_, [&](int64_t task, int) {
    Real *to = trial.data() + from_;
    for (int64_t k = task * kTask; k < std::min(size_, (task + 1) * kTask); ++k) to[k] = from[k] + static_cast<Real>(step) * d[k];
  });
  gather(trial.data());
}

template <class Real>
double InnerProducts<Real>::trial_slope(Threads threads) {
  const Real *d = pair_s(ring.next()).data(), *g = pair_y(ring.next()).data();
  if (ranks_ != nullptr) std::copy_n(whole_.data() + from_, size_, pair_y(ring.next()).data());
  sum(threads, 1, [&](int64_t first, int64_t n, double *out) { out[0] += dot(*kernels_, g + first, d + first, n); });
  return sums_[0];
}

// Move to the trial point; its pair joins the history unless its curvature is lost in rounding.
template <class Real>
AcceptedStep InnerProducts<Real>::accept(Threads threads, Span<Real> x, double step) {
  const int64_t next = ring.next();
  Real *s = pair_s(next).data(), *y = pair_y(next).data(), *to = x.data() + from_;
  const Real *from = trial.data() + from_;
  sum(threads, 2 * ring.pairs + 7, [&](int64_t first, int64_t n, double *out) {
    Real *g = gradient.data() + first, *s_new = s + first, *y_new = y + first, scaled_g[kBlock], scaled_y[kBlock];
    const Real *diagonal = metric.data() + first;
    for (int64_t k = 0; k < n; ++k) {
      const Real after = y_new[k];
      y_new[k] = after - g[k];
      g[k] = after;
      scaled_g[k] = diagonal[k] * after;
      scaled_y[k] = diagonal[k] * y_new[k];
      s_new[k] *= static_cast<Real>(step);
      to[first + k] = from[first + k];
    }
    out[0] += dot(*kernels_, g, g, n);
    out[1] += dot(*kernels_, to + first, to + first, n);
    out[2] += dot(*kernels_, s_new, y_new, n);
    out[3] += dot(*kernels_, s_new, g, n);
    out[4] += dot(*kernels_, y_new, scaled_y, n);
    out[5] += dot(*kernels_, y_new, scaled_g, n);
    out[6] += dot(*kernels_, y_new, y_new, n);
    for (int64_t age = 0; age < ring.pairs; ++age) {
      out[7 + 2 * age] += dot(*kernels_, pair_s(ring.place(age)).data() + first, g, n);
      out[8 + 2 * age] += dot(*kernels_, pair_y(ring.place(age)).data() + first, scaled_g, n);
    }
  });
  if (ranks_ != nullptr) std::copy_n(trial.data(), n_, x.data());
  const double s_y = sums_[2], y_y = sums_[4];
  const AcceptedStep accepted{{std::sqrt(sums_[0]), std::sqrt(sums_[1])}, step * direction_norm_};
  // y . v = g_new . v - g_old . v
  for (int64_t age = 0; age < ring.pairs; ++age) {
    const int64_t i = ring.place(age);
    sy(i, next) = sums_[7 + 2 * age] - sg_[i];
    yy(i, next) = yy(next, i) = sums_[8 + 2 * age] - yg_[i];
    sg_[i] = sums_[7 + 2 * age];
    yg_[i] = sums_[8 + 2 * age];
  }
  if (!(s_y > 1e-12 * accepted.length * std::sqrt(sums_[6])) || !std::isfinite(1 / s_y) || !(y_y > 0) || !std::isfinite(y_y))
    return accepted;
  sy(next, next) = s_y;
  yy(next, next) = y_y;
  sg_[next] = sums_[3];
  yg_[next] = sums_[5];
  ring.newest = next;
  ++ring.pairs;
  return accepted;
}

template <class Real>
int64_t InnerProducts<Real>::payload() const {
  return static_cast<int64_t>(sizeof(double)) * (2 * ring.size * ring.size + 2 * ring.size) +
         static_cast<int64_t>(sizeof(Real)) * (2 * ring.size + 1) * n_;
}

template <class Real>
void InnerProducts<Real>::save(StateWriter &writer) const {
  for (Span<double> v : {sy_, yy_, sg_, yg_}) writer.array(Span<const double>(v));
  const auto put = [&](Span<const Real> part) {
    constexpr int64_t bytes = sizeof(Real);
    char *room = writer.room(n_ * bytes);
    if (size_ > 0) std::memcpy(room + from_ * bytes, part.data(), static_cast<std::size_t>(size_ * bytes));
    gather(room);
    order_words(room, n_, bytes);
  };
  put(gradient);
  for (int64_t k = 0; k < ring.size; ++k) put(pair_s(k));
  for (int64_t k = 0; k < ring.size; ++k) put(pair_y(k));
}

template <class Real>
void InnerProducts<Real>::check(StateReader &reader, const PairRing &saved, const DescentNumbers &numbers) const {
  // s . y is kept for an s that is not newer than y alone.
  for (bool steps : {true, false})
    for (int64_t i = 0; i < saved.size; ++i)
      for (int64_t k = 0; k < saved.size; ++k) {
        double x;
        reader.value(x);
        if (!saved.uses(i) || !saved.uses(k) || (steps && saved.age(i) < saved.age(k))) continue;
        if (!std::isfinite(x) || (i == k && !(x > 0)))
          fail(ATP_E_FORMAT, "the state's inner product of pairs %lld and %lld is %g, must be finite%s", llong{i}, llong{k}, x,
               i == k ? " and positive" : "");
      }
  check_pairs<double>(reader, saved, 1, "inner products of a step and the gradient");
  check_pairs<double>(reader, saved, 1, "inner products of changes and the gradient");
  check_gradient<Real>(reader, n_, numbers.started);
  for (int64_t k = 0; k < saved.size; ++k) {
    if (saved.uses(k) || (numbers.found && k == saved.next()))
      reader.reals<Real>(n_, "steps of the history");
    else
      reader.pass_over<Real>(n_);
  }
  check_pairs<Real>(reader, saved, n_, "changes of the gradient");
}

template <class Real>
void InnerProducts<Real>::load(StateReader &reader) {
  for (Span<double> v : {sy_, yy_, sg_, yg_}) reader.array(v);
  const auto take = [&](Span<Real> part) {
    reader.pass_over<Real>(from_);
    reader.array(part);
    reader.pass_over<Real>(n_ - from_ - size_);
  };
  take(gradient);
  for (int64_t k = 0; k < ring.size; ++k) take(pair_s(k));
  for (int64_t k = 0; k < ring.size; ++k) take(pair_y(k));
}

template class InnerProducts<float>;
template class InnerProducts<double>;

}  // namespace atp
