// SPDX-License-Identifier: MIT
#include "math/optim/lbfgs.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kExpansions = 30, kZooms = 40, kRetreats = 60;

bool finite(const SearchPoint &p) { return std::isfinite(p.value) && std::isfinite(p.slope); }

// The minimiser of the cubic through two points with their slopes (N&W eq. 3.59); NaN where it has none.
double cubic_minimizer(const SearchPoint &a, const SearchPoint &b) {
  const double width = b.step - a.step;
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return std::nan("");
  const double d2 = width > 0 ? std::sqrt(square) : -std::sqrt(square);
  return b.step - width * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
}

// The line search and its function.
class LineSearch {
 public:
  LineSearch(const SearchPoint &start, double noise, FunctionRef<SearchPoint(double)> phi) : start_(start), noise_(noise), phi_(phi) {}
  SearchResult run(double first_step) {
    SearchPoint previous = start_;
    double step = first_step, ceiling = INFINITY;
    int retreats = 0;
    for (int i = 0; i < kExpansions;) {
      const SearchPoint p = phi_(step);
      if (!finite(p)) {
        if (++retreats > kRetreats) break;
        ceiling = step;
        step = previous.step + 0.1 * (step - previous.step);
        continue;
      }
      if (!decreased(p) || above(p, previous)) return zoom(previous, p);
      if (flat(p)) return {true, true, p};
      if (p.slope >= 0) return zoom(p, previous);
      // The slope is still steep: go on by two to ten times the last stretch.
      const double stretch = p.step - previous.step;
      double next = cubic_minimizer(previous, p);
      next = std::isfinite(next) && next > p.step ? std::clamp(next, p.step + stretch, p.step + 9 * stretch) : p.step + 9 * stretch;
      if (next >= ceiling) next = 0.5 * (p.step + ceiling);
      previous = p;
      ++i;
      if (i == kExpansions || !(next > p.step) || !std::isfinite(next)) return {true, false, p};
      step = next;
    }
    if (previous.step > 0) return {true, false, phi_(previous.step)};
    return {};
  }

 private:
  static constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // c1, c2

  // Sufficient decrease; where both values are the same to within the noise, the slopes have to tell.
  bool decreased(const SearchPoint &p) const {
    if (p.value <= start_.value + kDecrease * p.step * start_.slope) return true;
    return std::fabs(p.value - start_.value) <= noise_ && p.slope <= (2 * kDecrease - 1) * start_.slope;
  }
  bool flat(const SearchPoint &p) const { return std::fabs(p.slope) <= -kCurvature * start_.slope; }
  bool above(const SearchPoint &p, const SearchPoint &low) const { return p.value > low.value + noise_; }
  // The minimum of phi lies between low (the lowest point with sufficient decrease) and high.
  SearchResult zoom(SearchPoint low, SearchPoint high) {
    double older_width = INFINITY, old_width = INFINITY;
    for (int i = 0; i < kZooms; ++i) {
      const double width = high.step - low.step, margin = 0.1 * std::fabs(width);
      const double left = std::min(low.step, high.step) + margin, right = std::max(low.step, high.step) - margin;
      double step = finite(high) ? cubic_minimizer(low, high) : std::nan("");
      // Bisect where the cubic fails, points at an end, or has made little of the last two intervals.
      if (!(step >= left && step <= right) || std::fabs(width) > 0.66 * older_width) step = low.step + 0.5 * width;
      if (step == low.step || step == high.step) break;
      older_width = old_width;
      old_width = std::fabs(width);
      const SearchPoint p = phi_(step);
      if (!finite(p) || !decreased(p) || above(p, low)) {
        high = p;
        continue;
      }
      if (flat(p)) return {true, true, p};
      if (p.slope * width >= 0) high = low;
      low = p;
    }
    if (low.step > 0) return {true, false, phi_(low.step)};
    return {};
  }

  SearchPoint start_;
  double noise_;
  FunctionRef<SearchPoint(double)> phi_;
};

}  // namespace

SearchResult search_line(const SearchPoint &start, double noise, double first_step, FunctionRef<SearchPoint(double)> phi) {
  return LineSearch(start, noise, phi).run(first_step);
}

template <class History>
void BasicLbfgs<History>::reset() {
  history_.reset();
  now_ = {};
}

template <class History>
bool BasicLbfgs<History>::start(Threads threads, Span<const Real> x, Function f) {
  now_.value = f(x, history_.start_gradient());
  history_.take_start();
  now_.norms = own_norms_ != nullptr ? *own_norms_ : history_.measure(threads, x);
  now_.measured = true;
  now_.started = std::isfinite(now_.value) && std::isfinite(now_.norms.gradient);
  if (now_.started) now_.lowest_value = now_.value;
  if (now_.started) now_.lowest_norm = now_.norms.gradient;
  return now_.started;
}

