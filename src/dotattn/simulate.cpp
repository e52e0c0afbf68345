// SPDX-License-Identifier: MIT
// A task is one run at one alpha; it writes to places of its own, so that the numbers do not depend on the number of threads. The team
// works in slices: each thread goes on with its run, or begins the next, for a number of steps; in between the calling thread reports.
#include "dotattn/simulate.hpp"

#include "base/team.hpp"
#include "optim/lbfgs.hpp"
#include "optim/stochastic.hpp"
#include "optim/vector.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

namespace {

constexpr uint64_t kFresh = uint64_t{1} << 40;  // numbers of fresh samples start here
constexpr int64_t kSlice = 25;                  // steps of a run with the most samples between reports
constexpr int64_t kHistory = 10;                // pairs of L-BFGS
constexpr double kResolution = 1e-7;            // of R: sums in double of losses from projections in single precision

int64_t samples_of(double alpha, int64_t d) {
  const double samples = std::fmax(1.0, std::round(alpha * static_cast<double>(d)));
  if (samples > 0x1p31)
    fail(ATP_E_TOO_LARGE, "alpha %g of %lld dimensions is %g samples, more than can be drawn", alpha, static_cast<long long>(d), samples);
  return static_cast<int64_t>(samples);
}

int64_t most_samples(const Simulation &simulation) {
  int64_t most = 1;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) most = std::max(most, samples_of(simulation.alphas[k], simulation.task.d));
  return most;
}

struct Result {
  double eg = 0, et = 0, q = 0, m = 0, theta = 0, q_least = 0, gradient = 0;
  int64_t steps = -1;  // -1: the run has not ended
  atp_outcome outcome = ATP_OUTCOME_NONE;
  bool semantic = false;
};

// What one thread works in, and how far its run is.
struct Desk {
  Desk(const Simulation &simulation, Target target, int64_t most)
      : unknowns(simulation.task.rank * simulation.task.d),
        optimizer(simulation.optimizer),
        risk(simulation.task, most, target),
        adam(unknowns),
        lbfgs(unknowns, kHistory, 0, kResolution) {}
  void lay_out(Arena &arena) {
    risk.lay_out(arena);
    teacher = arena.take<double>(unknowns);
    q = arena.take<double>(unknowns);
    gradient = arena.take<double>(unknowns);
    if (optimizer == ATP_OPTIMIZER_ADAM) adam.lay_out(arena);
    if (optimizer == ATP_OPTIMIZER_LBFGS) lbfgs.lay_out(arena);
  }
  int64_t unknowns;
  atp_optimizer optimizer;
  Risk risk;
  Adam adam;
  Lbfgs lbfgs;
  Span<double> teacher, q, gradient;
  int64_t task = -1, step = 0;  // -1: no run
  double value = 0;
};

struct Room {
  Room(const Context &context, const Simulation &given) : simulation(given), target(context.target), threads(context.threads) {}
  void lay_out(Arena &arena) {
    desks = arena.take<Desk>(threads);
    results = arena.take<Result>(simulation.n_alphas, simulation.runs);
    codes = arena.take<double>(simulation.task.code_columns, simulation.task.d);
    const int64_t most = most_samples(simulation);
    for (int64_t k = 0; k < threads; ++k) {
      Desk desk(simulation, target, most);
      desk.lay_out(arena);
      if (!arena.measuring()) new (&desks[k]) Desk(desk);
    }
  }
  const Simulation &simulation;
  Target target;
  int64_t threads;
  Span<Desk> desks;
  Span<Result> results;
  Span<double> codes;  // [code_columns][d]
};

void set_start(const Simulation &simulation, int64_t run, Span<const double> codes, const Desk &desk) {
  const int64_t d = simulation.task.d;
  draw_normals(simulation.seed, run, 1, desk.q);
  for (int64_t k = 0; k < simulation.task.rank; ++k) {
    const Span<double> mine = desk.q.sub(k * d, d);
    switch (simulation.start) {
      case ATP_DOTATTN_START_SEMANTIC:
        if (k == 0) copy(desk.teacher.sub(0, d), mine);
        break;
      case ATP_DOTATTN_START_POSITIONAL:
        if (k < simulation.task.code_columns) copy(codes.sub(k * d, d), mine);
        break;
      case ATP_DOTATTN_START_MIXED: copy(k == 0 ? desk.teacher.sub(0, d) : codes.sub(0, d), mine); break;
      default: break;
    }
  }
}

