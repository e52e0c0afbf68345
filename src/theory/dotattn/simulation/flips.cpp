// SPDX-License-Identifier: MIT
#include "theory/dotattn/simulation/flips.hpp"

#include "math/optim/vector.hpp"
#include "math/small_newton.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr uint64_t kProbeNumbers = uint64_t{1} << 42;  // numbers of the probes start here
constexpr double kSolved = 1e-4;                       // of a solution of linear equations; products have single precision

}  // namespace

SampleProblem SampleProblem::at(double d, double v, const double *numbers, const double *chi) {
  double slope[2];
  sample_loss(2, 1, numbers, chi, slope);
  return {d, v, numbers, {chi[0] + v * slope[0] / (2 * d), chi[1] + v * slope[1] / (2 * d)}};
}

double SampleProblem::value(const double *x) const {
  const double first = x[0] - w[0], second = x[1] - w[1];
  return (first * first + second * second) / (2 * v) + sample_loss(2, 1, numbers, x, nullptr) / (2 * d);
}

double SampleProblem::derivatives(const double *x, double *gradient, double *hessian) const {
  const double loss = sample_loss(2, 1, numbers, x, gradient), first = x[0] - w[0], second = x[1] - w[1];
  gradient[0] = gradient[0] / (2 * d) + first / v;
  gradient[1] = gradient[1] / (2 * d) + second / v;
  for (int k = 0; k < 2; ++k) {
    const double direction[2] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0};
    sample_curvature(2, 1, numbers, x, direction, hessian + 2 * k);
    for (int e = 0; e < 2; ++e) hessian[2 * k + e] = hessian[2 * k + e] / (2 * d) + direction[e] / v;
  }
  return (first * first + second * second) / (2 * v) + loss / (2 * d);
}

double SampleProblem::other_well(const double *chi, double *x) const {
  const double starts[][2] = {{chi[1], chi[0]}, {-chi[0], chi[1]}, {chi[0], -chi[1]}, {w[1], w[0]}, {w[0], w[1]}};
  double lowest = HUGE_VAL;
  for (const auto &start : starts) {
    double trial[2] = {start[0], start[1]};
    const double scale = std::hypot(std::hypot(w[0], w[1]), std::hypot(trial[0], trial[1]));
    const double found = descend_newton<2>(*this, scale, trial);
    if ((trial[0] - trial[1]) * (chi[0] - chi[1]) >= 0 || !(found < lowest)) continue;
    lowest = found;
    std::copy_n(trial, 2, x);
  }
  return lowest;
}

void Response::lay_out(Arena &arena) {
  probe_ = arena.take<double>(task_->d);
  solution_ = arena.take<double>(task_->d);
  solver_.lay_out(arena);
}

bool Response::solve(Risk &risk, Span<const double> b, Span<double> x) {
  const auto product = [&](Span<const double> v, Span<double> out) { risk.product(v, out); };
  return solver_.solve(product, b, kSolved, x);
}

double Response::measure(Risk &risk, uint64_t seed, int64_t run) {
  double sum = 0;
  for (int64_t k = 0; k < probes_; ++k) {
    draw_normals(seed, run, kProbeNumbers + static_cast<uint64_t>(k), probe_);
    for (double &z : probe_) z = z < 0 ? -1 : 1;
    if (!solve(risk, probe_, solution_)) return std::nan("");
    sum += dot(probe_, solution_);
  }
  return task_->sigma * task_->sigma * sum / (static_cast<double>(task_->d) * static_cast<double>(probes_));
}

void Flips::lay_out(Arena &arena) {
  candidates_ = arena.take<Candidate>(most_);
  forces_ = arena.take<double>(most_, 2);
  sum_ = arena.take<double>(task_->d);
  step_ = arena.take<double>(task_->d);
}

void Flips::begin(const Risk &risk, double value, double v) {
  const double d = static_cast<double>(task_->d), most = margin_ * value / static_cast<double>(risk.samples());
  count_ = trial_ = 0;
  v_ = v;
  for (int64_t sample = 0; sample < risk.samples(); ++sample) {
    const SampleProblem problem = SampleProblem::at(d, v, risk.numbers(sample), risk.chi(sample));
    Candidate candidate{0, sample, {}};
    candidate.gain = problem.other_well(risk.chi(sample), candidate.x) - problem.value(risk.chi(sample));
    if (candidate.gain < most) candidates_[count_++] = candidate;
  }
  std::sort(candidates_.begin(), candidates_.begin() + count_,
            [](const Candidate &a, const Candidate &b) { return a.gain < b.gain || (a.gain == b.gain && a.sample < b.sample); });
  block_ = std::max<int64_t>(count_, 1);
}

int64_t Flips::chosen(int64_t k) const {
  if (block_ > 1) return k;
  if (trial_ < count_) return trial_;
  int64_t pair = trial_ - count_, second = 1;
  for (; pair >= second; ++second) pair -= second;
  return k == 0 ? pair : second;
}

// Without the losses of the moved samples the minimum is displaced by -H^-1 sum x grad l / sqrt(d), at either of their wells.
bool Flips::next(Risk &risk, Response &response, Span<double> q) {
  const double half = 1 / (2 * static_cast<double>(task_->d));
  for (; trial_ < count_ * (count_ + 1) / 2; reject()) {
    fill(forces_, 0);
    for (int64_t k = 0; k < moved(); ++k) {
      const Candidate &candidate = candidates_[chosen(k)];
      double here[2], there[2];
      sample_loss(2, 1, risk.numbers(candidate.sample), risk.chi(candidate.sample), here);
      sample_loss(2, 1, risk.numbers(candidate.sample), candidate.x, there);
      for (int e = 0; e < 2; ++e) forces_[candidate.sample * 2 + e] = half * (here[e] - there[e]);
      risk.include(candidate.sample, false);
    }
    risk.combine(forces_, sum_);
    const bool solved = response.solve(risk, sum_, step_);
    for (int64_t k = 0; k < moved(); ++k) risk.include(candidates_[chosen(k)].sample, true);
    if (!solved) continue;
    add_scaled(1, step_, q);
    return true;
  }
  return false;
}

void Flips::reject() {
  if (block_ > 1)
    block_ = (block_ + 1) / 2;
  else
    ++trial_;
}

}  // namespace atp::dotattn
