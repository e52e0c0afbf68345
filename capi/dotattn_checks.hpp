// SPDX-License-Identifier: MIT
// Checks that the functions of dotattn.h and its tasks share.
#pragma once

#include "handles.hpp"

namespace atp::dotattn {

inline void require_sigma(double sigma) { require_real(sigma, 1e-3, 1e3, "sigma"); }

// Finite numbers of magnitude at most `highest`.
inline void require_magnitude(const double *values, int64_t n, double highest, const char *name) {
  require_finite(values, n, name);
  for (int64_t k = 0; k < n; ++k)
    if (!(std::fabs(values[k]) <= highest))
      fail(ATP_E_VALUE, "%s[%lld] is %g, must be in -%g..%g", name, static_cast<long long>(k), values[k], highest, highest);
}

}  // namespace atp::dotattn
