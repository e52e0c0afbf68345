/* SPDX-License-Identifier: MIT */
/* Trainers through the C API: what they compute against the definitions, and every status of every function. */
#include "counting.h"
#include "families.h"
#include "trainer_support.h"

static void test_create(void **state) {
  fixture *f = *state;
  int64_t before = 0, after = 0, bytes = 0;
  atp_trainer *t = NULL;
  assert_int_equal(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes), ATP_OK);
  atp_context_memory(f->context, NULL, &before);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  atp_context_memory(f->context, NULL, &after);
  assert_int_equal(after - before, bytes);
  assert_int_equal(atp_trainer_parameter_count(t), PARAMETERS);
  assert_int_equal(atp_trainer_epochs(t), 0);
  double x[PARAMETERS], y[PARAMETERS];
  get(t, x);
  get(f->trainer, y);
  assert_memory_equal(x, y, sizeof x);
  for (int i = 0; i < L; ++i) assert_true(x[i * L + i] == 0);
  for (int k = MAPS + VALUES; k < PARAMETERS; ++k) assert_true(x[k] == 0);
  /* 29 normal numbers of standard deviation 0.1: chi-square, outside 0.3..2.2 of its mean for one choice of seeds in 3300. */
  double sum = 0;
  for (int k = 0; k < MAPS + VALUES; ++k) sum += x[k] * x[k];
  const double variance = sum / (MAPS - L + VALUES);
  assert_true(variance > 0.3 * 0.01 && variance < 2.2 * 0.01);
  atp_trainer_destroy(t);
  /* Shapes of the other kinds of map, and fixed colours. */
  set(f, ATP_OPT_MAP, ATP_MAP_LOWRANK);
  set(f, ATP_OPT_RANK, 2);
  set(f, ATP_OPT_HEADS, 3);
  set(f, ATP_OPT_COLORS_FIXED, 1);
  set(f, ATP_OPT_FIELDS, 0);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), 2 * 3 * L * 2);
  atp_trainer_destroy(t);
  assert_int_equal(atp_trainer_create(f->context, f->train, NULL, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), MAPS + VALUES);
  atp_trainer_destroy(t);
}

static void test_create_refuses(void **state) {
  fixture *f = *state;
  int64_t bytes = -7;
  assert_int_equal(atp_trainer_bytes(NULL, N, L, Q, NULL, &bytes), ATP_E_NULL);
  REFUSED(atp_trainer_bytes(f->context, N, L, Q, NULL, NULL), ATP_E_NULL, "bytes");
  REFUSED(atp_trainer_bytes(f->context, 0, L, Q, NULL, &bytes), ATP_E_VALUE, "0");
  REFUSED(atp_trainer_bytes(f->context, N, 1, Q, NULL, &bytes), ATP_E_VALUE, "sites");
  REFUSED(atp_trainer_bytes(f->context, N, L, 1, NULL, &bytes), ATP_E_VALUE, "colors");
  REFUSED(atp_trainer_bytes(f->context, N, L, 256, NULL, &bytes), ATP_E_VALUE, "256");
  REFUSED(atp_trainer_bytes(f->context, N, 1000000, Q, NULL, &bytes), ATP_E_VALUE, "1000000");
  assert_int_equal(bytes, -7);

  atp_trainer *t = (atp_trainer *)(uintptr_t)64;
  assert_int_equal(atp_trainer_create(NULL, f->train, NULL, &t), ATP_E_NULL);
  assert_null(t);
  t = (atp_trainer *)(uintptr_t)64;
  REFUSED(atp_trainer_create(f->context, NULL, NULL, &t), ATP_E_NULL, "train");
  assert_null(t);
  REFUSED(atp_trainer_create(f->context, f->train, NULL, NULL), ATP_E_NULL, "out");
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM);
  t = (atp_trainer *)(uintptr_t)64;
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "lbfgs");
  assert_null(t);
  REFUSED(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes), ATP_E_CONFLICT, "lbfgs");
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  set(f, ATP_OPT_MOMENTUM, 0.5);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "momentum");
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "momentum");
}

enum { DENSE = 100 };

static char warned[512];
static void keep_warning(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) snprintf(warned, sizeof warned, "%s", text);
}

