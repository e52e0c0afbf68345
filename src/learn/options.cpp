// SPDX-License-Identifier: MIT
#include "learn/options.hpp"

#include <attopotts/selection.h>

namespace atp {

namespace {

// The words of the values of enums, in the order of the constants.
constexpr const char *kFamilies[] = {"factored", "dense", "encoder", "dial"}, *kAsymptoticFamilies[] = {"factored", "dense"},
                     *kMaps[] = {"free", "softmax", "lowrank"},
                     *kObjectives[] = {"pseudolikelihood", "mlm", "likelihood", "autoregressive"}, *kGaps[] = {"state", "ignore"},
                     *kL2Scales[] = {"absolute", "sites", "sites-colors", "weight"}, *kDiagonals[] = {"before", "after"},
                     *kScores[] = {"plain", "scaled"}, *kInitials[] = {"normal", "xavier"}, *kSchedules[] = {"cosine", "constant", "decay"},
                     *kOptimizers[] = {"lbfgs", "sgd", "adam", "scaled"}, *kChainStarts[] = {"persistent", "data", "random"},
                     *kSparsify[] = {"none", "activate", "decimate"}, *kFixed[] = {"none", "fields", "couplings"},
                     *kOrders[] = {"natural", "entropy", "entropy-descending"}, *kPositions[] = {"none", "sinusoidal"},
                     *kSelects[] = {"couplings", "heads"}, *kSelectionRules[] = {"minimum", "one-error"},
                     *kCriteria[] = {"sequences", "mutations"};

constexpr OptionInfo
    kPrecision = {ATP_OPT_PRECISION, "precision", true, 32, 64, 32, "32: SIMD with sums in float64; 64: the reference", 32},
    kMap = OptionInfo{ATP_OPT_MAP,
                      "map",
                      true,
                      0,
                      ATP_MAP_LOWRANK,
                      0,
                      "how attention maps follow from their parameters; 0: free, of the dial lowrank (at dial > 0 the only "
                      "one)"}
               .naming(ATP_MAP_FREE, kMaps),
    kObjective = OptionInfo{ATP_OPT_OBJECTIVE,
                            "objective",
                            true,
                            0,
                            ATP_OBJECTIVE_AUTOREGRESSIVE,
                            0,
                            "what is minimised; 0: the pseudo-likelihood, of encoder and dial by SGD or Adam masked tokens"}
                     .naming(ATP_OBJECTIVE_PSEUDOLIKELIHOOD, kObjectives),
    kOptimizer = OptionInfo{ATP_OPT_OPTIMIZER,
                            "optimizer",
                            true,
                            0,
                            ATP_OPTIMIZER_SCALED,
                            0,
                            "the optimiser; 0: L-BFGS, of encoder and dial SGD, of the likelihood scaled, or Adam where that has no scales"}
                     .naming(ATP_OPTIMIZER_LBFGS, kOptimizers),
    kRate =
        {ATP_OPT_RATE,
         "rate",
         false,
         0,
         1e6,
         0,
         "initial learning rate of SGD, Adam and scaled steps; 0: 0.5 with SGD, 0.01 with Adam, of encoder and dial 0.1 and 0.001, of the "
         "likelihood 0.05 (SGD), 0.01 (Adam), 0.05 (scaled; 0.1 of factored attention)"},
    kHistory = {ATP_OPT_HISTORY,
                "history",
                true,
                0,
                100,
                0,
                "pairs (step, change of the gradient) that L-BFGS keeps; 0: 8, or 5 for dense couplings that are not asymmetric"},
    kTolerance = {
        ATP_OPT_TOLERANCE,
        "tolerance",
        false,
        -1,
        1,
        -1,
        "stop when |gradient| <= tolerance * max(1, |parameters|); -1: 1e-5, for dense couplings, whose objective is a sum, times "
        "the sum of the weights and the square root of the number of predicted sites"};

// Options of the optimisers.
constexpr auto kTrainingRows =
    rows_of(seed_option(ATP_OPT_SEED), kPrecision,
            OptionInfo{ATP_OPT_BATCH, "batch", true, 1, kAnyCount, 100, "sequences in a step of SGD and Adam"},
            OptionInfo{ATP_OPT_EPOCHS, "epochs", true, 1, 1e9, 200,
                       "limit of the epochs of all runs together: length of the cosine schedule, or L-BFGS iterations"},
            OptionInfo{ATP_OPT_MOMENTUM, "momentum", false, 0, 0.9999, 0, "momentum of SGD"},
            OptionInfo{ATP_OPT_INIT_SCALE, "init-scale", false, 0, 1e3, 0.1, "standard deviation of random initial parameters"});

constexpr auto kTrainerRows = joined(
    joined(kTrainingRows, rows_of(kMap, kObjective, kOptimizer, kRate, kHistory, kTolerance)),
    rows_of(
        OptionInfo{ATP_OPT_FAMILY, "family", true, ATP_FAMILY_FACTORED, ATP_FAMILY_DIAL, ATP_FAMILY_FACTORED,
                   "what is learned: factored attention, dense couplings, encoder or dial"}
            .naming(ATP_FAMILY_FACTORED, kFamilies),
        OptionInfo{ATP_OPT_HEADS, "heads", true, 1, 1024, 1, "attention heads"},
        OptionInfo{ATP_OPT_RANK, "rank", true, 1, 4096, 16, "d of low-rank maps"},
        OptionInfo{ATP_OPT_FIELDS, "fields", true, 0, 1, 0, "1: factored attention learns fields b_i(a); 0: they are zero"},
        OptionInfo{ATP_OPT_COLORS_FIXED, "colors-fixed", true, 0, 1, 0, "1: V is not learned"},
        OptionInfo{
            ATP_OPT_L2_COUPLINGS, "l2-couplings", false, -1, 1e12, -1,
            "penalty on the parameters of the maps A, or on dense couplings; -1: 0 for factored attention, 0.2 (L - 1) for dense "
            "couplings, 0.01 times the sum of the weights where they are autoregressive; of the likelihood, whose penalties are beside a "
            "mean over the sequences and not a sum, -1 is 0"},
        OptionInfo{
            ATP_OPT_L2_COLORS, "l2-colors", false, 0, 1e12, 0,
            "penalty on V; where V is learned, a penalty on A needs one on V, too: else A shrinks while V grows, and there is no minimum"},
        OptionInfo{
            ATP_OPT_L2_FIELDS, "l2-fields", false, -1, 1e12, -1,
            "penalty on the fields; -1: 0 for factored attention, 0.01 for dense couplings, 0.1 where they are autoregressive, 0 of the "
            "likelihood"},
        OptionInfo{ATP_OPT_ASYMMETRIC, "asymmetric", true, 0, 1, 0,
                   "1: dense couplings are the means of J_ij(a, b) and J_ji(b, a) of independent regressions for each site"},
        OptionInfo{ATP_OPT_GAPS, "gaps", true, ATP_GAPS_STATE, ATP_GAPS_IGNORE, ATP_GAPS_STATE, "whether a gap is a colour like the others"}
            .naming(ATP_GAPS_STATE, kGaps),
        OptionInfo{ATP_OPT_L2_SCALE, "l2-scale", true, ATP_L2_ABSOLUTE, ATP_L2_WEIGHT, ATP_L2_ABSOLUTE,
                   "what the penalties of dense couplings are multiplied by"}
            .naming(ATP_L2_ABSOLUTE, kL2Scales),
        OptionInfo{ATP_OPT_MASK_PROBABILITY, "mask-probability", false, 0, 1, 0,
                   "each site is masked with this probability, of factored attention with the objective mlm; 0: one random site of each "
                   "sequence and epoch"},
        OptionInfo{ATP_OPT_ORDER, "order", true, ATP_ORDER_NATURAL, ATP_ORDER_ENTROPY_DESCENDING, ATP_ORDER_ENTROPY,
                   "order of the sites of an autoregressive model, by their numbers or by the entropy of their colours"}
            .naming(ATP_ORDER_NATURAL, kOrders),
        OptionInfo{ATP_OPT_DIAGONAL, "diagonal", true, ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER, ATP_DIAGONAL_BEFORE,
                   "when softmax and low-rank maps lose their diagonal, before or after the softmax"}
            .naming(ATP_DIAGONAL_BEFORE, kDiagonals),
        OptionInfo{ATP_OPT_SCORES_SCALED, "scores-scaled", true, 0, 1, 1,
                   "1: scores of low-rank maps are Q_i . K_j / sqrt(d); 0: Q_i . K_j"}
            .naming(0, kScores),
        OptionInfo{ATP_OPT_SYMMETRIZED, "symmetrized", true, 0, 1, 0, "1: couplings are (C_ij(a, b) + C_ji(b, a)) / 2"},
        OptionInfo{ATP_OPT_VALUES_SHARED, "values-shared", true, 0, 1, 0, "1: all heads have one V"},
        OptionInfo{ATP_OPT_L2_PAIRS, "l2-pairs", false, 0, 1e12, 0, "penalty on the couplings C_ij(a, b) themselves"},
        OptionInfo{ATP_OPT_NORM_PAIRS, "norm-pairs", false, 0, 1e12, 0,
                   "penalty on the norm of all couplings C_ij(a, b), which is not squared"},
        OptionInfo{ATP_OPT_NORM_FIELDS, "norm-fields", false, 0, 1e12, 0, "penalty on the norm of all fields, which is not squared"},
        OptionInfo{ATP_OPT_INITIAL, "initial", true, ATP_INITIAL_NORMAL, ATP_INITIAL_XAVIER, ATP_INITIAL_NORMAL,
                   "how the initial parameters of factored attention are drawn"}
            .naming(ATP_INITIAL_NORMAL, kInitials),
        OptionInfo{ATP_OPT_SCHEDULE, "schedule", true, 0, ATP_SCHEDULE_DECAY, 0,
                   "how the rate of SGD, Adam and scaled steps changes; 0: cosine, of the likelihood decay"}
            .naming(ATP_SCHEDULE_COSINE, kSchedules),
        OptionInfo{ATP_OPT_BLOCKS, "blocks", true, 1, 16, 1, "blocks of the encoder"},
        OptionInfo{ATP_OPT_WIDTH, "width", true, 0, 4096, 0, "d, dimension of the embeddings; 0: 20, of the dial the number of colours"},
        OptionInfo{ATP_OPT_HIDDEN, "hidden", true, 0, 65536, 0, "width of the encoder's two-layer networks; 0: 2 d"},
        OptionInfo{ATP_OPT_POSITIONS, "positions", true, ATP_POSITIONS_NONE, ATP_POSITIONS_SINUSOIDAL, ATP_POSITIONS_SINUSOIDAL,
                   "positional code of the encoder"}
            .naming(ATP_POSITIONS_NONE, kPositions),
        OptionInfo{ATP_OPT_DIAL, "dial", false, 0, 1, 0, "a of the dial; 0: factored attention; 1: plain attention"}));

// Options of the likelihood.
constexpr auto kAllTrainerRows = joined(
    kTrainerRows,
    rows_of(
        OptionInfo{ATP_OPT_CHAINS, "chains", true, 0, 1 << 24, 0,
                   "Gibbs chains of the likelihood; 0: 2000, or twice as many as their noise asks for at the target, at most 8192"},
        OptionInfo{
            ATP_OPT_SWEEPS, "sweeps", true, 0, 1e6, 0,
            "sweeps of a chain in a step of the likelihood; 0: 2, and after a verification that failed 1/16 of the measured mixing time, "
            "at most 64"},
        OptionInfo{ATP_OPT_TEMPERATURES, "temperatures", true, 1, 16, 5,
                   "rungs of the replica exchange of chains that verify and do not forget their starts in 4096 sweeps; 1: no exchange"},
        OptionInfo{ATP_OPT_RANDOM_CHAINS, "random-chains", false, 0, 1, 0.1,
                   "this fraction of persistent chains starts at random colours in each step and makes ten times the sweeps"},
        OptionInfo{ATP_OPT_CHAIN_START, "chain-start", true, ATP_CHAIN_START_PERSISTENT, ATP_CHAIN_START_RANDOM, ATP_CHAIN_START_PERSISTENT,
                   "where the chains of a step start"}
            .naming(ATP_CHAIN_START_PERSISTENT, kChainStarts),
        OptionInfo{ATP_OPT_FIXED, "fixed", true, ATP_FIXED_NONE, ATP_FIXED_COUPLINGS, ATP_FIXED_NONE,
                   "parameters of the start that the likelihood does not move"}
            .naming(ATP_FIXED_NONE, kFixed),
        OptionInfo{ATP_OPT_PSEUDOCOUNT, "pseudocount", false, -1, 1, -1,
                   "weight of uniform frequencies in those of the family; -1: 1 / sum of the weights, at most 1/2"},
        OptionInfo{ATP_OPT_TARGET, "target", false, 0, 1, 0.95,
                   "the likelihood has converged where C_ij of equilibrium samples have this Pearson correlation with those of the family, "
                   "and a slope of 0.95 to 1.05, from random starts and from training sequences; 1: never"},
        OptionInfo{ATP_OPT_L1_COUPLINGS, "l1-couplings", false, 0, 1e12, 0, "penalty on |J_ij(a, b)|, with scaled steps"},
        OptionInfo{ATP_OPT_DECAY, "decay", false, 1e-3, 1e9, 30, "steps after which the rate of the schedule decay is half the first"},
        OptionInfo{ATP_OPT_SPARSIFY, "sparsify", true, ATP_SPARSIFY_NONE, ATP_SPARSIFY_DECIMATE, ATP_SPARSIFY_NONE,
                   "whether the likelihood activates couplings, from those that are not 0 at the start, or decimates them"}
            .naming(ATP_SPARSIFY_NONE, kSparsify),
        OptionInfo{ATP_OPT_DENSITY, "density", false, 0, 1, 0,
                   "fraction of the couplings that activation does not exceed or that decimation ends with; 0: 1 and 0.02"},
        OptionInfo{ATP_OPT_SPARSIFY_FRACTION, "sparsify-fraction", false, 0, 1, 0,
                   "fraction of the inactive couplings that are activated at a time, or of the active ones that are removed; 0: 0.001 and "
                   "0.01"},
        OptionInfo{ATP_OPT_SPARSIFY_STEPS, "sparsify-steps", true, 0, 1e6, 0,
                   "steps between two changes of the couplings, at least; 0: 10 of activation, 2 of decimation"}));

constexpr auto kFoldsRows =
    rows_of(OptionInfo{ATP_OPT_FOLDS, "folds", true, 2, 1000, 4, "folds of cross-validation"},
            OptionInfo{ATP_OPT_FOLD_DISTANCE, "fold-distance", false, 0, 1, 0.2,
                       "sequences that differ in at most this fraction of the columns are in one cluster, which no fold splits; lowered "
                       "where a cluster would outweigh a fold"});

constexpr auto kSelectionRows = joined(
    joined(kAllTrainerRows, kFoldsRows),
    rows_of(
        OptionInfo{ATP_OPT_SELECT, "select", true, ATP_SELECT_COUPLINGS, ATP_SELECT_HEADS, ATP_SELECT_COUPLINGS, "what is chosen"}.naming(
            ATP_SELECT_COUPLINGS, kSelects),
        OptionInfo{ATP_OPT_SELECT_FIELDS, "select-fields", true, 0, 1, 1,
                   "1: the penalty on the fields is chosen, too, first; 0: it is given"},
        OptionInfo{ATP_OPT_SELECTION_RULE, "selection-rule", true, ATP_SELECTION_MINIMUM, ATP_SELECTION_ONE_ERROR, ATP_SELECTION_ONE_ERROR,
                   "which point of the path is chosen"}
            .naming(ATP_SELECTION_MINIMUM, kSelectionRules),
        OptionInfo{ATP_OPT_STRENGTHS, "strengths", true, 1, 100, 7, "largest number of strengths, or numbers of heads, that are tried"},
        OptionInfo{ATP_OPT_STRENGTH_RATIO, "strength-ratio", false, 1.01, 1e6, 5, "ratio of two neighbours among the strengths"},
        OptionInfo{ATP_OPT_STRONGEST, "strongest", false, 0, 1e12, 0,
                   "first strength of the path; 0: 1 for factored attention, (L - 1) / 4 times the sum of the weights for dense couplings"},
        OptionInfo{ATP_OPT_CRITERION, "criterion", true, ATP_CRITERION_PSEUDOLIKELIHOOD, ATP_CRITERION_SUBSTITUTIONS,
                   ATP_CRITERION_PSEUDOLIKELIHOOD, "the held-out loss that chooses"}
            .naming(ATP_CRITERION_PSEUDOLIKELIHOOD, kCriteria)));

constexpr OptionInfo kPseudocount = {
    ATP_OPT_PSEUDOCOUNT, "pseudocount", false, 0, 1, 0, "weight of uniform frequencies in those of the data"};

constexpr auto kMeanFieldRows = rows_of(kPseudocount.starting_at(0.5), kPrecision),
               kGaussianRows = rows_of(kPseudocount.starting_at(0.8), kPrecision);
constexpr auto kMutualRows = rows_of(kPseudocount);

// Trainers' options, without penalties as the default: an estimate of what was learned without them.
constexpr auto kAsymptoticsRows = rows_of(
    OptionInfo{ATP_OPT_FAMILY, "family", true, 0, ATP_FAMILY_DENSE, 0,
               "what is learned; 0: factored attention if the model has heads, else dense couplings"}
        .naming(ATP_FAMILY_FACTORED, kAsymptoticFamilies),
    kObjective.saying("what is minimised; 0: the pseudo-likelihood, of autoregressive models their likelihood"),
    OptionInfo{ATP_OPT_SAMPLES, "samples", false, 0, 1e18, 0,
               "M, sequences that are learned from; 0: the sum of the weights of the alignment, without one 1"},
    OptionInfo{ATP_OPT_FIELDS, "fields", true, 0, 1, 0, "1: factored attention learns fields b_i(a); 0: they are known"},
    OptionInfo{ATP_OPT_COLORS_FIXED, "colors-fixed", true, 0, 1, 0, "1: V is known"},
    OptionInfo{ATP_OPT_ASYMMETRIC, "asymmetric", true, 0, 1, 0,
               "1: dense couplings are the means of J_ij(a, b) and J_ji(b, a) of independent regressions for each site"},
    OptionInfo{ATP_OPT_SYMMETRIZED, "symmetrized", true, 0, 1, 0,
               "1: couplings of factored attention are (C_ij(a, b) + C_ji(b, a)) / 2; those of the likelihood always are"},
    OptionInfo{ATP_OPT_MASK_PROBABILITY, "mask-probability", false, 0, 1, 0,
               "each site is masked with this probability, with the objective mlm; 0: one random site of each sequence and epoch"},
    OptionInfo{ATP_OPT_MASKS, "masks", true, 0, 1 << 20, 0,
               "random masks of each sequence, as many as there are epochs; 0: all masks, as after infinitely many"},
    seed_option(ATP_OPT_SEED).saying("seed of random masks"),
    OptionInfo{ATP_OPT_L2_COUPLINGS, "l2-couplings", false, 0, 1e12, 0, "penalty on the maps A, or on dense couplings, as of a trainer"},
    OptionInfo{ATP_OPT_L2_COLORS, "l2-colors", false, 0, 1e12, 0, "penalty on V, as of a trainer"},
    OptionInfo{ATP_OPT_L2_FIELDS, "l2-fields", false, 0, 1e12, 0, "penalty on the fields, as of a trainer"});

}  // namespace

constexpr OptionTable kTrainerOptions = table_of(ATP_OWNER_TRAINER, "a trainer", kAllTrainerRows);
constexpr OptionTable kSelectionOptions =
    table_of(ATP_OWNER_SELECTION, "a selection by cross-validation", kSelectionRows, &kTrainerOptions);
constexpr OptionTable kFoldsOptions = table_of(ATP_OWNER_FOLDS, "the choice of folds", kFoldsRows, &kSelectionOptions);
constexpr OptionTable kMeanFieldOptions = table_of(ATP_OWNER_MEAN_FIELD, "mean-field couplings", kMeanFieldRows);
constexpr OptionTable kGaussianOptions = table_of(ATP_OWNER_GAUSSIAN, "Gaussian scores", kGaussianRows);
constexpr OptionTable kAsymptoticsOptions = table_of(ATP_OWNER_ASYMPTOTICS, "error bars of models", kAsymptoticsRows);
constexpr OptionTable kMutualInformationOptions = table_of(ATP_OWNER_MUTUAL_INFORMATION, "mutual information", kMutualRows);

}  // namespace atp
