// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/lines.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr int64_t kCopies = 4;       // starts of a minimisation at a trial cut: both sides of the cut, both wells at w = 0
constexpr int kMostCuts = 80;        // steps towards a cut; ten are usual
constexpr double kMerged = 1e-7;     // wells that are closer are one
constexpr double kCutWidth = 1e-12;  // of a cut at a jump, in standard deviations of w, as the next two
constexpr double kZeroWidth = 1e-7;  // of a change of sign without a jump: what it leaves is smooth
constexpr double kJumpWidth = 1e-9;  // a jump elsewhere that does not show down to here is none
constexpr int64_t kPlaces = 24;      // of a line, between which jumps are looked for
constexpr double kLeastJump = 1e-4;  // of them, in standard deviations of w

// Problem k of the batch of lines at a place of a line.
void place(const Node &node, int64_t k, double along, double across) {
  const Batch &batch = node.lines.batch;
  batch.w.set(k, node.field.axes.at(along, across));
  batch.t.set(k, {node.field.target.first, node.field.target.second});
}

// The global minimum at both ends, from w, w with one component shortened, the wells at w = 0 and places along and across e.
void find_ends(const Node &node) {
  const Lines &l = node.lines;
  const Axes &axes = node.field.axes;
  const Batch &batch = l.batch;
  const int64_t n = node.n_lines();
  const double along = axes.along(node.well), across = axes.across(node.well);
  const double starts[kEndStarts - 3][2] = {{0.7, 0}, {-0.7, 0}, {0, 0.7}, {0, -0.7}, {along, across}, {-along, -across}};
  for (int64_t copy = 0; copy < kLineStarts; ++copy) {
    const int64_t start = copy / 2;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = copy * n + k;
      place(node, at, copy % 2 == 0 ? l.low[k] : l.high[k], l.across[k]);
      const Vector w = batch.w[at];
      if (start < 3)
        batch.x.set(at, {(start == 1 ? kShrink : 1) * w.first, (start == 2 ? kShrink : 1) * w.second});
      else
        batch.x.set(at, axes.at(starts[start - 3][0], starts[start - 3][1]));
    }
  }
  node.descend(kLineStarts * n, batch.w, batch);
  for (int64_t end = 0; end < 2; ++end) {
    for (int64_t k = 0; k < n; ++k) {
      int64_t best = end * n + k;
      for (int64_t copy = end; copy < kLineStarts; copy += 2)
        if (batch.value[copy * n + k] < batch.value[best]) best = copy * n + k;
      (end == 0 ? l.at_low : l.at_high).set(k, batch.x[best]);
    }
  }
}

// Minima at the trial cuts, from both sides of the cut and from both wells at w = 0.
void follow_wells(const Node &node) {
  const Lines &l = node.lines;
  const int64_t n = node.n_lines();
  for (int64_t k = 0; k < n; ++k) {
    const Vector starts[kCopies] = {l.above[k], l.below[k], node.well, {-node.well.first, -node.well.second}};
    for (int64_t copy = 0; copy < kCopies; ++copy) {
      place(node, copy * n + k, l.trial[k], l.across[k]);
      l.batch.x.set(copy * n + k, starts[copy]);
    }
  }
  node.descend(kCopies * n, l.batch.w, l.batch);
}

// Minima of a line at its trial cut: those of both sides, and the lowest.
struct Trial {
  int64_t above, below, best;          // in the batch
  double at_above, at_below, at_best;  // x . e
  bool is_above, is_below;             // the lowest is that of this side
};

Trial look_at(const Node &node, int64_t k) {
  const Batch &batch = node.lines.batch;
  const Axes &axes = node.field.axes;
  const int64_t n = node.n_lines();
  const auto same = [&](int64_t i, int64_t j) {
    return std::fabs(batch.x.first[i] - batch.x.first[j]) + std::fabs(batch.x.second[i] - batch.x.second[j]) < kMerged;
  };
  Trial trial{};
  trial.above = k;
  trial.below = n + k;
  trial.best = trial.above;
  for (int64_t copy = 1; copy < kCopies; ++copy)
    if (batch.value[copy * n + k] < batch.value[trial.best]) trial.best = copy * n + k;
  trial.is_above = same(trial.best, trial.above);
  trial.is_below = same(trial.best, trial.below);
  trial.at_above = axes.along(batch.x[trial.above]);
  trial.at_below = axes.along(batch.x[trial.below]);
  trial.at_best = axes.along(batch.x[trial.best]);
  return trial;
}

