/* SPDX-License-Identifier: MIT */
/* Chain diagnostics through the C API: results, every status, outputs untouched where a call fails. */
#include "support.h"

#include <attopotts/context.h>
#include <attopotts/diagnostics.h>

#include <math.h>
#include <string.h>

#define CHAINS 2
#define N 64

static double series[CHAINS * N];

static void fill(void) {
  uint32_t x = 12345;
  for (int k = 0; k < CHAINS * N; ++k) {
    x = x * 1664525u + 1013904223u;
    series[k] = (double)(x >> 8) / 16777216.0;
  }
}

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not name '%s'", text, part);
}

static void autocorrelation_time(void **state) {
  (void)state;
  fill();
  double tau = -7, error = -7;
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, &tau, &error), ATP_OK);
  assert_true(tau > 0.2 && tau < 1.0 && error > 0 && error < tau);
  double again = -7;
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, &again, NULL), ATP_OK);
  assert_true(again == tau);
  tau = error = -7;
  assert_int_equal(atp_autocorrelation_time(NULL, CHAINS, N, &tau, &error), ATP_E_NULL);
  assert_text("series");
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, NULL, &error), ATP_E_NULL);
  assert_text("tau");
  assert_int_equal(atp_autocorrelation_time(series, 0, N, &tau, &error), ATP_E_VALUE);
  assert_text("chains is 0");
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, 15, &tau, &error), ATP_E_VALUE);
  assert_text("n is 15");
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, INT64_MAX, &tau, &error), ATP_E_VALUE);
  series[70] = NAN;
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, &tau, &error), ATP_E_NOT_FINITE);
  assert_text("series[70]");
  series[70] = INFINITY;
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, &tau, &error), ATP_E_NOT_FINITE);
  for (int k = 0; k < CHAINS * N; ++k) series[k] = 2.5;
  assert_int_equal(atp_autocorrelation_time(series, CHAINS, N, &tau, &error), ATP_E_VALUE);
  assert_text("2.5");
  assert_true(tau == -7 && error == -7);
}

static void split_rhat(void **state) {
  (void)state;
  fill();
  double rhat = -7;
  assert_int_equal(atp_split_rhat(series, CHAINS, N, &rhat), ATP_OK);
  assert_true(rhat > 0.9 && rhat < 1.1);
  for (int k = 0; k < N; ++k) series[k] += 1;
  assert_int_equal(atp_split_rhat(series, CHAINS, N, &rhat), ATP_OK);
  assert_true(rhat > 1.5);
  rhat = -7;
  assert_int_equal(atp_split_rhat(NULL, CHAINS, N, &rhat), ATP_E_NULL);
  assert_int_equal(atp_split_rhat(series, CHAINS, N, NULL), ATP_E_NULL);
  assert_int_equal(atp_split_rhat(series, 0, N, &rhat), ATP_E_VALUE);
  assert_int_equal(atp_split_rhat(series, CHAINS, 3, &rhat), ATP_E_VALUE);
  series[N] = -INFINITY;
  assert_int_equal(atp_split_rhat(series, CHAINS, N, &rhat), ATP_E_NOT_FINITE);
  assert_true(rhat == -7);
  for (int k = 0; k < CHAINS * N; ++k) series[k] = 2.5;
  assert_int_equal(atp_split_rhat(series, CHAINS, N, &rhat), ATP_OK);
  assert_true(rhat == 1);
}

