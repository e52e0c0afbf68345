/* SPDX-License-Identifier: MIT */
/* Options: names, bounds, defaults, kinds, wrong values. The table is what options.h says, written down again. */
#include "support.h"

#include "constants.h"

#include <attopotts.h>

#include <float.h>
#include <string.h>

struct entry {
  int key;
  const char *name;
  int integer;
  double initial;
};

static const struct entry table[] = {
    {ATP_OPT_SEED, "seed", 1, 1},
    {ATP_OPT_CHAINS, "chains", 1, 16},
    {ATP_OPT_BETA, "beta", 0, 0},
    {ATP_OPT_TEMPERATURES, "temperatures", 1, 1},
    {ATP_OPT_BETA_HOT, "beta-hot", 0, 0},
    {ATP_OPT_SWAP_INTERVAL, "swap-interval", 1, 1},
    {ATP_OPT_FIRST_CHAIN, "first-chain", 1, 0},
    {ATP_OPT_HEADS, "heads", 1, 1},
    {ATP_OPT_MAP, "map", 1, ATP_MAP_FREE},
    {ATP_OPT_RANK, "rank", 1, 16},
    {ATP_OPT_FIELDS, "fields", 1, 0},
    {ATP_OPT_COLORS_FIXED, "colors-fixed", 1, 0},
    {ATP_OPT_OBJECTIVE, "objective", 1, ATP_OBJECTIVE_PSEUDOLIKELIHOOD},
    {ATP_OPT_OPTIMIZER, "optimizer", 1, ATP_OPTIMIZER_LBFGS},
    {ATP_OPT_RATE, "rate", 0, 0},
    {ATP_OPT_BATCH, "batch", 1, 100},
    {ATP_OPT_EPOCHS, "epochs", 1, 200},
    {ATP_OPT_TOLERANCE, "tolerance", 0, -1},
    {ATP_OPT_L2_COUPLINGS, "l2-couplings", 0, -1},
    {ATP_OPT_L2_COLORS, "l2-colors", 0, 0},
    {ATP_OPT_L2_FIELDS, "l2-fields", 0, -1},
    {ATP_OPT_HISTORY, "history", 1, 0},
    {ATP_OPT_PRECISION, "precision", 1, 32},
    {ATP_OPT_MOMENTUM, "momentum", 0, 0},
    {ATP_OPT_INIT_SCALE, "init-scale", 0, 0.1},
    {ATP_OPT_FAMILY, "family", 1, ATP_FAMILY_FACTORED},
    {ATP_OPT_ASYMMETRIC, "asymmetric", 1, 0},
    {ATP_OPT_GAPS, "gaps", 1, ATP_GAPS_STATE},
    {ATP_OPT_L2_SCALE, "l2-scale", 1, ATP_L2_ABSOLUTE},
    {ATP_OPT_MASK_PROBABILITY, "mask-probability", 0, 0},
    {ATP_OPT_DIAGONAL, "diagonal", 1, ATP_DIAGONAL_BEFORE},
    {ATP_OPT_SCORES_SCALED, "scores-scaled", 1, 1},
    {ATP_OPT_SYMMETRIZED, "symmetrized", 1, 0},
    {ATP_OPT_L2_PAIRS, "l2-pairs", 0, 0},
    {ATP_OPT_NORM_PAIRS, "norm-pairs", 0, 0},
    {ATP_OPT_NORM_FIELDS, "norm-fields", 0, 0},
    {ATP_OPT_INITIAL, "initial", 1, ATP_INITIAL_NORMAL},
    {ATP_OPT_SCHEDULE, "schedule", 1, ATP_SCHEDULE_COSINE},
    {ATP_OPT_BLOCKS, "blocks", 1, 1},
    {ATP_OPT_WIDTH, "width", 1, 20},
    {ATP_OPT_HIDDEN, "hidden", 1, 0},
    {ATP_OPT_POSITIONS, "positions", 1, ATP_POSITIONS_SINUSOIDAL},
    {ATP_OPT_DIAL, "dial", 0, 0},
    {ATP_OPT_FOLDS, "folds", 1, 4},
    {ATP_OPT_FOLD_DISTANCE, "fold-distance", 0, 0.2},
    {ATP_OPT_SELECT, "select", 1, ATP_SELECT_COUPLINGS},
    {ATP_OPT_SELECT_FIELDS, "select-fields", 1, 1},
    {ATP_OPT_SELECTION_RULE, "selection-rule", 1, ATP_SELECTION_ONE_ERROR},
    {ATP_OPT_STRENGTHS, "strengths", 1, 7},
    {ATP_OPT_STRENGTH_RATIO, "strength-ratio", 0, 5},
    {ATP_OPT_STRONGEST, "strongest", 0, 0},
    {ATP_OPT_CRITERION, "criterion", 1, ATP_CRITERION_PSEUDOLIKELIHOOD},
    {ATP_OPT_UNKNOWN, "unknown", 1, ATP_UNKNOWN_GAP},
    {ATP_OPT_COLORS, "colors", 1, 0},
    {ATP_OPT_FORMAT, "format", 1, ATP_FORMAT_AUTO},
    {ATP_OPT_MAX_GAPS_SEQUENCE, "max-gaps-sequence", 0, 1},
    {ATP_OPT_MAX_GAPS_COLUMN, "max-gaps-column", 0, 1},
    {ATP_OPT_REMOVE_DUPLICATES, "remove-duplicates", 1, 0},
    {ATP_OPT_MAX_UNPACKED, "max-unpacked", 1, 0},
    {ATP_OPT_PSEUDOCOUNT, "pseudocount", 0, -1},
    {ATP_OPT_OMEGA, "omega", 0, 0.3},
    {ATP_OPT_SIGMA, "sigma", 0, 0.5},
    {ATP_OPT_LAMBDA, "lambda", 0, -1},
    {ATP_OPT_BRANCH, "branch", 1, ATP_DOTATTN_SEMANTIC},
    {ATP_OPT_ACCURACY, "accuracy", 0, 1e-3},
    {ATP_OPT_MAX_ITER, "max-iter", 1, 0},
    {ATP_OPT_DIMENSION, "dimension", 1, 1000},
    {ATP_OPT_STEPS, "steps", 1, 10000},
    {ATP_OPT_TEST_SAMPLES, "test-samples", 1, 1000},
    {ATP_OPT_RUNS, "runs", 1, 10},
    {ATP_OPT_START, "start", 1, ATP_DOTATTN_START_SEMANTIC},
    {ATP_OPT_STUDENT_RANK, "student-rank", 1, 1},
    {ATP_OPT_POINTS, "points", 1, 4096},
    {ATP_OPT_SHIFTS, "shifts", 1, 8},
    {ATP_OPT_NOISE, "noise", 0, 0},
    {ATP_OPT_TEMPERATURE, "temperature", 0, 0},
    {ATP_OPT_LOSS, "loss", 1, ATP_REPLICA_LOSS_SQUARE},
    {ATP_OPT_DELTA, "delta", 0, 1},
    {ATP_OPT_REALISATIONS, "realisations", 1, 30},
    {ATP_OPT_SHIFT, "shift", 0, 2.5},
    {ATP_OPT_RESTARTS, "restarts", 1, 0},
    {ATP_OPT_PERTURBATION, "perturbation", 0, 0.3},
    {ATP_OPT_START_SCALE, "start-scale", 0, 1},
    {ATP_OPT_BREAKING, "breaking", 1, 0},
    {ATP_OPT_INPUTS, "inputs", 1, ATP_REPLICA_INPUTS_NORMAL},
    {ATP_OPT_ALPHA, "alpha", 0, 0},
    {ATP_OPT_START_THETA, "start-theta", 0, 0},
    {ATP_OPT_START_M, "start-m", 0, 0},
    {ATP_OPT_FLOW, "flow", 1, 0},
    {ATP_OPT_PROTOCOL, "protocol", 1, 0},
    {ATP_OPT_BURN_IN, "burn-in", 1, -1},
    {ATP_OPT_THIN, "thin", 1, 0},
};
enum { ENTRIES = sizeof table / sizeof *table };

