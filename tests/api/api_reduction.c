/* SPDX-License-Identifier: MIT */
/* atp_trainer_set_reduction(): threads that have parts of the sequences, and a callback that sums over them, learn what one trainer with
 * all sequences learns. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

enum { COUNT = 101, SITES = 6, COLORS = 4, FIELDS = SITES * COLORS, PARAMETERS = FIELDS + SITES * (SITES - 1) / 2 * COLORS * COLORS };

typedef struct findings {
  int precision, gaps_ignored, scale;
  int64_t parts;                /* 1: all sequences, and no callback */
  int64_t fail_at, calls, most; /* the call of the callback that fails; those that were made; the largest count */
  one_rank *self;
  atp_status set, first, second;
  atp_outcome outcome;
  int64_t epochs, parameters;
  double loss, objective, loss_alone, gradient[PARAMETERS], start[PARAMETERS], end[PARAMETERS], log[500 * ATP_TRAINING_COLUMNS];
  int64_t rows;
  char text[256];
} findings;

static findings all[MOST_RANKS], whole;

static uint32_t next(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

/* The sequences of part k of n; parts of different sizes. */
static atp_alignment *make_data(atp_context *context, int64_t k, int64_t n) {
  static const int64_t ends[4][4] = {{0}, {0, COUNT}, {0, 37, COUNT}, {0, 20, 70, COUNT}};
  uint8_t s[COUNT * SITES];
  double weights[COUNT];
  uint32_t seed = 5;
  atp_alignment *a = NULL;
  for (int64_t i = 0; i < COUNT * SITES; ++i) s[i] = (uint8_t)(i % SITES > 0 && next(&seed) % 3 ? s[i - 1] : next(&seed) % COLORS);
  for (int64_t i = 0; i < COUNT; ++i) weights[i] = 0.5 + (double)(next(&seed) % 1000) / 1000;
  const int64_t first = ends[n][k], end = ends[n][k + 1];
  if (atp_alignment_create(context, s + first * SITES, end - first, SITES, COLORS, weights + first, &a) != ATP_OK) return NULL;
  return a;
}

/* Sums in the order of the processes. */
static int sum_up(double *values, int64_t count, void *user) {
  findings *f = user;
  ++f->calls;
  if (count > f->most) f->most = count;
  ranks_add(f->self, values, count);
  return f->calls == f->fail_at ? 3 : 0;
}

static int cancel_third(const atp_progress *progress, void *user) {
  (void)user;
  return atp_progress_value(progress, ATP_PROGRESS_STEP) == 3;
}

static atp_trainer *make_trainer(findings *f, atp_context *context, const atp_alignment *data) {
  atp_options *options = NULL;
  atp_trainer *trainer = NULL;
  atp_options_create(context, ATP_OWNER_TRAINER, &options);
  atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  atp_options_set_i64(options, ATP_OPT_GAPS, f->gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE);
  atp_options_set_i64(options, ATP_OPT_PRECISION, f->precision);
  atp_options_set_i64(options, ATP_OPT_EPOCHS, 400);
  atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, f->scale == ATP_L2_WEIGHT ? 0.01 : 1);
  atp_options_set_f64(options, ATP_OPT_L2_FIELDS, f->scale == ATP_L2_WEIGHT ? 0.01 : 1);
  atp_options_set_i64(options, ATP_OPT_L2_SCALE, f->scale);
  if (f->precision == 64) atp_options_set_f64(options, ATP_OPT_TOLERANCE, 1e-9);
  f->first = atp_trainer_create(context, data, options, &trainer);
  atp_options_destroy(options);
  return trainer;
}

