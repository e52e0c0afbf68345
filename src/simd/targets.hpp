// SPDX-License-Identifier: MIT
// Which SIMD targets are compiled in and which of them this machine has. "scalar" is always there: it is the specification of every kernel.
#pragma once

#include "base/context.hpp"

namespace atp {

const char *target_name(Target target);
// Compiled in and supported by this machine.
bool target_available(Target target);
Target best_target();
// Throw ATP_E_UNSUPPORTED for a name that is not known or not available; "auto" gives best_target().
Target target_from_name(const char *name);
// The target of a new context: ATP_SIMD from the environment, or the best. Throws as target_from_name.
Target initial_target();

inline constexpr Target kTargets[] = {Target::scalar, Target::sse4, Target::avx2, Target::avx512, Target::neon, Target::sve};

}  // namespace atp
