// SPDX-License-Identifier: MIT
// One node of the integral over h: what the problems in w have in common there; its lines w = along e + across e_perp, and points on them.
#pragma once

#include "base/arena.hpp"
#include "simd/two_tokens.hpp"
#include "theory/dotattn/two_tokens/problem.hpp"

namespace atp::dotattn {

// Levels of the quadrature of averages.hpp, coarse to fine, and the rules of one level.

// Numbers of nodes: angles of h and places on each piece of its radius, lines, places on each piece of a line.
struct Level {
  int64_t angles, radial, lines, along;
  int64_t fields() const { return 2 * angles * radial; }
  int64_t points() const { return 2 * along * lines; }  // of all lines, both pieces
};

inline constexpr Level kLevels[] = {{12, 8, 6, 12},   {16, 12, 8, 16},  {24, 16, 10, 24},
                                    {32, 24, 12, 32}, {48, 32, 16, 44}, {72, 48, 20, 60}};
inline constexpr int kLevelCount = sizeof kLevels / sizeof kLevels[0];
inline constexpr Level kLargestLevel = kLevels[kLevelCount - 1];

struct Rule {
  Span<double> nodes, weights;
};

// Rules of the level in use: Gauss-Legendre on -1..1 for pieces of a radius and of a line, Gauss-Hermite over the lines.
struct Rules {
  Level level{};
  Rule radial, lines, along;

  void lay_out(Arena &arena, const Level &most);
  void use(const Level &next);
  // Lines at equal distances up to `range`, and panels of `order` places each along them.
  void use_equal(const Level &next, int64_t order, double range);
};

// Numbers of the two tokens.
struct Vector {
  double first, second;
};

// Coordinates along a unit vector e and across it.
struct Axes {
  double e1, e2;
  Vector at(double along, double across) const { return {along * e1 - across * e2, along * e2 + across * e1}; }
  double along(Vector v) const { return v.first * e1 + v.second * e2; }
  double across(Vector v) const { return v.second * e1 - v.first * e2; }
};

// What all nodes of an average share: w = slope h + m (1, -1) + s zeta.
struct Setting {
  const Problem *problem;
  double rho, inverse_v, s, m, slope;
  bool mirrored;  // the other half of the angles follows by symmetry

  int64_t nodes(const Level &level) const { return level.fields() / (mirrored ? 2 : 1); }
};

Setting setting_of(const Problem &problem, const Order &order, const Level &level);

struct Field {
  double rho, inverse_v, s;
  double weight;  // of the node
  Vector h;
  Column target;  // first column of T
  Vector mean;    // of w
  Axes axes;      // e: the soft direction of F at the origin
};

Field field_at(const Setting &setting, const Rules &rules, int64_t node);

// --- lines and points ---

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
