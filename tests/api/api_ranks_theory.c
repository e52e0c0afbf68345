/* SPDX-License-Identifier: MIT */
/* Tasks and weights on several ranks: the bits of a context without ranks, ends and failures that one rank has. Threads are the ranks. */
#include "support.h"

#include "ranks_of_tasks.h"

#include <math.h>
#include <time.h>

enum { N = 5, P = 3 };

static const double alphas[N] = {0.5, 0.8, 1.25, 2, 3}, omegas[] = {0.2, 0.4}, s[P] = {1, 2, 0.5}, t[P] = {0.5, 0.25, 1},
                    covariance[P * P] = {1, 0.25, 0, 0.25, 1, 0.25, 0, 0.25, 1}, code3[6] = {1, 0.5, 0, -1, -1, 0.5},
                    teacher3[9] = {0.6, 0.2, 0.2, 0.3, 0.4, 0.3, 0.2, 0.2, 0.6};

#define SPECTRUM \
  {ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, { ATP_ARRAY_PROJECTIONS, t, P, 1 }

static const task_case cases[] = {
    {ATP_TASK_REPLICA_SQUARE, {{ATP_OPT_LAMBDA, 0.1}, {0}}, {SPECTRUM, {0}}},
    {ATP_TASK_REPLICA_SADDLE, {{ATP_OPT_LAMBDA, 0.1}, {0}}, {SPECTRUM, {0}}},
    {ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_DIAGONAL_SHIFT, 2.5}, {ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_REPLICA_CONVEX, {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_LOSS, ATP_REPLICA_LOSS_HUBER}, {0}}, {SPECTRUM, {0}}},
    {ATP_TASK_REPLICA_CONVEX, {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_LOSS, ATP_REPLICA_LOSS_LOGISTIC}, {0}}, {SPECTRUM, {0}}},
    {ATP_TASK_DOTATTN_CURVE,
     {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 3}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, 2, 1}, {0}}},
    {ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 3}, {0}}, {{ATP_ARRAY_OMEGAS, omegas, 2, 1}, {0}}},
    {ATP_TASK_DOTATTN_TOKENS,
     {{ATP_OPT_POINTS, 32}, {ATP_OPT_SHIFTS, 5}, {ATP_OPT_TOLERANCE, 1e-6}, {ATP_OPT_MAX_ITER, 40}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, 3, 1}, {ATP_ARRAY_CODE, code3, 3, 2}, {ATP_ARRAY_TEACHER, teacher3, 3, 3}, {0}}},
    {ATP_TASK_DOTATTN_SIMULATION,
     {{ATP_OPT_DIMENSION, 24},
      {ATP_OPT_STEPS, 100},
      {ATP_OPT_TEST_SAMPLES, 5},
      {ATP_OPT_RUNS, 3},
      {ATP_OPT_TOLERANCE, 1e-4},
      {ATP_OPT_RESTARTS, 2},
      {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS},
      {ATP_OPT_FLIPS, 4},
      {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_DOTATTN_DYNAMICS,
     {{ATP_OPT_POINTS, 32}, {ATP_OPT_SHIFTS, 5}, {0}},
     {{ATP_ARRAY_TIMES, alphas, 2, 1}, {ATP_ARRAY_CODE, code3, 3, 2}, {ATP_ARRAY_TEACHER, teacher3, 3, 3}, {0}}},
    {ATP_TASK_DOTATTN_TRAJECTORY,
     {{ATP_OPT_DIMENSION, 24}, {ATP_OPT_TEST_SAMPLES, 5}, {ATP_OPT_RUNS, 12}, {0}},
     {{ATP_ARRAY_TIMES, alphas, 1, 1}, {0}}},
    {ATP_TASK_REPLICA_POTTS,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_POINTS, 64}, {ATP_OPT_SHIFTS, 3}, {0}},
     {SPECTRUM, {ATP_ARRAY_COLOR_COVARIANCE, covariance, P, P}, {0}}},
    {ATP_TASK_REPLICA_POTTS_SIMULATION,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_REALISATIONS, 7}, {ATP_OPT_TEST_SAMPLES, 50}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1},
      {ATP_ARRAY_COVARIANCE, covariance, P, P},
      {ATP_ARRAY_WEIGHTS, s, P, 1},
      {ATP_ARRAY_COLOR_COVARIANCE, covariance, P, P},
      {0}}},
    {ATP_TASK_REPLICA_SIMULATION,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_NOISE, 1}, {ATP_OPT_REALISATIONS, 7}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_COVARIANCE, covariance, P, P}, {ATP_ARRAY_WEIGHTS, s, P, 1}, {0}}},
};
/* The last two need LAPACK. */
static int number_of_cases(void) { return (int)(sizeof cases / sizeof *cases) - (atp_has_feature("lapack") ? 0 : 2); }

