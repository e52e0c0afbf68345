/* SPDX-License-Identifier: MIT */
/* Measured and exact rungs, and the mixing of chains, through the C API: statuses, tables untouched by failed and stopped calls, equal
 * bits for any number of threads. Numbers against exact ones: tests/statistics/test_rungs.cpp, tests/unit/test_mixing.cpp. */
#include "api_support.h"

#include <attopotts.h>

#include <math.h>
#include <string.h>

enum { L = 6, Q = 3, K = 3, CHAINS = 40, N = 32, BINS = L + 1 };

#define OK(call) assert_int_equal(call, ATP_OK)

static const double betas[K] = {0, 0.5, 1};

typedef struct world {
  atp_context *context;
  atp_model *model;
  atp_sampler *sampler;
  atp_table *rungs, *overlaps;
} world;

static world make_world(int64_t threads, int64_t chains) {
  world w;
  atp_options *options;
  OK(atp_context_create(NULL, NULL, NULL, &w.context));
  OK(atp_context_set_threads(w.context, threads));
  OK(atp_model_create_random(w.context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &w.model));
  OK(atp_options_create(w.context, ATP_OWNER_SAMPLER, &options));
  OK(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, K));
  OK(atp_options_set_i64(options, ATP_OPT_CHAINS, chains));
  OK(atp_sampler_create(w.context, w.model, options, &w.sampler));
  OK(atp_sampler_set_betas(w.sampler, betas, K));
  OK(atp_table_create(w.context, ATP_TABLE_RUNGS, K, &w.rungs));
  OK(atp_table_create(w.context, ATP_TABLE_OVERLAPS, K * BINS, &w.overlaps));
  atp_options_destroy(options);
  return w;
}

static void end_world(world w) {
  atp_table_destroy(w.rungs);
  atp_table_destroy(w.overlaps);
  atp_sampler_destroy(w.sampler);
  atp_model_destroy(w.model);
  atp_context_destroy(w.context);
}

static void same_for_threads(void **state) {
  (void)state;
  static double first[K * ATP_RUNGS_COLUMNS], rows[K * ATP_RUNGS_COLUMNS], density[K * BINS * ATP_OVERLAPS_COLUMNS];
  for (int64_t threads = 1; threads <= 4; threads += 3) {
    world w = make_world(threads, CHAINS);
    OK(atp_sampler_sweep(w.sampler, 20, NULL, NULL, NULL));
    OK(atp_sampler_measure(w.sampler, N, 2, w.rungs, w.overlaps, NULL, NULL));
    OK(atp_table_values(w.rungs, threads == 1 ? first : rows, K * ATP_RUNGS_COLUMNS));
    OK(atp_table_values(w.overlaps, density, K * BINS * ATP_OVERLAPS_COLUMNS));
    for (int k = 0; k < K; ++k) {
      double sum = 0;
      for (int b = 0; b < BINS; ++b) {
        const double *row = density + (k * BINS + b) * ATP_OVERLAPS_COLUMNS;
        sum += row[ATP_OVERLAPS_DENSITY] * row[ATP_OVERLAPS_WIDTH];
        assert_close(row[ATP_OVERLAPS_OVERLAP], ((double)Q * b / L - 1) / (Q - 1), 1e-12, 1e-12);
      }
      assert_close(sum, 1, 1e-12, 0);
    }
    end_world(w);
  }
  assert_memory_equal(first, rows, sizeof first);
}

