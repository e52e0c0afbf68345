// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/breaking.hpp"

#include "base/team.hpp"
#include "theory/dotattn/two_tokens/lines.hpp"
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

// --- nested averages ---

namespace {

constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)
constexpr double kWindow = 6.5;                     // of z1: 8e-11 of the weight is beyond
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums over the inner number; those of lines have the factor exp(mu reference).
struct Inner {
  double reference = kInfinity, z = 0, energy = 0, square = 0, along = 0, across = 0;
};

double place_of(int64_t k, int64_t n, double spacing) { return (static_cast<double>(k) - 0.5 * static_cast<double>(n - 1)) * spacing; }

// Over the points of a line near `place`.
Inner over_line(const NestedPoints &p, int64_t line, double place, const NestedWidths &widths) {
  const double *begin = p.along.data() + line * p.points, *end = begin + p.points;
  const int64_t first = std::lower_bound(begin, end, place - kWindow * widths.s1) - p.along.data(),
                last = std::upper_bound(begin, end, place + kWindow * widths.s1) - p.along.data();
  Inner sum;
  for (int64_t k = first; k < last; ++k) sum.reference = std::min(sum.reference, p.energy[k]);
  for (int64_t k = first; k < last; ++k) {
    const double z = (p.along[k] - place) / widths.s1;
    const double weight = p.length[k] * kNormal / widths.s1 * std::exp(-0.5 * z * z - widths.mu * (p.energy[k] - sum.reference));
    sum.z += weight;
    sum.energy += weight * p.energy[k];
    sum.square += weight * (p.g_along[k] * p.g_along[k] + p.g_across[k] * p.g_across[k]);
    sum.along += weight * p.g_along[k];
    sum.across += weight * p.g_across[k];
  }
  return sum;
}

void store(const Inner &sum, double *out) {
  const double numbers[NestedScratch::kSums] = {sum.reference, sum.z, sum.energy, sum.square, sum.along, sum.across};
  std::copy(numbers, numbers + NestedScratch::kSums, out);
}

// Over the lines near `place`, at one place along them.
Inner over_lines(const NestedPoints &p, int64_t at, double place, const NestedWidths &widths, const NestedScratch &scratch) {
  const double middle = 0.5 * static_cast<double>(p.lines - 1), reach = kWindow * widths.s1;
  const int64_t first = p.lines == 1 ? 0 : std::max<int64_t>(0, static_cast<int64_t>(std::ceil((place - reach) / p.spacing + middle)));
  const int64_t last =
      p.lines == 1 ? 0 : std::min<int64_t>(p.lines - 1, static_cast<int64_t>(std::floor((place + reach) / p.spacing + middle)));
  const auto numbers = [&](int64_t line) { return scratch.sums.data() + (line * scratch.outer + at) * NestedScratch::kSums; };
  Inner sum;
  for (int64_t line = first; line <= last; ++line) sum.reference = std::min(sum.reference, numbers(line)[0]);
  for (int64_t line = first; line <= last; ++line) {
    const double *n = numbers(line);
    if (!(n[1] > 0)) continue;
    const double z = (place_of(line, p.lines, p.spacing) - place) / widths.s1;
    const double share = p.lines == 1 ? 1 : p.spacing * kNormal / widths.s1 * std::exp(-0.5 * z * z);
    const double weight = share * std::exp(-widths.mu * (n[0] - sum.reference));
    sum.z += weight * n[1];
    sum.energy += weight * n[2];
    sum.square += weight * n[3];
    sum.along += weight * n[4];
    sum.across += weight * n[5];
  }
  return sum;
}

void add(const Inner &inner, double weight, double z_along, double z_across, double mu, NestedSums &sums) {
  if (!(inner.z > 0)) return;
  const double energy = inner.energy / inner.z, along = inner.along / inner.z, across = inner.across / inner.z;
  sums.free += weight * (mu > 0 ? inner.reference - std::log(inner.z) / mu : energy);
  sums.energy += weight * energy;
  sums.square += weight * inner.square / inner.z;
  sums.mean_square += weight * (along * along + across * across);
  sums.along += weight * along;
  sums.across += weight * across;
  sums.noise += weight * (along * z_along + across * z_across);
}

}  // namespace

