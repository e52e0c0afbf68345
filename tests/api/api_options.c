/* SPDX-License-Identifier: MIT */
/* Options: names, owners, bounds, defaults, kinds, wrong values. The tables are the design, written down again. */
#include "support.h"

#include "constants.h"

#include <attopotts.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  int key;
  const char *name;
  int integer;
};

static const struct entry table[] = {
    {ATP_OPT_SEED, "seed", 1},
    {ATP_OPT_CHAINS, "chains", 1},
    {ATP_OPT_BETA, "beta", 0},
    {ATP_OPT_TEMPERATURES, "temperatures", 1},
    {ATP_OPT_BETA_HOT, "beta-hot", 0},
    {ATP_OPT_SWAP_INTERVAL, "swap-interval", 1},
    {ATP_OPT_FIRST_CHAIN, "first-chain", 1},
    {ATP_OPT_HEADS, "heads", 1},
    {ATP_OPT_MAP, "map", 1},
    {ATP_OPT_RANK, "rank", 1},
    {ATP_OPT_FIELDS, "fields", 1},
    {ATP_OPT_COLORS_FIXED, "colors-fixed", 1},
    {ATP_OPT_OBJECTIVE, "objective", 1},
    {ATP_OPT_OPTIMIZER, "optimizer", 1},
    {ATP_OPT_RATE, "rate", 0},
    {ATP_OPT_BATCH, "batch", 1},
    {ATP_OPT_EPOCHS, "epochs", 1},
    {ATP_OPT_TOLERANCE, "tolerance", 0},
    {ATP_OPT_L2_COUPLINGS, "l2-couplings", 0},
    {ATP_OPT_L2_COLORS, "l2-colors", 0},
    {ATP_OPT_L2_FIELDS, "l2-fields", 0},
    {ATP_OPT_HISTORY, "history", 1},
    {ATP_OPT_PRECISION, "precision", 1},
    {ATP_OPT_MOMENTUM, "momentum", 0},
    {ATP_OPT_INIT_SCALE, "init-scale", 0},
    {ATP_OPT_FAMILY, "family", 1},
    {ATP_OPT_ASYMMETRIC, "asymmetric", 1},
    {ATP_OPT_GAPS, "gaps", 1},
    {ATP_OPT_L2_SCALE, "l2-scale", 1},
    {ATP_OPT_MASK_PROBABILITY, "mask-probability", 0},
    {ATP_OPT_ORDER, "order", 1},
    {ATP_OPT_DIAGONAL, "diagonal", 1},
    {ATP_OPT_SCORES_SCALED, "scores-scaled", 1},
    {ATP_OPT_SYMMETRIZED, "symmetrized", 1},
    {ATP_OPT_VALUES_SHARED, "values-shared", 1},
    {ATP_OPT_L2_PAIRS, "l2-pairs", 0},
    {ATP_OPT_NORM_PAIRS, "norm-pairs", 0},
    {ATP_OPT_NORM_FIELDS, "norm-fields", 0},
    {ATP_OPT_MAX_MUTATIONS, "max-mutations", 1},
    {ATP_OPT_KEPT_COLOR, "kept-color", 1},
    {ATP_OPT_ANNEALING, "annealing", 1},
    {ATP_OPT_INITIAL, "initial", 1},
    {ATP_OPT_SCHEDULE, "schedule", 1},
    {ATP_OPT_BLOCKS, "blocks", 1},
    {ATP_OPT_WIDTH, "width", 1},
    {ATP_OPT_HIDDEN, "hidden", 1},
    {ATP_OPT_POSITIONS, "positions", 1},
    {ATP_OPT_DIAL, "dial", 0},
    {ATP_OPT_SWEEPS, "sweeps", 1},
    {ATP_OPT_RANDOM_CHAINS, "random-chains", 0},
    {ATP_OPT_CHAIN_START, "chain-start", 1},
    {ATP_OPT_TARGET, "target", 0},
    {ATP_OPT_L1_COUPLINGS, "l1-couplings", 0},
    {ATP_OPT_DECAY, "decay", 0},
    {ATP_OPT_FIXED, "fixed", 1},
    {ATP_OPT_SPARSIFY, "sparsify", 1},
    {ATP_OPT_DENSITY, "density", 0},
    {ATP_OPT_SPARSIFY_FRACTION, "sparsify-fraction", 0},
    {ATP_OPT_SPARSIFY_STEPS, "sparsify-steps", 1},
    {ATP_OPT_FOLDS, "folds", 1},
    {ATP_OPT_FOLD_DISTANCE, "fold-distance", 0},
    {ATP_OPT_SELECT, "select", 1},
    {ATP_OPT_SELECT_FIELDS, "select-fields", 1},
    {ATP_OPT_SELECTION_RULE, "selection-rule", 1},
    {ATP_OPT_STRENGTHS, "strengths", 1},
    {ATP_OPT_STRENGTH_RATIO, "strength-ratio", 0},
    {ATP_OPT_STRONGEST, "strongest", 0},
    {ATP_OPT_CRITERION, "criterion", 1},
    {ATP_OPT_UNKNOWN, "unknown", 1},
    {ATP_OPT_COLORS, "colors", 1},
    {ATP_OPT_FORMAT, "format", 1},
    {ATP_OPT_MAX_GAPS_SEQUENCE, "max-gaps-sequence", 0},
    {ATP_OPT_MAX_GAPS_COLUMN, "max-gaps-column", 0},
    {ATP_OPT_REMOVE_DUPLICATES, "remove-duplicates", 1},
    {ATP_OPT_MAX_UNPACKED, "max-unpacked", 1},
    {ATP_OPT_IDENTITY, "identity", 0},
    {ATP_OPT_IDENTITY_TRAINING, "identity-training", 0},
    {ATP_OPT_IDENTITY_TEST, "identity-test", 0},
    {ATP_OPT_TEST_FRACTION, "test-fraction", 0},
    {ATP_OPT_TRIPLES, "triples", 1},
    {ATP_OPT_SAMPLES, "samples", 0},
    {ATP_OPT_MASKS, "masks", 1},
    {ATP_OPT_MAX_TRAINING, "max-training", 1},
    {ATP_OPT_MAX_TEST, "max-test", 1},
    {ATP_OPT_PSEUDOCOUNT, "pseudocount", 0},
    {ATP_OPT_OMEGA, "omega", 0},
    {ATP_OPT_SIGMA, "sigma", 0},
    {ATP_OPT_LAMBDA, "lambda", 0},
    {ATP_OPT_BRANCH, "branch", 1},
    {ATP_OPT_ACCURACY, "accuracy", 0},
    {ATP_OPT_MAX_ITER, "max-iter", 1},
    {ATP_OPT_DIMENSION, "dimension", 1},
    {ATP_OPT_STEPS, "steps", 1},
    {ATP_OPT_TEST_SAMPLES, "test-samples", 1},
    {ATP_OPT_RUNS, "runs", 1},
    {ATP_OPT_START, "start", 1},
    {ATP_OPT_STUDENT_RANK, "student-rank", 1},
    {ATP_OPT_POINTS, "points", 1},
    {ATP_OPT_SHIFTS, "shifts", 1},
    {ATP_OPT_NOISE, "noise", 0},
    {ATP_OPT_TEMPERATURE, "temperature", 0},
    {ATP_OPT_LOSS, "loss", 1},
    {ATP_OPT_DELTA, "delta", 0},
    {ATP_OPT_REALISATIONS, "realisations", 1},
    {ATP_OPT_DIAGONAL_SHIFT, "diagonal-shift", 0},
    {ATP_OPT_RESTARTS, "restarts", 1},
    {ATP_OPT_PERTURBATION, "perturbation", 0},
    {ATP_OPT_START_SCALE, "start-scale", 0},
    {ATP_OPT_BREAKING, "breaking", 1},
    {ATP_OPT_INPUTS, "inputs", 1},
    {ATP_OPT_ALPHA, "alpha", 0},
    {ATP_OPT_START_THETA, "start-theta", 0},
    {ATP_OPT_START_M, "start-m", 0},
    {ATP_OPT_PROBES, "probes", 1},
    {ATP_OPT_FLIPS, "flips", 1},
    {ATP_OPT_FLIP_MARGIN, "flip-margin", 0},
    {ATP_OPT_LIMIT, "limit", 1},
    {ATP_OPT_FLOW, "flow", 1},
    {ATP_OPT_BEST_LAMBDA, "best-lambda", 1},
    {ATP_OPT_PARAMETERS, "parameters", 1},
    {ATP_OPT_PROTOCOL, "protocol", 1},
    {ATP_OPT_BURN_IN, "burn-in", 1},
    {ATP_OPT_THIN, "thin", 1},
    {ATP_OPT_METHOD, "method", 1},
    {ATP_OPT_LATTICE, "lattice", 1},
    {ATP_OPT_SIZE_X, "size-x", 1},
    {ATP_OPT_SIZE_Y, "size-y", 1},
    {ATP_OPT_SIZE_Z, "size-z", 1},
    {ATP_OPT_BOUNDARY, "boundary", 1},
    {ATP_OPT_DEGREE, "degree", 0},
    {ATP_OPT_BONDS, "bonds", 1},
    {ATP_OPT_COLOR_MATRIX, "color-matrix", 1},
};
enum { ENTRIES = sizeof table / sizeof *table };