#define ONE(name, value) +1
enum { IN_HEADER = 0 LIST_atp_option(ONE) };

struct fixture {
  atp_context *context;
  atp_options *options;
};

static int set_up(void **state) {
  static struct fixture f;
  *state = &f;
  return !(atp_context_create(NULL, NULL, NULL, &f.context) == ATP_OK && atp_options_create(f.context, &f.options) == ATP_OK);
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  atp_options_destroy(f->options);
  atp_context_destroy(f->context);
  return 0;
}

static double real(const atp_options *options, int key) {
  double value = NAN;
  assert_int_equal(atp_options_get_f64(options, (atp_option)key, &value), ATP_OK);
  return value;
}

static void names_both_ways(void **state) {
  (void)state;
  assert_int_equal(ENTRIES, IN_HEADER);
  assert_int_equal(atp_option_count(), IN_HEADER);
  for (int k = 0; k < ENTRIES; ++k) {
    assert_string_equal(atp_option_name(table[k].key), table[k].name);
    assert_int_equal(atp_option_from_name(table[k].name), table[k].key);
    assert_int_equal(atp_option_at(k), table[k].key);
  }
  assert_int_equal(atp_option_at(-1), -1);
  assert_int_equal(atp_option_at(ENTRIES), -1);
  assert_int_equal(atp_option_at(INT64_MAX), -1);
  const char *wrong[] = {"", "Seed", "seed ", "no-such-option", "l2_couplings"};
  for (int k = 0; k < 5; ++k) assert_int_equal(atp_option_from_name(wrong[k]), -1);
  assert_int_equal(atp_option_from_name(NULL), -1);
  for (int key = -10; key < 1000; ++key) {
    int known = 0;
    for (int k = 0; k < ENTRIES; ++k) known |= table[k].key == key;
    assert_int_equal(atp_option_name(key) != NULL, known);
  }
}

