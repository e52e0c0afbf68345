// SPDX-License-Identifier: MIT
#include "theory/dotattn/simulation/risk.hpp"

#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {
constexpr int64_t kBlockBytes = int64_t{1} << 16, kMostBlock = 64;  // of x: rows stay in the second-level cache between their two uses
constexpr int64_t kRowsInFloat = 256;                               // sums of so many rows in single precision go on in double
}  // namespace

Risk::Risk(const Task &task, int64_t most_samples, Target target, bool curved)
    : task_(task), kernels_(&projection_kernels(target)), most_(most_samples), curved_(curved) {
  stride_ = (task.d + kProjectionLanes - 1) / kProjectionLanes * kProjectionLanes;
  const int64_t row_bytes = task.tokens * stride_ * static_cast<int64_t>(sizeof(float));
  block_ = std::clamp<int64_t>(kBlockBytes / row_bytes, 1, kMostBlock);
}

void Risk::lay_out(Arena &arena) {
  x_ = arena.take<float>(most_, task_.tokens, stride_);
  q_ = arena.take<float>(task_.rank, stride_);
  sums_ = arena.take<float>(task_.rank, stride_);
  chi_ = arena.take<float>(block_, task_.tokens, task_.rank);
  coefficients_ = arena.take<float>(block_, task_.tokens, task_.rank);
  numbers_ = arena.take<double>(most_, sample_numbers(task_.tokens));
  work_ = arena.take<double>(Source::workspace(task_));
  expanded_ = arena.take<double>(curved_ ? most_ : 0, places());
  included_ = arena.take<bool>(curved_ ? most_ : 0);
}

void Risk::draw(uint64_t seed, int64_t run, Samples samples, Span<const double> u, Span<const double> teacher) {
  samples_ = samples.count;
  Source source(task_, seed, run);
  for (int64_t sample = 0; sample < samples_; ++sample) {
    source.draw(static_cast<uint64_t>(samples.first + sample), u, teacher, work_, numbers_.data() + sample * sample_numbers(task_.tokens));
    for (int64_t l = 0; l < task_.tokens; ++l) {
      float *row = x_.data() + (sample * task_.tokens + l) * stride_;
      for (int64_t j = 0; j < task_.d; ++j) row[j] = static_cast<float>(source.x(l)[j]);
      std::fill(row + task_.d, row + stride_, 0.0f);
    }
  }
}

template <class OfSample>
void Risk::pass(Span<const double> vector, Span<double> out, OfSample &&of_sample) {
  const int64_t d = task_.d, tokens = task_.tokens, rank = task_.rank;
  const double root = std::sqrt(static_cast<double>(d));
  for (int64_t k = 0; k < rank; ++k)
    for (int64_t j = 0; j < d; ++j) q_[k * stride_ + j] = static_cast<float>(vector[k * d + j]);
  for (int64_t e = 0; e < rank * d; ++e) out[e] = 0;
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  int64_t rows_in_sums = 0;
  for (int64_t first = 0; first < samples_; first += block_) {
    const int64_t n = std::min(block_, samples_ - first);
    const float *x = x_.data() + first * tokens * stride_;
    kernels_->project(n * tokens, stride_, rank, x, q_.data(), chi_.data());
    for (int64_t sample = 0; sample < n; ++sample) {
      double projections[kMostTokens * kMostRank], coefficients[kMostTokens * kMostRank];
      for (int64_t e = 0; e < places(); ++e) projections[e] = static_cast<double>(chi_[sample * places() + e]) / root;
      of_sample(first + sample, projections, coefficients);
      for (int64_t e = 0; e < places(); ++e) coefficients_[sample * places() + e] = static_cast<float>(coefficients[e]);
    }
    kernels_->accumulate(n * tokens, stride_, rank, x, coefficients_.data(), sums_.data());
    rows_in_sums += n * tokens;
    if (rows_in_sums >= kRowsInFloat || first + n == samples_) {
      for (int64_t k = 0; k < rank; ++k)
        for (int64_t j = 0; j < d; ++j) out[k * d + j] += static_cast<double>(sums_[k * stride_ + j]);
      std::fill(sums_.begin(), sums_.end(), 0.0f);
      rows_in_sums = 0;
    }
  }
  for (double &value : out) value /= root;
}

double Risk::evaluate(Span<const double> q, Span<double> gradient) {
  const double half = 1 / (2 * static_cast<double>(task_.d));
  double loss = 0;
  pass(q, gradient, [&](int64_t sample, const double *chi, double *slope) {
    loss += sample_loss(task_.tokens, task_.rank, numbers(sample), chi, slope);
    for (int64_t e = 0; e < places(); ++e) slope[e] *= half;
  });
  add_scaled(task_.lambda, q, gradient);
  return half * loss + task_.lambda / 2 * dot(q, q);
}

void Risk::expand(Span<const double> q) {
  const int64_t d = task_.d;
  const double root = std::sqrt(static_cast<double>(d));
  for (int64_t k = 0; k < task_.rank; ++k)
    for (int64_t j = 0; j < d; ++j) q_[k * stride_ + j] = static_cast<float>(q[k * d + j]);
  for (int64_t first = 0; first < samples_; first += block_) {
    const int64_t n = std::min(block_, samples_ - first);
    kernels_->project(n * task_.tokens, stride_, task_.rank, x_.data() + first * task_.tokens * stride_, q_.data(), chi_.data());
    for (int64_t e = 0; e < n * places(); ++e) expanded_[first * places() + e] = static_cast<double>(chi_[e]) / root;
  }
  std::fill(included_.begin(), included_.end(), true);
}

void Risk::product(Span<const double> v, Span<double> out) {
  const double half = 1 / (2 * static_cast<double>(task_.d));
  pass(v, out, [&](int64_t sample, const double *direction, double *change) {
    if (!included(sample)) return std::fill_n(change, places(), 0.0), void();
    sample_curvature(task_.tokens, task_.rank, numbers(sample), chi(sample), direction, change);
    for (int64_t e = 0; e < places(); ++e) change[e] *= half;
  });
  add_scaled(task_.lambda, v, out);
}

void Risk::combine(Span<const double> f, Span<double> out) {
  fill(out, 0);
  pass(out, out, [&](int64_t sample, const double *, double *c) { std::copy_n(f.data() + sample * places(), places(), c); });
}

}  // namespace atp::dotattn
