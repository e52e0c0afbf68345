/* SPDX-License-Identifier: MIT */
/* Allowed colours, starts and mutations of samplers and sampling runs through the C API: what is refused, the same numbers in pieces and by
 * any number of threads, saved states, walks. */
#include "model_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 20, DRAWN = 6 * CHAINS };

static const uint8_t kMask[L * Q] = {1, 1, 0, 0, 1, 0, 1, 1, 1};
static const uint8_t kStarts[2 * L] = {0, 1, 2, 1, 1, 0};

static atp_context *context;
static atp_options *options;

static int set_up(void **state) {
  (void)state;
  return atp_context_create(NULL, NULL, NULL, &context) != ATP_OK || atp_options_create(context, ATP_OWNER_SAMPLING, &options) != ATP_OK;
}
static int tear_down(void **state) {
  (void)state;
  atp_options_destroy(options);
  atp_context_destroy(context);
  return 0;
}

static void set(atp_option key, int64_t value) { assert_int_equal(atp_options_set_i64(options, key, value), ATP_OK); }

/* An annealed walk of chains from the starts within the mask, at most one mutation away. */
static atp_sampling *make_walk(const uint8_t *mask, const uint8_t *starts) {
  atp_model *model = make(context);
  atp_sampling *run = NULL;
  atp_options_reset(options);
  set(ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN);
  set(ATP_OPT_CHAINS, CHAINS);
  set(ATP_OPT_BURN_IN, 5);
  set(ATP_OPT_THIN, 3);
  set(ATP_OPT_ANNEALING, 40);
  set(ATP_OPT_MAX_MUTATIONS, 1);
  assert_int_equal(atp_sampling_create(context, model, options, DRAWN, &run), ATP_OK);
  atp_model_destroy(model);
  assert_int_equal(atp_sampling_restrict(run, mask, L * Q), ATP_OK);
  assert_int_equal(atp_sampling_start_from(run, starts, 2, L), ATP_OK);
  return run;
}

static int stop_it(const atp_progress *progress, void *user) {
  (void)progress;
  atp_sampling_request_stop(user);
  return 0;
}

/* Stopped before and during the run, and carried on by another handle from the saved state; then with other numbers of threads. */
static void in_pieces(void **state) {
  (void)state;
  uint8_t whole[DRAWN * L], pieces[DRAWN * L];
  atp_outcome outcome = ATP_OUTCOME_CANCELLED;
  atp_sampling *run = make_walk(kMask, kStarts);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DONE);
  assert_int_equal(atp_sampling_sequences(run, whole, sizeof whole), ATP_OK);
  atp_sampling_destroy(run);
  int changed = 0;
  for (int m = 0; m < DRAWN; ++m) {
    int mutations = 0;
    for (int i = 0; i < L; ++i) {
      assert_true(kMask[i * Q + whole[m * L + i]]);
      mutations += whole[m * L + i] != kStarts[m % CHAINS % 2 * L + i];
    }
    assert_true(mutations <= 1);
    changed += mutations;
  }
  assert_true(changed > DRAWN / 4);
  run = make_walk(kMask, kStarts);
  outcome = ATP_OUTCOME_CANCELLED;
  int carried = 0;
  while (outcome == ATP_OUTCOME_CANCELLED) {
    assert_int_equal(atp_sampling_run(run, stop_it, run, &outcome), ATP_OK);
    const int64_t size = atp_sampling_state_bytes(run);
    char *bytes = malloc((size_t)size);
    assert_int_equal(atp_sampling_save_state(run, bytes, size), ATP_OK);
    atp_sampling *other = make_walk(kMask, kStarts);
    assert_int_equal(atp_sampling_load_state(other, bytes, size), ATP_OK);
    free(bytes);
    atp_sampling_destroy(run);
    run = other;
    ++carried;
  }
  assert_true(carried >= 3);
  assert_int_equal(atp_sampling_sequences(run, pieces, sizeof pieces), ATP_OK);
  assert_memory_equal(whole, pieces, sizeof whole);
  atp_sampling_destroy(run);
  for (int threads = 1; threads <= 3; threads += 2) {
    assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
    run = make_walk(kMask, kStarts);
    assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_sampling_sequences(run, pieces, sizeof pieces), ATP_OK);
    assert_memory_equal(whole, pieces, sizeof whole);
    atp_sampling_destroy(run);
  }
}