// A point along the present direction that meets the Wolfe conditions becomes the trial point.
template <class History>
bool BasicLbfgs<History>::search(Threads threads, Span<const Real> x, Function f, double slope, double first_step) {
  if (!(slope < 0) || !std::isfinite(slope) || !std::isfinite(first_step)) return false;
  const auto phi = [&](double step) {
    history_.try_step(threads, x, step);
    trial_value_ = f(history_.trial, history_.trial_gradient());
    return SearchPoint{step, trial_value_, history_.trial_slope(threads)};
  };
  const SearchResult result = search_line({0, now_.value, slope}, resolution_ * std::fabs(now_.value), first_step, phi);
  if (!result.accepted || !std::isfinite(trial_value_)) return false;
  now_.step = result.point.step;
  return true;
}

// Where f throws, `found` stays set: the next call searches along the same direction.
template <class History>
bool BasicLbfgs<History>::follow(Threads threads, Span<const Real> x, Function f) {
  double slope = 0;
  if constexpr (History::kKeepsDirection) {
    if (!now_.found && history_.ring.pairs == 0) return false;
    slope = (now_.found ? history_.found_direction(threads) : history_.find_direction(threads)).slope;
    now_.found = true;
  } else {
    if (history_.ring.pairs == 0) return false;
    slope = history_.find_direction(threads).slope;
  }
  const bool accepted = search(threads, x, f, slope, 1);
  now_.found = false;
  return accepted;
}

template <class History>
bool BasicLbfgs<History>::descend(Threads threads, Span<const Real> x, Function f) {
  if (follow(threads, x, f)) return true;
  // The first step, or a history that leads nowhere: down the gradient, as far as the last step went.
  history_.ring.forget();
  const DescentDirection down = history_.find_direction(threads);
  return search(threads, x, f, down.slope, (now_.length > 0 ? now_.length : 1) / down.norm);
}

template <class History>
bool BasicLbfgs<History>::stuck() {
  const bool lower = now_.value < now_.lowest_value - resolution_ * std::fabs(now_.lowest_value);
  if (lower || now_.norms.gradient < 0.9 * now_.lowest_norm) {
    now_.lowest_value = std::min(now_.lowest_value, now_.value);
    now_.lowest_norm = std::min(now_.lowest_norm, now_.norms.gradient);
    now_.idle = 0;
  }
  return ++now_.idle > kIdleLimit;
}

// The norms of a point from a saved state.
template <class History>
void BasicLbfgs<History>::measure(Threads threads, Span<const Real> x, Function f) {
  if (own_norms_ != nullptr) f(x, history_.trial_gradient());
  now_.norms = own_norms_ != nullptr ? *own_norms_ : history_.measure(threads, x);
  now_.measured = true;
}

template <class History>
Descent BasicLbfgs<History>::iterate(Threads threads, Span<Real> x, Function f, bool *moved) {
  *moved = false;
  if (!now_.started && !start(threads, x, f)) return Descent::diverged;
  if (!now_.measured) measure(threads, x, f);
  if (gradient_is_small()) return Descent::converged;
  if (!descend(threads, x, f)) return Descent::stalled;

  const AcceptedStep accepted = history_.accept(threads, x, now_.step);
  now_.value = trial_value_;
  now_.norms = own_norms_ != nullptr ? *own_norms_ : accepted.norms;
  now_.length = accepted.length;
  *moved = true;
  if (gradient_is_small()) return Descent::converged;
  return stuck() ? Descent::stalled : Descent::going;
}

template <class History>
void BasicLbfgs<History>::save(StateWriter &writer) const {
  now_.save(writer, history_.ring, History::kSavesNorms);
  history_.save(writer);
}

template <class History>
void BasicLbfgs<History>::check(StateReader &reader) const {
  DescentNumbers saved;
  PairRing ring = history_.ring;
  saved.read(reader, ring, History::kSavesNorms);
  history_.check(reader, ring, saved);
}

template <class History>
void BasicLbfgs<History>::load(StateReader &reader) {
  now_.read(reader, history_.ring, History::kSavesNorms);
  history_.load(reader);
}

template class BasicLbfgs<TwoLoops>;
template class BasicLbfgs<InnerProducts<float>>;
template class BasicLbfgs<InnerProducts<double>>;

}  // namespace atp
