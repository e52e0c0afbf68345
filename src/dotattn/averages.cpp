// SPDX-License-Identifier: MIT
#include "dotattn/averages.hpp"

#include "numerics/quadrature.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atp::dotattn {

namespace {

constexpr Level kLargest = kLevels[kLevelCount - 1];
constexpr double kRange = 6.2;                                             // standard deviations: 6e-10 of the weight is beyond
constexpr int kMostCuts = 80;                                              // steps towards a cut; ten are usual
constexpr double kCutWidth = 1e-12, kZeroWidth = 1e-7, kJumpWidth = 1e-3;  // of a jump, of a sign without one, where a jump is given up
constexpr double kMerged = 1e-7;                                           // wells that are closer are one
constexpr double kFieldRange = 6.5;                                        // of |z|: 7e-10 of the weight is beyond
constexpr double kPi = 3.14159265358979323846;
constexpr double kShrink = 0.2;           // of one component of w: a saturated softmax has valleys along the axes
constexpr double kFar = 1, kSeen = 1e-8;  // components of w beyond kFar saturate; points of less weight than kSeen do not count
constexpr double kSameValue = 1e-6;       // values of F that differ by less, relatively, are one minimum
constexpr double kNormal = 0.39894228040143267794;
constexpr int64_t kPlaces = 24;      // of a line, between which jumps are looked for
constexpr double kLeastJump = 1e-4;  // of them, in standard deviations of w
constexpr int64_t kStarts = 9;       // of the search at the ends of lines
constexpr int64_t kCopies = 4;       // starts of the search for cuts
constexpr int64_t kLineArrays = 16 + 2 * kStarts * 7, kPointArrays = 13;

Column target_column(const Problem &problem, double h1, double h2) {
  const Column soft = softmax_column(h1, h2);
  const double keep = 1 - problem.omega;
  return {keep * soft.first + problem.omega * problem.first(), keep * soft.second + problem.omega * problem.second()};
}

// Where along h = radius (along_1, along_2) the origin stops being a minimum of F at w = 0: its Hessian is 2 / V + rho [[2 a, b - a],
// [b - a, -2 b]], a = 1/2 - t1, b = 1/2 - t2. 0..kFieldRange.
double bend_radius(const Problem &problem, double inverse_v, double along_1, double along_2) {
  const double level = 2 * inverse_v / problem.rho();
  const auto stable = [&](double radius) {
    const Column t = target_column(problem, radius * along_1, radius * along_2);
    const double a = 0.5 - t.first, b = 0.5 - t.second;
    return level + a - b - std::sqrt(2 * (a * a + b * b)) > 0;
  };
  double low = 0;
  if (!stable(low)) return 0;
  constexpr int kSteps = 26;
  for (int step = 1; step <= kSteps; ++step) {
    double high = kFieldRange * step / kSteps;
    if (stable(high)) {
      low = high;
      continue;
    }
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      (stable(middle) ? low : high) = middle;
    }
    return low;
  }
  return kFieldRange;
}

// Where rows of A are the same up to the order of the tokens, exchanging the tokens of h, w and x with x, w -> -x, -w leaves all averages
// as they are: angles come in pairs.
bool mirrored(const Problem &problem, const Level &level) {
  return std::fabs(problem.first() + problem.second() - 1) < 1e-14 && level.angles % 4 == 0;
}

}  // namespace

// Lines w = along e + across e_perp; points on them.
struct Integrator::Lines {
  double *low, *high, *center, *across;  // ends of the range, its middle, the place of the line
  double *trial, *least, *jumps, *zero;
  double *w1, *w2, *t1, *t2, *x1, *x2, *value;  // problems at one point of each line, up to 2 kStarts of them
  double *below1, *below2, *above1, *above2;    // minimisers at the cut, on both sides of it
  double *end1, *end2, *start1, *start2;        // minimisers at the high and low ends
  double *pw1, *pw2, *pt1, *pt2, *px1, *px2, *pvalue, *best1, *best2, *best, *weight, *fw1, *fw2;
  int64_t *chosen;
};

struct Integrator::Task {
  const Problem *problem;
  double rho, inverse_v, s, m, slope;  // slope = theta / rho
  double t1, t2, c1, c2, e1, e2;       // of the current h: targets, mean of w, soft direction
  double well1, well2;                 // the minimum at w = 0 with x . e >= 0
  bool mirrored;                       // half of the angles stand for all
};

