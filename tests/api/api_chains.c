/* SPDX-License-Identifier: MIT */
/* Chains of the likelihood through the C API: where they start, what is given back, runs that go on with them, and every refusal. */
#include "trainer_support.h"

#include <math.h>

enum { CHAINS = 64, DENSE = L * Q + L * (L - 1) / 2 * Q * Q };

static atp_trainer *make(fixture *f, int chain_start) {
  atp_trainer *t = NULL;
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD);
  set(f, ATP_OPT_CHAINS, CHAINS);
  set(f, ATP_OPT_RANDOM_CHAINS, 0);
  set(f, ATP_OPT_TARGET, 1);
  set(f, ATP_OPT_CHAIN_START, chain_start);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  return t;
}

static atp_alignment *chains_of(const atp_trainer *trainer) {
  atp_alignment *chains = NULL;
  assert_int_equal(atp_trainer_chains(trainer, &chains), ATP_OK);
  assert_int_equal(atp_alignment_count(chains), CHAINS);
  assert_int_equal(atp_alignment_sites(chains), L);
  assert_int_equal(atp_alignment_colors(chains), Q);
  for (int64_t r = 0; r < CHAINS; ++r) assert_true(atp_alignment_weights_view(chains)[r] == 1);
  return chains;
}

static int are_equal(const atp_alignment *a, const atp_alignment *b) {
  return memcmp(atp_alignment_sequences_view(a), atp_alignment_sequences_view(b), CHAINS * L) == 0;
}

/* Chain r is sequence r mod N. */
static void given_and_returned(void **state) {
  fixture *f = *state;
  atp_trainer *t = make(f, ATP_CHAIN_START_PERSISTENT);
  atp_alignment *start = NULL;
  uint8_t few[7 * L];
  for (int k = 0; k < 7 * L; ++k) few[k] = (uint8_t)(k * k % Q);
  assert_int_equal(atp_alignment_create(f->context, few, 7, L, Q, NULL, &start), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_start_chains(t, start), ATP_OK);
  assert_int_equal(atp_trainer_epochs(t), 0);
  atp_alignment *chains = chains_of(t);
  for (int64_t r = 0; r < CHAINS; ++r) assert_memory_equal(atp_alignment_sequences_view(chains) + r * L, few + r % 7 * L, L);
  atp_alignment_destroy(chains);
  atp_alignment_destroy(start);
  atp_trainer_destroy(t);
}

static void save_and_load(fixture *f, atp_trainer **trainer) {
  const int64_t bytes = atp_trainer_state_bytes(*trainer);
  void *saved = malloc((size_t)bytes);
  assert_int_equal(atp_trainer_save_state(*trainer, saved, bytes), ATP_OK);
  atp_trainer_destroy(*trainer);
  *trainer = make(f, ATP_CHAIN_START_PERSISTENT);
  assert_int_equal(atp_trainer_load_state(*trainer, saved, bytes), ATP_OK);
  free(saved);
}

/* A trainer goes on with the chains of another, also if it was saved in between; without them its steps are others. */
static void runs_go_on(void **state) {
  fixture *f = *state;
  double start[DENSE], ends[3][DENSE];
  atp_trainer *first = make(f, ATP_CHAIN_START_PERSISTENT);
  assert_int_equal(atp_trainer_run(first, 20, NULL, NULL, NULL), ATP_OK);
  atp_alignment *chains = chains_of(first);
  assert_int_equal(atp_trainer_parameters(first, start, DENSE), ATP_OK);
  for (int k = 0; k < 3; ++k) {
    atp_trainer *t = make(f, ATP_CHAIN_START_PERSISTENT);
    assert_int_equal(atp_trainer_set_parameters(t, start, DENSE), ATP_OK);
    if (k > 0) assert_int_equal(atp_trainer_start_chains(t, chains), ATP_OK);
    if (k == 2) save_and_load(f, &t);
    atp_alignment *now = chains_of(t);
    assert_int_equal(are_equal(now, chains), k > 0);
    atp_alignment_destroy(now);
    assert_int_equal(atp_trainer_run(t, 5, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_parameters(t, ends[k], DENSE), ATP_OK);
    atp_trainer_destroy(t);
  }
  assert_memory_equal(ends[1], ends[2], sizeof ends[1]);
  assert_memory_not_equal(ends[0], ends[1], sizeof ends[1]);
  atp_alignment_destroy(chains);
  atp_trainer_destroy(first);
}

/* Slow steps towards a target that their chains reach long before the model has the right slope. */
static atp_trainer *make_verified(fixture *f, int64_t epochs) {
  atp_trainer *t = NULL;
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD);
  set(f, ATP_OPT_CHAINS, 256);
  set(f, ATP_OPT_RATE, 0.05);
  set(f, ATP_OPT_TARGET, 0.8);
  set(f, ATP_OPT_EPOCHS, (double)epochs);
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  return t;
}

