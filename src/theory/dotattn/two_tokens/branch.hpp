// SPDX-License-Identifier: MIT
// A branch of fixed points, followed in alpha from a place where it is easy to find.
#pragma once

#include "theory/dotattn/two_tokens/solver.hpp"

namespace atp::dotattn {

enum class Found { yes, ended, lost, too_many, diverged };

// Callers that need a solution treat `ended` as lost.
inline atp_outcome outcome_of(Found found) {
  switch (found) {
    case Found::yes: return ATP_OUTCOME_CONVERGED;
    case Found::too_many: return ATP_OUTCOME_MAX_ITER;
    case Found::diverged: return ATP_OUTCOME_DIVERGED;
    default: return ATP_OUTCOME_STALLED;
  }
}

// Averages of a level of the quadrature are not continuous where jumps of x come and go between its points. The residuals may have no zero
// there. A point where they are this small is near the solution of finer levels, and the branch goes on from it.
inline constexpr double kRoughResidual = 0.02;
inline bool is_rough(const Solution &solution) { return solution.ending == Ending::stalled && solution.residual <= kRoughResidual; }

class Branch {
 public:
  // Where `rough`, go() passes over points of a small residual that is not zero, and may give one.
  Branch(Solver &solver, Kind kind, bool rough = false) : solver_(solver), kind_(kind), rough_(rough) {}
  // The fixed point at alpha: steps from the last one with a secant as first guess, halved where Newton's method fails. Where steps become
  // tiny the branch is followed in its order parameter instead, through folds and down to the uninformed solution: `ended` if that does
  // not come to alpha either. The uninformed solution is followed in V; `diverged` if V grows without bounds on the way to alpha.
  Found go(double alpha, Solution &out);
  // Goes on from a solution that another search or another level has found.
  void start_from(const Solution &at);
  bool started() const { return started_; }
  // After `ended`: the alpha closest to the one asked for that the branch has, where it merges with the uninformed solution or turns back.
  // The point there with its share, to be solved again on a finer level with the share held.
  const Solution &edge() const { return edge_; }

 private:
  Found search(double alpha);
  Point guess(const Solution *before, double length) const;
  // Follows the branch in the share, from the last solution.
  Found trace(double log_alpha, Solution &out);
  Solution next_in_share(const Solution &at, const Solution &before, bool first, double *ratio);
  // The same of the uninformed solution, in V.
  Found trace_response(double log_alpha, Solution &out);
  // The solution at alpha between two points on both sides of it, with the share or V held.
  Found between_points(Point low, Point high, double log_alpha, double side, Solution &out);
  Found sharpen(const Point (&fold)[3], double side);
  // The same where the last solution is at the end already.
  Found at_end(double side);

  Solver &solver_;
  Kind kind_;
  bool rough_;
  Solution here_{}, edge_{};
  bool started_ = false, searched_ = false;
  double ends_below_ = -1e300, ends_above_ = 1e300;  // log alphas that the branch was seen not to reach
};

// The solution with m = theta = 0, by damped iteration. Where it is lost `out` may still be near it; its q is 0 where it is not.
Found uninformed(Solver &solver, double alpha, Solution &out);

// A branch at the alpha of the uninformed solution `flat`, from large shares; `ended` where iteration leads back to it.
Found fresh_start(Solver &solver, Kind kind, const Point &flat, Solution &out);

}  // namespace atp::dotattn
