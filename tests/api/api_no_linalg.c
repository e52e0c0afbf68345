/* SPDX-License-Identifier: MIT */
/* A build without BLIS and LAPACK: what needs them says so, the rest works. */
#include "api_support.h"

enum { P = 2 };

static void test_unsupported(void **state) {
  const double covariance[P * P] = {1, 0, 0, 1}, teacher[P] = {1, 1}, alphas[1] = {1};
  double eigenvalues[P], projections[P], work[64], rows[ATP_REPLICA_SIM_COLUMNS];
  int64_t doubles = 0;
  assert_int_equal(atp_has_feature("blis"), 0);
  assert_int_equal(atp_has_feature("lapack"), 0);
  assert_string_equal(atp_blas_description(), "none");
  assert_int_equal(atp_replica_spectrum_workspace(P, &doubles), ATP_OK);
  assert_true(doubles <= 64);
  assert_int_equal(atp_replica_spectrum(covariance, P * P, teacher, P, eigenvalues, projections, P, work, 64), ATP_E_UNSUPPORTED);
  char text[512];
  atp_last_error(text, sizeof text);
  assert_string_equal(text, "this build has no BLIS and LAPACK (Meson option linalg)");
  assert_int_equal(
      atp_replica_simulate(*state, covariance, P * P, teacher, P, 0, alphas, 1, 0.1, 1, 1, NULL, NULL, rows, ATP_REPLICA_SIM_COLUMNS, NULL),
      ATP_E_UNSUPPORTED);
  assert_error(*state, "no BLIS and LAPACK");
}

static void test_supported(void **state) {
  (void)state;
  const double eigenvalues[P] = {1, 2}, projections[P] = {1, 1}, alphas[1] = {1};
  double rows[ATP_REPLICA_COLUMNS];
  assert_int_equal(atp_replica_square(eigenvalues, P, projections, P, 0, alphas, 1, 0.1, 0, rows, ATP_REPLICA_COLUMNS, NULL), ATP_OK);
  assert_int_equal(atp_replica_limit(2.5, alphas, 1, 0.1, 0, rows, ATP_REPLICA_COLUMNS, NULL), ATP_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_unsupported, context_setup, context_teardown),
      cmocka_unit_test(test_supported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
