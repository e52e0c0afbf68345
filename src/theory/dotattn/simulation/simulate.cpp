// SPDX-License-Identifier: MIT
// A task is one run at one alpha; it writes to places of its own, so that the numbers do not depend on the number of threads. The team
// works in slices: each thread goes on with its run, or begins the next, for a number of steps; in between the calling thread reports.
// Ranks are dealt tasks as they have threads for them, as runs take different times; the results are joined at the end.
#include "theory/dotattn/simulation/simulate.hpp"

#include "base/team.hpp"
#include "math/mean_error.hpp"
#include "theory/dotattn/repetitions.hpp"
#include "theory/dotattn/simulation/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace atp::dotattn {

namespace {

constexpr int64_t kSlice = 25;  // steps of a run with the most samples between reports

// What a rank tells the others between two rounds.
struct Share {
  int64_t done, ended, wanted;  // steps and runs so far; tasks that it can begin
};

struct RunMemory {
  RunMemory(const Context &context, const Simulation &given)
      : simulation(given), ranks(context.ranks), target(context.target), threads(context.threads) {}
  void lay_out(Arena &arena) {
    places = arena.take<Run>(threads);
    results = arena.take<RunResult>(simulation.n_alphas, simulation.runs);
    shares = arena.take<Share>(ranks.size());
    words = arena.take<int64_t>(ranks.several() ? tasks() : 0, kWords);
    codes = arena.take<double>(simulation.task.code_columns, simulation.task.d);
    const int64_t most = most_samples(simulation);
    for (int64_t k = 0; k < threads; ++k) {
      Run run(simulation, target, most);
      run.lay_out(arena);
      if (!arena.measuring()) new (&places[k]) Run(run);
    }
  }
  // All ranks get the results that each of them has: the words of a result are 0 on the others. Collective.
  void join(Ranks &all) const {
    if (!all.several()) return;
    std::memcpy(words.data(), results.data(), static_cast<std::size_t>(words.size()) * sizeof(int64_t));
    for (int64_t task = 0; task < tasks(); ++task)
      if (!results[task].ended()) std::fill_n(words.data() + task * kWords, kWords, 0);
    all.sum(words.data(), words.size());
    std::memcpy(static_cast<void *>(results.data()), words.data(), static_cast<std::size_t>(words.size()) * sizeof(int64_t));
  }
  int64_t tasks() const { return simulation.n_alphas * simulation.runs; }
  Span<const RunResult> of_alpha(int64_t k) const { return results.sub(k * simulation.runs, simulation.runs); }

  static constexpr int64_t kWords = sizeof(RunResult) / sizeof(int64_t);
  static_assert(kWords * sizeof(int64_t) == sizeof(RunResult) && std::is_trivially_copyable_v<RunResult>);

  const Simulation &simulation;
  const Ranks &ranks;
  Target target;
  int64_t threads;
  Span<Run> places;
  Span<RunResult> results;  // [n_alphas][runs]
  Span<Share> shares;       // of the ranks
  Span<int64_t> words;      // [tasks][kWords]; with several ranks
  Span<double> codes;       // [code_columns][d]
};

// The runs of a call, dealt out to the ranks and their threads.
class Runs {
 public:
  Runs(const Simulation &simulation, RunMemory &memory) : simulation_(simulation), memory_(memory), most_(most_samples(simulation)) {
    for (RunResult &result : memory.results) result = RunResult{};
  }
  int64_t total() const { return product_of(simulation_.n_alphas, simulation_.runs, simulation_.most_steps()); }
  // Of all ranks, at the last meet().
  int64_t done() const { return all_done_; }
  bool over() const { return all_ended_ == memory_.tasks(); }
  // Before the first round and after each: the ranks are dealt the tasks that they want, in order. Collective.
  void meet(Ranks &ranks) {
    memory_.shares[ranks.rank()] = {done_, ended_, wanted(ranks)};
    ranks.gather(memory_.shares.data(), ranks.size(), sizeof(Share));
    all_done_ = all_ended_ = 0;
    for (int64_t r = 0; r < ranks.size(); ++r) {
      const Share &share = memory_.shares[r];
      const int64_t count = std::min(share.wanted, memory_.tasks() - dealt_);
      all_done_ += share.done;
      all_ended_ += share.ended;
      if (r == ranks.rank() && count > 0) {
        next_ = dealt_;
        end_ = dealt_ + count;
      }
      dealt_ += count;
    }
    short_ = 0;
  }
  double gradient(const Run &run) const { return run.task < 0 ? std::nan("") : memory_.results[run.task].gradient; }

  // A slice of work of a thread: its run for so many steps that slices of all alphas cost about the same, or the next run from
  // its samples to its first gradient; more slices until the round is over.
  void work(Run &run, const Round &round) {
    bool fresh = false;
    do {
      if (run.task < 0) {
        if (!begin(run)) return;
        fresh = true;
      }
      const int64_t before = run.step(), steps = kSlice * most_ / samples(run.task);
      RunResult &result = memory_.results[run.task];
      if (!run.descend(steps, result)) {
        done_.fetch_add(run.step() - before, std::memory_order_relaxed);
        continue;
      }
      run.finish(memory_.codes, result);
      done_.fetch_add(simulation_.most_steps() - before, std::memory_order_relaxed);  // those that were not needed, too
      ended_.fetch_add(1, std::memory_order_relaxed);
      if (fresh) short_.fetch_add(1, std::memory_order_relaxed);
      run.task = -1;
    } while (!round.over());
  }
  // What has not ended was cancelled.
  void cancel() {
    for (RunResult &result : memory_.results)
      if (!result.ended()) result.outcome = ATP_OUTCOME_CANCELLED;
  }

