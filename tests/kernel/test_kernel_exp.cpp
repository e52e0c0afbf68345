// SPDX-License-Identifier: MIT
// The exponential functions: scalar against the C library in float64, every target against scalar.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test_kernel_exp.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"
#include "simd/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

// n is a multiple of 16.
void exp_array(const float *x, float *e, int n) {
  const hwy::HWY_NAMESPACE::CappedTag<float, 16> d;
  for (int k = 0; k < n; k += static_cast<int>(Lanes(d))) StoreU(exp_f32v(d, LoadU(d, x + k)), d, e + k);
}
void exp2_array(const float *x, float *e, int n) {
  const hwy::HWY_NAMESPACE::CappedTag<float, 16> d;
  for (int k = 0; k < n; k += static_cast<int>(Lanes(d))) StoreU(exp2_f32v(d, LoadU(d, x + k)), d, e + k);
}

}  // namespace
struct ExpTable {
  void (*exp)(const float *, float *, int);
  void (*exp2)(const float *, float *, int);
};
extern const ExpTable table;  // not every target that is compiled is taken
const ExpTable table = {&exp_array, &exp2_array};
}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd_target.hpp"
#include "support.h"

#include <cmath>

using namespace atp;

namespace {

constexpr int kPoints = 1 << 20;
float x[kPoints], e[kPoints];

template <class Table>
void call(const Table &t, bool base2) {
  (base2 ? t.exp2 : t.exp)(x, e, kPoints);
}

void run(Target target, bool base2) {
  switch (target) {
#if HWY_TARGETS & HWY_SSE4
    case Target::sse4: return call(N_SSE4::table, base2);
#endif
#if HWY_TARGETS & HWY_AVX2
    case Target::avx2: return call(N_AVX2::table, base2);
#endif
#if HWY_TARGETS & HWY_AVX3
    case Target::avx512: return call(N_AVX3::table, base2);
#endif
#if HWY_TARGETS & HWY_NEON
    case Target::neon: return call(N_NEON::table, base2);
#endif
    default:
      for (int k = 0; k < kPoints; ++k) e[k] = base2 ? exp2_f32(x[k]) : exp_f32(x[k]);
  }
}

void check(bool base2, double lowest, double highest, double bound) {
  const Target target = tested_target();
  for (int k = 0; k < kPoints; ++k) x[k] = static_cast<float>(lowest + (highest - lowest) * k / (kPoints - 1));
  run(target, base2);
  double worst = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double exact = base2 ? std::exp2(static_cast<double>(x[k])) : std::exp(static_cast<double>(x[k]));
    const double error = std::fabs(e[k] - exact) / exact;
    if (!(error <= worst)) worst = error;
    if (has_fma(target)) assert_true(e[k] == (base2 ? exp2_f32(x[k]) : exp_f32(x[k])));
  }
  print_message("%s: largest relative error %.3g\n", base2 ? "exp2" : "exp", worst);
  assert_true(worst <= bound);
}

void exponential(void **) {
  check(false, -86, 88, has_fma(tested_target()) ? 1.5e-7 : 2e-7);
  check(false, -1, 1, 1.5e-7);
}
void power_of_two(void **) { check(true, -125, 126, has_fma(tested_target()) ? 1e-7 : 2e-7); }

void ends(void **) {
  const float points[16] = {0, -0.0f, -86.0001f, -87, -1e4f, -3e38f, -INFINITY, 88, 89, 1e30f, INFINITY, 1, -1, 2, 3, 4};
  for (int k = 0; k < kPoints; ++k) x[k] = points[k % 16];
  run(tested_target(), false);
  assert_true(e[0] == 1.0f && e[1] == 1.0f);
  for (int k = 2; k < 7; ++k) assert_true(e[k] == 0.0f);
  for (int k = 7; k < 11; ++k) assert_true(e[k] == exp_f32(88));
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest tests[] = {cmocka_unit_test(exponential), cmocka_unit_test(power_of_two), cmocka_unit_test(ends)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
#endif
