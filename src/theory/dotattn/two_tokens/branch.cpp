// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/branch.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kLargestStep = 0.4, kSmallestStep = 2e-4;  // in log alpha
constexpr double kSafeStep = 0.05, kStrange = 0.3;          // of steps, and of log share between guess and solution
constexpr double kTraceStep = 0.02;                         // steps shorter than this suggest that the branch turns back
// Factors of the share: the first, its power from step to step, the smallest; where an edge is taken as reached.
constexpr double kFirstRatio = 0.95, kRatioPower = 1.6, kShareRatio = 0.45, kLeastTraced = 1e-4;
constexpr double kSeenFrom = 1e-3, kCurved = 2;      // the share from which such an end is looked at; what the line to it may be wrong by
constexpr int kTraceSteps = 200, kHalvings = 40;     // halvings: of the share between two points of a trace
constexpr double kDivergedV = 1e9, kLeastV = 1e-12;  // V / rho: where V counts as infinite; where a trace in V gives up
// Steps of log V: the first, the longest, the shortest; factors after one that was good or bad.
constexpr double kFirstResponse = 0.05, kLongestResponse = 0.5, kLeastResponse = 1e-4, kLonger = 1.5, kShorter = 0.4;
constexpr int kAttempts = 4;                         // of iteration and Newton's method for the uninformed solution
constexpr int kFreshSteps = 60;                      // of damped iteration from a large share
constexpr double kFreshStep = 0.4, kNoShare = 1e-4;  // their length; the share that is none any more

bool finite(const Point &p) { return std::isfinite(p.log_q) && std::isfinite(p.log_v) && std::isfinite(p.log_alpha); }

Point between(const Point &a, const Point &b, double f) {
  return {a.log_q + f * (b.log_q - a.log_q), a.log_v + f * (b.log_v - a.log_v), a.share + f * (b.share - a.share),
          a.log_alpha + f * (b.log_alpha - a.log_alpha)};
}

}  // namespace

Found uninformed(Solver &solver, double alpha, Solution &out) {
  const double rho = solver.problem().rho();
  Point point{std::log(0.2 * rho), std::log(std::min(60 * rho, 0.5 * rho / std::max(solver.problem().lambda, 1e-300))), 0, std::log(alpha)};
  int unbounded = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    bool infinite = false;
    point = solver.iterate(Kind::uninformed, point, 40, attempt == 0 ? 0.7 : 0.4, &infinite);
    if (solver.applications >= solver.most) return Found::too_many;
    unbounded += infinite;
    if (unbounded >= 2 || !finite(point) || std::exp(point.log_v) > kDivergedV * rho) break;
    out = solver.solve(Kind::uninformed, point, false);
    if (out.ending == Ending::converged) return Found::yes;
    if (out.ending == Ending::too_many) return Found::too_many;
    if (out.order.v > kDivergedV * rho) break;
    unbounded += !std::isfinite(out.residual);
    if (attempt == kAttempts - 1 && unbounded == 0) return Found::lost;
  }
  out = Solution{};
  return Found::lost;
}

Found fresh_start(Solver &solver, Kind kind, const Point &flat, Solution &out) {
  for (double share : {0.5, 0.9}) {
    Point point = flat;
    point.share = share;
    point = solver.iterate(kind, point, kFreshSteps, kFreshStep, nullptr, kNoShare);
    if (point.share < kNoShare) continue;
    out = solver.solve(kind, point, false);
    if (out.ending == Ending::too_many) return Found::too_many;
    if (out.ending == Ending::converged && out.point.share >= kNoShare) return Found::yes;
  }
  return solver.applications >= solver.most ? Found::too_many : Found::ended;
}

void Branch::start_from(const Solution &at) {
  here_ = at;
  started_ = true;
}

Found Branch::search(double alpha) {
  searched_ = true;
  // Semantic solutions are strong at many samples, positional ones at few.
  const double ratio = kind_ == Kind::semantic ? 2 : 0.5;
  const double middle = kind_ == Kind::semantic ? 3 : 0.5;
  const double tries[] = {alpha,
                          middle,
                          middle * ratio,
                          middle / ratio,
                          middle * ratio * ratio,
                          middle / ratio / ratio,
                          middle * ratio * ratio * ratio * ratio,
                          middle / (ratio * ratio * ratio * ratio)};
  Found failed = Found::ended;
  for (double at : tries) {
    Solution flat, solution;
    if (uninformed(solver_, at, flat) == Found::too_many) return Found::too_many;
    // Where it was only nearly found it is still a place to start from.
    if (!(flat.order.q > 0)) {
      if (at == alpha) failed = Found::lost;
      continue;
    }
    const Found found = fresh_start(solver_, kind_, flat.point, solution);
    if (found == Found::too_many) return found;
    if (found != Found::yes) continue;
    start_from(solution);
    return Found::yes;
  }
  return failed;
}

