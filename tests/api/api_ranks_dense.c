/* SPDX-License-Identifier: MIT */
/* Ranks: trainers of dense couplings have the bits of a context without ranks, whatever the number of ranks and threads. Threads are the
 * ranks. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

/* One problem. */
typedef struct problem {
  const char *name;
  int64_t count, sites, colors;
  int gaps_ignored, asymmetric, precision;
  int64_t epochs;
  int64_t steps; /* of a first run: the second goes on from there */
  int listed;    /* with a list of about a third of the pairs */
  int objective; /* 0: pseudo-likelihood */
} problem;

/* Fewer sites than ranks; vectors of L-BFGS of one piece of sums (32768 numbers), and of three; several pieces of sequences; runs to the
 * end. */
static const problem problems[] = {
    {"three sites", 50, 3, 4, 0, 0, 32, 7, 3, 0, 0},
    {"one piece", 80, 9, 5, 1, 0, 64, 300, 5, 0, 0},
    {"three pieces, float32", 60, 20, 21, 0, 0, 32, 9, 4, 0, 0},
    {"three pieces, float64", 40, 20, 22, 1, 0, 64, 8, 5, 0, 0},
    {"many sequences", 4200, 7, 3, 1, 0, 32, 6, 2, 0, 0},
    {"asymmetric, three sites", 50, 3, 4, 0, 1, 32, 3, 1, 0, 0},
    {"asymmetric, float32", 80, 11, 5, 1, 1, 32, 20, 4, 0, 0},
    {"asymmetric, float64", 60, 23, 4, 0, 1, 64, 100, 9, 0, 0},
    {"a list of pairs", 80, 13, 5, 1, 0, 32, 300, 5, 1, 0},
    {"a list of pairs, asymmetric", 60, 11, 4, 0, 1, 64, 100, 4, 1, 0},
    {"autoregressive, float32", 80, 19, 5, 1, 0, 32, 20, 4, 0, ATP_OBJECTIVE_AUTOREGRESSIVE},
    {"autoregressive, float64", 40, 20, 22, 0, 0, 64, 8, 5, 0, ATP_OBJECTIVE_AUTOREGRESSIVE},
    {"autoregressive, a list of pairs", 80, 13, 5, 0, 0, 64, 300, 5, 1, ATP_OBJECTIVE_AUTOREGRESSIVE},
    {"autoregressive, site by site", 60, 11, 4, 1, 1, 32, 100, 4, 0, ATP_OBJECTIVE_AUTOREGRESSIVE},
    {"likelihood, a list of pairs", 80, 13, 5, 0, 0, 32, 9, 4, 1, ATP_OBJECTIVE_LIKELIHOOD},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, TESTS = 30 };

/* What a rank has found: all outputs one after the other. */
typedef struct findings {
  const problem *p;
  int how, who, reports, at;
  int64_t leave; /* a run of so many epochs, of which the state is kept; 0: train() */
  const char *state;
  int64_t state_bytes, bytes_of_trainer, epochs;
  atp_status status, second;
  atp_outcome outcome;
  double traffic;
  atp_trainer *trainer;
  char text[256];
  char *bytes;
  int64_t used, room;
} findings;

static findings all[MOST_RANKS], alone;

static void must(findings *f, atp_status status, const char *what) {
  if (status == ATP_OK || f->status != ATP_OK) return;
  f->status = status;
  atp_last_error(f->text, sizeof f->text);
  print_error("%s: %s: %s\n", f->p->name, what, f->text);
}
#define MUST(call) must(f, (call), #call)

/* Room for n numbers of the next output. */
static void *room(findings *f, int64_t bytes) {
  f->used = (f->used + 7) / 8 * 8;
  if (f->used + bytes > f->room) {
    f->room = 2 * (f->used + bytes);
    f->bytes = realloc(f->bytes, (size_t)f->room);
  }
  memset(f->bytes + f->used, 0, (size_t)(f->room - f->used));
  f->used += bytes;
  return f->bytes + f->used - bytes;
}

