// SPDX-License-Identifier: MIT
// Order parameters of a student of rank one or two, for any number of tokens.
#pragma once

#include "theory/dotattn/task.hpp"

namespace atp::dotattn {

// q and V are diagonal in the axes where the first rank has theta and the last one m.
struct Overlaps {
  double q[kMostRank], v[kMostRank], theta, m[kMostCode];
};

inline constexpr int kMostOverlaps = 2 * kMostRank + 1 + kMostCode;  // q, V, theta, m

// Overlaps as a vector, kind by kind; each kind is measured against its own size.
struct OverlapVector {
  int64_t rank, columns;  // of m

  int size() const { return static_cast<int>(2 * rank + 1 + columns); }
  void to(const Overlaps &overlaps, double *x) const;
  Overlaps from(const double *x) const;
  // The scale of each number: the largest of its kind; theta and m against the root of q as well, so that a zero is no trouble.
  void scales(const Overlaps &overlaps, double sigma, double *scale) const;
};

// Finite, positive where they must be, and theta^2 < rho q.
bool possible(const Task &task, const Overlaps &overlaps);

}  // namespace atp::dotattn
