/* SPDX-License-Identifier: MIT */
/** @file options.h
 *  Options of samplers, sampling runs, trainers, readers and tasks: a bag of numbers under fixed keys.
 *
 *  Make a bag for its owner, set the options that differ from their defaults, and pass it to any number of the owner's create calls. These
 *  copy what they need, and refuse bags of other owners (ATP_E_CONFLICT):
 *      atp_options_create(context, ATP_OWNER_SAMPLER, &options);
 *      atp_options_set_i64(options, ATP_OPT_CHAINS, 100);
 *      atp_sampler_create(context, model, options, &sampler);
 *  An option has a name ("seed", "l2-couplings"), and for each owner that has it bounds, a default, a text, and words for the values of an
 *  enum. Programs and bindings can query them and need no list of their own.
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

/** Keys. 100s: shared and samplers; 200s: trainers; 300s: readers; 400s: tasks; 500s: sampling runs, log Z. (i) marks integers. Bounds,
 *  default and meaning depend on the owner: atp_option_bounds() and atp_option_text() have them, and docs/options.md lists all. The enums
 *  of values are in the headers of the owners. */
typedef enum atp_option ATP_INT {
  ATP_OPT_SEED = 100,          /**< (i) "seed" */
  ATP_OPT_CHAINS = 101,        /**< (i) "chains" */
  ATP_OPT_BETA = 102,          /**< "beta" */
  ATP_OPT_TEMPERATURES = 103,  /**< (i) "temperatures" */
  ATP_OPT_BETA_HOT = 104,      /**< "beta-hot" */
  ATP_OPT_SWAP_INTERVAL = 105, /**< (i) "swap-interval" */
  ATP_OPT_FIRST_CHAIN = 106,   /**< (i) "first-chain" */
  ATP_OPT_MAX_MUTATIONS = 107, /**< (i) "max-mutations" */
  ATP_OPT_KEPT_COLOR = 108,    /**< (i) "kept-color" */

  ATP_OPT_HEADS = 201,        /**< (i) "heads" */
  ATP_OPT_MAP = 202,          /**< (i) "map": an atp_map */
  ATP_OPT_RANK = 203,         /**< (i) "rank" */
  ATP_OPT_FIELDS = 204,       /**< (i) "fields" */
  ATP_OPT_COLORS_FIXED = 205, /**< (i) "colors-fixed" */
  ATP_OPT_OBJECTIVE = 206,    /**< (i) "objective": an atp_objective */
  ATP_OPT_OPTIMIZER = 207,    /**< (i) "optimizer": an atp_optimizer */
  ATP_OPT_RATE = 208,         /**< "rate" */
  ATP_OPT_BATCH = 209,        /**< (i) "batch" */
  ATP_OPT_EPOCHS = 210,       /**< (i) "epochs" */
  ATP_OPT_TOLERANCE = 211,    /**< "tolerance" */
  ATP_OPT_L2_COUPLINGS = 212, /**< "l2-couplings" */
  ATP_OPT_L2_COLORS = 213,    /**< "l2-colors" */
  ATP_OPT_L2_FIELDS = 214,    /**< "l2-fields" */
  ATP_OPT_HISTORY = 215,      /**< (i) "history" */
  ATP_OPT_PRECISION = 216,    /**< (i) "precision" */
  ATP_OPT_MOMENTUM = 217,     /**< "momentum" */
  ATP_OPT_INIT_SCALE = 218,   /**< "init-scale" */
  ATP_OPT_FAMILY = 219,       /**< (i) "family": an atp_family */

  ATP_OPT_ASYMMETRIC = 220,       /**< (i) "asymmetric" */
  ATP_OPT_GAPS = 221,             /**< (i) "gaps": an atp_gaps */
  ATP_OPT_L2_SCALE = 222,         /**< (i) "l2-scale": an atp_l2_scale */
  ATP_OPT_MASK_PROBABILITY = 223, /**< "mask-probability" */
  ATP_OPT_ORDER = 224,            /**< (i) "order": an atp_order */

  ATP_OPT_DIAGONAL = 240,      /**< (i) "diagonal": an atp_diagonal */
  ATP_OPT_SCORES_SCALED = 241, /**< (i) "scores-scaled" */
  ATP_OPT_SYMMETRIZED = 242,   /**< (i) "symmetrized" */
  ATP_OPT_L2_PAIRS = 243,      /**< "l2-pairs" */
  ATP_OPT_NORM_PAIRS = 244,    /**< "norm-pairs" */
  ATP_OPT_NORM_FIELDS = 245,   /**< "norm-fields" */
  ATP_OPT_INITIAL = 246,       /**< (i) "initial": an atp_initial */
  ATP_OPT_SCHEDULE = 247,      /**< (i) "schedule": an atp_schedule */
  ATP_OPT_VALUES_SHARED = 248, /**< (i) "values-shared" */

  ATP_OPT_BLOCKS = 261,    /**< (i) "blocks" */
  ATP_OPT_WIDTH = 262,     /**< (i) "width" */
  ATP_OPT_HIDDEN = 263,    /**< (i) "hidden" */
  ATP_OPT_POSITIONS = 264, /**< (i) "positions": an atp_positions */
  ATP_OPT_DIAL = 265,      /**< "dial" */

  ATP_OPT_SPARSIFY = 255,          /**< (i) "sparsify": an atp_sparsify */
  ATP_OPT_DENSITY = 256,           /**< "density" */
  ATP_OPT_SPARSIFY_FRACTION = 257, /**< "sparsify-fraction" */
  ATP_OPT_SPARSIFY_STEPS = 258,    /**< (i) "sparsify-steps" */

  ATP_OPT_SWEEPS = 270,        /**< (i) "sweeps" */
  ATP_OPT_RANDOM_CHAINS = 271, /**< "random-chains" */
  ATP_OPT_CHAIN_START = 272,   /**< (i) "chain-start": an atp_chain_start */
  ATP_OPT_TARGET = 273,        /**< "target" */
  ATP_OPT_L1_COUPLINGS = 274,  /**< "l1-couplings" */
  ATP_OPT_DECAY = 275,         /**< "decay" */
  ATP_OPT_FIXED = 276,         /**< (i) "fixed": an atp_fixed */

  ATP_OPT_FOLDS = 280,          /**< (i) "folds" */
  ATP_OPT_FOLD_DISTANCE = 281,  /**< "fold-distance" */
  ATP_OPT_SELECT = 282,         /**< (i) "select": an atp_select */
  ATP_OPT_SELECT_FIELDS = 283,  /**< (i) "select-fields" */
  ATP_OPT_SELECTION_RULE = 284, /**< (i) "selection-rule": an atp_selection_rule */
  ATP_OPT_STRENGTHS = 285,      /**< (i) "strengths" */
  ATP_OPT_STRENGTH_RATIO = 286, /**< "strength-ratio" */
  ATP_OPT_STRONGEST = 287,      /**< "strongest" */
  ATP_OPT_CRITERION = 288,      /**< (i) "criterion": an atp_criterion */

  ATP_OPT_UNKNOWN = 300,           /**< (i) "unknown": an atp_unknown */
  ATP_OPT_COLORS = 301,            /**< (i) "colors" */
  ATP_OPT_FORMAT = 302,            /**< (i) "format": an atp_format */
  ATP_OPT_MAX_GAPS_SEQUENCE = 303, /**< "max-gaps-sequence" */
  ATP_OPT_MAX_GAPS_COLUMN = 304,   /**< "max-gaps-column" */
  ATP_OPT_REMOVE_DUPLICATES = 305, /**< (i) "remove-duplicates" */
  ATP_OPT_MAX_UNPACKED = 306,      /**< (i) "max-unpacked" */

  ATP_OPT_IDENTITY = 310,          /**< "identity" */
  ATP_OPT_IDENTITY_TRAINING = 311, /**< "identity-training" */
  ATP_OPT_IDENTITY_TEST = 312,     /**< "identity-test" */
  ATP_OPT_TEST_FRACTION = 313,     /**< "test-fraction" */
  ATP_OPT_MAX_TRAINING = 314,      /**< (i) "max-training" */
  ATP_OPT_MAX_TEST = 315,          /**< (i) "max-test" */

  ATP_OPT_PSEUDOCOUNT = 320, /**< "pseudocount" */

  ATP_OPT_TRIPLES = 330, /**< (i) "triples" */

  ATP_OPT_SAMPLES = 340, /**< "samples" */
  ATP_OPT_MASKS = 341,   /**< (i) "masks" */

  ATP_OPT_OMEGA = 400,          /**< "omega" */
  ATP_OPT_SIGMA = 401,          /**< "sigma" */
  ATP_OPT_LAMBDA = 402,         /**< "lambda" */
  ATP_OPT_BRANCH = 403,         /**< (i) "branch": an atp_dotattn_branch */
  ATP_OPT_ACCURACY = 404,       /**< "accuracy" */
  ATP_OPT_MAX_ITER = 405,       /**< (i) "max-iter" */
  ATP_OPT_DIMENSION = 406,      /**< (i) "dimension" */
  ATP_OPT_STEPS = 407,          /**< (i) "steps" */
  ATP_OPT_TEST_SAMPLES = 408,   /**< (i) "test-samples" */
  ATP_OPT_RUNS = 409,           /**< (i) "runs" */
  ATP_OPT_START = 410,          /**< (i) "start": an atp_dotattn_start */
  ATP_OPT_STUDENT_RANK = 411,   /**< (i) "student-rank" */
  ATP_OPT_POINTS = 412,         /**< (i) "points" */
  ATP_OPT_SHIFTS = 413,         /**< (i) "shifts" */
  ATP_OPT_NOISE = 414,          /**< "noise" */
  ATP_OPT_TEMPERATURE = 415,    /**< "temperature" */
  ATP_OPT_LOSS = 416,           /**< (i) "loss": an atp_replica_loss */
  ATP_OPT_DELTA = 417,          /**< "delta" */
  ATP_OPT_REALISATIONS = 418,   /**< (i) "realisations" */
  ATP_OPT_DIAGONAL_SHIFT = 419, /**< "diagonal-shift" */
  ATP_OPT_RESTARTS = 420,       /**< (i) "restarts" */
  ATP_OPT_PERTURBATION = 421,   /**< "perturbation" */
  ATP_OPT_START_SCALE = 422,    /**< "start-scale" */
  ATP_OPT_BREAKING = 423,       /**< (i) "breaking" */
  ATP_OPT_INPUTS = 424,         /**< (i) "inputs": an atp_replica_inputs */
  ATP_OPT_ALPHA = 425,          /**< "alpha" */
  ATP_OPT_START_THETA = 426,    /**< "start-theta" */
  ATP_OPT_START_M = 427,        /**< "start-m" */
  ATP_OPT_FLOW = 428,           /**< (i) "flow" */
  ATP_OPT_BEST_LAMBDA = 429,    /**< (i) "best-lambda" */
  ATP_OPT_PARAMETERS = 430,     /**< (i) "parameters" */
  ATP_OPT_PROBES = 431,         /**< (i) "probes" */
  ATP_OPT_FLIPS = 432,          /**< (i) "flips" */
  ATP_OPT_FLIP_MARGIN = 433,    /**< "flip-margin" */
  ATP_OPT_LIMIT = 434,          /**< (i) "limit" */

  ATP_OPT_PROTOCOL = 500,  /**< (i) "protocol": an atp_protocol */
  ATP_OPT_BURN_IN = 501,   /**< (i) "burn-in" */
  ATP_OPT_THIN = 502,      /**< (i) "thin" */
  ATP_OPT_ANNEALING = 503, /**< (i) "annealing" */

  ATP_OPT_METHOD = 520, /**< (i) "method": an atp_partition_method */

  ATP_OPT_LATTICE = 540,     /**< (i) "lattice": an atp_lattice */
  ATP_OPT_SIZE_X = 541,      /**< (i) "size-x" */
  ATP_OPT_SIZE_Y = 542,      /**< (i) "size-y" */
  ATP_OPT_SIZE_Z = 543,      /**< (i) "size-z" */
  ATP_OPT_BOUNDARY = 544,    /**< (i) "boundary": an atp_boundary */
  ATP_OPT_DEGREE = 545,      /**< "degree" */
  ATP_OPT_BONDS = 546,       /**< (i) "bonds": an atp_bonds */
  ATP_OPT_COLOR_MATRIX = 547 /**< (i) "color-matrix": an atp_color_matrix */
} atp_option;