// Where it is in `length` along log alpha, on the line through `before` and here.
Point Branch::guess(const Solution *before, double length) const {
  const Point &here = here_.point;
  Point guess = here;
  if (before != nullptr && length != 0) {
    guess = between(here, before->point, -length / (here.log_alpha - before->point.log_alpha));
    if (!(guess.share > 0.2 * here.share)) guess.share = 0.2 * here.share;
    if (!(guess.share < 1 - 0.2 * (1 - here.share))) guess.share = 1 - 0.2 * (1 - here.share);
  }
  guess.log_alpha = here.log_alpha + length;
  return guess;
}

Found Branch::go(double alpha, Solution &out) {
  if (!started_) {
    if (searched_) return Found::ended;
    const Found found = search(alpha);
    if (found != Found::yes) return found;
  }
  const double target = std::log(alpha);
  if (target <= ends_below_ || target >= ends_above_) return Found::ended;
  Solution before = here_;
  bool have_before = false, traced = false;
  double step = kLargestStep;
  while (std::fabs(target - here_.point.log_alpha) > 1e-14 || here_.ending != Ending::converged) {
    const double distance = target - here_.point.log_alpha;
    const double length = std::fabs(distance) <= step ? distance : std::copysign(step, distance);
    Point start = guess(have_before ? &before : nullptr, length);
    if (length == distance) start.log_alpha = target;
    const Solution next = solver_.solve(kind_, start, false);
    if (next.ending == Ending::too_many) return Found::too_many;
    // Far from the guess it may be another solution: smaller steps tell.
    const bool strange = std::fabs(length) > kSafeStep && std::fabs(std::log(next.point.share / start.share)) > kStrange;
    const bool rough = rough_ && is_rough(next);
    if ((next.ending == Ending::converged || rough) && !strange) {
      before = here_;
      have_before = std::fabs(length) > 1e-6;
      here_ = next;
      step = std::min(kLargestStep, 1.5 * step);
      if (rough && length == distance) break;
      continue;
    }
    step = 0.4 * std::min(step, std::fabs(length));
    // On the way to a vanishing order parameter the share is the better guide; where it leads elsewhere, back to small steps.
    const bool jumped = strange && next.ending == Ending::converged;
    const bool fading = !traced && !jumped && (next.ending == Ending::vanished || start.share < 0.4 * here_.point.share);
    if (step >= (traced ? kSmallestStep : kTraceStep) && !fading) continue;
    traced = true;
    const Found found = kind_ == Kind::uninformed ? trace_response(target, out) : trace(target, out);
    if (found == Found::lost && step >= kSmallestStep) continue;
    if (found == Found::ended) (distance < 0 ? ends_below_ : ends_above_) = target;
    return found;
  }
  out = here_;
  return Found::yes;
}

// The next point of a trace in the share; where a step fails it is tried with a short one once.
Solution Branch::next_in_share(const Solution &at, const Solution &before, bool first, double *ratio) {
  Point guess = at.point;
  if (!first) guess = between(at.point, before.point, (*ratio - 1) * at.point.share / (before.point.share - at.point.share));
  guess.share = at.point.share * *ratio;
  const Solution next = solver_.solve(kind_, guess, true);
  if (next.ending == Ending::converged || next.ending == Ending::too_many) return next;
  *ratio = 0.9;
  guess = at.point;
  guess.share *= *ratio;
  return solver_.solve(kind_, guess, true);
}

Found Branch::between_points(Point low, Point high, double log_alpha, double side, Solution &out) {
  for (int k = 0; k < kHalvings; ++k) {
    const Point middle{0.5 * (low.log_q + high.log_q), 0.5 * (low.log_v + high.log_v), 0.5 * (low.share + high.share), log_alpha};
    const Solution direct = solver_.solve(kind_, middle, false);
    if (direct.ending == Ending::too_many) return Found::too_many;
    const bool near = kind_ == Kind::uninformed
                          ? std::fabs(direct.point.log_v - middle.log_v) <= std::fabs(high.log_v - low.log_v) + kFirstResponse
                          : direct.point.share >= 0.5 * low.share && direct.point.share <= 2 * high.share;
    if ((direct.ending == Ending::converged || (rough_ && is_rough(direct))) && near) {
      out = direct;
      return Found::yes;
    }
    const Solution held = solver_.solve(kind_, between(low, high, 0.5), true);
    if (held.ending != Ending::converged) return held.ending == Ending::too_many ? Found::too_many : Found::lost;
    ((held.point.log_alpha - log_alpha) * side >= 0 ? low : high) = held.point;
  }
  return Found::lost;
}