/* Learns; the run stops and goes on from its state, in a new trainer. */
static void learn(one_rank *self, void *user) {
  findings *f = user;
  f->self = self;
  atp_alignment *data = make_data(self->context, self->rank, f->parts);
  atp_trainer *trainer = make_trainer(f, self->context, data), *other = make_trainer(f, self->context, data);
  atp_table *log = NULL;
  atp_table_create(self->context, ATP_TABLE_TRAINING_LOG, 500, &log);
  f->parameters = atp_trainer_parameter_count(trainer);
  if (f->parts > 1) f->set = atp_trainer_set_reduction(trainer, sum_up, f);
  atp_last_error(f->text, sizeof f->text);
  atp_trainer_parameters(trainer, f->start, f->parameters);
  atp_trainer_gradient(trainer, &f->loss_alone, NULL, NULL, 0);
  f->first = atp_trainer_gradient(trainer, &f->loss, &f->objective, f->gradient, f->parameters);
  if (f->first == ATP_OK) f->first = atp_trainer_run(trainer, INT64_MAX, cancel_third, NULL, &f->outcome);
  if (f->first == ATP_E_CALLBACK) atp_last_error(f->text, sizeof f->text);
  if (f->fail_at == 0) {
    const int64_t bytes = atp_trainer_state_bytes(trainer);
    char *state = malloc((size_t)bytes);
    atp_trainer_set_log(other, log);
    atp_trainer_save_state(trainer, state, bytes);
    /* Without the sums it is a state of other weights. */
    f->second = f->parts > 1 ? atp_trainer_load_state(other, state, bytes) : ATP_E_MISMATCH;
    if (f->parts > 1) f->first = atp_trainer_set_reduction(other, sum_up, f);
    if (f->first == ATP_OK) f->first = atp_trainer_load_state(other, state, bytes);
    if (f->first == ATP_OK) f->first = atp_trainer_run(other, INT64_MAX, NULL, NULL, &f->outcome);
    free(state);
  } else {
    f->second = atp_trainer_run(trainer, INT64_MAX, NULL, NULL, &f->outcome);
  }
  f->epochs = atp_trainer_epochs(f->fail_at == 0 ? other : trainer);
  atp_trainer_parameters(f->fail_at == 0 ? other : trainer, f->end, f->parameters);
  f->rows = atp_table_rows(log);
  atp_table_values(log, f->log, f->rows * ATP_TRAINING_COLUMNS);
  for (int64_t k = 0; k < f->rows; ++k) f->log[k * ATP_TRAINING_COLUMNS + ATP_TRAINING_SECONDS] = 0;
  atp_table_destroy(log);
  atp_trainer_destroy(other);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
}

static void run_parts(int64_t parts, const findings *how) {
  memset(all, 0, sizeof all);
  for (int r = 0; r < MOST_RANKS; ++r) {
    all[r].precision = how->precision;
    all[r].gaps_ignored = how->gaps_ignored;
    all[r].scale = how->scale;
    all[r].fail_at = how->fail_at;
    all[r].parts = parts;
  }
  assert_int_equal(run_ranks(parts, 1, 0, learn, all, sizeof *all), 0);
}

static void assert_all_the_same(int64_t parts) {
  for (int64_t r = 1; r < parts; ++r) {
    assert_int_equal(all[r].epochs, all[0].epochs);
    assert_int_equal(all[r].outcome, all[0].outcome);
    assert_int_equal(all[r].calls, all[0].calls);
    assert_memory_equal(&all[r].loss, &all[0].loss, sizeof all[r].loss);
    assert_memory_equal(&all[r].objective, &all[0].objective, sizeof all[r].objective);
    assert_memory_equal(all[r].gradient, all[0].gradient, sizeof all[r].gradient);
    assert_memory_equal(all[r].start, all[0].start, sizeof all[r].start);
    assert_memory_equal(all[r].end, all[0].end, sizeof all[r].end);
    assert_int_equal(all[r].rows, all[0].rows);
    assert_memory_equal(all[r].log, all[0].log, sizeof all[r].log);
  }
}