/** Objects and calls that have options. Tasks are owners, too, by the numbers of atp_task_kind. */
typedef enum atp_option_owner ATP_INT {
  ATP_OWNER_SAMPLER = 101,            /**< atp_sampler_create(), atp_sampler_bytes() */
  ATP_OWNER_TUNING = 102,             /**< atp_tune_beta() */
  ATP_OWNER_SAMPLING = 103,           /**< atp_sampling_create() */
  ATP_OWNER_PARTITION = 120,          /**< atp_estimate_log_z() */
  ATP_OWNER_LATTICE = 122,            /**< atp_model_create_lattice() */
  ATP_OWNER_TRAINER = 104,            /**< atp_trainer_create(), atp_trainer_create_pairs() and their twins of bytes */
  ATP_OWNER_SELECTION = 105,          /**< atp_select_penalty(), which also takes bags of a trainer */
  ATP_OWNER_FOLDS = 106,              /**< atp_select_folds(), which also takes bags of a selection or a trainer */
  ATP_OWNER_ALIGNMENT = 108,          /**< atp_alignment_read(), atp_alignment_parse(), atp_input_alignment() */
  ATP_OWNER_FILTER = 109,             /**< atp_alignment_filter() */
  ATP_OWNER_SPLIT = 113,              /**< atp_alignment_split() */
  ATP_OWNER_QUALITY = 114,            /**< atp_samples_quality() */
  ATP_OWNER_MEAN_FIELD = 110,         /**< atp_mean_field_model(), atp_mean_field_bytes() */
  ATP_OWNER_GAUSSIAN = 111,           /**< atp_gaussian_scores() */
  ATP_OWNER_MUTUAL_INFORMATION = 112, /**< atp_mutual_information() */
  ATP_OWNER_ASYMPTOTICS = 115         /**< atp_model_asymptotics(), atp_model_score_errors() */
} atp_option_owner;