// Goes on with the descent for at most `steps` steps; false while it has not ended. The gradient at the end is in desk.gradient, R in
// desk.value.
bool descend(const Simulation &simulation, Desk &desk, int64_t steps, Result &result) {
  const double root = std::sqrt(static_cast<double>(simulation.task.d));
  const bool newton = simulation.optimizer == ATP_OPTIMIZER_LBFGS, adaptive = simulation.optimizer == ATP_OPTIMIZER_ADAM;
  const double rate = simulation.rate > 0 ? simulation.rate : adaptive ? 0.02 : 0.15;
  const auto risk = [&](Span<const double> q, Span<double> gradient) { return desk.risk.evaluate(q, gradient); };
  for (;; ++desk.step, --steps) {
    result.gradient = norm(desk.gradient) / root;
    if (!std::isfinite(desk.value) || !std::isfinite(result.gradient))
      result.outcome = ATP_OUTCOME_DIVERGED;
    else if (result.gradient <= simulation.tolerance)
      result.outcome = ATP_OUTCOME_CONVERGED;
    else if (desk.step == simulation.steps)
      result.outcome = ATP_OUTCOME_MAX_ITER;
    if (result.outcome != ATP_OUTCOME_NONE) return true;
    if (steps == 0) return false;
    if (newton) {
      bool moved = false;
      const Descent descent = desk.lbfgs.iterate(desk.q, risk, &moved);
      copy(desk.lbfgs.gradient(), desk.gradient);
      desk.value = desk.lbfgs.value();
      if (!moved) result.outcome = descent == Descent::diverged ? ATP_OUTCOME_DIVERGED : ATP_OUTCOME_STALLED;
      if (!moved) return true;
      continue;
    }
    if (adaptive)
      desk.adam.step(desk.q, desk.gradient, cosine_rate(rate, desk.step, simulation.steps));
    else
      add_scaled(-rate, desk.gradient, desk.q);
    desk.value = desk.risk.evaluate(desk.q, desk.gradient);
  }
}

// The mean of |Y - Y^|^2 / 2d over fresh samples.
double fresh_loss(const Simulation &simulation, int64_t run, Span<const double> codes, const Desk &desk) {
  const Task &task = simulation.task;
  const double root = std::sqrt(static_cast<double>(task.d));
  Source source(task, simulation.seed, run);
  double numbers[sample_numbers(kMostTokens)], chi[kMostTokens * kMostRank], sum = 0;
  for (int64_t sample = 0; sample < simulation.fresh; ++sample) {
    source.draw(kFresh + static_cast<uint64_t>(sample), codes, desk.teacher.sub(0, task.d), desk.risk.work(), numbers);
    for (int64_t l = 0; l < task.tokens; ++l)
      for (int64_t k = 0; k < task.rank; ++k) chi[l * task.rank + k] = dot(source.x(l), desk.q.sub(k * task.d, task.d)) / root;
    sum += sample_loss(task.tokens, task.rank, numbers, chi, nullptr);
  }
  return sum / (2 * static_cast<double>(task.d) * static_cast<double>(simulation.fresh));
}

