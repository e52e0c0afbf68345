// SPDX-License-Identifier: MIT
// Solutions with one step of replica symmetry breaking of dot-product attention: from a symmetric solution, and along their own branch.
#pragma once

#include "theory/dotattn/two_tokens/breaking.hpp"
#include "theory/dotattn/two_tokens/solver.hpp"

namespace atp::dotattn {

struct BrokenRow {
  BrokenOrder order{};
  double shift = 0;                        // of e_t, against replica symmetry on the same nodes
  double error = 0;                        // of the shift: its change on finer nodes
  atp_outcome outcome = ATP_OUTCOME_NONE;  // NONE: the jumps of x are too rare, and the shift too small, for the nodes that there are
};

BrokenRow break_symmetry(NestedFields &fields, const Problem &problem, Kind kind, const Solution &symmetric, const Spread &spread);

// The branch with one step of breaking beyond the end of the symmetric one. It is followed from the last symmetric solution in steps of an
// eighth of an octave of alpha, the same on every call, each from the line through the two before; alpha itself is solved from the last.
class BrokenTrail {
 public:
  BrokenTrail(const Problem &problem, Kind kind) : problem_(problem), kind_(kind) {}
  bool needs_start(const Solution &from) const { return count_ == 0 || log_alpha_ != from.point.log_alpha; }
  void start(const Solution &from, const BrokenRow &broken);
  // The solution at alpha. Its shift is e_t less `et`, its error that of e_t. STALLED where the branch does not come there.
  BrokenRow at(NestedFields &fields, double alpha, double et);

 private:
  static constexpr int kMost = 64;
  // From the places k and k - 1, at a distance of `ahead` steps from k.
  BrokenSolution solve(NestedFields &fields, int k, double ahead) const;
  double log_alpha_of(double place) const;

  const Problem &problem_;
  Kind kind_;
  double log_alpha_ = 0;  // of place 0
  int side_ = 1, count_ = 0;
  bool ended_ = false;  // the step after the last place fails
  BrokenOrder places_[kMost] = {};
};

}  // namespace atp::dotattn
