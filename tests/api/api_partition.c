/* SPDX-License-Identifier: MIT */
/* Log Z through the C API: the row of each method, that threads and SIMD targets do not change a bit, every status, and log P of sequences
 * by it. Numbers against exact ones: tests/statistics/test_partition.cpp. */
#include "api_support.h"
#include "watched.h"

#include <math.h>

enum { L = 9, Q = 4 };

typedef struct things {
  atp_context *context;
  atp_options *options;
  atp_table *table;
  atp_model *heads, *dense;
  double row[ATP_PARTITION_COLUMNS];
} things;

#define OK(call) assert_int_equal((call), ATP_OK)

static void begin(things *t, void **state) {
  memset(t, 0, sizeof *t);
  t->context = *state;
  OK(atp_options_create(t->context, ATP_OWNER_PARTITION, &t->options));
  OK(atp_table_create(t->context, ATP_TABLE_PARTITION, 1, &t->table));
  OK(atp_model_create_random(t->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &t->heads));
  static float couplings[L * L * Q * Q], fields[L * Q];
  OK(atp_model_couplings_f32(t->heads, couplings, L * L * Q * Q));
  for (int k = 0; k < L * Q; ++k) fields[k] = 0.125f * (float)(k % 5);
  OK(atp_model_create_dense_f32(t->context, L, Q, couplings, fields, &t->dense));
}

static void end(things *t) {
  atp_model_destroy(t->dense);
  atp_model_destroy(t->heads);
  atp_table_destroy(t->table);
  atp_options_destroy(t->options);
}

static void set(things *t, atp_option key, int64_t value) { OK(atp_options_set_i64(t->options, key, value)); }

static atp_status call(things *t, const atp_model *model, seen *s) {
  OK(atp_table_clear(t->table));
  const atp_status status = atp_estimate_log_z(t->context, model, t->options, t->table, s == NULL ? NULL : watch, s);
  assert_int_equal(atp_table_rows(t->table), status == ATP_OK);
  if (status == ATP_OK) OK(atp_table_values(t->table, t->row, ATP_PARTITION_COLUMNS));
  return status;
}

static void exact(void **state) {
  things t;
  begin(&t, state);
  double log_z, energy;
  OK(atp_model_set_beta(t.dense, 0.7));
  OK(atp_model_enumerate(t.dense, &log_z, &energy, NULL, 0, NULL, 0));
  for (int64_t method = ATP_METHOD_AUTO; method <= ATP_METHOD_EXACT; ++method) {
    set(&t, ATP_OPT_METHOD, method);
    OK(call(&t, t.dense, NULL));
    const double expected[] = {ATP_METHOD_EXACT, 0.7, log_z, 0, energy, 0, log_z + 0.7 * energy, 0, 0, 0, 0, 0, ATP_OUTCOME_CONVERGED};
    assert_memory_equal(t.row, expected, sizeof expected);
  }
  end(&t);
}

/* The mean of log P by formulas, of sequences with weights and of those without gaps where the model has no gap. The numbers do not depend
 * on threads; those of a model with an order need no log Z. */
