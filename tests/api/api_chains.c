/* SPDX-License-Identifier: MIT */
/* Chains of the likelihood through the C API: where they start, what is given back, runs that go on with them, and every refusal. */
#include "trainer_support.h"

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
  const struct CMUnitTest tests[] = {TEST(given_and_returned), TEST(runs_go_on), TEST(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