// Overlaps of what was found.
void measure(const Simulation &simulation, Span<const double> codes, const Desk &desk, Result &result) {
  const Task &task = simulation.task;
  const int64_t d = task.d;
  const double dimension = static_cast<double>(d), variance = task.sigma * task.sigma;
  const Span<const double> teacher = desk.teacher.sub(0, d);
  double q[kMostRank][kMostRank] = {}, m = 0, theta = 0, m_square = 0, theta_square = 0;
  for (int64_t a = 0; a < task.rank; ++a) {
    const Span<const double> mine = desk.q.sub(a * d, d);
    for (int64_t b = 0; b <= a; ++b) q[a][b] = variance * dot(mine, desk.q.sub(b * d, d)) / dimension;
    theta = variance * dot(mine, teacher) / dimension;
    theta_square += theta * theta;
    for (int64_t k = 0; k < task.code_columns; ++k) {
      m = dot(mine, codes.sub(k * d, d)) / dimension;
      m_square += m * m;
    }
  }
  result.q = q[0][0] + q[1][1];
  const double half = (q[0][0] - q[1][1]) / 2;
  result.q_least = task.rank == 1 ? result.q : result.q / 2 - std::sqrt(half * half + q[1][0] * q[1][0]);
  // Squares of the cosines, both multiplied with q / sigma^2.
  const double near_teacher = theta_square / (variance * variance) * dimension / dot(teacher, teacher);
  result.semantic = near_teacher > m_square;
  if (task.rank == 1 && task.code_columns == 1) {
    const double sign = (result.semantic ? theta : m) < 0 ? -1 : 1;
    result.m = sign * m;
    result.theta = sign * theta;
  } else {
    result.m = std::sqrt(m_square);
    result.theta = std::sqrt(theta_square);
  }
}

// The runs of a call, dealt out to desks.
class Runs {
 public:
  Runs(const Simulation &simulation, Room &room) : simulation_(simulation), room_(room), most_(most_samples(simulation)) {
    for (Result &result : room.results) result = Result{};
  }
  int64_t total() const { return product_of(simulation_.n_alphas, simulation_.runs, simulation_.steps); }
  int64_t done() const { return done_.load(std::memory_order_relaxed); }
  bool over() const { return ended_.load(std::memory_order_relaxed) == tasks(); }
  double gradient(const Desk &desk) const { return desk.task < 0 ? std::nan("") : room_.results[desk.task].gradient; }

  // A slice of work at a desk: the run that is there for so many steps that slices of all alphas cost about the same, or the next run from
  // its samples to its first gradient. Without an end to slices, all runs that are left.
  void work(Desk &desk, bool sliced) {
    do {
      if (desk.task < 0 && !begin(desk)) return;
      const int64_t before = desk.step, steps = sliced ? kSlice * most_ / samples(desk.task) : simulation_.steps;
      Result &result = room_.results[desk.task];
      if (!descend(simulation_, desk, steps, result)) {
        done_.fetch_add(desk.step - before, std::memory_order_relaxed);
        continue;
      }
      finish(desk, result);
      done_.fetch_add(simulation_.steps - before, std::memory_order_relaxed);  // those that were not needed, too
      ended_.fetch_add(1, std::memory_order_relaxed);
      desk.task = -1;
    } while (!sliced);
  }
  // What has not ended was cancelled.
  void cancel() {
    for (Result &result : room_.results)
      if (result.steps < 0) result.outcome = ATP_OUTCOME_CANCELLED;
  }

 private:
  int64_t tasks() const { return simulation_.n_alphas * simulation_.runs; }
  int64_t samples(int64_t task) const { return samples_of(simulation_.alphas[task / simulation_.runs], simulation_.task.d); }
  bool begin(Desk &desk) {
    const int64_t task = next_.fetch_add(1, std::memory_order_relaxed), run = task % simulation_.runs;
    if (task >= tasks()) return false;
    const Span<double> teacher = desk.teacher.sub(0, simulation_.task.d);
    draw_normals(simulation_.seed, run, 0, teacher);
    desk.risk.draw(simulation_.seed, run, samples(task), room_.codes, teacher);
    set_start(simulation_, run, room_.codes, desk);
    desk.adam.reset();
    if (simulation_.optimizer == ATP_OPTIMIZER_LBFGS) desk.lbfgs.reset();
    desk.value = desk.risk.evaluate(desk.q, desk.gradient);
    desk.task = task;
    desk.step = 0;
    return true;
  }
  void finish(const Desk &desk, Result &result) {
    result.steps = desk.step;
    result.et = desk.value / static_cast<double>(simulation_.task.d);
    measure(simulation_, room_.codes, desk, result);
    result.eg = fresh_loss(simulation_, desk.task % simulation_.runs, room_.codes, desk);
    if (!std::isfinite(result.eg)) result.outcome = ATP_OUTCOME_DIVERGED;
  }

  const Simulation &simulation_;
  Room &room_;
  int64_t most_;
  std::atomic<int64_t> next_{0}, done_{0}, ended_{0};
};