#define ONE(name, value) +1
enum { IN_HEADER = 0 LIST_atp_option(ONE) };

/* The options of each owner with their defaults. */
#define LEARNING "seed=1 precision=32 batch=100 epochs=200 momentum=0 init-scale=0.1 history=0 tolerance=-1 rate=0 "
#define TRAINING                                                                                                                        \
  LEARNING                                                                                                                              \
  "map=0 objective=0 optimizer=0 family=1 heads=1 rank=16 fields=0 colors-fixed=0 l2-couplings=-1 l2-colors=0 "                         \
  "l2-fields=-1 asymmetric=0 gaps=1 l2-scale=1 mask-probability=0 diagonal=1 scores-scaled=1 symmetrized=0 values-shared=0 l2-pairs=0 " \
  "norm-pairs=0 norm-fields=0 initial=1 schedule=0 "                                                                                    \
  "blocks=1 width=0 hidden=0 positions=1 dial=0 order=2 "                                                                               \
  "chains=0 sweeps=0 random-chains=0.1 chain-start=1 pseudocount=-1 target=0.95 l1-couplings=0 decay=30 fixed=1 temperatures=5 "        \
  "sparsify=1 density=0 sparsify-fraction=0 sparsify-steps=0 "
#define FOLDS "folds=4 fold-distance=0.2 "
#define CHAIN "seed=1 beta=0 beta-hot=0 swap-interval=1 first-chain=0 max-mutations=0 kept-color=-1 "
#define ATTENTION "sigma=0.5 lambda=0.01 "
static const struct {
  int owner;
  const char *name, *options;
} owners[] = {
    {ATP_OWNER_SAMPLER, "a sampler", CHAIN "chains=16 temperatures=1 "},
    {ATP_OWNER_TUNING, "the tuning of beta", "seed=1 chains=64 temperatures=48 "},
    {ATP_OWNER_SAMPLING, "a sampling run", CHAIN "chains=0 temperatures=0 protocol=0 burn-in=-1 thin=0 annealing=0 "},
    {ATP_OWNER_PARTITION, "log Z", "seed=1 method=0 chains=0 steps=0 sweeps=0 temperatures=0 "},
    {ATP_OWNER_LATTICE, "a lattice", "seed=1 lattice=1 size-x=32 size-y=0 size-z=0 boundary=1 degree=3 colors=2 bonds=1 color-matrix=2 "},
    {ATP_OWNER_TRAINER, "a trainer", TRAINING},
    {ATP_OWNER_SELECTION, "a selection by cross-validation",
     TRAINING FOLDS "select=1 select-fields=1 selection-rule=2 strengths=7 strength-ratio=5 strongest=0 criterion=1 "},
    {ATP_OWNER_FOLDS, "the choice of folds", FOLDS},
    {ATP_OWNER_ALIGNMENT, "a reader of alignments", "unknown=1 colors=0 format=0 max-unpacked=0 "},
    {ATP_OWNER_FILTER, "a filter of alignments", "max-gaps-sequence=1 max-gaps-column=1 remove-duplicates=0 "},
    {ATP_OWNER_MEAN_FIELD, "mean-field couplings", "pseudocount=0.5 precision=32 "},
    {ATP_OWNER_GAUSSIAN, "Gaussian scores", "pseudocount=0.8 precision=32 "},
    {ATP_OWNER_MUTUAL_INFORMATION, "mutual information", "pseudocount=0 "},
    {ATP_OWNER_ASYMPTOTICS, "error bars of models",
     "family=0 objective=0 samples=0 fields=0 colors-fixed=0 asymmetric=0 symmetrized=0 mask-probability=0 masks=0 seed=1 l2-couplings=0 "
     "l2-colors=0 l2-fields=0 "},
    {ATP_OWNER_SPLIT, "a split of an alignment",
     "seed=1 identity=0.5 identity-training=1 identity-test=0.5 test-fraction=0.5 max-training=0 max-test=0 runs=10 gaps=1 "},
    {ATP_OWNER_QUALITY, "the quality of samples", "seed=1 runs=10 triples=2000 "},
    {ATP_TASK_REPLICA_SQUARE, "the task REPLICA_SQUARE", "noise=0 lambda=1e-8 best-lambda=0 temperature=0 parameters=0 "},
    {ATP_TASK_REPLICA_SADDLE, "the task REPLICA_SADDLE", "noise=0 lambda=1e-8 best-lambda=0 temperature=0 parameters=0 max-iter=10000 "},
    {ATP_TASK_REPLICA_LIMIT, "the task REPLICA_LIMIT", "diagonal-shift=2.5 lambda=1e-8 best-lambda=0 temperature=0 parameters=0 "},
    {ATP_TASK_REPLICA_CONVEX, "the task REPLICA_CONVEX", "noise=0 lambda=1e-8 loss=1 delta=1 inputs=1 max-iter=10000 parameters=0 "},
    {ATP_TASK_REPLICA_SIMULATION, "the task REPLICA_SIMULATION", "noise=0 lambda=1e-8 realisations=30 seed=1 "},
    {ATP_TASK_DOTATTN_CURVE, "the task DOTATTN_CURVE", ATTENTION "omega=0.3 branch=1 accuracy=1e-3 breaking=0 max-iter=10000 "},
    {ATP_TASK_DOTATTN_TRANSITION, "the task DOTATTN_TRANSITION", ATTENTION "accuracy=1e-3 max-iter=100000 "},
    {ATP_TASK_DOTATTN_TOKENS, "the task DOTATTN_TOKENS",
     ATTENTION "omega=0.3 start=1 student-rank=1 points=4096 shifts=8 seed=1 tolerance=1e-7 max-iter=500 "},
    {ATP_TASK_DOTATTN_SIMULATION, "the task DOTATTN_SIMULATION",
     ATTENTION "omega=0.3 dimension=1000 student-rank=1 start=1 optimizer=2 steps=10000 rate=0 tolerance=1e-5 test-samples=1000 runs=10 "
               "restarts=0 perturbation=0.3 start-scale=1 seed=1 start-theta=0 start-m=0 probes=0 flips=0 flip-margin=10 "},
    {ATP_TASK_REPLICA_POTTS, "the task REPLICA_POTTS", "lambda=1e-8 inputs=1 points=4096 shifts=8 seed=1 max-iter=10000 parameters=0 "},
    {ATP_TASK_REPLICA_POTTS_SIMULATION, "the task REPLICA_POTTS_SIMULATION",
     "lambda=1e-8 inputs=1 realisations=30 test-samples=10000 seed=1 "},
    {ATP_TASK_DOTATTN_DYNAMICS, "the task DOTATTN_DYNAMICS",
     ATTENTION "omega=0.3 rate=1 start-theta=0 start-m=0 start-scale=1 flow=0 points=1024 shifts=8 seed=1 tolerance=1e-6 max-iter=100000 "},
    {ATP_TASK_DOTATTN_TRAJECTORY, "the task DOTATTN_TRAJECTORY",
     ATTENTION "omega=0.3 rate=0 alpha=0 start-theta=0 start-m=0 start-scale=1 dimension=1000 test-samples=1000 runs=10 seed=1 limit=0 "},
};
enum { OWNERS = sizeof owners / sizeof *owners };

