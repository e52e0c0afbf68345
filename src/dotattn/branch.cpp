// SPDX-License-Identifier: MIT
#include "dotattn/branch.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kLargestStep = 0.4, kSmallestStep = 2e-4;  // in log alpha
constexpr double kSafeStep = 0.05, kStrange = 0.3;          // of steps, and of log share between guess and solution
constexpr double kTraceStep = 0.02;                         // steps shorter than this suggest that the branch turns back
// Factors of the share: the first, its power from step to step, the smallest; where an edge is taken as reached.
constexpr double kFirstRatio = 0.95, kRatioPower = 1.6, kShareRatio = 0.45, kLeastTraced = 1e-4;
constexpr double kSeenFrom = 1e-3, kCurved = 2;  // the share from which such an end is looked at; what the line to it may be wrong by
constexpr double kDivergedV = 1e9;               // V / rho
constexpr int kTraceSteps = 200;

bool finite(const Point &p) { return std::isfinite(p.log_q) && std::isfinite(p.log_v) && std::isfinite(p.log_alpha); }

Point between(const Point &a, const Point &b, double f) {
  return {a.log_q + f * (b.log_q - a.log_q), a.log_v + f * (b.log_v - a.log_v), a.share + f * (b.share - a.share),
          a.log_alpha + f * (b.log_alpha - a.log_alpha)};
}

}  // namespace

Found uninformed(Solver &solver, double alpha, Solution &out, const Solution *near) {
  const double rho = solver.problem().rho();
  if (near != nullptr && std::fabs(near->point.log_alpha - std::log(alpha)) < kLargestStep) {
    Point guess = near->point;
    guess.log_alpha = std::log(alpha);
    out = solver.solve(Kind::uninformed, guess, false);
    if (out.ending == Ending::converged) return Found::yes;
    if (out.ending == Ending::too_many) return Found::too_many;
  }
  Point point{std::log(0.2 * rho), std::log(std::min(60 * rho, 0.5 * rho / std::max(solver.problem().lambda, 1e-300))), 0, std::log(alpha)};
  int unbounded = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    bool infinite = false;
    point = solver.iterate(Kind::uninformed, point, 40, attempt == 0 ? 0.7 : 0.4, &infinite);
    if (solver.applications >= solver.most) return Found::too_many;
    unbounded += infinite;
    if (unbounded >= 2) return Found::diverged;
    if (!finite(point) || std::exp(point.log_v) > kDivergedV * rho) return Found::diverged;
    out = solver.solve(Kind::uninformed, point, false);
    if (out.ending == Ending::converged) return Found::yes;
    if (out.ending == Ending::too_many) return Found::too_many;
    if (out.order.v > kDivergedV * rho) return Found::diverged;
    unbounded += !std::isfinite(out.residual);
  }
  return unbounded > 0 ? Found::diverged : Found::lost;
}

void Branch::stand(const Solution &at) {
  here_ = at;
  stands_ = true;
}

Found Branch::home(double alpha) {
  searched_ = true;
  // Semantic solutions are strong at many samples, positional ones at few.
  const double ratio = kind_ == Kind::semantic ? 2 : 0.5;
  Found worst = Found::ended;
  const double middle = kind_ == Kind::semantic ? 3 : 0.5;
  const double tries[] = {alpha,
                          middle,
                          middle * ratio,
                          middle / ratio,
                          middle * ratio * ratio,
                          middle / ratio / ratio,
                          middle * ratio * ratio * ratio * ratio,
                          middle / (ratio * ratio * ratio * ratio)};
  for (double at : tries) {
    Solution flat;
    const Found found = uninformed(solver_, at, flat);
    if (found == Found::too_many) return found;
    // Where it was only nearly found it is still a place to start from.
    if (found != Found::yes && at == alpha) worst = found;
    if (found == Found::diverged) continue;
    for (double share : {0.5, 0.9}) {
      Point point = flat.point;
      point.share = share;
      point = solver_.iterate(kind_, point, 60, 0.4);
      if (point.share < 1e-4) continue;
      const Solution solution = solver_.solve(kind_, point, false);
      if (solution.ending == Ending::too_many) return Found::too_many;
      if (solution.ending != Ending::converged || solution.point.share < 1e-4) continue;
      stand(solution);
      return Found::yes;
    }
  }
  return worst == Found::diverged ? Found::diverged : Found::ended;
}

