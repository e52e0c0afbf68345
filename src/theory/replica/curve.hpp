// SPDX-License-Identifier: MIT
// The rows of a learning curve, one for each alpha, with a report after each.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "math/optim/function.hpp"
#include "theory/replica/row.hpp"

namespace atp::replica {

// Rows of the quadratic loss take microseconds, less than a message: every rank makes all of them. Convex losses take up to
// milliseconds; there the ranks make a row each and gather them.
enum class Rows { of_every_rank, shared };

struct CurveRequest {
  const double *alphas;
  int64_t n_alphas;
  double lambda;
  Rows how;
};

// The row of an alpha that was not reached: NaN, with the outcome CANCELLED.
Row cancelled_row(double alpha, double lambda);

// Throws ATP_E_VALUE where an eigenvalue of the inputs' covariance is 0.
void require_definite(const double *eigenvalues, int64_t n);

// Throws ATP_E_VALUE where lambda = 0 makes V infinite.
void require_finite_response(const double *alphas, int64_t n, double lambda);

// Writes rows [n_alphas][columns]. Returns CANCELLED, or the first outcome that is not CONVERGED, or CONVERGED.
atp_outcome curve_of_rows(Context &context, const CurveRequest &request, FunctionRef<Row(double alpha)> solve, Reporter &reporter,
                          double *rows, int64_t columns);

}  // namespace atp::replica
