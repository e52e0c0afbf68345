/* SPDX-License-Identifier: MIT */
/* While a trainer or a network reads an alignment, its weights do not change. */
#include "api_support.h"

enum { N = 12, L = 4, Q = 3 };

static atp_alignment *make(atp_context *context) {
  uint8_t sequences[N * L];
  atp_alignment *a = NULL;
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)(k * k / 3 % Q);
  assert_int_equal(atp_alignment_create(context, sequences, N, L, Q, NULL, &a), ATP_OK);
  return a;
}

/* The weights can, or cannot, be set. */
static void expect(atp_context *context, atp_alignment *a, int borrowers) {
  double weights[N];
  char text[64];
  for (int k = 0; k < N; ++k) weights[k] = 0.5;
  const double before = atp_alignment_weights_view(a)[0];
  if (borrowers == 0) {
    assert_int_equal(atp_alignment_set_weights(a, weights, N), ATP_OK);
    assert_int_equal(atp_alignment_weigh(a, 0.2, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL), ATP_OK);
    return;
  }
  snprintf(text, sizeof text, "in use by %d trainers", borrowers);
  assert_int_equal(atp_alignment_set_weights(a, weights, N), ATP_E_STAGE);
  assert_error(context, text);
  assert_int_equal(atp_alignment_weigh(a, 0.2, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL), ATP_E_STAGE);
  assert_error(context, text);
  assert_true(atp_alignment_weights_view(a)[0] == before);
  assert_int_equal(atp_alignment_set_weights(a, NULL, N), ATP_E_NULL); /* the arguments come first */
}

static void weights_of_borrowed_alignments_stay(void **state) {
  atp_context *context = *state, *other = NULL;
  atp_options *options = NULL;
  atp_alignment *a = make(context), *b = make(context);
  atp_trainer *trainer[4] = {NULL};
  atp_trainer *network = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &other), ATP_OK);
  for (int family = 0; family < 3; ++family) {
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, family == 0 ? ATP_FAMILY_FACTORED : ATP_FAMILY_DENSE), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, family == 2), ATP_OK);
    expect(context, a, 0);
    assert_int_equal(atp_trainer_create(context, a, options, &trainer[0]), ATP_OK);
    assert_int_equal(atp_trainer_create(other, a, options, &trainer[1]), ATP_OK); /* of another context, too */
    expect(context, a, 2);
    expect(context, b, 0);
    assert_int_equal(atp_trainer_set_test(trainer[0], b), ATP_OK);
    expect(context, b, 1);
    assert_int_equal(atp_trainer_set_test(trainer[0], b), ATP_OK); /* the same once more */
    expect(context, b, 1);
    assert_int_equal(atp_trainer_set_test(trainer[0], a), ATP_OK);
    expect(context, b, 0);
    expect(context, a, 3);
    assert_int_equal(atp_trainer_set_test(trainer[0], NULL), ATP_OK);
    assert_int_equal(atp_trainer_set_test(trainer[1], b), ATP_OK);
    atp_trainer_destroy(trainer[0]);
    expect(context, a, 1);
    atp_trainer_destroy(trainer[1]);
    expect(context, b, 0);
  }
  expect(context, a, 0);
  renew(&options, ATP_OWNER_TRAINER);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_WIDTH, 2), ATP_OK);
  assert_int_equal(atp_trainer_create(context, a, options, &network), ATP_OK);
  assert_int_equal(atp_trainer_set_test(network, b), ATP_OK);
  expect(context, a, 1);
  expect(context, b, 1);
  /* Names of sites and the alphabet are no part of the sums. */
  assert_int_equal(atp_alignment_set_alphabet(a, "-AB"), ATP_OK);
  atp_trainer_destroy(network);
  expect(context, a, 0);
  expect(context, b, 0);
  atp_context_destroy(other);
  atp_options_destroy(options);
  atp_alignment_destroy(a);
  atp_alignment_destroy(b);
}

/* A trainer that could not be made has borrowed nothing. */
static void failures_borrow_nothing(void **state) {
  atp_context *context = *state;
  atp_options *options = NULL;
  atp_alignment *a = make(context);
  atp_trainer *trainer = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM), ATP_OK);
  assert_int_equal(atp_trainer_create(context, a, options, &trainer), ATP_E_CONFLICT);
  expect(context, a, 0);
  atp_options_destroy(options);
  atp_alignment_destroy(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(weights_of_borrowed_alignments_stay, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(failures_borrow_nothing, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
