/* SPDX-License-Identifier: MIT */
/* Sampling runs through the C API: against enumeration and a sampler, in pieces, saved states, and what is refused. */
#include "model_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 16, SEQUENCES = 4096, STATES = Q * Q * Q };

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

typedef struct setting {
  atp_option key;
  int64_t value;
} setting;

/* A run of the fixture's model with these options, {0} at the end. */
static atp_sampling *make_run(const setting *set, int64_t n) {
  atp_model *model = make(context);
  atp_sampling *run = NULL;
  atp_options_reset(options);
  for (; set->key != 0; ++set) assert_int_equal(atp_options_set_i64(options, set->key, set->value), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, n, &run), ATP_OK);
  atp_model_destroy(model);
  return run;
}

/* Mean and standard error over chains of f of the sequences; f(s) = energy or [s_0 = 0]. */
static void mean_of(const uint8_t *s, int64_t chains, int what, double *mean, double *error) {
  double sum = 0, squares = 0;
  for (int64_t c = 0; c < chains; ++c) {
    double own = 0;
    for (int64_t m = c; m < SEQUENCES; m += chains) own += what == 0 ? energy(s + m * L) : s[m * L] == 0;
    own /= (double)(SEQUENCES / chains);
    sum += own;
    squares += own * own;
  }
  *mean = sum / (double)chains;
  *error = sqrt((squares / (double)chains - *mean * *mean) / (double)(chains - 1));
}

/* Two means over 64 ladders, each within 5 standard errors (Student's t with 63 degrees of freedom: 5e-6 each). */
static void against_enumeration(void **state) {
  (void)state;
  double z = 0, exact[2] = {0, 0}, row[ATP_SAMPLING_COLUMNS];
  for (int k = 0; k < STATES; ++k) {
    const uint8_t s[L] = {(uint8_t)(k / 9), (uint8_t)(k / 3 % 3), (uint8_t)(k % 3)};
    const double p = exp(-energy(s));
    z += p;
    exact[0] += p * energy(s);
    exact[1] += p * (s[0] == 0);
  }
  const setting none[] = {{0, 0}};
  atp_sampling *run = make_run(none, SEQUENCES);
  static uint8_t sequences[SEQUENCES * L];
  atp_outcome outcome;
  atp_table *table;
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_string_equal(atp_sampling_difference(run), "");
  assert_int_equal(atp_sampling_sequences(run, sequences, sizeof sequences), ATP_OK);
  for (int what = 0; what < 2; ++what) {
    double mean, error;
    mean_of(sequences, 64, what, &mean, &error);
    print_message("%s: %.4f +- %.4f, exactly %.4f\n", what == 0 ? "energy" : "f_0(0)", mean, error, exact[what] / z);
    assert_true(error > 0 && error < 0.1 && fabs(mean - exact[what] / z) < 5 * error);
  }
  assert_int_equal(atp_table_create(context, ATP_TABLE_SAMPLING, 1, &table), ATP_OK);
  assert_int_equal(atp_sampling_report(run, table), ATP_OK);
  assert_int_equal(atp_sampling_report(run, table), ATP_E_BUFFER);
  assert_int_equal(atp_table_values(table, row, ATP_SAMPLING_COLUMNS), ATP_OK);
  assert_true(row[ATP_SAMPLING_BETA] == 1 && row[ATP_SAMPLING_OUTCOME] == ATP_OUTCOME_CONVERGED);
  assert_true(row[ATP_SAMPLING_RHAT] > 0.9 && row[ATP_SAMPLING_RHAT] < 1.1 && row[ATP_SAMPLING_TAU] > 0);
  assert_true(row[ATP_SAMPLING_OVERLAP_RHAT] > 0.9 && row[ATP_SAMPLING_OVERLAP_RHAT] < 1.05);
  assert_true(row[ATP_SAMPLING_BURN_IN] >= 256 && row[ATP_SAMPLING_THIN] >= 1 && row[ATP_SAMPLING_TEMPERATURES] >= 2);
  assert_true(row[ATP_SAMPLING_BETA_HOT] == 0.1 && row[ATP_SAMPLING_SWAP_RATE] > 0.2);
  atp_table_destroy(table);
  atp_sampling_destroy(run);
}

