// SPDX-License-Identifier: MIT
// The pass of DataPassF32 over all training data by way of the couplings J_ij(a, b) = sum_h A_h,ij V_h(a, b), site by site, with the
// kernels of dense couplings. With G_ij the derivatives by J_ij,
//     dA_h,ij = sum_ab V_h(a, b) G_ij(a, b),   dV_h(a, b) = sum_ij A_h,ij G_ij(a, b).
// A sequence costs L q additions a site however many heads there are, and the products with the heads 3 H L q^2 multiply-adds a site: with
// many heads and many sequences that is less than H (L + q^2) for each sequence. Sums over sequences are as in DensePassF32, those of
// dV over the sites of a block float, and float64 over blocks.
#pragma once

#include "learn/dense/dense_pass.hpp"
#include "learn/factored/data_pass.hpp"
#include "simd/projection.hpp"

namespace atp {

class CouplingPassF32 {
 public:
  explicit CouplingPassF32(Ranks &ranks) : blocks_(ranks) {}
  // Whether this pass is faster than DataPassF32, with `heads` of the couplings.
  static bool pays(const DenseShape &shape, int64_t heads);
  void lay_out(Arena &arena, const DenseShape &shape, int64_t heads, int threads);
  bool laid_out() const { return blocks_.count() > 0; }
  void init(const MaskedData &train);        // all of it, with weights
  bool holds(const MaskedData &part) const;  // part is all of the training data
  // As DataPassF32::run(), over the training data.
  double run(const Threads &threads, Target target, const AttentionInput &input, const MaskedData &part, double total_weight,
             const AttentionSums &sums);

 private:
  struct Kernels {
    const DenseKernels &dense;
    const ProjectionKernels &products;
  };
  void pack(const AttentionInput &input);
  double run_site(const Kernels &kernels, const AttentionInput &input, int64_t i, int thread, bool gradient);
  void add_site(const Kernels &kernels, const AttentionInput &input, int64_t i, int thread, const SiteRows &rows);
  void write_values(int64_t block, int64_t colors) const;
  float *numbers(int thread) const { return rows(thread) + data_.shape.sites * stride_; }
  float *rows(int thread) const { return work_.data() + thread * work_stride_; }

  DenseData data_{DenseShape(), true};
  SiteBlocks blocks_;
  const uint8_t *sequences_ = nullptr;  // of the training data
  int64_t heads_ = 0, stride_ = 0, work_stride_ = 0;
  Span<DensePassF32> passes_;  // [threads]
  Span<float> values_;         // [H][stride]: V_h(a, b) at b q + a
  Span<float> value_sums_;     // [blocks][H][stride]
  Span<float> work_;           // [threads]: J_ij or G_ij of a site [L][stride], a number for each site and head [L H]
};

}  // namespace atp
