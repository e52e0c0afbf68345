// SPDX-License-Identifier: MIT
// A task is one run at one alpha; it writes to places of its own, so that the numbers do not depend on the number of threads. The team
// works in slices: each thread goes on with its run, or begins the next, for a number of steps; in between the calling thread reports.
// Ranks take the tasks in turn, as neighbours cost about the same, and gather the results of all at the end.
#include "dotattn/simulate.hpp"

#include "base/team.hpp"
#include "dotattn/round.hpp"
#include "dotattn/run.hpp"
#include "dotattn/spread.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

namespace {

constexpr int64_t kSlice = 25;  // steps of a run with the most samples between reports

struct RunMemory {
  RunMemory(const Context &context, const Simulation &given)
      : simulation(given), ranks(context.ranks), target(context.target), threads(context.threads) {}
  void lay_out(Arena &arena) {
    places = arena.take<Run>(threads);
    results = arena.take<RunResult>(simulation.n_alphas, simulation.runs);
    of_row = arena.take<RunResult>(simulation.runs);
    codes = arena.take<double>(simulation.task.code_columns, simulation.task.d);
    const int64_t most = most_samples(simulation);
    for (int64_t k = 0; k < threads; ++k) {
      Run run(simulation, target, most);
      run.lay_out(arena);
      if (!arena.measuring()) new (&places[k]) Run(run);
    }
  }
  int64_t tasks() const { return simulation.n_alphas * simulation.runs; }
  RunResult &result(int64_t task) const { return results[ranks.first(task % ranks.size(), tasks()) + task / ranks.size()]; }
  // Valid until the next call.
  Span<const RunResult> of_alpha(int64_t k) const {
    for (int64_t run = 0; run < simulation.runs; ++run) of_row[run] = result(k * simulation.runs + run);
    return of_row;
  }

  const Simulation &simulation;
  const Ranks &ranks;
  Target target;
  int64_t threads;
  Span<Run> places;
  Span<RunResult> results;  // of all tasks; those of a rank lie one after the other
  Span<RunResult> of_row;   // [runs]
  Span<double> codes;       // [code_columns][d]
};

// The runs of a call, dealt out to the ranks and their threads.
class Runs {
 public:
  Runs(const Simulation &simulation, RunMemory &memory) : simulation_(simulation), memory_(memory), most_(most_samples(simulation)) {
    for (RunResult &result : memory.results) result = RunResult{};
  }
  int64_t total() const { return product_of(simulation_.n_alphas, simulation_.runs, simulation_.steps); }
  // Of all ranks, at the last meet().
  int64_t done() const { return all_done_; }
  bool over() const { return all_ended_ == memory_.tasks(); }
  void meet(Ranks &ranks) {
    int64_t sums[] = {done_.load(std::memory_order_relaxed), ended_.load(std::memory_order_relaxed)};
    ranks.sum(sums, 2);
    all_done_ = sums[0];
    all_ended_ = sums[1];
  }
  double gradient(const Run &run) const { return run.task < 0 ? std::nan("") : memory_.result(run.task).gradient; }

  // A slice of work of a thread: its run for so many steps that slices of all alphas cost about the same, or the next run from
  // its samples to its first gradient; more slices until the round is over.
  void work(Run &run, const Round &round) {
    do {
      if (run.task < 0 && !begin(run)) return;
      const int64_t before = run.step(), steps = kSlice * most_ / samples(run.task);
      RunResult &result = memory_.result(run.task);
      if (!run.descend(steps, result)) {
        done_.fetch_add(run.step() - before, std::memory_order_relaxed);
        continue;
      }
      run.finish(memory_.codes, result);
      done_.fetch_add(simulation_.steps - before, std::memory_order_relaxed);  // those that were not needed, too
      ended_.fetch_add(1, std::memory_order_relaxed);
      run.task = -1;
    } while (!round.over());
  }
  // What has not ended was cancelled.
  void cancel() {
    for (RunResult &result : memory_.results)
      if (result.steps < 0) result.outcome = ATP_OUTCOME_CANCELLED;
  }

