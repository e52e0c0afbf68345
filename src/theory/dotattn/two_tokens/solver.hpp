// SPDX-License-Identifier: MIT
// The equations of the two-token theory as residuals of a point, and the search for their zeros: Newton's method with Broyden's updates on
// three unknowns.
#pragma once

#include "theory/dotattn/two_tokens/averages.hpp"

namespace atp::dotattn {

// The Jacobian of up to five equations in as many unknowns, with Broyden's updates.

class Jacobian {
 public:
  static constexpr int kMost = 5;

  explicit Jacobian(int n) : n_(n) {}
  // Column c from a difference: residuals before and after unknown c moved by h.
  void set_column(int c, const double *before, const double *after, double h);
  // x = J^-1 b; false where J is singular.
  bool solve(const double *b, double *x) const;
  // Broyden's update: the smallest change that explains the residuals before and after a step.
  void update(const double *step, const double *before, const double *after);

 private:
  int n_;
  double a_[kMost][kMost] = {};
};

// Fixed points of the state evolution: which, in what unknowns, and what is known of one.

// Which fixed point: theta > 0 and m = 0, m > 0 and theta = 0, or both 0.
enum class Kind { semantic = ATP_DOTATTN_SEMANTIC, positional = ATP_DOTATTN_POSITIONAL, uninformed = ATP_DOTATTN_UNINFORMED };

// The unknowns. `share` is what the order parameter has of q: theta^2 / (rho q) or rho m^2 / q, in (0, 1).
struct Point {
  double log_q, log_v, share, log_alpha;
};

inline Order order_at(const Problem &problem, Kind kind, const Point &point) {
  Order order{std::exp(point.log_q), 0, 0, std::exp(point.log_v)};
  if (kind == Kind::semantic) order.theta = std::sqrt(point.share * problem.rho() * order.q);
  if (kind == Kind::positional) order.m = std::sqrt(point.share * order.q / problem.rho());
  return order;
}

// How a search for a fixed point ended; `vanished`: it ran into the uninformed solution.
enum class Ending { converged, vanished, stalled, too_many };

struct Solution {
  Point point{};
  Order order{};
  Hats hats{};
  Averages mean;
  double residual = 0;  // largest relative change of q, V and the order parameter by one more application
  Ending ending = Ending::stalled;
};

// One application of the state evolution: hats from averages, order parameters from hats.

// The derivatives of alpha E M, M the smallest F / 2, with respect to the order parameters.
inline Hats hats_of(const Problem &problem, double alpha, const Order &order, const Averages &mean) {
  const double rho = problem.rho(), s = std::sqrt(order.q - order.theta * order.theta / rho), scale = alpha / order.v;
  Hats hats;
  hats.q = scale / order.v * mean.square;
  hats.m = scale * mean.difference;
  hats.theta = scale / rho * (mean.field - order.theta / s * mean.noise);
  hats.v = -scale / s * mean.noise;
  return hats;
}

// What the prior makes of the hats; m and theta are 0 where they are held there.
inline Order order_of(const Problem &problem, const Hats &hats) {
  const double rho = problem.rho(), stiffness = problem.lambda + rho * hats.v;
  Order order;
  order.v = rho / stiffness;
  order.m = hats.m / stiffness;
  order.theta = rho * rho * hats.theta / stiffness;
  order.q = rho * (rho * hats.q + hats.m * hats.m + rho * rho * hats.theta * hats.theta) / (stiffness * stiffness);
  return order;
}

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