/* ---- Stable: what most programs need ---- */

/** Makes a bag with all options of an owner at their defaults.
 *  @param[in] owner  an atp_option_owner or an atp_task_kind
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (owner); ATP_E_MEMORY. Allocates: the bag. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_options_create(atp_context *context, int owner, atp_options **out) ATP_NOEXCEPT;

/** Frees a bag; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_options_destroy(atp_options *options) ATP_NOEXCEPT;

/** Sets an integer or real option from an integer.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPTION (the owner has no such option: the error text says who has it); ATP_E_OPTION_RANGE (the
 *          option keeps its value)
 *  Allocates: no. Threads: one per handle. Since: 0.1, stable. */
ATP_API atp_status atp_options_set_i64(atp_options *options, atp_option key, int64_t value) ATP_NOEXCEPT;

/** Sets an integer or real option from a real number. An integer option needs a whole number.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPTION; ATP_E_OPTION_RANGE; ATP_E_NOT_FINITE
 *  Allocates: no. Threads: one per handle. Since: 0.1, stable. */
ATP_API atp_status atp_options_set_f64(atp_options *options, atp_option key, double value) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Returns the context that the bag was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_options_context(const atp_options *options) ATP_NOEXCEPT;

/** Returns the owner of the bag, an atp_option_owner or an atp_task_kind; 0 for NULL. Allocates: no. Threads: one per handle.
 *  Since: 0.1. */