/* Ranks of size 1 belong to contexts that never hear of ranks. */
static void join(one_rank *self, findings *f) {
  if (self->group->size > 1) MUST(join_ranks(self));
}

static uint32_t next(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

/* Sites that often equal their left neighbours, with weights. */
static atp_alignment *make_data(findings *f, atp_context *context, int64_t n, uint32_t seed) {
  const problem *p = f->p;
  uint8_t *s = malloc((size_t)(n * p->sites));
  double *weights = malloc((size_t)n * sizeof *weights);
  atp_alignment *a = NULL;
  for (int64_t k = 0; k < n * p->sites; ++k)
    s[k] = (uint8_t)(k % p->sites > 0 && next(&seed) % 3 ? s[k - 1] : next(&seed) % (uint32_t)p->colors);
  for (int64_t k = 0; k < n; ++k) weights[k] = 0.25 + (double)(next(&seed) % 1000) / 1000;
  MUST(atp_alignment_create(context, s, n, p->sites, p->colors, weights, &a));
  free(s);
  free(weights);
  return a;
}

static atp_options *make_options(findings *f, atp_context *context) {
  atp_options *options = NULL;
  MUST(atp_options_create(context, ATP_OWNER_TRAINER, &options));
  MUST(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  MUST(atp_options_set_i64(options, ATP_OPT_GAPS, f->p->gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE));
  MUST(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, f->p->asymmetric));
  MUST(atp_options_set_i64(options, ATP_OPT_PRECISION, f->p->precision));
  MUST(atp_options_set_i64(options, ATP_OPT_EPOCHS, f->p->epochs));
  if (f->p->objective != 0) MUST(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, f->p->objective));
  if (f->p->objective == ATP_OBJECTIVE_LIKELIHOOD)
    MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, 64));
  else
    MUST(atp_options_set_i64(options, ATP_OPT_HISTORY, 3));
  return options;
}

/* A trainer, the data that it needs, and its log. */
typedef struct trainee {
  atp_alignment *train, *test;
  atp_model *truth;
  atp_table *log;
  atp_trainer *trainer;
} trainee;

static trainee make(one_rank *self, findings *f) {
  const problem *p = f->p;
  trainee t = {0};
  atp_options *options = make_options(f, self->context);
  t.train = make_data(f, self->context, p->count, 1);
  t.test = make_data(f, self->context, TESTS, 2);
  MUST(atp_model_create_random(self->context, p->sites, p->colors - p->gaps_ignored, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3,
                               &t.truth));
  MUST(atp_table_create(self->context, ATP_TABLE_TRAINING_LOG, 400, &t.log));
  if (p->listed) {
    int64_t pairs[2 * 128], n = 0;
    for (int64_t i = 0; i < p->sites; ++i)
      for (int64_t j = i + 1; j < p->sites; ++j)
        if ((i + 2 * j) % 3 == 0) {
          pairs[2 * n] = j;
          pairs[2 * n++ + 1] = i;
        }
    MUST(atp_trainer_pairs_bytes(self->context, t.train, options, pairs, n, &f->bytes_of_trainer));
    MUST(atp_trainer_create_pairs(self->context, t.train, options, pairs, n, &t.trainer));
  } else {
    MUST(atp_trainer_bytes(self->context, p->count, p->sites, p->colors, options, &f->bytes_of_trainer));
    MUST(atp_trainer_create(self->context, t.train, options, &t.trainer));
  }
  MUST(atp_trainer_set_test(t.trainer, t.test));
  if (p->objective != ATP_OBJECTIVE_AUTOREGRESSIVE) MUST(atp_trainer_set_truth(t.trainer, t.truth));
  atp_options_destroy(options);
  return t;
}

static void end(trainee *t) {
  atp_trainer_destroy(t->trainer);
  atp_table_destroy(t->log);
  atp_model_destroy(t->truth);
  atp_alignment_destroy(t->test);
  atp_alignment_destroy(t->train);
}