/* A state of another mask or start is not taken, nor by a sampler. */
static void foreign_states(void **state) {
  (void)state;
  uint8_t mask[L * Q], starts[2 * L];
  memcpy(mask, kMask, sizeof mask);
  memcpy(starts, kStarts, sizeof starts);
  mask[2] = 1;
  starts[0] = 1;
  atp_sampling *run = make_walk(kMask, kStarts), *wider = make_walk(mask, kStarts), *elsewhere = make_walk(kMask, starts);
  const int64_t size = atp_sampling_state_bytes(run);
  char *bytes = malloc((size_t)size);
  assert_int_equal(atp_sampling_save_state(run, bytes, size), ATP_OK);
  assert_int_equal(atp_sampling_load_state(wider, bytes, size), ATP_E_MISMATCH);
  assert_error(context, "allowed colours or start");
  assert_int_equal(atp_sampling_load_state(elsewhere, bytes, size), ATP_E_MISMATCH);
  assert_int_equal(atp_sampling_load_state(run, bytes, size), ATP_OK);
  free(bytes);
  atp_sampling_destroy(elsewhere);
  atp_sampling_destroy(wider);
  atp_sampling_destroy(run);
}

typedef struct sampler_state {
  int64_t size;
  char bytes[4096];
} sampler_state;

static atp_sampler *make_sampler(const uint8_t *mask, int64_t most) {
  atp_model *model = make(context);
  atp_options *own = NULL;
  atp_sampler *sampler = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &own), ATP_OK);
  assert_int_equal(atp_options_set_i64(own, ATP_OPT_MAX_MUTATIONS, most), ATP_OK);
  assert_int_equal(atp_sampler_create(context, model, own, &sampler), ATP_OK);
  assert_int_equal(atp_sampler_restrict(sampler, mask, mask == NULL ? 0 : L * Q), ATP_OK);
  atp_options_destroy(own);
  atp_model_destroy(model);
  return sampler;
}

static void save(const atp_sampler *sampler, sampler_state *to) {
  to->size = atp_sampler_state_bytes(sampler);
  assert_true(to->size <= (int64_t)sizeof to->bytes);
  assert_int_equal(atp_sampler_save_state(sampler, to->bytes, to->size), ATP_OK);
}

/* The start is part of a state: another sampler with another start goes on as the first. */
static void sampler_states(void **state) {
  (void)state;
  static sampler_state middle, end, again, plain;
  atp_sampler *first = make_sampler(kMask, 1), *second = make_sampler(kMask, 1), *free_one = make_sampler(NULL, 0);
  assert_int_equal(atp_sampler_start_from(first, kStarts, 2, L), ATP_OK);
  assert_int_equal(atp_sampler_sweep(first, 4, NULL, NULL, NULL), ATP_OK);
  save(first, &middle);
  assert_int_equal(atp_sampler_sweep(first, 9, NULL, NULL, NULL), ATP_OK);
  save(first, &end);
  assert_int_equal(atp_sampler_load_state(second, middle.bytes, middle.size), ATP_OK);
  assert_int_equal(atp_sampler_sweep(second, 9, NULL, NULL, NULL), ATP_OK);
  save(second, &again);
  assert_memory_equal(end.bytes, again.bytes, (size_t)end.size);
  save(free_one, &plain);
  atp_sampler *masked = make_sampler(kMask, 0);
  assert_int_equal(atp_sampler_load_state(masked, plain.bytes, plain.size), ATP_E_MISMATCH);
  assert_error(context, "other allowed colours");
  assert_int_equal(atp_sampler_restrict(masked, NULL, 0), ATP_OK); /* all colours: as if it had never been restricted */
  assert_int_equal(atp_sampler_load_state(masked, plain.bytes, plain.size), ATP_OK);
  atp_sampler_destroy(masked);
  atp_sampler_destroy(free_one);
  atp_sampler_destroy(second);
  atp_sampler_destroy(first);
}

static void refused_masks(void **state) {
  (void)state;
  uint8_t mask[L * Q];
  atp_sampler *sampler = make_sampler(kMask, 0);
  static sampler_state before, after;
  save(sampler, &before);
  memcpy(mask, kMask, sizeof mask);
  assert_int_equal(atp_sampler_restrict(sampler, mask, L * Q - 1), ATP_E_SHAPE);
  mask[4] = 0;
  assert_int_equal(atp_sampler_restrict(sampler, mask, L * Q), ATP_E_VALUE);
  assert_error(context, "allowed: site 1 (number 2) has no allowed colour, must have at least one");
  assert_counted(context, "allowed: site 2 (number 2) has no allowed colour, must have at least one");
  mask[4] = 2;
  assert_int_equal(atp_sampler_restrict(sampler, mask, L * Q), ATP_E_VALUE);
  assert_error(context, "allowed[1][1] is 2, must be 0 or 1");
  const uint8_t wrong[2 * L] = {0, 1, 2, 0, 1, 0};
  uint8_t starts[2 * L];
  memcpy(starts, wrong, sizeof starts);
  starts[4] = 2;
  assert_int_equal(atp_sampler_start_from(sampler, starts, 2, L), ATP_E_VALUE);
  assert_error(context, "sequences[1] has colour 2 at site 1, must have one of the colours that are allowed there (1, the first is 1)");
  save(sampler, &after);
  assert_memory_equal(before.bytes, after.bytes, (size_t)before.size);
  assert_int_equal(atp_sampler_start_from(sampler, wrong, 2, L), ATP_OK);
  atp_sampler_destroy(sampler);
}

