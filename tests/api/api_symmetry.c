/* SPDX-License-Identifier: MIT */
/* Couplings of which only one triangle was filled, and other asymmetric couplings, are sampled with a warning; and the tolerances that
 * model.h and replica.h state. */
#include "api_support.h"

enum { L = 3, Q = 2, N = L * L * Q * Q };

struct messages {
  int count;
  char last[512];
};

static void keep(atp_log_level level, const char *text, void *user) {
  struct messages *messages = user;
  assert_int_equal(level, ATP_LOG_WARNING);
  ++messages->count;
  snprintf(messages->last, sizeof messages->last, "%s", text);
}

static void assert_message(struct messages *messages, const char *part) {
  assert_int_equal(messages->count, part == NULL ? 0 : 1);
  if (part != NULL && strstr(messages->last, part) == NULL) fail_msg("\"%s\" is not in the message \"%s\"", part, messages->last);
  messages->count = 0;
}

/* C_ij(a, b) of the pairs with i < j (1), j < i (2), or both (3). */
static void fill(double *couplings, int which) {
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j)
      for (int a = 0; a < Q; ++a)
        for (int b = 0; b < Q; ++b) {
          const int filled = i < j ? which & 1 : i > j ? which & 2 : 0;
          couplings[((i * L + j) * Q + a) * Q + b] = filled ? (a == b ? 1 : -0.5) * (i + j) : 0;
        }
}

/* A sampler of the model logs `part`; the model is freed. */
static void sample(atp_context *context, atp_model *model, struct messages *messages, const char *part) {
  atp_sampler *sampler;
  assert_int_equal(atp_sampler_create(context, model, NULL, &sampler), ATP_OK);
  assert_message(messages, part);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
}

static void one_triangle(void **state) {
  atp_context *context = *state;
  struct messages messages = {0};
  static const char *const texts[] = {NULL, "only the pairs with i < j are filled", "only the pairs with j < i are filled", NULL};
  assert_int_equal(atp_context_set_log(context, keep, &messages), ATP_OK);
  for (int which = 0; which < 4; ++which) {
    double couplings[N];
    float single[N];
    atp_model *model;
    fill(couplings, which);
    for (int k = 0; k < N; ++k) single[k] = (float)couplings[k];
    assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, NULL, &model), ATP_OK);
    assert_message(&messages, texts[which]);
    assert_int_equal(atp_model_is_symmetric(model), texts[which] == NULL);
    sample(context, model, &messages, texts[which]);
    assert_int_equal(atp_model_create_dense_f32(context, L, Q, single, NULL, &model), ATP_OK);
    assert_message(&messages, texts[which]);
    sample(context, model, &messages, texts[which]);
    const int64_t shape[] = {L, Q, 1};
    const double up = which & 1 ? 1 : 0, down = which & 2 ? 1 : 0, maps[] = {0, up, up, down, 0, up, down, down, 0},
                 values[] = {1, 0, 0, 1};
    assert_int_equal(atp_model_create_heads(context, shape, maps, values, NULL, &model), ATP_OK);
    assert_message(&messages, texts[which]);
    sample(context, model, &messages, texts[which]);
  }
}

static void asymmetric_couplings(void **state) {
  atp_context *context = *state;
  struct messages messages = {0};
  double couplings[N];
  atp_model *model;
  assert_int_equal(atp_context_set_log(context, keep, &messages), ATP_OK);
  fill(couplings, 3);
  couplings[4] += 0.25; /* C_01(0, 0) */
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, NULL, &model), ATP_OK);
  assert_message(&messages, NULL);
  sample(context, model, &messages, "not symmetric");
}

static int is_symmetric(atp_context *context, double relative) {
  double couplings[N];
  atp_model *model;
  fill(couplings, 3);
  couplings[4] += relative * 3; /* the largest coupling is 3 */
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, NULL, &model), ATP_OK);
  const int symmetric = atp_model_is_symmetric(model);
  atp_model_destroy(model);
  return symmetric;
}

static void tolerance_of_models(void **state) {
  atp_context *context = *state;
  assert_int_equal(is_symmetric(context, 0.9e-12), 1);
  assert_int_equal(is_symmetric(context, 1.1e-12), 0);
}

/* |S_ij - S_ji| <= 1e-10 (|S_ij| + |S_ji| + sqrt(S_ii S_jj)), here 1e-10 (1 + 4). */
static void tolerance_of_covariances(void **state) {
  atp_context *context = *state;
  static const struct {
    double difference;
    atp_status status;
  } cases[] = {{0, ATP_OK}, {1e-11, ATP_OK}, {4.9e-10, ATP_OK}, {5.1e-10, ATP_E_SYMMETRY}, {1e-6, ATP_E_SYMMETRY}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const double covariance[] = {2, 0.5, 0.5 + cases[k].difference, 8}, weights[] = {1, 1};
    atp_masked *masked;
    assert_int_equal(atp_masked_create(context, covariance, weights, 2, 1, &masked), cases[k].status);
    atp_masked_destroy(masked);
  }
}

enum { SITES = 4, SQUARE = SITES * SITES };

/* Scores 10 i + j of the pairs i < j: with both triangles (3), those above (1) or below (2) the diagonal, `other` in place of the rest. */
static void matrix(double *m, int which, double other) {
  for (int i = 0; i < SITES; ++i)
    for (int j = 0; j < SITES; ++j) {
      const int there = i < j ? which & 1 : i > j ? which & 2 : 0;
      m[i * SITES + j] = there ? 10 * (i < j ? i : j) + (i < j ? j : i) : i == j ? 0 : other;
    }
}

/* The status of all calls that take a matrix of scores or distances. On success the best pair and its correction are those of the full
 * matrix; on failure nothing was written. */