static one_task again, all[MOST_RANKS], known[sizeof cases / sizeof *cases];

/* What a context without ranks finds. */
static const one_task *alone(int k) {
  if (known[k].of == NULL) run_alone(&cases[k], &known[k]);
  return &known[k];
}

/* Phases of dot-product attention take longer: they are in api_ranks_theory_slow.c. */
static void same_rows(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k)
    if (cases[k].kind != ATP_TASK_DOTATTN_CURVE && cases[k].kind != ATP_TASK_DOTATTN_TRANSITION) check_all_ranks(alone(k));
}

typedef struct reports {
  int made, stop_at;
  double last, total, numbers; /* numbers: a sum that tells lists of reports apart */
} reports;

static int hear(const atp_progress *progress, void *user) {
  reports *r = user;
  ++r->made;
  r->last = atp_progress_value(progress, ATP_PROGRESS_STEP);
  r->total = atp_progress_value(progress, ATP_PROGRESS_TOTAL);
  const double norm = atp_progress_value(progress, ATP_PROGRESS_GRADIENT_NORM);
  r->numbers = r->numbers * 1.5 + r->last + atp_progress_value(progress, ATP_PROGRESS_SECONDS) + (isnan(norm) ? 0 : norm);
  return r->made == r->stop_at;
}

/* Ranks of 1, 2 and 3 threads. Some have a callback: the same rows. All have one: the same reports, up to the end. */
static void reports_are_the_same(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k)
    for (int64_t callbacks = 1; callbacks <= 3; callbacks += 2) {
      reports of[3];
      memset(of, 0, sizeof of);
      clear_tasks(&cases[k], all);
      for (int64_t r = 0; r < 3; ++r) {
        all[r].threads = r + 1;
        if (r >= callbacks) continue;
        all[r].progress = hear;
        all[r].user = &of[r];
      }
      assert_int_equal(run_ranks(3, 1, 0, task_on_rank, all, sizeof *all), 0);
      for (int64_t r = 0; r < 3; ++r) assert_same_rows(alone(k), &all[r]);
      assert_true(of[0].made >= 1 && of[0].last == of[0].total);
      for (int64_t r = 1; r < callbacks; ++r) assert_memory_equal(&of[0], &of[r], sizeof of[0]);
    }
}

static int has_blank_rows(const one_task *task) {
  for (int64_t k = 0; k < task->numbers; ++k)
    if (isnan(task->rows[k])) return 1;
  return 0;
}

/* The callback of one rank ends the run at its first report: all end there. */
static void one_rank_cancels(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k)
    for (int64_t ranks = 2; ranks <= 4; ++ranks) {
      reports of = {0, 1, 0, 0, 0};
      clear_tasks(&cases[k], all);
      all[1].progress = hear;
      all[1].user = &of;
      assert_int_equal(run_ranks(ranks, 2, 0, task_on_rank, all, sizeof *all), 0);
      assert_int_equal(all[1].outcome, ATP_OUTCOME_CANCELLED);
      assert_true(has_blank_rows(&all[1]));
      for (int64_t r = 0; r < ranks; ++r) assert_same_rows(&all[1], &all[r]);
    }
}

/* A stop that one rank has asked for before the run. */
static void one_rank_stops(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k) {
    clear_tasks(&cases[k], all);
    all[2].stopped = 1;
    assert_int_equal(run_ranks(3, 1, 0, task_on_rank, all, sizeof *all), 0);
    assert_int_equal(all[2].outcome, ATP_OUTCOME_CANCELLED);
    for (int64_t r = 0; r < 3; ++r) assert_same_rows(&all[2], &all[r]);
  }
}

