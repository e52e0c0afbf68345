// SPDX-License-Identifier: MIT
// In place of Highway's headers: no target but scalar, whose kernels need none (-Dhighway=disabled).
#pragma once

#define HWY_SSE4 (1LL << 0)
#define HWY_AVX2 (1LL << 1)
#define HWY_AVX3 (1LL << 2)
#define HWY_NEON (1LL << 3)
#define HWY_SCALAR (1LL << 4)
#define HWY_TARGETS HWY_SCALAR
#define HWY_TARGET HWY_SCALAR
#define HWY_ONCE 1
#define HWY_ARCH_ARM_A64 0