static void references(void **state) {
  (void)state;
  world w = make_world(1, CHAINS);
  const uint8_t reference[L] = {0, 1, 2, 0, 1, 2}, wrong[L] = {0, 0, 0, 0, 0, Q};
  assert_int_equal(atp_sampler_set_reference(w.sampler, wrong, L), ATP_E_ALPHABET);
  assert_error(w.context, "reference[0][5] is 3");
  assert_int_equal(atp_sampler_set_reference(w.sampler, reference, L - 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, betas, K, wrong, L, w.rungs), ATP_E_ALPHABET);
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, betas, K, reference, L - 1, w.rungs), ATP_E_SHAPE);
  assert_int_equal(atp_table_rows(w.rungs), 0);
  double value = 0;
  OK(atp_sampler_measure(w.sampler, N, 1, w.rungs, NULL, NULL, NULL));
  OK(atp_table_value(w.rungs, 0, ATP_RUNGS_REFERENCE, &value));
  assert_true(isnan(value));  // the failed calls have set none
  for (int given = 1; given >= 0; --given) {
    OK(atp_table_clear(w.rungs));
    OK(atp_sampler_set_reference(w.sampler, given ? reference : NULL, L));
    OK(atp_sampler_measure(w.sampler, N, 1, w.rungs, NULL, NULL, NULL));
    for (int column = ATP_RUNGS_REFERENCE; column <= ATP_RUNGS_REFERENCE_BINDER_ERROR; ++column) {
      OK(atp_table_value(w.rungs, 0, column, &value));
      assert_int_equal(isnan(value) ? 0 : 1, given);
    }
  }
  end_world(w);
}

static int stop(const atp_progress *progress, void *user) {
  (void)progress;
  ++*(int *)user;
  return 1;
}

static void statuses(void **state) {
  (void)state;
  world w = make_world(1, CHAINS), alone = make_world(1, 1);
  int calls = 0;
  OK(atp_sampler_measure(w.sampler, 1 << 14, 1 << 10, w.rungs, w.overlaps, stop, &calls));
  assert_int_equal(calls, 1);
  assert_int_equal(atp_table_rows(w.rungs) + atp_table_rows(w.overlaps), 0);
  assert_int_equal(atp_sampler_measure(w.sampler, 15, 1, w.rungs, NULL, NULL, NULL), ATP_E_VALUE);
  assert_int_equal(atp_sampler_measure(w.sampler, N, 0, w.rungs, NULL, NULL, NULL), ATP_E_VALUE);
  assert_int_equal(atp_sampler_measure(w.sampler, N, 1, w.overlaps, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_int_equal(atp_sampler_measure(w.sampler, N, 1, w.rungs, w.rungs, NULL, NULL), ATP_E_CONFLICT);
  assert_int_equal(atp_sampler_measure(alone.sampler, N, 1, w.rungs, NULL, NULL, NULL), ATP_E_CONFLICT);
  OK(atp_sampler_measure(w.sampler, N, 1, w.rungs, NULL, NULL, NULL));
  assert_int_equal(atp_sampler_measure(w.sampler, N, 1, w.rungs, NULL, NULL, NULL), ATP_E_BUFFER);
  assert_int_equal(atp_table_rows(w.rungs), K);
  OK(atp_table_clear(w.rungs));
  const double wrong[] = {0.5, -1}, unknown[] = {NAN};
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, wrong, 2, NULL, 0, w.rungs), ATP_E_VALUE);
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, unknown, 1, NULL, 0, w.rungs), ATP_E_NOT_FINITE);
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, betas, 0, NULL, 0, w.rungs), ATP_E_VALUE);
  assert_int_equal(atp_model_enumerate_rungs(w.context, w.model, betas, K, NULL, 0, w.overlaps), ATP_E_CONFLICT);
  assert_int_equal(atp_table_rows(w.rungs), 0);
  OK(atp_model_enumerate_rungs(w.context, w.model, betas, K, NULL, 0, w.rungs));
  double log_z = 0, entropy = 0;
  OK(atp_table_value(w.rungs, 0, ATP_RUNGS_LOG_Z, &log_z));
  OK(atp_table_value(w.rungs, 0, ATP_RUNGS_ENTROPY, &entropy));
  assert_close(log_z, L * log(Q), 1e-14, 0);
  assert_close(entropy, L * log(Q), 1e-14, 0);
  atp_model *large;
  OK(atp_model_create_random(w.context, 17, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &large));
  OK(atp_table_clear(w.rungs));
  assert_int_equal(atp_model_enumerate_rungs(w.context, large, betas, K, NULL, 0, w.rungs), ATP_E_TOO_LARGE);
  atp_model_destroy(large);
  end_world(alone);
  end_world(w);
}