/* Two chains of one state each differ; chains of random states agree. */
static void overlap_rhat(void **state) {
  enum { SITES = 6 };
  static uint8_t stuck[10 * SITES], mixed[CHAINS * N * SITES];
  atp_context *context = NULL;
  double rhat = -7;
  (void)state;
  fill();
  for (int k = 0; k < CHAINS * N * SITES; ++k) mixed[k] = (uint8_t)(((uint32_t)(series[k / SITES] * 16777216.0) >> (3 * (k % SITES))) % 3);
  for (int k = 0; k < 10 * SITES; ++k) stuck[k] = (uint8_t)(k / SITES % 2);
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_overlap_rhat(NULL, stuck, 10, SITES, 2, &rhat), ATP_E_NULL);
  assert_int_equal(atp_overlap_rhat(context, NULL, 10, SITES, 2, &rhat), ATP_E_NULL);
  assert_int_equal(atp_overlap_rhat(context, stuck, 10, SITES, 2, NULL), ATP_E_NULL);
  assert_int_equal(atp_overlap_rhat(context, stuck, 9, SITES, 2, &rhat), ATP_E_VALUE);
  assert_text("n is 9");
  assert_int_equal(atp_overlap_rhat(context, stuck, 10, 0, 2, &rhat), ATP_E_VALUE);
  assert_text("sites is 0");
  assert_int_equal(atp_overlap_rhat(context, stuck, 10, SITES, 0, &rhat), ATP_E_VALUE);
  assert_text("chains is 0");
  assert_int_equal(atp_overlap_rhat(context, stuck, INT64_MAX, SITES, INT32_MAX, &rhat), ATP_E_TOO_LARGE);
  assert_true(rhat == -7);
  assert_int_equal(atp_overlap_rhat(context, stuck, 10, SITES, 2, &rhat), ATP_OK);
  assert_true(isinf(rhat));
  assert_int_equal(atp_overlap_rhat(context, mixed, CHAINS * N, SITES, CHAINS, &rhat), ATP_OK);
  assert_true(rhat > 0.9 && rhat < 1.1);
  atp_context_destroy(context);
}

static void hamming_histogram(void **state) {
  (void)state;
  const uint8_t sequences[3 * 4] = {0, 1, 2, 3, 0, 1, 2, 0, 3, 3, 3, 3}; /* distances 1, 3, 4 */
  int64_t counts[6] = {-7, -7, -7, -7, -7, -7};
  double mean = -7;
  assert_int_equal(atp_hamming_histogram(NULL, 3, 4, counts, 5, &mean), ATP_E_NULL);
  assert_int_equal(atp_hamming_histogram(sequences, 3, 4, NULL, 5, &mean), ATP_E_NULL);
  assert_int_equal(atp_hamming_histogram(sequences, 1, 4, counts, 5, &mean), ATP_E_VALUE);
  assert_int_equal(atp_hamming_histogram(sequences, 3, 0, counts, 1, &mean), ATP_E_VALUE);
  assert_int_equal(atp_hamming_histogram(sequences, 3, 4, counts, 4, &mean), ATP_E_SHAPE);
  assert_text("size is 4, must be 5");
  for (int d = 0; d < 6; ++d) assert_int_equal(counts[d], -7);
  assert_true(mean == -7);
  assert_int_equal(atp_hamming_histogram(sequences, 3, 4, counts, 5, NULL), ATP_OK);
  assert_int_equal(atp_hamming_histogram(sequences, 3, 4, counts, 5, &mean), ATP_OK);
  const int64_t expected[6] = {0, 1, 0, 1, 1, -7};
  for (int d = 0; d < 6; ++d) assert_int_equal(counts[d], expected[d]);
  assert_close(mean, 8.0 / 12, 1e-15, 0);
}