static void keep_state(findings *f, atp_trainer *trainer) {
  const int64_t bytes = atp_trainer_state_bytes(trainer);
  MUST(atp_trainer_save_state(trainer, room(f, bytes), bytes));
}

/* Losses, the gradient, parameters, the state. */
static void keep(findings *f, const trainee *t) {
  const int64_t n = atp_trainer_parameter_count(t->trainer);
  double *numbers = room(f, 5 * 8);
  MUST(atp_trainer_gradient(t->trainer, &numbers[0], &numbers[1], NULL, 0));
  MUST(atp_trainer_loss(t->trainer, t->test, &numbers[2]));
  double *gradient = room(f, n * 8), loss = 0, objective = 0;
  MUST(atp_trainer_gradient(t->trainer, &loss, &objective, gradient, n));
  MUST(atp_trainer_parameters(t->trainer, room(f, n * 8), n));
  keep_state(f, t->trainer);
}

/* The log without its seconds. */
static void keep_log(findings *f, const trainee *t) {
  const int64_t rows = atp_table_rows(t->log), cells = rows * ATP_TRAINING_COLUMNS;
  double *values = room(f, cells * 8);
  MUST(atp_table_values(t->log, values, cells));
  for (int64_t k = 0; k < rows; ++k) values[k * ATP_TRAINING_COLUMNS + ATP_TRAINING_SECONDS] = 0;
}

static void train(one_rank *self, void *user) {
  findings *f = user;
  if (f->how == 1) MUST(atp_context_set_threads(self->context, 1 + self->rank));
  join(self, f);
  trainee t = make(self, f);
  if (f->state != NULL) {
    MUST(atp_trainer_load_state(t.trainer, f->state, f->state_bytes));
  } else {
    keep(f, &t);
  }
  /* The log is one rank's; the others have none. */
  if (self->rank == f->who || self->group->size == 1) MUST(atp_trainer_set_log(t.trainer, t.log));
  if (f->leave > 0) {
    f->used = 0;
    MUST(atp_trainer_run(t.trainer, f->leave, NULL, NULL, &f->outcome));
    keep_state(f, t.trainer);
  } else {
    if (f->state == NULL) MUST(atp_trainer_run(t.trainer, f->p->steps, NULL, NULL, &f->outcome));
    MUST(atp_trainer_run(t.trainer, INT64_MAX, NULL, NULL, &f->outcome));
    keep(f, &t);
    f->epochs = atp_trainer_epochs(t.trainer);
    f->at = (int)f->used;
    if (f->state == NULL) keep_log(f, &t);
  }
  end(&t);
}

static void prepare(const problem *p) {
  for (int r = 0; r < MOST_RANKS; ++r) {
    free(all[r].bytes);
    memset(&all[r], 0, sizeof all[r]);
    all[r].p = p;
  }
}

static void run_all(int64_t ranks, int64_t threads, void (*body)(one_rank *, void *)) {
  assert_int_equal(run_ranks(ranks, threads, 0, body, all, sizeof *all), 0);
}

/* all[0] becomes what others are compared with. */
static void keep_alone(void) {
  assert_int_equal(all[0].status, ATP_OK);
  free(alone.bytes);
  alone = all[0];
  all[0].bytes = NULL;
}

/* Only rank `who` has a log. */
static void assert_as_alone(int64_t ranks, int64_t who) {
  for (int64_t r = 0; r < ranks; ++r) {
    assert_int_equal(all[r].status, ATP_OK);
    assert_int_equal(all[r].epochs, alone.epochs);
    assert_int_equal(all[r].outcome, alone.outcome);
    assert_int_equal(all[r].at, alone.at);
    if (r == who) assert_int_equal(all[r].used, alone.used);
    assert_memory_equal(all[r].bytes, alone.bytes, (size_t)(r == who ? alone.used : alone.at));
  }
}

