// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/newton.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

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

}  // namespace atp::dotattn