/* Three phases behind barriers of 18 units, of which fields prefer one. Pilot runs choose the hottest rung above a tenth of beta and below
 * its half, where plain chains stay in their phase; frequencies are those of enumeration within 5 standard errors (as above). */
static void searched_hottest_rung(void **state) {
  (void)state;
  enum { SITES = 6, ALL = 729 };
  double maps[SITES * SITES], fields[SITES * Q] = {0}, z = 0, exact[2] = {0, 0}, row[ATP_SAMPLING_COLUMNS];
  const double beta = 2, identity[Q * Q] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, field = 0.1;
  for (int k = 0; k < SITES * SITES; ++k) maps[k] = k % (SITES + 1) == 0 ? 0 : 1;
  for (int i = 0; i < SITES; ++i) fields[i * Q] = field;
  for (int k = 0; k < ALL; ++k) {
    int count[Q] = {0};
    for (int i = 0, rest = k; i < SITES; ++i, rest /= Q) ++count[rest % Q];
    double energy_of_state = -field * count[0];
    for (int a = 0; a < Q; ++a) energy_of_state -= count[a] * (count[a] - 1) / 2;
    const double p = exp(-beta * energy_of_state);
    z += p;
    exact[0] += p * count[0] / SITES;
    exact[1] += p * count[1] / SITES;
  }
  static uint8_t sequences[SEQUENCES * SITES];
  atp_model *model;
  atp_sampling *run;
  atp_table *table;
  atp_outcome outcome;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){SITES, Q, 1}, maps, identity, fields, &model), ATP_OK);
  atp_options_reset(options);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA, beta), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA_HOT, -1), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, SEQUENCES, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(atp_sampling_sequences(run, sequences, sizeof sequences), ATP_OK);
  for (int a = 0; a < 2; ++a) {
    double sum = 0, squares = 0;
    for (int c = 0; c < 64; ++c) {
      double own = 0;
      for (int m = c; m < SEQUENCES; m += 64)
        for (int i = 0; i < SITES; ++i) own += sequences[m * SITES + i] == a;
      own /= SEQUENCES / 64 * SITES;
      sum += own / 64;
      squares += own * own / 64;
    }
    const double error = sqrt((squares - sum * sum) / 63);
    print_message("frequency of colour %d: %.4f +- %.4f, exactly %.4f\n", a, sum, error, exact[a] / z);
    assert_true(error > 0 && error < 0.05 && fabs(sum - exact[a] / z) < 5 * error);
  }
  assert_int_equal(atp_table_create(context, ATP_TABLE_SAMPLING, 1, &table), ATP_OK);
  assert_int_equal(atp_sampling_report(run, table), ATP_OK);
  assert_int_equal(atp_table_values(table, row, ATP_SAMPLING_COLUMNS), ATP_OK);
  print_message("hottest rung %.3f, %g rungs\n", row[ATP_SAMPLING_BETA_HOT], row[ATP_SAMPLING_TEMPERATURES]);
  assert_true(row[ATP_SAMPLING_BETA_HOT] > 0.1 * beta && row[ATP_SAMPLING_BETA_HOT] < 0.5 * beta);
  atp_table_destroy(table);
  atp_sampling_destroy(run);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 1, &run), ATP_E_CONFLICT);
  assert_error(context, "beta-hot is -1, must be 0 or more without pilot runs");
  atp_model_destroy(model);
}

