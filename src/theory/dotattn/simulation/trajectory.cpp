// SPDX-License-Identifier: MIT
// A repetition is one run; a slice is some steps of it. It writes to rows of its own.
#include "theory/dotattn/simulation/simulate.hpp"

#include "theory/dotattn/repetitions.hpp"
#include "theory/dotattn/simulation/dice.hpp"
#include "theory/dotattn/simulation/run.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr int64_t kSlice = 25, kOnlineSlice = 500;  // steps between reports
constexpr double kMostSteps = 0x1p40;               // fresh samples of a run; those of tests have the numbers from there on

int64_t samples_per_step(const Trajectory &trajectory) {
  return trajectory.alpha > 0 ? samples_of(trajectory.alpha, trajectory.descent.task.d) : 1;
}

int64_t steps_at(const Trajectory &trajectory, double time) {
  const double steps =
      std::round(time * static_cast<double>(trajectory.descent.task.d) / static_cast<double>(samples_per_step(trajectory)));
  if (steps >= kMostSteps) fail(ATP_E_TOO_LARGE, "time %g is %g steps, more than can be made", time, steps);
  return static_cast<int64_t>(steps);
}

// A run that never ends by itself; a fresh sample has its share of the penalty of d samples.
Simulation descent_of(const Trajectory &trajectory) {
  Simulation descent = trajectory.descent;
  descent.optimizer = ATP_OPTIMIZER_SGD;
  descent.steps = INT64_MAX;
  descent.tolerance = -1;
  if (trajectory.alpha == 0) descent.task.lambda /= static_cast<double>(descent.task.d);
  return descent;
}

struct DescentPlace {
  Run run;
  LimitDescent limit;    // takes the place of the run in the limit of many dimensions
  int64_t number, time;  // of the run, -1: none; of the next row
};

struct DescentMemory {
  DescentMemory(const Context &context, const Trajectory &given)
      : trajectory(given), descent(descent_of(given)), target(context.target), threads(context.threads) {}
  void lay_out(Arena &arena) {
    places = arena.take<DescentPlace>(threads);
    rows = arena.take<TrajectoryRow>(descent.runs, trajectory.n_times);
    codes = arena.take<double>(descent.task.code_columns, descent.task.d);
    for (int64_t k = 0; k < threads; ++k) {
      const int64_t samples = samples_per_step(trajectory);
      DescentPlace place{Run(descent, target, samples), LimitDescent(descent, samples, trajectory.hold_theta), -1, 0};
      if (trajectory.limit)
        place.limit.lay_out(arena);
      else
        place.run.lay_out(arena);
      if (!arena.measuring()) new (&places[k]) DescentPlace(place);
    }
  }

  const Trajectory &trajectory;
  Simulation descent;
  Target target;
  int64_t threads;
  Span<DescentPlace> places;
  Span<TrajectoryRow> rows;  // [runs][n_times]
  Span<double> codes;        // [code_columns][d]
};

// The rows of a run.
class Descents {
 public:
  explicit Descents(DescentMemory &memory) : memory_(memory), given_(memory.trajectory), samples_(samples_per_step(given_)) {
    for (int64_t k = 0; k < memory.rows.size(); ++k) {
      TrajectoryRow &row = memory.rows[k];
      row = TrajectoryRow{};
      const int64_t run = k / given_.n_times;
      row.run = static_cast<double>(run);
      row.time = given_.times[k % given_.n_times];
      settle(row, ATP_OUTCOME_CANCELLED);
    }
  }
  int64_t steps() const { return steps_at(given_, given_.times[given_.n_times - 1]); }  // of a run
  void begin(DescentPlace &place) const {
    place.time = 0;
    if (given_.limit)
      place.limit.begin(place.number);
    else if (given_.alpha > 0)
      place.run.begin(place.number, samples_, memory_.codes);
    else
      place.run.begin_online(place.number, memory_.codes);
  }
  Slice go_on(DescentPlace &place) const {
    const int64_t before = step(place);
    const bool ended = advance(place, given_.alpha > 0 ? kSlice : kOnlineSlice);
    return {(ended ? steps() : step(place)) - before, ended};
  }

 private:
  static void settle(TrajectoryRow &row, atp_outcome outcome) {
    row.outcome = outcome;
    blank(row, ATP_DOTATTN_TRAJECTORY_Q, ATP_DOTATTN_TRAJECTORY_GRADIENT);
    row.v = std::nan("");
  }
  TrajectoryRow &row(const DescentPlace &place) const { return memory_.rows[place.number * given_.n_times + place.time]; }

  int64_t step(const DescentPlace &place) const { return given_.limit ? place.limit.step() : place.run.step(); }

  // So many steps, with the rows on the way; true where the run has ended.
  bool advance(DescentPlace &place, int64_t steps) const {
    while (place.time < given_.n_times) {
      const int64_t missing = steps_at(given_, given_.times[place.time]) - step(place), now = std::min(missing, steps);
      RunResult result;
      const bool ended = given_.limit ? place.limit.descend(now, result) : place.run.descend(now, result);
      steps -= now;
      if (!ended && now < missing) return false;
      if (!ended) finish(place, result);
      if (result.outcome != ATP_OUTCOME_NONE) {
        for (; place.time < given_.n_times; ++place.time) settle(row(place), result.outcome);
        return true;
      }
      write(step(place), result, row(place));
      ++place.time;
    }
    return true;
  }
  void finish(DescentPlace &place, RunResult &result) const {
    if (given_.limit)
      place.limit.finish(result);
    else
      place.run.finish(memory_.codes, result);
  }
  void write(int64_t step, const RunResult &result, TrajectoryRow &row) const {
    row.steps = static_cast<double>(step);
    row.time = row.steps * static_cast<double>(samples_) / static_cast<double>(memory_.descent.task.d);
    row.q = result.q;
    row.m = result.m;
    row.theta = result.theta;
    row.eg = result.eg;
    row.et = given_.alpha > 0 ? result.et : std::nan("");
    row.semantic = result.semantic ? 1 : 0;
    row.gradient = result.gradient;
    row.outcome = ATP_OUTCOME_CONVERGED;
    row.v = given_.limit ? result.v : std::nan("");
  }

  DescentMemory &memory_;
  const Trajectory &given_;
  int64_t samples_;  // of a step
};

}  // namespace

std::size_t trajectory_bytes(const Context &context, const Trajectory &trajectory) {
  DescentMemory memory(context, trajectory);
  steps_at(trajectory, trajectory.times[trajectory.n_times - 1]);
  return bytes_laid_out(memory);
}

atp_outcome follow_descents(Context &context, const Trajectory &trajectory, Reporter &reporter, double *rows) {
  const Scratch scratch(context.allocator, trajectory_bytes(context, trajectory));
  Arena arena = scratch.arena();
  DescentMemory memory(context, trajectory);
  memory.lay_out(arena);
  const int64_t d = memory.descent.task.d;
  for (int64_t k = 0; k < memory.descent.task.code_columns; ++k) code_vector(d, k, memory.codes.sub(k * d, d));
  const Descents descents(memory);
  repeat(
      context, {memory.descent.runs, descents.steps()}, memory.places, reporter, [&](DescentPlace &place) { descents.begin(place); },
      [&](DescentPlace &place) { return descents.go_on(place); });
  context.ranks.gather(memory.rows.data(), memory.descent.runs, trajectory.n_times * static_cast<int64_t>(sizeof(TrajectoryRow)));
  return write_rows(memory.rows.size(), rows, [&](int64_t k) { return memory.rows[k]; });
}

}  // namespace atp::dotattn