 private:
  // Tasks for the next round of this rank: one for each thread without a run, and, where runs are shorter than a round, twice as many as in
  // the last one. A rank alone takes all.
  int64_t wanted(const Ranks &ranks) const {
    if (!ranks.several()) return memory_.tasks();
    if (next_ < end_) return 0;
    int64_t idle = 0;
    for (const Run &run : memory_.places) idle += run.task < 0;
    return idle + 2 * short_;
  }
  int64_t samples(int64_t task) const { return samples_of(simulation_.alphas[task / simulation_.runs], simulation_.task.d); }
  bool begin(Run &run) {
    const int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
    if (task >= end_) return false;
    run.begin(task % simulation_.runs, samples(task), memory_.codes);
    run.task = task;
    return true;
  }

  const Simulation &simulation_;
  RunMemory &memory_;
  int64_t most_;
  int64_t all_done_ = 0, all_ended_ = 0, dealt_ = 0;
  int64_t end_ = 0;                                               // behind the tasks that this rank was dealt
  std::atomic<int64_t> next_{0}, done_{0}, ended_{0}, short_{0};  // of this rank; short_: begun and ended in this round
};

// What flips changed, from pairs of minima on the same data.
void set_excess(Span<const RunResult> results, SimRow &row) {
  const auto set = [&](double RunResult::*after, double RunResult::Numbers::*before, double &mean, double &error) {
    set_mean(
        results, [&](const RunResult &r) { return r.before.*before - r.*after; }, mean, error);
  };
  set(&RunResult::eg, &RunResult::Numbers::eg, row.eg_excess, row.eg_excess_sem);
  set(&RunResult::et, &RunResult::Numbers::et, row.et_excess, row.et_excess_sem);
  set(&RunResult::q, &RunResult::Numbers::q, row.q_excess, row.q_excess_sem);
  set(&RunResult::m, &RunResult::Numbers::m, row.m_excess, row.m_excess_sem);
  set(&RunResult::v, &RunResult::Numbers::v, row.v_excess, row.v_excess_sem);
  double error = 0;
  set_mean(
      results, [](const RunResult &r) { return static_cast<double>(r.flips); }, row.flips, error);
  set_mean(
      results, [](const RunResult &r) { return static_cast<double>(r.trials); }, row.trials, error);
}

SimRow row_of(const Simulation &simulation, Span<const RunResult> results, int64_t samples) {
  const int64_t d = simulation.task.d;
  SimRow row;
  row.samples = static_cast<double>(samples);
  row.alpha = row.samples / static_cast<double>(d);
  const atp_outcome outcome = worst_of(results);
  row.outcome = outcome;
  row.runs = outcome == ATP_OUTCOME_CANCELLED ? 0 : static_cast<double>(results.size());
  if (outcome == ATP_OUTCOME_CANCELLED || outcome == ATP_OUTCOME_DIVERGED) {
    blank(row, ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_STEPS);
    blank(row, ATP_DOTATTN_SIM_V, ATP_DOTATTN_SIM_V_EXCESS_SEM);
    return row;
  }
  const auto set = [&](auto &&number, double &mean, double &error) { set_mean(results, number, mean, error); };
  set(&RunResult::eg, row.eg, row.eg_sem);
  set(&RunResult::et, row.et, row.et_sem);
  set(&RunResult::q, row.q, row.q_sem);
  set(&RunResult::m, row.m, row.m_sem);
  set(&RunResult::theta, row.theta, row.theta_sem);
  set(&RunResult::q_least, row.q_least, row.q_least_sem);
  double error = 0;
  set([](const RunResult &r) { return r.semantic ? 1.0 : 0.0; }, row.semantic, error);
  set([](const RunResult &r) { return static_cast<double>(r.steps); }, row.steps, error);
  for (const RunResult &result : results) row.gradient = std::max(row.gradient, result.gradient);
  blank(row, ATP_DOTATTN_SIM_V, ATP_DOTATTN_SIM_V_EXCESS_SEM);
  if (simulation.probes > 0) set(&RunResult::v, row.v, row.v_sem);
  if (simulation.flips > 0) set_excess(results, row);
  return row;
}

}  // namespace

std::size_t simulation_bytes(const Context &context, const Simulation &simulation) {
  return bytes_laid_out(RunMemory(context, simulation));
}

atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows) {
  const Scratch scratch(context.allocator, simulation_bytes(context, simulation));
  Arena arena = scratch.arena();
  RunMemory memory(context, simulation);
  memory.lay_out(arena);
  const int64_t d = simulation.task.d;
  for (int64_t k = 0; k < simulation.task.code_columns; ++k) code_vector(d, k, memory.codes.sub(k * d, d));

  Runs work(simulation, memory);
  work.meet(context.ranks);
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
  memory.join(context.ranks);
  work.cancel();
  report(std::nan(""));

  return write_rows(simulation.n_alphas, rows,
                    [&](int64_t k) { return row_of(simulation, memory.of_alpha(k), samples_of(simulation.alphas[k], d)); });
}

}  // namespace atp::dotattn
