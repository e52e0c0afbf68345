/* SPDX-License-Identifier: MIT */
/* Models with an order of their sites: statuses, files and states, samplers, mutants and scores; what is for Potts models alone refuses
 * them. */
#include "api_support.h"

#include "folder.h"

#include <attopotts.h>

enum { L = 4, Q = 3, BLOCK = Q * Q, DENSE = L * L * Q * Q };

static const int64_t kOrder[L] = {2, 0, 3, 1};
static char last_log[1024];

static void keep_log(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) snprintf(last_log, sizeof last_log, "%s", text);
}

static int setup(void **state) {
  last_log[0] = 0;
  return context_setup(state) != 0 || atp_context_set_log(*state, keep_log, NULL) != ATP_OK;
}

static int teardown(void **state) {
  folder_clear();
  return context_teardown(state);
}

static int place(int64_t site) {
  int k = 0;
  while (kOrder[k] != site) ++k;
  return k;
}

static double coupling(int i, int j, int a, int b) { return place(j) < place(i) ? sin(1.0 + 7 * i + 3 * j + 1.7 * a + 0.9 * b) : 0; }
static double field(int i, int a) { return 0.5 * cos(2.0 * i + a); }

/* log P(s) from the definition. */
static double log_p(const uint8_t *s, double beta) {
  double sum = 0;
  for (int i = 0; i < L; ++i) {
    double z = 0, own = 0;
    for (int a = 0; a < Q; ++a) {
      double f = field(i, a);
      for (int j = 0; j < L; ++j) f += coupling(i, j, a, s[j]);
      z += exp(beta * f);
      if (a == s[i]) own = beta * f;
    }
    sum += own - log(z);
  }
  return sum;
}

static atp_model *make_potts(atp_context *context) {
  double couplings[DENSE], fields[L * Q];
  for (int k = 0; k < DENSE; ++k) couplings[k] = coupling(k / (L * BLOCK), k / BLOCK % L, k / Q % Q, k % Q);
  for (int k = 0; k < L * Q; ++k) fields[k] = field(k / Q, k % Q);
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, fields, &m), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, "-xy"), ATP_OK);
  return m;
}

static atp_model *make(atp_context *context) {
  atp_model *m = make_potts(context);
  assert_int_equal(atp_model_set_order(m, kOrder, L), ATP_OK);
  return m;
}

static void assert_ordered(const atp_model *m) {
  int64_t order[L] = {0};
  assert_true(atp_model_is_ordered(m));
  assert_int_equal(atp_model_order(m, order, L), ATP_OK);
  assert_memory_equal(order, kOrder, sizeof order);
}

static void test_order(void **state) {
  atp_context *context = *state;
  atp_model *m = make_potts(context);
  int64_t order[L] = {7, 7, 7, 7};
  assert_false(atp_model_is_ordered(m));
  assert_int_equal(atp_model_order(m, order, L), ATP_E_UNSUPPORTED);
  assert_error(context, "has no order");
  assert_true(order[0] == 7);
  assert_int_equal(atp_model_set_order(m, kOrder, L), ATP_OK);
  assert_ordered(m);
  assert_int_equal(atp_model_set_order(m, kOrder, L - 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_set_order(m, NULL, L), ATP_E_SHAPE);
  assert_int_equal(atp_model_order(m, order, L + 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_set_order(m, (const int64_t[]){2, 0, 3, 4}, L), ATP_E_VALUE);
  assert_error(context, "order[3] is 4, must be a site in 0..3");
  assert_counted(context, "order(4) is 5, must be a site in 1..4");
  assert_int_equal(atp_model_set_order(m, (const int64_t[]){2, 0, 3, 0}, L), ATP_E_VALUE);
  assert_error(context, "order[3] is 0 again");
  assert_int_equal(atp_model_set_order(m, (const int64_t[]){0, 2, 3, 1}, L), ATP_E_VALUE);
  assert_error(context, "order has site 0 before site 2");
  assert_ordered(m);
  const int64_t before = allocations(context);
  assert_int_equal(atp_model_set_order(m, NULL, 0), ATP_OK);
  assert_false(atp_model_is_ordered(m));
  assert_int_equal(atp_model_set_order(m, kOrder, L), ATP_OK);
  assert_int_equal(allocations(context), before);
  atp_model_destroy(m);
}

/* Energies are -log P at the model's beta; sums over all states. */
static void test_probabilities(void **state) {
  atp_model *m = make(*state);
  assert_int_equal(atp_model_set_beta(m, 1.4), ATP_OK);
  uint8_t s[81 * L];
  double energies[81], logs[81], p[81], log_z, entropy, sum = 0, expected = 0;
  for (int n = 0; n < 81; ++n)
    for (int i = 0, rest = n; i < L; ++i, rest /= Q) s[n * L + L - 1 - i] = (uint8_t)(rest % Q);
  assert_int_equal(atp_model_energies(m, s, 81, energies, 81), ATP_OK);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, s, 81, logs, 81), ATP_OK);
  assert_int_equal(atp_model_probabilities(m, p, 81), ATP_OK);
  assert_int_equal(atp_model_enumerate(m, &log_z, &entropy, NULL, 0, NULL, 0), ATP_OK);
  for (int n = 0; n < 81; ++n) {
    const double known = log_p(s + n * L, 1.4);
    assert_close(energies[n], -known, 1e-12, 0);
    assert_close(logs[n], known, 1e-12, 0);
    assert_close(p[n], exp(known), 1e-12, 0);
    sum += exp(known);
    expected -= exp(known) * known;
  }
  assert_close(sum, 1, 1e-12, 0);
  assert_close(log_z, 0, 0, 1e-12);
  assert_close(entropy, expected, 1e-12, 0);
  atp_model_destroy(m);
}

