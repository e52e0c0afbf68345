/* SPDX-License-Identifier: MIT */
/* Training, weights and simulations on several ranks: the bits of a context without ranks. Threads are the ranks. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

enum { N = 60, L = 7, Q = 4, MOST = 4096, EPOCHS = 6 };

typedef struct problem {
  int family, asymmetric, optimizer, precision, gaps;
} problem;

/* What a context finds; bytes of a saved state, of parameters, losses, and a training log without its clock. */
typedef struct findings {
  problem of;
  int64_t cancel_at; /* epoch after which this rank's callback ends the run; ranks without a callback go on */
  int only;          /* has a callback */
  int poor;          /* has no memory for a trainer */
  int line;          /* of the first call that failed */
  atp_status status; /* of the last call */
  char text[256];
  atp_outcome outcome;
  int64_t epochs, parameters, log_size, state_size;
  double weights[N], values[MOST], gradient[MOST], log[EPOCHS * ATP_TRAINING_COLUMNS + 64], losses[3], rows[64];
  unsigned char state[16 * MOST];
} findings;

#define OK(call)                        \
  if ((f->status = (call)) != ATP_OK) { \
    f->line = __LINE__;                 \
    return;                             \
  }

static void make_data(uint8_t *sequences, int gaps) {
  uint64_t x = 88172645463325252u;
  for (int k = 0; k < N * L; ++k) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    sequences[k] = k >= L && x % 3 != 0 ? sequences[k - L] : (uint8_t)(x / 8 % Q);
    if (gaps && x % 11 == 0) sequences[k] = 0;
  }
}

static int cancel(const atp_progress *progress, void *user) {
  const findings *f = user;
  return f->cancel_at > 0 && atp_progress_value(progress, ATP_PROGRESS_STEP) >= (double)f->cancel_at;
}

typedef struct handles {
  atp_alignment *data, *test;
  atp_options *options;
  atp_trainer *trainer;
  atp_table *log;
} handles;

static void learn_with(atp_context *context, handles *h, findings *f) {
  uint8_t sequences[N * L];
  make_data(sequences, f->of.gaps);
  OK(atp_alignment_create(context, sequences, N, L, Q, NULL, &h->data));
  OK(atp_alignment_weigh(h->data, 0.3, ATP_WEIGHTS_STRICT, NULL, NULL, NULL));
  memcpy(f->weights, atp_alignment_weights_view(h->data), sizeof f->weights);
  OK(atp_alignment_create(context, sequences + 10 * L, N - 20, L, Q, NULL, &h->test));
  OK(atp_options_create(context, ATP_OWNER_TRAINER, &h->options));
  OK(atp_options_set_i64(h->options, ATP_OPT_FAMILY, f->of.family));
  OK(atp_options_set_i64(h->options, ATP_OPT_ASYMMETRIC, f->of.asymmetric));
  OK(atp_options_set_i64(h->options, ATP_OPT_OPTIMIZER, f->of.optimizer));
  OK(atp_options_set_i64(h->options, ATP_OPT_PRECISION, f->of.precision));
  OK(atp_options_set_i64(h->options, ATP_OPT_GAPS, f->of.gaps));
  OK(atp_options_set_f64(h->options, ATP_OPT_L2_COUPLINGS, 0.02));
  if (f->poor) OK(atp_context_set_memory_limit(context, 1));
  OK(atp_trainer_create(context, h->data, h->options, &h->trainer));
  OK(atp_trainer_set_test(h->trainer, h->test));
  OK(atp_table_create(context, ATP_TABLE_TRAINING_LOG, EPOCHS + 8, &h->log));
  OK(atp_trainer_set_log(h->trainer, h->log));
  f->parameters = atp_trainer_parameter_count(h->trainer);
  OK(atp_trainer_gradient(h->trainer, &f->losses[0], &f->losses[1], f->gradient, f->parameters));
  OK(atp_trainer_run(h->trainer, EPOCHS, f->only ? cancel : NULL, f, &f->outcome));
  f->epochs = atp_trainer_epochs(h->trainer);
  OK(atp_trainer_loss(h->trainer, h->test, &f->losses[2]));
  OK(atp_trainer_parameters(h->trainer, f->values, f->parameters));
  f->log_size = atp_table_rows(h->log) * atp_table_columns(h->log);
  OK(atp_table_values(h->log, f->log, f->log_size));
  for (int64_t row = 0; row < atp_table_rows(h->log); ++row) f->log[row * atp_table_columns(h->log) + ATP_TRAINING_SECONDS] = 0;
  f->state_size = atp_trainer_state_bytes(h->trainer);
  OK(atp_trainer_save_state(h->trainer, f->state, f->state_size));
}