/* The protocol `chain` is a sampler's burn-in and samples; chains and alphabet go into the alignment. */
static void chains(void **state) {
  (void)state;
  const setting set[] = {
      {ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN}, {ATP_OPT_CHAINS, CHAINS}, {ATP_OPT_BURN_IN, 7}, {ATP_OPT_THIN, 3}, {ATP_OPT_SEED, 5}, {0, 0}};
  enum { DRAWN = 50 };
  uint8_t mine[DRAWN * L], theirs[DRAWN * L];
  atp_outcome outcome;
  atp_sampling *run = make_run(set, DRAWN);
  atp_model *model = make(context);
  atp_sampler *sampler;
  atp_alignment *alignment;
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DONE);
  assert_int_equal(atp_sampling_sequences(run, mine, sizeof mine), ATP_OK);
  renew(&options, ATP_OWNER_SAMPLER);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_SEED, 5), ATP_OK);
  assert_int_equal(atp_sampler_create(context, model, options, &sampler), ATP_OK);
  renew(&options, ATP_OWNER_SAMPLING);
  assert_int_equal(atp_sampler_sweep(sampler, 7, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampler_sample(sampler, 3, theirs, sizeof theirs, NULL, NULL, NULL), ATP_OK);
  assert_memory_equal(mine, theirs, sizeof mine);
  assert_int_equal(atp_sampling_alignment(run, &alignment), ATP_OK);
  assert_int_equal(atp_alignment_count(alignment), DRAWN);
  assert_int_equal(atp_sampling_count(run), DRAWN);
  assert_int_equal(atp_sampling_sites(run), L);
  assert_non_null(strstr(atp_alignment_origin(alignment), "protocol=chain beta=1 seed=5 chains=16 burn-in=7 thin=3"));
  atp_alignment_destroy(alignment);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
  atp_sampling_destroy(run);
}

/* Without exchanges a cold ferromagnet keeps the side that it starts on: the run says that the two runs differ. */
static void not_in_equilibrium(void **state) {
  (void)state;
  const double map[L * L] = {0, 1, 1, 1, 0, 1, 1, 1, 0}, values[BLOCK] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  atp_model *model;
  atp_sampling *run;
  atp_outcome outcome;
  atp_options_reset(options);
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, map, values, NULL, &model), ATP_OK);
  assert_int_equal(atp_model_set_beta(model, 40), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 1), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_BURN_IN, 128), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 512, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_non_null(strstr(atp_sampling_difference(run), "the mean Hamming distances of the two runs differ"));
  atp_sampling_destroy(run);
  atp_model_destroy(model);
}

static int calls, stages[4];
static int stop_it(const atp_progress *progress, void *run) {
  ++calls;
  ++stages[atp_sampling_stage_of(run)];
  assert_true(atp_progress_value(progress, ATP_PROGRESS_STEP) <= atp_progress_value(progress, ATP_PROGRESS_TOTAL));
  assert_true(atp_progress_value(progress, ATP_PROGRESS_SITE_UPDATES) > 0);
  return atp_sampling_stage_of(run) != ATP_SAMPLING_STAGE_LADDER;
}

