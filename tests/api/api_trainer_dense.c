/* SPDX-License-Identifier: MIT */
/* Trainers of dense couplings through the C API. */
#include "trainer_support.h"

static void test_dense(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_model *model = NULL, *truth = NULL;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  double x[L * Q + L * (L - 1) / 2 * Q * Q], g[sizeof x / sizeof *x], loss = -1, objective = -1, other = -1;
  enum { DENSE = sizeof x / sizeof *x };
  int64_t sites[N] = {0}, bytes = -7;
  set_dense(f);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), DENSE);
  assert_int_equal(atp_trainer_parameters(t, x, DENSE), ATP_OK);
  /* Fields from frequencies, zero-sum; couplings 0. */
  for (int i = 0; i < L; ++i) assert_close(x[i * Q] + x[i * Q + 1] + x[i * Q + 2], 0, 0, 1e-14);
  for (int k = L * Q; k < DENSE; ++k) assert_true(x[k] == 0);
  /* Invalid calls, and the outputs that they must not change. */
  REFUSED(atp_trainer_set_values(t, x, Q * Q), ATP_E_UNSUPPORTED, "family is dense: there is no V");
  REFUSED(atp_trainer_masked_gradient(t, sites, N, &loss, &objective, g, DENSE), ATP_E_UNSUPPORTED,
          "family is dense: there are no losses of single masked sites");
  REFUSED(atp_trainer_start_wide(t, 4, 10, NULL, NULL, NULL), ATP_E_UNSUPPORTED, "family is dense: there is no start from more heads");
  REFUSED(atp_trainer_gradient(t, &loss, &objective, g, DENSE - 1), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_parameters(t, x, DENSE + 1), ATP_E_SHAPE, "size");
  assert_true(loss == -1 && objective == -1);
  atp_alignment *longer = make_data(f->context, L + 1, Q, 3);
  REFUSED(atp_trainer_set_test(t, longer), ATP_E_SHAPE, "sites");
  atp_alignment_destroy(longer);
  /* A run, its model and its state. */
  assert_int_equal(atp_trainer_run(t, 20, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(atp_trainer_gradient(t, &loss, &objective, g, DENSE), ATP_OK);
  assert_int_equal(atp_trainer_loss(t, f->train, &other), ATP_OK);
  assert_close(loss, other, 1e-12, 0);
  assert_true(objective > loss * N * L);
  assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
  assert_int_equal(atp_model_heads(model), 0);
  assert_int_equal(atp_model_loss(f->context, model, f->train, &other), ATP_OK);
  assert_close(loss, other, 1e-12, 0);
  atp_model_destroy(model);
  atp_trainer_destroy(t);
  /* Gaps that are ignored: a colour less. */
  set(f, ATP_OPT_GAPS, ATP_GAPS_IGNORE);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), L * (Q - 1) + L * (L - 1) / 2 * (Q - 1) * (Q - 1));
  assert_int_equal(atp_model_create_random(f->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth), ATP_OK);
  REFUSED(atp_trainer_set_truth(t, truth), ATP_E_SHAPE, "colours");
  atp_model_destroy(truth);
  assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
  assert_int_equal(atp_model_colors(model), Q - 1);
  atp_model_destroy(model);
  atp_trainer_destroy(t);
  REFUSED(atp_trainer_bytes(f->context, N, L, 2, f->options, &bytes), ATP_E_CONFLICT, "one is left");
  /* Options of the other family. */
  const struct {
    atp_option key;
    double value, back;
    const char *part;
  } wrong[] = {{ATP_OPT_MOMENTUM, 0.5, 0, "only sgd has momentum"},
               {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, "option objective is mlm"},
               {ATP_OPT_HEADS, 2, 1, "heads"},
               {ATP_OPT_MAP, ATP_MAP_SOFTMAX, ATP_MAP_FREE, "map"},
               {ATP_OPT_COLORS_FIXED, 1, 0, "colors-fixed"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    set(f, wrong[k].key, wrong[k].value);
    t = (atp_trainer *)(uintptr_t)64;
    REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, wrong[k].part);
    assert_null(t);
    set(f, wrong[k].key, wrong[k].back);
  }
  set(f, ATP_OPT_GAPS, ATP_GAPS_STATE);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_FACTORED);
  set(f, ATP_OPT_ASYMMETRIC, 1);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "asymmetric");
  /* Batches belong to one problem. */
  set_dense(f);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "asymmetric is 1 and optimizer is adam");
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  /* Asymmetric: an epoch is a site. */
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_parameter_count(t), L * (Q + (L - 1) * Q * Q));
  assert_int_equal(atp_trainer_run(t, 2, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(atp_trainer_epochs(t), 2);
  assert_int_equal(atp_trainer_run(t, 100, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(atp_trainer_epochs(t), L);
  atp_trainer_destroy(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_dense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