/* The default of a name among "name=default ", or NAN. */
static double listed(const char *words, const char *name) {
  const size_t length = strlen(name);
  for (; *words != '\0'; words = strchr(words, ' ') + 1)
    if (strncmp(words, name, length) == 0 && words[length] == '=') return strtod(words + length + 1, NULL);
  return NAN;
}

static int words_in(const char *words) {
  int n = 0;
  for (; *words != '\0'; ++words) n += *words == ' ';
  return n;
}

static double real(const atp_options *options, int key) {
  double value = NAN;
  assert_int_equal(atp_options_get_f64(options, (atp_option)key, &value), ATP_OK);
  return value;
}

static atp_options *bag_of(atp_context *context, int owner) {
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, owner, &options), ATP_OK);
  assert_int_equal(atp_options_owner(options), owner);
  return options;
}

static int set_up(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

static int tear_down(void **state) {
  atp_context_destroy(*state);
  return 0;
}

static void names_both_ways(void **state) {
  (void)state;
  assert_int_equal(ENTRIES, IN_HEADER);
  for (int k = 0; k < ENTRIES; ++k) {
    assert_string_equal(atp_option_name(table[k].key), table[k].name);
    assert_int_equal(atp_option_from_name(table[k].name), table[k].key);
  }
  const char *wrong[] = {"", "Seed", "seed ", "no-such-option", "l2_couplings"};
  for (int k = 0; k < 5; ++k) assert_int_equal(atp_option_from_name(wrong[k]), -1);
  assert_int_equal(atp_option_from_name(NULL), -1);
  for (int key = -10; key < 1000; ++key) {
    int known = 0;
    for (int k = 0; k < ENTRIES; ++k) known |= table[k].key == key;
    assert_int_equal(atp_option_name(key) != NULL, known);
  }
}

static void owners_and_their_options(void **state) {
  for (int n = 0; n < OWNERS; ++n) {
    const int owner = owners[n].owner;
    int found = 0;
    for (int64_t k = 0; k <= OWNERS; ++k) found += atp_option_owner_at(k) == owner;
    assert_int_equal(found, 1);
    assert_string_equal(atp_option_owner_name(owner), owners[n].name);
    assert_int_equal(atp_option_count(owner), words_in(owners[n].options));
    assert_int_equal(atp_option_at(owner, -1), -1);
    assert_int_equal(atp_option_at(owner, atp_option_count(owner)), -1);
    assert_int_equal(atp_option_at(owner, INT64_MAX), -1);
    for (int64_t k = 0; k < atp_option_count(owner); ++k) {
      const int key = atp_option_at(owner, k);
      assert_false(isnan(listed(owners[n].options, atp_option_name(key))));
      for (int64_t j = 0; j < k; ++j) assert_int_not_equal(atp_option_at(owner, j), key);
      const char *text = atp_option_text(owner, key);
      assert_true(text != NULL && strlen(text) > 3 && strchr(text, '\n') == NULL);
    }
    atp_options *options = bag_of(*state, owner);
    for (int k = 0; k < ENTRIES; ++k) {
      const atp_option key = (atp_option)table[k].key;
      const double expected = listed(owners[n].options, table[k].name);
      double value = 42;
      if (!isnan(expected)) {
        if (real(options, key) != expected) fail_msg("%s: %s is %g", owners[n].name, table[k].name, real(options, key));
        continue;
      }
      assert_null(atp_option_text(owner, key));
      assert_int_equal(atp_options_set_f64(options, key, 1), ATP_E_OPTION);
      assert_int_equal(atp_options_set_i64(options, key, 1), ATP_E_OPTION);
      assert_int_equal(atp_options_get_f64(options, key, &value), ATP_E_OPTION);
      assert_int_equal(atp_option_bounds(owner, key, &value, NULL, NULL, NULL), ATP_E_OPTION);
      assert_true(value == 42);
    }
    atp_options_destroy(options);
  }
  assert_int_equal(atp_option_owner_at(-1), -1);
  assert_int_equal(atp_option_owner_at(OWNERS), -1);
  const int wrong[] = {-1, 0, 14, 100, 119, 1000};
  for (int k = 0; k < 6; ++k) {
    atp_options *none = (atp_options *)(uintptr_t)64;
    assert_int_equal(atp_options_create(*state, wrong[k], &none), ATP_E_VALUE);
    assert_null(none);
    assert_null(atp_option_owner_name(wrong[k]));
    assert_int_equal(atp_option_count(wrong[k]), 0);
    assert_int_equal(atp_option_at(wrong[k], 0), -1);
    assert_null(atp_option_text(wrong[k], ATP_OPT_SEED));
    assert_int_equal(atp_option_bounds(wrong[k], ATP_OPT_SEED, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  }
}

/* The values with words, and no others. */
static void words_of_values(void **state) {
  const struct {
    atp_option key;
    int64_t first;
    const char *words[10];
  } named[] = {
      {ATP_OPT_MAP, ATP_MAP_FREE, {"free", "softmax", "lowrank"}},
      {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, {"pseudolikelihood", "mlm", "likelihood", "autoregressive"}},
      {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS, {"lbfgs", "sgd", "adam", "scaled"}},
      {ATP_OPT_FAMILY, ATP_FAMILY_FACTORED, {"factored", "dense", "encoder", "dial"}},
      {ATP_OPT_ORDER, ATP_ORDER_NATURAL, {"natural", "entropy", "entropy-descending"}},
      {ATP_OPT_GAPS, ATP_GAPS_STATE, {"state", "ignore"}},
      {ATP_OPT_L2_SCALE, ATP_L2_ABSOLUTE, {"absolute", "sites", "sites-colors", "weight"}},
      {ATP_OPT_DIAGONAL, ATP_DIAGONAL_BEFORE, {"before", "after"}},
      {ATP_OPT_SCORES_SCALED, 0, {"plain", "scaled"}},
      {ATP_OPT_INITIAL, ATP_INITIAL_NORMAL, {"normal", "xavier"}},
      {ATP_OPT_SCHEDULE, ATP_SCHEDULE_COSINE, {"cosine", "constant", "decay"}},
      {ATP_OPT_CHAIN_START, ATP_CHAIN_START_PERSISTENT, {"persistent", "data", "random"}},
      {ATP_OPT_FIXED, ATP_FIXED_NONE, {"none", "fields", "couplings"}},
      {ATP_OPT_SPARSIFY, ATP_SPARSIFY_NONE, {"none", "activate", "decimate"}},
      {ATP_OPT_POSITIONS, ATP_POSITIONS_NONE, {"none", "sinusoidal"}},
      {ATP_OPT_SELECT, ATP_SELECT_COUPLINGS, {"couplings", "heads"}},
      {ATP_OPT_SELECTION_RULE, ATP_SELECTION_MINIMUM, {"minimum", "one-error"}},
      {ATP_OPT_CRITERION, ATP_CRITERION_PSEUDOLIKELIHOOD, {"sequences", "mutations"}},
      {ATP_OPT_UNKNOWN, ATP_UNKNOWN_GAP, {"gap", "drop", "error"}},
      {ATP_OPT_FORMAT, ATP_FORMAT_AUTO, {"auto", "hdf5", "fasta", "integers", "a2m", "a3m", "stockholm", "aln", "gremlin", "paired"}},
      {ATP_OPT_PROTOCOL, ATP_PROTOCOL_EQUILIBRIUM, {"equilibrium", "chain"}},
      {ATP_OPT_METHOD, ATP_METHOD_AUTO, {"auto", "exact", "annealing", "ladder"}},
      {ATP_OPT_LATTICE, ATP_LATTICE_SQUARE, {"square", "cubic", "triangular", "bethe", "erdos-renyi"}},
      {ATP_OPT_BOUNDARY, ATP_BOUNDARY_PERIODIC, {"periodic", "open"}},
      {ATP_OPT_BONDS, ATP_BONDS_FERROMAGNET, {"ferromagnet", "antiferromagnet", "plus-minus", "gaussian"}},
      {ATP_OPT_COLOR_MATRIX, ATP_COLOR_MATRIX_GAUSSIAN, {"gaussian", "identity", "ising"}},
      {ATP_OPT_BRANCH, ATP_DOTATTN_SEMANTIC, {"semantic", "positional", "uninformed"}},
      {ATP_OPT_START, ATP_DOTATTN_START_SEMANTIC, {"semantic", "positional", "random", "mixed"}},
      {ATP_OPT_LOSS, ATP_REPLICA_LOSS_SQUARE, {"square", "huber", "logistic"}},
      {ATP_OPT_INPUTS, ATP_REPLICA_INPUTS_NORMAL, {"normal", "cavity"}},
  };
  (void)state;
  for (int n = 0; n < OWNERS; ++n)
    for (int k = 0; k < ENTRIES; ++k) {
      const int owner = owners[n].owner, key = table[k].key, has = !isnan(listed(owners[n].options, table[k].name));
      const char *const *words = NULL;
      int64_t first = 0;
      for (size_t j = 0; j < sizeof named / sizeof *named; ++j)
        if (has && (int)named[j].key == key) words = named[j].words, first = named[j].first;
      for (int64_t value = -20; value < 40; ++value) {
        const int64_t at = value - first;
        const char *expected = words == NULL || at < 0 || at >= 10 ? NULL : words[at], *word = atp_option_word(owner, key, value);
        const int learns = owner == ATP_OWNER_TRAINER || owner == ATP_OWNER_SELECTION;
        if (key == ATP_OPT_OPTIMIZER && value == ATP_OPTIMIZER_SCALED && !learns) expected = NULL;
        if (key == ATP_OPT_FAMILY && value > ATP_FAMILY_DENSE && !learns) expected = NULL; /* networks have no error bars */
        if (expected == NULL)
          assert_null(word);
        else
          assert_string_equal(word, expected);
      }
      assert_null(atp_option_word(owner, key, INT64_MIN));
      assert_null(atp_option_word(owner, key, INT64_MAX));
      double highest = 0;
      if (words != NULL) assert_int_equal(atp_option_bounds(owner, (atp_option)key, NULL, &highest, NULL, NULL), ATP_OK);
      if (words != NULL) assert_non_null(atp_option_word(owner, key, (int64_t)highest));
    }
  assert_null(atp_option_word(0, ATP_OPT_MAP, ATP_MAP_FREE));
  assert_null(atp_option_word(ATP_OWNER_TRAINER, -1, 0));
}

/* The text of a refusal names the owner, the option and one who has it. */
static void who_has_it(void **state) {
  const struct {
    int owner;
    atp_option key;
    const char *text;
  } cases[] = {
      {ATP_OWNER_TRAINER, ATP_OPT_OMEGA, "a trainer has no option omega: the task DOTATTN_CURVE has it"},
      {ATP_OWNER_SAMPLER, ATP_OPT_HEADS, "a sampler has no option heads: a trainer has it"},
      {ATP_TASK_REPLICA_LIMIT, ATP_OPT_SEED, "the task REPLICA_LIMIT has no option seed: a sampler has it"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_options *options = bag_of(*state, cases[k].owner);
    char text[512];
    assert_int_equal(atp_options_set_i64(options, cases[k].key, 1), ATP_E_OPTION);
    atp_last_error(text, sizeof text);
    assert_string_equal(text, cases[k].text);
    atp_options_destroy(options);
  }
}

static void bounds_are_kept(void **state) {
  for (int n = 0; n < OWNERS; ++n) {
    const int owner = owners[n].owner;
    atp_options *options = bag_of(*state, owner);
    for (int k = 0; k < ENTRIES; ++k) {
      const atp_option key = (atp_option)table[k].key;
      const double usual = listed(owners[n].options, table[k].name);
      if (isnan(usual)) continue;
      /* Two fill patterns show bytes that are not written. */
      double low[2] = {-7, 7}, high[2] = {-7, 7}, initial[2] = {-7, 7};
      int kind[2] = {-7, 7};
      for (int r = 0; r < 2; ++r) assert_int_equal(atp_option_bounds(owner, key, &low[r], &high[r], &initial[r], &kind[r]), ATP_OK);
      assert_true(low[0] == low[1] && high[0] == high[1] && initial[0] == initial[1] && initial[0] == usual);
      assert_int_equal(kind[0], table[k].integer);
      assert_int_equal(kind[1], table[k].integer);
      assert_true(low[0] <= usual && usual <= high[0] && low[0] < high[0]);
      /* Both bounds are allowed ... */
      assert_int_equal(atp_options_set_f64(options, key, low[0]), ATP_OK);
      assert_true(real(options, key) == low[0]);
      assert_int_equal(atp_options_set_f64(options, key, high[0]), ATP_OK);
      assert_true(real(options, key) == high[0]);
      if (table[k].integer && high[0] < 9e15) {
        assert_int_equal(atp_options_set_i64(options, key, (int64_t)low[0]), ATP_OK);
        assert_true(real(options, key) == low[0]);
        assert_int_equal(atp_options_set_i64(options, key, (int64_t)high[0] + 1), ATP_E_OPTION_RANGE);
        assert_int_equal(atp_options_set_i64(options, key, (int64_t)low[0] - 1), ATP_E_OPTION_RANGE);
        assert_true(real(options, key) == low[0]);
        assert_int_equal(atp_options_set_i64(options, key, (int64_t)high[0]), ATP_OK);
        assert_true(real(options, key) == high[0]);
      }
      /* ... the next numbers outside are not, and change nothing. */
      const double below = table[k].integer ? low[0] - 1 : nextafter(low[0], -DBL_MAX);
      const double above = table[k].integer && high[0] < 9e15 ? high[0] + 1 : nextafter(high[0], DBL_MAX);
      assert_int_equal(atp_options_set_f64(options, key, below), ATP_E_OPTION_RANGE);
      assert_int_equal(atp_options_set_f64(options, key, above), ATP_E_OPTION_RANGE);
      assert_int_equal(atp_options_set_f64(options, key, NAN), ATP_E_NOT_FINITE);
      assert_int_equal(atp_options_set_f64(options, key, INFINITY), ATP_E_NOT_FINITE);
      assert_int_equal(atp_options_set_f64(options, key, -INFINITY), ATP_E_NOT_FINITE);
      assert_int_equal(atp_options_set_i64(options, key, INT64_MIN), ATP_E_OPTION_RANGE);
      assert_true(real(options, key) == high[0]);
      char text[512];
      atp_last_error(text, sizeof text);
      assert_non_null(strstr(text, table[k].name));
      if (table[k].integer) {
        assert_int_equal(atp_options_set_f64(options, key, low[0] + 0.5), ATP_E_OPTION_RANGE);
        assert_true(real(options, key) == high[0]);
      }
    }
    assert_int_equal(atp_options_reset(options), ATP_OK);
    for (int64_t k = 0; k < atp_option_count(owner); ++k) {
      const int key = atp_option_at(owner, k);
      assert_true(real(options, key) == listed(owners[n].options, atp_option_name(key)));
    }
    atp_options_destroy(options);
  }
  assert_int_equal(atp_option_bounds(ATP_OWNER_TRAINER, ATP_OPT_RATE, NULL, NULL, NULL, NULL), ATP_OK);
}

static void values_stay(void **state) {
  atp_options *options = bag_of(*state, ATP_OWNER_TRAINER);
  int64_t whole = 0;
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_BATCH, 7), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_RATE, 0.125), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_L2_COLORS, 2), ATP_OK); /* a real option takes a whole number */
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_HEADS, 3.0), ATP_OK);
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_BATCH, &whole), ATP_OK);
  assert_int_equal(whole, 7);
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_HEADS, &whole), ATP_OK);
  assert_int_equal(whole, 3);
  assert_true(real(options, ATP_OPT_RATE) == 0.125);
  assert_true(real(options, ATP_OPT_L2_COLORS) == 2);
  assert_true(real(options, ATP_OPT_EPOCHS) == 200); /* others do not move */
  /* Of the numbers between, precision has the two ends alone. */
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PRECISION, 48), ATP_E_OPTION_RANGE);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_PRECISION, 33), ATP_E_OPTION_RANGE);
  assert_true(real(options, ATP_OPT_PRECISION) == 32);
  /* All 63 bits of a seed survive as an integer. */
  const int64_t seed = INT64_C(0x7edcba9876543211) & ~INT64_C(0x3ff);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_SEED, seed + 1), ATP_OK);
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_SEED, &whole), ATP_OK);
  assert_true(whole == seed + 1);
  atp_options_destroy(options);
}