static void test_states(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *copy = NULL, *back = NULL;
  assert_int_equal(atp_model_copy(context, m, &copy), ATP_OK);
  assert_ordered(copy);
  const int64_t size = atp_model_state_bytes(copy);
  unsigned char *bytes = malloc((size_t)size);
  assert_non_null(bytes);
  assert_int_equal(atp_model_save_state(copy, bytes, size), ATP_OK);
  assert_int_equal(atp_model_from_state(context, bytes, size, &back), ATP_OK);
  assert_ordered(back);
  bytes[size - 16] ^= 2; /* the last site of the order, before the checksum */
  atp_model *none = NULL;
  assert_int_equal(atp_model_from_state(context, bytes, size, &none), ATP_E_CHECKSUM);
  assert_null(none);
  free(bytes);
  atp_model_destroy(back);
  atp_model_destroy(copy);
  atp_model_destroy(m);
}

static void test_files(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *back = NULL;
  for (int format = ATP_MODEL_PLMC; format <= ATP_MODEL_BRAW; ++format) {
    if (format == ATP_MODEL_PLMC) continue; /* needs an alignment; below */
    assert_int_equal(atp_model_write_as(context, m, NULL, (atp_model_format)format, "other"), ATP_E_CONFLICT);
    assert_error(context, "the model is autoregressive");
  }
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, (const uint8_t[]){0, 1, 2, 0, 1, 1, 2, 0}, 2, L, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "other"), ATP_E_CONFLICT);
  atp_alignment_destroy(a);
  assert_int_equal(atp_model_write(context, m, "m.h5"), atp_model_write_as(context, m, NULL, ATP_MODEL_HDF5, "m.h5"));
  const atp_status status = atp_model_read(context, "m.h5", &back);
  if (status != ATP_OK) { /* a build without HDF5 */
    assert_null(back);
  } else {
    double x[DENSE], y[DENSE];
    assert_ordered(back);
    assert_int_equal(atp_model_couplings_f64(m, x, DENSE), ATP_OK);
    assert_int_equal(atp_model_couplings_f64(back, y, DENSE), ATP_OK);
    assert_memory_equal(x, y, sizeof x);
  }
  atp_model_destroy(back);
  atp_model_destroy(m);
}