static void learn(atp_context *context, findings *f) {
  handles h = {NULL, NULL, NULL, NULL, NULL};
  learn_with(context, &h, f);
  atp_table_destroy(h.log);
  atp_trainer_destroy(h.trainer);
  atp_options_destroy(h.options);
  atp_alignment_destroy(h.test);
  atp_alignment_destroy(h.data);
}

static void learn_on_rank(one_rank *self, void *user) {
  findings *f = user;
  OK(join_ranks(self));
  learn(self->context, f);
}

static findings alone, together[MOST_RANKS];

static void equal(const findings *a, const findings *b) {
  assert_int_equal(b->line, 0);
  assert_int_equal(a->outcome, b->outcome);
  assert_int_equal(a->epochs, b->epochs);
  assert_int_equal(a->state_size, b->state_size);
  assert_int_equal(a->log_size, b->log_size);
  assert_memory_equal(a->weights, b->weights, sizeof a->weights);
  assert_memory_equal(a->gradient, b->gradient, sizeof a->gradient);
  assert_memory_equal(a->values, b->values, sizeof a->values);
  assert_memory_equal(a->losses, b->losses, sizeof a->losses);
  assert_memory_equal(a->log, b->log, sizeof a->log);
  assert_memory_equal(a->state, b->state, (size_t)a->state_size);
}

static const problem problems[] = {
    {ATP_FAMILY_DENSE, 0, ATP_OPTIMIZER_LBFGS, 32, ATP_GAPS_STATE},    {ATP_FAMILY_DENSE, 0, ATP_OPTIMIZER_LBFGS, 64, ATP_GAPS_IGNORE},
    {ATP_FAMILY_DENSE, 1, ATP_OPTIMIZER_LBFGS, 32, ATP_GAPS_IGNORE},   {ATP_FAMILY_DENSE, 1, ATP_OPTIMIZER_LBFGS, 64, ATP_GAPS_STATE},
    {ATP_FAMILY_FACTORED, 0, ATP_OPTIMIZER_LBFGS, 32, ATP_GAPS_STATE}, {ATP_FAMILY_FACTORED, 0, ATP_OPTIMIZER_SGD, 64, ATP_GAPS_STATE},
};

static void same_bits(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p) {
    atp_context *context = NULL;
    memset(&alone, 0, sizeof alone);
    alone.of = problems[p];
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    learn(context, &alone);
    atp_context_destroy(context);
    assert_int_equal(alone.line, 0);
    for (int64_t ranks = 1; ranks <= 4; ++ranks)
      for (int64_t threads = 1; threads <= 2; ++threads) {
        memset(together, 0, sizeof together);
        for (int64_t r = 0; r < ranks; ++r) together[r].of = problems[p];
        assert_int_equal(run_ranks(ranks, threads, 0, learn_on_rank, together, sizeof *together), 0);
        for (int64_t r = 0; r < ranks; ++r) equal(&alone, &together[r]);
      }
  }
}

