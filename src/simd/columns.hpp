// SPDX-License-Identifier: MIT
// Softmax over the rows of a float matrix, column by column. Rows are `columns` floats apart, a multiple of 16.
// Columns are lanes, so the bits do not depend on the vector width of the machine.
#pragma once

#include "base/context.hpp"

namespace atp {

// Numbers are at least 2^-38 of the largest. 2^13 such numbers change a sum by less than half a bit, and their
// products with probabilities of colours (kSoftmaxLowest) stay normal numbers. Subnormal ones take ten times as
// long.
inline constexpr float kColumnLowest = -38.0f;

struct ColumnKernels {
  // Replaces each column x of `rows` numbers by softmax(x).
  void (*softmax)(int64_t rows, int64_t columns, float *x);
  // The derivative of softmax: from p = softmax(x) and derivatives d with respect to p to those with respect
  // to x, d -> p (d - sum p d).
  void (*softmax_back)(int64_t rows, int64_t columns, const float *p, float *d);
};

extern const ColumnKernels column_scalar_kernels;
const ColumnKernels &column_kernels(Target target);

}  // namespace atp
