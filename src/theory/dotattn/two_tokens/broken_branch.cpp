// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/broken_branch.hpp"

#include "theory/dotattn/two_tokens/problem.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLeastWidth = 0.08, kMostWidth = 0.7;  // of a first guess, in the root of q: below, nothing is computed
// The first guess: where jumps are rare the inner width is this part of that at mu = 0, and mu (q1 - q0) / V is this number.
constexpr double kNarrowing = 0.57, kEntropy = 0.06;
constexpr double kFiner = 1.25;
constexpr double kStep = 0.08664339756999316;  // of log alpha along a branch: an eighth of an octave
constexpr double kMostRatio = 0.35;            // nodes of a branch are as for inner widths of at most this, in the root of q1
constexpr double kLeastOverlap = 1e-3;         // in the root of q: below, it is the solution without

BrokenProblem broken_problem(const Problem &problem, Kind kind, double alpha) {
  const Overlap overlap = kind == Kind::semantic ? Overlap::semantic : kind == Kind::positional ? Overlap::positional : Overlap::none;
  return {alpha, problem.rho(), problem.lambda, false, overlap};
}

// e_t with and without breaking on the nodes in use. The symmetric one at mu = 0, where the inner and the outer part of w add up again.
double shift_of(NestedFields &fields, const BrokenProblem &problem, const Order &rs, const BrokenSolution &broken) {
  const BrokenOrder flat{rs.q - broken.order.gap, broken.order.gap, rs.v, rs.m, rs.theta, 0};
  return broken.energy - broken_energy(problem, flat, fields.means(flat));
}

NestedGrid grid_of(double ratio, double fineness) { return nested_grid(std::max(kLeastRatio, ratio), fineness); }

// Two minima of cavity fields that differ by a normal vector differ by as much at this width (mu = 0).
double first_width(const Order &rs, const Spread &spread, double alpha) {
  const double replicon = 1 - alpha * spread.smooth, jumps = alpha * spread.jumps / std::sqrt(kPi * rs.q);
  return replicon > 0 ? std::min(kMostWidth, jumps / replicon) : kMostWidth;
}

}  // namespace

BrokenRow break_symmetry(NestedFields &fields, const Problem &problem, Kind kind, const Solution &symmetric, const Spread &spread) {
  const double alpha = std::exp(symmetric.point.log_alpha);
  const Order &rs = symmetric.order;
  BrokenRow row;
  const double width = first_width(rs, spread, alpha);
  if (width < kLeastWidth) return row;
  const BrokenProblem broken = broken_problem(problem, kind, alpha);
  const double inner = kNarrowing * width, gap = inner * inner * rs.q, v = rs.v / (1 + kEntropy);
  const BrokenOrder guess{rs.q - gap, gap, v, rs.m, rs.theta, kEntropy * v / gap};
  row.outcome = ATP_OUTCOME_STALLED;
  fields.use(grid_of(inner, 1));
  BrokenSolution solution = solve_broken(fields, broken, guess, false);
  if (!solution.converged) solution = solve_broken(fields, broken, solve_broken(fields, broken, guess, true).order, false);
  if (!solution.converged) return row;
  const double coarse = shift_of(fields, broken, rs, solution);
  // The energy is stationary: on finer nodes it is known to the second order in what the order parameters change.
  fields.use(grid_of(std::sqrt(solution.order.gap / solution.order.q1()), kFiner));
  solution.energy = broken_energy(broken, solution.order, fields.means(solution.order));
  row.order = solution.order;
  row.shift = shift_of(fields, broken, rs, solution);
  row.error = std::fabs(row.shift - coarse);
  if (std::isfinite(row.shift)) row.outcome = ATP_OUTCOME_CONVERGED;
  return row;
}

void BrokenTrail::start(const Solution &from, const BrokenRow &broken) {
  log_alpha_ = from.point.log_alpha;
  ended_ = broken.outcome != ATP_OUTCOME_CONVERGED;
  places_[0] = broken.order;
  count_ = 1;
}

double BrokenTrail::log_alpha_of(double place) const { return log_alpha_ + side_ * kStep * place; }

BrokenSolution BrokenTrail::solve(NestedFields &fields, int k, double ahead) const {
  const BrokenOrder &here = places_[k];
  BrokenOrder guess = here;
  if (k > 0) {
    const BrokenOrder &before = places_[k - 1];
    const auto line = [&](double BrokenOrder::*part) {
      if (here.*part > 0 && before.*part > 0) guess.*part = here.*part * std::pow(here.*part / before.*part, ahead);
    };
    for (double BrokenOrder::*part : {&BrokenOrder::q0, &BrokenOrder::gap, &BrokenOrder::v, &BrokenOrder::m, &BrokenOrder::theta})
      line(part);
    line(&BrokenOrder::mu);
  }
  const BrokenProblem broken = broken_problem(problem_, kind_, std::exp(log_alpha_of(k + ahead)));
  fields.use(grid_of(std::min(kMostRatio, std::sqrt(guess.gap / guess.q1())), 1));
  BrokenSolution solution = solve_broken(fields, broken, guess, false);
  if (!solution.converged && k > 0) solution = solve_broken(fields, broken, here, false);
  const double overlap = kind_ == Kind::semantic ? solution.order.theta / problem_.sigma : solution.order.m;
  if (!(overlap > kLeastOverlap * std::sqrt(solution.order.q1()))) solution.converged = false;
  return solution;
}

BrokenRow BrokenTrail::at(NestedFields &fields, double alpha, double et) {
  BrokenRow row;
  row.outcome = ATP_OUTCOME_STALLED;
  const double distance = std::log(alpha) - log_alpha_;
  const int side = distance < 0 ? -1 : 1;
  if (side != side_ && count_ > 1) {
    count_ = 1;
    ended_ = false;
  }
  side_ = side;
  const double place = std::fabs(distance) / kStep;
  const int last = static_cast<int>(std::floor(place));
  while (count_ <= last && count_ < kMost && !ended_) {
    const BrokenSolution next = solve(fields, count_ - 1, 1);
    ended_ = !next.converged;
    if (!ended_) places_[count_++] = next.order;
  }
  if (!(places_[0].gap > 0)) return row;
  const int from = std::min(last, count_ - 1);
  if (place - from > 1) return row;
  const BrokenSolution solution = solve(fields, from, place - from);
  if (!solution.converged) return row;
  const BrokenProblem broken = broken_problem(problem_, kind_, alpha);
  fields.use(grid_of(std::min(kMostRatio, std::sqrt(solution.order.gap / solution.order.q1())), kFiner));
  const double fine = broken_energy(broken, solution.order, fields.means(solution.order));
  row.order = solution.order;
  row.shift = fine - et;
  row.error = std::fabs(fine - solution.energy);
  if (std::isfinite(row.shift)) row.outcome = ATP_OUTCOME_CONVERGED;
  return row;
}

}  // namespace atp::dotattn
