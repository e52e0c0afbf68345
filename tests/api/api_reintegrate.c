/* SPDX-License-Identifier: MIT */
/* Tested sequences and sparse couplings of the likelihood through the C API: the log's columns, restarts, and every refusal. */
#include "families.h"
#include "trainer_support.h"

static atp_trainer *make(fixture *f, int sparsify) {
  atp_trainer *t = NULL;
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD);
  set(f, ATP_OPT_CHAINS, 64);
  set(f, ATP_OPT_EPOCHS, 30);
  set(f, ATP_OPT_SPARSIFY, sparsify);
  assert_int_equal(atp_options_set_f64(f->options, ATP_OPT_TARGET, 1), ATP_OK);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  return t;
}

static void tested_sequences(void **state) {
  fixture *f = *state;
  atp_trainer *t = make(f, ATP_SPARSIFY_NONE);
  const int64_t n = atp_alignment_count(f->train), size = atp_trainer_parameter_count(t);
  double *adjustments = malloc((size_t)n * sizeof *adjustments), *start = malloc((size_t)size * sizeof *start),
         *after = malloc((size_t)size * sizeof *after);
  atp_alignment *other = NULL;
  const uint8_t short_sequences[2 * 2] = {0, 1, 1, 0};
  assert_int_equal(atp_alignment_create(f->context, short_sequences, 2, 2, Q, NULL, &other), ATP_OK);
  for (int64_t k = 0; k < n; ++k) adjustments[k] = k % 3 == 0 ? -1 : 1;
  assert_int_equal(atp_trainer_parameters(t, start, size), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, NULL), ATP_OK);
  REFUSED(atp_trainer_reintegrate(t, other, adjustments, 2, 1), ATP_E_SHAPE, "tested has 2 sites");
  REFUSED(atp_trainer_reintegrate(t, f->train, adjustments, n - 1, 1), ATP_E_SHAPE, "n is");
  REFUSED(atp_trainer_reintegrate(t, f->train, adjustments, n, -1), ATP_E_VALUE, "strength is -1");
  REFUSED(atp_trainer_reintegrate(t, f->train, adjustments, n, NAN), ATP_E_NOT_FINITE, "strength");
  adjustments[4] = INFINITY;
  REFUSED(atp_trainer_reintegrate(t, f->train, adjustments, n, 1), ATP_E_NOT_FINITE, "adjustments[4] is inf");
  for (int64_t k = 0; k < n; ++k) adjustments[k] = -1;
  REFUSED(atp_trainer_reintegrate(t, f->train, adjustments, n, 0), ATP_E_VALUE, "1 + strength * mean is 0, must be above 0");
  REFUSED(atp_trainer_reintegrate(f->trainer, f->train, adjustments, n, 0.5), ATP_E_UNSUPPORTED, "only the objective likelihood");
  assert_int_equal(atp_trainer_epochs(t), 3);
  for (int64_t k = 0; k < n; ++k) adjustments[k] = k % 3 == 0 ? -1 : 1;
  assert_int_equal(atp_trainer_reintegrate(t, f->train, adjustments, n, 0.5), ATP_OK);
  assert_int_equal(atp_trainer_epochs(t), 0);
  assert_int_equal(atp_trainer_parameters(t, after, size), ATP_OK);
  assert_memory_equal(start, after, (size_t)size * sizeof *start);
  assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, NULL), ATP_OK);
  atp_alignment_destroy(other);
  free(adjustments);
  free(start);
  free(after);
  atp_trainer_destroy(t);
}

/* Density and gain of each report: 0 and nothing, until couplings become active after ten steps; 1 and less, with losses. */
static void sparse_couplings(void **state) {
  fixture *f = *state;
  for (int rule = ATP_SPARSIFY_NONE; rule <= ATP_SPARSIFY_DECIMATE; ++rule) {
    atp_trainer *t = make(f, rule);
    atp_table *log = NULL;
    double density[30], gain[30];
    assert_int_equal(atp_table_create(f->context, ATP_TABLE_TRAINING_LOG, 30, &log), ATP_OK);
    assert_int_equal(atp_trainer_set_log(t, log), ATP_OK);
    assert_int_equal(atp_trainer_run(t, 30, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_table_column(log, "density", density, 30), ATP_OK);
    assert_int_equal(atp_table_column(log, "gain", gain, 30), ATP_OK);
    for (int k = 0; k < 30; ++k) {
      if (rule == ATP_SPARSIFY_NONE) assert_true(isnan(density[k]) && isnan(gain[k]));
      if (rule == ATP_SPARSIFY_ACTIVATE && k % 10 != 9) assert_true(density[k] == (k < 9 ? 0 : density[k - 1]) && isnan(gain[k]));
      if (rule == ATP_SPARSIFY_ACTIVATE && k % 10 == 9) assert_true(density[k] > density[k - 1] && gain[k] > 0);
      if (rule == ATP_SPARSIFY_DECIMATE && k % 2 == 1) assert_true(density[k] < density[k - 1] && gain[k] < 0);
    }
    atp_table_destroy(log);
    atp_trainer_destroy(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(tested_sequences), TEST(sparse_couplings)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
