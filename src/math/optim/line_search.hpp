// SPDX-License-Identifier: MIT
// A step length along a direction of descent that meets the strong Wolfe conditions.
// Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6, eq. 3.59; the relaxed test of decrease where the
// values are noise: W. Hager, H. Zhang, SIAM J. Optim. 16, 170 (2005), eq. 4.1.
#pragma once

#include "math/optim/function.hpp"

namespace atp {

// phi(step) = f(x + step d) and its derivative.
struct SearchPoint {
  double step = 0, value = 0, slope = 0;
};

struct SearchResult {
  bool accepted = false;  // a point with sufficient decrease was found and was the last one evaluated
  bool wolfe = false;     // it meets the curvature condition, too
  SearchPoint point;
};

class LineSearch {
 public:
  static constexpr double kDecrease = 1e-4;  // c1
  static constexpr double kCurvature = 0.9;  // c2

  // start is phi at step 0 with a negative slope; values that differ by less than noise count as equal.
  LineSearch(const SearchPoint &start, double noise, FunctionRef<SearchPoint(double)> phi) : start_(start), noise_(noise), phi_(phi) {}
  SearchResult run(double first_step);

 private:
  bool decreased(const SearchPoint &p) const;
  bool flat(const SearchPoint &p) const;
  bool above(const SearchPoint &p, const SearchPoint &low) const;
  SearchResult zoom(SearchPoint low, SearchPoint high);

  SearchPoint start_;
  double noise_;
  FunctionRef<SearchPoint(double)> phi_;
};

}  // namespace atp