/* The callback of one rank alone ends the run: all end after the same step, with the same state. */
static void one_rank_cancels(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p) {
    memset(together, 0, sizeof together);
    for (int64_t r = 0; r < 3; ++r) together[r].of = problems[p];
    together[1].only = 1;
    together[1].cancel_at = 2;
    assert_int_equal(run_ranks(3, 2, 0, learn_on_rank, together, sizeof *together), 0);
    for (int64_t r = 0; r < 3; ++r) {
      assert_int_equal(together[r].outcome, ATP_OUTCOME_CANCELLED);
      assert_int_equal(together[r].epochs, 2);
      equal(&together[0], &together[r]);
    }
  }
}

/* Replica theory by simulation. */
static void simulate(atp_context *context, findings *f) {
  static const double alphas[] = {0.5, 1.5}, covariance[] = {1, 0.25, 0, 0.25, 1, 0.25, 0, 0.25, 1}, teacher[] = {1, -1, 0.5};
  atp_options *options = NULL;
  atp_task *task = NULL;
  atp_table *table = NULL;
  OK(atp_options_create(context, ATP_TASK_REPLICA_SIMULATION, &options));
  OK(atp_options_set_i64(options, ATP_OPT_REALISATIONS, 11));
  OK(atp_task_create(context, ATP_TASK_REPLICA_SIMULATION, options, &task));
  OK(atp_task_set_array(task, ATP_ARRAY_ALPHAS, alphas, 2, 1));
  OK(atp_task_set_array(task, ATP_ARRAY_COVARIANCE, covariance, 3, 3));
  OK(atp_task_set_array(task, ATP_ARRAY_WEIGHTS, teacher, 3, 1));
  OK(atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), 2, &table));
  OK(atp_task_run(task, table, NULL, NULL, &f->outcome));
  OK(atp_table_values(table, f->rows, atp_table_rows(table) * atp_table_columns(table)));
  atp_table_destroy(table);
  atp_task_destroy(task);
  atp_options_destroy(options);
}

static void simulate_on_rank(one_rank *self, void *user) {
  findings *f = user;
  OK(join_ranks(self));
  simulate(self->context, f);
}

static void same_simulation(void **state) {
  atp_context *context = NULL;
  (void)state;
  if (!atp_has_feature("lapack")) skip_because("this build has no BLAS and LAPACK");
  memset(&alone, 0, sizeof alone);
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  simulate(context, &alone);
  atp_context_destroy(context);
  assert_int_equal(alone.line, 0);
  assert_true(alone.rows[2] != 0);
  for (int64_t ranks = 1; ranks <= 4; ++ranks)
    for (int64_t threads = 1; threads <= 2; ++threads) {
      memset(together, 0, sizeof together);
      assert_int_equal(run_ranks(ranks, threads, 0, simulate_on_rank, together, sizeof *together), 0);
      for (int64_t r = 0; r < ranks; ++r) {
        assert_int_equal(together[r].line, 0);
        assert_int_equal(together[r].outcome, alone.outcome);
        assert_memory_equal(together[r].rows, alone.rows, sizeof alone.rows);
      }
    }
}

/* Too little memory for a trainer on one rank: there is none anywhere, and each rank knows why. */
static void one_without_memory(one_rank *self, void *user) {
  findings *f = user;
  OK(join_ranks(self));
  f->poor = self->rank == 2;
  learn(self->context, f);
  atp_context_error(self->context, f->text, sizeof f->text);
}

static void memory_fails_on_one(void **state) {
  (void)state;
  memset(together, 0, sizeof together);
  for (int64_t r = 0; r < 4; ++r) together[r].of = problems[0];
  assert_int_equal(run_ranks(4, 1, 0, one_without_memory, together, sizeof *together), 0);
  for (int64_t r = 0; r < 4; ++r) {
    assert_int_equal(together[r].status, r == 2 ? ATP_E_MEMORY : ATP_E_RANK);
    if (r != 2) assert_non_null(strstr(together[r].text, "rank 2 on "));
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(one_rank_cancels),
                                          cmocka_unit_test(same_simulation), cmocka_unit_test(memory_fails_on_one)};

ATP_TEST_MAIN(tests)