Found Branch::trace(double log_alpha, Solution &out) {
  Solution at = here_, before = here_;
  edge_ = here_;
  const double side = log_alpha - at.point.log_alpha;
  if (at.point.share <= kLeastTraced) return at_end(side);
  double ratio = kFirstRatio;
  // The last point, the one furthest towards alpha, and the next.
  Point fold[3] = {here_.point, here_.point, here_.point};
  for (int k = 0; k < kTraceSteps && at.point.share > kLeastTraced; ++k, ratio = std::max(kShareRatio, std::pow(ratio, kRatioPower))) {
    const Solution next = next_in_share(at, before, k == 0, &ratio);
    if (next.ending != Ending::converged) return next.ending == Ending::too_many ? Found::too_many : Found::lost;
    const double reached = next.point.log_alpha;
    if ((reached - log_alpha) * side >= 0) return between_points(next.point, at.point, log_alpha, side, out);
    if ((reached - edge_.point.log_alpha) * side > 0) {
      edge_ = next;
      fold[0] = at.point;
      fold[1] = fold[2] = next.point;
    } else if (fold[2].share == fold[1].share) {
      fold[2] = next.point;
    }
    before = at;
    at = next;
  }
  // A branch that ends on the way to alpha comes closer to it first.
  if (!(edge_.point.share < here_.point.share)) return Found::lost;
  return sharpen(fold, side);
}

Found Branch::trace_response(double log_alpha, Solution &out) {
  Solution at = here_, before = here_;
  const double side = log_alpha - at.point.log_alpha, rho = solver_.problem().rho();
  double step = kFirstResponse;
  for (int k = 0; k < kTraceSteps && std::exp(at.point.log_v) > kLeastV * rho; ++k) {
    Point guess = at.point;
    if (before.point.log_v != at.point.log_v) guess = between(at.point, before.point, -step / (at.point.log_v - before.point.log_v));
    guess.log_v = at.point.log_v + step;
    const Solution next = solver_.solve(kind_, guess, true);
    if (next.ending == Ending::too_many) return Found::too_many;
    if (next.ending != Ending::converged && !(rough_ && is_rough(next))) {
      step *= kShorter;
      if (std::fabs(step) < kLeastResponse) return Found::lost;
      continue;
    }
    const double moved = (next.point.log_alpha - at.point.log_alpha) * side;
    if (k == 0 && moved < 0) {  // the other way leads to alpha
      step = -kFirstResponse;
      continue;
    }
    if ((next.point.log_alpha - log_alpha) * side >= 0) return between_points(next.point, at.point, log_alpha, side, out);
    if (std::exp(next.point.log_v) > kDivergedV * rho) return Found::diverged;
    before = at;
    at = next;
    step = std::copysign(std::min(kLonger * std::fabs(step), kLongestResponse), step);
  }
  return Found::lost;
}

// A step in alpha may come down on so small a share that there is nothing left to trace. A point further up tells whether the branch came
// closer to alpha on its way here, and how far it still goes: near its end log alpha is linear in the share.
Found Branch::at_end(double side) {
  Point guess = here_.point;
  guess.share = kSeenFrom;
  const Solution above = solver_.solve(kind_, guess, true);
  if (above.ending == Ending::too_many) return Found::too_many;
  if (above.ending != Ending::converged) return Found::lost;
  const double came = here_.point.log_alpha - above.point.log_alpha, rest = came * here_.point.share / (kSeenFrom - here_.point.share);
  return came * side > 0 && std::fabs(side) > kCurved * std::fabs(rest) ? Found::ended : Found::lost;
}

// The top of the parabola through three points of a fold, log alpha against log share, is the edge.
Found Branch::sharpen(const Point (&fold)[3], double side) {
  if (!(fold[2].share < fold[1].share && fold[1].share < fold[0].share)) return Found::ended;
  const double x0 = std::log(fold[0].share / fold[1].share), x2 = std::log(fold[2].share / fold[1].share);
  const double y0 = fold[0].log_alpha - fold[1].log_alpha, y2 = fold[2].log_alpha - fold[1].log_alpha;
  const double curvature = (y0 / x0 - y2 / x2) / (x0 - x2), slope = y0 / x0 - curvature * x0, top = -slope / (2 * curvature);
  if (!(top > x2 && top < x0)) return Found::ended;
  Point guess = fold[1];
  guess.share *= std::exp(top);
  const Solution found = solver_.solve(kind_, guess, true);
  if (found.ending == Ending::too_many) return Found::too_many;
  if (found.ending == Ending::converged && (found.point.log_alpha - edge_.point.log_alpha) * side > 0) edge_ = found;
  return Found::ended;
}

}  // namespace atp::dotattn
