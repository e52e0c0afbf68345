// SPDX-License-Identifier: MIT
// The inverse of large positive definite matrices: LAPACK's algorithms on halves of halves, so that nearly all operations are large
// products of BLIS. LAPACK itself works on 64 columns at a time, at about two thirds of the speed.
#pragma once

#include <cstdint>

namespace atp {

// Replaces the upper triangle of A [n][n], row-major, by that of its inverse; the lower triangle is not read. Returns 0, or the order of
// the first leading minor that is not positive.
int64_t invert_positive(int64_t n, double *a);
int64_t invert_positive(int64_t n, float *a);

// The factor alone: the upper triangle of A becomes C^T, A = C C^T.
int64_t factor_positive(int64_t n, double *a);
int64_t factor_positive(int64_t n, float *a);

}  // namespace atp
