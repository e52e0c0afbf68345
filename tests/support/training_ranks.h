/* SPDX-License-Identifier: MIT */
/* Training on several ranks, for trainers of all families: the bits of a context without ranks. Threads are the ranks.
 *
 * A test defines prepare(), which is called after a trainer was made, and includes this file. */
#ifndef TRAINING_RANKS_H
#define TRAINING_RANKS_H

#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

#include <time.h>

enum { MOST_SETTINGS = 12, EPOCHS = 5, MOST_BYTES = 1 << 22 };

typedef struct problem {
  const char *name;
  int count, sites, colors;
  int shared; /* its steps are worth sharing: ranks exchange sums */
  int wide;   /* heads of a wide start; 0: none */
  struct {
    int key;
    double value;
  } settings[MOST_SETTINGS]; /* key 0: no more */
} problem;

static atp_status prepare(atp_trainer *trainer, const problem *of);

/* An autoregressive model, which has no losses of masked sites. */
static int of_whole_sequences(const problem *of) {
  int ordered = 0;
  for (int k = 0; k < MOST_SETTINGS && of->settings[k].key != 0; ++k)
    ordered = ordered || (of->settings[k].key == ATP_OPT_OBJECTIVE && of->settings[k].value >= ATP_OBJECTIVE_LIKELIHOOD);
  return ordered;
}

/* masked: one site of each sequence; NULL: all sites */
static atp_status gradient_of(atp_trainer *trainer, const int64_t *masked, int64_t n, double *numbers, double *gradient, int64_t size) {
  if (masked != NULL) return atp_trainer_masked_gradient(trainer, masked, n, &numbers[2], &numbers[3], gradient, size);
  return atp_trainer_gradient(trainer, &numbers[0], &numbers[1], gradient, size);
}

/* What a rank does, and what it finds. */
typedef struct findings {
  const problem *of;
  int64_t rank;
  int64_t cancel_at;          /* its callback ends the run at this epoch; 0: never */
  int64_t request_at;         /* its callback asks for a stop at this epoch */
  int callback;               /* it has one */
  int stop_first;             /* a stop is requested before the run */
  int stop_later;             /* and while it runs */
  int wrong_size;             /* passes a gradient of another size */
  int64_t pause;              /* after so many epochs the state is saved, and loaded by another handle */
  const unsigned char *start; /* a state to begin with */
  int64_t start_size;
  int line;          /* of the first call that failed */
  atp_status status; /* of that call */
  atp_outcome outcome;
  int64_t epochs, calls;
  double received;  /* bytes, by the run */
  double exchanged; /* less than this is no gradient per epoch */
  int64_t size;     /* of the results */
  unsigned char *bytes;
  atp_trainer *handle;
} findings;

#define OK(call)                            \
  if ((f->status = (call)) != ATP_OK) {     \
    f->line = f->line ? f->line : __LINE__; \
    return;                                 \
  }

static void keep(findings *f, const void *bytes, int64_t size) {
  assert_true(f->size + size <= MOST_BYTES);
  memcpy(f->bytes + f->size, bytes, (size_t)size);
  f->size += size;
}

static void make_data(uint8_t *sequences, const problem *of) {
  uint64_t x = 88172645463325252u;
  for (int k = 0; k < of->count * of->sites; ++k) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    sequences[k] = k >= of->sites && x % 3 != 0 ? sequences[k - of->sites] : (uint8_t)(x / 8 % (uint64_t)of->colors);
  }
}

static int after_epoch(const atp_progress *progress, void *user) {
  findings *f = user;
  const double step = atp_progress_value(progress, ATP_PROGRESS_STEP);
  ++f->calls;
  if (f->request_at > 0 && step >= (double)f->request_at) atp_trainer_request_stop(f->handle);
  return f->cancel_at > 0 && step >= (double)f->cancel_at;
}

static void *stop_soon(void *user) {
  const struct timespec time = {0, 30000000};
  nanosleep(&time, NULL);
  atp_trainer_request_stop(user);
  return NULL;
}

