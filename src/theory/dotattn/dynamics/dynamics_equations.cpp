// SPDX-License-Identifier: MIT
#include "theory/dotattn/dynamics/dynamics_equations.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {
constexpr int kSigns = 8;        // of three groups of numbers
constexpr double kSmall = 1e-3;  // an overlap for the growth near 0, over the largest that q allows
}  // namespace

// Over all points; g is the derivative of |softmax(chi chi^T) - T|^2 rho / 2 by chi, p_0 = sum_l g_l h_l and p_{1+k} = sum_l g_l (code_lk +
// sigma z_lk) are what an overlap gets from a sample.
struct DynamicsEquations::Sums {
  double along = 0, square = 0, loss = 0;  // g . chi, g . g, the loss
  double pushes[1 + kMostCode] = {}, kicks[1 + kMostCode][1 + kMostCode] = {};
  double on_h, on_code[kMostCode], rest;  // chi = on_h y + on_code z + rest zeta + code m
  bool wants_kicks;
};

DynamicsEquations::DynamicsEquations(const Task &task, double rate, bool noise, Span<const double> normals, Span<double> numbers)
    : task_(task), rate_(rate), noise_(noise), points_(normals.size() / dimensions(task)), normals_(normals), numbers_(numbers) {
  // What sample_loss() takes, over d: x x^T = rho, Y x^T = rho T, |Y|^2 = rho |T|^2.
  const int64_t L = task.tokens, each = dimensions(task) / L;
  const double rho = task.sigma * task.sigma;
  for (int64_t point = 0; point < points_; ++point) {
    double h[kMostTokens], *gram = numbers.data() + point * sample_numbers(L), *cross = gram + L * L, size = 0;
    for (int64_t l = 0; l < L; ++l) h[l] = task.sigma * normals[(point * L + l) * each];
    teacher_matrix(task, h, cross);
    for (int64_t e = 0; e < L * L; ++e) {
      size += rho * cross[e] * cross[e];
      cross[e] *= rho;
      gram[e] = e % (L + 1) == 0 ? rho : 0;
    }
    cross[L * L] = size;
  }
}

void DynamicsEquations::add(int64_t point, int signs, const Statistics &at, Sums &sums) const {
  const int64_t L = task_.tokens, K = task_.code_columns;
  const double sign_h = (signs & 1) != 0 ? -1 : 1, sign_code = (signs & 2) != 0 ? -1 : 1, sign_rest = (signs & 4) != 0 ? -1 : 1;
  double chi[kMostTokens] = {}, g[kMostTokens] = {}, p[1 + kMostCode] = {};
  for (int64_t l = 0; l < L; ++l) {
    const double *z = normals_.data() + (point * L + l) * (2 + K);
    chi[l] = sign_h * sums.on_h * z[0] + sign_rest * sums.rest * z[1 + K];
    for (int64_t k = 0; k < K; ++k) chi[l] += sign_code * sums.on_code[k] * z[1 + k] + task_.code[l * K + k] * at.m[k];
  }
  sums.loss += 0.5 * sample_loss(L, 1, numbers_.data() + point * sample_numbers(L), chi, g);
  for (int64_t l = 0; l < L; ++l) {
    const double *z = normals_.data() + (point * L + l) * (2 + K), half = 0.5 * g[l];
    sums.along += half * chi[l];
    sums.square += half * half;
    p[0] += half * sign_h * task_.sigma * z[0];
    for (int64_t k = 0; k < K; ++k) p[1 + k] += half * (task_.code[l * K + k] + sign_code * task_.sigma * z[1 + k]);
  }
  for (int64_t i = 0; i <= K; ++i) sums.pushes[i] += p[i];
  if (!sums.wants_kicks) return;
  for (int64_t i = 0; i <= K; ++i)
    for (int64_t j = 0; j <= K; ++j) sums.kicks[i][j] += p[i] * p[j];
}

DynamicsEquations::Average DynamicsEquations::average(const Statistics &at, Linear *linear) const {
  const int64_t K = task_.code_columns;
  const double sigma = task_.sigma, rho = sigma * sigma;
  Sums sums;
  sums.wants_kicks = linear != nullptr;
  sums.on_h = at.theta / sigma;
  double rest = at.q - at.theta * at.theta / rho;
  for (int64_t k = 0; k < K; ++k) {
    sums.on_code[k] = sigma * at.m[k];
    rest -= rho * at.m[k] * at.m[k];
  }
  sums.rest = std::sqrt(std::fmax(rest, 0));
  for (int64_t point = 0; point < points_; ++point)
    for (int signs = 0; signs < kSigns; ++signs) add(point, signs, at, sums);

  const double share = 1 / static_cast<double>(kSigns * points_), decay = rate_ * task_.lambda;
  Average out{{}, sums.loss * share};
  out.change.q = -2 * rate_ * rho * share * sums.along - 2 * decay * at.q;
  if (noise_) out.change.q += rate_ * rate_ * rho * rho * share * sums.square;
  // Without its roundings, an overlap of 0 stays 0.
  const bool positional = std::any_of(at.m, at.m + K, [](double m) { return m != 0; });
  if (at.theta != 0) out.change.theta = -rate_ * rho * share * sums.pushes[0] - decay * at.theta;
  for (int64_t k = 0; positional && k < K; ++k) out.change.m[k] = -rate_ * share * sums.pushes[1 + k] - decay * at.m[k];
  if (linear == nullptr) return out;
  for (int64_t i = 0; i <= K; ++i)
    for (int64_t j = 0; j <= K; ++j)
      linear->kicks[i][j] = noise_ ? rate_ * rate_ * (i == 0 ? rho : 1) * (j == 0 ? rho : 1) * share * sums.kicks[i][j] : 0;
  return out;
}

Linear DynamicsEquations::linear(double q) const {
  Linear out;
  Statistics at;
  at.q = q;
  average(at, &out);
  // The change is odd in the overlaps.
  for (int64_t j = 0; j <= task_.code_columns; ++j) {
    const double small = kSmall * std::sqrt(q) * (j == 0 ? task_.sigma : 1 / task_.sigma);
    at.overlap(j) = small;
    Statistics change = average(at, nullptr).change;
    at.overlap(j) = 0;
    for (int64_t i = 0; i <= task_.code_columns; ++i) out.growth[i][j] = small > 0 ? change.overlap(i) / small : 0;
  }
  return out;
}

}  // namespace atp::dotattn