/* One rank has too little memory, or a table without room: it has its status, the others ATP_E_RANK with its text. After a table without
 * room they run again. */
static void one_rank_fails(one_rank *self, void *user) {
  one_task *task = user, next;
  task_on_rank(self, user);
  if (task->limit > 0) return;
  memset(&next, 0, sizeof next);
  next.of = task->of;
  run_one_task(self->context, &next);
  if (self->rank == 0) again = next;
}

static void failures(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k)
    for (int how = 0; how < 2; ++how) {
      int64_t bytes = 0;
      atp_context *context = NULL;
      assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
      assert_int_equal(bytes_of_task(context, &cases[k], &bytes), ATP_OK);
      atp_context_destroy(context);
      if (how == 0 && bytes == 0) continue;
      clear_tasks(&cases[k], all);
      for (int64_t r = 0; r < 3 && how == 0; ++r) all[r].limit = r == 1 ? 1 : INT64_MAX;
      all[1].room = how;
      assert_int_equal(run_ranks(3, 1, 0, one_rank_fails, all, sizeof *all), 0);
      assert_int_equal(all[1].status, how == 0 ? ATP_E_MEMORY : ATP_E_BUFFER);
      for (int64_t r = 0; r < 3; r += 2) {
        assert_int_equal(all[r].status, ATP_E_RANK);
        assert_int_equal(all[r].numbers, 0);
        assert_non_null(strstr(all[r].text, "rank 1 on "));
      }
      if (how == 1) assert_same_rows(alone(k), &again);
    }
}

/* A callback of the ranks fails in the middle: all end. */
static void ranks_that_break(void **state) {
  (void)state;
  for (int k = 0; k < number_of_cases(); ++k) {
    clear_tasks(&cases[k], all);
    assert_int_equal(run_ranks(3, 1, 0, task_on_rank, all, sizeof *all), 0);
    const int64_t calls = (int64_t)all[0].calls;
    assert_true(calls > 6);
    for (int64_t part = 1; part < 4; ++part) {
      clear_tasks(&cases[k], all);
      assert_int_equal(run_ranks(3, 1, 5 + part * (calls - 6) / 4, task_on_rank, all, sizeof *all), 0);
      for (int64_t r = 0; r < 3; ++r) assert_int_equal(all[r].status, ATP_E_RANK);
    }
  }
}

/* Long runs without callbacks; a thread asks one rank to stop. */
static const task_case endless[] = {
    {ATP_TASK_DOTATTN_SIMULATION,
     {{ATP_OPT_DIMENSION, 200}, {ATP_OPT_STEPS, 1e9}, {ATP_OPT_RATE, 1e-6}, {ATP_OPT_RUNS, 4}, {ATP_OPT_TOLERANCE, 1e-14}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_DOTATTN_TOKENS,
     {{ATP_OPT_POINTS, 128}, {ATP_OPT_SHIFTS, 1000}, {ATP_OPT_TOLERANCE, 1e-9}, {ATP_OPT_MAX_ITER, 40}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_CODE, code3, 3, 2}, {ATP_ARRAY_TEACHER, teacher3, 3, 3}, {0}}},
    {ATP_TASK_DOTATTN_CURVE, {{ATP_OPT_ACCURACY, 1e-7}, {ATP_OPT_MAX_ITER, 1e6}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
};

static void *stop_soon(void *user) {
  const struct timespec wait = {0, 50000000};
  nanosleep(&wait, NULL);
  atp_context_request_stop(user);
  return NULL;
}

static void endless_on_rank(one_rank *self, void *user) {
  pthread_t id;
  if (self->rank == 1) pthread_create(&id, NULL, stop_soon, self->context);
  task_on_rank(self, user);
  if (self->rank == 1) pthread_join(id, NULL);
}

static void a_thread_stops_one_rank(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof endless / sizeof *endless; ++k) {
    clear_tasks(&endless[k], all);
    assert_int_equal(run_ranks(3, 1, 0, endless_on_rank, all, sizeof *all), 0);
    assert_int_equal(all[1].status, ATP_OK);
    assert_int_equal(all[1].outcome, ATP_OUTCOME_CANCELLED);
    for (int64_t r = 0; r < 3; ++r) assert_same_rows(&all[1], &all[r]);
  }
}

/* Four tiles of sequences, ten pairs of tiles. */
enum { SEQUENCES = 1700, SITES = 9, COLORS = 5 };

typedef struct weighing {
  atp_status status;
  double theta;
  int fails;
  atp_weight_rule rule;
  double weights[SEQUENCES];
} weighing;

static void weigh(atp_context *context, weighing *w) {
  static const int64_t kinds = 300;
  uint8_t sequences[SEQUENCES * SITES];
  uint64_t x = 88172645463325252u;
  atp_alignment *alignment = NULL;
  for (int k = 0; k < SEQUENCES * SITES; ++k) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    sequences[k] = k >= kinds * SITES && x % 4 != 0 ? sequences[k - kinds * SITES] : (uint8_t)(x / 8 % COLORS);
  }
  w->status = atp_alignment_create(context, sequences, SEQUENCES, SITES, COLORS, NULL, &alignment);
  if (w->fails) atp_context_set_memory_limit(context, 1);
  if (w->status == ATP_OK) w->status = atp_alignment_weigh(alignment, w->theta, w->rule, NULL, NULL, NULL);
  memcpy(w->weights, atp_alignment_weights_view(alignment), sizeof w->weights);
  atp_alignment_destroy(alignment);
}

