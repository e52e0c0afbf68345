// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/solver.hpp"

#include "math/small_linear.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {
constexpr double kSingular = 1e-300;  // a pivot that is zero but for underflow
}

void Jacobian::set_column(int c, const double *before, const double *after, double h) {
  for (int k = 0; k < n_; ++k) a_[k][c] = (after[k] - before[k]) / h;
}

bool Jacobian::solve(const double *b, double *x) const {
  double a[kMost * kMost];
  for (int i = 0; i < n_; ++i) std::copy(a_[i], a_[i] + n_, a + i * n_);
  std::copy(b, b + n_, x);
  return solve_small(n_, a, x, kSingular);
}

void Jacobian::update(const double *step, const double *before, const double *after) {
  double norm = 0;
  for (int c = 0; c < n_; ++c) norm += step[c] * step[c];
  for (int k = 0; k < n_; ++k) {
    double predicted = 0;
    for (int c = 0; c < n_; ++c) predicted += a_[k][c] * step[c];
    for (int c = 0; c < n_ && norm > 0; ++c) a_[k][c] += (after[k] - before[k] - predicted) * step[c] / norm;
  }
}

// One search for a fixed point of the two-token theory by Newton's method.
//
// The unknowns are log q, log V and the share, or log alpha where the share is held. The uninformed solution has log q and log V, or log q
// and log alpha where V is held. The Jacobian comes from differences and lives on by Broyden's updates as long as steps are good; a step is
// shortened where residuals do not fall.
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

