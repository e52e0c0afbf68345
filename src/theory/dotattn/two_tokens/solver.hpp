// SPDX-License-Identifier: MIT
// The equations of the two-token theory as residuals of a point, and the search for their zeros: Newton's method with Broyden's updates on
// three unknowns.
#pragma once

#include "theory/dotattn/two_tokens/solution.hpp"

namespace atp::dotattn {

inline constexpr double kResidual = 4e-9;      // where Newton's method stops
inline constexpr double kGoodResidual = 1e-8;  // what it may leave where the noise of averages stops it before
inline constexpr double kLeastShare = 1e-10;   // below: the branch has run into the uninformed solution

// What one application of the equations makes of a point.
struct State {
  Point point{};
  Order order{};
  Hats hats{};
  Averages mean;
  double residual[3] = {};  // relative changes of q, V and the order parameter

  double largest() const;  // infinity where one is not finite
};

class Solver {
 public:
  Solver(Integrator &integrator, const Problem &problem) : integrator_(integrator), problem_(problem) {}
  // A fixed point near `start` at its alpha, or, where `hold`, at its share (uninformed: its V) and whatever alpha this needs.
  Solution solve(Kind kind, const Point &start, bool hold);
  // `steps` damped applications of the equations. *unbounded (optional): in the last one V would have been infinite or negative.
  // It ends where the share falls below least_share.
  Point iterate(Kind kind, Point point, int steps, double step, bool *unbounded = nullptr, double least_share = 0);

  // The equations at a point; with averages that are known, those of another alpha.
  State apply(Kind kind, const Point &point);
  State apply(Kind kind, const Point &point, const Averages &mean) const;

  const Problem &problem() const { return problem_; }
  Integrator &integrator() { return integrator_; }
  int64_t applications = 0;  // of the equations so far
  int64_t most = 1 << 30;    // more of them end a solve

 private:
  Integrator &integrator_;
  const Problem &problem_;
};

}  // namespace atp::dotattn