/* Replica exchange and tuning refuse; a plain sampler and both protocols draw without burn-in and without a warning. */
static void test_samplers(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  last_log[0] = 0; /* of the couplings of one triangle */
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 4), ATP_OK);
  atp_sampler *sampler = NULL;
  assert_int_equal(atp_sampler_create(context, m, options, &sampler), ATP_E_CONFLICT);
  assert_error(context, "temperatures is 4, must be 1: the model is autoregressive");
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 1), ATP_OK);
  assert_int_equal(atp_sampler_create(context, m, options, &sampler), ATP_OK);
  uint8_t s[40 * L];
  double energies[40];
  assert_int_equal(atp_sampler_sample(sampler, 1, s, sizeof s, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampler_sequence_energies(sampler, s, 40, energies, 40), ATP_OK);
  for (int n = 0; n < 40; ++n) assert_close(energies[n], -log_p(s + n * L, 1), 1e-12, 0);
  assert_int_equal(atp_sampler_set_betas(sampler, (const double[]){2}, 1), ATP_OK);
  assert_int_equal(atp_sampler_sequence_energies(sampler, s, 40, energies, 40), ATP_OK);
  assert_close(energies[0], -log_p(s, 2), 1e-12, 0);
  atp_sampler_destroy(sampler);
  atp_table *table = NULL;
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, 1, &table), ATP_OK);
  assert_int_equal(atp_tune_beta(context, m, NULL, 0.5, table, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "it is autoregressive");
  atp_table_destroy(table);
  renew(&options, ATP_OWNER_SAMPLING);
  for (int protocol = ATP_PROTOCOL_EQUILIBRIUM; protocol <= ATP_PROTOCOL_CHAIN; ++protocol) {
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, protocol), ATP_OK);
    atp_sampling *run = NULL;
    assert_int_equal(atp_sampling_create(context, m, options, 5000, &run), ATP_OK);
    atp_outcome outcome;
    assert_int_equal(atp_sampling_run(run, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    assert_int_equal(atp_table_create(context, ATP_TABLE_SAMPLING, 1, &table), ATP_OK);
    assert_int_equal(atp_sampling_report(run, table), ATP_OK);
    double row[ATP_SAMPLING_COLUMNS], entropy;
    assert_int_equal(atp_table_values(table, row, ATP_SAMPLING_COLUMNS), ATP_OK);
    assert_int_equal(atp_model_enumerate(m, NULL, &entropy, NULL, 0, NULL, 0), ATP_OK);
    assert_true(row[ATP_SAMPLING_BURN_IN] == 0 && row[ATP_SAMPLING_THIN] == 1 && row[ATP_SAMPLING_TEMPERATURES] == 1);
    /* 5 standard errors: a false alarm in two million seeds */
    assert_close(row[ATP_SAMPLING_ENTROPY], entropy, 0, 5 * row[ATP_SAMPLING_ENTROPY_ERROR]);
    assert_true(row[ATP_SAMPLING_ENTROPY_ERROR] > 0 && row[ATP_SAMPLING_ENTROPY_ERROR] < 0.05);
    atp_table_destroy(table);
    atp_sampling_destroy(run);
  }
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 8), ATP_OK);
  atp_sampling *none = NULL;
  assert_int_equal(atp_sampling_create(context, m, options, 10, &none), ATP_E_CONFLICT);
  assert_error(context, "temperatures is 8, must be 0 or 1");
  assert_string_equal(last_log, "");
  atp_options_destroy(options);
  atp_model_destroy(m);
}

/* Mutants against whole sequences; scores by epistasis against all their mutants. */
static void test_mutants(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  const uint8_t s[L] = {1, 0, 2, 1};
  double energy[L * Q], log_pl[L * Q], doubles[BLOCK];
  assert_int_equal(atp_model_mutants(context, m, s, L, energy, log_pl, L * Q), ATP_OK);
  for (int k = 0; k < L * Q; ++k) {
    uint8_t mutant[L];
    memcpy(mutant, s, L);
    mutant[k / Q] = (uint8_t)(k % Q);
    assert_close(log_pl[k], log_p(mutant, 1) - log_p(s, 1), 1e-12, 1e-12);
    assert_true(energy[k] == -log_pl[k]);
  }
  assert_int_equal(atp_model_double_mutants(context, m, s, (const int64_t[]){3, 2}, 1, doubles, BLOCK), ATP_OK);
  for (int k = 0; k < BLOCK; ++k) {
    uint8_t mutant[L];
    memcpy(mutant, s, L);
    mutant[3] = (uint8_t)(k / Q);
    mutant[2] = (uint8_t)(k % Q);
    assert_close(doubles[k], log_p(s, 1) - log_p(mutant, 1), 1e-12, 1e-12);
  }
  double scores[L * L], one[L * L];
  assert_int_equal(atp_model_epistatic_scores(context, m, s, 1, -1, scores, L * L), ATP_OK);
  assert_int_equal(atp_model_double_mutants(context, m, s, (const int64_t[]){0, 1}, 1, doubles, BLOCK), ATP_OK);
  double rows[Q] = {0}, columns[Q] = {0}, mean = 0, norm = 0; /* what is of one site alone leaves with the means */
  for (int k = 0; k < BLOCK; ++k) rows[k / Q] += doubles[k] / Q, columns[k % Q] += doubles[k] / Q, mean += doubles[k] / BLOCK;
  for (int k = 0; k < BLOCK; ++k) norm += pow(doubles[k] - rows[k / Q] - columns[k % Q] + mean, 2);
  assert_close(scores[1], sqrt(norm), 1e-11, 0);
  assert_int_equal(atp_model_epistatic_scores(context, m, s, 1, ATP_GAP_AUTO, one, L * L), ATP_OK);
  assert_true(one[1] < scores[1] && one[1] == one[L] && one[0] == 0);
  assert_int_equal(atp_model_epistatic_scores(context, m, s, 1, Q, one, L * L), ATP_E_VALUE);
  assert_int_equal(atp_model_epistatic_scores(context, m, s, 0, -1, one, L * L), ATP_E_VALUE);
  assert_int_equal(atp_model_epistatic_scores(context, m, s, 1, -1, one, L), ATP_E_SHAPE);
  assert_int_equal(atp_model_epistatic_scores(context, m, (const uint8_t[]){0, 3, 0, 0}, 1, -1, one, L * L), ATP_E_ALPHABET);
  atp_model_destroy(m);
}