/* Quantiles of 1..41 in a mixed order are 2 and 40; two numbers of which one is known in three samples, one in none. */
static void count_within_errors(void **state) {
  (void)state;
  const double expected[5] = {1, 1, 1, 1, NAN}, values[5] = {1.5, 0.5, 2.25, 1, 1}, errors[5] = {0.25, 0.25, 0.5, NAN, 1};
  int64_t count = -7;
  assert_int_equal(atp_count_within_errors(expected, values, errors, 5, 2, &count), ATP_OK);
  assert_int_equal(count, 2);
  assert_int_equal(atp_count_within_errors(expected, values, errors, 5, 3, &count), ATP_OK);
  assert_int_equal(count, 3);
  assert_int_equal(atp_count_within_errors(expected, expected, errors, 3, 0, &count), ATP_OK);
  assert_int_equal(count, 3);
  count = -7;
  assert_int_equal(atp_count_within_errors(expected, values, errors, 0, 2, &count), ATP_E_VALUE);
  assert_int_equal(atp_count_within_errors(expected, values, errors, 5, -1, &count), ATP_E_VALUE);
  assert_int_not_equal(atp_count_within_errors(expected, values, errors, 5, NAN, &count), ATP_OK);
  assert_true(count == -7);
}

static void bootstrap_errors(void **state) {
  (void)state;
  enum { SAMPLES = 41, NUMBERS = 3 };
  double values[SAMPLES * NUMBERS], errors[NUMBERS * ATP_BOOTSTRAP_COLUMNS];
  for (int k = 0; k < SAMPLES; ++k) {
    values[k * NUMBERS] = 1 + 17 * k % SAMPLES;
    values[k * NUMBERS + 1] = k % 20 == 5 || k == 40 ? k : NAN; /* 5, 25, 40 */
    values[k * NUMBERS + 2] = NAN;
  }
  atp_context *context = NULL;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_bootstrap_errors(context, values, SAMPLES, NUMBERS, errors), ATP_OK);
  const double *all = errors, *some = errors + ATP_BOOTSTRAP_COLUMNS, *none = some + ATP_BOOTSTRAP_COLUMNS;
  assert_true(all[ATP_BOOTSTRAP_SAMPLES] == SAMPLES && some[ATP_BOOTSTRAP_SAMPLES] == 3 && none[ATP_BOOTSTRAP_SAMPLES] == 0);
  assert_close(all[ATP_BOOTSTRAP_MEAN], 21, 1e-14, 0);
  assert_close(all[ATP_BOOTSTRAP_ERROR], sqrt(SAMPLES * (SAMPLES + 1) / 12.), 1e-14, 0);
  assert_close(all[ATP_BOOTSTRAP_LOW], 2, 1e-14, 0);
  assert_close(all[ATP_BOOTSTRAP_HIGH], 40, 1e-14, 0);
  assert_close(some[ATP_BOOTSTRAP_MEAN], 70. / 3, 1e-14, 0);
  assert_close(some[ATP_BOOTSTRAP_ERROR], sqrt((25 + 625 + 1600 - 4900. / 3) / 2), 1e-14, 0);
  assert_close(some[ATP_BOOTSTRAP_LOW], 6, 1e-14, 0);
  for (int c = ATP_BOOTSTRAP_MEAN; c < ATP_BOOTSTRAP_COLUMNS; ++c) assert_true(isnan(none[c]));
  assert_int_equal(atp_bootstrap_errors(context, values, 1, NUMBERS, errors), ATP_OK);
  assert_true(all[ATP_BOOTSTRAP_MEAN] == 1 && isnan(all[ATP_BOOTSTRAP_ERROR]) && all[ATP_BOOTSTRAP_LOW] == 1);
  errors[0] = -7;
  assert_int_equal(atp_bootstrap_errors(context, values, 0, NUMBERS, errors), ATP_E_VALUE);
  assert_int_equal(atp_bootstrap_errors(context, values, SAMPLES, 0, errors), ATP_E_VALUE);
  values[4] = INFINITY;
  assert_int_equal(atp_bootstrap_errors(context, values, SAMPLES, NUMBERS, errors), ATP_E_NOT_FINITE);
  assert_text("values[1][1] is inf");
  assert_true(errors[0] == -7);
  atp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(autocorrelation_time), cmocka_unit_test(split_rhat),       cmocka_unit_test(overlap_rhat),
      cmocka_unit_test(hamming_histogram),    cmocka_unit_test(bootstrap_errors), cmocka_unit_test(count_within_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