static void mixing(void **state) {
  (void)state;
  world w = make_world(1, CHAINS);
  static double series[4 * 500];
  uint32_t x = 12345;
  for (int k = 0; k < 4 * 500; ++k) {
    x = x * 1664525u + 1013904223u;
    series[k] = (double)(x >> 8) / 16777216.0;
  }
  double found[ATP_MIXING_COLUMNS];
  OK(atp_chain_mixing(w.context, series, 4, 500, found));
  assert_true(found[ATP_MIXING_OUTCOME] == ATP_OUTCOME_CONVERGED && found[ATP_MIXING_BULK_ESS] > 1000);
  for (int k = 0; k < 500; ++k) series[500 + k] = 0.5;
  double plain = 0;
  OK(atp_split_rhat(series, 4, 500, &plain));
  OK(atp_chain_mixing(w.context, series, 4, 500, found));
  assert_true(plain < 1.01 && found[ATP_MIXING_RHAT] > 1.1 && found[ATP_MIXING_OUTCOME] == ATP_OUTCOME_MAX_ITER);
  assert_int_equal(atp_chain_mixing(w.context, series, 4, 15, found), ATP_E_VALUE);
  assert_int_equal(atp_chain_mixing(w.context, series, 0, 500, found), ATP_E_VALUE);
  series[3] = INFINITY;
  assert_int_equal(atp_chain_mixing(w.context, series, 4, 500, found), ATP_E_NOT_FINITE);
  end_world(w);
}

/* log Z, the entropy and the variance of log P of an autoregressive model, against its probabilities. */
static void autoregressive(void **state) {
  (void)state;
  enum { S = 3, C = 2, STATES = 8 };
  world w = make_world(1, CHAINS);
  double couplings[S * S * C * C] = {0}, fields[S * C] = {0.3, -0.2, 0.1, 0.4, -0.5, 0}, p[STATES], row[ATP_RUNGS_COLUMNS];
  for (int k = 0; k < C * C; ++k) couplings[(2 * S + 0) * C * C + k] = 0.7 * k - 1, couplings[(0 * S + 1) * C * C + k] = k == 2 ? 2 : -0.3;
  const int64_t order[S] = {1, 0, 2};
  const double two = 2, one = 1;
  atp_model *model = NULL;
  OK(atp_model_create_dense_f64(w.context, S, C, couplings, fields, &model));
  OK(atp_model_set_beta(model, 1.5));
  OK(atp_model_set_order(model, order, S));
  OK(atp_model_probabilities(model, p, STATES));
  double entropy = 0, square = 0;
  for (int n = 0; n < STATES; ++n) entropy -= p[n] * log(p[n]), square += p[n] * log(p[n]) * log(p[n]);
  assert_int_equal(atp_model_enumerate_rungs(w.context, model, &two, 1, NULL, 0, w.rungs), ATP_E_CONFLICT);
  OK(atp_model_enumerate_rungs(w.context, model, &one, 1, NULL, 0, w.rungs));
  for (int k = 0; k < ATP_RUNGS_COLUMNS; ++k) OK(atp_table_value(w.rungs, 0, k, row + k));
  assert_close(row[ATP_RUNGS_LOG_Z], 0, 0, 1e-14);
  assert_close(row[ATP_RUNGS_ENERGY], entropy, 1e-13, 0);
  assert_close(row[ATP_RUNGS_ENTROPY], entropy, 1e-13, 0);
  assert_close(row[ATP_RUNGS_SPECIFIC_HEAT], (square - entropy * entropy) / S, 1e-12, 0);
  atp_model_destroy(model);
  end_world(w);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(same_for_threads), cmocka_unit_test(references), cmocka_unit_test(statuses),
                                          cmocka_unit_test(mixing), cmocka_unit_test(autoregressive)};
ATP_TEST_MAIN(tests)