// Line k from its minima at the trial cut to the next one; false where its cut is found.
bool narrow(const Node &node, int64_t k, bool by_sign) {
  const Lines &l = node.lines;
  const Axes &axes = node.field.axes;
  const Batch &batch = l.batch;
  const double s = node.field.s;
  const Trial t = look_at(node, k);
  const bool two = t.is_above != t.is_below && t.at_above - t.at_below > kMerged && (!by_sign || (t.at_above > 0 && t.at_below < 0));
  const bool right = by_sign                    ? t.at_best > 0
                     : t.is_above != t.is_below ? t.is_above
                                                : axes.along(l.above[k]) - t.at_best <= t.at_best - axes.along(l.below[k]);
  if (two || right) l.above.set(k, batch.x[two ? t.above : t.best]);
  if (two || !right) l.below.set(k, batch.x[two ? t.below : t.best]);

  const double trial = l.trial[k];
  (right ? l.high[k] : l.low[k]) = trial;
  const double width = l.high[k] - l.low[k];
  const double depths = batch.value[t.below] - batch.value[t.above];
  const double newton = two ? trial - depths / (2 * node.field.inverse_v * (t.at_above - t.at_below)) : 0;
  const bool inside = two && newton >= l.low[k] && newton <= l.high[k];
  l.trial[k] = inside ? newton : 0.5 * (l.low[k] + l.high[k]);
  // Without a jump a sign needs less, and a jump that does not show is none.
  const bool done = two ? (inside ? std::fabs(newton - trial) : width) <= kCutWidth * s : width <= (by_sign ? kZeroWidth : kJumpWidth) * s;
  if (!done) return true;
  l.jumps[k] = two ? 1 : 0;
  l.low[k] = l.high[k] = l.trial[k];
  return false;
}

// Narrow low..high of each line where low < high to a cut: the change of sign of x . e, or the largest jump of it. Each step follows the
// wells on both sides to a place between. Where they differ and one of them is the minimum their depths are equal at the cut, by Newton's
// method with d(F_below - F_above)/d(along) = 2 (x_above - x_below) . e / V; else by bisection, towards the sign or to the half where x . e
// rises more. lines.jumps tells where x jumps at the cut.
void cut(const Node &node, bool by_sign) {
  const Lines &l = node.lines;
  const int64_t n = node.n_lines();
  bool any = false;
  for (int64_t k = 0; k < n; ++k) {
    if (by_sign) l.jumps[k] = 0;
    l.trial[k] = 0.5 * (l.low[k] + l.high[k]);
    any |= l.low[k] < l.high[k];
  }
  for (int step = 0; any && step < kMostCuts; ++step) {
    follow_wells(node);
    any = false;
    for (int64_t k = 0; k < n; ++k)
      if (l.low[k] < l.high[k]) any |= narrow(node, k, by_sign);
  }
  for (int64_t k = 0; k < n; ++k) l.low[k] = l.high[k] = 0.5 * (l.low[k] + l.high[k]);
}

// The places of lines without a jump that have neighbours `ahead` points before them, and their neighbours' minimisers as starts.
int64_t choose_places(const Node &node, int64_t stride, int64_t ahead) {
  const Lines &l = node.lines;
  const Points &p = node.points;
  const int64_t per_line = 2 * node.rules->level.along;
  int64_t count = 0;
  for (int64_t k = 0; k < node.n_lines(); ++k) {
    if (l.jumps[k] != 0 || l.largest[k] > 0) continue;
    for (int64_t r = 0; r + stride < per_line; r += stride) {
      const int64_t at = k * per_line + r, to = ahead > 0 ? at + stride : at, from = to - ahead;
      if (!(p.weight[at] + p.weight[at + stride] > kSeen)) continue;
      p.chosen_w.set(count, p.batch.w[to]);
      p.batch.x.set(count, p.best[from]);
      p.chosen[count++] = to;
    }
  }
  return count;
}