 private:
  int64_t samples(int64_t task) const { return samples_of(simulation_.alphas[task / simulation_.runs], simulation_.task.d); }
  bool begin(Run &run) {
    const Ranks &ranks = memory_.ranks;
    const int64_t task = next_.fetch_add(1, std::memory_order_relaxed) * ranks.size() + ranks.rank();
    if (task >= memory_.tasks()) return false;
    run.begin(task % simulation_.runs, samples(task), memory_.codes);
    run.task = task;
    return true;
  }

  const Simulation &simulation_;
  RunMemory &memory_;
  int64_t most_;
  int64_t all_done_ = 0, all_ended_ = 0;
  std::atomic<int64_t> next_{0}, done_{0}, ended_{0};  // of this rank
};

SimRow row_of(Span<const RunResult> results, int64_t samples, int64_t d) {
  SimRow row;
  row.samples = static_cast<double>(samples);
  row.alpha = row.samples / static_cast<double>(d);
  const atp_outcome outcome = worst_of(results);
  row.outcome = outcome;
  row.runs = outcome == ATP_OUTCOME_CANCELLED ? 0 : static_cast<double>(results.size());
  if (outcome == ATP_OUTCOME_CANCELLED || outcome == ATP_OUTCOME_DIVERGED) {
    blank(row, ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_STEPS);
    return row;
  }
  const auto set = [&](auto &&number, double &mean, double &error) { mean_and_error(results, number, mean, error); };
  set([](const RunResult &r) { return r.eg; }, row.eg, row.eg_sem);
  set([](const RunResult &r) { return r.et; }, row.et, row.et_sem);
  set([](const RunResult &r) { return r.q; }, row.q, row.q_sem);
  set([](const RunResult &r) { return r.m; }, row.m, row.m_sem);
  set([](const RunResult &r) { return r.theta; }, row.theta, row.theta_sem);
  set([](const RunResult &r) { return r.q_least; }, row.q_least, row.q_least_sem);
  double error = 0;
  set([](const RunResult &r) { return r.semantic ? 1.0 : 0.0; }, row.semantic, error);
  set([](const RunResult &r) { return static_cast<double>(r.steps); }, row.steps, error);
  for (const RunResult &result : results) row.gradient = std::max(row.gradient, result.gradient);
  return row;
}

}  // namespace

std::size_t simulation_bytes(const Context &context, const Simulation &simulation) {
  RunMemory memory(context, simulation);
  Arena measure;
  memory.lay_out(measure);
  return measure.bytes();
}

atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows, int64_t columns) {
  const Scratch scratch(context.allocator, simulation_bytes(context, simulation));
  Arena arena = scratch.arena();
  RunMemory memory(context, simulation);
  memory.lay_out(arena);
  const int64_t d = simulation.task.d;
  for (int64_t k = 0; k < simulation.task.code_columns; ++k) code_vector(d, k, memory.codes.sub(k * d, d));

  Runs work(simulation, memory);
  const auto report = [&](double gradient) {
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(work.done()));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(work.total()));
    if (!std::isnan(gradient)) progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient);
    return reporter.report(progress);
  };
  while (!work.over() && !reporter.stopped()) {
    const Round round(reporter);
    parallel_for(context.threads, memory.threads, [&](int64_t thread, int) { work.work(memory.places[thread], round); });
    work.meet(context.ranks);
    if (work.over()) break;
    double gradient = work.gradient(memory.places[0]);
    context.ranks.broadcast(&gradient, sizeof gradient);
    report(gradient);
  }
  context.ranks.gather(memory.results.data(), memory.tasks(), sizeof(RunResult));
  work.cancel();
  report(std::nan(""));

  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) {
    const SimRow row = row_of(memory.of_alpha(k), samples_of(simulation.alphas[k], d), d);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    join_outcome(outcome, row.outcome);
  }
  return outcome;
}

}  // namespace atp::dotattn
