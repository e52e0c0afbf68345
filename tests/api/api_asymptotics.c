/* SPDX-License-Identifier: MIT */
/* Expected excess losses and standard errors through the C API: what is refused, threads, beta, and alignments beside sums over states. */
#include "api_support.h"

enum { SITES = 4, COLORS = 3, COUPLINGS = SITES * SITES * COLORS * COLORS, SCORES = 2 * SITES * SITES, STATES = 81 };

static atp_model *random_model(atp_context *context, double beta) {
  atp_model *model = NULL;
  assert_int_equal(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &model), ATP_OK);
  assert_int_equal(atp_model_set_beta(model, beta), ATP_OK);
  return model;
}

/* All states, weighted by 100 times their probabilities. */
static atp_alignment *all_states(atp_context *context, const atp_model *model) {
  uint8_t states[STATES * SITES];
  double weights[STATES];
  for (int64_t k = 0; k < STATES; ++k)
    for (int64_t i = SITES - 1, rest = k; i >= 0; --i, rest /= COLORS) states[k * SITES + i] = (uint8_t)(rest % COLORS);
  assert_int_equal(atp_model_probabilities(model, weights, STATES), ATP_OK);
  for (int64_t k = 0; k < STATES; ++k) weights[k] *= 100;
  atp_alignment *alignment = NULL;
  assert_int_equal(atp_alignment_create(context, states, STATES, SITES, COLORS, weights, &alignment), ATP_OK);
  return alignment;
}

static atp_options *bag(atp_context *context, const char *text) {
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_ASYMPTOTICS, &options), ATP_OK);
  assert_int_equal(atp_options_set_text(options, text), ATP_OK);
  return options;
}

/* An alignment of all states gives what their sum gives, with M the sum of its weights; any number of threads the same bits. */
static void alignments_and_threads(void **state) {
  atp_context *context = *state;
  atp_model *model = random_model(context, 0.8);
  atp_alignment *states = all_states(context, model);
  atp_options *hundred = bag(context, "samples=100");
  atp_table *table = NULL;
  double errors[3][COUPLINGS], rows[3][ATP_ASYMPTOTICS_COLUMNS], all[3 * ATP_ASYMPTOTICS_COLUMNS];
  assert_int_equal(atp_table_create(context, ATP_TABLE_ASYMPTOTICS, 3, &table), ATP_OK);
  assert_int_equal(atp_model_asymptotics(context, model, NULL, hundred, table, errors[0], COUPLINGS), ATP_OK);
  assert_int_equal(atp_model_asymptotics(context, model, states, NULL, table, errors[1], COUPLINGS), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 3), ATP_OK);
  assert_int_equal(atp_model_asymptotics(context, model, states, NULL, table, errors[2], COUPLINGS), ATP_OK);
  assert_int_equal(atp_table_values(table, all, 3 * ATP_ASYMPTOTICS_COLUMNS), ATP_OK);
  memcpy(rows, all, sizeof rows);
  for (int k = 0; k < ATP_ASYMPTOTICS_COLUMNS; ++k) assert_close(rows[0][k], rows[1][k], 1e-8, 1e-12);
  assert_close(rows[1][ATP_ASYMPTOTICS_SAMPLES], 100, 1e-12, 0);
  assert_memory_equal(rows[1], rows[2], sizeof rows[1]);
  assert_memory_equal(errors[1], errors[2], sizeof errors[1]);
  assert_int_equal(atp_model_asymptotics(context, model, states, NULL, table, NULL, 0), ATP_E_BUFFER);
  atp_table_destroy(table);
  atp_options_destroy(hundred);
  atp_alignment_destroy(states);
  atp_model_destroy(model);
}

/* Errors of couplings do not depend on how beta and couplings share their product. */
static void beta_is_in_the_couplings(void **state) {
  atp_context *context = *state;
  atp_model *model = random_model(context, 0.5), *scaled = NULL;
  double couplings[COUPLINGS], one[COUPLINGS], other[COUPLINGS];
  assert_int_equal(atp_model_couplings_f64(model, couplings, COUPLINGS), ATP_OK);
  for (int k = 0; k < COUPLINGS; ++k) couplings[k] *= 0.5;
  assert_int_equal(atp_model_create_dense_f64(context, SITES, COLORS, couplings, NULL, &scaled), ATP_OK);
  atp_options *dense = bag(context, "family=dense");
  assert_int_equal(atp_model_asymptotics(context, model, NULL, dense, NULL, one, COUPLINGS), ATP_OK);
  assert_int_equal(atp_model_asymptotics(context, scaled, NULL, dense, NULL, other, COUPLINGS), ATP_OK);
  for (int k = 0; k < COUPLINGS; ++k) assert_close(one[k], other[k], 1e-9, 0);
  atp_options_destroy(dense);
  atp_model_destroy(scaled);
  atp_model_destroy(model);
}

