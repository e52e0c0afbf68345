// SPDX-License-Identifier: MIT
// Softmax over the rows of a float matrix, column by column; rows lie `columns` floats apart, columns are a multiple of 16. Columns are
// lanes, so the bits do not depend on the width of the machine's vectors.
#pragma once

#include "base/context.hpp"

namespace atp {

// Numbers below 2^-38 of the largest count as that: less than half a bit of the sum of 2^13 of them, and products with probabilities of
// colours (kSoftmaxLowest) stay normal numbers; subnormal ones take ten times as long.
inline constexpr float kColumnLowest = -38.0f;

struct ColumnKernels {
  // Each column x of `rows` numbers becomes softmax(x).
  void (*softmax)(int64_t rows, int64_t columns, float *x);
  // From a softmax p and derivatives d with respect to it, those with respect to its argument: d -> p (d - sum p d).
  void (*softmax_back)(int64_t rows, int64_t columns, const float *p, float *d);
};

extern const ColumnKernels column_scalar_kernels;
const ColumnKernels &column_kernels(Target target);

}  // namespace atp
