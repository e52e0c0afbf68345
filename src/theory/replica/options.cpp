// SPDX-License-Identifier: MIT
#include "theory/replica/options.hpp"

#include "base/error.hpp"
#include "math/lattice.hpp"

#include <attopotts/replica.h>
#include <attopotts/task.h>

namespace atp::replica {

namespace {

// The words of the values of enums, in the order of the constants.
constexpr const char *kLosses[] = {"square", "huber", "logistic"}, *kInputWords[] = {"normal", "cavity"};

constexpr OptionInfo
    kLambda = {ATP_OPT_LAMBDA, "lambda", false, 0, 1e12, 1e-8, "penalty on each parameter"},
    kNoise = {ATP_OPT_NOISE, "noise", false, 0, 1e300, 0, "variance of a masked value given the inputs"},
    kTemperature =
        {ATP_OPT_TEMPERATURE, "temperature", false, 0, 1e12, 0, "temperature of the student's Gibbs measure; 0: the minimum of the energy"},
    kMaxIter = {ATP_OPT_MAX_ITER, "max-iter", true, 1, 1e6, 10000, "largest number of iterations for a row"},
    kInputs = OptionInfo{ATP_OPT_INPUTS,
                         "inputs",
                         true,
                         ATP_REPLICA_INPUTS_NORMAL,
                         ATP_REPLICA_INPUTS_CAVITY,
                         ATP_REPLICA_INPUTS_NORMAL,
                         "how inputs and masked colour are distributed"}
                  .naming(ATP_REPLICA_INPUTS_NORMAL, kInputWords),
    kBestLambda = {ATP_OPT_BEST_LAMBDA, "best-lambda", true, 0, 1, 0, "1: the lambda of smallest e_g instead of `lambda`, for each alpha"},
    kParameters = {ATP_OPT_PARAMETERS,
                   "parameters",
                   true,
                   0,
                   kAnyCount,
                   0,
                   "with TARGETS, p of alpha = M / p for a whole number of samples M; 0: any alpha"},
    kRealisations = {ATP_OPT_REALISATIONS, "realisations", true, 1, 1e6, 30, "data sets for each alpha"};

constexpr auto kSquareRows = rows_of(kNoise, kLambda, kBestLambda, kTemperature, kParameters);
constexpr auto kSaddleRows = joined(kSquareRows, rows_of(kMaxIter));
constexpr auto kLimitRows = rows_of(
    OptionInfo{ATP_OPT_DIAGONAL_SHIFT, "diagonal-shift", false, 2, 1e6, 2.5, "z > 2 of the ensemble of precision matrices P = z I - J"},
    kLambda, kBestLambda, kTemperature, kParameters);
constexpr auto kConvexRows =
    rows_of(kNoise, kLambda,
            OptionInfo{ATP_OPT_LOSS, "loss", true, ATP_REPLICA_LOSS_SQUARE, ATP_REPLICA_LOSS_LOGISTIC, ATP_REPLICA_LOSS_SQUARE,
                       "the loss of the student"}
                .naming(ATP_REPLICA_LOSS_SQUARE, kLosses),
            OptionInfo{ATP_OPT_DELTA, "delta", false, 1e-12, 1e12, 1, "residual at which Huber's loss becomes linear"}, kInputs, kMaxIter,
            kParameters);
constexpr auto kPottsRows =
    rows_of(kLambda, kInputs, OptionInfo{ATP_OPT_POINTS, "points", true, 16, 1 << 24, 4096, "lattice points, a power of two"},
            OptionInfo{ATP_OPT_SHIFTS, "shifts", true, 2, 1024, 8, "random shifts of the lattice"}, seed_option(ATP_OPT_SEED), kMaxIter,
            kParameters);
constexpr auto kSimulationRows = rows_of(kNoise, kLambda, kRealisations, seed_option(ATP_OPT_SEED));
constexpr auto kPottsSimulationRows =
    rows_of(kLambda, kInputs, kRealisations,
            OptionInfo{ATP_OPT_TEST_SAMPLES, "test-samples", true, 1, 1e9, 10000, "samples for the generalisation loss of a data set"},
            seed_option(ATP_OPT_SEED));

}  // namespace

constexpr OptionTable kSquareOptions = table_of(ATP_TASK_REPLICA_SQUARE, "the task REPLICA_SQUARE", kSquareRows);
constexpr OptionTable kSaddleOptions = table_of(ATP_TASK_REPLICA_SADDLE, "the task REPLICA_SADDLE", kSaddleRows);
constexpr OptionTable kLimitOptions = table_of(ATP_TASK_REPLICA_LIMIT, "the task REPLICA_LIMIT", kLimitRows);
constexpr OptionTable kConvexOptions = table_of(ATP_TASK_REPLICA_CONVEX, "the task REPLICA_CONVEX", kConvexRows);
constexpr OptionTable kPottsOptions = table_of(ATP_TASK_REPLICA_POTTS, "the task REPLICA_POTTS", kPottsRows);
constexpr OptionTable kSimulationOptions = table_of(ATP_TASK_REPLICA_SIMULATION, "the task REPLICA_SIMULATION", kSimulationRows);
constexpr OptionTable kPottsSimulationOptions =
    table_of(ATP_TASK_REPLICA_POTTS_SIMULATION, "the task REPLICA_POTTS_SIMULATION", kPottsSimulationRows);

void settle_square(Options &options) {
  const double lambda = options.real(ATP_OPT_LAMBDA);
  if (options.flag(ATP_OPT_BEST_LAMBDA) && lambda != kLambda.initial)
    fail(ATP_E_CONFLICT, "lambda is %g with best-lambda, must be one of them", lambda);
}

void settle_limit(Options &options) {
  settle_square(options);
  if (const double shift = options.real(ATP_OPT_DIAGONAL_SHIFT); !(shift > 2))
    fail(ATP_E_VALUE, "diagonal-shift is %.17g, must be > 2", shift);
}

void settle_convex(Options &options) {
  const bool logistic = options.integer(ATP_OPT_LOSS) == ATP_REPLICA_LOSS_LOGISTIC;
  if (logistic && options.real(ATP_OPT_NOISE) != 0)
    fail(ATP_E_CONFLICT, "noise is %g, must be 0 for the logistic loss", options.real(ATP_OPT_NOISE));
  if (!logistic && options.integer(ATP_OPT_INPUTS) == ATP_REPLICA_INPUTS_CAVITY)
    fail(ATP_E_CONFLICT, "inputs is \"cavity\", must be \"normal\" for other losses than the logistic one");
}

void settle_potts(Options &options) { require_power_of_two(options.integer(ATP_OPT_POINTS)); }

// --- columns: tests/symbols/check_columns.py compares them with the enums of the headers ---

namespace {

constexpr ColumnInfo kReplicaCurve[] = {
    {"alpha", "", "samples per parameter, M / p"},
    {"lambda", "", "L2 penalty per parameter"},
    {"eg", "", "generalisation loss, rho + q - 2 m + T V for the square loss"},
    {"et", "", "training loss, e_g / (1 + V)^2 at T = 0 for the square loss"},
    {"rho", "", "variance of y: the loss of w = 0"},
    {"q", "", "w . S w' of two students w, w' from the same data; w = w' at T = 0"},
    {"m", "", "w . S w*, the overlap with the teacher"},
    {"v", "", "response V; infinite if lambda = 0 and alpha <= 1"},
    {"qhat", "", "conjugate of q per parameter"},
    {"mhat", "", "conjugate of m per parameter"},
    {"vhat", "", "conjugate of V per parameter"},
    {"kappa", "", "effective ridge penalty kappa = lambda / V^, per parameter"},
    {"norm", "", "|w|^2 at the minimum of the energy"},
    {"free_energy", "", "-(T / p) E log int dw (p / (2 pi T))^(p/2) exp(-energy / T); at T = 0 the smallest energy / p"},
    {"iterations", "", "iterations of the solver; 0 for a closed form"},
    {"residual", "", "relative residual of the equations at the solution"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (e_g is infinite) or, of CONVEX tasks, STALLED"},
    {"quadrature", "", "estimated relative error of the quadratures; 0 if there are none"},
};

constexpr ColumnInfo kReplicaSimulation[] = {
    {"alpha", "", "samples per parameter, M / p, after M is rounded"},
    {"eg", "", "generalisation loss; the average over inputs is exact"},
    {"eg_sem", "", "standard error of eg; NaN for one realisation"},
    {"et", "", "training loss"},
    {"et_sem", "", "standard error of et; NaN for one realisation"},
    {"samples", "", "number of samples, M = max(1, alpha p rounded)"},
    {"realisations", "", "number of realisations; 0, with losses of NaN, if the run was cancelled before"},
};

}  // namespace

constexpr TableKind kReplicaCurveTable = kind_of(ATP_TABLE_REPLICA_CURVE, "ATP_TABLE_REPLICA_CURVE", kReplicaCurve);
constexpr TableKind kReplicaSimulationTable = kind_of(ATP_TABLE_REPLICA_SIMULATION, "ATP_TABLE_REPLICA_SIMULATION", kReplicaSimulation);

}  // namespace atp::replica
