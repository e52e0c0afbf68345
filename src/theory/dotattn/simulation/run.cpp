// SPDX-License-Identifier: MIT
#include "theory/dotattn/simulation/run.hpp"

#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

// Numbers of draws within a run; sample n has kSampleNumbers + n of task.cpp.
constexpr uint64_t kTeacherNumbers = 0, kStartNumbers = 1;
constexpr uint64_t kRestartNumbers = uint64_t{1} << 41;  // numbers of the perturbations start here
constexpr uint64_t kFresh = uint64_t{1} << 40;           // numbers of fresh samples start here
constexpr int64_t kHistory = 10;                         // pairs of L-BFGS
constexpr double kResolution = 1e-7;                     // of R: sums in double of losses from projections in single precision
constexpr double kMostSamples = 0x1p31;
constexpr double kAdamRate = 0.02, kDescentRate = 0.15;  // where none is given; 0.15 is that of [C24]

// From z ~ N(0, 1) to one with these cosines with the teacher and the code.
void mix(double with_teacher, double with_code, Span<const double> teacher, Span<const double> code, Span<double> z) {
  if (with_teacher == 0 && with_code == 0) return;
  const double rest = std::sqrt(std::fmax(0, 1 - with_teacher * with_teacher - with_code * with_code));
  for (int64_t j = 0; j < z.size(); ++j) z[j] = rest * z[j] + with_teacher * teacher[j] + with_code * code[j];
}

}  // namespace

int64_t samples_of(double alpha, int64_t d) {
  const double samples = std::fmax(1.0, std::round(alpha * static_cast<double>(d)));
  if (samples > kMostSamples)
    fail(ATP_E_TOO_LARGE, "alpha %g of %lld dimensions is %g samples, more than can be drawn", alpha, static_cast<long long>(d), samples);
  return static_cast<int64_t>(samples);
}

int64_t most_samples(const Simulation &simulation) {
  int64_t most = 1;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) most = std::max(most, samples_of(simulation.alphas[k], simulation.task.d));
  return most;
}

Run::Run(const Simulation &simulation, Target target, int64_t most)
    : given_(&simulation),
      unknowns_(simulation.task.rank * simulation.task.d),
      risk_(simulation.task, most, target, simulation.probes > 0),
      adam_(unknowns_),
      lbfgs_(unknowns_, kHistory, 0, kResolution),
      response_(simulation.task, simulation.probes),
      flips_(simulation.task, most, simulation.flip_margin) {}

void Run::lay_out(Arena &arena) {
  risk_.lay_out(arena);
  teacher_ = arena.take<double>(unknowns_);
  q_ = arena.take<double>(unknowns_);
  gradient_ = arena.take<double>(unknowns_);
  best_ = arena.take<double>(given_->restarts + given_->flips > 0 ? unknowns_ : 0);
  if (given_->probes > 0) response_.lay_out(arena);
  if (given_->flips > 0) flips_.lay_out(arena);
  if (given_->optimizer == ATP_OPTIMIZER_ADAM) adam_.lay_out(arena);
  if (given_->optimizer == ATP_OPTIMIZER_LBFGS) lbfgs_.lay_out(arena);
}

void Run::set_start(Span<const double> codes) {
  const int64_t d = given_->task.d;
  draw_normals(given_->seed, run_, kStartNumbers, q_);
  for (int64_t k = 0; k < given_->task.rank; ++k) {
    const Span<double> mine = q_.sub(k * d, d);
    switch (given_->start) {
      case ATP_DOTATTN_START_SEMANTIC:
        if (k == 0) copy(teacher(), mine);
        break;
      case ATP_DOTATTN_START_POSITIONAL:
        if (k < given_->task.code_columns) copy(codes.sub(k * d, d), mine);
        break;
      case ATP_DOTATTN_START_MIXED:
        copy(k == 0 ? teacher() : codes.sub(0, d), mine);
        if (given_->task.rank == 1)
          for (int64_t j = 0; j < d; ++j) mine[j] = (mine[j] + codes[j]) / std::sqrt(2.0);
        break;
      default: mix(given_->start_theta, given_->start_m, teacher(), codes.sub(0, d), mine); break;
    }
  }
  if (given_->start_scale != 1)
    for (double &x : q_) x *= given_->start_scale;
}

