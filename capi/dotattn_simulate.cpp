// SPDX-License-Identifier: MIT
#include "dotattn_task.hpp"

#include "dotattn/simulate.hpp"

#include <attopotts/dotattn_simulate.h>

#include <cstring>

using namespace atp;
using namespace atp::dotattn;

namespace {

constexpr const char *kColumnNames[] = {"alpha",    "eg",    "eg_sem",  "et",        "et_sem",  "q",           "q_sem",
                                        "m",        "m_sem", "theta",   "theta_sem", "q_least", "q_least_sem", "semantic",
                                        "gradient", "steps", "samples", "runs",      "outcome"};
static_assert(sizeof kColumnNames / sizeof kColumnNames[0] == ATP_DOTATTN_SIM_COLUMNS);

// What the memory of a simulation depends on.
Simulation require_shape(int64_t dimension, int64_t tokens, int64_t code_columns, int64_t rank, const double *alphas, int64_t n_alphas,
                         atp_optimizer optimizer, int64_t runs) {
  require(alphas, "alphas");
  require_range(dimension, 2, 1000000, "dimension");
  require_range(tokens, 2, kMostTokens, "tokens");
  require_range(code_columns, 1, dimension < kMostCode ? dimension : kMostCode, "code_columns");
  require_range(rank, 1, kMostRank, "rank");
  require_alphas(alphas, n_alphas);
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
    require_task(simulation.task, code, code_size, teacher, teacher_size, omega, sigma, lambda);
    require_start(start, rank);
    require_range(steps, 1, 1000000000, "steps");
    require_real(rate, 0, 1e6, "rate");
    require_real(tolerance, 0, 1e12, "tolerance");
    require_range(fresh, 1, 1000000000, "fresh");
    const int64_t columns = require_columns(size, n_alphas, ATP_DOTATTN_SIM_COLUMNS);
    look_at_rows(*core(context), teacher, tokens);
    simulation.start = start;
    simulation.steps = steps;
    simulation.rate = rate;
    simulation.tolerance = tolerance;
    simulation.fresh = fresh;
    simulation.seed = seed;
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = simulate(*core(context), simulation, reporter, rows, columns);
    if (outcome != nullptr) *outcome = ended;
  });
}
