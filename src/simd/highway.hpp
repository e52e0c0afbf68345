// SPDX-License-Identifier: MIT
// Highway, once per target; see dispatch.hpp. No include guard: foreach_target.h re-includes the kernel file.
#include "simd/limits.hpp"

#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>