void Integrator::lay_out(Arena &arena) {
  radial_nodes_ = arena.take<double>(kLargest.radial);
  radial_weights_ = arena.take<double>(kLargest.radial);
  line_nodes_ = arena.take<double>(kLargest.lines);
  line_weights_ = arena.take<double>(kLargest.lines);
  along_nodes_ = arena.take<double>(kLargest.along);
  along_weights_ = arena.take<double>(kLargest.along);
  work_ = arena.take<double>(threads_, (kLineArrays * kLargest.lines + kPointArrays * kLargest.lines * 2 * kLargest.along));
  chosen_ = arena.take<int64_t>(threads_, 2, kLargest.lines, kLargest.along);
  parts_ = arena.take<Averages>(kLargest.fields());
}

void Integrator::use(const Level &level) {
  if (level.angles == nodes_.angles && level.radial == nodes_.radial && level.lines == nodes_.lines && level.along == nodes_.along) return;
  nodes_ = level;
  gauss_legendre(radial_nodes_.sub(0, nodes_.radial), radial_weights_.sub(0, nodes_.radial));
  gauss_hermite(line_nodes_.sub(0, nodes_.lines), line_weights_.sub(0, nodes_.lines));
  gauss_legendre(along_nodes_.sub(0, nodes_.along), along_weights_.sub(0, nodes_.along));
}

// Problem k at a place of a line.
void Integrator::place(const Task &task, const Lines &l, int64_t k, double along, double across) {
  l.w1[k] = along * task.e1 - across * task.e2;
  l.w2[k] = along * task.e2 + across * task.e1;
  l.t1[k] = task.t1;
  l.t2[k] = task.t2;
}

// The minimum at w = 0.
void Integrator::well(Task *task) const {
  constexpr int kWells = 6;
  double w[kWells] = {}, t1[kWells], t2[kWells], x1[kWells], x2[kWells], value[kWells];
  const double starts[kWells][2] = {{0, 0}, {0.3, 0}, {0.8, 0}, {2, 0}, {0.5, 0.7}, {0.5, -0.7}};
  for (int k = 0; k < kWells; ++k) {
    t1[k] = task->t1;
    t2[k] = task->t2;
    x1[k] = starts[k][0] * task->e1 - starts[k][1] * task->e2;
    x2[k] = starts[k][0] * task->e2 + starts[k][1] * task->e1;
  }
  kernels_->descend({task->inverse_v, task->rho, kWells, w, w, t1, t2, x1, x2, value});
  int best = 0;
  for (int k = 1; k < kWells; ++k)
    if (value[k] < value[best]) best = k;
  const double sign = x1[best] * task->e1 + x2[best] * task->e2 < 0 ? -1 : 1;
  task->well1 = sign * x1[best];
  task->well2 = sign * x2[best];
}

// The cut of each line where x . e changes sign. lines.low ends as the cut.
void Integrator::split(const Task &task, const Lines &l, int64_t n) const {
  const auto along_e = [&](double x1, double x2) { return x1 * task.e1 + x2 * task.e2; };
  // The global minimum at both ends, from w, w with one component shortened, the wells at w = 0 and places along and across e.
  const double well_along = along_e(task.well1, task.well2), well_across = task.well2 * task.e1 - task.well1 * task.e2;
  const double starts[kStarts - 3][2] = {{0.7, 0}, {-0.7, 0}, {0, 0.7}, {0, -0.7}, {well_along, well_across}, {-well_along, -well_across}};
  for (int64_t copy = 0; copy < 2 * kStarts; ++copy) {
    const int64_t start = copy / 2;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = copy * n + k;
      place(task, l, at, copy % 2 == 0 ? l.low[k] : l.high[k], l.across[k]);
      if (start < 3) {
        l.x1[at] = (start == 1 ? kShrink : 1) * l.w1[at];
        l.x2[at] = (start == 2 ? kShrink : 1) * l.w2[at];
      } else {
        l.x1[at] = starts[start - 3][0] * task.e1 - starts[start - 3][1] * task.e2;
        l.x2[at] = starts[start - 3][0] * task.e2 + starts[start - 3][1] * task.e1;
      }
    }
  }
  kernels_->descend({task.inverse_v, task.rho, 2 * kStarts * n, l.w1, l.w2, l.t1, l.t2, l.x1, l.x2, l.value});
  for (int64_t end = 0; end < 2; ++end) {
    double *best1 = end == 0 ? l.start1 : l.end1, *best2 = end == 0 ? l.start2 : l.end2;
    for (int64_t k = 0; k < n; ++k) {
      int64_t best = end * n + k;
      for (int64_t copy = end; copy < 2 * kStarts; copy += 2)
        if (l.value[copy * n + k] < l.value[best]) best = copy * n + k;
      best1[k] = l.x1[best];
      best2[k] = l.x2[best];
    }
  }

  // Where x . e changes sign; at an end where it has one sign on the whole range.
  for (int64_t k = 0; k < n; ++k) {
    l.below1[k] = l.start1[k];
    l.below2[k] = l.start2[k];
    l.above1[k] = l.end1[k];
    l.above2[k] = l.end2[k];
    if (along_e(l.start1[k], l.start2[k]) >= 0)
      l.high[k] = l.low[k];
    else if (along_e(l.end1[k], l.end2[k]) <= 0)
      l.low[k] = l.high[k];
  }
  cut(task, l, n, true);
}

