/* SPDX-License-Identifier: MIT */
/* A build without BLIS and LAPACK: what needs them says so, the rest works. */
#include "api_support.h"
#include "task_support.h"

enum { P = 2, N = 1 };

static const double alphas[N] = {1}, ones[P] = {1, 1}, covariance[P * P] = {1, 0.5, 0.5, 1}, diagonal[P * P] = {2, 0, 0, 1};

static void test_unsupported(void **state) {
  double values[P], projections[P], rows[N * ATP_REPLICA_SIM_COLUMNS];
  atp_masked *masked = NULL;
  assert_int_equal(atp_has_feature("blis"), 0);
  assert_int_equal(atp_has_feature("lapack"), 0);
  assert_string_equal(atp_blas_description(), "none");
  assert_int_equal(atp_masked_create(*state, covariance, ones, P, 1, &masked), ATP_OK);
  assert_int_equal(atp_masked_spectrum(masked, values, projections, P), ATP_E_UNSUPPORTED);
  assert_error(*state, "this build has no BLIS and LAPACK (Meson option linalg)");
  atp_masked_destroy(masked);
  /* The spectrum of a diagonal matrix takes no LAPACK. */
  assert_int_equal(atp_masked_create(*state, diagonal, ones, P, 1, &masked), ATP_OK);
  assert_int_equal(atp_masked_spectrum(masked, values, projections, P), ATP_OK);
  assert_true(values[0] + values[1] == 3 && projections[0] == 1 && projections[1] == 1);
  atp_masked_destroy(masked);
  const task_case simulation = {
      ATP_TASK_REPLICA_SIMULATION,
      {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_NOISE, 1}, {ATP_OPT_REALISATIONS, 2}, {0}},
      {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_COVARIANCE, covariance, P, P}, {ATP_ARRAY_WEIGHTS, ones, P, 1}, {0}}};
  assert_int_equal(run_task(*state, &simulation, NULL, NULL, rows, NULL), ATP_E_UNSUPPORTED);
  assert_error(*state, "no BLIS and LAPACK");
}

static void test_error_bars(void **state) {
  const uint8_t sequences[4] = {0, 1, 1, 0};
  const double couplings[16] = {0};
  double errors[16];
  int64_t bytes = 0;
  atp_alignment *data = NULL;
  atp_model *model = NULL;
  atp_options *options = NULL;
  assert_int_equal(atp_alignment_create(*state, sequences, 2, 2, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_model_create_dense_f64(*state, 2, 2, couplings, NULL, &model), ATP_OK);
  assert_int_equal(atp_options_create(*state, ATP_OWNER_ASYMPTOTICS, &options), ATP_OK);
  assert_int_equal(atp_model_asymptotics(*state, model, data, options, NULL, errors, 16), ATP_E_UNSUPPORTED);
  assert_error(*state, "this build has no BLIS and LAPACK");
  assert_int_equal(atp_model_asymptotics_bytes(*state, model, 2, options, &bytes), ATP_E_UNSUPPORTED);
  assert_int_equal(atp_model_score_errors(*state, model, data, options, -1, errors, 8), ATP_E_UNSUPPORTED);
  atp_options_destroy(options);
  atp_model_destroy(model);
  atp_alignment_destroy(data);
}

/* Mutual information needs no inverse. */
static void test_baselines(void **state) {
  const uint8_t sequences[4] = {0, 1, 1, 0};
  double scores[4];
  atp_alignment *data = NULL;
  atp_model *model = NULL;
  assert_int_equal(atp_alignment_create(*state, sequences, 2, 2, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_mean_field_model(*state, data, NULL, &model), ATP_E_UNSUPPORTED);
  assert_error(*state, "this build has no BLIS and LAPACK");
  assert_null(model);
  assert_int_equal(atp_gaussian_scores(*state, data, NULL, ATP_PAIR_SCORE_FN, -1, scores, 4), ATP_E_UNSUPPORTED);
  assert_int_equal(atp_mutual_information(*state, data, NULL, scores, 4), ATP_OK);
  assert_close(scores[1], log(2), 1e-14, 0);
  atp_alignment_destroy(data);
}

static void test_supported(void **state) {
  double rows[N * ATP_REPLICA_COLUMNS];
  const task_case square = {
      ATP_TASK_REPLICA_SQUARE,
      {{ATP_OPT_LAMBDA, 0.1}, {0}},
      {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, ones, P, 1}, {ATP_ARRAY_PROJECTIONS, ones, P, 1}, {0}}};
  const task_case limit = {
      ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_DIAGONAL_SHIFT, 2.5}, {ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}};
  assert_int_equal(run_task(*state, &square, NULL, NULL, rows, NULL), ATP_OK);
  const task_case potts = {ATP_TASK_REPLICA_POTTS,
                           {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_POINTS, 64}, {0}},
                           {{ATP_ARRAY_ALPHAS, alphas, N, 1},
                            {ATP_ARRAY_EIGENVALUES, ones, P, 1},
                            {ATP_ARRAY_PROJECTIONS, ones, P, 1},
                            {ATP_ARRAY_COLOR_COVARIANCE, covariance, P, P},
                            {0}}};
  assert_int_equal(run_task(*state, &limit, NULL, NULL, rows, NULL), ATP_OK);
  assert_int_equal(run_task(*state, &potts, NULL, NULL, rows, NULL), ATP_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_unsupported, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_error_bars, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_baselines, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_supported, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