static void bounds_defaults_and_kinds(void **state) {
  const struct fixture *f = *state;
  for (int k = 0; k < ENTRIES; ++k) {
    /* Two fill patterns show bytes that are not written. */
    double low[2] = {-7, 7}, high[2] = {-7, 7}, initial[2] = {-7, 7};
    int kind[2] = {-7, 7};
    for (int r = 0; r < 2; ++r)
      assert_int_equal(atp_option_bounds((atp_option)table[k].key, &low[r], &high[r], &initial[r], &kind[r]), ATP_OK);
    assert_true(low[0] == low[1] && high[0] == high[1] && initial[0] == initial[1]);
    assert_int_equal(kind[0], table[k].integer);
    assert_int_equal(kind[1], table[k].integer);
    assert_true(initial[0] == table[k].initial);
    assert_true(low[0] <= initial[0] && initial[0] <= high[0] && low[0] < high[0]);
    assert_true(real(f->options, table[k].key) == table[k].initial);
  }
  assert_int_equal(atp_option_bounds(ATP_OPT_RATE, NULL, NULL, NULL, NULL), ATP_OK);
}

static void bounds_are_kept(void **state) {
  const struct fixture *f = *state;
  for (int k = 0; k < ENTRIES; ++k) {
    const atp_option key = (atp_option)table[k].key;
    double low = 0, high = 0;
    assert_int_equal(atp_option_bounds(key, &low, &high, NULL, NULL), ATP_OK);
    /* Both bounds are allowed ... */
    assert_int_equal(atp_options_set_f64(f->options, key, low), ATP_OK);
    assert_true(real(f->options, key) == low);
    assert_int_equal(atp_options_set_f64(f->options, key, high), ATP_OK);
    assert_true(real(f->options, key) == high);
    if (table[k].integer && high < 9e15) {
      assert_int_equal(atp_options_set_i64(f->options, key, (int64_t)low), ATP_OK);
      assert_true(real(f->options, key) == low);
      assert_int_equal(atp_options_set_i64(f->options, key, (int64_t)high + 1), ATP_E_OPTION_RANGE);
      assert_int_equal(atp_options_set_i64(f->options, key, (int64_t)low - 1), ATP_E_OPTION_RANGE);
      assert_true(real(f->options, key) == low);
      assert_int_equal(atp_options_set_i64(f->options, key, (int64_t)high), ATP_OK);
      assert_true(real(f->options, key) == high);
    }
    /* ... the next numbers outside are not, and change nothing. */
    const double below = table[k].integer ? low - 1 : nextafter(low, -DBL_MAX);
    const double above = table[k].integer && high < 9e15 ? high + 1 : nextafter(high, DBL_MAX);
    assert_int_equal(atp_options_set_f64(f->options, key, below), ATP_E_OPTION_RANGE);
    assert_int_equal(atp_options_set_f64(f->options, key, above), ATP_E_OPTION_RANGE);
    assert_int_equal(atp_options_set_f64(f->options, key, NAN), ATP_E_NOT_FINITE);
    assert_int_equal(atp_options_set_f64(f->options, key, INFINITY), ATP_E_NOT_FINITE);
    assert_int_equal(atp_options_set_f64(f->options, key, -INFINITY), ATP_E_NOT_FINITE);
    assert_int_equal(atp_options_set_i64(f->options, key, INT64_MIN), ATP_E_OPTION_RANGE);
    assert_true(real(f->options, key) == high);
    char text[512];
    atp_last_error(text, sizeof text);
    assert_non_null(strstr(text, table[k].name));
    if (table[k].integer) {
      assert_int_equal(atp_options_set_f64(f->options, key, low + 0.5), ATP_E_OPTION_RANGE);
      assert_true(real(f->options, key) == high);
    }
  }
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  for (int k = 0; k < ENTRIES; ++k) assert_true(real(f->options, table[k].key) == table[k].initial);
}