// Mean and its standard error, in the order of the runs.
template <class Number>
void average(Span<const Result> results, Number &&number, double &mean, double &error) {
  const double n = static_cast<double>(results.size());
  double sum = 0, squares = 0;
  for (const Result &result : results) sum += number(result);
  mean = sum / n;
  for (const Result &result : results) squares += (number(result) - mean) * (number(result) - mean);
  error = n > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("");
}

// The worst of them: cancelled, diverged, not converged, converged.
atp_outcome together(Span<const Result> results) {
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  const auto badness = [](atp_outcome outcome) {
    return outcome == ATP_OUTCOME_CANCELLED ? 3 : outcome == ATP_OUTCOME_DIVERGED ? 2 : outcome == ATP_OUTCOME_CONVERGED ? 0 : 1;
  };
  for (const Result &result : results)
    if (badness(result.outcome) > badness(worst)) worst = result.outcome;
  return worst;
}

SimRow row_of(Span<const Result> results, int64_t samples, int64_t d) {
  SimRow row;
  row.samples = static_cast<double>(samples);
  row.alpha = row.samples / static_cast<double>(d);
  const atp_outcome outcome = together(results);
  row.outcome = outcome;
  row.runs = outcome == ATP_OUTCOME_CANCELLED ? 0 : static_cast<double>(results.size());
  if (outcome == ATP_OUTCOME_CANCELLED || outcome == ATP_OUTCOME_DIVERGED) {
    double numbers[ATP_DOTATTN_SIM_COLUMNS];
    std::memcpy(numbers, &row, sizeof numbers);
    std::fill(numbers + ATP_DOTATTN_SIM_EG, numbers + ATP_DOTATTN_SIM_STEPS + 1, std::nan(""));
    std::memcpy(&row, numbers, sizeof numbers);
    return row;
  }
  average(
      results, [](const Result &r) { return r.eg; }, row.eg, row.eg_sem);
  average(
      results, [](const Result &r) { return r.et; }, row.et, row.et_sem);
  average(
      results, [](const Result &r) { return r.q; }, row.q, row.q_sem);
  average(
      results, [](const Result &r) { return r.m; }, row.m, row.m_sem);
  average(
      results, [](const Result &r) { return r.theta; }, row.theta, row.theta_sem);
  average(
      results, [](const Result &r) { return r.q_least; }, row.q_least, row.q_least_sem);
  double error = 0;
  average(
      results, [](const Result &r) { return r.semantic ? 1.0 : 0.0; }, row.semantic, error);
  average(
      results, [](const Result &r) { return static_cast<double>(r.steps); }, row.steps, error);
  for (const Result &result : results) row.gradient = std::max(row.gradient, result.gradient);
  return row;
}

}  // namespace

Risk::Risk(const Task &task, int64_t most_samples, Target target)
    : task_(task), kernels_(&projection_kernels(target)), most_(most_samples) {
  stride_ = (task.d + kProjectionLanes - 1) / kProjectionLanes * kProjectionLanes;
  // Samples whose rows stay in the second-level cache between the two uses.
  const int64_t row_bytes = task.tokens * stride_ * static_cast<int64_t>(sizeof(float));
  block_ = std::clamp<int64_t>((int64_t{1} << 16) / row_bytes, 1, 64);
}

void Risk::lay_out(Arena &arena) {
  x_ = arena.take<float>(most_, task_.tokens, stride_);
  q_ = arena.take<float>(task_.rank, stride_);
  sums_ = arena.take<float>(task_.rank, stride_);
  chi_ = arena.take<float>(block_, task_.tokens, task_.rank);
  coefficients_ = arena.take<float>(block_, task_.tokens, task_.rank);
  numbers_ = arena.take<double>(most_, sample_numbers(task_.tokens));
  work_ = arena.take<double>(Source::workspace(task_));
}

