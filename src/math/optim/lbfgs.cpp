// SPDX-License-Identifier: MIT
#include "math/optim/lbfgs.hpp"

#include "math/optim/line_search.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

template <class History>
void BasicLbfgs<History>::reset() {
  history_.reset();
  now_ = {};
}

template <class History>
bool BasicLbfgs<History>::start(Threads threads, Span<const Real> x, Function f) {
  now_.value = f(x, history_.start_gradient());
  history_.take_start();
  now_.norms = history_.measure(threads, x);
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
  LineSearch line(SearchPoint{0, now_.value, slope}, resolution_ * std::fabs(now_.value), phi);
  const SearchResult result = line.run(first_step);
  if (!result.accepted || !std::isfinite(trial_value_)) return false;
  now_.step = result.point.step;
  return true;
}

template <class History>
bool BasicLbfgs<History>::descend(Threads threads, Span<const Real> x, Function f) {
  if (history_.ring.pairs > 0 && search(threads, x, f, history_.find_direction(threads).slope, 1)) return true;
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

template <class History>
Descent BasicLbfgs<History>::iterate(Threads threads, Span<Real> x, Function f, bool *moved) {
  *moved = false;
  if (!now_.started && !start(threads, x, f)) return Descent::diverged;
  if (!now_.measured) now_.norms = history_.measure(threads, x);
  now_.measured = true;
  if (gradient_is_small()) return Descent::converged;
  if (!descend(threads, x, f)) return Descent::stalled;

  const AcceptedStep accepted = history_.accept(threads, x, now_.step);
  now_.value = trial_value_;
  now_.norms = accepted.norms;
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
  history_.check(reader, ring, saved.started);
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
