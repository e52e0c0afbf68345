// SPDX-License-Identifier: MIT
// Philox4x32-10 against the published known-answer vectors of Random123 (kat_vectors), and the normal quantile against tabulated values.
#include "support.h"

#include "base/philox.hpp"

using namespace atp;

namespace {

void known_answers(void **) {
  struct Case {
    PhiloxBlock counter;
    uint32_t key[2];
    PhiloxBlock expected;
  };
  const Case cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Case &c : cases) {
    const PhiloxBlock got = philox(static_cast<uint64_t>(c.key[1]) << 32 | c.key[0], c.counter);
    for (int k = 0; k < 4; ++k) assert_int_equal(got[k], c.expected[k]);
  }
}

void uniforms_stay_inside(void **) {
  assert_true(uniform_f32(0) > 0.0f);
  assert_true(uniform_f32(0xffffffffu) < 1.0f);
  assert_true(uniform_f64(0, 0) > 0.0);
  assert_true(uniform_f64(0xffffffffu, 0xffffffffu) < 1.0);
}

void quantiles(void **) {
  // From tables of the standard normal distribution to 15 digits.
  assert_close(normal_quantile(0.5), 0.0, 0, 1e-16);
  assert_close(normal_quantile(0.975), 1.959963984540054, 1e-15, 0);
  assert_close(normal_quantile(0.025), -1.959963984540054, 1e-15, 0);
  assert_close(normal_quantile(0.8413447460685429), 1.0, 1e-15, 0);
  assert_close(normal_quantile(1e-10), -6.361340902404056, 1e-14, 0);
  // The distribution function by the C library must undo it, out to the smallest uniform.
  for (double p : {0x1p-53, 1e-12, 1e-6, 1e-3, 0.1, 0.3, 0.49, 0.6, 0.9, 0.999})
    assert_close(0.5 * erfc(-normal_quantile(p) / sqrt(2.0)), p, 1e-13, 0);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(known_answers), cmocka_unit_test(uniforms_stay_inside), cmocka_unit_test(quantiles)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
