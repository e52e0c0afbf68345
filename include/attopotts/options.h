/* SPDX-License-Identifier: MIT */
/** @file options.h
 *  Options of samplers, sampling runs, trainers, readers and tasks: a bag of numbers under fixed keys.
 *
 *  Make a bag, set the options that differ from their defaults, and pass it to any number of create calls. These copy what they need. Every
 *  key has a name ("seed", "l2-couplings"), bounds and a default. Programs and bindings can query them and need no list of their own.
 *  Values stay until they are set again or the bag is reset.
 *
 *  Threads: one thread at a time for a bag; functions without a bag are always safe.
 */
#ifndef ATTOPOTTS_OPTIONS_H
#define ATTOPOTTS_OPTIONS_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque bag of options. */
typedef struct atp_options atp_options;

/** Keys. 100s: shared and samplers; 200s: trainers; 300s: readers; 400s: tasks; 500s: sampling runs. (i) marks integers. The default is
 *  marked, or is the value after the last semicolon. Sampling runs have other defaults of CHAINS and TEMPERATURES, see sampling.h. */
typedef enum atp_option ATP_INT {
  ATP_OPT_SEED = 100,          /**< (i) "seed": the seed of all random numbers that the handle or call draws; 1 (default). The same seed
                                    draws the same numbers again: two samplers with one seed are not independent, nor are two trainers, or
                                    two tasks of a kind. Samplers, trainers and networks, tasks, random models and
                                    atp_tune_beta() draw from separate streams, and are independent of each other with one seed */
  ATP_OPT_CHAINS = 101,        /**< (i) "chains": independent chains, or ladders with replica exchange; 16 */
  ATP_OPT_BETA = 102,          /**< "beta": inverse temperature; 0 (default): the model's own */
  ATP_OPT_TEMPERATURES = 103,  /**< (i) "temperatures": rungs of the replica-exchange ladder; 1 (default): none */
  ATP_OPT_BETA_HOT = 104,      /**< "beta-hot": smallest beta of the ladder; 0 (default): a tenth of beta */
  ATP_OPT_SWAP_INTERVAL = 105, /**< (i) "swap-interval": sweeps between attempted exchanges; 1 */
  ATP_OPT_FIRST_CHAIN = 106,   /**< (i) "first-chain": number of the first chain: samplers with one seed and chains 0..9 and 10..29 make
                                    together the chains of one with 30; 0 */

  ATP_OPT_HEADS = 201,        /**< (i) "heads": attention heads; 1 */
  ATP_OPT_MAP = 202,          /**< (i) "map": an atp_map; ATP_MAP_FREE (with ATP_FAMILY_DIAL: ATP_MAP_LOWRANK unless set) */
  ATP_OPT_RANK = 203,         /**< (i) "rank": d of ATP_MAP_LOWRANK; 16 */
  ATP_OPT_FIELDS = 204,       /**< (i) "fields": 1: fields b_i(a) are learned; 0 (default): they are zero */
  ATP_OPT_COLORS_FIXED = 205, /**< (i) "colors-fixed": 1: V is not learned; 0 (default) */
  ATP_OPT_OBJECTIVE = 206,    /**< (i) "objective": an atp_objective; ATP_OBJECTIVE_PSEUDOLIKELIHOOD (networks by SGD or Adam:
                                   ATP_OBJECTIVE_MLM unless set) */
  ATP_OPT_OPTIMIZER = 207,    /**< (i) "optimizer": an atp_optimizer; ATP_OPTIMIZER_LBFGS (networks: ATP_OPTIMIZER_SGD unless set) */
  ATP_OPT_RATE = 208,         /**< "rate": initial learning rate of SGD and Adam; 0 (default): 0.5 SGD, 0.01 Adam; of networks 0.1
                                   and 0.001 */
  ATP_OPT_BATCH = 209,        /**< (i) "batch": sequences per step of SGD and Adam; 100 */
  ATP_OPT_EPOCHS = 210,       /**< (i) "epochs": limit of the epochs of all runs of a trainer together: length of the
                                   cosine schedule, or L-BFGS iterations; 200 (default). The count given to a run does not raise it */
  ATP_OPT_TOLERANCE = 211,    /**< "tolerance": stop when |gradient| <= tolerance * max(1, |parameters|); below 0 (default): automatic.
                                   For factored attention, whose objective is a mean, this is 1e-5. For dense couplings, whose objective
                                   is a sum, it is 1e-5 times the sum of the weights times the square root of the number of predicted
                                   sites */
  ATP_OPT_L2_COUPLINGS = 212, /**< "l2-couplings": penalty on the parameters of the maps A, or on dense couplings; below 0
                                     (default): automatic, 0 for factored attention, 0.2 (L - 1) for dense couplings */
  ATP_OPT_L2_COLORS = 213,    /**< "l2-colors": penalty on V; 0 */
  ATP_OPT_L2_FIELDS = 214,    /**< "l2-fields": penalty on the fields; below 0 (default): automatic, 0 for factored attention, 0.01
                                     for dense couplings */
  ATP_OPT_HISTORY = 215,      /**< (i) "history": pairs (step, change of the gradient) that L-BFGS keeps; 0 (default): automatic, which
                                   is 8, or 5 for dense couplings that are not asymmetric */
  ATP_OPT_PRECISION = 216,    /**< (i) "precision": 32 (default; SIMD, float64 sums) or 64 (the reference) */
  ATP_OPT_MOMENTUM = 217,     /**< "momentum": momentum of SGD; 0 */
  ATP_OPT_INIT_SCALE = 218,   /**< "init-scale": standard deviation of random initial parameters; 0.1 */

  ATP_OPT_FAMILY = 219,           /**< (i) "family": an atp_family; ATP_FAMILY_FACTORED */
  ATP_OPT_ASYMMETRIC = 220,       /**< (i) "asymmetric": for dense couplings: 1: an independent regression for each site, and the means of
                                 J_ij(a, b) and J_ji(b, a); 0 (default): one problem with symmetric couplings */
  ATP_OPT_GAPS = 221,             /**< (i) "gaps": an atp_gaps; ATP_GAPS_STATE */
  ATP_OPT_L2_SCALE = 222,         /**< (i) "l2-scale": for dense couplings: an atp_l2_scale; ATP_L2_ABSOLUTE */
  ATP_OPT_MASK_PROBABILITY = 223, /**< "mask-probability": with ATP_OBJECTIVE_MLM of factored attention: each site is masked with this
                                       probability; 0 (default): one random site of each sequence and epoch */

  ATP_OPT_DIAGONAL = 240,      /**< (i) "diagonal": an atp_diagonal of softmax and lowrank maps; ATP_DIAGONAL_BEFORE */
  ATP_OPT_SCORES_SCALED = 241, /**< (i) "scores-scaled": 1 (default): scores of lowrank maps are Q_i . K_j / sqrt(d); 0: Q_i . K_j */
  ATP_OPT_SYMMETRIZED = 242,   /**< (i) "symmetrized": 1: couplings are (C_ij(a, b) + C_ji(b, a)) / 2; 0 (default) */
  ATP_OPT_L2_PAIRS = 243,      /**< "l2-pairs": penalty on the couplings C_ij(a, b) themselves; 0 */
  ATP_OPT_NORM_PAIRS = 244,    /**< "norm-pairs": penalty on the norm of all couplings C_ij(a, b), which is not squared; 0 */
  ATP_OPT_NORM_FIELDS = 245,   /**< "norm-fields": the same on the norm of all fields; 0 */
  ATP_OPT_INITIAL = 246,       /**< (i) "initial": an atp_initial, where factored attention starts; ATP_INITIAL_NORMAL */
  ATP_OPT_SCHEDULE = 247,      /**< (i) "schedule": an atp_schedule of the rate of SGD and Adam; ATP_SCHEDULE_COSINE */

  ATP_OPT_BLOCKS = 261,    /**< (i) "blocks": number of blocks of the encoder; 1 */
  ATP_OPT_WIDTH = 262,     /**< (i) "width": d, dimension of the embeddings; 20 */
  ATP_OPT_HIDDEN = 263,    /**< (i) "hidden": width of the encoder's two-layer networks; 0 (default): 2 d */
  ATP_OPT_POSITIONS = 264, /**< (i) "positions": an atp_positions of the encoder; ATP_POSITIONS_SINUSOIDAL */
  ATP_OPT_DIAL = 265,      /**< "dial": a of ATP_FAMILY_DIAL; 0 (default): factored attention; 1: plain attention */

  ATP_OPT_FOLDS = 280,         /**< (i) "folds": number of folds of cross-validation, see selection.h; 4 */
  ATP_OPT_FOLD_DISTANCE = 281, /**< "fold-distance": sequences that differ in at most this fraction of the columns are in one cluster, which
                                     no fold splits; lowered where a cluster would outweigh a fold; 0.2 */
  ATP_OPT_SELECT = 282,        /**< (i) "select": an atp_select: what is chosen by cross-validation; ATP_SELECT_COUPLINGS */
  ATP_OPT_SELECT_FIELDS = 283, /**< (i) "select-fields": 1 (default): the penalty on the fields is chosen, too, first; 0: it is given */
  ATP_OPT_SELECTION_RULE = 284, /**< (i) "selection-rule": an atp_selection_rule; ATP_SELECTION_ONE_ERROR */
  ATP_OPT_STRENGTHS = 285,      /**< (i) "strengths": largest number of strengths, or numbers of heads, that are tried; 7 */
  ATP_OPT_STRENGTH_RATIO = 286, /**< "strength-ratio": ratio of two neighbours among the strengths; 5 */
  ATP_OPT_STRONGEST = 287,      /**< "strongest": the first strength of the path; 0 (default): automatic, see selection.h */
  ATP_OPT_CRITERION = 288,      /**< (i) "criterion": an atp_criterion: the held-out loss that chooses; ATP_CRITERION_PSEUDOLIKELIHOOD */

  ATP_OPT_UNKNOWN = 300,           /**< (i) "unknown": an atp_unknown: what a reader does with symbols outside the alphabet;
                                        ATP_UNKNOWN_GAP */
  ATP_OPT_COLORS = 301,            /**< (i) "colors": q of integer matrices; 0 (default): the largest value plus one */
  ATP_OPT_FORMAT = 302,            /**< (i) "format": an atp_format that a reader expects; ATP_FORMAT_AUTO: detect it from the content */
  ATP_OPT_MAX_GAPS_SEQUENCE = 303, /**< "max-gaps-sequence": largest fraction of gaps that a filter keeps in a sequence; 1 */
  ATP_OPT_MAX_GAPS_COLUMN = 304,   /**< "max-gaps-column": largest fraction of gaps that a filter keeps in a column; 1 */
  ATP_OPT_REMOVE_DUPLICATES = 305, /**< (i) "remove-duplicates": 1: a filter keeps the first of equal sequences; 0 (default) */
  ATP_OPT_MAX_UNPACKED = 306,      /**< (i) "max-unpacked": largest size in bytes of an unpacked gzip file; 0 (default): a hundred times
                                        the packed size, at least 1 GiB */

  ATP_OPT_PSEUDOCOUNT = 320, /**< "pseudocount": weight of uniform frequencies in those of the data, for the methods of baselines.h; below 0
                                  (default): automatic, 0.5 for mean-field couplings, 0.8 for Gaussian scores, 0 for mutual information */

  ATP_OPT_OMEGA = 400,        /**< "omega": weight of the positional part in the teacher of dot-product attention; 0.3 */
  ATP_OPT_SIGMA = 401,        /**< "sigma": standard deviation of the tokens of dot-product attention; 0.5 */
  ATP_OPT_LAMBDA = 402,       /**< "lambda": penalty; below 0 (default): automatic, 0.01 for dot-product attention, 1e-8 for learning curves
                                   of masked Gaussian modelling */
  ATP_OPT_BRANCH = 403,       /**< (i) "branch": an atp_dotattn_branch; ATP_DOTATTN_SEMANTIC */
  ATP_OPT_ACCURACY = 404,     /**< "accuracy": relative accuracy of quadratures; 1e-3 */
  ATP_OPT_MAX_ITER = 405,     /**< (i) "max-iter": largest number of iterations per row; 0 (default): automatic, see atp_task_kind */
  ATP_OPT_DIMENSION = 406,    /**< (i) "dimension": d of simulated dot-product attention; 1000 */
  ATP_OPT_STEPS = 407,        /**< (i) "steps": largest number of steps of a simulation run of dot-product attention; 10000 */
  ATP_OPT_TEST_SAMPLES = 408, /**< (i) "test-samples": number of samples for the generalisation loss of this simulation; 1000 (10000 for
                                   REPLICA_POTTS_SIMULATION) */
  ATP_OPT_RUNS = 409,         /**< (i) "runs": number of teachers and data sets of this simulation; 10 */
  ATP_OPT_START = 410,        /**< (i) "start": an atp_dotattn_start; ATP_DOTATTN_START_SEMANTIC */
  ATP_OPT_STUDENT_RANK = 411, /**< (i) "student-rank": rank of the student of dot-product attention, 1 or 2; 1 */
  ATP_OPT_POINTS = 412,       /**< (i) "points": number of lattice points, a power of two; 4096 */
  ATP_OPT_SHIFTS = 413,       /**< (i) "shifts": number of random shifts of the lattice; 8 */
  ATP_OPT_NOISE = 414,        /**< "noise": variance of a masked value given the inputs; 0 */
  ATP_OPT_TEMPERATURE = 415,  /**< "temperature": temperature of the student's Gibbs measure; 0 (default): the minimum of the energy */
  ATP_OPT_LOSS = 416,         /**< (i) "loss": an atp_replica_loss; ATP_REPLICA_LOSS_SQUARE */
  ATP_OPT_DELTA = 417,        /**< "delta": residual at which Huber's loss becomes linear; 1 */
  ATP_OPT_REALISATIONS = 418, /**< (i) "realisations": data sets for each alpha; 30 */
  ATP_OPT_SHIFT = 419,        /**< "shift": z > 2 of the precision P = z I - J; 2.5 */
  ATP_OPT_RESTARTS = 420,     /**< (i) "restarts": further descents of a simulation of dot-product attention, each from a perturbed copy of
                                   the lowest minimum so far; 0 */
  ATP_OPT_PERTURBATION = 421, /**< "perturbation": norm of this perturbation by that of the parameters; 0.3 */
  ATP_OPT_START_SCALE = 422,  /**< "start-scale": factor of the initial parameters of this simulation; 1 */
  ATP_OPT_BREAKING = 423,     /**< (i) "breaking": 1: curves of dot-product attention also have one step of replica symmetry breaking; 0 */
  ATP_OPT_INPUTS = 424,       /**< (i) "inputs": an atp_replica_inputs; ATP_REPLICA_INPUTS_NORMAL */
  ATP_OPT_ALPHA = 425,        /**< "alpha": samples per dimension of a trajectory of dot-product attention; 0 (default): online, a fresh one
                                   in each step */
  ATP_OPT_START_THETA = 426,  /**< "start-theta": cosine of the start with the teacher in dynamics of dot-product attention; 0 */
  ATP_OPT_START_M = 427,      /**< "start-m": cosine of this start with the first direction of the code; 0 */
  ATP_OPT_FLOW = 428,         /**< (i) "flow": 1: these dynamics in the limit of small rates; 0 (default) */
  ATP_OPT_BEST_LAMBDA = 429,  /**< (i) "best-lambda": 1: the lambda of smallest e_g instead of `lambda`, for each alpha; 0 (default) */
  ATP_OPT_PARAMETERS = 430,   /**< (i) "parameters": with TARGETS, p of alpha = M / p for a whole number of samples M; 0 (default): any
                                   alpha */

  ATP_OPT_PROTOCOL = 500, /**< (i) "protocol": an atp_protocol; ATP_PROTOCOL_EQUILIBRIUM */
  ATP_OPT_BURN_IN = 501,  /**< (i) "burn-in": sweeps before the first sequence; below 0 (default): automatic, see sampling.h */
  ATP_OPT_THIN = 502      /**< (i) "thin": sweeps between two sequences of a chain; 0 (default): automatic, see sampling.h */
} atp_option;