static void refused_starts(void **state) {
  (void)state;
  atp_model *model = make(context);
  atp_sampling *run = NULL;
  atp_options_reset(options);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_OK);
  assert_int_equal(atp_sampling_start_from(run, kStarts, 1, L), ATP_E_CONFLICT);
  assert_error(context, "ATP_PROTOCOL_EQUILIBRIUM does not depend on a start");
  atp_sampling_destroy(run);
  set(ATP_OPT_MAX_MUTATIONS, 2);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_E_STAGE);
  assert_error(context, "max-mutations is 2: call atp_sampling_start_from()");
  assert_int_equal(atp_sampling_start_from(run, kStarts, 2, L), ATP_E_CONFLICT);
  assert_error(context, "n is 2, must be 1");
  assert_int_equal(atp_sampling_start_from(run, kStarts, 0, L), ATP_E_VALUE);
  assert_int_equal(atp_sampling_start_from(run, kStarts, 1, L - 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampling_start_from(run, kStarts, 1, L), ATP_OK);
  assert_int_equal(atp_sampling_restrict(run, kMask, L * Q), ATP_E_STAGE);
  atp_sampling_destroy(run);
  set(ATP_OPT_KEPT_COLOR, Q);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_E_VALUE);
  assert_error(context, "kept-color is 3, must be below the 3 colours of the model");
  atp_options_reset(options);
  set(ATP_OPT_ANNEALING, 5);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_E_CONFLICT);
  atp_options_reset(options);
  set(ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN);
  set(ATP_OPT_THIN, 1);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_start_from(run, kStarts, 1, L), ATP_E_STAGE);
  assert_error(context, "the run has begun");
  atp_sampling_destroy(run);
  atp_model_destroy(model);
}

/* Of an autoregressive model only fixed sites at the beginning of the order, and the first site after them. */
static void ordered_models(void **state) {
  (void)state;
  const int64_t order[L] = {2, 0, 1};
  const uint8_t good[L * Q] = {0, 1, 1, 1, 1, 1, 0, 0, 1}, late[L * Q] = {1, 1, 1, 0, 1, 1, 0, 0, 1};
  double couplings[L * L * Q * Q] = {0}, fields[L * Q], p[Q] = {0};
  for (int k = 0; k < L * Q; ++k) fields[k] = 0.3 * k;
  couplings[((1 * L + 0) * Q + 1) * Q + 2] = 1.5; /* site 1 sees site 0 */
  atp_model *model = NULL;
  atp_sampling *run = NULL;
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, fields, &model), ATP_OK);
  assert_int_equal(atp_model_set_order(model, order, L), ATP_OK);
  atp_options_reset(options);
  assert_int_equal(atp_sampling_create(context, model, options, 4096, &run), ATP_OK);
  assert_int_equal(atp_sampling_restrict(run, late, L * Q), ATP_E_CONFLICT);
  assert_error(context,
               "allowed: site 1 (number 2) has 2 of the 3 colours, must have all: the model is autoregressive and draws site 0 (number 1) "
               "before it");
  assert_int_equal(atp_sampling_start_from(run, kStarts, 1, L), ATP_E_CONFLICT);
  assert_int_equal(atp_sampling_restrict(run, good, L * Q), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  static uint8_t sequences[4096 * L];
  assert_int_equal(atp_sampling_sequences(run, sequences, sizeof sequences), ATP_OK);
  for (int m = 0; m < 4096; ++m) {
    assert_true(good[sequences[m * L]] && sequences[m * L + 2] == 2);
    p[sequences[m * L]] += 1.0 / 4096;
  }
  /* Five standard errors: 6e-7. */
  const double exact = exp(fields[1]) / (exp(fields[1]) + exp(fields[2]));
  assert_true(fabs(p[1] - exact) < 5 * sqrt(exact * (1 - exact) / 4096));
  atp_sampling_destroy(run);
  set(ATP_OPT_MAX_MUTATIONS, 1);
  assert_int_equal(atp_sampling_create(context, model, options, 8, &run), ATP_E_CONFLICT);
  assert_error(context, "max-mutations is 1: the model is autoregressive");
  atp_model_destroy(model);
}

