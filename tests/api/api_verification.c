/* SPDX-License-Identifier: MIT */
/* A verification of the likelihood whose chains need replica exchange: its acceptance in the log; and a run that is stopped within it,
 * saved and resumed in another trainer ends with the same bits. Threads are ranks: what they sum tells how far the verification is. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

#include <math.h>

enum { N = 48, L = 6, Q = 3, P = L * Q + L * (L - 1) / 2 * Q * Q, RANKS = 2, EPOCHS = 2, STATE = 1 << 16 };

/* One rank. */
typedef struct findings {
  int64_t rungs;
  int64_t stop_at; /* 0, or the number of a sum in the second epoch, within which this rank asks for a stop */
  int line;        /* of the first call that failed */
  atp_status status;
  one_rank *self;
  atp_trainer *trainer; /* that the stop is for */
  int64_t sums;         /* since the second epoch began; below 0 before */
  atp_outcome outcome;
  int64_t stopped_after, state_size; /* epochs; bytes */
  double log[EPOCHS * ATP_TRAINING_COLUMNS];
  unsigned char state[STATE];
} findings;

#define OK(call)                        \
  if ((f->status = (call)) != ATP_OK) { \
    f->line = __LINE__;                 \
    return;                             \
  }

static int counted_sum(int64_t *values, int64_t count, void *user) {
  findings *f = user;
  if (f->sums >= 0 && ++f->sums == f->stop_at) atp_trainer_request_stop(f->trainer);
  return thread_sum(values, count, f->self);
}
static int own_gather(void *bytes, const int64_t *ends, void *user) { return thread_gather(bytes, ends, ((findings *)user)->self); }
static int own_broadcast(void *bytes, int64_t count, int64_t root, void *user) {
  return thread_broadcast(bytes, count, root, ((findings *)user)->self);
}

/* Three phases, all sites of one colour, behind barriers of 14 units. */
static void three_phases(double *parameters) {
  for (int k = 0; k < P; ++k) parameters[k] = 0;
  for (int pair = 0; pair < L * (L - 1) / 2; ++pair)
    for (int a = 0; a < Q; ++a) parameters[L * Q + (pair * Q + a) * Q + a] = 1.6;
}

typedef struct handles {
  atp_alignment *data;
  atp_options *options;
  atp_table *log;
  atp_trainer *trainers[2];
} handles;

static void make_trainer(atp_context *context, handles *h, findings *f, int k) {
  double parameters[P];
  three_phases(parameters);
  OK(atp_trainer_create(context, h->data, h->options, &h->trainers[k]));
  OK(atp_trainer_set_parameters(h->trainers[k], parameters, P));
  OK(atp_trainer_set_log(h->trainers[k], h->log));
}