static void trainers(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k) {
    prepare(&problems[k]);
    run_all(1, 1, train);
    keep_alone();
    assert_true(alone.used > alone.at && alone.at > 0);
    for (int64_t ranks = FROM_RANKS; ranks <= TO_RANKS; ++ranks)
      for (int64_t threads = FROM_THREADS; threads <= TO_THREADS; ++threads) {
        prepare(&problems[k]);
        for (int r = 0; r < MOST_RANKS; ++r) all[r].who = (int)(ranks - 1);
        run_all(ranks, threads, train);
        assert_as_alone(ranks, ranks - 1);
      }
    /* Ranks with one, two and three threads. */
    prepare(&problems[k]);
    for (int r = 0; r < MOST_RANKS; ++r) all[r].how = 1;
    run_all(3, 1, train);
    assert_as_alone(3, 0);
  }
}

/* A state of four ranks is that of one, and three, or one, go on from it. */
static void states_of_other_ranks(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k) {
    char *saved = NULL;
    int64_t bytes = 0;
    for (int64_t ranks = 1; ranks <= 4; ranks += 3) {
      prepare(&problems[k]);
      for (int r = 0; r < MOST_RANKS; ++r) all[r].leave = problems[k].steps;
      run_all(ranks, 1, train);
      for (int r = 0; r < ranks; ++r) {
        assert_int_equal(all[r].status, ATP_OK);
        if (saved != NULL) assert_int_equal(all[r].used, bytes);
        if (saved != NULL) assert_memory_equal(all[r].bytes, saved, (size_t)bytes);
      }
      free(saved);
      saved = all[0].bytes;
      bytes = all[0].used;
      all[0].bytes = NULL;
    }
    for (int64_t ranks = 1; ranks <= 3; ++ranks) {
      prepare(&problems[k]);
      for (int r = 0; r < MOST_RANKS; ++r) all[r].state = saved;
      for (int r = 0; r < MOST_RANKS; ++r) all[r].state_bytes = bytes;
      run_all(ranks, 1, train);
      if (ranks == 1) keep_alone();
      if (ranks > 1) assert_as_alone(ranks, 0);
    }
    free(saved);
  }
}

/* Four epochs; then the callback of one rank ends the run, or all ranks save their states. */
static int at_fourth(const atp_progress *progress, void *user) {
  findings *f = user;
  ++f->reports;
  if (atp_progress_value(progress, ATP_PROGRESS_STEP) != 4) return 0;
  if (f->how == 1) return 1;
  if (f->how == 2) keep_state(f, f->trainer);
  return 0;
}

static void watched(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  trainee t = make(self, f);
  const int mine = self->group->size == 1 || f->who == self->rank || f->how == 2;
  f->trainer = t.trainer;
  MUST(atp_trainer_run(t.trainer, INT64_MAX, mine ? at_fourth : NULL, f, &f->outcome));
  f->epochs = atp_trainer_epochs(t.trainer);
  keep_state(f, t.trainer);
  f->at = (int)f->used;
  end(&t);
}

static void callbacks(void **state) {
  (void)state;
  static const int which[] = {2, 6, 7};
  for (int k = 0; k < 3; ++k)
    for (int how = 1; how <= 2; ++how) {
      prepare(&problems[which[k]]);
      all[0].how = how;
      run_all(1, 1, watched);
      keep_alone();
      assert_true(how == 2 || (alone.epochs == 4 && alone.outcome == ATP_OUTCOME_CANCELLED));
      for (int who = 0; who < 3; ++who) {
        prepare(&problems[which[k]]);
        for (int r = 0; r < 3; ++r) all[r].how = how;
        for (int r = 0; r < 3; ++r) all[r].who = who;
        run_all(3, 1, watched);
        assert_as_alone(3, who);
        for (int r = 0; r < 3; ++r) assert_int_equal(all[r].reports, how == 2 || r == who ? alone.reports : 0);
      }
    }
}

