/* SPDX-License-Identifier: MIT */
/* What the C API computes with models: conditionals, energies, losses, gauges, coupling errors, enumeration; and its statuses. */
#include "model_fixture.h"

static void test_evaluation(void **state) {
  atp_context *context = *state;
  atp_model *models[2] = {make(context), make_dense(context, kFields)};
  const int64_t before = allocations(context);
  double p[N * L * Q], e[N], logs[N];
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_set_beta(models[k], 0.8), ATP_OK);
    assert_int_equal(atp_model_conditionals(models[k], kSequences, N, p, N * L * Q), ATP_OK);
    assert_int_equal(atp_model_energies(models[k], kSequences, N, e, N), ATP_OK);
    assert_int_equal(atp_model_log_pseudolikelihoods(models[k], kSequences, N, logs, N), ATP_OK);
    for (int n = 0; n < N; ++n) {
      const uint8_t *s = kSequences + n * L;
      for (int i = 0; i < L; ++i)
        for (int a = 0; a < Q; ++a) assert_close(p[(n * L + i) * Q + a], conditional(s, i, a, 0.8), 1e-13, 0);
      assert_close(e[n], energy(s), 1e-13, 1e-14);
      assert_close(logs[n], log_pl(s, 0.8), 1e-13, 0);
    }
  }
  assert_int_equal(allocations(context), before);

  uint8_t wrong[N * L];
  memcpy(wrong, kSequences, sizeof wrong);
  wrong[2 * L + 1] = Q;
  fill();
  atp_model *m = models[0];
  assert_int_equal(atp_model_conditionals(NULL, kSequences, N, untouched, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, NULL, N, untouched, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, kSequences, N, NULL, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, kSequences, 0, untouched, 0), ATP_E_VALUE);
  assert_int_equal(atp_model_conditionals(m, kSequences, INT64_MAX, untouched, N * L * Q), ATP_E_TOO_LARGE);
  assert_int_equal(atp_model_conditionals(m, kSequences, N, untouched, N * L), ATP_E_SHAPE);
  assert_int_equal(atp_model_conditionals(m, wrong, N, untouched, N * L * Q), ATP_E_ALPHABET);
  assert_error(context, "sequences[2][1] is 3, must be below the 3 colours, or ATP_MISSING");
  assert_int_equal(atp_model_energies(NULL, kSequences, N, untouched, N), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, NULL, N, untouched, N), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, kSequences, N, NULL, N), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, kSequences, -1, untouched, -1), ATP_E_VALUE);
  assert_int_equal(atp_model_energies(m, wrong, N, untouched, N), ATP_E_ALPHABET);
  assert_int_equal(atp_model_log_pseudolikelihoods(NULL, kSequences, N, untouched, N), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, NULL, N, untouched, N), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, kSequences, N, NULL, N), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, kSequences, 0, untouched, 0), ATP_E_VALUE);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, wrong, N, untouched, N), ATP_E_ALPHABET);
  /* A number of sequences that does not fit the output is refused before any of them is read. */
  assert_int_equal(atp_model_log_pseudolikelihoods(m, kSequences, INT64_C(1) << 40, untouched, N), ATP_E_SHAPE);
  assert_int_equal(atp_model_energies(m, kSequences, INT64_C(1) << 40, untouched, N), ATP_E_SHAPE);
  assert_int_equal(atp_model_energies(m, wrong, N, untouched, N - 1), ATP_E_SHAPE);
  assert_untouched();
  atp_model_destroy(models[0]);
  atp_model_destroy(models[1]);
}

/* The loss of sequences whose colours are one more than the model's, and 0 where a site is missing. */
static double gapped_loss(const uint8_t *rows, int n) {
  double sum = 0, sites = 0;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < L; ++i) {
      const uint8_t *s = rows + k * L;
      double fields[Q], z = 0;
      if (s[i] == 0) continue;
      for (int a = 0; a < Q; ++a) {
        fields[a] = kFields[i * Q + a];
        for (int j = 0; j < L; ++j)
          if (j != i && s[j] != 0) fields[a] += coupling(i, j, a, s[j] - 1);
        z += exp(fields[a]);
      }
      sum -= kWeights[k] * (fields[s[i] - 1] - log(z));
      sites += kWeights[k];
    }
  return sum / sites;
}

