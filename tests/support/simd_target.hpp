// SPDX-License-Identifier: MIT
// The target that a kernel test is about: ATP_SIMD, as for the library. Leaves with 77 (skip) where this machine lacks it.
#pragma once

#include "simd/targets.hpp"

#include <cstdio>
#include <cstdlib>

namespace atp {

inline Target tested_target() {
  try {
    return initial_target();
  } catch (const Error &e) {
    std::fprintf(stderr, "skipped: %s\n", e.what());
    std::exit(77);
  }
}

// Targets whose results must have the bits of the scalar reference.
inline bool has_fma(Target target) { return target != Target::sse4; }

}  // namespace atp
