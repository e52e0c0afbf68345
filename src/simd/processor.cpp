// SPDX-License-Identifier: MIT
#include "simd/processor.hpp"

#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace atp {

#if defined(__x86_64__) || defined(__i386__)

namespace {

constexpr uint32_t bits() { return 0; }
template <class... More>
constexpr uint32_t bits(int first, More... more) {
  return uint32_t{1} << first | bits(more...);
}
bool all(uint32_t word, uint32_t wanted) { return (word & wanted) == wanted; }

// Intel's manual, volume 2A, CPUID; the sets are those of hwy/ops/set_macros-inl.h.
constexpr uint32_t kSse4 = bits(0, 1, 9, 19, 20, 25);        // leaf 1, ecx: SSE3, PCLMUL, SSSE3, SSE4.1, SSE4.2, AES
constexpr uint32_t kAvx = bits(12, 27, 28, 29);              // leaf 1, ecx: FMA, OSXSAVE, AVX, F16C
constexpr uint32_t kAvx2 = bits(3, 5, 8);                    // leaf 7, ebx: BMI1, AVX2, BMI2
constexpr uint32_t kAvx512 = bits(16, 17, 28, 30, 31);       // leaf 7, ebx: AVX512F, DQ, CD, BW, VL
constexpr uint32_t kLzcnt = bits(5);                         // leaf 0x80000001, ecx
constexpr uint32_t kYmm = bits(1, 2), kZmm = bits(5, 6, 7);  // XCR0: registers that the system saves

uint32_t saved_registers() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

Processor processor() {
  Processor found;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  found.sse4 = all(c, kSse4);
  if (!found.sse4 || !all(c, kAvx)) return found;
  const uint32_t saved = saved_registers();
  uint32_t extended = 0, leaf7 = 0;
  if (__get_cpuid(0x80000001u, &a, &b, &extended, &d) == 0 || __get_cpuid_count(7, 0, &a, &leaf7, &c, &d) == 0) return found;
  found.avx2 = all(extended, kLzcnt) && all(leaf7, kAvx2) && all(saved, kYmm);
  found.avx512 = found.avx2 && all(leaf7, kAvx512) && all(saved, kZmm);
  return found;
}

#else

Processor processor() { return {}; }

#endif

}  // namespace atp
