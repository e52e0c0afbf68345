// SPDX-License-Identifier: MIT
// The steps of a pass over the data in float32; learn/factored/data_pass_f32.cpp puts them together.
//
// A batch is a matrix with one column per (sequence, site) pair and one row per colour. Rows are `columns`
// floats apart; `columns` is a multiple of 16. The rows of several heads follow each other: row h q + b. In
// every step columns are lanes, so the bits do not depend on the vector width of the machine. In sums over
// columns, column x belongs to lane x % 16 of a logical vector of 16.
#pragma once

#include "base/context.hpp"

namespace atp {

inline constexpr int64_t kAttentionLanes = 16;
// Probabilities are at least 2^-87 of the largest, so that products of them stay normal numbers.
inline constexpr float kSoftmaxLowest = -87.0f;

// The number of sites of one colour in a sequence of a batch. place = colour * sequences + sequence.
struct ColorSites {
  uint32_t count, place;
};

struct AttentionKernels {
  // offsets[j] = colours[j] * stride + start
  void (*offsets)(const uint8_t *colors, int64_t count, int stride, int start, uint16_t *offsets);

  // For the sequences n of a batch (a multiple of 4) and all sites j: acc[2 offsets[n][j] + i] += panel[j][i], i < width (a multiple of 4).
  // The panel holds A^T for the block of sites i: acc_i(b) = sum_{j: s_j = b} A_ij.
  void (*scatter)(const float *panel, int64_t sites, int64_t width, int64_t sequences, const uint16_t *offsets, float *acc);

  // The same sums from lists of sites by colour, which follow each other in `sites`. acc is only written. For
  // every list
  //     acc[place width + i] = sum of panel[j][i] over its sites j, i < width (a multiple of 4, at most 16),
  // in fours: s = 0; s += (p0 + p1) + (p2 + p3) while there are four sites; then s += p0 + p1 for two, s +=
  // p0 for one. Lists of equal length should be neighbours, so that the CPU predicts the branches.
  void (*collect)(const float *panel, int64_t width, int64_t count, const ColorSites *lists, const uint16_t *sites, float *acc);

  // The reverse of scatter: panel[j][i] += acc[2 offsets[n][j] + i], n in ascending order.
  void (*gather)(const float *acc, const uint16_t *offsets, int64_t sequences, int64_t sites, int64_t width, float *panel);

  // out[r][x] = start[r][x] + sum_k weights[k][r] in[k][x], k in ascending order; start NULL means 0.
  void (*product)(int64_t rows, int64_t depth, const float *weights, int64_t columns, const float *in, const float *start, float *out);

  // Softmax over the colours of each column, in place: logits -> column_weight * (p - [row = own]). loss[x %
  // 16] += column_weight * -log p(own). Logits are relative to that of the last colour. Its row is zero on
  // entry and on return: its derivative is minus the sum of the others. own[x] = row * columns + x for the
  // row of the column's own colour.
  void (*softmax)(int64_t colors, int64_t columns, const int32_t *own, const float *column_weights, float *logits, double *loss);

  // sums[a][b][x % 16] += x[a][x] y[b][x], in ascending order of x.
  void (*outer)(int64_t rows_x, int64_t rows_y, int64_t columns, const float *x, const float *y, float *sums);

  // sums[k] += x[k]
  void (*add)(int64_t count, const float *x, float *sums);
};

// Adds the sums of `outer` up: sums[m] += the sum of logical vector m, as a tree. The vectors become 0.
inline void add_lanes(float *vectors, int64_t count, double *sums) {
  for (int64_t m = 0; m < count; ++m) {
    float *x = vectors + m * kAttentionLanes, t[8];
    for (int k = 0; k < 8; ++k) t[k] = x[k] + x[k + 8];
    for (int k = 0; k < 4; ++k) t[k] += t[k + 4];
    sums[m] += static_cast<double>((t[0] + t[2]) + (t[1] + t[3]));
    for (int64_t k = 0; k < kAttentionLanes; ++k) x[k] = 0;
  }
}

extern const AttentionKernels attention_scalar_kernels;
const AttentionKernels &attention_kernels(Target target);

}  // namespace atp