/* Annealing is what a sampler does whose betas are set before each sweep. */
static void annealing(void **state) {
  (void)state;
  enum { SWEEPS = 25 };
  uint8_t drawn[CHAINS * L], states[CHAINS * L];
  atp_model *model = make(context);
  atp_sampling *run = NULL;
  atp_sampler *sampler = NULL;
  atp_options *own = NULL;
  atp_options_reset(options);
  set(ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN);
  set(ATP_OPT_CHAINS, CHAINS);
  set(ATP_OPT_BURN_IN, 2);
  set(ATP_OPT_THIN, 1);
  set(ATP_OPT_ANNEALING, SWEEPS);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA_HOT, 0.25), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, CHAINS, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, drawn, sizeof drawn), ATP_OK);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &own), ATP_OK);
  assert_int_equal(atp_options_set_i64(own, ATP_OPT_CHAINS, CHAINS), ATP_OK);
  assert_int_equal(atp_sampler_create(context, model, own, &sampler), ATP_OK);
  for (int t = 0; t < SWEEPS + 3; ++t) {
    const double beta = t < SWEEPS ? 0.25 + (1 - 0.25) * t / SWEEPS : 1;
    assert_int_equal(atp_sampler_set_betas(sampler, &beta, 1), ATP_OK);
    assert_int_equal(atp_sampler_sweep(sampler, 1, NULL, NULL, NULL), ATP_OK);
  }
  assert_int_equal(atp_sampler_states(sampler, 0, states, sizeof states), ATP_OK);
  assert_memory_equal(drawn, states, sizeof drawn);
  atp_options_destroy(own);
  atp_sampler_destroy(sampler);
  atp_sampling_destroy(run);
  atp_model_destroy(model);
}

/* Rows of the walk against the sequences themselves; a table of forgetting has a row for each time. */
static void walks(void **state) {
  (void)state;
  uint8_t sequences[DRAWN * L];
  double rows[DRAWN * ATP_TRAJECTORY_COLUMNS];
  atp_table *walk = NULL, *short_one = NULL, *overlaps = NULL;
  atp_sampling *run = make_walk(kMask, kStarts);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAJECTORY, DRAWN, &walk), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAJECTORY, DRAWN - 1, &short_one), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_FORGETTING, DRAWN / CHAINS, &overlaps), ATP_OK);
  assert_int_equal(atp_sampling_trajectory(run, walk), ATP_E_STAGE);
  assert_int_equal(atp_sampling_forgetting(run, kStarts, 2, L, overlaps), ATP_E_STAGE);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_trajectory(run, short_one), ATP_E_BUFFER);
  assert_int_equal(atp_sampling_trajectory(run, overlaps), ATP_E_CONFLICT);
  assert_int_equal(atp_sampling_trajectory(run, walk), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, sequences, sizeof sequences), ATP_OK);
  assert_int_equal(atp_table_values(walk, rows, DRAWN * ATP_TRAJECTORY_COLUMNS), ATP_OK);
  for (int m = 0; m < DRAWN; ++m) {
    const double *row = rows + m * ATP_TRAJECTORY_COLUMNS;
    int mutations = 0;
    for (int i = 0; i < L; ++i) mutations += sequences[m * L + i] != kStarts[m % CHAINS % 2 * L + i];
    assert_close(row[ATP_TRAJECTORY_CHAIN], m % CHAINS, 0, 0);
    assert_close(row[ATP_TRAJECTORY_SWEEP], 45 + 3 * (m / CHAINS + 1), 0, 0);
    assert_close(row[ATP_TRAJECTORY_MUTATIONS], mutations, 0, 0);
    assert_close(row[ATP_TRAJECTORY_ENERGY], energy(sequences + m * L), 1e-12, 1e-12);
  }
  assert_int_equal(atp_sampling_forgetting(run, kStarts, 0, L, overlaps), ATP_E_VALUE);
  assert_int_equal(atp_sampling_forgetting(run, kStarts, 2, L - 1, overlaps), ATP_E_SHAPE);
  assert_int_equal(atp_sampling_forgetting(run, kStarts, 2, L, walk), ATP_E_CONFLICT);
  assert_int_equal(atp_sampling_forgetting(run, kStarts, 2, L, overlaps), ATP_OK);
  assert_int_equal(atp_table_rows(overlaps), DRAWN / CHAINS);
  atp_table_destroy(overlaps);
  atp_table_destroy(short_one);
  atp_table_destroy(walk);
  atp_sampling_destroy(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_pieces),      cmocka_unit_test(foreign_states), cmocka_unit_test(sampler_states), cmocka_unit_test(refused_masks),
      cmocka_unit_test(refused_starts), cmocka_unit_test(ordered_models), cmocka_unit_test(walks),          cmocka_unit_test(annealing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