static void parts_learn_what_all_learn(void **state) {
  (void)state;
  for (int gaps = 0; gaps <= 1; ++gaps)
    for (int precision = 32; precision <= 64; precision += 32) {
      findings how = {.precision = precision, .gaps_ignored = gaps, .scale = gaps ? ATP_L2_WEIGHT : ATP_L2_ABSOLUTE};
      const double exact = precision == 32 ? 1e-6 : 1e-13;
      run_parts(1, &how);
      whole = all[0];
      assert_int_equal(whole.first, ATP_OK);
      assert_int_equal(whole.calls, 0);
      for (int64_t parts = 2; parts <= 3; ++parts) {
        run_parts(parts, &how);
        assert_all_the_same(parts);
        for (int r = 0; r < parts; ++r) {
          const findings *f = &all[r];
          assert_int_equal(f->set, ATP_OK);
          assert_int_equal(f->first, ATP_OK);
          assert_int_equal(f->second, ATP_E_MISMATCH);
          assert_int_equal(f->most, 2 + f->parameters);
          assert_true(f->calls > f->epochs && f->rows == f->epochs - 3);
          assert_close(f->loss, whole.loss, exact, 0);
          assert_close(f->loss_alone, whole.loss, exact, 0);
          assert_close(f->objective, whole.objective, exact, 0);
          for (int64_t k = 0; k < f->parameters; ++k) {
            assert_close(f->start[k], whole.start[k], exact, exact);
            assert_close(f->gradient[k], whole.gradient[k], 10 * exact, 20 * exact);
            assert_close(f->end[k], whole.end[k], 0, precision == 32 ? 2e-3 : 1e-8);
          }
          assert_int_equal(f->outcome, whole.outcome);
          assert_close(f->log[(f->rows - 1) * ATP_TRAINING_COLUMNS + ATP_TRAINING_OBJECTIVE],
                       whole.log[(whole.rows - 1) * ATP_TRAINING_COLUMNS + ATP_TRAINING_OBJECTIVE], exact, 0);
          assert_close(f->log[(f->rows - 1) * ATP_TRAINING_COLUMNS + ATP_TRAINING_TRAIN_LOSS],
                       whole.log[(whole.rows - 1) * ATP_TRAINING_COLUMNS + ATP_TRAINING_TRAIN_LOSS], precision == 32 ? 1e-4 : 1e-9, 0);
        }
      }
    }
}

/* The callback fails when it is set: nothing changes. In a run: the next run goes on. */
static void failing_callbacks(void **state) {
  (void)state;
  findings how = {.precision = 64};
  run_parts(2, &how);
  whole = all[0];
  for (how.fail_at = 1; how.fail_at <= 6; ++how.fail_at) {
    run_parts(2, &how);
    for (int r = 0; r < 2; ++r) {
      const findings *f = &all[r];
      if (how.fail_at != 2) assert_non_null(strstr(f->text, "the reduction callback returned 3"));
      if (how.fail_at == 1) {
        assert_int_equal(f->set, ATP_E_CALLBACK);
        assert_int_equal(f->calls, 1);
        assert_true(all[0].start[0] != all[1].start[0]);
        continue;
      }
      assert_int_equal(f->set, ATP_OK);
      if (how.fail_at >= 3) assert_int_equal(f->first, ATP_E_CALLBACK);
      assert_int_equal(f->second, ATP_OK);
      assert_int_equal(f->outcome, whole.outcome);
      for (int64_t k = 0; k < f->parameters; ++k) assert_close(f->end[k], whole.end[k], 0, 1e-8);
    }
    if (how.fail_at > 1) assert_all_the_same(2);
  }
}

static int keeps(double *values, int64_t count, void *user) {
  (void)values;
  (void)count;
  ++*(int64_t *)user;
  return 0;
}

static int not_finite(double *values, int64_t count, void *user) {
  (void)user;
  values[count - 1] = NAN;
  return 0;
}

static int forbidden(double *values, int64_t count, void *user) {
  (void)values;
  (void)count;
  (void)user;
  return 0;
}

