// SPDX-License-Identifier: MIT
// The main of a kernel test, to be included after support.h: tests against the definition on every target, and tests against the scalar
// kernels where the target is another. Scalar kernels compared with themselves could not fail.
#pragma once

#include "simd_target.hpp"

namespace atp {

template <std::size_t kDefinition, std::size_t kScalar>
int run_kernel_tests(const CMUnitTest (&definition)[kDefinition], const CMUnitTest (&against_scalar)[kScalar]) {
  int failures = cmocka_run_group_tests(definition, nullptr, nullptr);
  if (tested_target() != Target::scalar) failures += cmocka_run_group_tests(against_scalar, nullptr, nullptr);
  return failures != 0;
}

}  // namespace atp