/** Protocols of sampling runs: values of ATP_OPT_PROTOCOL, see sampling.h. */
typedef enum atp_protocol ATP_INT {
  ATP_PROTOCOL_EQUILIBRIUM = 0, /**< replica exchange with tests of convergence */
  ATP_PROTOCOL_CHAIN = 1        /**< independent Markov chains */
} atp_protocol;

/** What a trainer learns; trainer.h has the formulas. */
typedef enum atp_family ATP_INT {
  ATP_FAMILY_FACTORED = 1, /**< factored attention: heads (A_h, V_h) */
  ATP_FAMILY_DENSE = 2,    /**< dense couplings J_ij(a, b) and fields, by pseudo-likelihood */
  ATP_FAMILY_ENCODER = 3,  /**< the standard transformer encoder on masked tokens */
  ATP_FAMILY_DIAL = 4      /**< one attention layer between factored (a = 0) and plain (a = 1), on masked tokens */
} atp_family;

/** Treatment of gaps, the first symbol of the alphabet. */
typedef enum atp_gaps ATP_INT {
  ATP_GAPS_STATE = 1, /**< a gap is a colour like the others */
  ATP_GAPS_IGNORE = 2 /**< a gap is missing: it is not predicted and has no couplings. The model has one colour less, and its alphabet
                           lacks the first symbol */
} atp_gaps;

