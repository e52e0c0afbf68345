// SPDX-License-Identifier: MIT
// Nested Gaussian averages in one or two dimensions, from values on parallel lines:
//     Z(w0) = E_z1 exp(-mu M(w0 + s1 z1)),   <a>(w0) = E_z1 a exp(-mu M) / Z,   E_z0 of log Z, <a> and |<g>|^2 at w0 = s0 z0.
//
// Along a line the points are a quadrature of pieces on which M and g are smooth, so that jumps of g between pieces cost nothing. Lines
// and places of w0 are equally spaced: what is left is smooth on the scale s1, and sums at equal distances converge exponentially.
#pragma once

#include "base/arena.hpp"

namespace atp::dotattn {

// Values at the points; along, length, ... are [lines][points], in the order of `along` on each line.
struct NestedPoints {
  int64_t lines, points;  // one line: one dimension
  double spacing;         // of the lines, which lie around zero
  Span<double> along;     // place of a point
  Span<double> length;    // weight of the quadrature over the places
  Span<double> energy;    // M
  Span<double> g_along, g_across;
  void lay_out(Arena &arena, int64_t most_lines, int64_t most_points);
};

struct NestedWidths {
  double s0, s1, mu;
};

struct NestedSums {
  double free = 0;               // -E log Z / mu; E M if mu = 0
  double energy = 0;             // E <M>
  double square = 0;             // E <|g|^2>
  double mean_square = 0;        // E |<g>|^2
  double along = 0, across = 0;  // E <g>
  double noise = 0;              // E <g> . z0
};

// Numbers that a call works in.
struct NestedScratch {
  static constexpr int kSums = 6;  // of a line at a place: reference, Z, M, |g|^2, both components of g
  int64_t outer = 0;               // places of w0 in each dimension
  Span<double> sums;               // [lines][outer][kSums]
  void lay_out(Arena &arena, int64_t most_lines, int64_t most_outer);
};

inline constexpr double kOuterRange = 6;  // of w0, in s0

NestedSums nested_sums(const NestedPoints &points, const NestedWidths &widths, const NestedScratch &scratch);

}  // namespace atp::dotattn
