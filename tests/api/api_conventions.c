/* SPDX-License-Identifier: MIT */
/* Conventions of factored attention through the C API: models, penalties, reports, states, what is refused. */
#include "fixture.h"

enum { N = 40, L = 5, Q = 3, H = 2, D = 2, MAPS = 2 * H * L * D, VALUES = Q * Q, PARAMETERS = MAPS + H * VALUES, DENSE = L * L * Q * Q };

static int setup(void **state) {
  fixture *f = begin(state, ATP_OWNER_TRAINER);
  if (f == NULL) return 1;
  uint8_t s[N * L];
  uint32_t random = 1;
  for (int k = 0; k < N * L; ++k) s[k] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24) % Q;
  if (atp_alignment_create(f->context, s, N, L, Q, NULL, &f->train) != ATP_OK) return 1;
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_MAP, ATP_MAP_LOWRANK);
  set(f, ATP_OPT_RANK, D);
  set(f, ATP_OPT_HEADS, H);
  set(f, ATP_OPT_SYMMETRIZED, 1);
  set(f, ATP_OPT_L2_PAIRS, 0.01);
  return atp_trainer_create(f->context, f->train, f->options, &f->trainer) != ATP_OK;
}

static void test_model(void **state) {
  fixture *f = *state;
  atp_model *model = NULL;
  double loss = 0, objective = 0, value = 0, c[DENSE], sum = 0;
  assert_int_equal(atp_trainer_parameter_count(f->trainer), PARAMETERS);
  assert_int_equal(atp_trainer_run(f->trainer, 5, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_gradient(f->trainer, &loss, &objective, NULL, 0), ATP_OK);
  assert_int_equal(atp_trainer_model(f->trainer, &model), ATP_OK);
  assert_int_equal(atp_model_heads(model), 2 * H);
  assert_int_equal(atp_model_loss(f->context, model, f->train, &value), ATP_OK);
  assert_close(value, loss, 1e-13, 0);
  /* C_ij(a, b) = C_ji(b, a), and the penalty is the sum of its squares. */
  assert_int_equal(atp_model_couplings_f64(model, c, DENSE), ATP_OK);
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j)
      for (int a = 0; a < Q; ++a)
        for (int b = 0; b < Q; ++b) {
          const double x = c[((i * L + j) * Q + a) * Q + b];
          assert_close(x, c[((j * L + i) * Q + b) * Q + a], 1e-14, 1e-15);
          sum += x * x;
        }
  assert_true(sum > 1e-6);
  assert_close(objective, loss + 0.01 * sum, 1e-13, 0);
  atp_model_destroy(model);
}

static void test_asymmetric_by_default(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_model *model = NULL;
  set(f, ATP_OPT_SYMMETRIZED, 0);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
  assert_int_equal(atp_model_heads(model), H);
  assert_int_equal(atp_model_is_symmetric(model), 0);
  atp_model_destroy(model);
  atp_trainer_destroy(t);
}

static void test_bytes(void **state) {
  fixture *f = *state;
  int64_t twice = 0, once = 0, plain = 0, before = 0, after = 0;
  atp_trainer *t = NULL;
  assert_int_equal(atp_trainer_bytes(f->context, N, L, Q, f->options, &twice), ATP_OK);
  atp_context_memory(f->context, NULL, &before);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  atp_context_memory(f->context, NULL, &after);
  assert_int_equal(after - before, twice);
  atp_trainer_destroy(t);
  set(f, ATP_OPT_SYMMETRIZED, 0);
  assert_int_equal(atp_trainer_bytes(f->context, N, L, Q, f->options, &once), ATP_OK);
  set(f, ATP_OPT_L2_PAIRS, 0);
  assert_int_equal(atp_trainer_bytes(f->context, N, L, Q, f->options, &plain), ATP_OK);
  assert_true(plain < once && once < twice);
}

typedef struct report {
  double error, optimal;
} report;

static int watch(const atp_progress *p, void *user) {
  report *seen = user;
  seen->error = atp_progress_value(p, ATP_PROGRESS_COUPLING_ERROR);
  seen->optimal = atp_progress_value(p, ATP_PROGRESS_OPTIMAL_LOSS);
  return 0;
}

static void test_coupling_error(void **state) {
  fixture *f = *state;
  atp_model *truth = NULL, *model = NULL;
  double value = 0;
  report seen = {-1, -1};
  assert_int_equal(atp_model_create_random(f->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth), ATP_OK);
  for (int map = ATP_MAP_FREE; map <= ATP_MAP_LOWRANK; ++map) {
    atp_trainer *t = NULL;
    set(f, ATP_OPT_MAP, map);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
    assert_int_equal(atp_trainer_set_truth(t, truth), ATP_OK);
    assert_int_equal(atp_trainer_run(t, 1, watch, &seen, NULL), ATP_OK);
    assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
    assert_int_equal(atp_model_coupling_error(f->context, model, truth, &value), ATP_OK);
    assert_close(seen.error, value, 1e-14, 0);
    atp_model_destroy(model);
    atp_trainer_destroy(t);
  }
  atp_model_destroy(truth);
}

