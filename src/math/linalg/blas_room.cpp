// SPDX-License-Identifier: MIT
#include "math/linalg/blas_room.hpp"

#include "base/error.hpp"
#include "base/system.hpp"

#include <blis.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

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
         static_cast<long long>(bytes >> 20));
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

}  // namespace atp
