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

// BLIS has one setting of its threads for the whole process, at first from the environment (OMP_NUM_THREADS). Its threads wait for each
// other in a loop: beside other work a product takes many times as long. While this library calls, the setting is one thread.
struct Setting {
  dim_t threads, jc, pc, ic, jr, ir;

  static Setting now() {
    return {bli_thread_get_num_threads(), bli_thread_get_jc_nt(), bli_thread_get_pc_nt(),
            bli_thread_get_ic_nt(),       bli_thread_get_jr_nt(), bli_thread_get_ir_nt()};
  }
  // Threads for each loop come before the number of threads. Unset ones (-1) stay unset, so that BLIS divides the number itself.
  void apply(bool loops) const {
    if (loops) bli_thread_set_ways(jc, pc, ic, jr, ir);
    bli_thread_set_num_threads(threads);
  }
  bool has_loops() const { return std::max({jc, pc, ic, jr, ir}) > 0; }
};

Monitor setting;
int users = 0;  // of one thread
Setting before{};

void begin_one_thread() {
  setting.lock();
  if (users++ == 0) {
    before = Setting::now();
    Setting{1, 1, 1, 1, 1, 1}.apply(before.has_loops());
  }
  setting.unlock();
}

void end_one_thread() {
  setting.lock();
  if (--users == 0) before.apply(before.has_loops());
  setting.unlock();
}

}  // namespace

BlasRoom::BlasRoom(int calls) : calls_(calls), beside_(running += calls) {
  try {
    require_room(kSmall);
    // Those that began and have no buffers yet count, too.
    const int without = beside_ - served;
    if (without > 0) require_room(kBuffers * static_cast<std::size_t>(without));  // before the first question to BLIS, which allocates
  } catch (...) {
    running -= calls_;
    throw;
  }
  begin_one_thread();
}

BlasRoom::~BlasRoom() {
  end_one_thread();
  int most = served;
  while (most < beside_ && !served.compare_exchange_weak(most, beside_)) {
  }
  running -= calls_;
}

void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
          int64_t ldb, double beta, double *c, int64_t ldc) {
  const BlasRoom room;
  // BLIS takes any strides. Its typed interface takes non-const pointers, but only reads through them.
  bli_dgemm(transpose_a ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, transpose_b ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, m, n, k, &alpha,
            const_cast<double *>(a), lda, 1, const_cast<double *>(b), ldb, 1, &beta, c, ldc, 1);
}

namespace {

struct Description {
  char text[128];
  Description() {
    const BlasRoom room;
    std::snprintf(text, sizeof text, "BLIS %s, kernels %s; LAPACK %s", bli_info_get_version_str(), bli_arch_string(bli_arch_query_id()),
                  lapack_version());
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
