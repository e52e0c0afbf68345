// SPDX-License-Identifier: MIT
#include "math/linalg/blas.hpp"

#include "base/error.hpp"
#include "base/system.hpp"
#include "math/linalg/lapack.hpp"

#include <algorithm>
#include <atomic>
#include <blis.h>
#include <cstddef>
#include <cstdio>

namespace atp {

namespace {

// The largest packing buffers of BLIS 0.9 are 17 MB for a panel of B (complex numbers of 128 bits) and 1 MB for one of A. Small pieces
// come from malloc, which asks the system for a megabyte at a time.
constexpr std::size_t kBuffers = std::size_t{32} << 20, kSmall = std::size_t{4} << 20;

std::atomic<int> running{0};  // calls at the same time
std::atomic<int> served{0};   // the largest number of them that came to an end: so many have buffers

Monitor asking;  // one thread at a time: others would count its pages

bool has_room(std::size_t bytes) {
  asking.lock();
  void *pages = map_pages(bytes);
  if (pages != nullptr) unmap_pages(pages, bytes);
  asking.unlock();
  return pages != nullptr;
}

void require_room(std::size_t bytes) {
  if (!has_room(bytes))
    fail(ATP_E_MEMORY, "the buffers of BLIS, the linear algebra, may need %lld MiB, and the process cannot have them: expected more memory",
         static_cast<llong>(bytes >> 20));
}

}  // namespace

BlasRoom::BlasRoom() : beside_(++running) {
  try {
    require_room(kSmall);
    // Those that began and have no buffers yet count, too.
    const int without = beside_ - served;
    if (without <= 0) return;
    require_room(kBuffers * static_cast<std::size_t>(without));  // before the first question to BLIS, which allocates
    const dim_t threads = std::max<dim_t>(1, bli_thread_get_num_threads());
    require_room(kBuffers * static_cast<std::size_t>(without * threads));
  } catch (...) {
    --running;
    throw;
  }
}

BlasRoom::~BlasRoom() {
  int before = served;
  while (before < beside_ && !served.compare_exchange_weak(before, beside_)) {
  }
  --running;
}

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
