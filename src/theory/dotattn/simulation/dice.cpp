// SPDX-License-Identifier: MIT
#include "theory/dotattn/simulation/dice.hpp"

#include "math/optim/vector.hpp"
#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr uint64_t kNumbers = uint64_t{1} << 43;  // numbers of the directions start here; those of fresh samples at 3/2 of it
constexpr double kNew = 1e-6;                     // part of a slope's norm outside of the span that needs a new direction

// The least V > 0 with V (lambda + alpha rho E sum_l k_l / (1 + V k_l)) = rho, k_l the eigenvalues of samples' Hessians; NaN where there is
// none. Terms with 1 + V k_l <= 0 do not count: their samples are between two wells, on their way.
double response_of(double lambda, double rho, double alpha, Span<const double> eigenvalues, int64_t samples) {
  const double weight = alpha * rho / static_cast<double>(samples);
  const auto excess = [&](double v) {
    double sum = 0;
    for (double k : eigenvalues)
      if (1 + v * k > 0) sum += k / (1 + v * k);
    return v * (lambda + weight * sum) - rho;
  };
  constexpr double kRatio = 1.05, kMost = 1e9;
  double low = 0, high = 1e-3;
  while (high < kMost && !(excess(high) >= 0)) {
    low = high;
    high *= kRatio;
  }
  if (high >= kMost) return std::nan("");
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (excess(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

LimitDescent::LimitDescent(const Simulation &simulation, int64_t samples, bool hold_theta)
    : given_(&simulation), samples_(samples), hold_theta_(hold_theta), dimension_(static_cast<double>(simulation.task.d)) {}

void LimitDescent::lay_out(Arena &arena) {
  const int64_t most = kMostDirections + known();
  images_ = arena.take<double>(most, rows());
  slopes_ = arena.take<double>(kMostDirections, rows());
  links_ = arena.take<double>(kMostDirections, most);
  q_ = arena.take<double>(most);
  gradient_ = arena.take<double>(most);
  along_ = arena.take<double>(kMostDirections);
  chi_ = arena.take<double>(rows());
  now_ = arena.take<double>(rows());
  work_ = arena.take<double>(rows());
  numbers_ = arena.take<double>(samples_, sample_numbers(given_->task.tokens));
  fresh_normals_ = arena.take<double>(given_->fresh, DynamicsEquations::dimensions(given_->task));
  fresh_numbers_ = arena.take<double>(given_->fresh, sample_numbers(given_->task.tokens));
}

void LimitDescent::draw(int64_t number, double scale, Span<double> out) const {
  draw_normals(given_->seed, run_, kNumbers + static_cast<uint64_t>(number), out);
  for (double &value : out) value *= scale;
}

void LimitDescent::begin(int64_t run) {
  const Task &task = given_->task;
  run_ = run;
  step_ = directions_ = 0;
  fill(q_, 0);
  fill(links_, 0);
  for (int64_t j = 0; j < known(); ++j) draw(j, task.sigma, image(j));
  const double theta = given_->start_theta, m = given_->start_m;
  q_[0] = given_->start_scale * m;
  q_[known() - 2] = given_->start_scale * theta;
  q_[known() - 1] = given_->start_scale * std::sqrt(std::fmax(0, 1 - theta * theta - m * m));
  for (int64_t sample = 0; sample < samples_; ++sample)
    limit_numbers(task, image(known() - 2).data() + sample * task.tokens, numbers_.data() + sample * sample_numbers(task.tokens));
}

// The part of now_ outside of the span, of this size and in work_, becomes p_s; the descent may go along X^T p_s from now on.
void LimitDescent::add_direction(double size) {
  const int64_t s = directions_, spanned = known() + s;
  const Span<double> p = slope(s), b = links(s), z = image(spanned);
  for (int64_t k = 0; k < rows(); ++k) p[k] = work_[k] / size;
  for (int64_t j = 0; j < spanned; ++j) b[j] = dot(image(j), p);
  b[spanned] = given_->task.sigma * std::sqrt(dimension_);
  ++directions_;
  along_[s] = size;
  draw(spanned, given_->task.sigma, z);
  for (int64_t k = 0; k <= s; ++k) add_scaled(-dot(slope(k), z), slope(k), z);
  add_scaled(b[spanned], p, z);
}

bool LimitDescent::evaluate() {
  const Task &task = given_->task;
  const int64_t L = task.tokens, K = task.code_columns;
  double pushes[kMostCode] = {};
  loss_ = 0;
  fill(chi_, 0);
  for (int64_t j = 0; j < known() + directions_; ++j) add_scaled(q_[j], image(j), chi_);
  for (int64_t sample = 0; sample < samples_; ++sample) {
    double *chi = chi_.data() + sample * L, *f = now_.data() + sample * L;
    for (int64_t l = 0; l < L; ++l)
      for (int64_t k = 0; k < K; ++k) chi[l] += task.code[l * K + k] * q_[k];
    loss_ += 0.5 * sample_loss(L, 1, numbers_.data() + sample * sample_numbers(L), chi, f);
    for (int64_t l = 0; l < L; ++l) {
      f[l] *= 0.5;
      for (int64_t k = 0; k < K; ++k) pushes[k] += task.code[l * K + k] * f[l];
    }
  }
  loss_ /= static_cast<double>(samples_);
  copy(now_, work_);
  for (int64_t s = 0; s < directions_; ++s) add_scaled(-(along_[s] = dot(slope(s), now_)), slope(s), work_);
  if (norm(work_) > kNew * norm(now_)) {
    if (directions_ == kMostDirections) return false;
    for (int64_t s = 0; s < directions_; ++s) {
      const double again = dot(slope(s), work_);
      along_[s] += again;
      add_scaled(-again, slope(s), work_);
    }
    add_direction(norm(work_));
  }
  fill(gradient_, 0);
  for (int64_t s = 0; s < directions_; ++s) add_scaled(along_[s] / dimension_, links(s), gradient_);
  for (int64_t k = 0; k < K; ++k) gradient_[k] += pushes[k] / dimension_;
  add_scaled(task.lambda, q_, gradient_);
  if (hold_theta_) gradient_[known() - 2] = 0;
  return true;
}

bool LimitDescent::descend(int64_t steps, RunResult &result) {
  for (; steps > 0; --steps, ++step_) {
    if (!evaluate()) result.outcome = ATP_OUTCOME_MAX_ITER;
    if (!std::isfinite(loss_) || !all_finite(gradient_)) result.outcome = ATP_OUTCOME_DIVERGED;
    if (result.outcome != ATP_OUTCOME_NONE) return true;
    add_scaled(-given_->rate, gradient_, q_);
  }
  return false;
}

Statistics LimitDescent::overlaps() const {
  const Task &task = given_->task;
  Statistics out;
  out.q = task.sigma * task.sigma * dot(q_, q_);
  out.theta = task.sigma * task.sigma * q_[known() - 2];
  for (int64_t k = 0; k < task.code_columns; ++k) out.m[k] = q_[k];
  return out;
}

double LimitDescent::response() {
  const Task &task = given_->task;
  const int64_t L = task.tokens;
  for (int64_t sample = 0; sample < samples_; ++sample) {
    double hessian[kMostTokens * kMostTokens], work[2 * kMostTokens];
    for (int64_t l = 0; l < L; ++l) {
      double unit[kMostTokens] = {};
      unit[l] = 0.5;
      sample_curvature(L, 1, numbers_.data() + sample * sample_numbers(L), chi_.data() + sample * L, unit, hessian + l * L);
    }
    symmetric_eigenvalues(L, hessian, work_.data() + sample * L, work);
  }
  return response_of(task.lambda, task.sigma * task.sigma, static_cast<double>(samples_) / dimension_, work_, samples_);
}

void LimitDescent::finish(RunResult &result) {
  const Task &task = given_->task;
  if (!evaluate()) result.outcome = ATP_OUTCOME_MAX_ITER;
  const Statistics at = overlaps();
  const double rho = task.sigma * task.sigma, alpha = static_cast<double>(samples_) / dimension_;
  double m_square = 0;
  for (int64_t k = 0; k < task.code_columns; ++k) m_square += at.m[k] * at.m[k];
  result.q = at.q;
  result.semantic = at.theta * at.theta / (rho * rho) > m_square;
  const double sign = (result.semantic ? at.theta : at.m[0]) < 0 ? -1 : 1;
  result.m = task.code_columns == 1 ? sign * at.m[0] : std::sqrt(m_square);
  result.theta = task.code_columns == 1 ? sign * at.theta : std::fabs(at.theta);
  result.et = alpha * loss_ + task.lambda / 2 * at.q / rho;
  result.gradient = norm(gradient_);
  result.v = response();
  draw_normals(given_->seed, run_, kNumbers + kNumbers / 2, fresh_normals_);
  result.eg = DynamicsEquations(task, 0, false, fresh_normals_, fresh_numbers_).loss(at);
  if (!std::isfinite(result.eg)) result.outcome = ATP_OUTCOME_DIVERGED;
}

}  // namespace atp::dotattn