static void weigh_on_rank(one_rank *self, void *user) {
  join_ranks(self);
  weigh(self->context, user);
}

static weighing one_weighing, weighings[MOST_RANKS];

static void same_weights(void **state) {
  (void)state;
  for (int rule = ATP_WEIGHTS_INCLUSIVE; rule <= ATP_WEIGHTS_FLOOR; ++rule) {
    atp_context *context = NULL;
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    memset(&one_weighing, 0, sizeof one_weighing);
    one_weighing.theta = 0.35;
    one_weighing.rule = (atp_weight_rule)rule;
    weigh(context, &one_weighing);
    atp_context_destroy(context);
    double sum = 0;
    for (int k = 0; k < SEQUENCES; ++k) sum += one_weighing.weights[k];
    assert_true(sum > 10 && sum < SEQUENCES - 10);
    for (int64_t ranks = FROM_RANKS; ranks <= TO_RANKS; ++ranks)
      for (int64_t threads = FROM_THREADS; threads <= TO_THREADS; ++threads) {
        memset(weighings, 0, sizeof weighings);
        for (int64_t r = 0; r < ranks; ++r) {
          weighings[r].theta = 0.35;
          weighings[r].rule = (atp_weight_rule)rule;
        }
        assert_int_equal(run_ranks(ranks, threads, 0, weigh_on_rank, weighings, sizeof *weighings), 0);
        for (int64_t r = 0; r < ranks; ++r) assert_memory_equal(&one_weighing, &weighings[r], sizeof one_weighing);
      }
  }
}

static void weights_that_fail(void **state) {
  (void)state;
  memset(weighings, 0, sizeof weighings);
  for (int64_t r = 0; r < 3; ++r) {
    weighings[r].theta = 0.35;
    weighings[r].rule = ATP_WEIGHTS_STRICT;
    weighings[r].fails = r == 2;
  }
  assert_int_equal(run_ranks(3, 1, 0, weigh_on_rank, weighings, sizeof *weighings), 0);
  for (int64_t r = 0; r < 3; ++r) {
    assert_int_equal(weighings[r].status, r == 2 ? ATP_E_MEMORY : ATP_E_RANK);
    for (int k = 0; k < SEQUENCES; ++k) assert_true(weighings[r].weights[k] == 1);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_rows),
    cmocka_unit_test(reports_are_the_same),
    cmocka_unit_test(one_rank_cancels),
    cmocka_unit_test(one_rank_stops),
    cmocka_unit_test(failures),
    cmocka_unit_test(ranks_that_break),
    cmocka_unit_test(a_thread_stops_one_rank),
    cmocka_unit_test(same_weights),
    cmocka_unit_test(weights_that_fail),
};

ATP_TEST_MAIN(tests)