static void test_loss(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  atp_alignment *a = NULL, *other = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, kWeights, &a), ATP_OK);
  const int64_t before = allocations(context);
  double loss = -7, expected = 0;
  for (int n = 0; n < N; ++n) expected -= kWeights[n] * log_pl(kSequences + n * L, 1) / (L * 3.5);
  for (int threads = 1; threads <= 3; ++threads) {
    assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
    assert_int_equal(atp_model_loss(context, m, a, &loss), ATP_OK);
    assert_close(loss, expected, 1e-13, 0);
  }
  assert_int_equal(allocations(context), before);
  loss = -7;
  assert_int_equal(atp_model_loss(NULL, m, a, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, NULL, a, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, m, NULL, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, m, a, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q + 2, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_loss(context, m, other, &loss), ATP_E_SHAPE);
  assert_error(context, "colours of alignment is 5, must be 3, or 4 with a gap");
  atp_alignment_destroy(other);
  const uint8_t gapped[N * L] = {1, 0, 3, 3, 3, 3, 0, 1, 1, 1, 3, 2};
  assert_int_equal(atp_alignment_create(context, gapped, N, L, Q + 1, kWeights, &other), ATP_OK);
  assert_int_equal(atp_model_loss(context, m, other, &loss), ATP_OK);
  assert_close(loss, gapped_loss(gapped, N), 1e-13, 0);
  loss = -7;
  atp_alignment_destroy(other);
  assert_int_equal(atp_alignment_create(context, kSequences, 2, 2 * L, Q, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_loss(context, m, other, &loss), ATP_E_SHAPE);
  assert_error(context, "sites of alignment is 6, must be 3");
  assert_true(loss == -7);
  atp_alignment_destroy(other);
  atp_alignment_destroy(a);
  atp_model_destroy(m);
}

static void test_gauge(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *dense = make_dense(context, kFields), *g = NULL;
  const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM, ATP_GAUGE_ZERO_SUM};
  atp_model *sources[] = {m, m, dense};
  double p[N * L * Q], r[N * L * Q];
  assert_int_equal(atp_model_conditionals(m, kSequences, N, p, N * L * Q), ATP_OK);
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(atp_model_gauge(context, sources[k], gauges[k], &g), ATP_OK);
    assert_int_equal(atp_model_heads(g), k == 0 ? H : 0);
    assert_int_equal(atp_model_conditionals(g, kSequences, N, r, N * L * Q), ATP_OK);
    for (int x = 0; x < N * L * Q; ++x) assert_close(p[x], r[x], 1e-12, 0);
    atp_model_destroy(g);
  }
  g = m;
  assert_int_equal(atp_model_gauge(context, dense, ATP_GAUGE_COLORS, &g), ATP_E_CONFLICT);
  assert_null(g);
  assert_int_equal(atp_model_gauge(context, m, (atp_gauge)3, &g), ATP_E_VALUE);
  assert_error(context, "gauge is 3, must be in 1..2");
  assert_int_equal(atp_model_gauge(context, m, (atp_gauge)0, &g), ATP_E_VALUE);
  assert_int_equal(atp_model_gauge(NULL, m, ATP_GAUGE_COLORS, &g), ATP_E_NULL);
  assert_int_equal(atp_model_gauge(context, NULL, ATP_GAUGE_COLORS, &g), ATP_E_NULL);
  assert_int_equal(atp_model_gauge(context, m, ATP_GAUGE_COLORS, NULL), ATP_E_NULL);
  atp_model_destroy(dense);
  atp_model_destroy(m);
}

