// SPDX-License-Identifier: MIT
// The steps of the pseudo-likelihood of dense couplings in float32, one site at a time;
// learn/dense/dense_pass.cpp puts them together.
//
// A matrix of rows has one float per colour, padded to a multiple of 8. It is stored in parts: 16 colours of
// all rows, then the next 16; the last part has 16 or 8. Every lane is a colour and is summed separately, so
// the bits do not depend on the vector width of the machine. The name of a row is eight times its number; the
// address of a row of 16 or 8 floats follows from it.
#pragma once

#include "base/context.hpp"

namespace atp {

inline constexpr int64_t kDenseTile = 16;  // sites of a tile
inline constexpr int64_t kDensePairs = kDenseTile / 2;
inline constexpr int64_t kDenseGroup = 16;  // sequences that share a softmax
// Probabilities are at least 2^-87 of the largest, so that products of them stay normal numbers.
inline constexpr float kDenseLowest = -87.0f;

constexpr int64_t dense_width(int64_t colors) { return (colors + 7) / 8 * 8; }

// Up to two neighbouring parts of a matrix of rows: `first` has 16 or 8 floats a row, `second` 16, 8 or none.
template <class T>
struct DenseParts {
  T *first, *second;
  int first_lanes, second_lanes;
};

// For some sites, the row names of sequences: codes[k][n] is a name within block k of a panel, which has block_rows rows.
struct DenseColumns {
  int64_t count, block_rows;
  const uint16_t *const *codes;
};

struct DenseKernels {
  // For the sequences n in members: acc[n] += the panel's rows codes[n][0] + codes[n][1] + ... +
  // codes[n][15], one after the other. codes has 16 row names per sequence; members are sequence names.
  void (*forward)(int64_t count, const uint16_t *members, const uint16_t *codes, DenseParts<const float> panel, DenseParts<float> acc);

  // The same with 8 row names per sequence: those of pairs of sites.
  void (*forward_pairs)(int64_t count, const uint16_t *members, const uint16_t *codes, DenseParts<const float> table,
                        DenseParts<float> acc);

  // table[k] = the panel's row names[k][0] + its row names[k][1].
  void (*pair_rows)(int64_t count, const uint16_t *names, DenseParts<const float> panel, DenseParts<float> table);

  // The same with codes by site: for the sequences n in members, acc[n] += the rows columns.codes[0][n] of the panel's first block,
  // columns.codes[1][n] of its second, ..., one after the other.
  void (*forward_columns)(int64_t count, const uint16_t *members, const DenseColumns &columns, DenseParts<const float> panel,
                          DenseParts<float> acc);

  // For every colour b: out[b] = sum of the rows in list[ends[b - 1]..ends[b] - 1] (ends[-1] = 0). Row k of a
  // list goes to partial sum k % 4; the total is (s0 + s1) + (s2 + s3).
  void (*backward)(int64_t colors, const uint16_t *ends, const uint16_t *list, DenseParts<const float> rows, DenseParts<float> out);

  // Softmax over the colours of each of `count` rows (a multiple of 16) in place: logits -> weight * (p -
  // [colour = own]). Padding colours become 0. losses[n] = weight * -log p(own). `rows` is the number of rows
  // of the matrix.
  void (*softmax)(int64_t colors, int64_t count, int64_t rows, const uint8_t *own, const float *weights, float *logits, float *losses);
};

extern const DenseKernels dense_scalar_kernels;
const DenseKernels &dense_kernels(Target target);

}  // namespace atp
