/* SPDX-License-Identifier: MIT */
/* Wide starts in pieces: a wide trainer that was saved and resumed, and another that takes its couplings over, have the bits of the one
 * call. */
#include "api_support.h"

enum { N = 40, L = 5, Q = 3, PARAMETERS = L * L + Q * Q + L * Q, HEADS = 3, ITERATIONS = 6 };

typedef struct fixture {
  atp_context *context;
  atp_options *options;
  atp_alignment *train;
} fixture;

static void set(const fixture *f, atp_option key, int64_t value) { assert_int_equal(atp_options_set_i64(f->options, key, value), ATP_OK); }

static atp_trainer *make(const fixture *f) {
  atp_trainer *trainer = NULL;
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &trainer), ATP_OK);
  return trainer;
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  uint8_t sequences[N * L];
  uint32_t random = 1;
  *state = f;
  for (int k = 0; k < N * L; ++k) {
    random = random * 1664525u + 1013904223u;
    sequences[k] = (uint8_t)(k % L > 0 && (random >> 8) % 2 ? sequences[k - 1] : (random >> 9) % Q);
  }
  return atp_context_create(NULL, NULL, NULL, &f->context) != ATP_OK ||
         atp_options_create(f->context, ATP_OWNER_TRAINER, &f->options) != ATP_OK ||
         atp_options_set_i64(f->options, ATP_OPT_FIELDS, 1) != ATP_OK ||
         atp_alignment_create(f->context, sequences, N, L, Q, NULL, &f->train) != ATP_OK;
}

static int teardown(void **state) {
  fixture *f = *state;
  void *context = f->context;
  atp_alignment_destroy(f->train);
  atp_options_destroy(f->options);
  free(f);
  return context_teardown(&context);
}

static void get(const atp_trainer *trainer, double *x) { assert_int_equal(atp_trainer_parameters(trainer, x, PARAMETERS), ATP_OK); }

/* The one call, with a target of this optimizer. */
static void start_wide(const fixture *f, atp_optimizer optimizer, double *x) {
  atp_outcome outcome = ATP_OUTCOME_NONE;
  set(f, ATP_OPT_OPTIMIZER, optimizer);
  atp_trainer *t = make(f);
  assert_int_equal(atp_trainer_start_wide(t, HEADS, ITERATIONS, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(atp_trainer_epochs(t), 0);
  get(t, x);
  atp_trainer_destroy(t);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
}

static atp_trainer *make_wide(const fixture *f) {
  set(f, ATP_OPT_HEADS, HEADS);
  set(f, ATP_OPT_EPOCHS, ITERATIONS);
  atp_trainer *wide = make(f);
  set(f, ATP_OPT_HEADS, 1);
  return wide;
}

/* Stopped after any number of iterations, saved, loaded into another trainer. */
static void stopped_anywhere(void **state) {
  const fixture *f = *state;
  double expected[PARAMETERS], of_adam[PARAMETERS], x[PARAMETERS];
  start_wide(f, ATP_OPTIMIZER_LBFGS, expected);
  start_wide(f, ATP_OPTIMIZER_ADAM, of_adam);
  /* L-BFGS has centred fields, which rounds those that are read. */
  for (int k = 0; k < PARAMETERS; ++k) assert_close(of_adam[k], expected[k], 0, 1e-14);
  for (int done = 0; done <= ITERATIONS; ++done) {
    atp_outcome outcome = ATP_OUTCOME_NONE;
    atp_trainer *wide = make_wide(f), *again = make_wide(f), *target = make(f);
    assert_int_equal(atp_trainer_run(wide, done, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_epochs(wide), done);
    const int64_t size = atp_trainer_state_bytes(wide);
    unsigned char *buffer = malloc((size_t)size);
    assert_int_equal(atp_trainer_save_state(wide, buffer, size), ATP_OK);
    assert_int_equal(atp_trainer_load_state(again, buffer, size), ATP_OK);
    free(buffer);
    assert_int_equal(atp_trainer_run(again, ITERATIONS, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
    assert_int_equal(atp_trainer_epochs(again), ITERATIONS);
    assert_int_equal(atp_trainer_run(target, 2, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_start_from(target, again), ATP_OK);
    assert_int_equal(atp_trainer_epochs(target), 0);
    get(target, x);
    assert_memory_equal(x, expected, sizeof x);
    /* The other trainer is only read: the same again. */
    assert_int_equal(atp_trainer_start_from(target, again), ATP_OK);
    get(target, x);
    assert_memory_equal(x, expected, sizeof x);
    atp_trainer_destroy(target);
    atp_trainer_destroy(again);
    atp_trainer_destroy(wide);
  }
}

#define REFUSED(call, status, part)     \
  do {                                  \
    assert_int_equal((call), (status)); \
    assert_error(f->context, (part));   \
  } while (0)

/* A trainer whose option is another one does not do, and nothing is touched. */
static void refuse(const fixture *f, atp_trainer *target, atp_option key, int64_t value, int64_t usual, atp_status status,
                   const char *part) {
  set(f, key, value);
  if (key != ATP_OPT_FAMILY) set(f, ATP_OPT_HEADS, HEADS);
  atp_trainer *other = make(f);
  set(f, ATP_OPT_HEADS, 1);
  set(f, key, usual);
  REFUSED(atp_trainer_start_from(target, other), status, part);
  atp_trainer_destroy(other);
}

static void wrong_trainers(void **state) {
  const fixture *f = *state;
  double before[PARAMETERS], after[PARAMETERS];
  atp_trainer *target = make(f), *wide = make_wide(f);
  get(target, before);
  REFUSED(atp_trainer_start_from(target, target), ATP_E_VALUE, "has 1 heads, expected more than 1");
  REFUSED(atp_trainer_start_from(wide, target), ATP_E_VALUE, "has 1 heads, expected more than 3");
  refuse(f, target, ATP_OPT_FIELDS, 0, 1, ATP_E_SHAPE, "no fields");
  refuse(f, target, ATP_OPT_GAPS, ATP_GAPS_IGNORE, ATP_GAPS_STATE, ATP_E_SHAPE, "2 colours");
  refuse(f, target, ATP_OPT_MAP, ATP_MAP_SOFTMAX, ATP_MAP_FREE, ATP_E_CONFLICT, "map");
  refuse(f, target, ATP_OPT_SYMMETRIZED, 1, 0, ATP_E_CONFLICT, "symmetrized");
  refuse(f, target, ATP_OPT_COLORS_FIXED, 1, 0, ATP_E_CONFLICT, "fixed");
  refuse(f, target, ATP_OPT_FAMILY, ATP_FAMILY_DENSE, ATP_FAMILY_FACTORED, ATP_E_UNSUPPORTED, "dense");
  get(target, after);
  assert_memory_equal(before, after, sizeof before);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  atp_trainer *dense = make(f);
  REFUSED(atp_trainer_start_from(dense, wide), ATP_E_UNSUPPORTED, "family is dense");
  atp_trainer_destroy(dense);
  atp_trainer_destroy(wide);
  atp_trainer_destroy(target);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(stopped_anywhere, setup, teardown),
    cmocka_unit_test_setup_teardown(wrong_trainers, setup, teardown),
};

ATP_TEST_MAIN(tests)