ATP_API int atp_options_owner(const atp_options *options) ATP_NOEXCEPT;

/** Resets every option to its default. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_reset(atp_options *options) ATP_NOEXCEPT;

/** Reads an integer option. @return ATP_OK; ATP_E_NULL; ATP_E_OPTION (unknown, or a real option).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_get_i64(const atp_options *options, atp_option key, int64_t *value) ATP_NOEXCEPT;

/** Reads an integer or real option as a real number. @return ATP_OK; ATP_E_NULL; ATP_E_OPTION.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_get_f64(const atp_options *options, atp_option key, double *value) ATP_NOEXCEPT;

/** Sets options from text: "l2-couplings=0.01, optimizer=adam". Names are those of atp_option_name(), with '-' or '_'. A value is a
 *  number, with a point in every locale, or a word of the option (atp_option_word()). Names and words may have any case. Commas or blanks
 *  separate assignments.
 *  @param[in] text  assignments, in order; "" sets nothing
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (not NAME=VALUE); ATP_E_OPTION; ATP_E_OPTION_RANGE (a value; the error text has the words of the
 *          option). On failure all options keep their values
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_set_text(atp_options *options, const char *text) ATP_NOEXCEPT;

/** Writes the options that differ from their defaults as text for atp_options_set_text(), with words where values have them, otherwise with
 *  enough digits to be read back exactly; "" if none differs.
 *  @param[out] text    (optional) receives the text with a final NUL; @param[in] size bytes of text, 0 with NULL
 *  @param[out] needed  (optional) bytes of the text with its NUL
 *  @return ATP_OK; ATP_E_NULL (options); ATP_E_BUFFER (the error text and *needed have the number of bytes needed)
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_options_get_text(const atp_options *options, char *text, int64_t size, int64_t *needed) ATP_NOEXCEPT;

/** Returns the owner with this index, an atp_option_owner or an atp_task_kind, or -1 past the end. Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API int atp_option_owner_at(int64_t index) ATP_NOEXCEPT;

/** Returns what an owner is called in error texts, for example "a trainer"; NULL for other ints. Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API const char *atp_option_owner_name(int owner) ATP_NOEXCEPT;

/** Returns the number of options of an owner; 0 for other ints. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_option_count(int owner) ATP_NOEXCEPT;

/** Returns the key of an owner's option with this index, or -1 past the end. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_option_at(int owner, int64_t index) ATP_NOEXCEPT;

/** Returns the name of a key, for example "l2-couplings", which is the same for all owners; NULL for other ints. Allocates: no.
 *  Threads: any. Since: 0.1. */
ATP_API const char *atp_option_name(int key) ATP_NOEXCEPT;

/** Returns the key of a name; -1 for other names and NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_option_from_name(const char *name) ATP_NOEXCEPT;

/** Returns the meaning of an owner's option in one line, with the meaning of special values; NULL if the owner does not have it.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_option_text(int owner, int key) ATP_NOEXCEPT;

/** Returns the word of a value of an owner's option, for example "lbfgs" of the option "optimizer", as the program's flags take it; NULL
 *  if the option or the value has none. If an option has words, then its largest value and all down to that of the first word have one.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_option_word(int owner, int key, int64_t value) ATP_NOEXCEPT;

/** Returns bounds (both inclusive), default and kind of an owner's option; each output may be NULL.
 *  @return ATP_OK; ATP_E_VALUE (owner); ATP_E_OPTION (the owner has no such option). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_option_bounds(int owner, atp_option key, double *lowest, double *highest, double *initial,
                                     int *is_integer) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
