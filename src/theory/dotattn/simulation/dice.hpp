// SPDX-License-Identifier: MIT
// Descent on all samples in the limit of many dimensions: the dynamical mean-field theory of a student of rank one, solved by sampling
// trajectories of samples. The data are drawn as the descent needs them. Source: Y. M. Lu, "Householder dice", IEEE Trans. Inf. Theory 67,
// 8264 (2021); docs/theory.md, section 14.
#pragma once

#include "base/arena.hpp"
#include "theory/dotattn/dynamics.hpp"
#include "theory/dotattn/simulation/run.hpp"

namespace atp::dotattn {

// X is the matrix of the noise of all samples and tokens, n L rows of d normal numbers. A descent needs X e_j for the orthonormal e_j that
// span Q so far, and X^T p_s for the orthonormal p_s that span the slopes of the losses so far. Each is normal but for what the others have
// told: X e_j = b_sj p_s + (1 - P P^T) normal numbers, X^T p_s = sum_j b_sj e_j, with a new e of b = sigma sqrt(d). So a step costs n L
// numbers times the dimension of these spaces, and d appears as n / alpha alone.
class LimitDescent {
 public:
  // Directions that the slopes may span. A slope that is in the span but for 1e-6 of its norm needs no new one.
  static constexpr int64_t kMostDirections = 512;

  // hold_theta: Q does not move along Q*. From theta = 0 this is the limit, where theta stays 0; of n samples it leaves out the theta of
  // order 1/sqrt(n) that they have.
  LimitDescent(const Simulation &simulation, int64_t samples, bool hold_theta);
  void lay_out(Arena &arena);
  void begin(int64_t run);
  // Makes `steps` steps; true where the run ended before: it diverged, or needs more directions (MAX_ITER).
  bool descend(int64_t steps, RunResult &result);
  // Losses, overlaps and the response of the result.
  void finish(RunResult &result);
  int64_t step() const { return step_; }

 private:
  int64_t rows() const { return samples_ * given_->task.tokens; }
  int64_t known() const { return given_->task.code_columns + 2; }  // directions of the start: code, Q*, the rest
  Span<double> image(int64_t j) const { return images_.sub(j * rows(), rows()); }
  Span<double> slope(int64_t s) const { return slopes_.sub(s * rows(), rows()); }
  Span<double> links(int64_t s) const { return links_.sub(s * (kMostDirections + known()), kMostDirections + known()); }
  void draw(int64_t number, double scale, Span<double> out) const;
  // Computes chi, the loss and the gradient at q. false: too many directions.
  bool evaluate();
  void add_direction(double size);
  Statistics overlaps() const;
  double response();

  const Simulation *given_;
  int64_t samples_;
  bool hold_theta_;
  double dimension_;                      // n / alpha
  Span<double> images_, slopes_, links_;  // X e_j [j][n L], p_s [s][n L], b [s][j]
  Span<double> q_, gradient_, along_;     // coefficients: of Q / sqrt(d) and the gradient in e_j, of the slope in p_s
  Span<double> chi_, now_, work_;         // [n L]
  Span<double> numbers_, fresh_normals_, fresh_numbers_;
  int64_t run_ = 0, step_ = 0, directions_ = 0;  // spanned by slopes
  double loss_ = 0;                              // mean over samples
};

}  // namespace atp::dotattn