/* L-BFGS has no use for a rate or a batch, free maps none for a rank: whoever sets one learns that. What says what the family does anyway
   passes in silence. */
static void test_unused_options(void **state) {
  fixture *f = *state;
  static const struct {
    int kind; /* an atp_optimizer, or DENSE */
    atp_option key;
    double value;
    const char *text;
  } cases[] = {{ATP_OPTIMIZER_LBFGS, ATP_OPT_RATE, 0.1, "option rate is 0.1 and has no effect: optimizer is lbfgs"},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_BATCH, 50, "option batch is 50 and has no effect"},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_BATCH, 100, ""},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_SCHEDULE, ATP_SCHEDULE_CONSTANT, "option schedule is constant and has no effect"},
               {ATP_OPTIMIZER_SGD, ATP_OPT_RATE, 0.1, ""},
               {ATP_OPTIMIZER_ADAM, ATP_OPT_BATCH, 50, ""},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_RANK, 3, "option rank is 3 and has no effect: it belongs to maps of low rank"},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_L2_PAIRS, 0.01, ""},
               {ATP_OPTIMIZER_LBFGS, ATP_OPT_HISTORY, 5, ""},
               {DENSE, ATP_OPT_L2_SCALE, ATP_L2_WEIGHT, ""},
               {DENSE, ATP_OPT_FIELDS, 1, ""},
               {DENSE, ATP_OPT_MAP, ATP_MAP_FREE, ""},
               {DENSE, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ""}};
  assert_int_equal(atp_context_set_log(f->context, keep_warning, NULL), ATP_OK);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_trainer *t;
    warned[0] = 0;
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
    if (cases[k].kind == DENSE)
      set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
    else
      set(f, ATP_OPT_OPTIMIZER, cases[k].kind);
    set(f, cases[k].key, cases[k].value);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
    atp_trainer_destroy(t);
    if (cases[k].text[0] == 0) assert_string_equal(warned, "");
    if (strstr(warned, cases[k].text) == NULL) fail_msg("\"%s\" without \"%s\"", warned, cases[k].text);
  }
}

/* Options of another family, and of L-BFGS with another optimiser, are refused by all families. */
static void test_foreign_options(void **state) {
  fixture *f = *state;
  static const struct {
    atp_family family;
    atp_option key;
    double value;
    const char *text;
  } cases[] = {{ATP_FAMILY_FACTORED, ATP_OPT_ASYMMETRIC, 1,
                "option asymmetric is 1: it means nothing to family factored, only to dense; leave it at 0"},
               {ATP_FAMILY_FACTORED, ATP_OPT_L2_SCALE, ATP_L2_WEIGHT, "option l2-scale is weight: it means nothing to family factored"},
               {ATP_FAMILY_FACTORED, ATP_OPT_BLOCKS, 2, "option blocks is 2: it means nothing to family factored"},
               {ATP_FAMILY_FACTORED, ATP_OPT_DIAL, 0.5, "option dial is 0.5: it means nothing to family factored"},
               {ATP_FAMILY_DENSE, ATP_OPT_HEADS, 2, "option heads is 2: it means nothing to family dense"},
               {ATP_FAMILY_DENSE, ATP_OPT_MAP, ATP_MAP_SOFTMAX,
                "option map is softmax: it means nothing to family dense, only to factored or dial; leave it at 0"},
               {ATP_FAMILY_DENSE, ATP_OPT_COLORS_FIXED, 1, "option colors-fixed is 1: it means nothing to family dense"},
               {ATP_FAMILY_DENSE, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM, "option objective is mlm: it means nothing to family dense"},
               {ATP_FAMILY_DENSE, ATP_OPT_L2_PAIRS, 0.01, "option l2-pairs is 0.01: it means nothing to family dense"},
               {ATP_FAMILY_DENSE, ATP_OPT_SYMMETRIZED, 1, "option symmetrized is 1: it means nothing to family dense"},
               {ATP_FAMILY_DENSE, ATP_OPT_INIT_SCALE, 0.2, "option init-scale is 0.2: it means nothing to family dense"},
               {ATP_FAMILY_ENCODER, ATP_OPT_DIAGONAL, ATP_DIAGONAL_AFTER,
                "option diagonal is after: it means nothing to family encoder, only to factored; leave it at before"},
               {ATP_FAMILY_ENCODER, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD,
                "objective is likelihood, family is encoder: there is no such training"},
               {ATP_FAMILY_DIAL, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE,
                "objective is autoregressive, family is dial: there is no such training"},
               {ATP_FAMILY_DIAL, ATP_OPT_HIDDEN, 8, "option hidden is 8: it means nothing to family dial"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_trainer *t;
    int64_t bytes = 0;
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
    set(f, ATP_OPT_FAMILY, cases[k].family);
    set(f, cases[k].key, cases[k].value);
    REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, cases[k].text);
    REFUSED(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes), ATP_E_CONFLICT, cases[k].text);
  }
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  for (int64_t k = 0; set_training(f->context, f->options, k); ++k) {
    atp_trainer *t;
    set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD);
    set(f, ATP_OPT_HISTORY, 5);
    REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "history is 5: only lbfgs has one");
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
  }
}