/** Factors of the penalties of dense couplings. They apply to penalties that are set; automatic ones are absolute. */
typedef enum atp_l2_scale ATP_INT {
  ATP_L2_ABSOLUTE = 1,     /**< no factor */
  ATP_L2_SITES = 2,        /**< L - 1 for the penalty of the couplings */
  ATP_L2_SITES_COLORS = 3, /**< (L - 1)(q - 1) for the penalty of the couplings, with q colours of the model */
  ATP_L2_WEIGHT = 4        /**< the sum of the weights for the penalties of couplings and fields */
} atp_l2_scale;

/** How an attention map A_h is computed from its parameters (sites i != j; A_ii = 0 always). */
typedef enum atp_map ATP_INT {
  ATP_MAP_FREE = 1,    /**< A_ij are the parameters */
  ATP_MAP_SOFTMAX = 2, /**< A_ij = exp(x_ij) / sum_{k != i} exp(x_ik); see also atp_diagonal */
  ATP_MAP_LOWRANK = 3  /**< the same with x_ij = Q_i . K_j / sqrt(d), or without the root: ATP_OPT_SCORES_SCALED */
} atp_map;

/** Whether the diagonal of a softmax map is masked before or after the softmax. */
typedef enum atp_diagonal ATP_INT {
  ATP_DIAGONAL_BEFORE = 1, /**< before: the softmax runs over j != i, and rows of A sum to 1 */
  ATP_DIAGONAL_AFTER = 2   /**< after a softmax over all j: A_ii is set to 0, and row i sums to 1 minus its former diagonal element */
} atp_diagonal;