static void unknown_keys_and_wrong_kinds(void **state) {
  atp_options *options = bag_of(*state, ATP_OWNER_TRAINER);
  const int wrong[] = {-1, 0, 99, 107, 200, 239, 299, 399, 10000};
  int64_t whole = 42;
  for (int k = 0; k < 9; ++k) {
    const atp_option key = (atp_option)wrong[k];
    double value = 42, low = 42;
    assert_int_equal(atp_options_set_f64(options, key, 1), ATP_E_OPTION);
    assert_int_equal(atp_options_set_i64(options, key, 1), ATP_E_OPTION);
    assert_int_equal(atp_options_get_f64(options, key, &value), ATP_E_OPTION);
    assert_int_equal(atp_options_get_i64(options, key, &whole), ATP_E_OPTION);
    assert_int_equal(atp_option_bounds(ATP_OWNER_TRAINER, key, &low, NULL, NULL, NULL), ATP_E_OPTION);
    assert_true(value == 42 && whole == 42 && low == 42);
  }
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_RATE, &whole), ATP_E_OPTION);
  assert_int_equal(whole, 42);
  atp_options_destroy(options);
}

/* A call takes bags of its owner. A selection also takes those of a trainer, whose values it uses; folds those of both. */
static void bags_of_others(void **state) {
  atp_context *context = *state;
  enum { N = 12, L = 3 };
  uint8_t sequences[N * L];
  int64_t folds[N], clusters[N], bytes = 0;
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)(k * (k / L + 1) / 2 % 2);
  atp_alignment *data = NULL;
  atp_table *path = NULL, *again = NULL;
  atp_options *of_trainer = bag_of(context, ATP_OWNER_TRAINER), *of_selection = bag_of(context, ATP_OWNER_SELECTION),
              *of_sampler = bag_of(context, ATP_OWNER_SAMPLER);
  assert_int_equal(atp_alignment_create(context, sequences, N, L, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_trainer_bytes(context, N, L, 2, of_selection, &bytes), ATP_E_CONFLICT);
  char text[512];
  atp_last_error(text, sizeof text);
  assert_string_equal(text, "options are those of a selection by cross-validation, must be those of a trainer");
  assert_int_equal(atp_select_folds(context, data, of_sampler, folds, clusters, N), ATP_E_CONFLICT);
  assert_int_equal(atp_select_folds(context, data, of_trainer, folds, clusters, N), ATP_OK);
  assert_int_equal(atp_options_set_i64(of_selection, ATP_OPT_FOLDS, 1000), ATP_OK);
  assert_int_equal(atp_select_folds(context, data, of_selection, folds, clusters, N), ATP_E_VALUE);
  /* The values of the trainer's bag count: the paths are those of one penalty on the fields. */
  assert_int_equal(atp_options_reset(of_selection), ATP_OK);
  atp_options *const both[2] = {of_trainer, of_selection};
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_options_set_i64(both[k], ATP_OPT_FAMILY, ATP_FAMILY_DENSE), ATP_OK);
    assert_int_equal(atp_options_set_i64(both[k], ATP_OPT_EPOCHS, 3), ATP_OK);
    atp_table **const out = k == 0 ? &path : &again;
    assert_int_equal(atp_table_create(context, ATP_TABLE_SELECTION, 7, out), ATP_OK);
    assert_int_equal(atp_select_penalty(context, data, both[k], *out, NULL, NULL, NULL), ATP_OK);
  }
  const int64_t rows = atp_table_rows(path);
  assert_int_equal(rows, atp_table_rows(again));
  for (int64_t row = 0; row < rows; ++row) {
    double one = 0, other = 1;
    assert_int_equal(atp_table_value(path, row, ATP_SELECTION_HELDOUT_LOSS, &one), ATP_OK);
    assert_int_equal(atp_table_value(again, row, ATP_SELECTION_HELDOUT_LOSS, &other), ATP_OK);
    assert_true(one == other);
  }
  atp_table_destroy(again);
  atp_table_destroy(path);
  atp_alignment_destroy(data);
  atp_options_destroy(of_sampler);
  atp_options_destroy(of_selection);
  atp_options_destroy(of_trainer);
}

