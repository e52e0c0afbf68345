// SPDX-License-Identifier: MIT
// Name, unit and description of the columns of each table; tests/symbols/check_columns.py compares them with the enums of the headers.
#include "theory/dotattn/options.hpp"

namespace atp::dotattn {

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
    {"alpha_positional_end", "", "alpha at which the positional branch first ends (it may return); infinity: above 30"},
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
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED; DIVERGED or CANCELLED with values of NaN"},
};

}  // namespace

constexpr TableKind kDotattnCurveTable = kind_of(ATP_TABLE_DOTATTN_CURVE, "ATP_TABLE_DOTATTN_CURVE", kDotattnCurve);
constexpr TableKind kDotattnTransitionTable = kind_of(ATP_TABLE_DOTATTN_TRANSITION, "ATP_TABLE_DOTATTN_TRANSITION", kDotattnTransition);
constexpr TableKind kDotattnTokensTable = kind_of(ATP_TABLE_DOTATTN_TOKENS, "ATP_TABLE_DOTATTN_TOKENS", kDotattnTokens);
constexpr TableKind kDotattnSimulationTable = kind_of(ATP_TABLE_DOTATTN_SIMULATION, "ATP_TABLE_DOTATTN_SIMULATION", kDotattnSimulation);
constexpr TableKind kDotattnDynamicsTable = kind_of(ATP_TABLE_DOTATTN_DYNAMICS, "ATP_TABLE_DOTATTN_DYNAMICS", kDotattnDynamics);
constexpr TableKind kDotattnTrajectoryTable = kind_of(ATP_TABLE_DOTATTN_TRAJECTORY, "ATP_TABLE_DOTATTN_TRAJECTORY", kDotattnTrajectory);

}  // namespace atp::dotattn