static void mean_of_log_p(void **state) {
  things t;
  begin(&t, state);
  enum { N = 77 };
  static uint8_t sequences[N * L], gapped[N * L];
  double weights[N], energies[N], found[2], again[2];
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)((k * k + k / 5) % Q);
  for (int n = 0; n < N; ++n) weights[n] = 0.5 + n % 7;
  for (int k = 0; k < N * L; ++k) gapped[k] = (uint8_t)(sequences[k] + 1);
  for (int n = 3; n < N; n += 4) gapped[n * L + n % L] = 0;
  OK(atp_model_set_beta(t.dense, 0.7));
  OK(atp_model_energies(t.dense, sequences, N, energies, N));
  for (int gap = 0; gap < 2; ++gap) {
    atp_alignment *data;
    OK(atp_alignment_create(t.context, gap ? gapped : sequences, N, L, Q + gap, weights, &data));
    double sum = 0, total = 0, squares = 0, scatter = 0;
    for (int n = 0; n < N; ++n) {
      if (gap && n % 4 == 3) continue;
      sum += weights[n] * (-0.7 * energies[n] - 2.5);
      total += weights[n];
      squares += weights[n] * weights[n];
    }
    for (int n = 0; n < N; ++n)
      if (!gap || n % 4 != 3) scatter += weights[n] * pow(-0.7 * energies[n] - 2.5 - sum / total, 2);
    OK(atp_model_mean_log_p(t.context, t.dense, data, 2.5, 0.25, &found[0], &found[1]));
    assert_true(fabs(found[0] - sum / total / L) < 1e-12);
    assert_true(fabs(found[1] - sqrt(scatter * squares / pow(total, 3) + 0.0625) / L) < 1e-12);
    OK(atp_context_set_threads(t.context, 3));
    OK(atp_model_mean_log_p(t.context, t.dense, data, 2.5, 0.25, &again[0], &again[1]));
    assert_memory_equal(found, again, sizeof found);
    assert_int_equal(atp_model_mean_log_p(t.context, t.dense, data, NAN, 0, &again[0], NULL), ATP_E_NOT_FINITE);
    assert_int_equal(atp_model_mean_log_p(t.context, t.dense, data, 0, -1, &again[0], NULL), ATP_E_VALUE);
    assert_error(t.context, "log_z_error is -1");
    assert_memory_equal(found, again, sizeof found);
    atp_alignment_destroy(data);
  }
  for (int k = 0; k < N * L; k += L) gapped[k] = 0;
  atp_alignment *gaps, *short_ones;
  OK(atp_alignment_create(t.context, gapped, N, L, Q + 1, NULL, &gaps));
  OK(atp_alignment_create(t.context, sequences, N, L - 1, Q, NULL, &short_ones));
  OK(atp_model_mean_log_p(t.context, t.dense, gaps, 2.5, 0.25, &again[0], &again[1]));
  assert_true(isnan(again[0]) && isnan(again[1]));
  assert_int_equal(atp_model_mean_log_p(t.context, t.dense, short_ones, 0, 0, NULL, NULL), ATP_E_SHAPE);
  atp_alignment_destroy(short_ones);
  atp_alignment_destroy(gaps);
  end(&t);
}

/* log P(s) = -beta H(s) - log Z: the probabilities of all states add up to 1. */
static void log_probabilities(void **state) {
  things t;
  begin(&t, state);
  OK(call(&t, t.dense, NULL));
  double sum = 0;
  for (int64_t n = 0; n < (int64_t)1 << 2 * L; ++n) {
    uint8_t s[L];
    double energy;
    for (int i = 0; i < L; ++i) s[i] = (uint8_t)(n >> 2 * i & 3);
    OK(atp_model_energies(t.dense, s, 1, &energy, 1));
    sum += exp(-energy - t.row[ATP_PARTITION_LOG_Z]);
  }
  assert_true(fabs(sum - 1) < 1e-9);
  end(&t);
}

static void no_beta(void **state) {
  things t;
  begin(&t, state);
  double energy;
  OK(atp_model_set_beta(t.dense, 0));
  OK(atp_model_enumerate(t.dense, NULL, &energy, NULL, 0, NULL, 0));
  for (int64_t method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method) {
    set(&t, ATP_OPT_METHOD, method);
    OK(call(&t, t.dense, NULL));
    assert_true(t.row[ATP_PARTITION_LOG_Z] == L * log(Q) && t.row[ATP_PARTITION_ENTROPY] == L * log(Q));
    assert_true(fabs(t.row[ATP_PARTITION_ENERGY] - energy) < 1e-9);
  }
  end(&t);
}

/* Numbers that change from seed to seed, and from nothing else. */
static void same_bits(void **state) {
  things t;
  begin(&t, state);
  set(&t, ATP_OPT_CHAINS, 70);
  set(&t, ATP_OPT_STEPS, 40);
  for (int64_t method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method)
    for (int kind = 0; kind < 2; ++kind) {
      const atp_model *model = kind == 0 ? t.heads : t.dense;
      set(&t, ATP_OPT_METHOD, method);
      set(&t, ATP_OPT_SWEEPS, method == ATP_METHOD_LADDER ? 128 : 2);
      set(&t, ATP_OPT_SEED, 1);
      OK(atp_context_set_simd(t.context, "scalar"));
      OK(atp_context_set_threads(t.context, 1));
      OK(call(&t, model, NULL));
      double first[ATP_PARTITION_COLUMNS];
      memcpy(first, t.row, sizeof first);
      assert_true(first[ATP_PARTITION_LOG_Z_ERROR] > 0 && first[ATP_PARTITION_LOG_Z_ERROR] < 1);
      assert_true(first[ATP_PARTITION_METHOD] == (double)method);
      for (int64_t k = 0; atp_simd_target(k) != NULL; ++k) {
        const char *target = atp_simd_target(k);
        /* SSE4 has no fused multiply-add; a machine may lack others. */
        if (strcmp(target, "sse4") == 0 || atp_context_set_simd(t.context, target) != ATP_OK) continue;
        for (int threads = 1; threads <= 3; threads += 2) {
          OK(atp_context_set_threads(t.context, threads));
          OK(call(&t, model, NULL));
          assert_memory_equal(t.row, first, sizeof first);
        }
      }
      set(&t, ATP_OPT_SEED, 2);
      OK(call(&t, model, NULL));
      assert_true(t.row[ATP_PARTITION_LOG_Z] != first[ATP_PARTITION_LOG_Z]);
    }
  end(&t);
}

