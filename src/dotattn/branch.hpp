// SPDX-License-Identifier: MIT
// A branch of fixed points, followed in alpha from a place where it is easy to find.
#pragma once

#include "dotattn/solver.hpp"

namespace atp::dotattn {

enum class Found { yes, ended, lost, too_many, diverged };

// `ended` counts as lost where a solution was wanted.
inline atp_outcome outcome_of(Found found) {
  switch (found) {
    case Found::yes: return ATP_OUTCOME_CONVERGED;
    case Found::too_many: return ATP_OUTCOME_MAX_ITER;
    case Found::diverged: return ATP_OUTCOME_DIVERGED;
    default: return ATP_OUTCOME_STALLED;
  }
}

class Branch {
 public:
  Branch(Solver &solver, Kind kind) : solver_(solver), kind_(kind) {}
  // The fixed point at alpha: steps from the last one with a secant as first guess, halved where Newton's method fails. Where steps become
  // tiny the branch is followed in its order parameter instead, through folds and down to the uninformed solution: `ended` if that does
  // not come to alpha either.
  Found go(double alpha, Solution &out);
  // A solution from elsewhere (another level, say) is where the next steps begin.
  void stand(const Solution &at);
  bool stands() const { return stands_; }
  // After `ended`: the alpha closest to the one asked for that the branch has, where it merges with the uninformed solution or turns back.
  // The point there with its share, to be solved again on a finer level with the share held.
  const Solution &edge() const { return edge_; }

 private:
  Found home(double alpha);
  // Follow in the share from where it stands.
  Found trace(double log_alpha, Solution &out);
  Found sharpen(const Point (&fold)[3], double side);
  // The same where it stands at the end already.
  Found at_end(double side);

  Solver &solver_;
  Kind kind_;
  Solution here_{}, edge_{};
  bool stands_ = false, searched_ = false;
  double ends_below_ = -1e300, ends_above_ = 1e300;  // log alphas that the branch was seen not to reach
};

// The solution with m = theta = 0; `near` (optional) is one at another alpha to start from.
Found uninformed(Solver &solver, double alpha, Solution &out, const Solution *near = nullptr);

}  // namespace atp::dotattn
