// SPDX-License-Identifier: MIT
// Highway targets that we do not build: each costs a compilation of every kernel, and none is the best choice
// for a machine we know. Include this before any Highway header; detect_targets.h then gives the same
// HWY_TARGETS to every file.
#pragma once

#if !defined(HWY_DISABLED_TARGETS)
#if ATP_TINY  // AVX2 and AVX3, too: SSE4 is left
#define HWY_DISABLED_TARGETS ((1LL << 7) | (1LL << 8) | (1LL << 9) | (1LL << 12) | (1LL << 24) | (1LL << 25) | (1LL << 26) | (1LL << 27))
#else
#define HWY_DISABLED_TARGETS ((1LL << 7) | (1LL << 12) | (1LL << 24) | (1LL << 25) | (1LL << 26) | (1LL << 27))
// AVX3_DL, SSSE3, SVE2_128, SVE_256, SVE2, SVE: see docs/decisions/kernels.md
#endif
#endif
