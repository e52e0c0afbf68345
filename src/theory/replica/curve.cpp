// SPDX-License-Identifier: MIT
#include "theory/replica/curve.hpp"

#include "base/error.hpp"
#include "math/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp::replica {

namespace {

constexpr double kFirstAlpha = 1e-3, kLastAlpha = 1e9;

// The smallest alpha whose loss is small enough, from kFirstAlpha or one sample up to kLastAlpha; NaN if there is none, or if `fill` fails.
// `fill(alphas, n)` computes the losses of up to kAlphasAtOnce rising alphas, false where it fails, and `enough(k)` says whether that of
// alphas[k] is small enough. A curve that only falls goes up by factors of 2, one at a time, another in steps of 2 per cent; the last step
// is halved.
template <class Fill, class Enough>
double smallest_alpha(const Targets &search, Fill &&fill, Enough &&enough) {
  const double kNone = std::nan("");
  const bool whole = search.parameters > 0;
  const double p = static_cast<double>(search.parameters), factor = search.falls ? 2 : 1.02;
  // Steps are in units of M or of alpha.
  const double last = whole ? kLastAlpha * p : kLastAlpha;
  const auto alpha_of = [&](double unit) { return whole ? unit / p : unit; };
  const auto step = [&](double unit) { return whole ? std::max(unit + 1, std::floor(unit * factor)) : unit * factor; };
  bool failed = false;
  const auto too_few = [&](double unit) {
    const double alpha = alpha_of(unit);
    if (!failed && !fill(&alpha, int64_t{1})) failed = true;
    return failed || !enough(0);
  };
  double below = 0, next = whole ? 1 : kFirstAlpha;
  while (next < last) {
    double units[kAlphasAtOnce], alphas[kAlphasAtOnce];
    const int64_t n = search.falls ? 1 : kAlphasAtOnce;
    for (int64_t k = 0; k < n; ++k, next = step(next)) alphas[k] = alpha_of(units[k] = next);
    if (!fill(alphas, n)) return kNone;
    for (int64_t k = 0; k < n; below = units[k++]) {
      if (!enough(k)) continue;
      if (below == 0) return alphas[0];
      double found = 0;
      if (whole)
        found = static_cast<double>(bisect(
                                        Bracket<int64_t>{static_cast<int64_t>(below), static_cast<int64_t>(units[k])},
                                        [&](int64_t samples) { return too_few(static_cast<double>(samples)); },
                                        [](Bracket<int64_t>) { return false; })
                                        .high);
      else
        found = bisect(Bracket<double>{below, units[k]}, too_few, [](Bracket<double> b) { return !(b.high - b.low > 1e-9 * b.high); }).high;
      return failed ? kNone : alpha_of(found);
    }
  }
  return kNone;
}

// A target above the loss of a student without samples needs none.
void require_samples(const LearningCurve &curve, const Targets &targets, int64_t k, double rho) {
  const double target = targets.losses[k], nothing = curve.loss_without_samples(rho);
  if (!(nothing > target * curve.optimum()))
    fail(ATP_E_VALUE, "targets" ATP_AT " is %g, must be less than %.6g: without samples the loss is that many times the best possible one",
         static_cast<long long>(k), target, nothing / curve.optimum());
}

// The progress of a curve or a search: so many rows of all.
bool report_rows(Reporter &reporter, int64_t done, int64_t all) {
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(done));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(all));
  return reporter.report(progress);
}

void put_row(const Row &row, double *rows, int64_t k) { std::memcpy(rows + k * ATP_REPLICA_COLUMNS, &row, sizeof row); }

}  // namespace

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

atp_outcome LearningCurve::fill_one_by_one(const double *alphas, int64_t n, Rows how, FunctionRef<Row(double alpha)> solve,
                                           Reporter &reporter, double *rows) const {
  Ranks &ranks = context_.ranks;
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < n; ++k) {
    if (cancelled) {
      put_row(cancelled_row(alphas[k], lambda_), rows, k);
      continue;
    }
    if (how == Rows::of_every_rank) {
      put_row(solve(alphas[k]), rows, k);
    } else if (k % ranks.size() == 0) {
      const int64_t own = k + ranks.rank();
      if (own < n) put_row(solve(alphas[own]), rows, own);
      ranks.gather(rows + k * ATP_REPLICA_COLUMNS, std::min(ranks.size(), n - k), static_cast<int64_t>(sizeof(Row)));
    }
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(rows[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_OUTCOME]);
    cancelled = report_rows(reporter, k + 1, n);
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : outcome;
}

std::size_t target_bytes() { return Scratch::piece<double>(kAlphasAtOnce * ATP_REPLICA_COLUMNS); }

atp_outcome fill_targets(LearningCurve &curve, const Targets &targets, Reporter &quiet, Reporter &reporter, double *rows) {
  const Scratch scratch(curve.context().allocator, target_bytes());
  double *found = scratch.arena().take<double>(kAlphasAtOnce, ATP_REPLICA_COLUMNS).data();
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < targets.n; ++k) {
    bool first = true;
    const auto fill = [&](const double *alphas, int64_t n) {
      if (outcome == ATP_OUTCOME_CANCELLED) return false;
      if (curve.fill(alphas, n, quiet, found) == ATP_OUTCOME_CANCELLED) outcome = ATP_OUTCOME_CANCELLED;
      if (!(curve.optimum() > 0)) fail(ATP_E_VALUE, "the best possible loss is 0, must be > 0 with targets");
      if (first && outcome != ATP_OUTCOME_CANCELLED) require_samples(curve, targets, k, found[ATP_REPLICA_RHO]);
      first = false;
      return outcome != ATP_OUTCOME_CANCELLED;
    };
    const double alpha = smallest_alpha(targets, fill, [&](int64_t row) {
      return found[row * ATP_REPLICA_COLUMNS + ATP_REPLICA_EG] <= targets.losses[k] * curve.optimum();
    });
    if (std::isnan(alpha) && outcome != ATP_OUTCOME_CANCELLED)
      fail(ATP_E_VALUE, "targets" ATP_AT " is %g, must be one that a smaller alpha than %g reaches", static_cast<long long>(k),
           targets.losses[k], kLastAlpha);
    if (std::isnan(alpha) || !fill(&alpha, 1)) {
      put_row(cancelled_row(std::nan(""), curve.lambda()), rows, k);
      continue;
    }
    std::copy(found, found + ATP_REPLICA_COLUMNS, rows + k * ATP_REPLICA_COLUMNS);
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(found[ATP_REPLICA_OUTCOME]);
    if (report_rows(reporter, k + 1, targets.n)) outcome = ATP_OUTCOME_CANCELLED;
  }
  return outcome;
}

}  // namespace atp::replica