/* A callback ends the run at its first report; without one the last report says that all steps are made. */
static void stopped(void **state) {
  things t;
  begin(&t, state);
  for (int64_t method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method) {
    set(&t, ATP_OPT_METHOD, method);
    set(&t, ATP_OPT_CHAINS, 64);
    set(&t, ATP_OPT_STEPS, 200);
    set(&t, ATP_OPT_SWEEPS, method == ATP_METHOD_LADDER ? 64 : 1);
    seen all = {0};
    OK(call(&t, t.heads, &all));
    assert_true(t.row[ATP_PARTITION_OUTCOME] != ATP_OUTCOME_CANCELLED);
    assert_true(all.calls == 0 || all.step <= all.total);
    set(&t, ATP_OPT_CHAINS, 1 << 12);
    set(&t, ATP_OPT_SWEEPS, 1 << 14);
    seen first = {0};
    first.stop_after = 1;
    OK(call(&t, t.heads, &first));
    assert_int_equal(first.calls, 1);
    assert_true(t.row[ATP_PARTITION_OUTCOME] == ATP_OUTCOME_CANCELLED && t.row[ATP_PARTITION_METHOD] == (double)method);
    assert_true(isnan(t.row[ATP_PARTITION_LOG_Z]) && isnan(t.row[ATP_PARTITION_ENTROPY_ERROR]));
  }
  end(&t);
}

static char warning[512];
static void keep_warning(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) snprintf(warning, sizeof warning, "%s", text);
}

/* One distribution between a start and a cold model: few chains carry all weight, and the row and the log say so. */
static void too_few_steps(void **state) {
  things t;
  begin(&t, state);
  OK(atp_context_set_log(t.context, keep_warning, NULL));
  OK(atp_model_set_beta(t.heads, 6));
  set(&t, ATP_OPT_METHOD, ATP_METHOD_ANNEALING);
  set(&t, ATP_OPT_STEPS, 1);
  warning[0] = 0;
  OK(call(&t, t.heads, NULL));
  assert_true(t.row[ATP_PARTITION_OUTCOME] == ATP_OUTCOME_MAX_ITER && t.row[ATP_PARTITION_EFFECTIVE] < 52);
  assert_non_null(strstr(warning, "Take more than the 1 steps"));
  warning[0] = 0;
  set(&t, ATP_OPT_STEPS, 0);
  OK(call(&t, t.heads, NULL));
  assert_true(t.row[ATP_PARTITION_OUTCOME] == ATP_OUTCOME_CONVERGED && t.row[ATP_PARTITION_DISTRIBUTIONS] > 256);
  assert_string_equal(warning, "");
  set(&t, ATP_OPT_METHOD, ATP_METHOD_LADDER);
  set(&t, ATP_OPT_CHAINS, 8);
  set(&t, ATP_OPT_SWEEPS, 64);
  set(&t, ATP_OPT_TEMPERATURES, 2);
  OK(call(&t, t.heads, NULL));
  assert_true(t.row[ATP_PARTITION_OUTCOME] == ATP_OUTCOME_MAX_ITER && t.row[ATP_PARTITION_RHAT] > 1.05);
  assert_non_null(strstr(warning, "R-hat"));
  OK(atp_context_set_log(t.context, NULL, NULL));
  end(&t);
}

