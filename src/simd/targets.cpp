// SPDX-License-Identifier: MIT
#include "simd/targets.hpp"

#include "simd/limits.hpp"

#include <hwy/targets.h>

#include <cstdlib>
#include <cstring>

namespace atp {

const char *target_name(Target target) {
  switch (target) {
    case Target::scalar: return "scalar";
    case Target::sse4: return "sse4";
    case Target::avx2: return "avx2";
    case Target::avx512: return "avx512";
    case Target::neon: return "neon";
  }
  return "";
}

bool target_available(Target target) {
  int64_t bit = 0;
  switch (target) {
    case Target::scalar: return true;
    case Target::sse4: bit = HWY_SSE4; break;
    case Target::avx2: bit = HWY_AVX2; break;
    case Target::avx512: bit = HWY_AVX3; break;
#if HWY_ARCH_ARM_A64
    // Every 64-bit ARM has NEON. Highway also asks for AES, which some boards lack and no kernel uses, and
    // prints a message if it is missing.
    case Target::neon: return (static_cast<int64_t>(HWY_TARGETS) & HWY_NEON) != 0;
#else
    case Target::neon: bit = HWY_NEON; break;
#endif
  }
  const int64_t built = static_cast<int64_t>(HWY_TARGETS) & bit;
  return built != 0 && (hwy::SupportedTargets() & built) != 0;
}

Target best_target() {
  Target best = Target::scalar;
  for (Target target : kTargets)
    if (target_available(target)) best = target;
  return best;
}

Target target_from_name(const char *name) {
  if (std::strcmp(name, "auto") == 0) return best_target();
  for (Target target : kTargets) {
    if (std::strcmp(name, target_name(target)) != 0) continue;
    if (!target_available(target))
      fail(ATP_E_UNSUPPORTED, "SIMD target %s is not available here: the best is %s", name, target_name(best_target()));
    return target;
  }
  fail(ATP_E_UNSUPPORTED, "SIMD target \"%s\" does not exist: expected auto, scalar, sse4, avx2, avx512 or neon", name);
}

Target initial_target() {
  const char *name = std::getenv("ATP_SIMD");
  return name == nullptr || *name == '\0' ? best_target() : target_from_name(name);
}

}  // namespace atp
