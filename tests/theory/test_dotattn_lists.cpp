// SPDX-License-Identifier: MIT
// Rows of a curve do not depend on the alphas that are asked for together: every alpha alone, in a list and in the list turned round, to
// the last bit, on a grid of problems and for all branches. The uninformed solution is there at every alpha as long as there is a penalty.
#include "counting.h"
#include "support.h"

#include "theory/dotattn/two_tokens/curve.hpp"
#include "simd/targets.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

using Reals = std::vector<double>;

std::vector<Row> rows_of(const Problem &problem, Kind kind, const Reals &alphas) {
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = 2;
  context.target = best_target();
  const CurveRequest request{problem, kind, alphas.data(), static_cast<int64_t>(alphas.size()), 0.1, 10000};
  std::vector<Row> rows(alphas.size());
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  curve(context, request, reporter, &rows[0].branch);
  return rows;
}

Problem problem_of(double omega, double sigma, double lambda, bool skew) {
  Problem problem;
  problem.omega = omega;
  problem.sigma = sigma;
  problem.lambda = lambda;
  const double map[4] = {0.7, 0.3, 0.2, 0.8};
  if (skew) std::copy(map, map + 4, problem.map);
  return problem;
}

// Rows of a list, of the list turned round, and of each alpha alone are the same numbers.
std::vector<Row> same_everywhere(const Problem &problem, Kind kind, const Reals &alphas) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Row> rows = rows_of(problem, kind, alphas);
  // Lists of two come down already.
  const std::vector<Row> turned =
      alphas.size() > 2 ? rows_of(problem, kind, Reals(alphas.rbegin(), alphas.rend())) : std::vector<Row>(rows.rbegin(), rows.rend());
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const std::vector<Row> alone = rows_of(problem, kind, {alphas[k]});
    assert_memory_equal(&alone[0], &rows[k], sizeof(Row));
    assert_memory_equal(&turned[alphas.size() - 1 - k], &rows[k], sizeof(Row));
    print_message("omega %g sigma %g lambda %g A %g branch %d alpha %g: branch %g outcome %g q %.6g V %.6g, %g applications\n",
                  problem.omega, problem.sigma, problem.lambda, problem.map[0], static_cast<int>(kind), alphas[k], rows[k].branch,
                  rows[k].outcome, rows[k].q, rows[k].v, rows[k].iterations);
  }
  print_message("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return rows;
}

void grid(void **) {
  const std::vector<Kind> all = {Kind::positional, Kind::semantic, Kind::uninformed};
  // Rows of a skew teacher, and those whose branch has ended, take 5 to 40 s of one core, others 2 s: the branches are shared out between
  // the problems.
  struct {
    double omega, sigma, lambda;
    bool skew;
    std::vector<Kind> kinds;
    Reals alphas;
  } const problems[] = {{0.3, 0.5, 0.01, false, all, {0.3, 12, 2.5}},
                        {0.3, 0.65, 0.01, false, {Kind::semantic, Kind::uninformed}, {4, 1.5}},
                        {0.4, 0.6, 0.02, true, {Kind::semantic}, {12, 2.5}},
                        {0.1, 1, 0.1, true, {Kind::uninformed}, {4, 1.5}}};
  for (const auto &p : problems)
    for (const Kind kind : p.kinds) {
      const Reals alphas(p.alphas.begin() + (quick() ? 1 : 0), p.alphas.end());
      for (const Row &row : same_everywhere(problem_of(p.omega, p.sigma, p.lambda, p.skew), kind, alphas)) {
        assert_true(row.outcome != ATP_OUTCOME_DIVERGED);
        if (row.outcome == ATP_OUTCOME_CONVERGED) assert_true(row.residual <= 1e-8 && row.quadrature <= 0.1 && row.q > 0 && row.v > 0);
      }
      if (left_out("grid (all but two alphas of one problem's positional branch, each alone and in one list)")) return;
    }
}

// Without a penalty V is infinite at few samples, and the row says so.
void without_penalty(void **) {
  skip_where_quick();
  const std::vector<Row> rows = same_everywhere(problem_of(0.3, 0.5, 0, false), Kind::uninformed, {0.01, 0.02});
  for (const Row &row : rows) assert_true(row.outcome == ATP_OUTCOME_DIVERGED && std::isnan(row.q));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(grid), cmocka_unit_test(without_penalty)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