/* One rank is asked to stop before the run; then all go on. */
static void asked(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  trainee t = make(self, f);
  if (self->rank == f->who) atp_trainer_request_stop(t.trainer);
  MUST(atp_trainer_run(t.trainer, INT64_MAX, NULL, NULL, &f->outcome));
  f->at = f->outcome == ATP_OUTCOME_CANCELLED && atp_trainer_epochs(t.trainer) == 0;
  MUST(atp_trainer_run(t.trainer, INT64_MAX, NULL, NULL, &f->outcome));
  f->epochs = atp_trainer_epochs(t.trainer);
  keep_state(f, t.trainer);
  f->at = f->at ? (int)f->used : -1;
  end(&t);
}

static void stops(void **state) {
  (void)state;
  for (int k = 2; k < 7; k += 4) {
    prepare(&problems[k]);
    run_all(1, 1, asked);
    keep_alone();
    for (int who = 0; who < 3; ++who) {
      prepare(&problems[k]);
      for (int r = 0; r < 3; ++r) all[r].who = who;
      run_all(3, 1, asked);
      assert_as_alone(3, who);
    }
  }
}

/* A call fails on one rank: it fails on all, and the trainers go on as if it had not been made. */
static void wrong_call(one_rank *self, void *user) {
  findings *f = user;
  const int wrong = self->rank == 1;
  join(self, f);
  trainee t = make(self, f);
  const int64_t bytes = atp_trainer_state_bytes(t.trainer), n = atp_trainer_parameter_count(t.trainer);
  char *buffer = calloc(1, (size_t)bytes);
  double *gradient = calloc((size_t)n, sizeof *gradient), loss = 0;
  atp_trainer *none = NULL;
  atp_options *options = make_options(f, self->context);
  atp_table *small = NULL;
  MUST(atp_table_create(self->context, ATP_TABLE_TRAINING_LOG, 1, &small));
  MUST(atp_trainer_save_state(t.trainer, buffer, bytes));
  switch (f->how) {
    case 0: f->second = atp_trainer_run(t.trainer, wrong ? -1 : 2, NULL, NULL, NULL); break;
    case 1: f->second = atp_trainer_gradient(t.trainer, NULL, NULL, gradient, wrong ? n - 1 : n); break;
    case 2: f->second = atp_trainer_loss(t.trainer, wrong ? NULL : t.test, &loss); break;
    case 3: f->second = atp_trainer_save_state(t.trainer, buffer, wrong ? bytes - 1 : bytes); break;
    case 4: f->second = atp_trainer_load_state(t.trainer, buffer, wrong ? bytes - 8 : bytes); break;
    case 5: f->second = atp_trainer_create(self->context, wrong ? NULL : t.train, options, &none); break;
    default:
      /* A log of one rank that is full: the second epoch is done and has no row. */
      if (wrong) MUST(atp_trainer_set_log(t.trainer, small));
      f->second = atp_trainer_run(t.trainer, 5, NULL, NULL, NULL);
      MUST(atp_trainer_set_log(t.trainer, NULL));
      if (atp_trainer_epochs(t.trainer) != 2) f->second = ATP_OK;
  }
  atp_last_error(f->text, sizeof f->text);
  if (none != NULL) f->second = ATP_OK;
  MUST(atp_trainer_run(t.trainer, INT64_MAX, NULL, NULL, &f->outcome));
  f->epochs = atp_trainer_epochs(t.trainer);
  keep_state(f, t.trainer);
  f->at = (int)f->used;
  free(buffer);
  free(gradient);
  atp_options_destroy(options);
  atp_table_destroy(small);
  end(&t);
}

static void failure_of_one_rank(void **state) {
  (void)state;
  static const atp_status expected[] = {ATP_E_VALUE, ATP_E_SHAPE, ATP_E_NULL, ATP_E_BUFFER, ATP_E_FORMAT, ATP_E_NULL, ATP_E_BUFFER};
  for (int k = 2; k < 7; k += 4) {
    prepare(&problems[k]);
    run_all(1, 1, watched);
    keep_alone();
    for (int how = 0; how < 7; ++how) {
      prepare(&problems[k]);
      for (int r = 0; r < 3; ++r) all[r].how = how;
      run_all(3, 1, wrong_call);
      assert_as_alone(3, 0);
      for (int r = 0; r < 3; ++r) assert_int_equal(all[r].second, r == 1 ? expected[how] : ATP_E_RANK);
      assert_non_null(strstr(all[2].text, "rank 1 on "));
    }
  }
}

