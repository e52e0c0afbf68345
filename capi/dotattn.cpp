// SPDX-License-Identifier: MIT
#include "dotattn_checks.hpp"

#include "dotattn/baseline.hpp"
#include "dotattn/curve.hpp"
#include "dotattn/transition.hpp"

#include <cstring>

using namespace atp;
using namespace atp::dotattn;

namespace {

constexpr const char *kColumnNames[] = {"branch",  "omega",      "alpha", "q",         "m",          "v",
                                        "theta",   "eg",         "et",    "eg_linear", "iterations", "residual",
                                        "outcome", "quadrature", "qhat",  "mhat",      "vhat",       "thetahat"};
static_assert(sizeof kColumnNames / sizeof kColumnNames[0] == ATP_DOTATTN_COLUMNS);

constexpr const char *kTransitionNames[] = {
    "omega",        "alpha_c",   "alpha_linear", "alpha_semantic", "alpha_positional", "alpha_positional_end", "error_c",
    "error_linear", "eg_linear", "et",           "iterations",     "outcome"};
static_assert(sizeof kTransitionNames / sizeof kTransitionNames[0] == ATP_DOTATTN_TRANSITION_COLUMNS);

constexpr int64_t kMostIterations = 1000000000;

// size = n * c with 1 <= c <= most; gives c.
int64_t columns_of(int64_t size, int64_t n, int64_t most, const char *what) {
  if (size < n || size % n != 0 || size / n > most)
    fail(ATP_E_SHAPE, "size is %lld, must be the %lld %s times 1 to %lld columns", static_cast<long long>(size), static_cast<long long>(n),
         what, static_cast<long long>(most));
  return size / n;
}

}  // namespace

const char *atp_dotattn_column_name(int column) noexcept {
  return column >= 0 && column < ATP_DOTATTN_COLUMNS ? kColumnNames[column] : nullptr;
}

int atp_dotattn_column_find(const char *name) noexcept {
  for (int k = 0; name != nullptr && k < ATP_DOTATTN_COLUMNS; ++k)
    if (std::strcmp(name, kColumnNames[k]) == 0) return k;
  return -1;
}

const char *atp_dotattn_transition_column_name(int column) noexcept {
  return column >= 0 && column < ATP_DOTATTN_TRANSITION_COLUMNS ? kTransitionNames[column] : nullptr;
}

atp_status atp_dotattn_bytes(atp_context *context, int64_t n_alphas, int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    require_range(n_alphas, 0, INT64_MAX / 1024, "n_alphas");
    *bytes = static_cast<int64_t>(scratch_bytes(*core(context), n_alphas));
  });
}

atp_status atp_dotattn_curve(atp_context *context, const double *teacher, int64_t teacher_size, double omega, double sigma, double lambda,
                             atp_dotattn_branch branch, const double *alphas, int64_t n_alphas, double accuracy, int64_t max_iter,
                             atp_progress_fn progress, void *user, double *rows, int64_t size, atp_outcome *outcome) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(teacher, "teacher");
    require(alphas, "alphas");
    require(rows, "rows");
    CurveRequest request;
    request.problem = require_problem(teacher, teacher_size, omega, sigma, lambda);
    if (branch != ATP_DOTATTN_SEMANTIC && branch != ATP_DOTATTN_POSITIONAL && branch != ATP_DOTATTN_UNINFORMED)
      fail(ATP_E_VALUE, "branch is %d, must be an atp_dotattn_branch", static_cast<int>(branch));
    request.kind = static_cast<Kind>(branch);
    require_list(alphas, n_alphas, 1e-6, 1e6, "alphas");
    request.alphas = alphas;
    request.n = n_alphas;
    require_real(accuracy, 1e-7, 1, "accuracy");
    request.accuracy = accuracy;
    require_range(max_iter, 1, kMostIterations, "max_iter");
    request.max_iter = max_iter;
    const int64_t columns = columns_of(size, n_alphas, ATP_DOTATTN_COLUMNS, "alphas");
    warn_of_rows(*core(context), teacher);
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = curve(*core(context), request, reporter, rows, columns);
    if (outcome != nullptr) *outcome = ended;
  });
}

atp_status atp_dotattn_transition(atp_context *context, const double *teacher, int64_t teacher_size, double sigma, double lambda,
                                  const double *omegas, int64_t n_omegas, double accuracy, int64_t max_iter, atp_progress_fn progress,
                                  void *user, double *rows, int64_t size, atp_outcome *outcome) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(teacher, "teacher");
    require(omegas, "omegas");
    require(rows, "rows");
    TransitionRequest request;
    request.problem = require_problem(teacher, teacher_size, 0, sigma, lambda);
    require_list(omegas, n_omegas, 0, 1, "omegas");
    request.omegas = omegas;
    request.n = n_omegas;
    require_real(accuracy, 1e-7, 1, "accuracy");
    request.accuracy = accuracy;
    require_range(max_iter, 1, kMostIterations, "max_iter");
    request.max_iter = max_iter;
    const int64_t columns = columns_of(size, n_omegas, ATP_DOTATTN_TRANSITION_COLUMNS, "omegas");
    warn_of_rows(*core(context), teacher);
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = transition(*core(context), request, reporter, rows, columns);
    if (outcome != nullptr) *outcome = ended;
  });
}

atp_status atp_dotattn_linear(const double *teacher, int64_t teacher_size, double omega, double sigma, double *map, int64_t map_size,
                              double *loss) noexcept {
  return guarded(nullptr, [&] {
    require(teacher, "teacher");
    const Problem problem = require_problem(teacher, teacher_size, omega, sigma, 0);
    if (map != nullptr) require_size(map_size, 4, "map_size");
    double best[4];
    const double smallest = linear_baseline(problem, best);
    if (map != nullptr) std::memcpy(map, best, sizeof best);
    if (loss != nullptr) *loss = smallest;
  });
}
