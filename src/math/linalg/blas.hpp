// SPDX-License-Identifier: MIT
// Dense linear algebra through BLIS. Only this folder calls BLIS or LAPACK.
#pragma once

#include <cstdint>

namespace atp {

// Memory for BLIS, which aborts the process where malloc gives it none: held during a call of BLIS or LAPACK. Throws ATP_E_MEMORY if the
// process cannot have the buffers that BLIS may take in it. BLIS keeps its buffers: only a call beside more others than ever before needs
// new ones.
class BlasRoom {
 public:
  BlasRoom();
  ~BlasRoom();
  BlasRoom(const BlasRoom &) = delete;
  BlasRoom &operator=(const BlasRoom &) = delete;

 private:
  int beside_;  // calls that run, this one included
};

// C = alpha op(A) op(B) + beta C with C [m][n], op(A) [m][k], op(B) [k][n], row-major with leading dimensions.
// op is the transpose if requested.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
          int64_t ldb, double beta, double *c, int64_t ldc);

// C = alpha A A^T for A [n][k], or alpha A^T A for A [k][n] if transposed: the upper triangle of C [n][n]. Row-major.
void symmetric_product(bool transpose, int64_t n, int64_t k, double alpha, const double *a, double *c);
void symmetric_product(bool transpose, int64_t n, int64_t k, float alpha, const float *a, float *c);

// B = C^-1 B for a lower triangular C [n][n], column-major as factor_positive() leaves it, and B [n][m], row-major.
void solve_lower_left(int64_t n, int64_t m, const double *c, double *b);
void solve_lower_left(int64_t n, int64_t m, const float *c, float *b);

// For example "BLIS 0.9.0, kernels zen, 1 thread; LAPACK 3.11.0".
const char *blas_description();

}  // namespace atp