static atp_status take(const double *m) {
  int64_t pairs[2] = {-7, -7}, count = -7;
  double corrected[SQUARE] = {-7}, full[SQUARE], expected[SQUARE], curve[3] = {-7, -7, -7};
  const int64_t first[6] = {0, 1, 2, 0, 3, 2}; /* distances 1, 2 and 23 */
  matrix(full, 3, 0);
  assert_int_equal(atp_scores_apc(full, SITES, expected, SQUARE), ATP_OK);
  const int64_t rule[2] = {1, 0};
  const atp_status status = atp_scores_rank(m, SITES, NULL, rule, pairs, 1, &count);
  assert_int_equal(atp_scores_apc(m, SITES, corrected, SQUARE), status);
  assert_int_equal(atp_pairs_precision(first, 3, m, SITES, 2, ATP_ABSENT_EXCLUDED, curve), status);
  if (status == ATP_OK) {
    assert_true(count == 1 && pairs[0] == 2 && pairs[1] == 3);
    for (int k = 0; k < SQUARE; ++k) assert_close(corrected[k], expected[k], 0, 0.3);
    assert_true(curve[0] == 1 && curve[1] == 0.5 && curve[2] == 1 / 3.);
  } else {
    assert_true(count == -7 && pairs[0] == -7 && corrected[0] == -7 && curve[0] == -7);
  }
  return status;
}

static void assert_last_error(const char *part) {
  char text[512];
  atp_last_error(text, sizeof text);
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void matrices_of_pairs(void **state) {
  (void)state;
  double m[SQUARE];
  matrix(m, 3, 0);
  assert_int_equal(take(m), ATP_OK);
  for (int which = 1; which < 3; ++which) {
    matrix(m, which, 0);
    assert_int_equal(take(m), ATP_E_SYMMETRY);
    assert_last_error(which == 1 ? "distances[1][0] is 0 and [0][1] 1, must be equal in a symmetric matrix: only one triangle"
                                 : "distances[1][0] is 1 and [0][1] 0, must be equal in a symmetric matrix: only one triangle");
    matrix(m, which, NAN); /* is completed */
    assert_int_equal(take(m), ATP_OK);
  }
  /* One element alone, and the rounding of other programs: 0.02 (|X_ij| + |X_ji| + mean), here with a mean of 9. */
  static const struct {
    double difference;
    atp_status status;
  } cases[] = {{1e-6, ATP_OK}, {0.2, ATP_OK}, {0.25, ATP_E_SYMMETRY}, {2, ATP_E_SYMMETRY}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    matrix(m, 3, 0);
    m[SITES] += cases[k].difference;
    assert_int_equal(take(m), cases[k].status);
  }
  assert_last_error("distances[1][0] is 3 and [0][1] 1, must be equal");
  char text[512];
  atp_last_error(text, sizeof text);
  assert_null(strstr(text, "triangle"));
}

static void covariances_of_one_triangle(void **state) {
  (void)state;
  const double lower[4] = {1, 0, 0.5, 1}, bent[4] = {1, 0.25, 0.5, 1}, good[4] = {1, 0.5, 0.5, 1}, unknown[4] = {1, NAN, 0.5, 1};
  assert_int_equal(atp_symmetric_check(good, 2, ATP_SYMMETRIC_COVARIANCE), ATP_OK);
  assert_int_equal(atp_symmetric_check(lower, 2, ATP_SYMMETRIC_COVARIANCE), ATP_E_SYMMETRY);
  assert_last_error("matrix[1][0] is 0.5 and [0][1] 0, must be equal in a symmetric matrix: only one triangle is filled");
  assert_int_equal(atp_symmetric_check(bent, 2, ATP_SYMMETRIC_COVARIANCE), ATP_E_SYMMETRY);
  assert_int_equal(atp_symmetric_check(unknown, 2, ATP_SYMMETRIC_COVARIANCE), ATP_E_NOT_FINITE);
  const double far[4] = {NAN, NAN, NAN, NAN}, half[4] = {9, NAN, 0.5, 9}, rounded[4] = {9, 0.51, 0.5, 9}, apart[4] = {9, 0.6, 0.5, 9};
  assert_int_equal(atp_symmetric_check(far, 2, ATP_SYMMETRIC_DISTANCES), ATP_OK);
  assert_int_equal(atp_symmetric_check(far, 2, ATP_SYMMETRIC_SCORES), ATP_E_NOT_FINITE);
  assert_int_equal(atp_symmetric_check(half, 2, ATP_SYMMETRIC_SCORES), ATP_OK);
  assert_int_equal(atp_symmetric_check(rounded, 2, ATP_SYMMETRIC_SCORES), ATP_OK);
  assert_int_equal(atp_symmetric_check(apart, 2, ATP_SYMMETRIC_SCORES), ATP_E_SYMMETRY);
  assert_int_equal(atp_symmetric_check(good, 2, (atp_symmetric)0), ATP_E_VALUE);
  assert_int_equal(atp_symmetric_check(good, 2, (atp_symmetric)4), ATP_E_VALUE);
  assert_int_equal(atp_symmetric_check(good, 0, ATP_SYMMETRIC_COVARIANCE), ATP_E_VALUE);
  assert_int_equal(atp_symmetric_check(good, 65537, ATP_SYMMETRIC_COVARIANCE), ATP_E_VALUE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrices_of_pairs),
    cmocka_unit_test(covariances_of_one_triangle),
    cmocka_unit_test_setup_teardown(one_triangle, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(asymmetric_couplings, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(tolerance_of_models, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(tolerance_of_covariances, context_setup, context_teardown),
};

ATP_TEST_MAIN(tests)
