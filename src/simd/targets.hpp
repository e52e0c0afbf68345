// SPDX-License-Identifier: MIT
// The SIMD targets that are compiled in, and those that this machine supports. "scalar" is always available: it
// is the specification of every kernel.
#pragma once

#include "base/context.hpp"

namespace atp {

const char *target_name(Target target);
// Compiled in and supported by this machine.
bool target_available(Target target);
Target best_target();
// Throws ATP_E_UNSUPPORTED if the name is unknown or the target is not available. "auto" gives best_target().
Target target_from_name(const char *name);
// The target of a new context: ATP_SIMD from the environment, or the best one. Throws as target_from_name.
Target initial_target();

inline constexpr Target kTargets[] = {Target::scalar, Target::sse4, Target::avx2, Target::avx512, Target::neon};

}  // namespace atp