/* Gaps are ignored and the alphabet has none. */
static void test_no_gap(void **state) {
  fixture *f = *state;
  static const struct {
    const char *alphabet, *text;
  } cases[] = {{"ACGU", "gaps are ignored, and the alphabet begins with 'A', which is no gap"}, {"-ACG", ""}};
  assert_int_equal(atp_context_set_log(f->context, keep_warning, NULL), ATP_OK);
  set(f, ATP_OPT_GAPS, ATP_GAPS_IGNORE);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    static const char kText[] = ">a\nACGA\n>b\nCCGG\n>c\nGACC\n";
    atp_alignment *data;
    atp_trainer *t;
    assert_int_equal(atp_alignment_parse(f->context, kText, sizeof kText - 1, cases[k].alphabet, NULL, &data), ATP_OK);
    warned[0] = 0;
    assert_int_equal(atp_trainer_create(f->context, data, f->options, &t), ATP_OK);
    if (cases[k].text[0] == 0) assert_string_equal(warned, "");
    assert_non_null(strstr(warned, cases[k].text));
    atp_trainer_destroy(t);
    atp_alignment_destroy(data);
  }
}

static void test_memory(void **state) {
  (void)state;
  struct counter counter = {0};
  atp_context *context = NULL;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &counter, &context), ATP_OK);
  atp_alignment *train = make_data(context, L, Q, 1);
  counter.last = counter.calls;
  atp_trainer *t = (atp_trainer *)(uintptr_t)64;
  assert_int_equal(atp_trainer_create(context, train, NULL, &t), ATP_E_MEMORY);
  assert_null(t);
  counter.last = counter.calls + 1;
  assert_int_equal(atp_trainer_create(context, train, NULL, &t), ATP_OK);
  atp_model *model = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_trainer_model(t, &model), ATP_E_MEMORY);
  assert_null(model);
  assert_int_equal(atp_trainer_start_wide(t, 3, 5, NULL, NULL, NULL), ATP_E_MEMORY);
  /* Nothing else asks for memory. */
  atp_outcome outcome = ATP_OUTCOME_NONE;
  double loss = 0;
  assert_int_equal(atp_trainer_set_test(t, train), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(atp_trainer_loss(t, train, &loss), ATP_OK);
  atp_trainer_destroy(t);
  atp_alignment_destroy(train);
  atp_context_destroy(context);
}