// Narrow low..high of each line where low < high to a cut: the change of sign of x . e, or the largest jump of it. Each step follows the
// wells on both sides to a place between. Where they differ and one of them is the minimum their depths are equal at the cut, by Newton's
// method with d(F_below - F_above)/d(along) = 2 (x_above - x_below) . e / V; else by bisection, towards the sign or to the half where x . e
// rises more. lines.jumps tells where x jumps at the cut.
void Integrator::cut(const Task &task, const Lines &l, int64_t n, bool by_sign) const {
  const auto along_e = [&](double x1, double x2) { return x1 * task.e1 + x2 * task.e2; };
  const auto same = [&](int64_t i, int64_t j) { return std::fabs(l.x1[i] - l.x1[j]) + std::fabs(l.x2[i] - l.x2[j]) < kMerged; };
  bool any = false;
  for (int64_t k = 0; k < n; ++k) {
    if (by_sign) l.jumps[k] = 0;
    l.trial[k] = 0.5 * (l.low[k] + l.high[k]);
    any |= l.low[k] < l.high[k];
  }
  for (int step = 0; any && step < kMostCuts; ++step) {
    for (int64_t k = 0; k < n; ++k) {
      const double starts_1[] = {l.above1[k], l.below1[k], task.well1, -task.well1};
      const double starts_2[] = {l.above2[k], l.below2[k], task.well2, -task.well2};
      for (int64_t copy = 0; copy < kCopies; ++copy) {
        place(task, l, copy * n + k, l.trial[k], l.across[k]);
        l.x1[copy * n + k] = starts_1[copy];
        l.x2[copy * n + k] = starts_2[copy];
      }
    }
    kernels_->descend({task.inverse_v, task.rho, kCopies * n, l.w1, l.w2, l.t1, l.t2, l.x1, l.x2, l.value});
    any = false;
    for (int64_t k = 0; k < n; ++k) {
      if (!(l.low[k] < l.high[k])) continue;
      const int64_t above = k, below = n + k;
      int64_t best = above;
      for (int64_t copy = 1; copy < kCopies; ++copy)
        if (l.value[copy * n + k] < l.value[best]) best = copy * n + k;
      const bool is_above = same(best, above), is_below = same(best, below);
      const double at_above = along_e(l.x1[above], l.x2[above]), at_below = along_e(l.x1[below], l.x2[below]);
      const double at_best = along_e(l.x1[best], l.x2[best]);
      const bool two = is_above != is_below && at_above - at_below > kMerged && (!by_sign || (at_above > 0 && at_below < 0));
      const bool right = by_sign ? at_best > 0
                         : is_above != is_below
                             ? is_above
                             : along_e(l.above1[k], l.above2[k]) - at_best <= at_best - along_e(l.below1[k], l.below2[k]);
      const int64_t new_above = two ? above : best, new_below = two ? below : best;
      if (two || right) {
        l.above1[k] = l.x1[new_above];
        l.above2[k] = l.x2[new_above];
      }
      if (two || !right) {
        l.below1[k] = l.x1[new_below];
        l.below2[k] = l.x2[new_below];
      }
      const double trial = l.trial[k];
      (right ? l.high[k] : l.low[k]) = trial;
      const double width = l.high[k] - l.low[k];
      const double newton = two ? trial - (l.value[below] - l.value[above]) / (2 * task.inverse_v * (at_above - at_below)) : 0;
      const bool inside = two && newton >= l.low[k] && newton <= l.high[k];
      l.trial[k] = inside ? newton : 0.5 * (l.low[k] + l.high[k]);
      // Without a jump a sign needs less, and a jump that does not show is none.
      const bool done =
          two ? (inside ? std::fabs(newton - trial) : width) <= kCutWidth * task.s : width <= (by_sign ? kZeroWidth : kJumpWidth) * task.s;
      if (done) {
        l.jumps[k] = two ? 1 : 0;
        l.low[k] = l.high[k] = l.trial[k];
      } else {
        any = true;
      }
    }
  }
  for (int64_t k = 0; k < n; ++k) l.low[k] = l.high[k] = 0.5 * (l.low[k] + l.high[k]);
}