/* The mean of log P over all states, by their probabilities, of a model with log Z = 0 alone. */
static void mean_over_states(things *t, const atp_model *model, const double *p, int64_t states, double expected) {
  uint8_t *s = malloc((size_t)(states * L));
  atp_alignment *all;
  double log_p = 0;
  for (int64_t k = 0; k < states * L; ++k) s[k] = (uint8_t)(k / L >> 2 * (L - 1 - k % L) & 3);
  OK(atp_alignment_create(t->context, s, states, L, Q, p, &all));
  OK(atp_model_mean_log_p(t->context, model, all, 0, 0, &log_p, NULL));
  assert_true(fabs(L * log_p - expected) < 1e-9);
  assert_int_equal(atp_model_mean_log_p(t->context, model, all, 1, 0, &log_p, NULL), ATP_E_VALUE);
  assert_error(t->context, "log_z is 1, must be in 0..0");
  atp_alignment_destroy(all);
  free(s);
}

/* Autoregressive models of 2^18 and of 2^20 states: log Z is 0 by any method, and the entropy that of the probabilities, summed or over
 * independent sequences within 5 errors (6e-7). */
static void autoregressive(void **state) {
  things t;
  begin(&t, state);
  for (int64_t sites = L; sites <= L + 1; ++sites) {
    const int64_t size = sites * sites * Q * Q, states = (int64_t)1 << 2 * sites;
    double *couplings = calloc((size_t)size, sizeof *couplings), *p = malloc((size_t)states * sizeof *p), entropy = 0;
    int64_t order[L + 1];
    uint32_t x = 7;
    for (int64_t k = 0; k < size; ++k)
      if (k / (Q * Q) % sites > k / (Q * Q) / sites) couplings[k] = (double)((x = x * 1664525u + 1013904223u) >> 8) / 1e7 - 0.8;
    for (int64_t k = 0; k < sites; ++k) order[k] = sites - 1 - k;
    atp_model *model;
    OK(atp_model_create_dense_f64(t.context, sites, Q, couplings, NULL, &model));
    OK(atp_model_set_order(model, order, sites));
    OK(atp_model_set_beta(model, 0.8));
    OK(atp_model_probabilities(model, p, states));
    for (int64_t k = 0; k < states; ++k) entropy -= p[k] * log(p[k]);
    for (int64_t method = ATP_METHOD_AUTO; method <= ATP_METHOD_LADDER; ++method) {
      set(&t, ATP_OPT_METHOD, method);
      OK(call(&t, model, NULL));
      assert_true(t.row[ATP_PARTITION_LOG_Z] == 0 && t.row[ATP_PARTITION_LOG_Z_ERROR] == 0 && t.row[ATP_PARTITION_BETA] == 1);
      assert_true(t.row[ATP_PARTITION_METHOD] == ATP_METHOD_EXACT && t.row[ATP_PARTITION_OUTCOME] == ATP_OUTCOME_CONVERGED);
      assert_true((t.row[ATP_PARTITION_ENTROPY_ERROR] == 0) == (sites == L) && t.row[ATP_PARTITION_ENTROPY_ERROR] < 0.02);
      assert_true(fabs(t.row[ATP_PARTITION_ENTROPY] - entropy) < 5 * t.row[ATP_PARTITION_ENTROPY_ERROR] + 1e-9);
    }
    if (sites == L) mean_over_states(&t, model, p, states, -entropy);
    set(&t, ATP_OPT_CHAINS, 15);
    assert_int_equal(call(&t, model, NULL), sites == L ? ATP_OK : ATP_E_VALUE);
    set(&t, ATP_OPT_CHAINS, 0);
    atp_model_destroy(model);
    free(p);
    free(couplings);
  }
  end(&t);
}

#define REFUSED(model, status, part)                 \
  do {                                               \
    assert_int_equal(call(&t, model, NULL), status); \
    assert_error(t.context, part);                   \
  } while (0)

