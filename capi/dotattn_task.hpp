// SPDX-License-Identifier: MIT
// Checks that simulation and theory of dot-product attention share.
#pragma once

#include "handles.hpp"

#include "dotattn/task.hpp"

#include <attopotts/dotattn_simulate.h>

namespace atp::dotattn {

inline constexpr double kLowestAlpha = 1e-12, kHighestAlpha = 1e12, kHighestLambda = 1e12, kHighestSigma = 1e6, kHighestCode = 1e6;

inline void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

inline void require_alphas(const double *alphas, int64_t n_alphas) {
  require_range(n_alphas, 1, INT64_MAX / 1024, "n_alphas");
  require_finite(alphas, n_alphas, "alphas");
  for (int64_t k = 0; k < n_alphas; ++k)
    if (!(alphas[k] >= kLowestAlpha && alphas[k] <= kHighestAlpha))
      fail(ATP_E_VALUE, "alphas[%lld] is %g, must be > 0, in %g..%g", static_cast<long long>(k), alphas[k], kLowestAlpha, kHighestAlpha);
}

// Code, teacher and the three numbers, into the task, whose tokens, code_columns and rank have been checked.
inline void require_task(Task &task, const double *code, int64_t code_size, const double *teacher, int64_t teacher_size, double omega,
                         double sigma, double lambda) {
  require_size(code_size, product_of(task.tokens, task.code_columns), "code_size");
  require_size(teacher_size, product_of(task.tokens, task.tokens), "teacher_size");
  require_finite(code, code_size, "code");
  require_finite(teacher, teacher_size, "teacher");
  for (int64_t k = 0; k < code_size; ++k)
    if (std::fabs(code[k]) > kHighestCode)
      fail(ATP_E_VALUE, "code[%lld] is %g, must be in -%g..%g", static_cast<long long>(k), code[k], kHighestCode, kHighestCode);
  require_real(omega, 0, 1, "omega");
  if (!std::isfinite(sigma)) fail(ATP_E_NOT_FINITE, "sigma is %g, must be finite", sigma);
  if (!(sigma > 0 && sigma <= kHighestSigma)) fail(ATP_E_VALUE, "sigma is %g, must be > 0 and <= %g", sigma, kHighestSigma);
  require_real(lambda, 0, kHighestLambda, "lambda");
  task.code = code;
  task.teacher = teacher;
  task.omega = omega;
  task.sigma = sigma;
  task.lambda = lambda;
}

// size = n * c with 1 <= c <= most; gives c.
inline int64_t require_columns(int64_t size, int64_t n, int most) {
  if (size < n || size % n != 0 || size / n > most)
    fail(ATP_E_SHAPE, "size is %lld, must be the %lld alphas times 1 to %d columns", static_cast<long long>(size),
         static_cast<long long>(n), most);
  return size / n;
}

// A line for the log where a row of A does not sum to one.
inline void look_at_rows(const Context &context, const double *teacher, int64_t tokens) {
  for (int64_t a = 0; a < tokens; ++a) {
    double sum = 0;
    for (int64_t b = 0; b < tokens; ++b) sum += teacher[a * tokens + b];
    if (std::fabs(sum - 1) > 1e-9)
      context.message(ATP_LOG_WARNING, "row %lld of the teacher matrix sums to %g, not to 1", static_cast<long long>(a), sum);
  }
}

}  // namespace atp::dotattn