Found Branch::go(double alpha, Solution &out) {
  if (!stands_) {
    if (searched_) return Found::ended;
    const Found found = home(alpha);
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
    Point guess = here_.point;
    if (have_before && length != 0) {
      const double span = here_.point.log_alpha - before.point.log_alpha;
      guess = between(here_.point, before.point, -length / span);
      if (!(guess.share > 0.2 * here_.point.share)) guess.share = 0.2 * here_.point.share;
      if (!(guess.share < 1 - 0.2 * (1 - here_.point.share))) guess.share = 1 - 0.2 * (1 - here_.point.share);
    }
    guess.log_alpha = here_.point.log_alpha + length;
    if (length == distance) guess.log_alpha = target;
    const Solution next = solver_.solve(kind_, guess, false);
    if (next.ending == Ending::too_many) return Found::too_many;
    // Far from the guess it may be another solution: smaller steps tell.
    const bool strange =
        next.ending == Ending::converged && std::fabs(length) > kSafeStep && std::fabs(std::log(next.point.share / guess.share)) > kStrange;
    if (next.ending == Ending::converged && !strange) {
      before = here_;
      have_before = std::fabs(length) > 1e-6;
      here_ = next;
      step = std::min(kLargestStep, 1.5 * step);
      continue;
    }
    step = 0.4 * std::min(step, std::fabs(length));
    // On the way to a vanishing order parameter the share is the better guide; where it leads elsewhere, back to small steps.
    const bool fading = !traced && !strange && (next.ending == Ending::vanished || guess.share < 0.4 * here_.point.share);
    if (step >= (traced ? kSmallestStep : kTraceStep) && !fading) continue;
    traced = true;
    const Found found = trace(target, out);
    if (found == Found::lost && step >= kSmallestStep) continue;
    if (found == Found::ended) (distance < 0 ? ends_below_ : ends_above_) = target;
    return found;
  }
  out = here_;
  return Found::yes;
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
    Point guess = at.point;
    if (k > 0) guess = between(at.point, before.point, (ratio - 1) * at.point.share / (before.point.share - at.point.share));
    guess.share = at.point.share * ratio;
    Solution next = solver_.solve(kind_, guess, true);
    if (next.ending == Ending::too_many) return Found::too_many;
    if (next.ending != Ending::converged) {
      ratio = 0.9;
      guess = at.point;
      guess.share *= ratio;
      next = solver_.solve(kind_, guess, true);
      if (next.ending == Ending::too_many) return Found::too_many;
      if (next.ending != Ending::converged) return Found::lost;
    }
    const double reached = next.point.log_alpha;
    if ((reached - log_alpha) * side >= 0) {
      // Past alpha: bisection on the share.
      Point low = next.point, high = at.point;
      for (int b = 0; b < 40; ++b) {
        const Solution direct = solver_.solve(
            kind_, {0.5 * (low.log_q + high.log_q), 0.5 * (low.log_v + high.log_v), 0.5 * (low.share + high.share), log_alpha}, false);
        if (direct.ending == Ending::too_many) return Found::too_many;
        if (direct.ending == Ending::converged && direct.point.share >= 0.5 * low.share && direct.point.share <= 2 * high.share) {
          out = direct;
          return Found::yes;
        }
        const Solution middle = solver_.solve(kind_, between(low, high, 0.5), true);
        if (middle.ending != Ending::converged) return middle.ending == Ending::too_many ? Found::too_many : Found::lost;
        ((middle.point.log_alpha - log_alpha) * side >= 0 ? low : high) = middle.point;
      }
      return Found::lost;
    }
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
