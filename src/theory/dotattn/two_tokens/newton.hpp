// SPDX-License-Identifier: MIT
// One search for a fixed point of the two-token theory by Newton's method.
//
// The unknowns are log q, log V and the share, or log alpha where the share is held. The uninformed solution has log q and log V, or log q
// and log alpha where V is held. The Jacobian comes from differences and lives on by Broyden's updates as long as steps are good; a step is
// shortened where residuals do not fall.
#pragma once

#include "theory/dotattn/two_tokens/jacobian.hpp"
#include "theory/dotattn/two_tokens/solver.hpp"

namespace atp::dotattn {

class Newton {
 public:
  Newton(Solver &solver, Kind kind, bool hold)
      : solver_(solver), kind_(kind), hold_(hold), n_(kind == Kind::uninformed ? 2 : 3), jacobian_(n_) {}
  Solution run(const Point &start);

 private:
  // What is left of a step so that no unknown moves too far. `vanishing`: the share would go down to zero.
  struct Limit {
    double factor = 1;
    bool vanishing = false;
  };

  double &unknown(Point &point, int c) const;
  // The last unknown is alpha where something is held.
  bool is_alpha(int c) const { return hold_ && c == n_ - 1; }
  bool is_share(int c) const { return c == 2 && !hold_; }
  void differentiate();
  Limit limit(const double *step) const;
  bool advance(const double *step, Limit limit);
  void take(const State &next, const double *step, double factor);
  double reachable() const;
  Solution finish(Ending ending) const;

  Solver &solver_;
  Kind kind_;
  bool hold_;
  int n_;
  Jacobian jacobian_;
  bool known_ = false, fresh_ = false;  // the Jacobian is good for another step; it comes from differences here
  State now_;
};

}  // namespace atp::dotattn
