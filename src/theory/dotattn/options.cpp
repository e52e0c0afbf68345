// SPDX-License-Identifier: MIT
#include "theory/dotattn/options.hpp"

#include "base/error.hpp"
#include "math/lattice.hpp"

#include <attopotts/dotattn.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/task.h>

namespace atp::dotattn {

namespace {

constexpr OptionInfo
    kMaxIter = {ATP_OPT_MAX_ITER, "max-iter", true, 1, 1e9, 10000, "largest number of applications of the equations for a row"},
    kTolerance =
        {ATP_OPT_TOLERANCE, "tolerance", false, 1e-14, 1, 1e-7, "largest relative change of the order parameters in a step of a solution"},
    kRate = {ATP_OPT_RATE, "rate", false, 0, 1e6, 0, ""},
    kStudentRank = {ATP_OPT_STUDENT_RANK, "student-rank", true, 1, 2, 1, "rank of the student, 1 or 2"},
    kStart = {ATP_OPT_START,         "start", true, ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_MIXED, ATP_DOTATTN_START_SEMANTIC,
              "an atp_dotattn_start"},
    kStartScale = {ATP_OPT_START_SCALE, "start-scale", false, 1e-12, 1e6, 1, "factor of the initial parameters"},
    kPoints = {ATP_OPT_POINTS, "points", true, 16, 1 << 24, 4096, "lattice points, a power of two"},
    kShifts = {ATP_OPT_SHIFTS, "shifts", true, 2, 1024, 8, "random shifts of the lattice"};

void require_start(const Options &options) {
  const double theta = options.real(ATP_OPT_START_THETA), m = options.real(ATP_OPT_START_M);
  if (theta * theta + m * m > 1 + 1e-12)
    fail(ATP_E_CONFLICT, "start-theta is %g with start-m %g: the squares of two cosines sum to at most 1", theta, m);
}

// What every task has; the quadratures of two tokens need a smaller range of sigma.
constexpr OptionInfo kSigma = {ATP_OPT_SIGMA, "sigma", false, 1e-12, 1e6, 0.5, "standard deviation of the tokens"},
                     kSigmaOfTwo = kSigma.within(1e-3, 1e3),
                     kLambda = {ATP_OPT_LAMBDA, "lambda", false, 0, 1e12, 0.01, "strength of the L2 penalty"},
                     kOmega = {ATP_OPT_OMEGA, "omega", false, 0, 1, 0.3, "weight of the positional part in the teacher"};
constexpr auto kTaskRows = rows_of(kOmega, kSigma, kLambda);
constexpr auto kAccuracyRows = rows_of(OptionInfo{ATP_OPT_ACCURACY, "accuracy", false, 1e-7, 1, 1e-3, "relative accuracy of quadratures"});

constexpr auto kCurveRows =
    joined(joined(rows_of(kOmega, kSigmaOfTwo, kLambda), kAccuracyRows),
           rows_of(OptionInfo{ATP_OPT_BRANCH, "branch", true, ATP_DOTATTN_SEMANTIC, ATP_DOTATTN_UNINFORMED, ATP_DOTATTN_SEMANTIC,
                              "an atp_dotattn_branch: the branch of solutions"},
                   OptionInfo{ATP_OPT_BREAKING, "breaking", true, 0, 1, 0, "1: also one step of replica symmetry breaking"}, kMaxIter));
constexpr auto kTransitionRows = joined(joined(rows_of(kSigmaOfTwo, kLambda), kAccuracyRows), rows_of(kMaxIter.starting_at(100000)));
constexpr auto kTokensRows =
    joined(kTaskRows, rows_of(kStart.saying("an atp_dotattn_start: semantic, positional or mixed solutions"), kStudentRank, kPoints,
                              kShifts, seed_option(ATP_OPT_SEED), kTolerance, kMaxIter.within(1, 1e6).starting_at(500)));

// Simulations, in d dimensions.
constexpr auto kDescentRows =
    rows_of(OptionInfo{ATP_OPT_DIMENSION, "dimension", true, 2, 1e6, 1000, "d, the dimension of a token"},
            OptionInfo{ATP_OPT_TEST_SAMPLES, "test-samples", true, 1, 1e9, 1000, "samples for the generalisation loss"},
            OptionInfo{ATP_OPT_RUNS, "runs", true, 1, 1e6, 10, "teachers and data sets"}, kStartScale, seed_option(ATP_OPT_SEED));
constexpr auto kSimulationRows = joined(
    joined(kTaskRows, kDescentRows),
    rows_of(kStudentRank, kStart,
            OptionInfo{ATP_OPT_OPTIMIZER, "optimizer", true, ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_SGD,
                       "an atp_optimizer; sgd is plain gradient descent with all samples in a step"},
            OptionInfo{ATP_OPT_STEPS, "steps", true, 1, 1e9, 10000, "largest number of steps of a run"},
            kRate.saying("learning rate; 0: 0.15 of gradient descent, 0.02 of Adam"),
            kTolerance.within(0, 1).starting_at(1e-5).saying("a run ends when |dR/dQ| / sqrt(d) is at most this"),
            OptionInfo{ATP_OPT_RESTARTS, "restarts", true, 0, 1e6, 0,
                       "further descents, each from a perturbed copy of the lowest minimum so far"},
            OptionInfo{ATP_OPT_PERTURBATION, "perturbation", false, 0, 1e6, 0.3, "norm of this perturbation by that of the parameters"}));

// Against time, from a start with given cosines.
constexpr auto kTimeRows =
    rows_of(OptionInfo{ATP_OPT_START_THETA, "start-theta", false, -1, 1, 0, "cosine of the start with the teacher"},
            OptionInfo{ATP_OPT_START_M, "start-m", false, -1, 1, 0, "cosine of the start with the first direction of the code"});
constexpr auto kDynamicsRows = joined(
    joined(kTaskRows, kTimeRows),
    rows_of(kRate.within(1e-12, 1e6).starting_at(1).saying("learning rate"), kStartScale,
            OptionInfo{ATP_OPT_FLOW, "flow", true, 0, 1, 0, "1: the limit of small rates"}, kPoints.starting_at(1024), kShifts,
            seed_option(ATP_OPT_SEED),
            kTolerance.within(1e-13, 0.1).starting_at(1e-6).saying("largest error of a Runge-Kutta step, relative to the order parameters"),
            kMaxIter.starting_at(100000).saying("largest number of Runge-Kutta steps of a shift")));
constexpr auto kTrajectoryRows =
    joined(joined(joined(kTaskRows, kTimeRows), kDescentRows),
           rows_of(kRate.saying("learning rate; 0: 0.15, or 1 with alpha 0"),
                   OptionInfo{ATP_OPT_ALPHA, "alpha", false, 0, 1e12, 0, "samples per dimension; 0: online, a fresh one in each step"}));

}  // namespace

constexpr OptionTable kCurveOptions = table_of(ATP_TASK_DOTATTN_CURVE, "the task DOTATTN_CURVE", kCurveRows);
constexpr OptionTable kTransitionOptions = table_of(ATP_TASK_DOTATTN_TRANSITION, "the task DOTATTN_TRANSITION", kTransitionRows);
constexpr OptionTable kTokensOptions = table_of(ATP_TASK_DOTATTN_TOKENS, "the task DOTATTN_TOKENS", kTokensRows);
constexpr OptionTable kSimulationOptions = table_of(ATP_TASK_DOTATTN_SIMULATION, "the task DOTATTN_SIMULATION", kSimulationRows);
constexpr OptionTable kDynamicsOptions = table_of(ATP_TASK_DOTATTN_DYNAMICS, "the task DOTATTN_DYNAMICS", kDynamicsRows);
constexpr OptionTable kTrajectoryOptions = table_of(ATP_TASK_DOTATTN_TRAJECTORY, "the task DOTATTN_TRAJECTORY", kTrajectoryRows);

void settle_tokens(Options &options) {
  require_power_of_two(options.integer(ATP_OPT_POINTS));
  if (options.integer(ATP_OPT_START) == ATP_DOTATTN_START_RANDOM)
    fail(ATP_E_VALUE, "start is RANDOM, must be SEMANTIC, POSITIONAL or MIXED");
}

void settle_simulation(Options &options) {
  if (options.real(ATP_OPT_RATE) == 0) options.set(ATP_OPT_RATE, options.integer(ATP_OPT_OPTIMIZER) == ATP_OPTIMIZER_ADAM ? 0.02 : 0.15);
}

void settle_dynamics(Options &options) {
  require_power_of_two(options.integer(ATP_OPT_POINTS));
  require_start(options);
}

void settle_trajectory(Options &options) {
  if (options.real(ATP_OPT_RATE) == 0) options.set(ATP_OPT_RATE, options.real(ATP_OPT_ALPHA) > 0 ? 0.15 : 1.0);
  require_start(options);
}

}  // namespace atp::dotattn