// Where w is far from the origin, two more starts with one of its components shortened.
void Integrator::far_points(const Task &task, const Lines &l, int64_t points) const {
  int64_t n = 0;
  for (int64_t p = 0; p < points; ++p)
    if (l.weight[p] > kSeen && std::max(std::fabs(l.pw1[p]), std::fabs(l.pw2[p])) > kFar) l.chosen[n++] = p;
  if (n == 0) return;
  for (int64_t c = 0; c < n; ++c) {
    const int64_t p = l.chosen[c];
    l.fw1[c] = l.pw1[p];
    l.fw2[c] = l.pw2[p];
  }
  for (int start = 0; start < 2; ++start) {
    for (int64_t c = 0; c < n; ++c) {
      l.px1[c] = (start == 0 ? kShrink : 1) * l.fw1[c];
      l.px2[c] = (start == 1 ? kShrink : 1) * l.fw2[c];
    }
    kernels_->descend({task.inverse_v, task.rho, n, l.fw1, l.fw2, l.pt1, l.pt2, l.px1, l.px2, l.pvalue});
    for (int64_t c = 0; c < n; ++c) {
      const int64_t p = l.chosen[c];
      if (!(l.pvalue[c] < l.best[p])) continue;
      l.best[p] = l.pvalue[c];
      l.best1[p] = l.px1[c];
      l.best2[p] = l.px2[c];
    }
  }
}

// Minimisers at the points below and above the cuts.
void Integrator::minimise(const Task &task, const Lines &l, int64_t n) const {
  const int64_t half = nodes_.along;
  const int64_t points = 2 * half * n;
  for (int64_t k = 0, p = 0; k < n; ++k) {
    for (int side = 0; side < 2; ++side) {
      const double from = side == 0 ? l.center[k] - kRange * task.s : l.low[k], to = side == 0 ? l.low[k] : l.center[k] + kRange * task.s;
      const double length = 0.5 * (to - from), middle = 0.5 * (to + from);
      for (int64_t r = 0; r < half; ++r, ++p) {
        const double along = middle + length * along_nodes_[r], z = (along - l.center[k]) / task.s;
        l.pw1[p] = along * task.e1 - l.across[k] * task.e2;
        l.pw2[p] = along * task.e2 + l.across[k] * task.e1;
        l.pt1[p] = task.t1;
        l.pt2[p] = task.t2;
        l.weight[p] = line_weights_[k] * along_weights_[r] * (length / task.s) * kNormal * std::exp(-0.5 * z * z);
      }
    }
  }
  // Each from w and from the minimum at the cut; where they differ anywhere also from the wells at w = 0 and from a place between the
  // origin and w.
  bool several = false;
  for (int start = 0; start < (several ? 5 : 2); ++start) {
    for (int64_t p = 0; p < points; ++p) {
      const int64_t k = p / (2 * half);
      const bool above = (p / half) % 2 == 1;
      const double sign = start == 2 ? 1 : -1;
      l.px1[p] = start == 0 ? l.pw1[p] : start == 1 ? (above ? l.above1[k] : l.below1[k]) : start == 4 ? 0.4 * l.pw1[p] : sign * task.well1;
      l.px2[p] = start == 0 ? l.pw2[p] : start == 1 ? (above ? l.above2[k] : l.below2[k]) : start == 4 ? 0.4 * l.pw2[p] : sign * task.well2;
    }
    kernels_->descend({task.inverse_v, task.rho, points, l.pw1, l.pw2, l.pt1, l.pt2, l.px1, l.px2, l.pvalue});
    for (int64_t p = 0; p < points; ++p) {
      if (start == 1 && std::fabs(l.pvalue[p] - l.best[p]) > kSameValue * l.best[p]) several = true;
      if (start > 0 && !(l.pvalue[p] < l.best[p])) continue;
      l.best[p] = l.pvalue[p];
      l.best1[p] = l.px1[p];
      l.best2[p] = l.px2[p];
    }
  }

  far_points(task, l, points);
}

