// SPDX-License-Identifier: MIT
#include "theory/dotattn/options.hpp"

#include "base/error.hpp"
#include "math/lattice.hpp"

#include <attopotts/dotattn.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/task.h>

namespace atp::dotattn {

namespace {

// The words of the values of enums, in the order of the constants.
constexpr const char *kBranches[] = {"semantic", "positional", "uninformed"}, *kStarts[] = {"semantic", "positional", "random", "mixed"};

constexpr OptionInfo
    kMaxIter = {ATP_OPT_MAX_ITER, "max-iter", true, 1, 1e9, 10000, "largest number of applications of the equations for a row"},
    kTolerance =
        {ATP_OPT_TOLERANCE, "tolerance", false, 1e-14, 1, 1e-7, "largest relative change of the order parameters in a step of a solution"},
    kRate = {ATP_OPT_RATE, "rate", false, 0, 1e6, 0, ""},
    kStudentRank = {ATP_OPT_STUDENT_RANK, "student-rank", true, 1, 2, 1, "rank of the student, 1 or 2"},
    kStart =
        OptionInfo{ATP_OPT_START,           "start", true, ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_MIXED, ATP_DOTATTN_START_SEMANTIC,
                   "where a descent starts"}
            .naming(ATP_DOTATTN_START_SEMANTIC, kStarts),
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
                              "the branch of solutions"}
                       .naming(ATP_DOTATTN_SEMANTIC, kBranches),
                   OptionInfo{ATP_OPT_BREAKING, "breaking", true, 0, 2, 0,
                              "1: also one step of replica symmetry breaking; 2: followed beyond the end of the branch"},
                   kMaxIter));
constexpr auto kTransitionRows = joined(joined(rows_of(kSigmaOfTwo, kLambda), kAccuracyRows), rows_of(kMaxIter.starting_at(100000)));
constexpr auto kTokensRows =
    joined(kTaskRows, rows_of(kStart.saying("which solutions are followed: semantic, positional or mixed"), kStudentRank, kPoints, kShifts,
                              seed_option(ATP_OPT_SEED), kTolerance, kMaxIter.within(1, 1e6).starting_at(500)));

constexpr auto kCosineRows =
    rows_of(OptionInfo{ATP_OPT_START_THETA, "start-theta", false, -1, 1, 0, "cosine of the start with the teacher"},
            OptionInfo{ATP_OPT_START_M, "start-m", false, -1, 1, 0, "cosine of the start with the first direction of the code"});

// Simulations, in d dimensions.
constexpr auto kDescentRows =
    rows_of(OptionInfo{ATP_OPT_DIMENSION, "dimension", true, 2, 1e6, 1000, "d, the dimension of a token"},
            OptionInfo{ATP_OPT_TEST_SAMPLES, "test-samples", true, 1, 1e9, 1000, "samples for the generalisation loss"},
            OptionInfo{ATP_OPT_RUNS, "runs", true, 1, 1e6, 10, "teachers and data sets"}, kStartScale, seed_option(ATP_OPT_SEED));
constexpr auto kSimulationRows = joined(
    joined(joined(kTaskRows, kDescentRows), kCosineRows),
    rows_of(kStudentRank, kStart,
            OptionInfo{ATP_OPT_OPTIMIZER, "optimizer", true, ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_SGD,
                       "the optimiser; sgd is plain gradient descent with all samples in a step"}
                .naming(ATP_OPTIMIZER_LBFGS, kOptimizerWords),
            OptionInfo{ATP_OPT_STEPS, "steps", true, 1, 1e9, 10000, "largest number of steps of a run"},
            kRate.saying("learning rate; 0: 0.15 of gradient descent, 0.02 of Adam"),
            kTolerance.within(0, 1).starting_at(1e-5).saying("a run ends when |dR/dQ| / sqrt(d) is at most this"),
            OptionInfo{ATP_OPT_RESTARTS, "restarts", true, 0, 1e6, 0,
                       "further descents, each from a perturbed copy of the lowest minimum so far"},
            OptionInfo{ATP_OPT_PERTURBATION, "perturbation", false, 0, 1e6, 0.3, "norm of this perturbation by that of the parameters"},
            OptionInfo{ATP_OPT_PROBES, "probes", true, 0, 1e6, 0, "random vectors for the response V; 0: no V, or 8 with flips"},
            OptionInfo{ATP_OPT_FLIPS, "flips", true, 0, 1e6, 0, "largest number of trials to move samples to their other wells"},
            OptionInfo{ATP_OPT_FLIP_MARGIN, "flip-margin", false, 0, 1e6, 10,
                       "other wells are tried that are higher by at most this part of the mean risk of a sample"}));

