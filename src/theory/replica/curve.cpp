// SPDX-License-Identifier: MIT
#include "theory/replica/curve.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>

namespace atp::replica {

Row cancelled_row(double alpha, double lambda) {
  double numbers[ATP_REPLICA_COLUMNS];
  std::fill(numbers, numbers + ATP_REPLICA_COLUMNS, std::nan(""));
  Row row;
  std::memcpy(&row, numbers, sizeof row);
  row.alpha = alpha;
  row.lambda = lambda;
  row.outcome = ATP_OUTCOME_CANCELLED;
  return row;
}

void require_definite(const double *eigenvalues, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    if (eigenvalues[k] == 0) fail(ATP_E_VALUE, "eigenvalues" ATP_AT " is 0, must be > 0", static_cast<long long>(k));
}

void require_finite_response(const double *alphas, int64_t n, double lambda) {
  for (int64_t k = 0; lambda == 0 && k < n; ++k)
    if (alphas[k] <= 1)
      fail(ATP_E_VALUE, "lambda is 0 with alphas" ATP_AT " = %g, must be > 0 where an alpha is <= 1: V is infinite there",
           static_cast<long long>(k), alphas[k]);
}

atp_outcome curve_of_rows(Context &context, const CurveRequest &request, FunctionRef<Row(double alpha)> solve, Reporter &reporter,
                          double *rows, int64_t columns) {
  Ranks &ranks = context.ranks;
  const auto put = [&](int64_t k, const Row &row) { std::memcpy(rows + k * columns, &row, sizeof row); };
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < request.n_alphas; ++k) {
    if (cancelled) {
      put(k, cancelled_row(request.alphas[k], request.lambda));
      continue;
    }
    if (request.how == Rows::of_every_rank) {
      put(k, solve(request.alphas[k]));
    } else if (k % ranks.size() == 0) {
      const int64_t own = k + ranks.rank();
      if (own < request.n_alphas) put(own, solve(request.alphas[own]));
      ranks.gather(rows + k * columns, std::min(ranks.size(), request.n_alphas - k), columns * static_cast<int64_t>(sizeof(double)));
    }
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(rows[k * columns + ATP_REPLICA_OUTCOME]);
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(k + 1));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(request.n_alphas));
    cancelled = reporter.report(progress);
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : outcome;
}

}  // namespace atp::replica