/* Stopped at every report, and carried on by another handle from the saved state: the same sequences. */
static void in_pieces(void **state) {
  (void)state;
  enum { DRAWN = 6 * CHAINS };
  const setting set[] = {{ATP_OPT_CHAINS, CHAINS}, {ATP_OPT_TEMPERATURES, 3}, {ATP_OPT_BURN_IN, 6400}, {ATP_OPT_THIN, 60000}, {0, 0}};
  uint8_t whole[DRAWN * L], pieces[DRAWN * L];
  atp_outcome outcome = ATP_OUTCOME_CANCELLED;
  atp_sampling *run = make_run(set, DRAWN);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, whole, sizeof whole), ATP_OK);
  atp_sampling_destroy(run);
  run = make_run(set, DRAWN);
  atp_sampling_request_stop(run);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  int carried = 0;
  while (outcome == ATP_OUTCOME_CANCELLED) {
    assert_int_equal(atp_sampling_sequences(run, pieces, sizeof pieces), ATP_E_STAGE);
    assert_int_equal(atp_sampling_run(run, stop_it, run, &outcome), ATP_OK);
    const int64_t size = atp_sampling_state_bytes(run);
    char *bytes = malloc((size_t)size);
    assert_int_equal(atp_sampling_save_state(run, bytes, size), ATP_OK);
    atp_sampling *other = make_run(set, DRAWN);
    assert_int_equal(atp_sampling_load_state(other, bytes, size), ATP_OK);
    assert_int_equal(atp_sampling_stage_of(other), atp_sampling_stage_of(run));
    free(bytes);
    atp_sampling_destroy(run);
    run = other;
    ++carried;
  }
  print_message("%d calls, %d reports: ladder %d, burn-in %d, sequences %d\n", carried, calls, stages[0], stages[1], stages[2]);
  assert_true(carried >= 3 && stages[0] >= 1 && stages[1] >= 1 && stages[2] >= 1);
  assert_int_equal(atp_sampling_sequences(run, pieces, sizeof pieces), ATP_OK);
  assert_memory_equal(whole, pieces, sizeof whole);
  atp_sampling_destroy(run);
}

/* A state that version 0.1 saved in the middle of the sequences: it loads for ever, and the run goes on to the same sequences. With
 * ATP_WRITE_STATE=FILE the test writes such a state. */