// Against time, from a start with given cosines.
constexpr auto kDynamicsRows = joined(
    joined(kTaskRows, kCosineRows),
    rows_of(kRate.within(1e-12, 1e6).starting_at(1).saying("learning rate"), kStartScale,
            OptionInfo{ATP_OPT_FLOW, "flow", true, 0, 1, 0, "1: the limit of small rates"}, kPoints.starting_at(1024), kShifts,
            seed_option(ATP_OPT_SEED),
            kTolerance.within(1e-13, 0.1).starting_at(1e-6).saying("largest error of a Runge-Kutta step, relative to the order parameters"),
            kMaxIter.starting_at(100000).saying("largest number of Runge-Kutta steps of a shift")));
constexpr auto kTrajectoryRows =
    joined(joined(joined(kTaskRows, kCosineRows), kDescentRows),
           rows_of(kRate.saying("learning rate; 0: 0.15, or 1 with alpha 0"),
                   OptionInfo{ATP_OPT_ALPHA, "alpha", false, 0, 1e12, 0, "samples per dimension; 0: online, a fresh one in each step"},
                   OptionInfo{ATP_OPT_LIMIT, "limit", true, 0, 2, 0,
                              "1: the limit of many dimensions; dimension sets the number of samples; 2: theta held at its start"}));

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
  require_start(options);
  if (options.integer(ATP_OPT_FLIPS) > 0) {
    if (options.integer(ATP_OPT_OPTIMIZER) != ATP_OPTIMIZER_LBFGS)
      fail(ATP_E_CONFLICT, "flips is %lld with an optimizer that is not LBFGS, must be 0",
           static_cast<long long>(options.integer(ATP_OPT_FLIPS)));
    if (options.integer(ATP_OPT_PROBES) == 0) options.set(ATP_OPT_PROBES, 8.0);
  }
  if (options.integer(ATP_OPT_PROBES) > 0 && options.integer(ATP_OPT_STUDENT_RANK) > 1)
    fail(ATP_E_CONFLICT, "probes is %lld with student-rank %lld, must be 0: V is of rank one",
         static_cast<long long>(options.integer(ATP_OPT_PROBES)), static_cast<long long>(options.integer(ATP_OPT_STUDENT_RANK)));
}

void settle_dynamics(Options &options) {
  require_power_of_two(options.integer(ATP_OPT_POINTS));
  require_start(options);
}

void settle_trajectory(Options &options) {
  if (options.real(ATP_OPT_RATE) == 0) options.set(ATP_OPT_RATE, options.real(ATP_OPT_ALPHA) > 0 ? 0.15 : 1.0);
  require_start(options);
  if (options.integer(ATP_OPT_LIMIT) != 0 && options.real(ATP_OPT_ALPHA) == 0)
    fail(ATP_E_CONFLICT, "limit is %lld and alpha 0: the limit of descents needs a number of samples, alpha > 0",
         static_cast<long long>(options.integer(ATP_OPT_LIMIT)));
}

// --- columns: tests/symbols/check_columns.py compares them with the enums of the headers ---

