// SPDX-License-Identifier: MIT
// The work space of one node of h: lines w = along e + across e_perp, and points on them.
#pragma once

#include "base/arena.hpp"
#include "simd/two_tokens.hpp"
#include "theory/dotattn/two_tokens/field.hpp"

namespace atp::dotattn {

// Vectors of many lines or points, component by component as the kernels want them.
struct Vectors {
  Span<double> first, second;
  void lay_out(Arena &arena, int64_t n);
  Vector operator[](int64_t k) const { return {first[k], second[k]}; }
  void set(int64_t k, Vector v) const {
    first[k] = v.first;
    second[k] = v.second;
  }
};

// Minimisations over x: starts go in, minima and their values come out.
struct Batch {
  Vectors w, t, x;
  Span<double> value;
  void lay_out(Arena &arena, int64_t n);
};

// A line is cut into two pieces, low..high narrowing to the cut.
struct Lines {
  Span<double> low, high, center, across;  // of the range, its middle, the place of the line
  Span<double> trial, jumps, zero;         // next place of the cut, 1 where x jumps at it, the cut by the sign of x . e
  Span<double> largest;                    // jump that was seen elsewhere, 0: none
  Vectors below, above;                    // minimisers at the cut, on both sides of it
  Vectors at_low, at_high;                 // minimisers at the ends of the range
  Batch batch;                             // several starts for each line
  void lay_out(Arena &arena, int64_t n);
};

struct Points {
  Batch batch;           // w and t of all points, x from one start
  Span<double> weight;   // of the quadrature over w
  Vectors best;          // the lowest minimum so far,
  Span<double> lowest;   // and its value
  Vectors chosen_w;      // w of some of them,
  Span<int64_t> chosen;  // and which they are
  void lay_out(Arena &arena, int64_t n);
};

struct Workspace {
  Lines lines;
  Points points;
  void lay_out(Arena &arena, const Level &most);
};

// One node of h that is worked on.
struct Node {
  const TwoTokenKernels *kernels;
  const Rules *rules;
  Field field;
  Vector well;  // the minimum at w = 0 with x . e >= 0
  Lines lines;
  Points points;

  int64_t n_lines() const { return rules->level.lines; }
  int64_t n_points() const { return rules->level.points(); }
  // The first n minimisations of a batch, with these w.
  void descend(int64_t n, const Vectors &w, const Batch &batch) const {
    kernels->descend({field.inverse_v, field.rho, n, w.first.data(), w.second.data(), batch.t.first.data(), batch.t.second.data(),
                      batch.x.first.data(), batch.x.second.data(), batch.value.data()});
  }
};

inline constexpr double kRange = 6.2;   // of a line, in standard deviations of w: 6e-10 of the weight is beyond
inline constexpr double kSeen = 1e-8;   // points of less weight do not count
inline constexpr double kShrink = 0.2;  // of one component of w, as a start: a saturated softmax has valleys along the axes

// Where lines are cut, because the minimiser x(w) jumps there.

// Minimisations of one line at a time, at most: nine starts at each of its two ends.
inline constexpr int64_t kEndStarts = 9, kLineStarts = 2 * kEndStarts;

// The minimum at w = 0, to node.well.
void find_well(Node &node);

// The range of each line, and its cut where x . e changes sign: at an end where it has one sign on the whole range. low = high = the cut.
void cut_by_sign(const Node &node);

// Jumps that the sign of x . e does not show, after find_minima(). On lines without a jump the minimiser of each place is followed to the
// next one: where it is in another well than the minimiser there, x jumps in between. Cuts move to the largest of these jumps; false where
// there are none.
bool cut_elsewhere(const Node &node);

// Minimisers x(w) at the points of the quadrature over w.

// Points below and above the cuts of node.lines, their weights, and the lowest minimum that is found at each.
void find_minima(const Node &node);

}  // namespace atp::dotattn