/* The start of mogwai: ranges that PyTorch's xavier_uniform_ gives arrays [L][H][d] and [H][q][q], and logarithms of counts. */
static void test_xavier(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  double x[PARAMETERS + L * Q], largest[2] = {0, 0}, sum[2] = {0, 0};
  const double range[2] = {sqrt(6.0 / (H * D + L * D)), sqrt(6.0 / (Q * Q + H * Q))};
  set(f, ATP_OPT_INITIAL, ATP_INITIAL_XAVIER);
  set(f, ATP_OPT_FIELDS, 1);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameters(t, x, PARAMETERS + L * Q), ATP_OK);
  for (int k = 0; k < PARAMETERS; ++k) {
    largest[k >= MAPS] = fmax(largest[k >= MAPS], fabs(x[k]));
    sum[k >= MAPS] += x[k];
  }
  for (int k = 0; k < 2; ++k) {
    assert_true(largest[k] < range[k] && largest[k] > 0.8 * range[k]);
    assert_true(fabs(sum[k]) < range[k] * (k == 0 ? MAPS : PARAMETERS - MAPS) * 0.5); /* both signs */
  }
  const uint8_t *s = atp_alignment_sequences_view(f->train);
  for (int i = 0; i < L; ++i) {
    double count[Q] = {0}, mean = 0;
    for (int n = 0; n < N; ++n) ++count[s[n * L + i]];
    for (int a = 0; a < Q; ++a) mean += log(count[a] + 0.01 * log(N)) / Q;
    for (int a = 0; a < Q; ++a) assert_close(x[PARAMETERS + i * Q + a], log(count[a] + 0.01 * log(N)) - mean, 1e-12, 1e-12);
  }
  atp_trainer_destroy(t);
}

