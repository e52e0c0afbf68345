// SPDX-License-Identifier: MIT
#include "dotattn/transition.hpp"

#include "dotattn/baseline.hpp"
#include "dotattn/search.hpp"

#include <cstring>
#include <limits>

namespace atp::dotattn {

namespace {

TransitionRow unsolved(double omega) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  TransitionRow row;
  row.omega = omega;
  row.alpha_c = row.alpha_linear = row.alpha_semantic = row.alpha_positional = row.alpha_positional_end = kNaN;
  row.error_c = row.error_linear = row.et = kNaN;
  row.outcome = ATP_OUTCOME_CANCELLED;
  return row;
}

}  // namespace

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows, int64_t columns) {
  Scratch scratch(context.allocator, scratch_bytes(context, 0));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);

  atp_outcome ended = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < request.n; ++k) {
    TransitionRow row = unsolved(request.omegas[k]);
    Problem problem = request.problem;
    problem.omega = row.omega;
    row.eg_linear = linear_baseline(problem, nullptr);
    const bool skipped = cancelled;
    if (!skipped) {
      Solver solver(integrator, problem);
      solver.most = request.max_iter;
      const Found found = Search(solver, row.eg_linear).run(request.accuracy, row);
      row.iterations = static_cast<double>(solver.applications);
      const atp_outcome outcome = outcome_of(found);
      row.outcome = outcome;
      if (ended == ATP_OUTCOME_CONVERGED) ended = outcome;
    }
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    if (skipped) continue;
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(k + 1));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(request.n));
    cancelled = reporter.report(progress);
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : ended;
}

}  // namespace atp::dotattn
