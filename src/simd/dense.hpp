// SPDX-License-Identifier: MIT
// The steps of the pseudo-likelihood of dense couplings in float32, one site at a time; attention/dense_pass_f32.cpp puts them together.
//
// A matrix of rows holds one float per colour, padded to a multiple of 8. It is stored in parts: 16 colours of all rows, then the next 16,
// the last part having 16 or 8. Every lane is a colour and is summed by itself, so the bits do not depend on the width of the machine's
// vectors. A row is named by eight times its number, which is what the address of a row of 16 or 8 floats is made from.
#pragma once

#include "base/context.hpp"

namespace atp {

inline constexpr int64_t kDenseTile = 16;   // sites of a tile
inline constexpr int64_t kDenseGroup = 16;  // sequences that go through a softmax together
// Probabilities below 2^-87 of the largest count as that: products of them stay normal numbers.
inline constexpr float kDenseLowest = -87.0f;

constexpr int64_t dense_width(int64_t colors) { return (colors + 7) / 8 * 8; }

// Up to two neighbouring parts of a matrix of rows: `first` has 16 or 8 floats a row, `second` 16, 8 or none.
template <class T>
struct DenseParts {
  T *first, *second;
  int first_lanes, second_lanes;
};

struct DenseKernels {
  // For the sequences n in members: acc[n] += the panel's rows codes[n][0] + codes[n][1] + ... + codes[n][15], one after the other.
  // codes has 16 rows names per sequence; members are sequence names.
  void (*forward)(int64_t count, const uint16_t *members, const uint16_t *codes, DenseParts<const float> panel, DenseParts<float> acc);

  // For every colour b: out[b] = sum of the rows in list[ends[b - 1]..ends[b] - 1] (ends[-1] = 0), in four partial sums, row k of a list
  // in sum k % 4: (s0 + s1) + (s2 + s3).
  void (*backward)(int64_t colors, const uint16_t *ends, const uint16_t *list, DenseParts<const float> rows, DenseParts<float> out);

  // Softmax over the colours of each of `count` rows (a multiple of 16) in place: logits -> weight * (p - [colour = own]); colours past
  // the last become 0. losses[n] = weight * -log p(own). `rows` is how many the matrix has.
  void (*softmax)(int64_t colors, int64_t count, int64_t rows, const uint8_t *own, const float *weights, float *logits, float *losses);
};

extern const DenseKernels dense_scalar_kernels;
const DenseKernels &dense_kernels(Target target);

}  // namespace atp
