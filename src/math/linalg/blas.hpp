// SPDX-License-Identifier: MIT
// Dense linear algebra through BLIS. Only this folder calls BLIS or LAPACK.
#pragma once

#include <cstdint>

namespace atp {

// Memory and one thread for BLIS, held during calls of BLIS or LAPACK, of which `calls` run at a time. BLIS aborts the process where
// malloc gives it no memory: throws ATP_E_MEMORY if the process cannot have the buffers that BLIS may take in them. BLIS keeps its
// buffers: only calls beside more others than ever before need new ones. Large work is shared out by the team of the context, not by
// BLIS: its own threads are off as long as any room is held, then its setting is what it was.
class BlasRoom {
 public:
  explicit BlasRoom(int calls = 1);
  ~BlasRoom();
  BlasRoom(const BlasRoom &) = delete;
  BlasRoom &operator=(const BlasRoom &) = delete;

 private:
  int calls_;
  int beside_;  // calls that run, these included
};

// C = alpha op(A) op(B) + beta C with C [m][n], op(A) [m][k], op(B) [k][n], row-major with leading dimensions.
// op is the transpose if requested.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
          int64_t ldb, double beta, double *c, int64_t ldc);

// For example "BLIS 0.9.0, kernels zen; LAPACK 3.11.0".
const char *blas_description();

}  // namespace atp