void NestedPoints::lay_out(Arena &arena, int64_t most_lines, int64_t most_points) {
  for (Span<double> *span : {&along, &length, &energy, &g_along, &g_across}) *span = arena.take<double>(most_lines * most_points);
}

void NestedScratch::lay_out(Arena &arena, int64_t most_lines, int64_t most_outer) {
  sums = arena.take<double>(most_lines * most_outer * kSums);
}

NestedSums nested_sums(const NestedPoints &points, const NestedWidths &widths, const NestedScratch &scratch) {
  const int64_t n = scratch.outer;
  const double step = 2 * kOuterRange / static_cast<double>(n - 1);  // of z0
  for (int64_t line = 0; line < points.lines; ++line)
    for (int64_t at = 0; at < n; ++at)
      store(over_line(points, line, widths.s0 * place_of(at, n, step), widths),
            scratch.sums.data() + (line * n + at) * NestedScratch::kSums);
  NestedSums sums;
  for (int64_t at = 0; at < n; ++at) {
    const double along = place_of(at, n, step), weight = step * kNormal * std::exp(-0.5 * along * along);
    for (int64_t b = 0; b < (points.lines == 1 ? 1 : n); ++b) {
      const double across = points.lines == 1 ? 0 : place_of(b, n, step);
      const double both = points.lines == 1 ? weight : weight * step * kNormal * std::exp(-0.5 * across * across);
      add(over_lines(points, at, widths.s0 * across, widths, scratch), both, along, across, widths.mu, sums);
    }
  }
  return sums;
}

namespace {

constexpr double kLineSpacing = 1.2, kPanel = 2, kOuterSpacing = 0.8;  // in inner widths, at fineness 1
constexpr double kLongSide = 8;                                        // of a line, in widths of w: a cut further out has little weight
constexpr int64_t kSlice = 2;                                          // nodes of h of a thread between two reports

// The minimum and its slope at each point of a node, line by line in the order along it.
void take_points(const Node &node, double spacing, NestedPoints &out) {
  const Field &field = node.field;
  const Lines &l = node.lines;
  const Points &points = node.points;
  const int64_t along = node.rules->level.along;
  out.lines = node.n_lines();
  out.points = 2 * along;
  out.spacing = spacing;
  for (int64_t p = 0; p < node.n_points(); ++p) {
    const int64_t k = p / (2 * along), r = p % along;
    const bool below = p % (2 * along) < along;
    const double half = 0.5 * (below ? l.low[k] - l.center[k] + kRange * field.s : l.center[k] + kRange * field.s - l.low[k]);
    const Vector w = points.batch.w[p], x = points.best[p];
    const Vector g{(x.first - w.first) * field.inverse_v, (x.second - w.second) * field.inverse_v};
    out.along[p] = field.axes.along(w) - l.center[k];
    out.length[p] = half * node.rules->along.weights[r];
    out.energy[p] = 0.5 * points.lowest[p];
    out.g_along[p] = field.axes.along(g);
    out.g_across[p] = field.axes.across(g);
  }
}

// Lines without a jump are cut in the middle: both pieces then have the same length.
void cut_in_the_middle(const Node &node) {
  const Lines &l = node.lines;
  for (int64_t k = 0; k < node.n_lines(); ++k)
    if (l.jumps[k] == 0) l.low[k] = l.high[k] = l.center[k];
}

void add(const BrokenMeans &part, BrokenMeans &sum) {
  sum.free += part.free;
  sum.energy += part.energy;
  sum.square += part.square;
  sum.mean_square += part.mean_square;
  sum.difference += part.difference;
  sum.field += part.field;
  sum.noise += part.noise;
}

int64_t count(double number) { return static_cast<int64_t>(std::ceil(number)); }

}  // namespace

