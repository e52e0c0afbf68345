// SPDX-License-Identifier: MIT
#include "math/linalg/blas.hpp"

#include "base/error.hpp"
#include "math/linalg/blas_room.hpp"
#include "math/linalg/lapack.hpp"

#include <blis.h>

#include <cstdio>

namespace atp {

void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
          int64_t ldb, double beta, double *c, int64_t ldc) {
  const BlasRoom room;
  // BLIS takes any strides. Its typed interface takes non-const pointers, but only reads through them.
  bli_dgemm(transpose_a ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, transpose_b ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, m, n, k, &alpha,
            const_cast<double *>(a), lda, 1, const_cast<double *>(b), ldb, 1, &beta, c, ldc, 1);
}

void symmetric_product(bool transpose, int64_t n, int64_t k, double alpha, const double *a, double *c) {
  const BlasRoom room;
  double zero = 0;
  bli_dsyrk(BLIS_UPPER, BLIS_NO_TRANSPOSE, n, k, &alpha, const_cast<double *>(a), transpose ? 1 : k, transpose ? n : 1, &zero, c, n, 1);
}

void symmetric_product(bool transpose, int64_t n, int64_t k, float alpha, const float *a, float *c) {
  const BlasRoom room;
  float zero = 0;
  bli_ssyrk(BLIS_UPPER, BLIS_NO_TRANSPOSE, n, k, &alpha, const_cast<float *>(a), transpose ? 1 : k, transpose ? n : 1, &zero, c, n, 1);
}

void solve_lower_left(int64_t n, int64_t m, const double *c, double *b) {
  const BlasRoom room;
  double one = 1;
  bli_dtrsm(BLIS_LEFT, BLIS_LOWER, BLIS_NO_TRANSPOSE, BLIS_NONUNIT_DIAG, n, m, &one, const_cast<double *>(c), 1, n, b, m, 1);
}

void solve_lower_left(int64_t n, int64_t m, const float *c, float *b) {
  const BlasRoom room;
  float one = 1;
  bli_strsm(BLIS_LEFT, BLIS_LOWER, BLIS_NO_TRANSPOSE, BLIS_NONUNIT_DIAG, n, m, &one, const_cast<float *>(c), 1, n, b, m, 1);
}

namespace {

struct Description {
  char text[128];
  Description() {
    const BlasRoom room;
    const long threads = static_cast<long>(bli_thread_get_num_threads());
    std::snprintf(text, sizeof text, "BLIS %s, kernels %s, %ld thread%s; LAPACK %s", bli_info_get_version_str(),
                  bli_arch_string(bli_arch_query_id()), threads < 1 ? 1 : threads, threads > 1 ? "s" : "", lapack_version());
  }
};

}  // namespace

const char *blas_description() {
  try {
    static const Description description;  // initialised once, by the first thread that comes here; the others wait
    return description.text;
  } catch (const Error &) {
    return "BLIS, without memory for its buffers";
  }
}

}  // namespace atp