/* The text of a bag, which is as long as is said. */
static const char *text_of(const atp_options *options) {
  static char text[512];
  int64_t needed = 0;
  assert_int_equal(atp_options_get_text(options, NULL, 0, &needed), ATP_OK);
  assert_true(needed <= (int64_t)sizeof text);
  memset(text, '*', sizeof text);
  assert_int_equal(atp_options_get_text(options, text, needed - 1, NULL), ATP_E_BUFFER);
  assert_int_equal(text[0], '*');
  assert_int_equal(atp_options_get_text(options, text, needed, NULL), ATP_OK);
  assert_int_equal((int64_t)strlen(text) + 1, needed);
  return text;
}

static void text_both_ways(void **state) {
  atp_options *options = bag_of(*state, ATP_OWNER_TRAINER), *again = bag_of(*state, ATP_OWNER_TRAINER);
  int64_t whole = 0;
  double real = 0;
  assert_string_equal(text_of(options), "");
  assert_int_equal(atp_options_set_text(options, " l2_couplings = 0.1 ,Optimizer=ADAM seed=9223372036854774783\n, tolerance=1e-3,"),
                   ATP_OK);
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_OPTIMIZER, &whole), ATP_OK);
  assert_int_equal(whole, ATP_OPTIMIZER_ADAM);
  assert_int_equal(atp_options_get_i64(options, ATP_OPT_SEED, &whole), ATP_OK);
  assert_true(whole == 9223372036854774783);
  assert_int_equal(atp_options_get_f64(options, ATP_OPT_L2_COUPLINGS, &real), ATP_OK);
  assert_true(real == 0.1);
  assert_non_null(strstr(text_of(options), "l2-couplings=0.1"));
  assert_non_null(strstr(text_of(options), "optimizer=adam"));
  assert_non_null(strstr(text_of(options), "tolerance=0.001"));
  /* Every option of every owner at its bounds comes back, whatever it is. */
  for (int64_t k = 0; atp_option_owner_at(k) >= 0; ++k) {
    const int owner = atp_option_owner_at(k);
    atp_options *from = bag_of(*state, owner), *to = bag_of(*state, owner);
    for (int64_t j = 0; j < atp_option_count(owner); ++j) {
      const atp_option key = (atp_option)atp_option_at(owner, j);
      double bounds[2], x, y;
      assert_int_equal(atp_option_bounds(owner, key, &bounds[0], &bounds[1], NULL, NULL), ATP_OK);
      for (int b = 0; b < 2; ++b) {
        assert_int_equal(atp_options_set_f64(from, key, bounds[b]), ATP_OK);
        assert_int_equal(atp_options_set_text(to, text_of(from)), ATP_OK);
        assert_int_equal(atp_options_get_f64(from, key, &x), ATP_OK);
        assert_int_equal(atp_options_get_f64(to, key, &y), ATP_OK);
        assert_true(x == y || text_of(from)[0] == 0);
        assert_int_equal(atp_options_reset(from), ATP_OK);
        assert_int_equal(atp_options_reset(to), ATP_OK);
      }
    }
    atp_options_destroy(to);
    atp_options_destroy(from);
  }
  /* What is wrong is named, and nothing is set. */
  const struct {
    const char *text;
    atp_status status;
    const char *error;
  } wrong[] = {
      {"epochs=7, rate", ATP_E_VALUE, "text has \"rate\", must be NAME=VALUE"},
      {"epochs=7,, rate=1", ATP_E_VALUE, "text has \"\""},
      {"epochs=7, =1", ATP_E_VALUE, "text has \"=1\""},
      {"epochs=7, rate=", ATP_E_VALUE, "text has \"rate=\""},
      {"epochs=7, speed=1", ATP_E_OPTION, "there is no option \"speed\""},
      {"epochs=7, chains-per-thread", ATP_E_VALUE, "must be NAME=VALUE"},
      {"epochs=7, max-gaps-column=1", ATP_E_OPTION, "a trainer has no option max-gaps-column: a filter"},
      {"epochs=7, optimizer=lbfg", ATP_E_OPTION_RANGE, "option optimizer is \"lbfg\", must be a number, or one of lbfgs, sgd, adam"},
      {"epochs=7, rate=1,5", ATP_E_VALUE, "text has \"5\""},
      {"epochs=7, rate=0x1", ATP_E_OPTION_RANGE, "option rate is \"0x1\", must be a number"},
      {"epochs=7, rate=nan", ATP_E_NOT_FINITE, "option rate is nan"},
      {"epochs=7, batch=1.5", ATP_E_OPTION_RANGE, "option batch is 1.5, must be a whole number"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    const atp_status status = atp_options_set_text(again, wrong[k].text);
    char text[512];
    atp_last_error(text, sizeof text);
    if (status != wrong[k].status || strstr(text, wrong[k].error) == NULL) fail_msg("%s: %s", wrong[k].text, text);
    assert_string_equal(text_of(again), "");
  }
  assert_int_equal(atp_options_set_text(again, ""), ATP_OK);
  atp_options_destroy(again);
  atp_options_destroy(options);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_both_ways),
    cmocka_unit_test(words_of_values),
    TEST(owners_and_their_options),
    TEST(who_has_it),
    TEST(bounds_are_kept),
    TEST(values_stay),
    TEST(unknown_keys_and_wrong_kinds),
    TEST(bags_of_others),
    TEST(text_both_ways),
};

ATP_TEST_MAIN(tests)