NestedGrid nested_grid(double ratio, double fineness) {
  const double inner = ratio / fineness;
  NestedGrid grid{};
  grid.angles = 4 * count(3 * fineness);
  grid.radial = count(8 * fineness);
  grid.lines = count(2 * kRange / (kLineSpacing * inner)) + 1;
  grid.panels = count(kLongSide / (kPanel * inner));
  grid.outer = count(2 * kOuterRange * std::sqrt(1 - ratio * ratio) / (kOuterSpacing * inner)) + 1;
  return grid;
}

void NestedFields::lay_out(Arena &arena) {
  const Level level = most_.level();
  rules_.lay_out(arena, level);
  threads_of_ = arena.take<Thread>(threads_);
  for (int64_t k = 0; k < threads_; ++k) {
    Thread thread{};
    thread.work.lay_out(arena, level);
    thread.points.lay_out(arena, level.lines, 2 * level.along);
    thread.scratch.lay_out(arena, level.lines, most_.outer);
    if (!arena.measuring()) threads_of_[k] = thread;
  }
  parts_ = arena.take<BrokenMeans>(level.fields());
}

void NestedFields::use(const NestedGrid &grid) {
  grid_ = grid;
  rules_.use_equal(grid.level(), NestedGrid::kPanelOrder, kRange);
  for (Thread &thread : threads_of_) thread.scratch.outer = grid.outer;
}

void NestedFields::watch(Heartbeat &heartbeat, Ranks &ranks) {
  heartbeat_ = &heartbeat;
  ranks_ = &ranks;
  ranks.sum(&workers_, 1);
}

BrokenMeans NestedFields::means_at(const Field &field, const NestedWidths &widths, Thread &thread) const {
  if (!(field.weight > 0)) return {};
  Node node{kernels_, &rules_, field, {}, thread.work.lines, thread.work.points};
  find_well(node);
  cut_by_sign(node);
  cut_in_the_middle(node);
  find_minima(node);
  if (cut_elsewhere(node)) find_minima(node);
  take_points(node, 2 * kRange * field.s / static_cast<double>(grid_.lines - 1), thread.points);
  const NestedSums sums = nested_sums(thread.points, widths, thread.scratch);
  const Vector force = field.axes.at(sums.along, sums.across);
  return {field.weight * sums.free,
          field.weight * sums.energy,
          field.weight * sums.square,
          field.weight * sums.mean_square,
          field.weight * (force.first - force.second),
          field.weight * (force.first * field.h.first + force.second * field.h.second),
          field.weight * sums.noise};
}

BrokenMeans NestedFields::means(const BrokenOrder &order) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Setting setting = setting_of(problem_, {order.q1(), order.m, order.theta, order.v}, rules_.level);
  const NestedWidths widths{std::sqrt(order.q0 - order.theta * order.theta / problem_.rho()), std::sqrt(order.gap), order.mu};
  const int64_t n = setting.nodes(rules_.level), slice = workers_ * kSlice;
  for (int64_t first = 0; first < n; first += slice) {
    const int64_t now = std::min(slice, n - first);
    const auto node = [&](int64_t k, int thread) {
      parts_[first + k] = means_at(field_at(setting, rules_, first + k), widths, threads_of_[thread]);
    };
    if (ranks_ == nullptr) {
      parallel_for(threads_, now, node);
      continue;
    }
    shared_for(*ranks_, threads_, now, node);
    ranks_->gather(parts_.data() + first, now, sizeof(BrokenMeans));
    if (heartbeat_->beat()) return {nan, nan, nan, nan, nan, nan, nan};
  }
  BrokenMeans sum;
  for (int64_t k = 0; k < n; ++k) add(parts_[k], sum);
  // As in Integrator::pass().
  if (order.m == 0) sum.difference = 0;
  if (order.theta == 0) sum.field = 0;
  sum.free += 0.5 * problem_.rho() * problem_.excess();
  sum.energy += 0.5 * problem_.rho() * problem_.excess();
  return sum;
}

}  // namespace atp::dotattn
