// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/transition.hpp"

#include "theory/dotattn/two_tokens/baseline.hpp"
#include "theory/dotattn/two_tokens/search.hpp"

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

TransitionRow solve_row(const TransitionRequest &request, double omega, bool skipped, Integrator &integrator) {
  TransitionRow row = unsolved(omega), solved = row;
  Problem problem = request.problem;
  problem.omega = omega;
  row.eg_linear = solved.eg_linear = linear_baseline(problem, nullptr);
  if (skipped) return row;
  Solver solver(integrator, problem);
  solver.most = request.max_iter;
  solved.outcome = outcome_of(Search(solver, row.eg_linear).run(request.accuracy, solved));
  solved.iterations = static_cast<double>(solver.applications);
  return integrator.stopped() ? row : solved;
}

}  // namespace

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows, int64_t columns) {
  Scratch scratch(context.allocator, scratch_bytes(context, 0));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);
  Heartbeat heartbeat(reporter, static_cast<double>(request.n));
  integrator.watch(heartbeat, context.ranks);

  atp_outcome ended = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < request.n; ++k) {
    const TransitionRow row = solve_row(request, request.omegas[k], cancelled, integrator);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    if (ended == ATP_OUTCOME_CONVERGED) ended = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (!cancelled) cancelled = row.outcome == static_cast<double>(ATP_OUTCOME_CANCELLED) || heartbeat.step();
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : ended;
}

}  // namespace atp::dotattn