static void kept_state(void **state) {
  (void)state;
  enum { DRAWN = 12, BIGGEST = 4096 };
  const setting set[] = {{ATP_OPT_CHAINS, 4}, {ATP_OPT_TEMPERATURES, 2}, {ATP_OPT_BURN_IN, 640}, {ATP_OPT_THIN, 300000}, {0, 0}};
  uint8_t whole[DRAWN * L], rest[DRAWN * L];
  static char bytes[BIGGEST];
  const char *path = getenv("ATP_WRITE_STATE");
  atp_outcome outcome;
  atp_sampling *run = make_run(set, DRAWN);
  while (path != NULL && atp_sampling_stage_of(run) != ATP_SAMPLING_STAGE_SAMPLE)
    assert_int_equal(atp_sampling_run(run, stop_it, run, &outcome), ATP_OK);
  if (path != NULL) {
    assert_int_equal(atp_sampling_run(run, stop_it, run, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    const int64_t size = atp_sampling_state_bytes(run);
    assert_int_equal(atp_sampling_save_state(run, bytes, BIGGEST), ATP_OK);
    FILE *file = fopen(path, "wb");
    assert_true(file != NULL && fwrite(bytes, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0);
  }
  atp_sampling *old = make_run(set, DRAWN);
  FILE *file = fopen(path != NULL ? path : ATP_TEST_DATA "/states-0.1/sampling.state", "rb");
  assert_non_null(file);
  const size_t size = fread(bytes, 1, BIGGEST, file);
  fclose(file);
  assert_int_equal(atp_sampling_load_state(old, bytes, (int64_t)size), ATP_OK);
  assert_int_equal(atp_sampling_stage_of(old), ATP_SAMPLING_STAGE_SAMPLE);
  for (atp_sampling **each = (atp_sampling *[]){run, old, NULL}; *each != NULL; ++each)
    assert_int_equal(atp_sampling_run(*each, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, whole, sizeof whole), ATP_OK);
  assert_int_equal(atp_sampling_sequences(old, rest, sizeof rest), ATP_OK);
  assert_memory_equal(whole, rest, sizeof whole);
  atp_sampling_destroy(old);
  atp_sampling_destroy(run);
}

/* A fixed checksum after a change, FNV-1a of all before. */
static void plant(char *state, int64_t size, int64_t offset, int64_t value) {
  memcpy(state + offset, &value, 8);
  uint64_t sum = 14695981039346656037u;
  for (int64_t k = 0; k < size - 8; ++k) sum = (sum ^ (unsigned char)state[k]) * 1099511628211u;
  memcpy(state + size - 8, &sum, 8);
}

/* Fields of a state that no run can have, cut states, and states of other runs. */
static void wrong_states(void **state) {
  (void)state;
  enum { HEADER = 32 };
  const setting set[] = {{ATP_OPT_CHAINS, 4}, {ATP_OPT_TEMPERATURES, 2}, {ATP_OPT_BURN_IN, 64}, {ATP_OPT_THIN, 2}, {0, 0}};
  const setting other[] = {{ATP_OPT_CHAINS, 4}, {ATP_OPT_TEMPERATURES, 2}, {ATP_OPT_BURN_IN, 64},
                           {ATP_OPT_THIN, 2},   {ATP_OPT_SEED, 2},         {0, 0}};
  uint8_t sequences[8 * L], again[8 * L];
  atp_sampling *run = make_run(set, 8), *stranger = make_run(other, 8);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, sequences, sizeof sequences), ATP_OK);
  const int64_t size = atp_sampling_state_bytes(run);
  char *good = malloc((size_t)size), *bad = malloc((size_t)size);
  assert_int_equal(atp_sampling_save_state(run, good, size - 1), ATP_E_BUFFER);
  assert_int_equal(atp_sampling_save_state(run, good, size), ATP_OK);
  assert_int_equal(atp_sampling_load_state(stranger, good, size), ATP_E_MISMATCH);
  for (int64_t k = 0; k < size; k += 7) {
    assert_int_not_equal(atp_sampling_load_state(run, good, k), ATP_OK);
    memcpy(bad, good, (size_t)size);
    bad[k] ^= 1;
    assert_int_not_equal(atp_sampling_load_state(run, bad, size), ATP_OK);
  }
  /* stage, window, burn-in, thin, turn, read, rungs, exchange rate, first beta. */
  for (int field = 0; field < 9; ++field)
    for (int which = 0; which < 3; ++which) {
      static const int64_t values[] = {-1, INT64_MAX, 4607182418800017409}; /* the last is 1 + 2e-16 as a double */
      memcpy(bad, good, (size_t)size);
      plant(bad, size, HEADER + 8 * field, values[which]);
      if (atp_sampling_load_state(run, bad, size) != ATP_E_FORMAT) fail_msg("field %d was accepted with value %d", field, which);
    }
  /* Every number of the rest: refused, or a run that ends. */
  for (int64_t offset = HEADER; offset + 8 <= size - 8; offset += 8) {
    atp_sampling *victim = make_run(set, 8);
    memcpy(bad, good, (size_t)size);
    plant(bad, size, offset, -1);
    if (atp_sampling_load_state(victim, bad, size) == ATP_OK) assert_int_equal(atp_sampling_run(victim, NULL, NULL, NULL), ATP_OK);
    atp_sampling_destroy(victim);
  }
  assert_int_equal(atp_sampling_sequences(run, again, sizeof again), ATP_OK);
  assert_memory_equal(sequences, again, sizeof again);
  free(good);
  free(bad);
  atp_sampling_destroy(stranger);
  atp_sampling_destroy(run);
}

/* Runs of parts of the chains have the sequences of one run with all of them; a state of another part is refused. */
static void parts_of_chains(void **state) {
  (void)state;
  enum { PART = 9, ROUNDS = 4, ALL = 2 * PART };
  uint8_t all[ROUNDS * ALL * L], part[ROUNDS * PART * L];
  setting set[] = {{ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN}, {ATP_OPT_THIN, 3}, {ATP_OPT_CHAINS, ALL}, {ATP_OPT_FIRST_CHAIN, 0}, {0, 0}};
  atp_sampling *run = make_run(set, ROUNDS * ALL), *other = NULL;
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, all, sizeof all), ATP_OK);
  atp_sampling_destroy(run);
  set[2].value = PART;
  for (int p = 0; p < 2; ++p) {
    set[3].value = p * PART;
    run = make_run(set, ROUNDS * PART);
    assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_sampling_sequences(run, part, sizeof part), ATP_OK);
    for (int round = 0; round < ROUNDS; ++round) assert_memory_equal(part + round * PART * L, all + (round * ALL + p * PART) * L, PART * L);
    if (p == 0) other = run;
  }
  const int64_t size = atp_sampling_state_bytes(run);
  char *kept = malloc((size_t)size);
  assert_int_equal(atp_sampling_save_state(run, kept, size), ATP_OK);
  assert_int_equal(atp_sampling_load_state(other, kept, size), ATP_E_MISMATCH);
  assert_int_equal(atp_sampling_load_state(run, kept, size), ATP_OK);
  free(kept);
  atp_sampling_destroy(other);
  atp_sampling_destroy(run);
}