// Where a minimiser that was followed differs from the one that is there: the largest difference of each line, and the piece it is on.
void note_jumps(const Node &node, int64_t count, int64_t ahead) {
  const Lines &l = node.lines;
  const Points &p = node.points;
  const Axes &axes = node.field.axes;
  for (int64_t c = 0; c < count; ++c) {
    const int64_t to = p.chosen[c], from = to - ahead, k = to / (2 * node.rules->level.along);
    const Vector followed = p.batch.x[c], found = p.best[to];
    const double jump = std::fabs(axes.along({followed.first - found.first, followed.second - found.second}));
    if (!(jump > std::max(kLeastJump * node.field.s, l.largest[k]))) continue;
    const int64_t below = std::min(from, to), above = std::max(from, to);
    l.largest[k] = jump;
    l.low[k] = axes.along(p.batch.w[below]);
    l.high[k] = axes.along(p.batch.w[above]);
    l.below.set(k, p.best[below]);
    l.above.set(k, p.best[above]);
  }
}

}  // namespace

void find_well(Node &node) {
  constexpr int kWells = 6;
  // Along and across e: where wells of weak and strong fields are.
  const double starts[kWells][2] = {{0, 0}, {0.3, 0}, {0.8, 0}, {2, 0}, {0.5, 0.7}, {0.5, -0.7}};
  const Field &field = node.field;
  double w[kWells] = {}, t1[kWells], t2[kWells], x1[kWells], x2[kWells], value[kWells];
  for (int k = 0; k < kWells; ++k) {
    t1[k] = field.target.first;
    t2[k] = field.target.second;
    const Vector start = field.axes.at(starts[k][0], starts[k][1]);
    x1[k] = start.first;
    x2[k] = start.second;
  }
  node.kernels->descend({field.inverse_v, field.rho, kWells, w, w, t1, t2, x1, x2, value});
  int best = 0;
  for (int k = 1; k < kWells; ++k)
    if (value[k] < value[best]) best = k;
  const double sign = field.axes.along({x1[best], x2[best]}) < 0 ? -1 : 1;
  node.well = {sign * x1[best], sign * x2[best]};
}

void cut_by_sign(const Node &node) {
  const Lines &l = node.lines;
  const Field &field = node.field;
  const Axes &axes = field.axes;
  for (int64_t k = 0; k < node.n_lines(); ++k) {
    l.center[k] = axes.along(field.mean);
    l.across[k] = axes.across(field.mean) + field.s * node.rules->lines.nodes[k];
    l.low[k] = l.center[k] - kRange * field.s;
    l.high[k] = l.center[k] + kRange * field.s;
  }
  find_ends(node);
  for (int64_t k = 0; k < node.n_lines(); ++k) {
    l.below.set(k, l.at_low[k]);
    l.above.set(k, l.at_high[k]);
    if (axes.along(l.at_low[k]) >= 0)
      l.high[k] = l.low[k];
    else if (axes.along(l.at_high[k]) <= 0)
      l.low[k] = l.high[k];
  }
  cut(node, true);
}

bool cut_elsewhere(const Node &node) {
  const Lines &l = node.lines;
  const int64_t n = node.n_lines(), stride = std::max<int64_t>(1, 2 * node.rules->level.along / kPlaces);
  for (int64_t k = 0; k < n; ++k) {
    l.zero[k] = l.high[k] = l.low[k];
    l.largest[k] = 0;
  }
  for (const int64_t ahead : {stride, -stride}) {
    const int64_t count = choose_places(node, stride, ahead);
    if (count == 0) return false;
    node.descend(count, node.points.chosen_w, node.points.batch);
    note_jumps(node, count, ahead);
  }
  cut(node, false);
  bool any = false;
  for (int64_t k = 0; k < n; ++k) {
    if (l.largest[k] > 0 && l.jumps[k] != 0) any = true;
    if (l.jumps[k] == 0) l.low[k] = l.high[k] = l.zero[k];
  }
  return any;
}

}  // namespace atp::dotattn