/* Memory of a rank: of 344820 unknowns, in 11 pieces of sums, that are not trained. */
static void ask_bytes(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  atp_options *options = make_options(f, self->context);
  MUST(atp_options_set_i64(options, ATP_OPT_HISTORY, 5));
  MUST(atp_trainer_bytes(self->context, f->p->count, f->p->sites, f->p->colors, options, &f->bytes_of_trainer));
  atp_options_destroy(options);
}

static void memory_falls(void **state) {
  (void)state;
  for (int precision = 32; precision <= 64; precision += 32) {
    const problem p = {"memory", 10, 40, 21, 0, 0, precision, 10, 0, 0, 0};
    const double vector = 344820.0 * precision / 8;
    int64_t one = 0;
    for (int64_t ranks = 1; ranks <= 4; ranks *= 2) {
      prepare(&p);
      run_all(ranks, 1, ask_bytes);
      if (ranks == 1) one = all[0].bytes_of_trainer;
      for (int r = 0; r < ranks; ++r) {
        assert_int_equal(all[r].status, ATP_OK);
        print_message("float%d, rank %d of %d: %.2f MB\n", precision, r, (int)ranks, (double)all[r].bytes_of_trainer * 1e-6);
        /* One rank: 14 vectors. Several: 4 and 12 parts of up to ceil(11 / ranks) / 11. */
        const double part = ranks == 1 ? 14 : 4 + 12 * (ranks == 2 ? 6 : 3) * 32768.0 / 344820;
        assert_true((double)all[r].bytes_of_trainer <= (double)one + (part - 14) * vector + 65536);
      }
    }
  }
}

/* What passes between the ranks in an evaluation: the formula in src/learn/dense/joint_couplings.cpp. */
static void count_traffic(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  trainee t = make(self, f);
  const int64_t n = atp_trainer_parameter_count(t.trainer);
  double *gradient = malloc((size_t)n * sizeof *gradient);
  for (int sign = -1; sign <= 1; sign += 2) {
    double sent = 0, received = 0;
    MUST(atp_context_traffic(self->context, ATP_TRAFFIC_SENT, &sent));
    MUST(atp_context_traffic(self->context, ATP_TRAFFIC_RECEIVED, &received));
    f->traffic += sign * (sent + received);
    if (sign < 0) MUST(atp_trainer_gradient(t.trainer, NULL, NULL, gradient, n));
  }
  free(gradient);
  end(&t);
}

static void traffic(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k)
    for (int64_t ranks = 1; ranks <= 4; ++ranks) {
      const problem *p = &problems[k];
      const double L = (double)p->sites, q = (double)(p->colors - p->gaps_ignored);
      /* Pairs of two ranks: all but those within one. */
      int64_t far = p->sites * (p->sites - 1) / 2;
      for (int64_t r = 0; r < ranks; ++r) {
        const int64_t own = p->sites / ranks + (r < p->sites % ranks);
        far -= own * (own - 1) / 2;
      }
      prepare(p);
      run_all(ranks, 1, count_traffic);
      /* Each of the five gathers, and the end of the call, has a sum of one integer. */
      const double expected = p->precision / 8 * (L * q + ((double)far + L * (L - 1) / 2) * q * q) + 16 * L + 6 * 16;
      for (int64_t r = 0; r < ranks; ++r) {
        assert_int_equal(all[r].status, ATP_OK);
        assert_true(all[r].traffic == (ranks == 1 ? 0 : expected));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trainers),     cmocka_unit_test(states_of_other_ranks), cmocka_unit_test(callbacks), cmocka_unit_test(stops),
      cmocka_unit_test(memory_falls), cmocka_unit_test(failure_of_one_rank),   cmocka_unit_test(traffic),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL) != 0;
  prepare(NULL);
  free(alone.bytes);
  return failed;
}
