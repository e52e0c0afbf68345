// SPDX-License-Identifier: MIT
#include "simd/targets.hpp"

#include "simd/limits.hpp"
#include "simd/processor.hpp"

#include <hwy/detect_targets.h>

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
  constexpr int64_t built = HWY_TARGETS;
  switch (target) {
    case Target::scalar: return true;
    case Target::sse4: return (built & HWY_SSE4) != 0 && processor().sse4;
    case Target::avx2: return (built & HWY_AVX2) != 0 && processor().avx2;
    case Target::avx512: return (built & HWY_AVX3) != 0 && processor().avx512;
    // Every 64-bit ARM has NEON; AES, which Highway asks for as well, no kernel uses.
    case Target::neon: return HWY_ARCH_ARM_A64 && (built & HWY_NEON) != 0;
  }
  return false;
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