static void test_null_handles(void **state) {
  (void)state;
  double x[1] = {-7};
  int64_t mask[1] = {0};
  atp_outcome outcome = ATP_OUTCOME_STALLED;
  atp_model *model = (atp_model *)(uintptr_t)64;
  atp_trainer_destroy(NULL);
  atp_trainer_request_stop(NULL);
  assert_int_equal(atp_trainer_parameter_count(NULL), 0);
  assert_int_equal(atp_trainer_epochs(NULL), 0);
  assert_int_equal(atp_trainer_state_bytes(NULL), 0);
  assert_int_equal(atp_trainer_set_values(NULL, x, 1), ATP_E_NULL);
  assert_int_equal(atp_trainer_set_test(NULL, NULL), ATP_E_NULL);
  assert_int_equal(atp_trainer_set_truth(NULL, NULL), ATP_E_NULL);
  assert_int_equal(atp_trainer_parameters(NULL, x, 1), ATP_E_NULL);
  assert_int_equal(atp_trainer_set_parameters(NULL, x, 1), ATP_E_NULL);
  assert_int_equal(atp_trainer_gradient(NULL, x, x, x, 1), ATP_E_NULL);
  assert_int_equal(atp_trainer_masked_gradient(NULL, mask, 1, x, x, x, 1), ATP_E_NULL);
  assert_int_equal(atp_trainer_loss(NULL, NULL, x), ATP_E_NULL);
  assert_int_equal(atp_trainer_run(NULL, 1, NULL, NULL, &outcome), ATP_E_NULL);
  assert_int_equal(atp_trainer_model(NULL, &model), ATP_E_NULL);
  assert_null(model);
  assert_int_equal(atp_trainer_save_state(NULL, x, 8), ATP_E_NULL);
  assert_int_equal(atp_trainer_load_state(NULL, x, 8), ATP_E_NULL);
  assert_true(x[0] == -7);
  assert_int_equal(outcome, ATP_OUTCOME_STALLED);
}

static void test_parameters(void **state) {
  fixture *f = *state;
  double x[PARAMETERS], y[PARAMETERS], v[VALUES];
  for (int k = 0; k < PARAMETERS; ++k) x[k] = 0.1 * k;
  assert_int_equal(atp_trainer_set_parameters(f->trainer, x, PARAMETERS), ATP_OK);
  get(f->trainer, y);
  for (int k = 0; k < PARAMETERS; ++k) assert_close(x[k], y[k], 1e-13, 0); /* fields are kept as centred ones */
  memcpy(x, y, sizeof x);
  REFUSED(atp_trainer_parameters(f->trainer, NULL, PARAMETERS), ATP_E_NULL, "parameters");
  REFUSED(atp_trainer_parameters(f->trainer, y, PARAMETERS - 1), ATP_E_SHAPE, "size");
  assert_memory_equal(x, y, sizeof x);
  REFUSED(atp_trainer_set_parameters(f->trainer, NULL, PARAMETERS), ATP_E_NULL, "parameters");
  REFUSED(atp_trainer_set_parameters(f->trainer, y, PARAMETERS + 1), ATP_E_SHAPE, "size");
  y[7] = NAN;
  REFUSED(atp_trainer_set_parameters(f->trainer, y, PARAMETERS), ATP_E_NOT_FINITE, "parameters[7]");
  y[7] = INFINITY;
  REFUSED(atp_trainer_set_parameters(f->trainer, y, PARAMETERS), ATP_E_NOT_FINITE, "parameters[7]");
  get(f->trainer, y);
  assert_memory_equal(x, y, sizeof x);
  for (int k = 0; k < VALUES; ++k) x[MAPS + k] = v[k] = 5 - k;
  assert_int_equal(atp_trainer_set_values(f->trainer, v, VALUES), ATP_OK);
  REFUSED(atp_trainer_set_values(f->trainer, NULL, VALUES), ATP_E_NULL, "values");
  REFUSED(atp_trainer_set_values(f->trainer, v, VALUES - 1), ATP_E_SHAPE, "size");
  v[2] = NAN;
  REFUSED(atp_trainer_set_values(f->trainer, v, VALUES), ATP_E_NOT_FINITE, "values[0][0][2]");
  get(f->trainer, y);
  for (int k = 0; k < PARAMETERS; ++k) assert_close(x[k], y[k], 1e-13, 0);
}

/* -log p(s_i | rest) from the formula, parameters as in the header. */
static double site_loss(const double *x, const uint8_t *s, int i) {
  double z = 0, own = 0;
  for (int a = 0; a < Q; ++a) {
    double logit = x[MAPS + VALUES + i * Q + a];
    for (int j = 0; j < L; ++j)
      if (j != i) logit += x[i * L + j] * x[MAPS + a * Q + s[j]];
    z += exp(logit);
    if (a == s[i]) own = logit;
  }
  return log(z) - own;
}