/* A constant rate stays, and the steps are those of Adam. */
static void test_constant_rate(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_table *log = NULL;
  double rate = 0;
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  set(f, ATP_OPT_RATE, 0.004);
  set(f, ATP_OPT_EPOCHS, 6);
  for (int schedule = ATP_SCHEDULE_COSINE; schedule <= ATP_SCHEDULE_CONSTANT; ++schedule) {
    set(f, ATP_OPT_SCHEDULE, schedule);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
    assert_int_equal(atp_table_create(f->context, ATP_TABLE_TRAINING_LOG, 6, &log), ATP_OK);
    assert_int_equal(atp_trainer_set_log(t, log), ATP_OK);
    assert_int_equal(atp_trainer_run(t, 6, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_table_value(log, 5, atp_column_find(ATP_TABLE_TRAINING_LOG, "rate"), &rate), ATP_OK);
    assert_true(schedule == ATP_SCHEDULE_CONSTANT ? rate == 0.004 : rate < 0.001);
    atp_trainer_destroy(t);
    atp_table_destroy(log);
  }
}

static void test_state(void **state) {
  fixture *f = *state;
  const struct {
    atp_option key;
    double value;
    const char *name;
  } changes[] = {{ATP_OPT_DIAGONAL, ATP_DIAGONAL_AFTER, "diagonal"},
                 {ATP_OPT_SCORES_SCALED, 0, "scores-scaled"},
                 {ATP_OPT_SYMMETRIZED, 0, "symmetrized"},
                 {ATP_OPT_L2_PAIRS, 0.02, "l2-pairs"},
                 {ATP_OPT_GAPS, ATP_GAPS_IGNORE, "gaps"},
                 {ATP_OPT_NORM_PAIRS, 0.1, "norm-pairs"},
                 {ATP_OPT_VALUES_SHARED, 1, "another trainer"},
                 {ATP_OPT_INITIAL, ATP_INITIAL_XAVIER, "initial"}};
  const int64_t size = atp_trainer_state_bytes(f->trainer);
  char *buffer = malloc((size_t)size);
  atp_trainer *other = NULL;
  double x[PARAMETERS], y[PARAMETERS];
  assert_int_equal(atp_trainer_run(f->trainer, 4, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_save_state(f->trainer, buffer, size), ATP_OK);
  for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
    double before = 0;
    assert_int_equal(atp_options_get_f64(f->options, changes[k].key, &before), ATP_OK);
    set(f, changes[k].key, changes[k].value);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &other), ATP_OK);
    assert_int_equal(atp_trainer_load_state(other, buffer, size), ATP_E_MISMATCH);
    assert_error(f->context, changes[k].name);
    atp_trainer_destroy(other);
    set(f, changes[k].key, before);
  }
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &other), ATP_OK);
  assert_int_equal(atp_trainer_load_state(other, buffer, size), ATP_OK);
  assert_int_equal(atp_trainer_run(f->trainer, 3, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_run(other, 3, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_parameters(f->trainer, x, PARAMETERS), ATP_OK);
  assert_int_equal(atp_trainer_parameters(other, y, PARAMETERS), ATP_OK);
  assert_memory_equal(x, y, sizeof x);
  atp_trainer_destroy(other);
  free(buffer);
}

/* H matrices V go in, 2 H come out. */
static void test_fixed_colors(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_model *model = NULL;
  double v[H * VALUES], back[2 * H * VALUES];
  for (int k = 0; k < H * VALUES; ++k) v[k] = k % 5;
  set(f, ATP_OPT_COLORS_FIXED, 1);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_set_values(t, v, H * VALUES), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 2, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
  assert_int_equal(atp_model_values(model, back, 2 * H * VALUES), ATP_OK);
  for (int h = 0; h < H; ++h)
    for (int a = 0; a < Q; ++a)
      for (int b = 0; b < Q; ++b) {
        assert_true(back[h * VALUES + a * Q + b] == v[h * VALUES + a * Q + b]);
        assert_true(back[(H + h) * VALUES + a * Q + b] == v[h * VALUES + b * Q + a]);
      }
  atp_model_destroy(model);
  atp_trainer_destroy(t);
}

/* The mean over predicted sites of -log p(s_i | rest), from the model's own account of sequences with missing sites. */
static double loss_without_gaps(fixture *f, const atp_model *model) {
  double sum = 0, total = 0, log_probability = 0;
  uint8_t s[N * L];
  memcpy(s, atp_alignment_sequences_view(f->train), sizeof s);
  for (int n = 0; n < N; ++n) {
    for (int i = 0; i < L; ++i) {
      total += s[n * L + i] > 0;
      s[n * L + i] = s[n * L + i] > 0 ? (uint8_t)(s[n * L + i] - 1) : ATP_MISSING;
    }
    assert_int_equal(atp_model_log_pseudolikelihoods(model, s + n * L, 1, &log_probability, 1), ATP_OK);
    sum -= log_probability;
  }
  return sum / total;
}

static void test_gaps_ignored(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_model *model = NULL, *truth = NULL, *other = NULL;
  double loss = 0, value = 0;
  report seen = {-1, -1};
  assert_int_equal(atp_alignment_set_alphabet(f->train, "-AB"), ATP_OK);
  set(f, ATP_OPT_GAPS, ATP_GAPS_IGNORE);
  set(f, ATP_OPT_FIELDS, 1);
  for (int precision = 32; precision <= 64; precision += 32) {
    set(f, ATP_OPT_PRECISION, precision);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
    assert_int_equal(atp_trainer_parameter_count(t), MAPS + H * (Q - 1) * (Q - 1) + L * (Q - 1));
    assert_int_equal(atp_model_create_random(f->context, L, Q - 1, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth), ATP_OK);
    assert_int_equal(atp_model_create_random(f->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &other), ATP_OK);
    assert_int_equal(atp_trainer_set_truth(t, other), ATP_E_SHAPE);
    assert_int_equal(atp_trainer_set_truth(t, truth), ATP_OK);
    assert_int_equal(atp_trainer_set_test(t, f->train), ATP_OK);
    assert_int_equal(atp_trainer_run(t, 5, watch, &seen, NULL), ATP_OK);
    assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
    assert_int_equal(atp_model_colors(model), Q - 1);
    assert_string_equal(atp_model_alphabet(model), "AB");
    assert_int_equal(atp_trainer_loss(t, f->train, &loss), ATP_OK);
    assert_close(loss, loss_without_gaps(f, model), precision == 64 ? 1e-13 : 1e-5, 0);
    assert_close(seen.optimal, loss_without_gaps(f, truth), 1e-13, 0);
    assert_int_equal(atp_model_coupling_error(f->context, model, truth, &value), ATP_OK);
    assert_close(seen.error, value, 1e-13, 0);
    atp_model_destroy(model);
    atp_model_destroy(truth);
    atp_model_destroy(other);
    atp_trainer_destroy(t);
  }
}

static void test_refused(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_DIAGONAL, 3), ATP_E_OPTION_RANGE);
  assert_error(f->context, "diagonal is 3");
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_SCORES_SCALED, 2), ATP_E_OPTION_RANGE);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_SYMMETRIZED, -1), ATP_E_OPTION_RANGE);
  assert_int_equal(atp_options_set_f64(f->options, ATP_OPT_L2_PAIRS, -1), ATP_E_OPTION_RANGE);
  int64_t bytes = -7;
  set(f, ATP_OPT_GAPS, ATP_GAPS_IGNORE);
  assert_int_equal(atp_trainer_bytes(f->context, N, L, 2, f->options, &bytes), ATP_E_CONFLICT);
  assert_error(f->context, "one is left");
  assert_int_equal(bytes, -7);
  set(f, ATP_OPT_GAPS, ATP_GAPS_STATE);
  set(f, ATP_OPT_MAP, ATP_MAP_FREE);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_start_wide(t, 4, 10, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(f->context, "symmetrized");
  atp_trainer_destroy(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_model),        TEST(test_asymmetric_by_default), TEST(test_bytes),   TEST(test_coupling_error), TEST(test_state),
      TEST(test_fixed_colors), TEST(test_gaps_ignored),          TEST(test_refused), TEST(test_xavier),         TEST(test_constant_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