/** Sites of a sequence that are predicted in a step. */
typedef enum atp_objective ATP_INT {
  ATP_OBJECTIVE_PSEUDOLIKELIHOOD = 1, /**< all sites, each from all others */
  ATP_OBJECTIVE_MLM = 2               /**< one random site per sequence and epoch: masked language modelling */
} atp_objective;

/** Optimisers. */
typedef enum atp_optimizer ATP_INT {
  ATP_OPTIMIZER_LBFGS = 1, /**< L-BFGS, strong-Wolfe search, all sequences per step; needs the pseudo-likelihood */
  ATP_OPTIMIZER_SGD = 2,   /**< stochastic gradient descent, cosine annealing of the rate to 0 over the epochs */
  ATP_OPTIMIZER_ADAM = 3   /**< Adam (beta1 = 0.9, beta2 = 0.999, eps = 1e-8) with the same annealing */
} atp_optimizer;

/** Initial parameters of factored attention. */
typedef enum atp_initial ATP_INT {
  ATP_INITIAL_NORMAL = 1, /**< normal numbers with the standard deviation ATP_OPT_INIT_SCALE; fields are 0 */
  ATP_INITIAL_XAVIER = 2  /**< uniform in +-sqrt(6 / (columns + rows)): Q, K +-sqrt(6 / (d (L + H))), free and softmax maps
                               +-sqrt(6 / (L (L + H))), V +-sqrt(6 / (q (q + H))); fields are logarithms of counts, as in mogwai */
} atp_initial;