typedef struct handles {
  uint8_t *sequences;
  atp_alignment *data, *test;
  atp_options *options;
  atp_model *truth;
  atp_table *log;
  atp_trainer *trainer;
  double *gradient;
  int64_t *masked;
} handles;

static void run_part(findings *f, handles *h, int64_t epochs) {
  pthread_t thread;
  if (f->stop_later) pthread_create(&thread, NULL, stop_soon, h->trainer);
  f->status = atp_trainer_run(h->trainer, epochs, f->callback ? after_epoch : NULL, f, &f->outcome);
  if (f->stop_later) pthread_join(thread, NULL);
  if (f->status != ATP_OK) f->line = __LINE__;
}

static void keep_state(findings *f, handles *h) {
  const int64_t size = atp_trainer_state_bytes(h->trainer);
  assert_true(f->size + size <= MOST_BYTES);
  OK(atp_trainer_save_state(h->trainer, f->bytes + f->size, size));
  f->size += size;
}

static void keep_results(findings *f, handles *h) {
  const int64_t parameters = atp_trainer_parameter_count(h->trainer), cells = atp_table_rows(h->log) * atp_table_columns(h->log);
  double loss = 0, *cell = malloc((size_t)(cells + parameters) * sizeof *cell);
  f->status = atp_trainer_loss(h->trainer, h->test, &loss);
  if (f->status == ATP_OK) f->status = atp_trainer_parameters(h->trainer, cell, parameters);
  if (f->status == ATP_OK) f->status = atp_table_values(h->log, cell + parameters, cells);
  for (int64_t row = 0; row < atp_table_rows(h->log); ++row) cell[parameters + row * atp_table_columns(h->log) + ATP_TRAINING_SECONDS] = 0;
  keep(f, &loss, sizeof loss);
  keep(f, cell, (cells + parameters) * (int64_t)sizeof *cell);
  free(cell);
  if (f->status != ATP_OK) f->line = __LINE__;
}

static void make_trainer(atp_context *context, findings *f, handles *h) {
  const problem *of = f->of;
  int ignored = 0;
  h->sequences = malloc((size_t)of->count * (size_t)of->sites);
  make_data(h->sequences, of);
  OK(atp_alignment_create(context, h->sequences, of->count, of->sites, of->colors, NULL, &h->data));
  if (of->count <= 500) OK(atp_alignment_weigh(h->data, 0.3, ATP_WEIGHTS_STRICT, NULL, NULL, NULL));
  OK(atp_alignment_create(context, h->sequences + 10 * of->sites, of->count / 2, of->sites, of->colors, NULL, &h->test));
  OK(atp_options_create(context, ATP_OWNER_TRAINER, &h->options));
  OK(atp_options_set_i64(h->options, ATP_OPT_EPOCHS, EPOCHS));
  for (int k = 0; k < MOST_SETTINGS && of->settings[k].key != 0; ++k) {
    const atp_option key = (atp_option)of->settings[k].key;
    const double value = of->settings[k].value;
    if (key == ATP_OPT_GAPS) ignored = value != 0;
    if (value != floor(value) || atp_options_set_i64(h->options, key, (int64_t)value) != ATP_OK)
      OK(atp_options_set_f64(h->options, key, value));
  }
  OK(atp_trainer_create(context, h->data, h->options, &h->trainer));
  f->handle = h->trainer;
  OK(prepare(h->trainer, of));
  OK(atp_model_create_random(context, of->sites, of->colors - ignored, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &h->truth));
  OK(atp_trainer_set_test(h->trainer, h->test));
  if (!of_whole_sequences(of)) OK(atp_trainer_set_truth(h->trainer, h->truth)); /* which is a Potts model */
  OK(atp_table_create(context, ATP_TABLE_TRAINING_LOG, EPOCHS + 8, &h->log));
  OK(atp_trainer_set_log(h->trainer, h->log));
}