/* Steps that are too small to change anything; the last epoch begins with a verification. */
static void verify_with(atp_context *context, handles *h, findings *f) {
  uint8_t sequences[N * L];
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)((k / L + (k % 11 == 0)) % Q);
  OK(atp_alignment_create(context, sequences, N, L, Q, NULL, &h->data));
  OK(atp_options_create(context, ATP_OWNER_TRAINER, &h->options));
  OK(atp_options_set_i64(h->options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  OK(atp_options_set_i64(h->options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD));
  OK(atp_options_set_i64(h->options, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD));
  OK(atp_options_set_f64(h->options, ATP_OPT_RATE, 1e-12));
  OK(atp_options_set_i64(h->options, ATP_OPT_CHAINS, 32));
  OK(atp_options_set_i64(h->options, ATP_OPT_EPOCHS, EPOCHS));
  OK(atp_options_set_i64(h->options, ATP_OPT_TEMPERATURES, f->rungs));
  OK(atp_table_create(context, ATP_TABLE_TRAINING_LOG, EPOCHS, &h->log));
  make_trainer(context, h, f, 0);
  if (f->status != ATP_OK) return;
  f->trainer = h->trainers[0];
  f->sums = -1;
  OK(atp_trainer_run(f->trainer, 1, NULL, NULL, NULL));
  f->sums = 0;
  OK(atp_trainer_run(f->trainer, 1, NULL, NULL, &f->outcome));
  if (f->stop_at > 0) {
    f->stopped_after = atp_trainer_epochs(f->trainer);
    f->state_size = atp_trainer_state_bytes(f->trainer);
    OK(atp_trainer_save_state(f->trainer, f->state, f->state_size));
    make_trainer(context, h, f, 1);
    if (f->status != ATP_OK) return;
    OK(atp_trainer_load_state(h->trainers[1], f->state, f->state_size));
    f->trainer = h->trainers[1];
    OK(atp_trainer_run(f->trainer, 1, NULL, NULL, &f->outcome));
  }
  OK(atp_table_values(h->log, f->log, EPOCHS * ATP_TRAINING_COLUMNS));
  for (int row = 0; row < EPOCHS; ++row) f->log[row * ATP_TRAINING_COLUMNS + ATP_TRAINING_SECONDS] = 0;
  f->state_size = atp_trainer_state_bytes(f->trainer);
  OK(atp_trainer_save_state(f->trainer, f->state, f->state_size));
}

static void verify(one_rank *self, void *user) {
  findings *f = user;
  handles h = {NULL, NULL, NULL, {NULL, NULL}};
  atp_ranks ranks = ranks_of(self);
  f->self = self;
  ranks.user = f;
  ranks.gather = own_gather;
  ranks.sum = counted_sum;
  ranks.broadcast = own_broadcast;
  OK(atp_context_set_ranks(self->context, &ranks));
  verify_with(self->context, &h, f);
  for (int k = 0; k < 2; ++k) atp_trainer_destroy(h.trainers[k]);
  atp_table_destroy(h.log);
  atp_options_destroy(h.options);
  atp_alignment_destroy(h.data);
}

static findings whole[RANKS], parts[RANKS];

/* The stop is that of the last rank. */
static void run(findings *found, int64_t rungs, int64_t stop_at) {
  memset(found, 0, RANKS * sizeof *found);
  for (int r = 0; r < RANKS; ++r) found[r].rungs = rungs;
  found[RANKS - 1].stop_at = stop_at;
  if (stop_at > 0)
    for (int r = 0; r < RANKS - 1; ++r) found[r].stop_at = INT64_MAX;
  assert_int_equal(run_ranks(RANKS, 1, 0, verify, found, sizeof *found), 0);
  for (int r = 0; r < RANKS; ++r) assert_int_equal(found[r].line, 0);
}

static void acceptance_is_in_the_log(void **state) {
  (void)state;
  run(parts, 1, 0);
  run(whole, 5, 0);
  const double *rows[] = {parts[0].log, whole[0].log};
  for (int exchange = 0; exchange < 2; ++exchange) {
    const double *first = rows[exchange], *last = first + ATP_TRAINING_COLUMNS;
    assert_true(isnan(first[ATP_TRAINING_SWAP_RATE]) && isnan(first[ATP_TRAINING_PEARSON_RANDOM]));
    assert_true(isfinite(last[ATP_TRAINING_PEARSON_RANDOM]));
    if (exchange)
      assert_true(last[ATP_TRAINING_SWAP_RATE] > 0.5 && last[ATP_TRAINING_SWAP_RATE] < 1 && last[ATP_TRAINING_MIXING_SWEEPS] <= 1024);
    else
      assert_true(isnan(last[ATP_TRAINING_SWAP_RATE]) && isnan(last[ATP_TRAINING_MIXING_SWEEPS]));
  }
  /* Without exchange a verification makes all of its sums before the first of those of ladders. */
  assert_true(parts[0].sums < 300 && whole[0].sums > 1000);
}

static void a_run_stopped_within_exchanges_goes_on(void **state) {
  (void)state;
  run(whole, 5, 0);
  /* Sweeps without exchange and all of the rest make fewer sums than the ladders, which share their sweeps. */
  const int64_t sums = whole[0].sums, places[] = {300, sums / 2, sums - 300};
  for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
    run(parts, 5, places[k]);
    for (int r = 0; r < RANKS; ++r) {
      assert_int_equal(parts[r].stopped_after, 1);
      assert_int_equal(parts[r].outcome, whole[r].outcome);
      assert_int_equal(parts[r].state_size, whole[r].state_size);
      assert_memory_equal(parts[r].state, whole[r].state, (size_t)whole[r].state_size);
      assert_memory_equal(parts[r].log, whole[r].log, sizeof whole[r].log);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(acceptance_is_in_the_log), cmocka_unit_test(a_run_stopped_within_exchanges_goes_on)};
  where_races_are_sought("acceptance_is_in_the_log");
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