void Risk::draw(uint64_t seed, int64_t run, int64_t n, Span<const double> u, Span<const double> teacher) {
  samples_ = n;
  Source source(task_, seed, run);
  for (int64_t sample = 0; sample < n; ++sample) {
    source.draw(static_cast<uint64_t>(sample), u, teacher, work_, numbers_.data() + sample * sample_numbers(task_.tokens));
    for (int64_t l = 0; l < task_.tokens; ++l) {
      float *row = x_.data() + (sample * task_.tokens + l) * stride_;
      for (int64_t j = 0; j < task_.d; ++j) row[j] = static_cast<float>(source.x(l)[j]);
      std::fill(row + task_.d, row + stride_, 0.0f);
    }
  }
}

double Risk::evaluate(Span<const double> q, Span<double> gradient) {
  const int64_t d = task_.d, tokens = task_.tokens, rank = task_.rank, count = sample_numbers(tokens);
  const double root = std::sqrt(static_cast<double>(d)), half = 1 / (2 * static_cast<double>(d));
  for (int64_t k = 0; k < rank; ++k)
    for (int64_t j = 0; j < d; ++j) q_[k * stride_ + j] = static_cast<float>(q[k * d + j]);
  for (int64_t e = 0; e < rank * d; ++e) gradient[e] = 0;
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  double loss = 0;
  int64_t rows_in_sums = 0;
  for (int64_t first = 0; first < samples_; first += block_) {
    const int64_t n = std::min(block_, samples_ - first);
    const float *x = x_.data() + first * tokens * stride_;
    kernels_->project(n * tokens, stride_, rank, x, q_.data(), chi_.data());
    for (int64_t sample = 0; sample < n; ++sample) {
      double chi[kMostTokens * kMostRank], slope[kMostTokens * kMostRank];
      for (int64_t e = 0; e < tokens * rank; ++e) chi[e] = static_cast<double>(chi_[sample * tokens * rank + e]) / root;
      loss += sample_loss(tokens, rank, numbers_.data() + (first + sample) * count, chi, slope);
      for (int64_t e = 0; e < tokens * rank; ++e) coefficients_[sample * tokens * rank + e] = static_cast<float>(slope[e] * half);
    }
    kernels_->accumulate(n * tokens, stride_, rank, x, coefficients_.data(), sums_.data());
    rows_in_sums += n * tokens;
    // Sums of a few hundred rows in single precision go on in double.
    if (rows_in_sums >= 256 || first + n == samples_) {
      for (int64_t k = 0; k < rank; ++k)
        for (int64_t j = 0; j < d; ++j) gradient[k * d + j] += static_cast<double>(sums_[k * stride_ + j]);
      std::fill(sums_.begin(), sums_.end(), 0.0f);
      rows_in_sums = 0;
    }
  }
  for (int64_t e = 0; e < rank * d; ++e) gradient[e] = gradient[e] / root + task_.lambda * q[e];
  return half * loss + task_.lambda / 2 * dot(q, q);
}

std::size_t simulation_bytes(const Context &context, const Simulation &simulation) {
  Room room(context, simulation);
  Arena measure;
  room.lay_out(measure);
  return measure.bytes();
}

atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows, int64_t columns) {
  const Scratch scratch(context.allocator, simulation_bytes(context, simulation));
  Arena arena = scratch.arena();
  Room room(context, simulation);
  room.lay_out(arena);
  const int64_t d = simulation.task.d, runs = simulation.runs;
  for (int64_t k = 0; k < simulation.task.code_columns; ++k) code_vector(d, k, room.codes.sub(k * d, d));

  Runs work(simulation, room);
  const auto report = [&](double gradient) {
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(work.done()));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(work.total()));
    if (!std::isnan(gradient)) progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient);
    return reporter.report(progress);
  };
  while (!work.over() && !reporter.stopped()) {
    parallel_for(context.threads, room.threads, [&](int64_t desk, int) { work.work(room.desks[desk], reporter.wanted()); });
    if (!work.over()) report(work.gradient(room.desks[0]));
  }
  work.cancel();
  report(std::nan(""));

  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) {
    const SimRow row = row_of(room.results.sub(k * runs, runs), samples_of(simulation.alphas[k], d), d);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    const atp_outcome mine = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (outcome == ATP_OUTCOME_CONVERGED || mine == ATP_OUTCOME_CANCELLED) outcome = mine;
  }
  return outcome;
}

}  // namespace atp::dotattn
