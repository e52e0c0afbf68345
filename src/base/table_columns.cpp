// SPDX-License-Identifier: MIT
// Name, unit and description of every column of every kind of table. tests/symbols/check_columns.py compares them with the enums of the
// public headers.
#include "base/table.hpp"

#include <cstring>

namespace atp {

namespace {

constexpr ColumnInfo kReplicaCurve[] = {
    {"alpha", "", "samples per parameter M / p"},
    {"lambda", "", "penalty per parameter"},
    {"eg", "", "generalisation loss, rho + q - 2 m + T V for the square loss"},
    {"et", "", "training loss, e_g / (1 + V)^2 at T = 0 for the square loss"},
    {"rho", "", "variance of y: the loss of w = 0"},
    {"q", "", "w . S w of two students from the same data; at T = 0 they are the same"},
    {"m", "", "w . S w*"},
    {"v", "", "response V; infinite where lambda = 0 and alpha <= 1"},
    {"qhat", "", "conjugate of q per parameter"},
    {"mhat", "", "conjugate of m per parameter"},
    {"vhat", "", "conjugate of V per parameter"},
    {"kappa", "", "lambda / V^ per parameter: the effective ridge penalty kappa"},
    {"norm", "", "|w|^2 of the minimum of the energy"},
    {"free_energy", "", "-(T / p) E log int dw (p / (2 pi T))^(p/2) exp(-energy / T); at T = 0 the smallest energy / p"},
    {"iterations", "", "steps of the solver; 0 where there is a closed form"},
    {"residual", "", "what is left of the equations when the solution is put back, relative"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER, or DIVERGED where e_g is infinite; STALLED (CONVEX)"},
    {"quadrature", "", "estimated relative error of quadratures; 0 where there are none"},
};

constexpr ColumnInfo kReplicaSimulation[] = {
    {"alpha", "", "M / p of the whole number M of samples"},
    {"eg", "", "generalisation loss, averaged exactly over inputs"},
    {"eg_sem", "", "its standard error; NaN for one realisation"},
    {"et", "", "training loss"},
    {"et_sem", "", "its standard error; NaN for one realisation"},
    {"samples", "", "M = max(1, alpha p rounded)"},
    {"realisations", "", "realisations made; 0, with losses of NaN, where the run was cancelled before"},
};

constexpr ColumnInfo kDotattnCurve[] = {
    {"branch", "atp_dotattn_branch", "an atp_dotattn_branch: UNINFORMED where the branch that was asked for does not exist"},
    {"omega", "", "share of positions in the teacher"},
    {"alpha", "", "samples per dimension n / d"},
    {"q", "", "sigma^2 |Q|^2 / d"},
    {"m", "", "sum_k Q_k / d"},
    {"v", "", "response V"},
    {"theta", "", "sigma^2 Q . Q* / d"},
    {"eg", "", "generalisation loss"},
    {"et", "", "training loss per d, penalty included"},
    {"eg_linear", "", "generalisation loss of the best linear map of positions; does not depend on alpha"},
    {"iterations", "", "applications of the equations that the row took"},
    {"residual", "", "largest relative change of q, V and the order parameter by one more application"},
    {"outcome", "atp_outcome", "an atp_outcome"},
    {"quadrature", "", "estimated relative error of quadratures: what the last refinement changed"},
    {"qhat", "", "q^"},
    {"mhat", "", "m^; 0 where m is held at 0"},
    {"vhat", "", "V^"},
    {"thetahat", "", "theta^; 0 where theta is held at 0"},
};

constexpr ColumnInfo kDotattnTransition[] = {
    {"omega", "", "share of positions in the teacher"},
    {"alpha_c", "", "the training losses cross: above it the semantic branch has the smaller one"},
    {"alpha_linear", "", "above it the branch of the smaller e_t has a smaller e_g than the linear map"},
    {"alpha_semantic", "", "where the semantic branch begins"},
    {"alpha_positional", "", "where the positional branch begins; 0: below 0.001"},
    {"alpha_positional_end", "", "where it ends first (it may come back); infinity: above 30"},
    {"error_c", "", "estimated error of alpha_c: what the last refinement of quadratures changed"},
    {"error_linear", "", "the same of alpha_linear"},
    {"eg_linear", "", "generalisation loss of the linear map"},
    {"et", "", "training loss of both branches at alpha_c"},
    {"iterations", "", "applications of the equations that the row took"},
    {"outcome", "atp_outcome", "an atp_outcome"},
};

constexpr ColumnInfo kDotattnTokens[] = {
    {"alpha", "", "samples per dimension"},
    {"eg", "", "generalisation loss"},
    {"eg_sem", "", "its standard error"},
    {"et", "", "training loss, penalty included"},
    {"et_sem", "", "its standard error"},
    {"q", "", "sigma^2 |Q|^2 / d, all ranks together"},
    {"q_sem", "", "its standard error"},
    {"m", "", "|Q . u / d|, the Euclidean norm over ranks and columns of the code; 0 where it is held at 0"},
    {"m_sem", "", "its standard error"},
    {"theta", "", "|sigma^2 Q . Q* / d|; 0 where it is held at 0"},
    {"theta_sem", "", "its standard error"},
    {"q_least", "", "smaller eigenvalue of sigma^2 Q_a . Q_b / d; for rank one the same as Q"},
    {"q_least_sem", "", "its standard error"},
    {"v", "", "response V, of rank two its trace"},
    {"v_sem", "", "its standard error"},
    {"iterations", "", "most applications of the equations for a shift"},
    {"residual", "", "largest change of an order parameter by one more application, relative to the largest of its kind"},
    {"points", "", "points of the lattice"},
    {"shifts", "", "random shifts; 0, with numbers of NaN, where it was cancelled before"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (with means of NaN) or CANCELLED"},
};

constexpr ColumnInfo kDotattnSimulation[] = {
    {"alpha", "", "n / d of the whole number n of samples"},
    {"eg", "", "generalisation loss: mean of |Y - Y^|^2 / 2d over samples that were not learned"},
    {"eg_sem", "", "its standard error"},
    {"et", "", "training loss: R / d at the end"},
    {"et_sem", "", "its standard error"},
    {"q", "", "sigma^2 |Q|^2 / d, all ranks together"},
    {"q_sem", "", "its standard error"},
    {"m", "", "Q . u / d"},
    {"m_sem", "", "its standard error"},
    {"theta", "", "sigma^2 Q . Q* / d"},
    {"theta_sem", "", "its standard error"},
    {"q_least", "", "smallest eigenvalue of sigma^2 Q_a . Q_b / d; for rank one the same as Q"},
    {"q_least_sem", "", "its standard error"},
    {"semantic", "", "fraction of the runs that end nearer to Q* than to the code, by the cosine"},
    {"gradient", "", "largest |dR/dQ| / sqrt(d) at the end of a run"},
    {"steps", "", "mean number of steps (gradient, Adam) or iterations (L-BFGS)"},
    {"samples", "", "n = max(1, alpha d rounded)"},
    {"runs", "", "runs made; 0, with numbers of NaN, where it was cancelled before all were"},
    {"outcome", "atp_outcome",
     "an atp_outcome: CONVERGED where all runs reached the tolerance; MAX_ITER or STALLED where one did not; DIVERGED, with means of NaN, "
     "where a number stopped being finite; CANCELLED"},
};

constexpr ColumnInfo kTrainingLog[] = {
    {"epoch", "", "epochs or iterations done, as ATP_PROGRESS_STEP"},
    {"seconds", "s", "wall-clock time since the call began"},
    {"train_loss", "nats per site", "loss on the training sequences"},
    {"test_loss", "nats per site", "loss on the test alignment"},
    {"optimal_loss", "nats per site", "loss under the true conditionals on the test alignment"},
    {"coupling_error", "", "see atp_model_coupling_error()"},
    {"gradient_norm", "", "Euclidean norm of the gradient of the objective"},
    {"rate", "", "learning rate, or the step length of a line search"},
    {"objective", "", "training loss plus penalties"},
};

constexpr ColumnInfo kTuning[] = {
    {"beta", "", "the inverse temperature that was found"},
    {"beta_error", "", "its standard error, jackknife over ladders; infinite where the target was not reached"},
    {"hamming", "", "mean distance at beta by interpolation between rungs, a fraction of the sites"},
    {"hamming_error", "", "standard error of the distance measured there"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER or CANCELLED"},
};

template <std::size_t N>
constexpr TableKind kind_of(atp_table_kind kind, const ColumnInfo (&columns)[N]) {
  return {kind, columns, static_cast<int64_t>(N)};
}

constexpr TableKind kKinds[] = {
    kind_of(ATP_TABLE_REPLICA_CURVE, kReplicaCurve),   kind_of(ATP_TABLE_REPLICA_SIMULATION, kReplicaSimulation),
    kind_of(ATP_TABLE_DOTATTN_CURVE, kDotattnCurve),   kind_of(ATP_TABLE_DOTATTN_TRANSITION, kDotattnTransition),
    kind_of(ATP_TABLE_DOTATTN_TOKENS, kDotattnTokens), kind_of(ATP_TABLE_DOTATTN_SIMULATION, kDotattnSimulation),
    kind_of(ATP_TABLE_TRAINING_LOG, kTrainingLog),     kind_of(ATP_TABLE_TUNING, kTuning),
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
