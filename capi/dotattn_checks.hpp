// SPDX-License-Identifier: MIT
// Checks that the functions of dotattn.h share.
#pragma once

#include "handles.hpp"

#include "dotattn/problem.hpp"

#include <attopotts/dotattn.h>

#include <cmath>
#include <cstring>

namespace atp::dotattn {

// A finite number in lowest..highest.
inline void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

inline void require_list(const double *values, int64_t n, double lowest, double highest, const char *name) {
  char count[32] = "n_";
  std::strncat(count, name, sizeof count - 3);
  require_range(n, 1, INT64_MAX / 1024, count);
  require_finite(values, n, name);
  for (int64_t k = 0; k < n; ++k)
    if (!(values[k] >= lowest && values[k] <= highest))
      fail(ATP_E_VALUE, "%s[%lld] is %g, must be in %g..%g", name, static_cast<long long>(k), values[k], lowest, highest);
}

inline Problem require_problem(const double *teacher, int64_t teacher_size, double omega, double sigma, double lambda) {
  require_size(teacher_size, 4, "teacher_size");
  require_finite(teacher, 4, "teacher");
  for (int64_t k = 0; k < 4; ++k)
    if (!(std::fabs(teacher[k]) <= 1e3))
      fail(ATP_E_VALUE, "teacher[%lld] is %g, must be in -1000..1000", static_cast<long long>(k), teacher[k]);
  require_real(omega, 0, 1, "omega");
  require_real(sigma, 1e-3, 1e3, "sigma");
  require_real(lambda, 0, 1e12, "lambda");
  Problem problem;
  problem.omega = omega;
  problem.sigma = sigma;
  problem.lambda = lambda;
  std::memcpy(problem.map, teacher, sizeof problem.map);
  return problem;
}

// A line in the log for each row of A that does not sum to one.
inline void warn_of_rows(const Context &context, const double *teacher) {
  for (int row = 0; row < 2; ++row) {
    const double sum = teacher[2 * row] + teacher[2 * row + 1];
    if (std::fabs(sum - 1) > 1e-12)
      context.message(ATP_LOG_WARNING, "teacher: row %d sums to %.15g, not to 1: no attention of the student can match it", row, sum);
  }
}

}  // namespace atp::dotattn