static void use_trainer(atp_context *context, findings *f, handles *h) {
  const int64_t parameters = atp_trainer_parameter_count(h->trainer);
  double before = 0, numbers[4] = {0};
  int64_t *masked = h->masked = malloc((size_t)f->of->count * sizeof *masked);
  for (int k = 0; k < f->of->count; ++k) masked[k] = k * 7 % f->of->sites;
  h->gradient = calloc((size_t)parameters, sizeof *h->gradient);
  if (f->start != NULL) OK(atp_trainer_load_state(h->trainer, f->start, f->start_size));
  for (int k = 0; k < 2; ++k) {
    OK(gradient_of(h->trainer, k == 0 || of_whole_sequences(f->of) ? NULL : masked, f->of->count, numbers, h->gradient,
                   parameters - f->wrong_size));
    keep(f, numbers, sizeof numbers);
    keep(f, h->gradient, parameters * (int64_t)sizeof *h->gradient);
  }
  if (f->stop_first) atp_trainer_request_stop(h->trainer);
  if (f->pause > 0) {
    run_part(f, h, f->pause);
    f->size = 0;
    if (f->line == 0) keep_state(f, h);
    return;
  }
  atp_context_traffic(context, ATP_TRAFFIC_RECEIVED, &before);
  run_part(f, h, EPOCHS);
  atp_context_traffic(context, ATP_TRAFFIC_RECEIVED, &f->received);
  f->received -= before;
  if (f->line != 0) return;
  f->epochs = atp_trainer_epochs(h->trainer);
  f->exchanged = 4.0 * (double)(parameters * f->epochs);
  keep_results(f, h);
  keep_state(f, h);
}

static void learn(atp_context *context, findings *f) {
  handles h;
  memset(&h, 0, sizeof h);
  make_trainer(context, f, &h);
  if (f->line == 0) use_trainer(context, f, &h);
  free(h.gradient);
  free(h.masked);
  atp_table_destroy(h.log);
  atp_trainer_destroy(h.trainer);
  atp_model_destroy(h.truth);
  atp_options_destroy(h.options);
  atp_alignment_destroy(h.test);
  atp_alignment_destroy(h.data);
  free(h.sequences);
}

static void learn_on_rank(one_rank *self, void *user) {
  findings *f = user;
  f->rank = self->rank;
  OK(join_ranks(self));
  learn(self->context, f);
}

static findings alone, together[MOST_RANKS];

static void clear(findings *f, const problem *of) {
  unsigned char *bytes = f->bytes != NULL ? f->bytes : malloc(MOST_BYTES);
  memset(f, 0, sizeof *f);
  f->of = of;
  f->bytes = bytes;
}

static void clear_all(int64_t ranks, const problem *of) {
  for (int64_t r = 0; r < ranks; ++r) clear(&together[r], of);
}

static void run_together(int64_t ranks, int64_t threads, int64_t fail_at) {
  assert_int_equal(run_ranks(ranks, threads, fail_at, learn_on_rank, together, sizeof *together), 0);
}

static void run_alone(const problem *of, const unsigned char *start, int64_t start_size, int64_t pause) {
  atp_context *context = NULL;
  clear(&alone, of);
  alone.start = start;
  alone.start_size = start_size;
  alone.pause = pause;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  learn(context, &alone);
  atp_context_destroy(context);
  if (alone.line != 0) print_error("%s: line %d, status %d\n", of->name, alone.line, (int)alone.status);
  assert_int_equal(alone.line, 0);
}

static void equal(const findings *a, const findings *b) {
  if (b->line != 0 || a->size != b->size || memcmp(a->bytes, b->bytes, (size_t)a->size) != 0)
    print_error("%s: rank %d, line %d, status %d\n", b->of->name, (int)b->rank, b->line, (int)b->status);
  assert_int_equal(b->line, 0);
  assert_int_equal(a->outcome, b->outcome);
  assert_int_equal(a->epochs, b->epochs);
  assert_int_equal(a->size, b->size);
  assert_memory_equal(a->bytes, b->bytes, (size_t)a->size);
}

