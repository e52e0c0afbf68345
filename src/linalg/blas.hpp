// SPDX-License-Identifier: MIT
// Dense linear algebra through BLIS. Only this folder calls BLIS or LAPACK.
#pragma once

#include <cstdint>

namespace atp {

// C = alpha op(A) op(B) + beta C with C [m][n], op(A) [m][k], op(B) [k][n], row-major with leading dimensions.
// op is the transpose if requested.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
          int64_t ldb, double beta, double *c, int64_t ldc);

// For example "BLIS 0.9.0, kernels zen, 1 thread; LAPACK 3.11.0".
const char *blas_description();

}  // namespace atp