/* One process: a callback that leaves the numbers as they are changes nothing; unset, it is not called any more, and its memory is free. */
static void one_process(void **state) {
  (void)state;
  atp_context *context = NULL;
  static double first[PARAMETERS], second[PARAMETERS];
  findings how = {.precision = 64};
  int64_t calls = 0, before = 0, after = 0;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  atp_alignment *data = make_data(context, 0, 1);
  atp_trainer *trainer = make_trainer(&how, context, data);
  assert_int_equal(atp_trainer_gradient(trainer, NULL, NULL, first, PARAMETERS), ATP_OK);
  assert_int_equal(atp_context_memory(context, NULL, &before), ATP_OK);
  assert_int_equal(atp_trainer_run(trainer, 3, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_set_reduction(trainer, not_finite, NULL), ATP_E_NOT_FINITE);
  assert_int_equal(atp_trainer_epochs(trainer), 3);
  assert_int_equal(atp_trainer_set_reduction(trainer, keeps, &calls), ATP_OK);
  assert_int_equal(atp_trainer_epochs(trainer), 0);
  assert_int_equal(calls, 1);
  assert_int_equal(atp_context_memory(context, NULL, &after), ATP_OK);
  assert_int_equal(after - before, 8 * (2 + PARAMETERS));
  assert_int_equal(atp_trainer_gradient(trainer, NULL, NULL, second, PARAMETERS), ATP_OK);
  assert_int_equal(calls, 2);
  for (int k = 0; k < PARAMETERS; ++k) assert_close(first[k], second[k], 1e-12, 1e-12);
  assert_int_equal(atp_trainer_set_reduction(trainer, NULL, NULL), ATP_OK);
  assert_int_equal(atp_context_memory(context, NULL, &after), ATP_OK);
  assert_int_equal(after, before);
  assert_int_equal(atp_trainer_gradient(trainer, NULL, NULL, second, PARAMETERS), ATP_OK);
  assert_int_equal(calls, 2);
  assert_memory_equal(first, second, sizeof first);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
  atp_context_destroy(context);
}

/* Other trainers refuse. */
static void others(void **state) {
  (void)state;
  for (int family = 0; family < 2; ++family) {
    atp_context *context = NULL;
    atp_options *options = NULL;
    atp_trainer *trainer = NULL;
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
    if (family == 1) assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE), ATP_OK);
    if (family == 1) assert_int_equal(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, 1), ATP_OK);
    atp_alignment *data = make_data(context, 0, 1);
    assert_int_equal(atp_trainer_create(context, data, options, &trainer), ATP_OK);
    assert_int_equal(atp_trainer_set_reduction(trainer, forbidden, NULL), ATP_E_UNSUPPORTED);
    assert_int_equal(atp_trainer_set_reduction(trainer, NULL, NULL), ATP_OK);
    atp_trainer_destroy(trainer);
    atp_alignment_destroy(data);
    atp_options_destroy(options);
    atp_context_destroy(context);
  }
}

static void with_ranks(one_rank *self, void *user) {
  findings *f = user;
  f->first = join_ranks(self);
  f->precision = 32;
  atp_alignment *data = make_data(self->context, 0, 1);
  atp_trainer *trainer = make_trainer(f, self->context, data);
  f->second = atp_trainer_set_reduction(trainer, forbidden, NULL);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
}

static void ranks_refuse(void **state) {
  (void)state;
  memset(all, 0, sizeof all);
  assert_int_equal(run_ranks(2, 1, 0, with_ranks, all, sizeof *all), 0);
  for (int r = 0; r < 2; ++r) {
    assert_int_equal(all[r].first, ATP_OK);
    assert_int_equal(all[r].second, ATP_E_CONFLICT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_learn_what_all_learn),
      cmocka_unit_test(failing_callbacks),
      cmocka_unit_test(one_process),
      cmocka_unit_test(others),
      cmocka_unit_test(ranks_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