void Run::start(int64_t run, Span<const double> codes) {
  run_ = run;
  restart_ = trials_ = 0;
  step_ = 0;
  flipping_ = false;
  codes_ = codes;
  draw_normals(given_->seed, run, kTeacherNumbers, teacher_.sub(0, given_->task.d));
  set_start(codes);
}

void Run::begin_online(int64_t run, Span<const double> codes) {
  online_ = true;
  start(run, codes);
  risk_.draw(given_->seed, run, {0, 1}, codes, teacher());
  value_ = risk_.evaluate(q_, gradient_);
}

void Run::begin(int64_t run, int64_t samples, Span<const double> codes) {
  online_ = false;
  start(run, codes);
  risk_.draw(given_->seed, run, {0, samples}, codes, teacher());
  begin_descent();
}

void Run::begin_descent() {
  step_ = 0;
  adam_.reset();
  if (given_->optimizer == ATP_OPTIMIZER_LBFGS) lbfgs_.reset();
  value_ = risk_.evaluate(q_, gradient_);
}

// One step; false where it cannot be made, which ends the run.
bool Run::advance(RunResult &result) {
  const bool adaptive = given_->optimizer == ATP_OPTIMIZER_ADAM;
  if (given_->optimizer == ATP_OPTIMIZER_LBFGS) {
    bool moved = false;
    const auto risk = [&](Span<const double> q, Span<double> gradient) { return risk_.evaluate(q, gradient); };
    const Descent descent = lbfgs_.iterate(q_, risk, &moved);
    copy(lbfgs_.gradient(), gradient_);
    value_ = lbfgs_.value();
    if (!moved) result.outcome = descent == Descent::diverged ? ATP_OUTCOME_DIVERGED : ATP_OUTCOME_STALLED;
    return moved;
  }
  const double rate = given_->rate > 0 ? given_->rate : adaptive ? kAdamRate : kDescentRate;
  if (adaptive)
    adam_.step(q_, gradient_, cosine_rate(rate, step_, given_->steps));
  else
    add_scaled(-rate, gradient_, q_);
  if (online_) risk_.draw(given_->seed, run_, {step_ + 1, 1}, codes_, teacher());
  value_ = risk_.evaluate(q_, gradient_);
  return true;
}

bool Run::descend(int64_t steps, RunResult &result) {
  do {
    if (!descend_once(steps, result)) return false;
  } while (begin_again(result) || flip_again(result));
  return true;
}

void Run::keep(const RunResult &result) {
  copy(q_, best_);
  best_result_ = result;
  best_result_.steps = step_;
  best_value_ = value_;
}

bool Run::begin_again(RunResult &result) {
  if (flipping_) return false;
  result.steps = step_;
  if (given_->restarts == 0) return false;
  if (restart_ == 0 || (result.outcome != ATP_OUTCOME_DIVERGED && value_ < best_value_)) keep(result);
  if (restart_ == given_->restarts || best_result_.outcome == ATP_OUTCOME_DIVERGED) {
    copy(best_, q_);
    result = best_result_;
    value_ = best_value_;
    return false;
  }
  ++restart_;
  draw_normals(given_->seed, run_, kRestartNumbers + static_cast<uint64_t>(restart_), q_);
  const double size = given_->perturbation * norm(best_) / norm(q_);
  for (int64_t k = 0; k < unknowns_; ++k) q_[k] = best_[k] + size * q_[k];
  result.outcome = ATP_OUTCOME_NONE;
  begin_descent();
  return true;
}

double Run::response() {
  risk_.expand(q_);
  return response_.measure(risk_, given_->seed, run_);
}

void Run::begin_flips(RunResult &result) {
  flipping_ = true;
  result.v = response();
  finish(codes_, result);
  result.before = {result.eg, result.et, result.q, result.m, result.v};
  keep(result);
  flips_.begin(risk_, value_, result.v);
}

bool Run::flip_again(RunResult &result) {
  if (!flipping_ && (given_->probes == 0 || result.outcome == ATP_OUTCOME_DIVERGED)) return false;
  if (!flipping_ && given_->flips == 0) return result.v = response(), false;
  if (!flipping_) {
    begin_flips(result);
  } else if (result.outcome != ATP_OUTCOME_DIVERGED && value_ < best_value_ - kResolution * std::fabs(best_value_)) {
    best_result_.flips += flips_.moved();
    best_result_.gradient = result.gradient;
    best_result_.outcome = result.outcome;
    copy(q_, best_);
    best_value_ = value_;
    risk_.expand(q_);
    flips_.begin(risk_, value_, best_result_.v);
  } else {
    flips_.reject();
  }
  copy(best_, q_);
  if (trials_ < given_->flips && std::isfinite(best_result_.v) && flips_.next(risk_, response_, q_)) {
    ++trials_;
    result.outcome = ATP_OUTCOME_NONE;
    begin_descent();
    return true;
  }
  result = best_result_;
  result.trials = trials_;
  value_ = best_value_;
  if (result.flips > 0) result.v = response();
  return false;
}