static void test_coupling_error(void **state) {
  atp_context *context = *state;
  atp_model *truth = NULL, *learned = NULL, *dense = NULL;
  double maps[L * L], values[Q * Q], error = -7;
  for (int k = 0; k < L * L; ++k) maps[k] = -0.5 * (kMaps[k] + (kMaps[k] != 0 ? 0.1 : 0)); /* J + 0.1 in a gauge of c = -2 */
  for (int k = 0; k < Q * Q; ++k) values[k] = -2 * kValues[k] + k % Q;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, kMaps, kValues, NULL, &truth), ATP_OK);
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, NULL, &learned), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, learned, truth, &error), ATP_OK);
  assert_close(error, L * (L - 1) * 0.01 / (L * L), 1e-12, 0);
  assert_int_equal(atp_model_gauge(context, learned, ATP_GAUGE_ZERO_SUM, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_OK);
  assert_close(error, L * (L - 1) * 0.01 / (L * L), 1e-12, 0);
  error = -7;
  assert_int_equal(atp_model_coupling_error(NULL, learned, truth, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, NULL, truth, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, learned, NULL, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, learned, truth, NULL), ATP_E_NULL);
  atp_model_destroy(dense);
  assert_int_equal(atp_model_create_random(context, L, Q + 1, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_E_SHAPE);
  assert_error(context, "colours of model is 4, must be 3");
  atp_model_destroy(dense);
  assert_int_equal(atp_model_create_random(context, L + 1, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_E_SHAPE);
  assert_true(error == -7);
  atp_model_destroy(dense);
  atp_model_destroy(learned);
  atp_model_destroy(truth);
}

static void test_enumerate(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *large = NULL;
  const int64_t before = allocations(context);
  double log_z = -7, mean = -7, marginals[L * Q], pairs[DENSE], p[27], z = 0, sum = 0;
  assert_int_equal(atp_model_enumerate(m, &log_z, &mean, marginals, L * Q, pairs, DENSE), ATP_OK);
  assert_int_equal(atp_model_probabilities(m, p, 27), ATP_OK);
  assert_int_equal(atp_model_probabilities(m, p, 26), ATP_E_SHAPE);
  assert_error(context, "size is 26, must be 27");
  assert_int_equal(atp_model_enumerate(m, &log_z, &mean, marginals, L, pairs, DENSE), ATP_E_SHAPE);
  assert_error(context, "marginals_size");
  assert_int_equal(atp_model_enumerate(m, &log_z, &mean, marginals, L * Q, NULL, DENSE), ATP_E_SHAPE);
  assert_error(context, "pairs_size");
  assert_int_equal(atp_model_enumerate(m, NULL, NULL, NULL, 0, NULL, 0), ATP_OK);
  assert_int_equal(allocations(context), before);
  for (int k = 0; k < 27; ++k) {
    const uint8_t s[L] = {(uint8_t)(k / 9), (uint8_t)(k / 3 % 3), (uint8_t)(k % 3)};
    z += exp(-energy(s));
    sum += exp(-energy(s)) * energy(s);
  }
  assert_close(log_z, log(z), 1e-14, 0);
  assert_close(mean, sum / z, 1e-13, 0);
  double one = 0, two = 0;
  for (int k = 0; k < 27; ++k) {
    const uint8_t s[L] = {(uint8_t)(k / 9), (uint8_t)(k / 3 % 3), (uint8_t)(k % 3)};
    assert_close(p[k], exp(-energy(s)) / z, 1e-13, 0);
    if (s[1] == 2) one += p[k];
    if (s[2] == 0 && s[0] == 1) two += p[k];
  }
  assert_close(marginals[1 * Q + 2], one, 1e-13, 0);
  assert_close(pairs[((2 * L + 0) * Q + 0) * Q + 1], two, 1e-13, 0);
  assert_true(pairs[(1 * L + 1) * BLOCK + 8] == marginals[1 * Q + 2] && pairs[(1 * L + 1) * BLOCK + 1] == 0);

  log_z = -7;
  fill();
  assert_int_equal(atp_model_create_random(context, 27, 2, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &large), ATP_OK);
  assert_int_equal(atp_model_enumerate(large, &log_z, NULL, untouched, 54, NULL, 0), ATP_E_TOO_LARGE);
  assert_error(context, "model has 2^27 states, enumeration takes at most 2^26");
  assert_true(log_z == -7);
  assert_untouched();
  atp_model_destroy(large);
  atp_model_destroy(m);
}

/* The largest alphabet and the smallest model. */
static void test_limits(void **state) {
  atp_context *context = *state;
  for (int q = 2; q <= 255; q += 253) {
    atp_model *m = NULL;
    uint8_t s[2] = {0, (uint8_t)(q - 1)};
    double e[1], log_z[1], *p = malloc(sizeof(double) * 2 * (size_t)q), sum = 0;
    assert_int_equal(atp_model_create_random(context, 2, q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &m), ATP_OK);
    assert_int_equal(atp_model_conditionals(m, s, 1, p, 2 * q), ATP_OK);
    for (int a = 0; a < q; ++a) sum += p[q + a];
    assert_close(sum, 1, 1e-13, 0);
    assert_int_equal(atp_model_energies(m, s, 1, e, 1), ATP_OK);
    assert_int_equal(atp_model_enumerate(m, log_z, NULL, p, 2 * q, NULL, 0), ATP_OK);
    assert_true(*log_z > -*e);
    atp_model_destroy(m);
    free(p);
  }
}

/* Products of legal numbers that are no legal numbers, or that float32 cannot hold. */
static void test_large_numbers(void **state) {
  atp_context *context = *state;
  double maps[L * L] = {0}, values[Q * Q] = {0}, fields[L * Q] = {0};
  float narrow[DENSE];
  atp_model *large = NULL, *made = NULL;
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) maps[i * L + j] = i == j ? 0 : 1e80;
  for (int a = 0; a < Q; ++a) values[a * Q + a] = 1e80;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, fields, &large), ATP_OK);
  for (int k = 0; k < DENSE; ++k) narrow[k] = 7;
  assert_int_equal(atp_model_couplings_f32(large, narrow, DENSE), ATP_E_VALUE);
  assert_error(context, "a coupling of sites 0 and 1 is 1e+160, which float32 cannot hold");
  for (int k = 0; k < DENSE; ++k) assert_true(narrow[k] == 7);
  const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM};
  for (int g = 0; g < 2; ++g) {
    assert_int_equal(atp_model_gauge(context, large, gauges[g], &made), ATP_E_VALUE);
    assert_null(made);
  }
  atp_model_destroy(large);
  /* The largest float32 can be had. */
  for (int k = 0; k < L * L; ++k) maps[k] = maps[k] == 0 ? 0 : 3.4e38;
  for (int k = 0; k < Q * Q; ++k) values[k] = values[k] == 0 ? 0 : 1;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, fields, &large), ATP_OK);
  assert_int_equal(atp_model_couplings_f32(large, narrow, DENSE), ATP_OK);
  atp_model_destroy(large);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

static const struct CMUnitTest tests[] = {
    TEST(test_evaluation), TEST(test_loss),   TEST(test_gauge),         TEST(test_coupling_error),
    TEST(test_enumerate),  TEST(test_limits), TEST(test_large_numbers),
};
ATP_TEST_MAIN(tests)