static void refused(void **state) {
  (void)state;
  atp_model *model = make(context), *crooked;
  atp_sampling *run = (atp_sampling *)&run;
  uint8_t sequences[4 * L];
  double maps[L * L] = {0, 1, 0, 0, 0, 0, 0, 0, 0}, values[BLOCK] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  atp_options_reset(options);
  assert_int_equal(atp_sampling_create(context, model, NULL, 0, &run), ATP_E_VALUE);
  assert_error(context, "n is 0");
  assert_null(run);
  /* Of burn-in and samples together, before any of it is made. */
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_THIN, (int64_t)1 << 47), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_CHAINS, 64), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 3 * 64, &run), ATP_E_TOO_LARGE);
  assert_error(context, "burn-in and 3 rounds 140737488355328 sweeps apart exceed the limit of 2^48 sweeps");
  assert_int_equal(atp_sampling_create(context, model, options, 2 * 64, &run), ATP_OK);
  atp_sampling_destroy(run);
  run = NULL;
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_BURN_IN, 1), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 2 * 64, &run), ATP_E_TOO_LARGE);
  atp_options_reset(options);
  /* More than sizes of 32 bits can tell. */
  const atp_status too_much = sizeof(size_t) < 8 ? ATP_E_TOO_LARGE : ATP_E_MEMORY;
  assert_int_equal(atp_sampling_create(context, model, NULL, (int64_t)1 << 48, &run), too_much);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_CHAINS, 3), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 1, &run), ATP_E_VALUE);
  assert_error(context, "chains is 3, must be at least 4");
  atp_options_reset(options);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA_HOT, 1), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 1, &run), ATP_E_CONFLICT);
  assert_error(context, "beta-hot is 1, must be below beta, which is 1");
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, NULL, &crooked), ATP_OK);
  assert_int_equal(atp_sampling_create(context, crooked, NULL, 1, &run), ATP_E_CONFLICT);
  atp_options_reset(options);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FIRST_CHAIN, 8), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 1, &run), ATP_E_CONFLICT);
  assert_error(context, "first-chain is 8, must be 0 for ATP_PROTOCOL_EQUILIBRIUM");
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FIRST_CHAIN, (int64_t)1 << 31), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 1, &run), ATP_E_TOO_LARGE);
  assert_error(context, "first-chain is 2147483648: 1 chains after it have numbers above 2^31");
  atp_options_reset(options);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_THIN, 3), ATP_OK);
  assert_int_equal(atp_sampling_create(context, crooked, options, 4, &run), ATP_OK);
  assert_int_equal(atp_sampling_run(run, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_sequences(run, sequences, 4 * L - 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampling_sequences(run, sequences, 4 * L), ATP_OK);
  atp_sampling_destroy(run);
  atp_model_destroy(crooked);
  atp_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_enumeration),
      cmocka_unit_test(searched_hottest_rung),
      cmocka_unit_test(chains),
      cmocka_unit_test(not_in_equilibrium),
      cmocka_unit_test(in_pieces),
      cmocka_unit_test(kept_state),
      cmocka_unit_test(wrong_states),
      cmocka_unit_test(parts_of_chains),
      cmocka_unit_test(refused),
  };
  where_races_are_sought("in_pieces");
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
