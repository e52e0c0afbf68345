// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/breaking.hpp"

#include "theory/dotattn/two_tokens/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kZero = 1e-7;        // residual of a solution
constexpr double kGood = 1e-6;        // what it may have where steps lead no further
constexpr double kDifference = 1e-4;  // of logarithms; averages are smooth on fixed nodes
constexpr double kLongest = 0.5;      // step of a logarithm
constexpr int kSteps = 60, kHalvings = 6;
constexpr double kSmall = 1e-3;  // of mu gap / V: below, a series

double length_of(const BrokenProblem &p, const BrokenOrder &o) { return o.q0 - p.rho * o.m * o.m - o.theta * o.theta / p.rho; }

// (log(1 + y) - y / (1 + y)) / y^2.
double entropy(double y) {
  if (std::fabs(y) < kSmall) return 0.5 - 2 * y / 3 + 0.75 * y * y;
  return (std::log1p(y) - y / (1 + y)) / (y * y);
}

class Search {
 public:
  Search(NestedAverages &averages, const BrokenProblem &problem, const BrokenOrder &start, bool hold_mu)
      : averages_(averages), problem_(problem), start_(start), n_(problem.unknowns()), held_(hold_mu ? kMu : -1) {}
  BrokenSolution run();

 private:
  static constexpr int kMu = 2;
  struct Place {
    double x[Jacobian::kMost], residual[Jacobian::kMost];
    BrokenOrder order;
    BrokenMeans means;
    double largest;
  };
  Place at(const double *x);
  BrokenOrder order_of(const double *x) const;
  bool differentiate();
  bool advance(const double *step);
  int kept() const { return held_ < 0 ? n_ : n_ - 1; }
  // Number of an unknown and its equation among those that are kept.
  int unknown(int k) const { return held_ >= 0 && k >= held_ ? k + 1 : k; }

  NestedAverages &averages_;
  const BrokenProblem &problem_;
  BrokenOrder start_;
  int n_, held_;
  int64_t applications_ = 0;
  Jacobian jacobian_{1};
  Place now_{};
  bool fresh_ = false, known_ = false;
};

BrokenOrder Search::order_of(const double *x) const {
  BrokenOrder order = start_;
  order.gap = std::exp(x[0]);
  order.v = std::exp(x[1]);
  order.mu = std::exp(x[kMu]);
  order.q0 = problem_.sphere ? 1 - order.gap : std::exp(x[3]);
  if (problem_.overlap == Overlap::positional) order.m = std::exp(x[4]);
  if (problem_.overlap == Overlap::semantic) order.theta = std::exp(x[4]);
  return order;
}

Search::Place Search::at(const double *x) {
  Place place{};
  std::copy(x, x + n_, place.x);
  place.order = order_of(x);
  place.largest = std::numeric_limits<double>::infinity();
  const double rest = place.order.q0 - place.order.theta * place.order.theta / problem_.rho;
  if (!(rest > 0) || !(place.order.q0 > 0)) return place;
  ++applications_;
  place.means = averages_.means(place.order);
  double all[Jacobian::kMost];
  broken_residuals(problem_, place.order, place.means, all);
  double largest = 0;
  for (int k = 0; k < kept(); ++k) {
    place.residual[k] = all[unknown(k)];
    if (!std::isfinite(place.residual[k])) return place;
    largest = std::max(largest, std::fabs(place.residual[k]));
  }
  place.largest = largest;
  return place;
}

bool Search::differentiate() {
  for (int k = 0; k < kept(); ++k) {
    Place moved = now_;
    moved.x[unknown(k)] += kDifference;
    const Place there = at(moved.x);
    if (!std::isfinite(there.largest)) return false;
    jacobian_.set_column(k, now_.residual, there.residual, kDifference);
  }
  fresh_ = known_ = true;
  return true;
}