// Jumps that the sign of x . e does not show. On lines without a jump the minimiser of each place is followed to the next one: where it is
// in another well than the minimiser there, x jumps in between. Cuts move to the largest of these jumps; false where there are none.
bool Integrator::jumps_elsewhere(const Task &task, const Lines &l, int64_t n) const {
  const int64_t per_line = 2 * nodes_.along, stride = std::max<int64_t>(1, per_line / kPlaces);
  for (int64_t k = 0; k < n; ++k) {
    l.zero[k] = l.high[k] = l.low[k];
    l.least[k] = 0;
  }
  for (const int64_t ahead : {stride, -stride}) {
    int64_t count = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (l.jumps[k] != 0 || l.least[k] > 0) continue;
      for (int64_t r = 0; r + stride < per_line; r += stride) {
        const int64_t p = k * per_line + r, to = ahead > 0 ? p + stride : p, from = to - ahead;
        if (!(l.weight[p] + l.weight[p + stride] > kSeen)) continue;
        l.fw1[count] = l.pw1[to];
        l.fw2[count] = l.pw2[to];
        l.px1[count] = l.best1[from];
        l.px2[count] = l.best2[from];
        l.chosen[count++] = to;
      }
    }
    if (count == 0) return false;
    kernels_->descend({task.inverse_v, task.rho, count, l.fw1, l.fw2, l.pt1, l.pt2, l.px1, l.px2, l.pvalue});
    for (int64_t c = 0; c < count; ++c) {
      const int64_t to = l.chosen[c], from = to - ahead, k = to / per_line;
      const double jump = std::fabs((l.px1[c] - l.best1[to]) * task.e1 + (l.px2[c] - l.best2[to]) * task.e2);
      if (!(jump > std::max(kLeastJump * task.s, l.least[k]))) continue;
      const int64_t below = std::min(from, to), above = std::max(from, to);
      l.least[k] = jump;
      l.low[k] = l.pw1[below] * task.e1 + l.pw2[below] * task.e2;
      l.high[k] = l.pw1[above] * task.e1 + l.pw2[above] * task.e2;
      l.below1[k] = l.best1[below];
      l.below2[k] = l.best2[below];
      l.above1[k] = l.best1[above];
      l.above2[k] = l.best2[above];
    }
  }
  cut(task, l, n, false);
  bool any = false;
  for (int64_t k = 0; k < n; ++k) {
    if (l.least[k] > 0 && l.jumps[k] != 0) any = true;
    if (l.jumps[k] == 0) l.low[k] = l.high[k] = l.zero[k];
  }
  return any;
}

