// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "dotattn/simulate.hpp"

#include <attopotts/dotattn_simulate.h>

#include <cstring>

using namespace atp;
using namespace atp::dotattn;

namespace {

using llong = long long;

constexpr const char *kColumnNames[] = {"alpha",    "eg",    "eg_sem",  "et",        "et_sem",  "q",           "q_sem",
                                        "m",        "m_sem", "theta",   "theta_sem", "q_least", "q_least_sem", "semantic",
                                        "gradient", "steps", "samples", "runs",      "outcome"};
static_assert(sizeof kColumnNames / sizeof kColumnNames[0] == ATP_DOTATTN_SIM_COLUMNS);

constexpr double kLowestAlpha = 1e-12, kHighestAlpha = 1e12, kHighestLambda = 1e12, kHighestSigma = 1e6, kHighestCode = 1e6;

void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

// What the memory of a simulation depends on.
Simulation require_shape(int64_t dimension, int64_t tokens, int64_t code_columns, int64_t rank, const double *alphas, int64_t n_alphas,
                         atp_optimizer optimizer, int64_t runs) {
  require(alphas, "alphas");
  require_range(dimension, 2, 1000000, "dimension");
  require_range(tokens, 2, kMostTokens, "tokens");
  require_range(code_columns, 1, dimension < kMostCode ? dimension : kMostCode, "code_columns");
  require_range(rank, 1, kMostRank, "rank");
  require_range(n_alphas, 1, INT64_MAX / 1024, "n_alphas");
  require_finite(alphas, n_alphas, "alphas");
  for (int64_t k = 0; k < n_alphas; ++k)
    if (!(alphas[k] >= kLowestAlpha && alphas[k] <= kHighestAlpha))
      fail(ATP_E_VALUE, "alphas[%lld] is %g, must be > 0, in %g..%g", static_cast<llong>(k), alphas[k], kLowestAlpha, kHighestAlpha);
  if (optimizer != ATP_OPTIMIZER_LBFGS && optimizer != ATP_OPTIMIZER_SGD && optimizer != ATP_OPTIMIZER_ADAM)
    fail(ATP_E_VALUE, "optimizer is %d, must be an atp_optimizer", static_cast<int>(optimizer));
  require_range(runs, 1, 1000000, "runs");
  Simulation simulation{};
  simulation.task.d = dimension;
  simulation.task.tokens = tokens;
  simulation.task.code_columns = code_columns;
  simulation.task.rank = rank;
  simulation.alphas = alphas;
  simulation.n_alphas = n_alphas;
  simulation.optimizer = optimizer;
  simulation.runs = runs;
  return simulation;
}

void require_start(atp_dotattn_start start, int64_t rank) {
  if (start < ATP_DOTATTN_START_SEMANTIC || start > ATP_DOTATTN_START_MIXED)
    fail(ATP_E_VALUE, "start is %d, must be an atp_dotattn_start", static_cast<int>(start));
  if (start == ATP_DOTATTN_START_MIXED && rank < 2) fail(ATP_E_VALUE, "start is MIXED with rank 1, must be another: it needs rank 2");
}

// A line for the log where a row of A does not sum to one.
void look_at_rows(const Context &context, const double *teacher, int64_t tokens) {
  for (int64_t a = 0; a < tokens; ++a) {
    double sum = 0;
    for (int64_t b = 0; b < tokens; ++b) sum += teacher[a * tokens + b];
    if (std::fabs(sum - 1) > 1e-9)
      context.message(ATP_LOG_WARNING, "row %lld of the teacher matrix sums to %g, not to 1", static_cast<llong>(a), sum);
  }
}

}  // namespace

const char *atp_dotattn_sim_column_name(int column) noexcept {
  return column >= 0 && column < ATP_DOTATTN_SIM_COLUMNS ? kColumnNames[column] : nullptr;
}

int atp_dotattn_sim_column_find(const char *name) noexcept {
  for (int k = 0; name != nullptr && k < ATP_DOTATTN_SIM_COLUMNS; ++k)
    if (std::strcmp(name, kColumnNames[k]) == 0) return k;
  return -1;
}

atp_status atp_dotattn_simulate_bytes(atp_context *context, int64_t dimension, int64_t tokens, int64_t code_columns, int64_t rank,
                                      const double *alphas, int64_t n_alphas, atp_optimizer optimizer, int64_t runs,
                                      int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    const Simulation simulation = require_shape(dimension, tokens, code_columns, rank, alphas, n_alphas, optimizer, runs);
    *bytes = static_cast<int64_t>(simulation_bytes(*core(context), simulation));
  });
}

atp_status atp_dotattn_simulate(atp_context *context, int64_t dimension, int64_t tokens, const double *code, int64_t code_columns,
                                int64_t code_size, int64_t rank, const double *teacher, int64_t teacher_size, double omega, double sigma,
                                double lambda, const double *alphas, int64_t n_alphas, atp_dotattn_start start, atp_optimizer optimizer,
                                int64_t steps, double rate, double tolerance, int64_t fresh, int64_t runs, uint64_t seed,
                                atp_progress_fn progress, void *user, double *rows, int64_t size, atp_outcome *outcome) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(code, "code");
    require(teacher, "teacher");
    require(rows, "rows");
    Simulation simulation = require_shape(dimension, tokens, code_columns, rank, alphas, n_alphas, optimizer, runs);
    require_size(code_size, tokens * code_columns, "code_size");
    require_size(teacher_size, tokens * tokens, "teacher_size");
    require_finite(code, code_size, "code");
    require_finite(teacher, teacher_size, "teacher");
    for (int64_t k = 0; k < code_size; ++k)
      if (std::fabs(code[k]) > kHighestCode)
        fail(ATP_E_VALUE, "code[%lld] is %g, must be in -%g..%g", static_cast<llong>(k), code[k], kHighestCode, kHighestCode);
    require_real(omega, 0, 1, "omega");
    if (!std::isfinite(sigma)) fail(ATP_E_NOT_FINITE, "sigma is %g, must be finite", sigma);
    if (!(sigma > 0 && sigma <= kHighestSigma)) fail(ATP_E_VALUE, "sigma is %g, must be > 0 and <= %g", sigma, kHighestSigma);
    require_real(lambda, 0, kHighestLambda, "lambda");
    require_start(start, rank);
    require_range(steps, 1, 1000000000, "steps");
    require_real(rate, 0, 1e6, "rate");
    require_real(tolerance, 0, 1e12, "tolerance");
    require_range(fresh, 1, 1000000000, "fresh");
    if (size < n_alphas || size % n_alphas != 0 || size / n_alphas > ATP_DOTATTN_SIM_COLUMNS)
      fail(ATP_E_SHAPE, "size is %lld, must be the %lld alphas times 1 to %d columns", static_cast<llong>(size),
           static_cast<llong>(n_alphas), ATP_DOTATTN_SIM_COLUMNS);
    look_at_rows(*core(context), teacher, tokens);
    simulation.task.code = code;
    simulation.task.teacher = teacher;
    simulation.task.omega = omega;
    simulation.task.sigma = sigma;
    simulation.task.lambda = lambda;
    simulation.start = start;
    simulation.steps = steps;
    simulation.rate = rate;
    simulation.tolerance = tolerance;
    simulation.fresh = fresh;
    simulation.seed = seed;
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = simulate(*core(context), simulation, reporter, rows, size / n_alphas);
    if (outcome != nullptr) *outcome = ended;
  });
}