static void values_stay(void **state) {
  const struct fixture *f = *state;
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_CHAINS, 7), ATP_OK);
  assert_int_equal(atp_options_set_f64(f->options, ATP_OPT_RATE, 0.125), ATP_OK);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_BETA, 2), ATP_OK); /* a real option takes a whole number */
  assert_int_equal(atp_options_set_f64(f->options, ATP_OPT_HEADS, 3.0), ATP_OK);
  int64_t chains = 0, heads = 0;
  assert_int_equal(atp_options_get_i64(f->options, ATP_OPT_CHAINS, &chains), ATP_OK);
  assert_int_equal(atp_options_get_i64(f->options, ATP_OPT_HEADS, &heads), ATP_OK);
  assert_int_equal(chains, 7);
  assert_int_equal(heads, 3);
  assert_true(real(f->options, ATP_OPT_RATE) == 0.125);
  assert_true(real(f->options, ATP_OPT_BETA) == 2);
  assert_true(real(f->options, ATP_OPT_EPOCHS) == 200); /* others do not move */
  /* All 63 bits of a seed survive as an integer. */
  const int64_t seed = INT64_C(0x7edcba9876543211) & ~INT64_C(0x3ff);
  int64_t back = 0;
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_SEED, seed + 1), ATP_OK);
  assert_int_equal(atp_options_get_i64(f->options, ATP_OPT_SEED, &back), ATP_OK);
  assert_true(back == seed + 1);
}

static void unknown_keys_and_wrong_kinds(void **state) {
  const struct fixture *f = *state;
  const int wrong[] = {-1, 0, 99, 107, 200, 239, 299, 399, 10000};
  for (int k = 0; k < 8; ++k) {
    const atp_option key = (atp_option)wrong[k];
    double value = 42, low = 42;
    int64_t whole = 42;
    assert_int_equal(atp_options_set_f64(f->options, key, 1), ATP_E_OPTION);
    assert_int_equal(atp_options_set_i64(f->options, key, 1), ATP_E_OPTION);
    assert_int_equal(atp_options_get_f64(f->options, key, &value), ATP_E_OPTION);
    assert_int_equal(atp_options_get_i64(f->options, key, &whole), ATP_E_OPTION);
    assert_int_equal(atp_option_bounds(key, &low, NULL, NULL, NULL), ATP_E_OPTION);
    assert_true(value == 42 && whole == 42 && low == 42);
  }
  int64_t whole = 42;
  assert_int_equal(atp_options_get_i64(f->options, ATP_OPT_RATE, &whole), ATP_E_OPTION);
  assert_int_equal(whole, 42);
}

/* What the headers say of the options of each reader. */
#define TRAINING                                                                                                                      \
  "seed heads map rank fields colors-fixed objective optimizer rate batch epochs tolerance l2-couplings l2-colors l2-fields history " \
  "precision momentum init-scale family asymmetric gaps l2-scale mask-probability diagonal scores-scaled symmetrized l2-pairs "       \
  "norm-pairs norm-fields initial schedule "
