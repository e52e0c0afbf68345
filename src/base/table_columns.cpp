// SPDX-License-Identifier: MIT
// Name, unit and description of every column of every kind of table. tests/symbols/check_columns.py compares them with the enums of the
// public headers.
#include "base/table.hpp"

#include <cstring>

namespace atp {

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

constexpr ColumnInfo kTrainingLog[] = {
    {"epoch", "", "number of epochs or iterations done, as ATP_PROGRESS_STEP"},
    {"seconds", "s", "wall-clock time since the call began"},
    {"train_loss", "nats per site", "loss on the training sequences"},
    {"test_loss", "nats per site", "loss on the test alignment"},
    {"optimal_loss", "nats per site", "loss under the true conditionals on the test alignment"},
    {"coupling_error", "", "distance to the true couplings: see atp_model_coupling_error()"},
    {"gradient_norm", "", "Euclidean norm of the gradient of the objective"},
    {"rate", "", "learning rate; of L-BFGS the step length"},
    {"objective", "", "training loss plus penalties"},
};

constexpr ColumnInfo kTuning[] = {
    {"beta", "", "inverse temperature that was found"},
    {"beta_error", "", "standard error of beta, jackknife over ladders; infinite if the target was not reached"},
    {"hamming", "", "mean Hamming distance at beta, a fraction of the sites, interpolated between rungs"},
    {"hamming_error", "", "standard error of the measured distance"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER or CANCELLED"},
};

constexpr ColumnInfo kSampling[] = {
    {"beta", "", "inverse temperature of the sequences"},
    {"hamming", "", "mean Hamming distance between independent chains, a fraction of the sites; of one chain between all its sequences"},
    {"hamming_error", "", "standard error of hamming, jackknife over chains; 0 for fewer than three chains"},
    {"tau", "sweeps", "integrated autocorrelation time of the energy; 0: not measurable"},
    {"tau_error", "sweeps", "standard error of tau"},
    {"rhat", "", "split R-hat of the energy; 0: not measurable"},
    {"burn_in", "sweeps", "sweeps of a chain before the first sequence"},
    {"thin", "sweeps", "sweeps between two sequences of a chain"},
    {"temperatures", "", "rungs of the ladder; 1: no replica exchange"},
    {"beta_hot", "", "smallest beta of the ladder"},
    {"swap_rate", "", "smallest exchange rate between neighbours in the last pilot run; 1 without pilot runs"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED (the two runs agree), MAX_ITER (they do not) or DONE (ATP_PROTOCOL_CHAIN)"},
    {"overlap_rhat", "", "R-hat of overlaps, see atp_overlap_rhat(); 0: not measurable (fewer than 5 sequences of a chain)"},
};

constexpr ColumnInfo kContacts[] = {
    {"i", "", "number of the first site"},
    {"j", "", "number of the second site"},
    {"fn", "", "Frobenius norm, see atp_model_frobenius()"},
    {"apc", "", "the norm with average product correction: the score of the ranking"},
    {"site_i", "", "index of the first site, 0-based"},
    {"site_j", "", "index of the second site, above that of the first"},
};

constexpr ColumnInfo kWeights[] = {
    {"theta", "", "largest fraction of differing columns of neighbours"},
    {"effective", "", "effective number of sequences, the sum of the weights"},
    {"alone", "", "sequences without neighbours"},
    {"largest", "", "sequences in the largest neighbourhood, its centre included"},
};

constexpr ColumnInfo kSelection[] = {
    {"l2_couplings", "", "penalty on the couplings, absolute"},
    {"l2_fields", "", "penalty on the fields, absolute; NaN without fields"},
    {"heads", "", "attention heads; 0 for dense couplings"},
    {"heldout_loss", "", "weighted mean loss of held-out sequences, nats per predicted site"},
    {"standard_error", "", "standard error of heldout_loss, from the folds"},
    {"independent_loss", "", "held-out loss of the site-independent model"},
    {"excess", "", "heldout_loss minus independent_loss: below 0 where couplings help"},
    {"excess_error", "", "standard error of excess, from the folds"},
    {"evaluations", "", "gradients of all folds; of asymmetric couplings the mean over sites"},
    {"cost", "", "evaluations so far times sequences in them, divided by the sequences of the alignment"},
    {"substitution_loss", "", "held-out loss of accepted substitutions, nats; NaN if not the criterion"},
    {"substitution_error", "", "standard error of substitution_loss, from the folds"},
    {"independent_substitution_loss", "", "held-out loss of substitutions of the site-independent model"},
    {"chosen", "", "1 for the row that the rule chooses, else 0"},
};

constexpr ColumnInfo kMeasured[] = {
    {"mutations", "", "number of mutations of the mutants in the group; 0: all mutants"},
    {"measure", "atp_agreement", "an atp_agreement"},
    {"mutants", "", "number of measured mutants in the group"},
    {"value", "", "the measure; NaN where it is not defined"},
    {"low", "", "lower end of its 95 per cent interval; NaN without draws"},
    {"high", "", "upper end of its 95 per cent interval; NaN without draws"},
};

template <std::size_t N>
constexpr TableKind kind_of(atp_table_kind kind, const char *name, const ColumnInfo (&columns)[N]) {
  return {kind, name, columns, static_cast<int64_t>(N)};
}

constexpr TableKind kKinds[] = {
    kind_of(ATP_TABLE_REPLICA_CURVE, "ATP_TABLE_REPLICA_CURVE", kReplicaCurve),
    kind_of(ATP_TABLE_REPLICA_SIMULATION, "ATP_TABLE_REPLICA_SIMULATION", kReplicaSimulation),
    kind_of(ATP_TABLE_DOTATTN_CURVE, "ATP_TABLE_DOTATTN_CURVE", kDotattnCurve),
    kind_of(ATP_TABLE_DOTATTN_TRANSITION, "ATP_TABLE_DOTATTN_TRANSITION", kDotattnTransition),
    kind_of(ATP_TABLE_DOTATTN_TOKENS, "ATP_TABLE_DOTATTN_TOKENS", kDotattnTokens),
    kind_of(ATP_TABLE_DOTATTN_SIMULATION, "ATP_TABLE_DOTATTN_SIMULATION", kDotattnSimulation),
    kind_of(ATP_TABLE_TRAINING_LOG, "ATP_TABLE_TRAINING_LOG", kTrainingLog),
    kind_of(ATP_TABLE_TUNING, "ATP_TABLE_TUNING", kTuning),
    kind_of(ATP_TABLE_CONTACTS, "ATP_TABLE_CONTACTS", kContacts),
    kind_of(ATP_TABLE_SAMPLING, "ATP_TABLE_SAMPLING", kSampling),
    kind_of(ATP_TABLE_DOTATTN_DYNAMICS, "ATP_TABLE_DOTATTN_DYNAMICS", kDotattnDynamics),
    kind_of(ATP_TABLE_DOTATTN_TRAJECTORY, "ATP_TABLE_DOTATTN_TRAJECTORY", kDotattnTrajectory),
    kind_of(ATP_TABLE_WEIGHTS, "ATP_TABLE_WEIGHTS", kWeights),
    kind_of(ATP_TABLE_SELECTION, "ATP_TABLE_SELECTION", kSelection),
    kind_of(ATP_TABLE_MEASURED, "ATP_TABLE_MEASURED", kMeasured),
};

}  // namespace

const TableKind *find_table_kind(int kind) {
  for (const TableKind &known : kKinds)
    if (known.kind == kind) return &known;
  return nullptr;
}

const ColumnInfo *find_column(int kind, int column) {
  const TableKind *found = find_table_kind(kind);
  return found == nullptr || column < 0 || column >= found->count ? nullptr : found->columns + column;
}

int find_column(int kind, const char *name) {
  const TableKind *found = find_table_kind(kind);
  for (int k = 0; found != nullptr && name != nullptr && k < found->count; ++k)
    if (std::strcmp(found->columns[k].name, name) == 0) return k;
  return -1;
}

}  // namespace atp
