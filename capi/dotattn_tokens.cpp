// SPDX-License-Identifier: MIT
#include "dotattn_task.hpp"

#include "dotattn/tokens.hpp"

#include <attopotts/dotattn_tokens.h>

#include <cstring>

using namespace atp;
using namespace atp::dotattn;

namespace {

constexpr const char *kColumnNames[] = {"alpha", "eg",         "eg_sem",   "et",        "et_sem",  "q",           "q_sem",
                                        "m",     "m_sem",      "theta",    "theta_sem", "q_least", "q_least_sem", "v",
                                        "v_sem", "iterations", "residual", "points",    "shifts",  "outcome"};
static_assert(sizeof kColumnNames / sizeof kColumnNames[0] == ATP_DOTATTN_TOKENS_COLUMNS);

// What the memory of the solver depends on.
Evolution require_shape(int64_t tokens, int64_t rank, int64_t n_alphas, int64_t points, int64_t shifts) {
  require_range(tokens, 2, kMostTokens, "tokens");
  require_range(rank, 1, kMostRank, "rank");
  require_range(n_alphas, 1, INT64_MAX / 1024, "n_alphas");
  require_range(points, 16, 1 << 24, "points");
  if ((points & (points - 1)) != 0) fail(ATP_E_VALUE, "points is %lld, must be a power of two", static_cast<long long>(points));
  require_range(shifts, 2, 1024, "shifts");
  Evolution evolution{};
  evolution.task.tokens = tokens;
  evolution.task.rank = rank;
  evolution.n_alphas = n_alphas;
  evolution.points = points;
  evolution.shifts = shifts;
  return evolution;
}

}  // namespace

const char *atp_dotattn_tokens_column_name(int column) noexcept {
  return column >= 0 && column < ATP_DOTATTN_TOKENS_COLUMNS ? kColumnNames[column] : nullptr;
}

int atp_dotattn_tokens_column_find(const char *name) noexcept {
  for (int k = 0; name != nullptr && k < ATP_DOTATTN_TOKENS_COLUMNS; ++k)
    if (std::strcmp(name, kColumnNames[k]) == 0) return k;
  return -1;
}

atp_status atp_dotattn_tokens_bytes(atp_context *context, int64_t tokens, int64_t rank, int64_t n_alphas, int64_t points, int64_t shifts,
                                    int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    const Evolution evolution = require_shape(tokens, rank, n_alphas, points, shifts);
    *bytes = static_cast<int64_t>(evolution_bytes(*core(context), evolution));
  });
}

atp_status atp_dotattn_tokens(atp_context *context, int64_t tokens, const double *code, int64_t code_columns, int64_t code_size,
                              int64_t rank, const double *teacher, int64_t teacher_size, double omega, double sigma, double lambda,
                              const double *alphas, int64_t n_alphas, atp_dotattn_start solution, int64_t points, int64_t shifts,
                              uint64_t seed, double tolerance, int64_t max_iter, atp_progress_fn progress, void *user, double *rows,
                              int64_t size, atp_outcome *outcome) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(code, "code");
    require(teacher, "teacher");
    require(alphas, "alphas");
    require(rows, "rows");
    Evolution evolution = require_shape(tokens, rank, n_alphas, points, shifts);
    require_alphas(alphas, n_alphas);
    require_range(code_columns, 1, rank == 1 ? kMostCode : 1, rank == 1 ? "code_columns" : "code_columns of a student of rank 2");
    evolution.task.code_columns = code_columns;
    require_task(evolution.task, code, code_size, teacher, teacher_size, omega, sigma, lambda);
    if (solution != ATP_DOTATTN_START_SEMANTIC && solution != ATP_DOTATTN_START_POSITIONAL && solution != ATP_DOTATTN_START_MIXED)
      fail(ATP_E_VALUE, "solution is %d, must be SEMANTIC, POSITIONAL or MIXED", static_cast<int>(solution));
    require_real(tolerance, 1e-14, 1, "tolerance");
    require_range(max_iter, 1, 1000000, "max_iter");
    const int64_t columns = require_columns(size, n_alphas, ATP_DOTATTN_TOKENS_COLUMNS);
    look_at_rows(*core(context), teacher, tokens);
    evolution.alphas = alphas;
    evolution.solution = solution;
    evolution.seed = seed;
    evolution.tolerance = tolerance;
    evolution.max_iter = max_iter;
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = evolve(*core(context), evolution, reporter, rows, columns);
    if (outcome != nullptr) *outcome = ended;
  });
}