namespace {

constexpr double kDifference = 1e-5;                      // of finite differences; rounding of averages is 1e-13
constexpr double kShareDifference = 1e-2;                 // of them against the distance of the share to 0 and 1
constexpr int kHalvings = 8;                              // of a step; one that is shorter leads nowhere
constexpr double kDecrease = 0.1;                         // of the residual that a full step must bring
constexpr double kFading = 2;                             // times what it was: residuals on the way to a share of zero
constexpr double kGoodFactor = 0.5, kGoodDecrease = 0.3;  // steps after which the updated Jacobian serves once more
constexpr int64_t kMostAverages = 150;                    // of one search: ten are usual
constexpr double kLongest = 0.7;                          // step of a logarithm
constexpr double kToOne = 0.8, kLeftToOne = 0.2;          // of the distance of the share to 1: goes in one step, stays
constexpr double kToZero = 0.9, kLeftToZero = 0.1;        // of that to 0
// Averages are exact to about 1e-10 of the root of q, from the last steps of minimisations and cuts; measured as 3e-10 to 6e-10 over the
// root of the share in the third equation, which is divided by the order parameter, for shares between 2e-2 and 2e-5.
constexpr double kNoise = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double &Newton::unknown(Point &point, int c) const {
  if (is_alpha(c)) return point.log_alpha;
  return c == 0 ? point.log_q : c == 1 ? point.log_v : point.share;
}

void Newton::differentiate() {
  for (int c = 0; c < n_; ++c) {
    Point moved = now_.point;
    double &x = unknown(moved, c);
    const double h = is_share(c) ? std::min(kDifference, kShareDifference * std::min(x, 1 - x)) : kDifference;
    x += h;
    // alpha is a factor of the hats: no new averages.
    const State there = is_alpha(c) ? solver_.apply(kind_, moved, now_.mean) : solver_.apply(kind_, moved);
    jacobian_.set_column(c, now_.residual, there.residual, h);
  }
  known_ = fresh_ = true;
}

Newton::Limit Newton::limit(const double *step) const {
  Limit limit;
  const double share = now_.point.share;
  for (int c = 0; c < n_; ++c) {
    if (!is_share(c)) {
      if (std::fabs(step[c]) > kLongest) limit.factor = std::min(limit.factor, kLongest / std::fabs(step[c]));
      continue;
    }
    if (share - step[c] > 1 - kLeftToOne * (1 - share)) limit.factor = std::min(limit.factor, kToOne * (1 - share) / -step[c]);
    if (share - step[c] < kLeftToZero * share) {
      limit.factor = std::min(limit.factor, kToZero * share / step[c]);
      limit.vanishing = true;
    }
  }
  return limit;
}

void Newton::take(const State &next, const double *step, double factor) {
  double change[Jacobian::kMost];
  for (int c = 0; c < n_; ++c) change[c] = -factor * step[c];
  jacobian_.update(change, now_.residual, next.residual);
  known_ = factor >= kGoodFactor && next.largest() < kGoodDecrease * now_.largest();
  now_ = next;
}

// Along the step until residuals fall; false where they do not. An old Jacobian gets one try.
bool Newton::advance(const double *step, Limit limit) {
  double factor = limit.factor;
  for (int halving = 0; halving < kHalvings; ++halving, factor *= 0.5) {
    Point moved = now_.point;
    for (int c = 0; c < n_; ++c) unknown(moved, c) -= factor * step[c];
    const State next = solver_.apply(kind_, moved);
    const bool fallen = next.largest() < now_.largest() * (1 - kDecrease * factor);
    if (fallen || (limit.vanishing && next.largest() < kFading * now_.largest())) {
      take(next, step, factor);
      return true;
    }
    if (!fresh_) return false;
  }
  return false;
}

// The residual that counts as zero where it falls no further. Where the share is held the noise is no reason to lose the branch.
double Newton::reachable() const {
  return hold_ && kind_ != Kind::uninformed ? std::max(kGoodResidual, kNoise / std::sqrt(now_.point.share)) : kGoodResidual;
}

Solution Newton::finish(Ending ending) const {
  Solution out{now_.point, now_.order, now_.hats, now_.mean, now_.largest(), ending};
  if (ending == Ending::stalled && out.residual <= reachable()) out.ending = Ending::converged;
  return out;
}

Solution Newton::run(const Point &start) {
  Point first = start;
  if (kind_ == Kind::uninformed) first.share = 0;
  now_ = solver_.apply(kind_, first);
  const int64_t begin = solver_.applications;
  while (now_.largest() > kResidual) {
    if (solver_.applications >= solver_.most) return finish(Ending::too_many);
    if (solver_.applications - begin > kMostAverages) return finish(Ending::stalled);
    if (!(now_.largest() < kInfinity)) return finish(Ending::stalled);
    if (!known_) differentiate();
    double step[Jacobian::kMost];
    if (!jacobian_.solve(now_.residual, step)) return finish(Ending::stalled);
    if (!std::all_of(step, step + n_, [](double x) { return std::isfinite(x); })) return finish(Ending::stalled);
    const bool moved = advance(step, limit(step));
    if (!moved && fresh_) return finish(Ending::stalled);
    if (!moved) known_ = false;
    fresh_ = false;
    if (kind_ != Kind::uninformed && !hold_ && now_.point.share < kLeastShare) return finish(Ending::vanished);
  }
  return finish(Ending::converged);
}

namespace {

constexpr double kSettled = 1e-3;                  // residual where Newton's method takes over from damped iteration
constexpr double kShrinkV = 0.5;                   // of log V where the equations give no positive V
constexpr double kLeast = 1e-9, kMost = 1 - 1e-6;  // shares of the iteration

}  // namespace

double State::largest() const {
  double most = 0;
  for (double v : residual) {
    if (!std::isfinite(v)) return kInfinity;
    most = std::max(most, std::fabs(v));
  }
  return most;
}

State Solver::apply(Kind kind, const Point &point) {
  ++applications;
  const Averages mean = integrator_.average(problem_, order_at(problem_, kind, point));
  if (integrator_.stopped()) most = 0;
  return apply(kind, point, mean);
}

State Solver::apply(Kind kind, const Point &point, const Averages &mean) const {
  const Order at = order_at(problem_, kind, point);
  Hats hats = hats_of(problem_, std::exp(point.log_alpha), at, mean);
  if (kind != Kind::positional) hats.m = 0;
  if (kind != Kind::semantic) hats.theta = 0;
  const Order next = order_of(problem_, hats);
  State state{point, at, hats, mean, {kInfinity, kInfinity, 0}};
  if (!(next.v > 0) || !(next.q > 0)) return state;
  state.residual[0] = std::log(next.q / at.q);
  state.residual[1] = std::log(next.v / at.v);
  // Divided by the order parameter: the uninformed solution is none of these equations.
  if (kind == Kind::semantic) state.residual[2] = next.theta / at.theta - 1;
  if (kind == Kind::positional) state.residual[2] = next.m / at.m - 1;
  return state;
}

Point Solver::iterate(Kind kind, Point point, int steps, double step, bool *unbounded, double least_share) {
  for (int k = 0; k < steps && applications < most; ++k) {
    const State state = apply(kind, point);
    const bool infinite = !(state.largest() < kInfinity);
    if (unbounded != nullptr) *unbounded = infinite;
    if (infinite) {
      point.log_v -= kShrinkV;
      continue;
    }
    const auto limited = [&](double x) { return std::max(-1.0, std::min(1.0, step * x)); };
    const double dq = limited(state.residual[0]);
    point.log_q += dq;
    point.log_v += limited(state.residual[1]);
    if (kind != Kind::uninformed) {
      const double growth = std::max(-0.5, limited(state.residual[2]));
      point.share = std::max(kLeast, std::min(kMost, point.share * std::exp(2 * std::log1p(growth) - dq)));
    }
    if (state.largest() < kSettled || point.share < least_share) break;
  }
  return point;
}

Solution Solver::solve(Kind kind, const Point &start, bool hold) { return Newton(*this, kind, hold).run(start); }

}  // namespace atp::dotattn
