// SPDX-License-Identifier: MIT
// Selects one table of kernels per target. A family of kernels is one file NAME.cpp:
//
//     #undef HWY_TARGET_INCLUDE
//     #define HWY_TARGET_INCLUDE "simd/NAME.cpp"
//     #include "simd/highway.hpp"          // limits the targets, then hwy/foreach_target.h and hwy/highway.h
//     #if HWY_TARGET != HWY_SCALAR
//     HWY_BEFORE_NAMESPACE();
//     namespace atp::HWY_NAMESPACE { ...kernels...; const NameKernels table = {&kernel, ...}; }
//     HWY_AFTER_NAMESPACE();
//     #endif
//     #if HWY_ONCE
//     namespace atp { const NameKernels &name_kernels(Target t) { ATP_DISPATCH(t, table, scalar_table); } }
//     #endif
//
// NAME_scalar.cpp has the reference table. Highway has a target of one lane, too, which would be compiled on x86-64 although nothing
// selects it: it is left out. Tables are constant-initialised: nothing runs before main.
#pragma once

#include <hwy/detect_targets.h>

#if HWY_TARGETS & HWY_SSE4
#define ATP_CASE_SSE4(table) \
  case Target::sse4:         \
    return N_SSE4::table;
#else
#define ATP_CASE_SSE4(table)
#endif
#if HWY_TARGETS & HWY_AVX2
#define ATP_CASE_AVX2(table) \
  case Target::avx2:         \
    return N_AVX2::table;
#else
#define ATP_CASE_AVX2(table)
#endif
#if HWY_TARGETS & HWY_AVX3
#define ATP_CASE_AVX512(table) \
  case Target::avx512:         \
    return N_AVX3::table;
#else
#define ATP_CASE_AVX512(table)
#endif
#if HWY_TARGETS & HWY_NEON
#define ATP_CASE_NEON(table) \
  case Target::neon:         \
    return N_NEON::table;
#else
#define ATP_CASE_NEON(table)
#endif

#define ATP_DISPATCH(target, table, scalar) \
  switch (target) { ATP_CASE_SSE4(table) ATP_CASE_AVX2(table) ATP_CASE_AVX512(table) ATP_CASE_NEON(table) default : return scalar; }