/** Schedules of the rate of stochastic optimisers. */
typedef enum atp_schedule ATP_INT {
  ATP_SCHEDULE_COSINE = 1,  /**< from ATP_OPT_RATE to 0 along a cosine over all epochs */
  ATP_SCHEDULE_CONSTANT = 2 /**< ATP_OPT_RATE all the time */
} atp_schedule;

/** Positional encoding of the transformer encoder. */
typedef enum atp_positions ATP_INT {
  ATP_POSITIONS_NONE = 0,      /**< none: the network is equivariant under permutations of the sites */
  ATP_POSITIONS_SINUSOIDAL = 1 /**< sines and cosines of wavelengths 2 pi .. 10000 * 2 pi are added to the embeddings */
} atp_positions;

/** What cross-validation chooses; selection.h has the rules. */
typedef enum atp_select ATP_INT {
  ATP_SELECT_COUPLINGS = 1, /**< ATP_OPT_L2_COUPLINGS */
  ATP_SELECT_HEADS = 2      /**< ATP_OPT_HEADS of factored attention */
} atp_select;

/** Held-out losses that choose; selection.h has the formulas. */
typedef enum atp_criterion ATP_INT {
  ATP_CRITERION_PSEUDOLIKELIHOOD = 1, /**< of all residues of held-out sequences: for contacts and for new sequences */
  ATP_CRITERION_SUBSTITUTIONS = 2     /**< of the substitutions between held-out relatives: for effects of mutations */
} atp_criterion;

