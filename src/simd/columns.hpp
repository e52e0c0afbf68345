// SPDX-License-Identifier: MIT
// Softmax over the rows of a float matrix, column by column; rows lie `columns` floats apart, columns are a multiple of 16. Columns are
// lanes, so the bits do not depend on the width of the machine's vectors.
#pragma once

#include "base/context.hpp"

namespace atp {

struct ColumnKernels {
  // Each column x of `rows` numbers becomes softmax(x). What is below 2^-87 of the largest counts as that.
  void (*softmax)(int64_t rows, int64_t columns, float *x);
  // From a softmax p and derivatives d with respect to it, those with respect to its argument: d -> p (d - sum p d).
  void (*softmax_back)(int64_t rows, int64_t columns, const float *p, float *d);
};

extern const ColumnKernels column_scalar_kernels;
const ColumnKernels &column_kernels(Target target);

}  // namespace atp
