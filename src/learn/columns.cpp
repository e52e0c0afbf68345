// SPDX-License-Identifier: MIT
// Name, unit and description of the columns of each table; tests/symbols/check_columns.py compares them with the enums of the headers.
#include "learn/options.hpp"

namespace atp {

namespace {

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
    {"pearson", "", "of C_ij(a, b) of chains and family"},
    {"slope", "", "of C_ij(a, b) of chains against those of the family"},
    {"field_error", "", "mean |p_i(a) - f_i(a)| of chains and family"},
    {"pearson_random", "", "the same Pearson in equilibrium, from random starts"},
    {"slope_random", "", "the same slope in equilibrium, from random starts"},
    {"pearson_natural", "", "the same Pearson in equilibrium, from training sequences"},
    {"slope_natural", "", "the same slope in equilibrium, from training sequences"},
    {"mixing_sweeps", "sweeps", "sweeps after which chains had forgotten the training sequences they started from"},
    {"density", "", "fraction of the couplings J_ij(a, b) that are active"},
    {"gain", "nats", "gain of the couplings that became active, per sequence; of removed ones below 0"},
    {"pearson_sites", "", "Pearson of f_i(a) of chains and family"},
    {"slope_sites", "", "slope of f_i(a) of chains against those of the family"},
    {"pearson_pairs", "", "Pearson of f_ij(a, b) of chains and family"},
    {"slope_pairs", "", "slope of f_ij(a, b) of chains against those of the family"},
    {"pearson_test", "", "Pearson of C_ij(a, b) of chains and test alignment"},
    {"slope_test", "", "slope of C_ij(a, b) of chains against the test alignment"},
    {"site_entropy", "nats", "-sum_i sum_a p_i(a) log p_i(a) of the chains: an upper limit of the entropy, nats"},
    {"sweeps", "sweeps", "sweeps of the chains in this step"},
    {"swap_rate", "", "fraction of replica exchanges accepted in the verification, where there were any"},
    {"entropy", "nats", "entropy of the model that was verified, where it was in equilibrium"},
    {"entropy_error", "nats", "standard error of the entropy"},
    {"log_z", "", "log Z of the model that was verified, by annealed importance sampling"},
    {"log_z_error", "", "standard error of log Z"},
    {"pearson_test_sites", "", "Pearson of f_i(a) of chains and test alignment"},
    {"slope_test_sites", "", "slope of f_i(a) of chains against the test alignment"},
    {"pearson_test_pairs", "", "Pearson of f_ij(a, b) of chains and test alignment"},
    {"slope_test_pairs", "", "slope of f_ij(a, b) of chains against the test alignment"},
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

constexpr ColumnInfo kAsymptotics[] = {
    {"unknowns", "", "coordinates in which the estimate moves"},
    {"rank", "", "directions of these that the loss sees; the others are gauges"},
    {"samples", "", "M, sequences that are learned from"},
    {"loss", "nats per site", "loss of the model, per predicted site; of the likelihood the pseudo-likelihood"},
    {"trace", "nats", "trace of curvature times covariance of the estimate, times M"},
    {"excess", "nats per site", "expected excess of the loss that is minimised"},
    {"excess_pseudolikelihood", "nats per site", "expected excess of the pseudo-likelihood; NaN of autoregressive models"},
    {"coupling_error", "", "expected coupling error: see atp_model_coupling_error()"},
    {"slack", "nats per site", "what a Newton step on these averages would gain, 0 at a minimum"},
};

}  // namespace

constexpr TableKind kTrainingLogTable = kind_of(ATP_TABLE_TRAINING_LOG, "ATP_TABLE_TRAINING_LOG", kTrainingLog);
constexpr TableKind kSelectionTable = kind_of(ATP_TABLE_SELECTION, "ATP_TABLE_SELECTION", kSelection);

constexpr TableKind kAsymptoticsTable = kind_of(ATP_TABLE_ASYMPTOTICS, "ATP_TABLE_ASYMPTOTICS", kAsymptotics);

}  // namespace atp