/** Which point of a path cross-validation chooses. */
typedef enum atp_selection_rule ATP_INT {
  ATP_SELECTION_MINIMUM = 1,  /**< the one with the smallest held-out loss */
  ATP_SELECTION_ONE_ERROR = 2 /**< the simplest one whose held-out loss exceeds the smallest by at most its standard error */
} atp_selection_rule;

/** Formats of alignment files; docs/formats.md has their rules. */
typedef enum atp_format ATP_INT {
  ATP_FORMAT_AUTO = 0,      /**< reading: detect by content first, then by name */
  ATP_FORMAT_HDF5 = 1,      /**< sequences, weights, names, alphabet, origin */
  ATP_FORMAT_FASTA = 2,     /**< sequences and names; all columns count */
  ATP_FORMAT_INTEGERS = 3,  /**< a sequence per line, 0-based numbers separated by single blanks */
  ATP_FORMAT_A2M = 4,       /**< records as in FASTA; insert columns (lower case and '.') are left out */
  ATP_FORMAT_A3M = 5,       /**< as A2M, but without '.' for inserts of other sequences */
  ATP_FORMAT_STOCKHOLM = 6, /**< Pfam, Rfam, HMMER; one or several blocks; "#=GC RF" tells insert columns, which are left out */
  ATP_FORMAT_ALN = 7,       /**< PSICOV, CCMpred: a sequence per line, no names */
  ATP_FORMAT_NAMED = 8,     /**< GREMLIN: name and sequence on a line */
  ATP_FORMAT_PAIRED = 9     /**< A3M of a complex of two proteins, as ColabFold writes it: two alignments, which a zero byte separates and
                                 which are joined row by row, or one with a first line "#L1,L2"; atp_alignment_border() has L1 */
} atp_format;