static double penalty_of(const double *x) {
  double sum = 0;
  for (int k = 0; k < MAPS; ++k) sum += k / L == k % L ? 0 : 0.01 * x[k] * x[k];
  for (int k = 0; k < VALUES; ++k) sum += 0.02 * x[MAPS + k] * x[MAPS + k];
  for (int k = 0; k < FIELDS; ++k) sum += 0.03 * x[MAPS + VALUES + k] * x[MAPS + VALUES + k];
  return sum;
}

static void test_gradient(void **state) {
  fixture *f = *state;
  const uint8_t *s = atp_alignment_sequences_view(f->train);
  double x[PARAMETERS], g[PARAMETERS], all = 0, one = 0, loss = 0, objective = 0;
  int64_t mask[N];
  for (int k = 0; k < PARAMETERS; ++k) x[k] = sin(1.0 + k);
  assert_int_equal(atp_trainer_set_parameters(f->trainer, x, PARAMETERS), ATP_OK);
  for (int n = 0; n < N; ++n) {
    mask[n] = (3 * n + 1) % L;
    one += site_loss(x, s + n * L, (int)mask[n]) / N;
    for (int i = 0; i < L; ++i) all += site_loss(x, s + n * L, i) / (N * L);
  }
  assert_int_equal(atp_trainer_gradient(f->trainer, &loss, &objective, g, PARAMETERS), ATP_OK);
  assert_close(loss, all, 1e-13, 0);
  assert_close(objective, all + penalty_of(x), 1e-13, 0);
  assert_int_equal(atp_trainer_loss(f->trainer, f->train, &loss), ATP_OK);
  assert_close(loss, all, 1e-13, 0);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) {
      assert_int_equal(atp_trainer_masked_gradient(f->trainer, mask, N, &loss, &objective, g, PARAMETERS), ATP_OK);
      assert_close(loss, one, 1e-13, 0);
      assert_close(objective, one + penalty_of(x), 1e-13, 0);
    }
    for (int k = 0; k < PARAMETERS; ++k) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        double y[PARAMETERS];
        memcpy(y, x, sizeof y);
        y[k] += side == 0 ? -1e-5 : 1e-5;
        assert_int_equal(atp_trainer_set_parameters(f->trainer, y, PARAMETERS), ATP_OK);
        if (pass == 0)
          assert_int_equal(atp_trainer_gradient(f->trainer, NULL, &value[side], NULL, 0), ATP_OK);
        else
          assert_int_equal(atp_trainer_masked_gradient(f->trainer, mask, N, NULL, &value[side], NULL, 0), ATP_OK);
      }
      assert_close(g[k], (value[1] - value[0]) / 2e-5, 1e-7, 1e-9);
    }
    assert_int_equal(atp_trainer_set_parameters(f->trainer, x, PARAMETERS), ATP_OK);
  }
}

