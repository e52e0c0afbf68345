// SPDX-License-Identifier: MIT
#include "learn/factored/point_pass_f32.hpp"

#include "base/checked.hpp"
#include "potts/model.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kGap = 32;  // floats between the work space of two threads

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

void PointPassF32::lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t terms, int threads) {
  stride_ = round_up(colors * colors, kProjectionLanes);
  work_stride_ = product_of(sites, stride_ + terms) + kGap;
  values_ = arena.take<float>(terms, stride_);
  sums_ = arena.take<float>(kPieces, terms, stride_);
  work_ = arena.take<float>(threads, work_stride_);
}

void PointPassF32::pack(const PointTerms &terms) {
  const int64_t block = terms.colors * terms.colors;
  std::fill(values_.begin(), values_.end(), 0.0F);
  for (int64_t k = 0; k < terms.count; ++k)
    for (int64_t n = 0; n < block; ++n) values_[k * stride_ + n] = static_cast<float>(terms.values[k * block + n]);
}

void PointPassF32::expand(Threads threads, Target target, const PointTerms &terms, double *couplings) {
  const int64_t L = terms.sites, block = terms.colors * terms.colors;
  const ProjectionKernels &kernels = projection_kernels(target);
  pack(terms);
  parallel_for(threads, L - 1, [&](int64_t i, int thread) {
    const int64_t n = L - 1 - i;
    float *rows = work_.data() + thread * work_stride_, *numbers = rows + n * stride_;
    for (int64_t k = 0; k < terms.count; ++k)
      for (int64_t j = 0; j < n; ++j) numbers[k * n + j] = static_cast<float>(terms.maps[(k * L + i) * L + i + 1 + j]);
    std::fill_n(rows, n * stride_, 0.0F);
    kernels.accumulate(terms.count, stride_, n, values_.data(), numbers, rows);
    double *to = couplings + pair_place(L, i, i + 1) * block;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t m = 0; m < block; ++m) to[j * block + m] = static_cast<double>(rows[j * stride_ + m]);
  });
}

// The pairs of site i with later ones.
void PointPassF32::pull_back_site(const ProjectionKernels &kernels, const PointTerms &terms, const double *slope, int64_t i, float *work,
                                  float *sums, double *maps) const {
  const int64_t L = terms.sites, block = terms.colors * terms.colors, n = L - 1 - i;
  float *rows = work, *numbers = work + n * stride_;
  const double *from = slope + pair_place(L, i, i + 1) * block;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t m = 0; m < block; ++m) rows[j * stride_ + m] = static_cast<float>(from[j * block + m]);
    std::fill_n(rows + j * stride_ + block, stride_ - block, 0.0F);
  }
  kernels.project(n, stride_, terms.count, rows, values_.data(), numbers);
  for (int64_t k = 0; k < terms.count; ++k)
    for (int64_t j = 0; j < n; ++j) {
      const int64_t at = (k * L + i) * L + i + 1 + j;
      maps[at] = static_cast<double>(numbers[j * terms.count + k]);
      numbers[j * terms.count + k] = static_cast<float>(terms.maps[at]);
    }
  kernels.accumulate(n, stride_, terms.count, rows, numbers, sums);
}

void PointPassF32::pull_back(Threads threads, Target target, const PointTerms &terms, const double *slope, double *maps, double *values) {
  const int64_t L = terms.sites, block = terms.colors * terms.colors, size = terms.count * stride_;
  const ProjectionKernels &kernels = projection_kernels(target);
  pack(terms);
  parallel_for(threads, kPieces, [&](int64_t piece, int thread) {
    float *sums = sums_.data() + piece * size;
    std::fill_n(sums, size, 0.0F);
    for (int64_t i = piece; i < L - 1; i += kPieces)
      pull_back_site(kernels, terms, slope, i, work_.data() + thread * work_stride_, sums, maps);
  });
  for (int64_t k = 0; values != nullptr && k < terms.count; ++k)
    for (int64_t m = 0; m < block; ++m) {
      double sum = 0;
      for (int64_t piece = 0; piece < kPieces; ++piece) sum += static_cast<double>(sums_[piece * size + k * stride_ + m]);
      values[k * block + m] = sum;
    }
}

}  // namespace atp