/** What a reader does with a symbol that is not in the alphabet. */
typedef enum atp_unknown ATP_INT {
  ATP_UNKNOWN_GAP = 1,  /**< replace it with a gap (the first symbol), and count it */
  ATP_UNKNOWN_DROP = 2, /**< leave the sequence out, and count it */
  ATP_UNKNOWN_ERROR = 3 /**< fail; the error text names file, line and symbol */
} atp_unknown;

/** Objects and calls that read a bag. Tasks have the numbers of atp_task_kind. */
typedef enum atp_option_reader ATP_INT {
  ATP_READER_SAMPLER = 101,           /**< atp_sampler_create(), atp_sampler_bytes() */
  ATP_READER_TUNING = 102,            /**< atp_tune_beta() */
  ATP_READER_SAMPLING = 103,          /**< atp_sampling_create() */
  ATP_READER_TRAINER = 104,           /**< atp_trainer_create(), atp_trainer_create_pairs() and their twins of bytes */
  ATP_READER_SELECTION = 105,         /**< atp_select_penalty() */
  ATP_READER_FOLDS = 106,             /**< atp_select_folds() */
  ATP_READER_ALIGNMENT = 108,         /**< atp_alignment_read(), atp_alignment_parse(), atp_input_alignment() */
  ATP_READER_FILTER = 109,            /**< atp_alignment_filter() */
  ATP_READER_INVERSE = 110,           /**< atp_mean_field_model(), atp_mean_field_bytes(), atp_gaussian_scores() */
  ATP_READER_MUTUAL_INFORMATION = 111 /**< atp_mutual_information() */
} atp_option_reader;

/** Makes a bag with all options at their defaults.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_MEMORY. Allocates: the bag. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_options_create(atp_context *context, atp_options **out) ATP_NOEXCEPT;

/** Frees a bag; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API void atp_options_destroy(atp_options *options) ATP_NOEXCEPT;

/** Returns the context that the bag was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_options_context(const atp_options *options) ATP_NOEXCEPT;

/** Resets every option to its default. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_reset(atp_options *options) ATP_NOEXCEPT;

/** Sets an integer or real option from an integer.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPTION; ATP_E_OPTION_RANGE (the option keeps its value)
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_set_i64(atp_options *options, atp_option key, int64_t value) ATP_NOEXCEPT;

/** Sets an integer or real option from a real number. An integer option needs a whole number.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPTION; ATP_E_OPTION_RANGE; ATP_E_NOT_FINITE
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_set_f64(atp_options *options, atp_option key, double value) ATP_NOEXCEPT;

/** Reads an integer option. @return ATP_OK; ATP_E_NULL; ATP_E_OPTION (unknown, or a real option).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_get_i64(const atp_options *options, atp_option key, int64_t *value) ATP_NOEXCEPT;

/** Reads an integer or real option as a real number. @return ATP_OK; ATP_E_NULL; ATP_E_OPTION.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_get_f64(const atp_options *options, atp_option key, double *value) ATP_NOEXCEPT;

/** Checks that a reader reads every option that was set since the last reset. Calls that take a bag pass over options of others, so that
 *  one bag can serve several of them; a program whose bag is for one reader calls this before.
 *  @param[in] reader  an atp_option_reader or an atp_task_kind
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (reader); ATP_E_CONFLICT (the error text names the option and one that reads it)
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_check(const atp_options *options, int reader) ATP_NOEXCEPT;

/** Returns the number of options. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_option_count(void) ATP_NOEXCEPT;

/** Returns the key with this index, or -1 past the end. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_option_at(int64_t index) ATP_NOEXCEPT;

/** Returns the name of a key, for example "l2-couplings"; NULL for other ints. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_option_name(int key) ATP_NOEXCEPT;

/** Returns the key of a name; -1 for other names and NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_option_from_name(const char *name) ATP_NOEXCEPT;

/** Returns bounds (both inclusive), default and kind of a key; each output may be NULL.
 *  @return ATP_OK; ATP_E_OPTION. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_option_bounds(atp_option key, double *lowest, double *highest, double *initial, int *is_integer) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
