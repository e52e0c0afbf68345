// SPDX-License-Identifier: MIT
// Fixed points of the state evolution, by Newton's method with Broyden's updates on three unknowns.
#pragma once

#include "dotattn/averages.hpp"

namespace atp::dotattn {

// Which fixed point: theta > 0 and m = 0, m > 0 and theta = 0, or both 0.
enum class Kind { semantic = ATP_DOTATTN_SEMANTIC, positional = ATP_DOTATTN_POSITIONAL, uninformed = ATP_DOTATTN_UNINFORMED };

// The unknowns. `share` is what the order parameter has of q: theta^2 / (rho q) or rho m^2 / q, in (0, 1).
struct Point {
  double log_q, log_v, share, log_alpha;
};

Order order_at(const Problem &problem, Kind kind, const Point &point);

enum class Ending { converged, vanished, stalled, too_many };

struct Solution {
  Point point{};
  Order order{};
  Hats hats{};
  Averages mean;
  double residual = 0;  // largest relative change of q, V and the order parameter by one more application
  Ending ending = Ending::stalled;
};

inline constexpr double kResidual = 4e-9;      // where Newton's method stops
inline constexpr double kGoodResidual = 1e-8;  // what it may leave where rounding stops it before
inline constexpr double kLeastShare = 1e-10;   // below: the branch has run into the uninformed solution

class Solver {
 public:
  Solver(Integrator &integrator, const Problem &problem) : integrator_(integrator), problem_(problem) {}
  // A fixed point near `start` at its alpha, or, where `hold_share`, at its share and whatever alpha this needs.
  Solution solve(Kind kind, const Point &start, bool hold_share);
  // `steps` damped applications of the equations. *unbounded (optional): in the last one V would have been infinite or negative.
  Point iterate(Kind kind, Point point, int steps, double step, bool *unbounded = nullptr);

  const Problem &problem() const { return problem_; }
  Integrator &integrator() { return integrator_; }
  int64_t applications = 0;  // of the equations so far
  int64_t most = 1 << 30;    // more of them end a solve

 private:
  struct Residual {
    double value[3];
    double largest() const;
  };
  Residual residual(Kind kind, const Point &point, const Averages &mean, Order *order, Hats *hats) const;
  Averages average(Kind kind, const Point &point);

  Integrator &integrator_;
  const Problem &problem_;
};

}  // namespace atp::dotattn