bool Search::advance(const double *step) {
  double factor = 1;
  for (int k = 0; k < kept(); ++k) factor = std::min(factor, kLongest / std::max(std::fabs(step[k]), kLongest));
  for (int halving = 0; halving < kHalvings; ++halving, factor *= 0.5) {
    double x[Jacobian::kMost], change[Jacobian::kMost];
    std::copy(now_.x, now_.x + n_, x);
    for (int k = 0; k < kept(); ++k) x[unknown(k)] += change[k] = -factor * step[k];
    const Place next = at(x);
    if (next.largest < now_.largest * (1 - 0.1 * factor)) {
      jacobian_.update(change, now_.residual, next.residual);
      known_ = next.largest < 0.3 * now_.largest;
      now_ = next;
      return true;
    }
    if (!fresh_) return false;
  }
  return false;
}

BrokenSolution Search::run() {
  jacobian_ = Jacobian(kept());
  const double overlap = problem_.overlap == Overlap::semantic ? start_.theta : start_.m;
  const double x[Jacobian::kMost] = {std::log(start_.gap), std::log(start_.v), std::log(start_.mu), std::log(start_.q0), std::log(overlap)};
  now_ = at(x);
  for (int k = 0; k < kSteps && std::isfinite(now_.largest) && now_.largest > kZero; ++k) {
    if (!known_ && !differentiate()) break;
    double step[Jacobian::kMost];
    if (!jacobian_.solve(now_.residual, step)) break;
    const bool moved = advance(step);
    if (!moved && fresh_) break;
    if (!moved) known_ = false;
    fresh_ = false;
  }
  BrokenSolution out;
  out.order = now_.order;
  out.means = now_.means;
  out.energy = broken_energy(problem_, now_.order, now_.means);
  out.residual = now_.largest;
  out.applications = applications_;
  out.converged = now_.largest <= kGood;
  return out;
}

}  // namespace

double broken_energy(const BrokenProblem &p, const BrokenOrder &o, const BrokenMeans &means) {
  const double y = o.mu * o.gap / o.v, log_term = o.mu > 0 ? std::log1p(y) / o.mu : o.gap / o.v;
  const double prior = -0.5 * log_term - 0.5 * length_of(p, o) / o.response();
  return p.alpha * means.free + prior + (p.sphere ? 0 : 0.5 * p.lambda * o.q1() / p.rho);
}

// d/dV and d/dq0 give E <|g|^2> and E |<g>|^2; their difference leaves out the solution gap = 0. In d/dmu the first order in mu, which is
// d/dq0 again, is taken out of both terms.
void broken_residuals(const BrokenProblem &p, const BrokenOrder &o, const BrokenMeans &means, double *residuals) {
  const double all = o.response(), y = o.mu * o.gap / o.v;
  residuals[0] = std::log(p.alpha * o.v * all * (means.square - means.mean_square) / o.gap);
  residuals[1] = std::log(p.alpha * all * all * means.mean_square / length_of(p, o));
  const double clusters = entropy(y) * o.gap * o.gap / (o.v * o.v);
  const double samples = 2 * p.alpha * (means.free - means.energy) / o.mu - p.alpha * o.gap * means.mean_square;
  residuals[2] = 1 - samples / clusters;
  if (p.sphere) return;
  const double s0 = std::sqrt(o.q0 - o.theta * o.theta / p.rho), stiffness = -p.alpha * means.noise / s0;
  residuals[3] = std::log(all * (p.lambda / p.rho + stiffness));
  if (p.overlap == Overlap::positional) residuals[4] = std::log(p.alpha * all * means.difference / (p.rho * o.m));
  if (p.overlap == Overlap::semantic) residuals[4] = std::log(p.alpha * all * (means.field - o.theta / s0 * means.noise) / o.theta);
}

BrokenSolution solve_broken(NestedAverages &averages, const BrokenProblem &problem, const BrokenOrder &start, bool hold_mu) {
  return Search(averages, problem, start, hold_mu).run();
}

}  // namespace atp::dotattn
