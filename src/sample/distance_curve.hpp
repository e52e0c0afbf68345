// SPDX-License-Identifier: MIT
// A curve through measured points (x_k, y_k), x increasing: piecewise cubic, monotone wherever the points are.
// Source: F. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 300 (1984), with secants as slopes at both ends.
#pragma once

#include "base/span.hpp"

namespace atp {

struct DistanceCurve {
  Span<const double> x, y;  // at least two points

  // Beyond the ends the curve continues as a straight line.
  double value(double at) const;
  // The smallest x at which the curve, which starts above the level, reaches it. May lie on the straight line
  // after the last point. Infinite if that line does not fall.
  double crossing(double level) const;

 private:
  double slope(int64_t k) const;
  double within(int64_t k, double at) const;  // on the piece from k to k + 1
};

}  // namespace atp
