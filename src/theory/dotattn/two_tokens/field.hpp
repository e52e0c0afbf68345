// SPDX-License-Identifier: MIT
// One node of the integral over h, and what the problems in w have in common there.
#pragma once

#include "theory/dotattn/two_tokens/levels.hpp"
#include "theory/dotattn/two_tokens/problem.hpp"

namespace atp::dotattn {

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

}  // namespace atp::dotattn