// At most `steps` steps, which it counts down; true where the descent has ended.
bool Run::descend_once(int64_t &steps, RunResult &result) {
  const double root = std::sqrt(static_cast<double>(given_->task.d));
  for (;; ++step_, --steps) {
    result.gradient = norm(gradient_) / root;
    if (!std::isfinite(value_) || !std::isfinite(result.gradient))
      result.outcome = ATP_OUTCOME_DIVERGED;
    else if (result.gradient <= given_->tolerance)
      result.outcome = ATP_OUTCOME_CONVERGED;
    else if (step_ == given_->steps)
      result.outcome = ATP_OUTCOME_MAX_ITER;
    if (result.outcome != ATP_OUTCOME_NONE) return true;
    if (steps == 0) return false;
    if (!advance(result)) return true;
  }
}

// The mean of |Y - Y^|^2 / 2d over fresh samples.
double Run::fresh_loss(Span<const double> codes) const {
  const Task &problem = given_->task;
  const double root = std::sqrt(static_cast<double>(problem.d));
  Source source(problem, given_->seed, run_);
  double numbers[sample_numbers(kMostTokens)], chi[kMostTokens * kMostRank], sum = 0;
  for (int64_t sample = 0; sample < given_->fresh; ++sample) {
    source.draw(kFresh + static_cast<uint64_t>(sample), codes, teacher(), risk_.work(), numbers);
    for (int64_t l = 0; l < problem.tokens; ++l)
      for (int64_t k = 0; k < problem.rank; ++k) chi[l * problem.rank + k] = dot(source.x(l), q_.sub(k * problem.d, problem.d)) / root;
    sum += sample_loss(problem.tokens, problem.rank, numbers, chi, nullptr);
  }
  return sum / (2 * static_cast<double>(problem.d) * static_cast<double>(given_->fresh));
}

// Overlaps of what was found.
void Run::measure(Span<const double> codes, RunResult &result) const {
  const Task &problem = given_->task;
  const int64_t d = problem.d;
  const double dimension = static_cast<double>(d), variance = problem.sigma * problem.sigma;
  double q[kMostRank][kMostRank] = {}, m = 0, theta = 0, m_square = 0, theta_square = 0;
  for (int64_t a = 0; a < problem.rank; ++a) {
    const Span<const double> mine = q_.sub(a * d, d);
    for (int64_t b = 0; b <= a; ++b) q[a][b] = variance * dot(mine, q_.sub(b * d, d)) / dimension;
    theta = variance * dot(mine, teacher()) / dimension;
    theta_square += theta * theta;
    for (int64_t k = 0; k < problem.code_columns; ++k) {
      m = dot(mine, codes.sub(k * d, d)) / dimension;
      m_square += m * m;
    }
  }
  result.q = q[0][0] + q[1][1];
  const double half = (q[0][0] - q[1][1]) / 2;
  result.q_least = problem.rank == 1 ? result.q : result.q / 2 - std::sqrt(half * half + q[1][0] * q[1][0]);
  // Squares of the cosines, both multiplied with q / sigma^2.
  const double near_teacher = theta_square / (variance * variance) * dimension / dot(teacher(), teacher());
  result.semantic = near_teacher > m_square;
  if (problem.rank == 1 && problem.code_columns == 1) {
    const double sign = (result.semantic ? theta : m) < 0 ? -1 : 1;
    result.m = sign * m;
    result.theta = sign * theta;
  } else {
    result.m = std::sqrt(m_square);
    result.theta = std::sqrt(theta_square);
  }
}

void Run::finish(Span<const double> codes, RunResult &result) {
  result.et = value_ / static_cast<double>(given_->task.d);
  measure(codes, result);
  result.eg = fresh_loss(codes);
  if (!std::isfinite(result.eg)) result.outcome = ATP_OUTCOME_DIVERGED;
}

}  // namespace atp::dotattn