namespace {

constexpr ColumnInfo kDotattnCurve[] = {
    {"branch", "atp_dotattn_branch", "an atp_dotattn_branch; UNINFORMED if the requested branch does not exist"},
    {"omega", "", "weight of the positional part in the teacher"},
    {"alpha", "", "samples per dimension, n / d"},
    {"q", "", "order parameter sigma^2 |Q|^2 / d"},
    {"m", "", "positional overlap, sum_k Q_k / d"},
    {"v", "", "response V"},
    {"theta", "", "semantic overlap, sigma^2 Q . Q* / d"},
    {"eg", "", "generalisation loss"},
    {"et", "", "training loss per dimension, penalty included"},
    {"eg_linear", "", "generalisation loss of the best linear map of positions; does not depend on alpha"},
    {"iterations", "", "applications of the equations that the row needs, with those that rows share"},
    {"residual", "", "largest relative change of q, V and the overlap in one more application"},
    {"outcome", "atp_outcome", "an atp_outcome"},
    {"quadrature", "", "estimated relative error of the quadratures: change in the last refinement"},
    {"qhat", "", "conjugate of q"},
    {"mhat", "", "conjugate of m; 0 if m is held at 0"},
    {"vhat", "", "conjugate of V"},
    {"thetahat", "", "conjugate of theta; 0 if theta is held at 0"},
    {"replicon", "", "1 - alpha E |dx/dw - 1|_F^2 without the jumps of x; replica symmetry is unstable if it is negative"},
    {"jumps", "",
     "weight of the jumps of x: steps of e sqrt(q) see a replicon of REPLICON - JUMPS / e; replica symmetry is unstable if it is positive"},
    {"et_broken", "", "e_t with one step of replica symmetry breaking; this column and the next are NaN without"},
    {"eg_broken", "", "e_g with one step of breaking"},
    {"q1", "", "q of a minimum with one step of breaking"},
    {"q0", "", "overlap of two minima of different clusters"},
    {"v_broken", "", "response V with one step of breaking"},
    {"m_broken", "", "m with one step of breaking"},
    {"theta_broken", "", "theta with one step of breaking"},
    {"mu", "", "parameter of breaking: clusters at e_t + x have the density exp(mu d x)"},
    {"error_broken", "", "estimated error of ET_BROKEN - ET over ET_BROKEN: change in the last refinement"},
    {"outcome_broken", "atp_outcome", "an atp_outcome; NONE: not asked for, or the jumps of x are too rare for the quadrature"},
};

constexpr ColumnInfo kDotattnTransition[] = {
    {"omega", "", "weight of the positional part in the teacher"},
    {"alpha_c", "", "alpha above which the semantic branch has the smaller training loss"},
    {"alpha_linear", "", "alpha above which the branch with the smaller e_t has a smaller e_g than the linear map"},
    {"alpha_semantic", "", "alpha at which the semantic branch begins"},
    {"alpha_positional", "", "alpha at which the positional branch begins; 0: below 0.001"},
    {"alpha_positional_end", "", "alpha at which the symmetric positional branch first ends; infinity: above 30"},
    {"error_c", "", "estimated error of alpha_c: change in the last refinement of the quadratures"},
    {"error_linear", "", "estimated error of alpha_linear, likewise"},
    {"eg_linear", "", "generalisation loss of the best linear map of positions"},
    {"et", "", "training loss of both branches at alpha_c"},
    {"iterations", "", "number of applications of the equations"},
    {"outcome", "atp_outcome", "an atp_outcome"},
};

constexpr ColumnInfo kDotattnTokens[] = {
    {"alpha", "", "samples per dimension, n / d"},
    {"eg", "", "generalisation loss"},
    {"eg_sem", "", "standard error of eg"},
    {"et", "", "training loss per dimension, penalty included"},
    {"et_sem", "", "standard error of et"},
    {"q", "", "sigma^2 |Q|^2 / d, all ranks together"},
    {"q_sem", "", "standard error of q"},
    {"m", "", "positional overlap |Q . u / d|, Euclidean norm over ranks and columns of the code; 0 if held at 0"},
    {"m_sem", "", "standard error of m"},
    {"theta", "", "semantic overlap |sigma^2 Q . Q* / d|; 0 if held at 0"},
    {"theta_sem", "", "standard error of theta"},
    {"q_least", "", "smaller eigenvalue of sigma^2 Q_a . Q_b / d; equal to q for rank one"},
    {"q_least_sem", "", "standard error of q_least"},
    {"v", "", "response V; for rank two its trace"},
    {"v_sem", "", "standard error of v"},
    {"iterations", "", "largest number of applications of the equations for a shift"},
    {"residual", "", "largest change of an order parameter in one more application, over the largest of its kind"},
    {"points", "", "number of lattice points"},
    {"shifts", "", "number of random shifts; 0, with values of NaN, if the run was cancelled before"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (with means of NaN) or CANCELLED"},
};

constexpr ColumnInfo kDotattnSimulation[] = {
    {"alpha", "", "samples per dimension, n / d, after n is rounded"},
    {"eg", "", "generalisation loss: mean of |Y - Y^|^2 / 2d over samples that are not training samples"},
    {"eg_sem", "", "standard error of eg"},
    {"et", "", "training loss: R / d at the end of training"},
    {"et_sem", "", "standard error of et"},
    {"q", "", "sigma^2 |Q|^2 / d, all ranks together"},
    {"q_sem", "", "standard error of q"},
    {"m", "", "positional overlap, Q . u / d"},
    {"m_sem", "", "standard error of m"},
    {"theta", "", "semantic overlap, sigma^2 Q . Q* / d"},
    {"theta_sem", "", "standard error of theta"},
    {"q_least", "", "smallest eigenvalue of sigma^2 Q_a . Q_b / d; equal to q for rank one"},
    {"q_least_sem", "", "standard error of q_least"},
    {"semantic", "", "fraction of runs that end nearer to Q* than to the code, by the cosine"},
    {"gradient", "", "largest |dR/dQ| / sqrt(d) at the end of a run"},
    {"steps", "", "mean number of steps (gradient descent, Adam) or iterations (L-BFGS)"},
    {"samples", "", "number of samples, n = max(1, alpha d rounded)"},
    {"runs", "", "number of runs; 0, with values of NaN, if the task was cancelled before all were done"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED if all runs converged; if DIVERGED, the values are NaN"},
    {"v", "", "response V = sigma^2 tr H^-1 / d, H the Hessian of R; NaN without probes or if H has no inverse"},
    {"v_sem", "", "standard error of v"},
    {"flips", "", "mean number of samples that flips moved; this column and those below are NaN without flips"},
    {"trials", "", "mean number of trials of flips"},
    {"eg_excess", "", "eg before the flips less eg"},
    {"eg_excess_sem", "", "standard error of eg_excess, from pairs on the same data"},
    {"et_excess", "", "et before the flips less et"},
    {"et_excess_sem", "", "standard error of et_excess"},
    {"q_excess", "", "q before the flips less q"},
    {"q_excess_sem", "", "standard error of q_excess"},
    {"m_excess", "", "m before the flips less m"},
    {"m_excess_sem", "", "standard error of m_excess"},
    {"v_excess", "", "v before the flips less v"},
    {"v_excess_sem", "", "standard error of v_excess"},
};

constexpr ColumnInfo kDotattnDynamics[] = {
    {"time", "", "t: samples per dimension seen so far"},
    {"q", "", "sigma^2 |Q|^2 / d"},
    {"q_sem", "", "standard error of q"},
    {"m", "", "positional overlap Q . u / d; the Euclidean norm for several columns of the code"},
    {"m_sem", "", "standard error of m"},
    {"theta", "", "semantic overlap sigma^2 Q . Q* / d"},
    {"theta_sem", "", "standard error of theta"},
    {"eg", "", "generalisation loss"},
    {"eg_sem", "", "standard error of eg"},
    {"growth_m", "", "growth rate of a small m_0 at the present q with m = theta = 0, per unit of time"},
    {"growth_theta", "", "growth rate of a small theta, likewise"},
    {"spread_m", "", "sqrt(d) times the standard deviation of m from random starts; NaN from other starts"},
    {"spread_theta", "", "sqrt(d) times the standard deviation of theta, likewise"},
    {"iterations", "", "largest number of Runge-Kutta steps of a shift so far"},
    {"shifts", "", "number of random shifts; 0, with values of NaN, if the run was cancelled before"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED; MAX_ITER, DIVERGED or CANCELLED with values of NaN"},
};

constexpr ColumnInfo kDotattnTrajectory[] = {
    {"run", "", "number of the run: 0, 1, ..."},
    {"time", "", "samples per dimension seen so far, with repetitions"},
    {"steps", "", "number of steps so far"},
    {"q", "", "sigma^2 |Q|^2 / d"},
    {"m", "", "positional overlap Q . u / d"},
    {"theta", "", "semantic overlap sigma^2 Q . Q* / d"},
    {"eg", "", "generalisation loss: mean of |Y - Y^|^2 / 2d over samples that are not training samples"},
    {"et", "", "training loss R / d; NaN for online descent"},
    {"semantic", "", "1: nearer to Q* than to the code, by the cosine; 0: not"},
    {"gradient", "", "|gradient of the next step| / sqrt(d)"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED; MAX_ITER, DIVERGED or CANCELLED with values of NaN"},
    {"v", "", "response sigma^2 tr H^-1 / d, H the Hessian of R; NaN without limit, or if there is none"},
};

}  // namespace

constexpr TableKind kDotattnCurveTable = kind_of(ATP_TABLE_DOTATTN_CURVE, "ATP_TABLE_DOTATTN_CURVE", kDotattnCurve);
constexpr TableKind kDotattnTransitionTable = kind_of(ATP_TABLE_DOTATTN_TRANSITION, "ATP_TABLE_DOTATTN_TRANSITION", kDotattnTransition);
constexpr TableKind kDotattnTokensTable = kind_of(ATP_TABLE_DOTATTN_TOKENS, "ATP_TABLE_DOTATTN_TOKENS", kDotattnTokens);
constexpr TableKind kDotattnSimulationTable = kind_of(ATP_TABLE_DOTATTN_SIMULATION, "ATP_TABLE_DOTATTN_SIMULATION", kDotattnSimulation);
constexpr TableKind kDotattnDynamicsTable = kind_of(ATP_TABLE_DOTATTN_DYNAMICS, "ATP_TABLE_DOTATTN_DYNAMICS", kDotattnDynamics);
constexpr TableKind kDotattnTrajectoryTable = kind_of(ATP_TABLE_DOTATTN_TRAJECTORY, "ATP_TABLE_DOTATTN_TRAJECTORY", kDotattnTrajectory);

}  // namespace atp::dotattn