static const struct {
  int reader;
  const char *options;
} readers[] = {
    {ATP_READER_SAMPLER, "seed chains beta temperatures beta-hot swap-interval first-chain "},
    {ATP_READER_TUNING, "seed chains temperatures "},
    {ATP_READER_SAMPLING, "protocol seed chains beta temperatures beta-hot swap-interval burn-in thin first-chain "},
    {ATP_READER_TRAINER, TRAINING "blocks width hidden positions dial "},
    {ATP_READER_SELECTION,
     TRAINING "folds fold-distance select select-fields selection-rule strengths strength-ratio strongest criterion "},
    {ATP_READER_FOLDS, "folds fold-distance "},
    {ATP_READER_ALIGNMENT, "unknown colors format max-unpacked "},
    {ATP_READER_FILTER, "max-gaps-sequence max-gaps-column remove-duplicates "},
    {ATP_READER_INVERSE, "pseudocount precision "},
    {ATP_READER_MUTUAL_INFORMATION, "pseudocount "},
    {ATP_TASK_REPLICA_SQUARE, "noise lambda temperature "},
    {ATP_TASK_REPLICA_SADDLE, "noise lambda temperature max-iter "},
    {ATP_TASK_REPLICA_LIMIT, "shift lambda temperature "},
    {ATP_TASK_REPLICA_CONVEX, "noise lambda loss delta inputs max-iter "},
    {ATP_TASK_REPLICA_SIMULATION, "noise lambda realisations seed "},
    {ATP_TASK_DOTATTN_CURVE, "omega sigma lambda branch accuracy breaking max-iter "},
    {ATP_TASK_DOTATTN_TRANSITION, "sigma lambda accuracy max-iter "},
    {ATP_TASK_DOTATTN_TOKENS, "omega sigma lambda start student-rank points shifts seed tolerance max-iter "},
    {ATP_TASK_DOTATTN_SIMULATION,
     "omega sigma lambda dimension student-rank start optimizer steps rate tolerance test-samples runs restarts "
     "perturbation start-scale seed "},
    {ATP_TASK_REPLICA_POTTS, "lambda inputs points shifts seed max-iter "},
    {ATP_TASK_REPLICA_POTTS_SIMULATION, "lambda inputs realisations test-samples seed "},
    {ATP_TASK_DOTATTN_DYNAMICS, "omega sigma lambda rate start-theta start-m start-scale flow points shifts seed tolerance max-iter "},
    {ATP_TASK_DOTATTN_TRAJECTORY, "omega sigma lambda rate alpha start-theta start-m start-scale dimension test-samples runs seed "},
};

/* Whether the words, each with a blank after it, have this one. */
static int among(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (; *words != '\0'; words = strchr(words, ' ') + 1)
    if (strncmp(words, word, length) == 0 && words[length] == ' ') return 1;
  return 0;
}

static void readers_of_options(void **state) {
  const struct fixture *f = *state;
  for (size_t r = 0; r < sizeof readers / sizeof *readers; ++r) {
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
    assert_int_equal(atp_options_check(f->options, readers[r].reader), ATP_OK);
    for (int k = 0; k < ENTRIES; ++k) {
      assert_int_equal(atp_options_reset(f->options), ATP_OK);
      /* Setting an option counts, be it to its default. */
      assert_int_equal(atp_options_set_f64(f->options, (atp_option)table[k].key, table[k].initial), ATP_OK);
      const int read = among(readers[r].options, table[k].name);
      const atp_status status = atp_options_check(f->options, readers[r].reader);
      if (status != (read ? ATP_OK : ATP_E_CONFLICT)) fail_msg("reader %d, option %s: status %d", readers[r].reader, table[k].name, status);
      char text[512];
      atp_last_error(text, sizeof text);
      if (!read && strstr(text, table[k].name) == NULL) fail_msg("the text does not name %s: %s", table[k].name, text);
    }
  }
  const int wrong[] = {-1, 0, 14, 100, 112, 1000};
  for (int k = 0; k < 6; ++k) assert_int_equal(atp_options_check(f->options, wrong[k]), ATP_E_VALUE);
  /* The text names a reader of the option. */
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_BLOCKS, 3), ATP_OK);
  assert_int_equal(atp_options_check(f->options, ATP_READER_SAMPLER), ATP_E_CONFLICT);
  char text[512];
  atp_last_error(text, sizeof text);
  assert_string_equal(text, "option blocks is set, and a sampler does not read it: leave it out (a trainer reads it)");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_both_ways),
    cmocka_unit_test_setup_teardown(bounds_defaults_and_kinds, set_up, tear_down),
    cmocka_unit_test_setup_teardown(bounds_are_kept, set_up, tear_down),
    cmocka_unit_test_setup_teardown(values_stay, set_up, tear_down),
    cmocka_unit_test_setup_teardown(unknown_keys_and_wrong_kinds, set_up, tear_down),
    cmocka_unit_test_setup_teardown(readers_of_options, set_up, tear_down),
};

ATP_TEST_MAIN(tests)
