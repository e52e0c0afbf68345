// SPDX-License-Identifier: MIT
// Checks that the functions of replica.h and its tasks share.
#pragma once

#include "handles.hpp"

namespace atp::replica {

inline void require_shift(double shift) {
  if (!std::isfinite(shift)) fail(ATP_E_NOT_FINITE, "shift is %g, must be finite", shift);
  if (!(shift > 2 && shift <= 1e6)) fail(ATP_E_VALUE, "shift is %.17g, must be > 2 and <= 1e+06", shift);
}

// Finite and symmetric up to rounding.
inline void require_symmetric(const double *matrix, int64_t n, const char *name) {
  require_finite(matrix, product_of(n, n), name);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double x = matrix[i * n + j], y = matrix[j * n + i];
      if (x != y && std::fabs(x - y) > 1e-10 * (std::fabs(x) + std::fabs(y) + std::sqrt(std::fabs(matrix[i * n + i] * matrix[j * n + j]))))
        fail(ATP_E_SYMMETRY, "%s[%lld][%lld] is %.17g and [%lld][%lld] %.17g, must be equal", name, static_cast<long long>(i),
             static_cast<long long>(j), x, static_cast<long long>(j), static_cast<long long>(i), y);
    }
}

}  // namespace atp::replica