/* Gradient, loss, parameters, log and state on 1 to 4 ranks with 1 and 2 threads, with sanitizers on fewer numbers of them. */
static void check_same_bits(const problem *of) {
  run_alone(of, NULL, 0, 0);
  for (int64_t ranks = FROM_RANKS; ranks <= TO_RANKS; ++ranks)
    for (int64_t threads = FROM_THREADS; threads <= TO_THREADS; ++threads) {
      clear_all(ranks, of);
      run_together(ranks, threads, 0);
      for (int64_t r = 0; r < ranks; ++r) {
        equal(&alone, &together[r]);
        if (ranks > 1) assert_int_equal(together[r].received > together[r].exchanged, of->shared);
      }
    }
}

/* A state of 4 ranks goes on with 3, and with none. */
static void check_resumes(const problem *of) {
  unsigned char *state = malloc(MOST_BYTES);
  clear_all(4, of);
  for (int64_t r = 0; r < 4; ++r) together[r].pause = 2;
  run_together(4, 1, 0);
  for (int64_t r = 0; r < 4; ++r) equal(&together[0], &together[r]);
  const int64_t size = together[0].size;
  memcpy(state, together[0].bytes, (size_t)size);
  run_alone(of, NULL, 0, 2);
  assert_int_equal(alone.size, size);
  assert_memory_equal(alone.bytes, state, (size_t)size);
  run_alone(of, state, size, 0);
  clear_all(3, of);
  for (int64_t r = 0; r < 3; ++r) {
    together[r].start = state;
    together[r].start_size = size;
  }
  run_together(3, 2, 0);
  for (int64_t r = 0; r < 3; ++r) equal(&alone, &together[r]);
  assert_int_equal(alone.epochs, EPOCHS);
  free(state);
}

/* The run ends on all ranks after the same step, whoever ends it. */
static void check_stopped(int64_t ranks, int64_t epochs) {
  for (int64_t r = 0; r < ranks; ++r) {
    assert_int_equal(together[r].line, 0);
    assert_int_equal(together[r].outcome, ATP_OUTCOME_CANCELLED);
    assert_int_equal(together[r].epochs, epochs);
    equal(&together[0], &together[r]);
  }
}

static void check_stops(const problem *of) {
  clear_all(3, of); /* one callback, which cancels */
  together[1].callback = 1;
  together[1].cancel_at = 2;
  run_together(3, 2, 0);
  check_stopped(3, 2);
  clear_all(3, of); /* all have one, and one asks for a stop */
  for (int64_t r = 0; r < 3; ++r) together[r].callback = 1;
  together[2].request_at = 3;
  run_together(3, 1, 0);
  check_stopped(3, 3);
  for (int64_t r = 0; r < 3; ++r) assert_int_equal(together[r].calls, 3);
  clear_all(2, of); /* one was stopped before */
  together[1].stop_first = 1;
  run_together(2, 1, 0);
  check_stopped(2, 0);
  run_alone(of, NULL, 0, 0); /* a callback on rank 0 alone changes nothing */
  clear_all(4, of);
  together[0].callback = 1;
  run_together(4, 1, 0);
  for (int64_t r = 0; r < 4; ++r) equal(&alone, &together[r]);
  assert_int_equal(together[0].calls, alone.epochs);
  assert_int_equal(together[1].calls, 0);
}

/* A stop that is requested on one rank within a long epoch. */
static void check_stops_within(const problem *of) {
  clear_all(2, of);
  together[1].stop_later = 1;
  run_together(2, 1, 0);
  check_stopped(2, 0);
}

/* A wrong argument on one rank, and callbacks of the host that fail: all ranks end, none waits. */
static void check_failures(const problem *of) {
  clear_all(3, of);
  together[1].wrong_size = 1;
  run_together(3, 1, 0);
  for (int64_t r = 0; r < 3; ++r) {
    assert_true(together[r].line > 0);
    assert_int_equal(together[r].status, r == 1 ? ATP_E_SHAPE : ATP_E_RANK);
  }
  for (int64_t fail_at = 4; fail_at < 60; fail_at += 7) {
    clear_all(2, of);
    run_together(2, 1, fail_at);
    for (int64_t r = 0; r < 2; ++r) assert_int_equal(together[r].status, ATP_E_RANK);
  }
}

static void free_findings(void) {
  free(alone.bytes);
  for (int r = 0; r < MOST_RANKS; ++r) free(together[r].bytes);
}

#endif
