// SPDX-License-Identifier: MIT
// One pass over the data: the loss of factored attention with given A, V, b, and its derivatives with respect to them. [R24 eq. 3-5]
//
// With acc_h(b) = sum_{j != i: s_j = b} A_h,ij the logits of site i are b_i(a) + sum_h sum_b V_h(a, b) acc_h(b): a sequence costs L additions and q^2
// multiply-adds per site and head, and with D(a) = w (p(a) - [a = s_i]) the derivatives are
//     db_i(a) += D(a),   dV_h(a, b) += D(a) acc_h(b),   dA_h,ij += sum_a V_h(a, s_j) D(a).
// Sums here are weighted sums over sequences and predicted sites; Objective normalises.
#pragma once

#include "base/arena.hpp"

namespace atp {

// The sequences of one evaluation.
struct MaskedData {
  const uint8_t *sequences = nullptr;  // [count of the whole alignment][L]
  const double *weights = nullptr;     // of the whole alignment
  int64_t count = 0;                   // sequences in this evaluation
  const int64_t *rows = nullptr;       // [count], which sequences; NULL: 0..count-1
  const int64_t *masked = nullptr;     // [count], the one predicted site of each; NULL: all sites

  int64_t row(int64_t n) const { return rows == nullptr ? n : rows[n]; }
};

// What a pass works on.
struct AttentionInput {
  int64_t sites = 0, colors = 0, heads = 0;
  const double *maps = nullptr;    // [H][L][L], diagonal 0
  const double *values = nullptr;  // [H][q][q]
  const double *fields = nullptr;  // [L][q], or NULL: zero
};

// Where it puts its sums, overwritten. Without gradient: all NULL. `fields` and `values` are NULL where they are not wanted.
struct AttentionSums {
  double *maps = nullptr;    // [H][L][L]; the diagonal comes out as 0
  double *values = nullptr;  // [H][q][q]
  double *fields = nullptr;  // [L][q]
  bool gradient() const { return maps != nullptr; }
};

// float64 throughout: the reference of the fast kernels. A task is a block of sites with all sequences, so that the rows of dA have one owner.
class DataPassF64 {
 public:
  void lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads);
  // The weighted sum of the losses.
  double run(int threads, const AttentionInput &input, const MaskedData &data, const AttentionSums &sums);

 private:
  static constexpr int64_t kBlock = 4;  // sites per task
  void run_block(int64_t block, const AttentionInput &input, const MaskedData &data, const AttentionSums &sums);

  int64_t blocks_ = 0;
  Span<double> losses_;      // [blocks]
  Span<double> value_sums_;  // [blocks][H][q][q]
  Span<double> work_;        // [blocks][2 H + 1][q]: acc, its derivative, logits
};

}  // namespace atp