/* Couplings that are not symmetric, dense and of two heads: the numbers are those of the energy, which all methods know. */
static void asymmetric(void **state) {
  things t;
  begin(&t, state);
  static double couplings[L * L * Q * Q], maps[2 * L * L], values[2 * Q * Q];
  uint32_t x = 5;
  for (int k = 0; k < L * L * Q * Q; ++k)
    couplings[k] = k / (Q * Q) % (L + 1) == 0 ? 0 : (double)((x = x * 1664525u + 1013904223u) >> 8) / 3e7;
  for (int k = 0; k < 2 * L * L; ++k) maps[k] = k % (L * L) % (L + 1) == 0 ? 0 : (double)((x = x * 1664525u + 1013904223u) >> 8) / 3e7;
  for (int k = 0; k < 2 * Q * Q; ++k) values[k] = (double)((x = x * 1664525u + 1013904223u) >> 8) / 2e7 - 0.4;
  atp_model *models[2];
  OK(atp_model_create_dense_f64(t.context, L, Q, couplings, NULL, &models[0]));
  OK(atp_model_create_heads(t.context, (const int64_t[]){L, Q, 2}, maps, values, NULL, &models[1]));
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_is_symmetric(models[k]), 0);
    double log_z, energy;
    OK(atp_model_enumerate(models[k], &log_z, &energy, NULL, 0, NULL, 0));
    for (int64_t method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method) {
      set(&t, ATP_OPT_METHOD, method);
      OK(call(&t, models[k], NULL));
      /* 5 errors: 2e-5 of 32 ladders */
      assert_true(fabs(t.row[ATP_PARTITION_LOG_Z] - log_z) < 5 * t.row[ATP_PARTITION_LOG_Z_ERROR]);
      assert_true(fabs(t.row[ATP_PARTITION_ENERGY] - energy) < 5 * t.row[ATP_PARTITION_ENERGY_ERROR]);
      assert_true(t.row[ATP_PARTITION_LOG_Z_ERROR] < 0.1 && t.row[ATP_PARTITION_ENERGY_ERROR] < 0.1);
    }
    atp_model_destroy(models[k]);
  }
  end(&t);
}

static void statuses(void **state) {
  things t;
  begin(&t, state);
  atp_model *large;
  OK(atp_model_create_random(t.context, 40, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &large));
  set(&t, ATP_OPT_METHOD, ATP_METHOD_EXACT);
  REFUSED(large, ATP_E_TOO_LARGE, "4^40");
  set(&t, ATP_OPT_METHOD, ATP_METHOD_ANNEALING);
  set(&t, ATP_OPT_CHAINS, 15);
  REFUSED(large, ATP_E_VALUE, "chains is 15, must be at least 16");
  set(&t, ATP_OPT_METHOD, ATP_METHOD_LADDER);
  set(&t, ATP_OPT_CHAINS, 7);
  REFUSED(large, ATP_E_VALUE, "chains is 7, must be at least 8");
  set(&t, ATP_OPT_CHAINS, 8);
  set(&t, ATP_OPT_SWEEPS, 63);
  REFUSED(large, ATP_E_VALUE, "sweeps is 63, must be at least 64");
  set(&t, ATP_OPT_SWEEPS, 64);
  set(&t, ATP_OPT_TEMPERATURES, 1);
  REFUSED(large, ATP_E_VALUE, "temperatures is 1");
  OK(atp_model_set_beta(large, 2e6));
  REFUSED(large, ATP_E_VALUE, "beta of the model is 2e+06");
  atp_table *other;
  OK(atp_table_create(t.context, ATP_TABLE_TUNING, 1, &other));
  assert_int_equal(atp_estimate_log_z(t.context, t.heads, NULL, other, NULL, NULL), ATP_E_CONFLICT);
  assert_error(t.context, "ATP_TABLE_PARTITION");
  OK(atp_estimate_log_z(t.context, t.heads, NULL, t.table, NULL, NULL));
  assert_int_equal(atp_estimate_log_z(t.context, t.heads, NULL, t.table, NULL, NULL), ATP_E_BUFFER);
  atp_options *wrong;
  OK(atp_options_create(t.context, ATP_OWNER_SAMPLER, &wrong));
  OK(atp_table_clear(t.table));
  assert_int_equal(atp_estimate_log_z(t.context, t.heads, wrong, t.table, NULL, NULL), ATP_E_CONFLICT);
  atp_options_destroy(wrong);
  atp_table_destroy(other);
  atp_model_destroy(large);
  end(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, context_setup, context_teardown)
static const struct CMUnitTest tests[] = {TEST(exact),          TEST(log_probabilities), TEST(mean_of_log_p), TEST(no_beta),
                                          TEST(same_bits),      TEST(stopped),           TEST(too_few_steps), TEST(asymmetric),
                                          TEST(autoregressive), TEST(statuses)};
int main(void) {
  where_races_are_sought("same_bits");
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
