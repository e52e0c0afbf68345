// SPDX-License-Identifier: MIT
#include "run/blis_kernels.hpp"

#include "run/system.hpp"

#include <cstdio>
#include <cstdlib>

namespace cli {

#if (defined(__x86_64__) || defined(__i386__)) && (defined(ATP_BLIS_SKX) || defined(ATP_BLIS_HASWELL))

// The numbers of BLIS's kernel sets, from the header of BLIS in this build.
void choose_blis_kernels() {
  __builtin_cpu_init();
  int kernels = -1;
#ifdef ATP_BLIS_HASWELL
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels = ATP_BLIS_HASWELL;
#endif
#ifdef ATP_BLIS_SKX
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    kernels = ATP_BLIS_SKX;
#endif
  if (kernels < 0) return;
  char text[16];
  std::snprintf(text, sizeof text, "%d", kernels);
  set_default_variable("BLIS_ARCH_TYPE", text);
}

#else

void choose_blis_kernels() {}

#endif

}  // namespace cli
