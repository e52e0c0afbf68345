// SPDX-License-Identifier: MIT
// The state evolution for any number of tokens, once: averages over the points of one shifted lattice, and what the prior makes of them.
#pragma once

#include "theory/dotattn/tokens/overlaps.hpp"

#include <attopotts/dotattn_simulate.h>

namespace atp::dotattn {

// The points of one shift.
struct LatticePoints {
  int64_t count = 0;
  Span<const double> normals;  // [count][L rank + L]: for w, then for h
  Span<double> x;              // [count][L rank]: the last minima, where the next search begins
};

class TokenEquations {
 public:
  // SEMANTIC holds m at 0, POSITIONAL theta.
  TokenEquations(const Task &task, atp_dotattn_start solution, const LatticePoints &points)
      : task_(task), solution_(solution), points_(points) {}

  struct Applied {
    Overlaps next;
    double eg, et;
  };
  // At `at`; where `all` minima are looked for from all starts. False where D is not positive.
  bool apply(double alpha, const Overlaps &at, bool all, Applied &out) const;

 private:
  // Over all points; r_l = (x_l - w_l) / V.
  struct Sums {
    double square[kMostRank] = {};  // r . r
    double along[kMostRank] = {};   // r . z
    double code[kMostCode] = {};    // r . code, of the last rank
    double field = 0;               // r . y, of the first
    double test = 0, train = 0;     // |softmax - T|_F^2 of w and of x
  };
  // w = root z + shift, h = on_h z + rest y.
  struct Mixture {
    double root[kMostRank], shift[kMostTokens], on_h, rest;
  };
  Mixture mixture_of(const Overlaps &at) const;
  void add(int64_t point, const Overlaps &at, const Mixture &mixture, bool all, Sums &sums) const;

  const Task &task_;
  atp_dotattn_start solution_;
  LatticePoints points_;
};

}  // namespace atp::dotattn
