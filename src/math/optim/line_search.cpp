// SPDX-License-Identifier: MIT
#include "math/optim/line_search.hpp"

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

}  // namespace

// Sufficient decrease; where both values are the same to within the noise, the slopes have to tell.
bool LineSearch::decreased(const SearchPoint &p) const {
  if (p.value <= start_.value + kDecrease * p.step * start_.slope) return true;
  return std::fabs(p.value - start_.value) <= noise_ && p.slope <= (2 * kDecrease - 1) * start_.slope;
}

bool LineSearch::flat(const SearchPoint &p) const { return std::fabs(p.slope) <= -kCurvature * start_.slope; }

bool LineSearch::above(const SearchPoint &p, const SearchPoint &low) const { return p.value > low.value + noise_; }

SearchResult LineSearch::run(double first_step) {
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
    // Still going down steeply: on, by two to ten times the last stretch.
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

// The minimum of phi lies between low (the lowest point with sufficient decrease) and high.
SearchResult LineSearch::zoom(SearchPoint low, SearchPoint high) {
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

}  // namespace atp