static void test_gradient_refuses(void **state) {
  fixture *f = *state;
  double g[PARAMETERS], loss = -7, objective = -7;
  int64_t mask[N] = {0};
  for (int k = 0; k < PARAMETERS; ++k) g[k] = -7;
  REFUSED(atp_trainer_gradient(f->trainer, &loss, &objective, g, PARAMETERS - 1), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_gradient(f->trainer, &loss, &objective, NULL, PARAMETERS), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_masked_gradient(f->trainer, NULL, N, &loss, &objective, g, PARAMETERS), ATP_E_NULL, "masked_sites");
  REFUSED(atp_trainer_masked_gradient(f->trainer, mask, N - 1, &loss, &objective, g, PARAMETERS), ATP_E_SHAPE, "n is");
  REFUSED(atp_trainer_masked_gradient(f->trainer, mask, N, &loss, &objective, g, 0), ATP_E_SHAPE, "size");
  mask[9] = L;
  REFUSED(atp_trainer_masked_gradient(f->trainer, mask, N, &loss, &objective, g, PARAMETERS), ATP_E_VALUE, "masked_sites[9]");
  mask[9] = -1;
  REFUSED(atp_trainer_masked_gradient(f->trainer, mask, N, &loss, &objective, g, PARAMETERS), ATP_E_VALUE, "masked_sites[9]");
  REFUSED(atp_trainer_loss(f->trainer, NULL, &loss), ATP_E_NULL, "alignment");
  REFUSED(atp_trainer_loss(f->trainer, f->train, NULL), ATP_E_NULL, "loss");
  atp_alignment *longer = make_data(f->context, L + 1, Q, 1), *richer = make_data(f->context, L, Q + 1, 1);
  REFUSED(atp_trainer_loss(f->trainer, longer, &loss), ATP_E_SHAPE, "6 sites");
  REFUSED(atp_trainer_loss(f->trainer, richer, &loss), ATP_E_SHAPE, "4 colours");
  REFUSED(atp_trainer_set_test(f->trainer, longer), ATP_E_SHAPE, "test");
  REFUSED(atp_trainer_set_test(f->trainer, richer), ATP_E_SHAPE, "test");
  atp_model *model = NULL;
  assert_int_equal(atp_model_create_random(f->context, L + 1, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
  REFUSED(atp_trainer_set_truth(f->trainer, model), ATP_E_SHAPE, "truth");
  atp_model_destroy(model);
  atp_alignment_destroy(longer);
  atp_alignment_destroy(richer);
  for (int k = 0; k < PARAMETERS; ++k) assert_true(g[k] == -7);
  assert_true(loss == -7 && objective == -7);
}

static void test_fixed_colors(void **state) {
  fixture *f = *state;
  double v[VALUES] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, loss = -7, x[MAPS];
  int64_t mask[N] = {0};
  atp_outcome outcome = ATP_OUTCOME_DIVERGED;
  atp_trainer *t = NULL;
  atp_model *model = NULL;
  set(f, ATP_OPT_COLORS_FIXED, 1);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), MAPS + FIELDS);
  REFUSED(atp_trainer_run(t, 1, NULL, NULL, &outcome), ATP_E_STAGE, "atp_trainer_set_values");
  REFUSED(atp_trainer_gradient(t, &loss, NULL, NULL, 0), ATP_E_STAGE, "atp_trainer_set_values");
  REFUSED(atp_trainer_masked_gradient(t, mask, N, &loss, NULL, NULL, 0), ATP_E_STAGE, "atp_trainer_set_values");
  REFUSED(atp_trainer_loss(t, f->train, &loss), ATP_E_STAGE, "atp_trainer_set_values");
  REFUSED(atp_trainer_model(t, &model), ATP_E_STAGE, "atp_trainer_set_values");
  assert_true(loss == -7 && outcome == ATP_OUTCOME_DIVERGED && model == NULL);
  assert_int_equal(atp_trainer_set_values(t, v, VALUES), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 200, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
  assert_int_equal(atp_model_values(model, x, VALUES), ATP_OK);
  assert_memory_equal(x, v, sizeof v);
  atp_model_destroy(model);
  atp_trainer_destroy(t);
}

static void test_alphabet(void **state) {
  fixture *f = *state;
  atp_model *model = NULL;
  assert_int_equal(atp_alignment_set_alphabet(f->train, "-AB"), ATP_OK);
  assert_int_equal(atp_trainer_model(f->trainer, &model), ATP_OK);
  assert_string_equal(atp_model_alphabet(model), "-AB");
  atp_model_destroy(model);

  /* And the names of the sites. */
  const int64_t sites = atp_alignment_sites(f->train);
  int64_t numbers[64];
  char residues[65] = "";
  assert_true(sites <= 64);
  for (int64_t i = 0; i < sites; ++i) numbers[i] = 100 + i, residues[i] = 'K';
  assert_int_equal(atp_alignment_set_sites(f->train, numbers, sites, residues), ATP_OK);
  assert_int_equal(atp_trainer_model(f->trainer, &model), ATP_OK);
  assert_memory_equal(atp_model_site_numbers_view(model), numbers, sizeof(int64_t) * (size_t)sites);
  assert_string_equal(atp_model_site_residues(model), residues);
  atp_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_create),          TEST(test_create_refuses),   cmocka_unit_test(test_memory), TEST(test_parameters),
      TEST(test_gradient),        TEST(test_gradient_refuses), TEST(test_fixed_colors),       TEST(test_unused_options),
      TEST(test_foreign_options), TEST(test_no_gap),           TEST(test_alphabet),           cmocka_unit_test(test_null_handles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