/* The state of a run. */
static void *state_of(const atp_trainer *trainer, int64_t *bytes) {
  *bytes = atp_trainer_state_bytes(trainer);
  void *saved = malloc((size_t)*bytes);
  OK(atp_trainer_save_state(trainer, saved, *bytes));
  return saved;
}

static int pearson_of(const atp_progress *progress, void *pearson) {
  *(double *)pearson = atp_progress_value(progress, ATP_PROGRESS_PEARSON_RANDOM);
  return 0;
}

/* Verifications that fail move chains, sweeps and the next verification, which are in the state: a run that goes on from one right after a
 * failure ends with the bits of the run that was never interrupted. */
static void runs_go_on_after_failed_verifications(void **state) {
  enum { EPOCHS = 150, FAILURES = 4 };
  fixture *f = *state;
  int64_t sizes[FAILURES] = {0}, end_bytes = 0, failures = 0, last = 0;
  void *saved[FAILURES] = {NULL};
  double pearson = 0;
  atp_trainer *stepped = make_verified(f, EPOCHS), *whole = make_verified(f, EPOCHS);
  OK(atp_trainer_run(whole, EPOCHS, NULL, NULL, NULL));
  void *end = state_of(whole, &end_bytes);
  for (int64_t epoch = 0; epoch < EPOCHS && failures < FAILURES; ++epoch) {
    atp_outcome outcome = ATP_OUTCOME_NONE;
    OK(atp_trainer_run(stepped, 1, pearson_of, &pearson, &outcome));
    if (isnan(pearson) || outcome == ATP_OUTCOME_CONVERGED) continue;
    last = atp_trainer_epochs(stepped);
    saved[failures] = state_of(stepped, &sizes[failures]);
    ++failures;
  }
  print_message("%d failures up to epoch %d, end at %d\n", (int)failures, (int)last, (int)atp_trainer_epochs(whole));
  assert_int_equal(failures, FAILURES);
  assert_true(last < atp_trainer_epochs(whole));
  for (int k = 0; k < FAILURES; ++k) {
    atp_trainer *t = make_verified(f, EPOCHS);
    int64_t bytes = 0;
    OK(atp_trainer_load_state(t, saved[k], sizes[k]));
    OK(atp_trainer_run(t, EPOCHS, NULL, NULL, NULL));
    void *now = state_of(t, &bytes);
    assert_int_equal(bytes, end_bytes);
    assert_memory_equal(now, end, (size_t)bytes);
    free(now);
    free(saved[k]);
    atp_trainer_destroy(t);
  }
  free(end);
  atp_trainer_destroy(stepped);
  atp_trainer_destroy(whole);
}

static void refusals(void **state) {
  fixture *f = *state;
  atp_alignment *chains = NULL, *wider = make_data(f->context, L + 1, Q, 1), *more = make_data(f->context, L, Q + 1, 1);
  REFUSED(atp_trainer_start_chains(f->trainer, f->train), ATP_E_UNSUPPORTED, "only the objective likelihood has chains");
  REFUSED(atp_trainer_chains(f->trainer, &chains), ATP_E_UNSUPPORTED, "only the objective likelihood has chains");
  assert_null(chains);
  atp_trainer *t = make(f, ATP_CHAIN_START_PERSISTENT);
  REFUSED(atp_trainer_start_chains(t, wider), ATP_E_SHAPE, "chains");
  REFUSED(atp_trainer_start_chains(t, more), ATP_E_SHAPE, "chains");
  atp_trainer_destroy(t);
  for (int start = ATP_CHAIN_START_DATA; start <= ATP_CHAIN_START_RANDOM; ++start) {
    t = make(f, start);
    REFUSED(atp_trainer_start_chains(t, f->train), ATP_E_CONFLICT, "must be chain-start persistent");
    atp_alignment_destroy(chains_of(t));
    atp_trainer_destroy(t);
  }
  atp_alignment_destroy(wider);
  atp_alignment_destroy(more);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(given_and_returned), TEST(runs_go_on), TEST(runs_go_on_after_failed_verifications),
                                     TEST(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