void Integrator::field_node(const Task &given, int64_t node, const Lines &l) const {
  Task task = given;
  const int64_t n = nodes_.lines, pieces = 2 * nodes_.radial;
  // Angles between 0 and pi; the other half has the same averages.
  const int64_t quarter = nodes_.angles / 4, turn = node / pieces, place_of_turn = task.mirrored && turn >= quarter ? turn + quarter : turn;
  const double angle = kPi * (static_cast<double>(place_of_turn) + 0.5) / static_cast<double>(nodes_.angles);
  const double along_1 = std::sqrt(task.rho) * std::cos(angle), along_2 = std::sqrt(task.rho) * std::sin(angle);
  const double bend = bend_radius(*task.problem, task.inverse_v, along_1, along_2);
  const bool outer = node % pieces >= nodes_.radial;
  const double from = outer ? bend : 0, to = outer ? kFieldRange : bend;
  const int64_t place = node % nodes_.radial;
  const double radius = 0.5 * (from + to) + 0.5 * (to - from) * radial_nodes_[place];
  const double field_weight = radial_weights_[place] * 0.5 * (to - from) * radius * std::exp(-0.5 * radius * radius) *
                              (task.mirrored ? 2 : 1) / static_cast<double>(nodes_.angles);
  if (!(field_weight > 0)) {
    parts_[node] = {};
    return;
  }
  const double h1 = radius * along_1, h2 = radius * along_2;
  const Column target = target_column(*task.problem, h1, h2);
  task.t1 = target.first;
  task.t2 = target.second;
  task.c1 = task.slope * h1 + task.m;
  task.c2 = task.slope * h2 - task.m;
  // The Hessian of |softmax(x x^T) - T|^2 at the origin is [[2 a, b - a], [b - a, -2 b]]: e belongs to its lower eigenvalue.
  const double a = 0.5 - task.t1, b = 0.5 - task.t2;
  const double soft = 0.5 * std::atan2(-2 * (b - a), -2 * (a + b));
  task.e1 = std::cos(soft);
  task.e2 = std::sin(soft);

  for (int64_t k = 0; k < n; ++k) {
    l.center[k] = task.c1 * task.e1 + task.c2 * task.e2;
    l.across[k] = task.c2 * task.e1 - task.c1 * task.e2 + task.s * line_nodes_[k];
    l.low[k] = l.center[k] - kRange * task.s;
    l.high[k] = l.center[k] + kRange * task.s;
  }
  well(&task);
  split(task, l, n);

  minimise(task, l, n);
  if (jumps_elsewhere(task, l, n)) minimise(task, l, n);

  const int64_t points = 2 * nodes_.along * n;
  Averages sum;
  for (int64_t p = 0; p < points; ++p) {
    const double d1 = l.best1[p] - l.pw1[p], d2 = l.best2[p] - l.pw2[p], weight = l.weight[p];
    const double square = d1 * d1 + d2 * d2;
    sum.square += weight * square;
    sum.difference += weight * (d1 - d2);
    sum.field += weight * (d1 * h1 + d2 * h2);
    sum.noise += weight * (d1 * (l.pw1[p] - task.c1) + d2 * (l.pw2[p] - task.c2)) / task.s;
    sum.train += weight * (l.best[p] - square * task.inverse_v) / task.rho;
  }
  kernels_->mismatch({task.inverse_v, task.rho, points, l.pw1, l.pw2, l.pt1, l.pt2, l.pw1, l.pw2, l.pvalue});
  for (int64_t p = 0; p < points; ++p) sum.test += l.weight[p] * l.pvalue[p];

  parts_[node] = {field_weight * sum.square, field_weight * sum.difference, field_weight * sum.field,
                  field_weight * sum.noise,  field_weight * sum.train,      field_weight * sum.test};
}

Averages Integrator::average(const Problem &problem, const Order &order) {
  const double rho = problem.rho();
  Task task{};
  task.problem = &problem;
  task.rho = rho;
  task.inverse_v = 1 / order.v;
  task.s = std::sqrt(order.q - order.theta * order.theta / rho);
  task.m = order.m;
  task.slope = order.theta / rho;
  task.mirrored = mirrored(problem, nodes_);
  const int64_t n_nodes = nodes_.fields() / (task.mirrored ? 2 : 1);
  const int64_t lines = kLargest.lines, points = 2 * kLargest.lines * kLargest.along, share = kLineArrays * lines + kPointArrays * points;
  parallel_for(threads_, n_nodes, [&](int64_t node, int thread) {
    double *memory = work_.data() + thread * share;
    const auto line = [&] { return std::exchange(memory, memory + lines); };
    const auto point = [&] { return std::exchange(memory, memory + points); };
    Lines l;
    for (double **array : {&l.low, &l.high, &l.center, &l.across, &l.trial, &l.least, &l.below1, &l.below2, &l.above1, &l.above2, &l.end1,
                           &l.end2, &l.start1})
      *array = line();
    for (double **array : {&l.start2, &l.jumps, &l.zero}) *array = line();
    for (double **array : {&l.w1, &l.w2, &l.t1, &l.t2, &l.x1, &l.x2, &l.value}) {
      *array = line();
      memory += (2 * kStarts - 1) * lines;
    }
    for (double **array :
         {&l.pw1, &l.pw2, &l.pt1, &l.pt2, &l.px1, &l.px2, &l.pvalue, &l.best1, &l.best2, &l.best, &l.weight, &l.fw1, &l.fw2})
      *array = point();
    l.chosen = chosen_.data() + thread * points;
    field_node(task, node, l);
  });
  Averages sum;
  for (int64_t k = 0; k < n_nodes; ++k) {
    sum.square += parts_[k].square;
    sum.difference += parts_[k].difference;
    sum.field += parts_[k].field;
    sum.noise += parts_[k].noise;
    sum.train += parts_[k].train;
    sum.test += parts_[k].test;
  }
  // Odd under (h, w) -> -(h, w): half a circle of h does not see that they vanish.
  if (order.m == 0) sum.difference = 0;
  if (order.theta == 0) sum.field = 0;
  sum.train += problem.excess();
  sum.test += problem.excess();
  return sum;
}

}  // namespace atp::dotattn