#define REFUSED(call, status, text) \
  do {                              \
    errors[1] = -7;                 \
    assert_int_equal(call, status); \
    assert_error(context, text);    \
    assert_true(errors[1] == -7);   \
  } while (0)

static void refuse(atp_context *context, const atp_model *model, const char *text, atp_status status, const char *message) {
  double errors[COUPLINGS];
  atp_options *options = bag(context, text);
  REFUSED(atp_model_asymptotics(context, model, NULL, options, NULL, errors, COUPLINGS), status, message);
  atp_options_destroy(options);
}

static void bad_values(void **state) {
  atp_context *context = *state;
  atp_model *model = random_model(context, 0.5), *large = NULL;
  atp_alignment *states = all_states(context, model);
  double errors[COUPLINGS];
  atp_table *table = NULL;
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, 1, &table), ATP_OK);
  REFUSED(atp_model_asymptotics(context, model, NULL, NULL, NULL, errors, COUPLINGS - 1), ATP_E_SHAPE, "size is 143, must be 144");
  REFUSED(atp_model_asymptotics(context, model, NULL, NULL, table, errors, COUPLINGS), ATP_E_CONFLICT, "must be an ATP_TABLE_ASYMPTOTICS");
  refuse(context, model, "objective=autoregressive", ATP_E_CONFLICT, "model is a Potts model: the objective must not be autoregressive");
  refuse(context, model, "mask-probability=0.2", ATP_E_CONFLICT, "random masks belong to mlm");
  refuse(context, model, "asymmetric=1", ATP_E_CONFLICT, "option asymmetric is 1 and the family factored");
  refuse(context, model, "family=dense colors-fixed=1", ATP_E_CONFLICT, "option colors-fixed is 1 and the family dense");
  refuse(context, model, "family=dense asymmetric=1 objective=likelihood", ATP_E_CONFLICT, "which has no regressions");
  refuse(context, model, "family=dense objective=mlm mask-probability=0.2", ATP_E_CONFLICT, "factored attention alone");
  const uint8_t incomplete[2 * SITES] = {1, 2, 0, 3, 2, 2, 1, 3};
  atp_alignment *gaps = NULL;
  assert_int_equal(atp_alignment_create(context, incomplete, 2, SITES, COLORS + 1, NULL, &gaps), ATP_OK);
  atp_options *counted = bag(context, "family=dense l2-couplings=1 l2-fields=1 samples=10");
  REFUSED(atp_model_asymptotics(context, model, gaps, counted, NULL, errors, COUPLINGS), ATP_E_UNSUPPORTED, "alignment has missing sites");
  REFUSED(atp_model_score_errors(context, model, states, counted, -1, errors, SCORES), ATP_E_CONFLICT, "samples is 10");
  atp_options_destroy(counted);
  atp_alignment_destroy(gaps);
  assert_int_equal(atp_model_create_random(context, 24, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &large), ATP_OK);
  atp_options *masks = bag(context, "objective=mlm mask-probability=0.2"), *dense = bag(context, "family=dense"),
              *penalties = bag(context, "family=dense l2-couplings=1 l2-fields=1");
  REFUSED(atp_model_asymptotics(context, large, NULL, NULL, NULL, NULL, 0), ATP_E_TOO_LARGE, "enumeration takes at most 2^26");
  REFUSED(atp_model_asymptotics(context, large, NULL, masks, NULL, NULL, 0), ATP_E_TOO_LARGE, "masks is 0 and the model has 24 sites");
  REFUSED(atp_model_score_errors(context, model, states, dense, -1, errors, SCORES), ATP_E_CONFLICT, "both must be at least 1e-06");
  REFUSED(atp_model_score_errors(context, model, states, penalties, COLORS, errors, SCORES), ATP_E_VALUE, "gap is 3");
  REFUSED(atp_model_score_errors(context, model, states, penalties, -1, errors, SCORES + 1), ATP_E_SHAPE, "size is 33, must be 32");
  REFUSED(atp_model_score_errors(context, large, states, penalties, -1, errors, SCORES), ATP_E_SHAPE, "must be 24");
  assert_int_equal(atp_model_score_errors(context, model, states, penalties, -1, errors, SCORES), ATP_OK);
  for (int i = 0; i < SITES; ++i)
    for (int j = 0; j < SITES; ++j) assert_true(i == j ? errors[i * SITES + j] == 0 : errors[i * SITES + j] > 0);
  atp_options_destroy(masks);
  atp_options_destroy(dense);
  atp_options_destroy(penalties);
  atp_table_destroy(table);
  atp_alignment_destroy(states);
  atp_model_destroy(large);
  atp_model_destroy(model);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, context_setup, context_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(alignments_and_threads),
      TEST(beta_is_in_the_couplings),
      TEST(bad_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