/* What has a meaning for Potts models alone. */
static void test_refusals(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *potts = make_potts(context), *same = NULL;
  double error = 7, scores[L * L] = {7}, frequencies[L * Q];
  assert_int_equal(atp_model_coupling_error(context, m, potts, &error), ATP_E_CONFLICT);
  assert_error(context, "model is autoregressive and truth a Potts model");
  assert_int_equal(atp_model_coupling_error(context, potts, m, &error), ATP_E_CONFLICT);
  assert_true(error == 7);
  assert_int_equal(atp_model_gauge(context, m, ATP_GAUGE_ZERO_SUM, &same), ATP_OK);
  assert_ordered(same);
  assert_int_equal(atp_model_coupling_error(context, same, m, &error), ATP_OK);
  assert_close(error, 0, 0, 1e-20);
  for (int k = 0; k < L * Q; ++k) frequencies[k] = 1.0 / Q;
  assert_int_equal(atp_direct_information(context, m, frequencies, L * Q, scores, L * L), ATP_E_UNSUPPORTED);
  assert_error(context, "model is autoregressive");
  assert_true(scores[0] == 7);
  double maps[L * L] = {0}, values[BLOCK] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, covariance[BLOCK];
  maps[L] = 1;
  atp_model *head = NULL;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, NULL, &head), ATP_OK);
  assert_int_equal(atp_model_map_like(context, head, head, scores, L * L), ATP_OK);
  assert_int_equal(atp_model_set_order(head, (const int64_t[]){0, 1, 2, 3}, L), ATP_OK);
  atp_model *without = NULL;
  assert_int_equal(atp_model_copy(context, head, &without), ATP_OK);
  assert_int_equal(atp_model_set_order(without, NULL, 0), ATP_OK);
  assert_int_equal(atp_model_map_like(context, head, without, scores, L * L), ATP_E_CONFLICT);
  atp_alignment *a = NULL;
  atp_masked *masked = NULL;
  assert_int_equal(atp_alignment_create(context, (const uint8_t[]){0, 1, 2, 0, 1, 1, 2, 0}, 2, L, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_masked_create_potts(context, head, a, ATP_REPLICA_INPUTS_NORMAL, covariance, BLOCK, &masked), ATP_E_UNSUPPORTED);
  assert_error(context, "autoregressive");
  atp_alignment_destroy(a);
  atp_model_destroy(without);
  atp_model_destroy(head);
  atp_model_destroy(same);
  atp_model_destroy(potts);
  atp_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_order, setup, teardown),    cmocka_unit_test_setup_teardown(test_probabilities, setup, teardown),
      cmocka_unit_test_setup_teardown(test_states, setup, teardown),   cmocka_unit_test_setup_teardown(test_files, setup, teardown),
      cmocka_unit_test_setup_teardown(test_samplers, setup, teardown), cmocka_unit_test_setup_teardown(test_mutants, setup, teardown),
      cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
