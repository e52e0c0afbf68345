/* SPDX-License-Identifier: MIT */
/* Runs of trainers through the C API: progress, outcomes, wide starts and saved states. */
#include "trainer_support.h"
#include "watched.h"

static void test_run(void **state) {
  fixture *f = *state;
  seen s = {0};
  atp_outcome outcome = ATP_OUTCOME_DIVERGED;
  atp_alignment *test = make_data(f->context, L, Q, 2);
  atp_model *truth = NULL, *model = NULL;
  double loss = 0, objective = 0, value = 0, g[PARAMETERS], norm = 0;
  REFUSED(atp_trainer_run(f->trainer, -1, NULL, NULL, &outcome), ATP_E_VALUE, "epochs");
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_int_equal(atp_trainer_run(f->trainer, 0, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_NONE);
  assert_int_equal(atp_model_create_random(f->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth), ATP_OK);
  assert_int_equal(atp_trainer_set_test(f->trainer, test), ATP_OK);
  assert_int_equal(atp_trainer_set_truth(f->trainer, truth), ATP_OK);
  s.stop_after = 2;
  assert_int_equal(atp_trainer_run(f->trainer, 200, watch, &s, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(atp_trainer_epochs(f->trainer), 2);
  assert_int_equal(atp_trainer_run(f->trainer, 1, watch, &s, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(s.calls, 3);
  atp_trainer_request_stop(f->trainer);
  assert_int_equal(atp_trainer_run(f->trainer, 1, watch, &s, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(s.calls, 3);
  assert_int_equal(atp_trainer_run(f->trainer, 1000, watch, &s, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(s.calls, atp_trainer_epochs(f->trainer));
  assert_int_equal(atp_trainer_gradient(f->trainer, &loss, &objective, g, PARAMETERS), ATP_OK);
  for (int k = 0; k < PARAMETERS; ++k) norm += g[k] * g[k];
  assert_true(sqrt(norm) < 1e-4);
  assert_close(s.gradient, sqrt(norm), 1e-12, 0);
  assert_close(s.train, loss, 1e-15, 0);
  assert_close(s.objective, objective, 1e-15, 0);
  assert_close(s.step, s.calls, 0, 0);
  assert_close(s.total, 200, 0, 0);
  assert_int_equal(atp_trainer_loss(f->trainer, test, &value), ATP_OK);
  assert_close(s.test, value, 0, 0);
  assert_int_equal(atp_model_loss(f->context, truth, test, &value), ATP_OK);
  assert_close(s.optimal, value, 0, 0);
  assert_int_equal(atp_trainer_model(f->trainer, &model), ATP_OK);
  assert_int_equal(atp_model_coupling_error(f->context, model, truth, &value), ATP_OK);
  assert_close(s.error, value, 1e-15, 0);
  assert_true(s.seconds >= 0 && s.rate > 0);
  assert_int_equal(atp_model_heads(model), 1);
  assert_int_equal(atp_model_has_fields(model), 1);
  assert_close(atp_model_beta(model), 1, 0, 0);
  assert_int_equal(atp_model_loss(f->context, model, f->train, &value), ATP_OK);
  assert_close(value, loss, 1e-13, 0);
  REFUSED(atp_trainer_model(f->trainer, NULL), ATP_E_NULL, "out");
  /* Not asked for any more. */
  double x[PARAMETERS];
  get(f->trainer, x);
  x[1] += 1;
  assert_int_equal(atp_trainer_set_parameters(f->trainer, x, PARAMETERS), ATP_OK);
  assert_int_equal(atp_trainer_epochs(f->trainer), 0);
  assert_int_equal(atp_trainer_set_test(f->trainer, NULL), ATP_OK);
  assert_int_equal(atp_trainer_set_truth(f->trainer, NULL), ATP_OK);
  assert_int_equal(atp_trainer_run(f->trainer, 1, watch, &s, &outcome), ATP_OK);
  assert_true(isnan(s.test) && isnan(s.optimal) && isnan(s.error));
  atp_model_destroy(model);
  atp_model_destroy(truth);
  atp_alignment_destroy(test);
}

static void test_outcomes(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD);
  set(f, ATP_OPT_RATE, 1e6);
  set(f, ATP_OPT_EPOCHS, 100);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 100, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  double x[PARAMETERS];
  get(t, x);
  for (int k = 0; k < PARAMETERS; ++k) assert_true(isfinite(x[k]));
  atp_trainer_destroy(t);
  set(f, ATP_OPT_RATE, 1e-6);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 50, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(atp_trainer_epochs(t), 50);
  assert_int_equal(atp_trainer_run(t, 500, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(atp_trainer_epochs(t), 100);
  atp_trainer_destroy(t);
  set(f, ATP_OPT_RATE, 0);
  set(f, ATP_OPT_TOLERANCE, 0.05);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  set(f, ATP_OPT_BATCH, 10);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 100, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_run(t, 0, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  atp_trainer_destroy(t);
}

static void keep_text(atp_log_level level, const char *text, void *user) {
  char *kept = user;
  if (level == ATP_LOG_WARNING) snprintf(kept, 512, "%s", text);
}

/* A call makes at most its epochs, and the option epochs limits the total: a call that asks for more than it leaves is warned. */
static void test_two_limits(void **state) {
  fixture *f = *state;
  char text[512] = "";
  atp_outcome outcome = ATP_OUTCOME_NONE;
  const int optimizers[] = {ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_ADAM};
  OK(atp_context_set_log(f->context, keep_text, text));
  set(f, ATP_OPT_EPOCHS, 6);
  set(f, ATP_OPT_TOLERANCE, 0);
  for (int k = 0; k < 2; ++k) {
    set(f, ATP_OPT_OPTIMIZER, optimizers[k]);
    atp_trainer_destroy(f->trainer);
    OK(atp_trainer_create(f->context, f->train, f->options, &f->trainer));
    OK(atp_trainer_run(f->trainer, 4, NULL, NULL, &outcome));
    assert_true(outcome == ATP_OUTCOME_MAX_ITER && atp_trainer_epochs(f->trainer) == 4);
    OK(atp_trainer_run(f->trainer, 2, NULL, NULL, &outcome));
    assert_true(outcome == ATP_OUTCOME_MAX_ITER && atp_trainer_epochs(f->trainer) == 6);
    OK(atp_trainer_run(f->trainer, INT64_MAX, NULL, NULL, &outcome)); /* to the end, which is here */
    assert_true(outcome == ATP_OUTCOME_MAX_ITER && atp_trainer_epochs(f->trainer) == 6);
    assert_string_equal(text, "");
    OK(atp_trainer_run(f->trainer, 500, NULL, NULL, &outcome));
    assert_true(outcome == ATP_OUTCOME_MAX_ITER && atp_trainer_epochs(f->trainer) == 6);
    if (strstr(text, "0 of the 500 epochs") == NULL || strstr(text, "option epochs is 6") == NULL || strstr(text, "more epochs") == NULL ||
        strstr(text, "resumes") == NULL || strstr(text, "tolerance") == NULL)
      fail_msg("the warning is \"%s\"", text);
    text[0] = 0;
  }
  OK(atp_context_set_log(f->context, NULL, NULL));
}

static void test_start_wide(void **state) {
  fixture *f = *state;
  seen s = {0};
  atp_outcome outcome = ATP_OUTCOME_DIVERGED;
  double x[PARAMETERS], y[PARAMETERS], before = 0, after = 0;
  get(f->trainer, x);
  assert_int_equal(atp_trainer_start_wide(NULL, 4, 10, NULL, NULL, &outcome), ATP_E_NULL);
  REFUSED(atp_trainer_start_wide(f->trainer, 1, 10, NULL, NULL, &outcome), ATP_E_VALUE, "heads is 1");
  REFUSED(atp_trainer_start_wide(f->trainer, 1025, 10, NULL, NULL, &outcome), ATP_E_VALUE, "heads is 1025");
  REFUSED(atp_trainer_start_wide(f->trainer, 4, 0, NULL, NULL, &outcome), ATP_E_VALUE, "iterations");
  get(f->trainer, y);
  assert_memory_equal(x, y, sizeof x);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_int_equal(atp_trainer_gradient(f->trainer, NULL, &before, NULL, 0), ATP_OK);
  assert_int_equal(atp_trainer_run(f->trainer, 2, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_start_wide(f->trainer, 3, 5, watch, &s, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(s.calls, 5);
  assert_close(s.step, 5, 0, 0);
  assert_close(s.total, 5, 0, 0);
  assert_true(s.gradient > 0 && s.objective > s.train && s.train > 0 && isnan(s.test));
  assert_int_equal(atp_trainer_epochs(f->trainer), 0);
  assert_int_equal(atp_trainer_gradient(f->trainer, NULL, &after, NULL, 0), ATP_OK);
  assert_true(after < before);
  atp_trainer *t = NULL;
  set(f, ATP_OPT_COLORS_FIXED, 1);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  REFUSED(atp_trainer_start_wide(t, 4, 10, NULL, NULL, &outcome), ATP_E_CONFLICT, "fixed");
  atp_trainer_destroy(t);
  set(f, ATP_OPT_COLORS_FIXED, 0);
  set(f, ATP_OPT_MAP, ATP_MAP_SOFTMAX);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  REFUSED(atp_trainer_start_wide(t, 4, 10, NULL, NULL, &outcome), ATP_E_CONFLICT, "map");
  atp_trainer_destroy(t);
}

static void test_state(void **state) {
  fixture *f = *state;
  const int64_t size = atp_trainer_state_bytes(f->trainer);
  unsigned char *buffer = calloc(1, (size_t)size + 8);
  double x[PARAMETERS], y[PARAMETERS];
  atp_trainer *other = NULL;
  assert_true(size > PARAMETERS * 8);
  assert_int_equal(atp_trainer_run(f->trainer, 3, NULL, NULL, NULL), ATP_OK);
  get(f->trainer, x);
  REFUSED(atp_trainer_save_state(f->trainer, NULL, size), ATP_E_NULL, "buffer");
  REFUSED(atp_trainer_save_state(f->trainer, buffer, size - 1), ATP_E_BUFFER, "bytes");
  for (int64_t k = 0; k < size; ++k) assert_int_equal(buffer[k], 0);
  assert_int_equal(atp_trainer_save_state(f->trainer, buffer, size + 8), ATP_OK);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &other), ATP_OK);
  get(other, y);
  REFUSED(atp_trainer_load_state(other, NULL, size), ATP_E_NULL, "buffer");
  REFUSED(atp_trainer_load_state(other, buffer, size - 1), ATP_E_FORMAT, "bytes");
  REFUSED(atp_trainer_load_state(other, buffer, 5), ATP_E_FORMAT, "5 bytes");
  buffer[size / 2] ^= 4;
  REFUSED(atp_trainer_load_state(other, buffer, size), ATP_E_CHECKSUM, "damaged");
  buffer[size / 2] ^= 4;
  double z[PARAMETERS];
  get(other, z);
  assert_memory_equal(y, z, sizeof y);
  assert_int_equal(atp_trainer_load_state(other, buffer, size), ATP_OK);
  get(other, z);
  assert_memory_equal(x, z, sizeof x);
  assert_int_equal(atp_trainer_epochs(other), 3);
  assert_int_equal(atp_trainer_run(f->trainer, 5, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_run(other, 5, NULL, NULL, NULL), ATP_OK);
  get(f->trainer, x);
  get(other, z);
  assert_memory_equal(x, z, sizeof x);
  atp_trainer_destroy(other);
  set(f, ATP_OPT_L2_FIELDS, 0.5);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &other), ATP_OK);
  REFUSED(atp_trainer_load_state(other, buffer, size), ATP_E_MISMATCH, "l2-fields");
  atp_trainer_destroy(other);
  atp_sampler *sampler = NULL;
  atp_model *model = NULL;
  assert_int_equal(atp_trainer_model(f->trainer, &model), ATP_OK);
  assert_int_equal(atp_sampler_create(f->context, model, NULL, &sampler), ATP_OK);
  assert_int_not_equal(atp_sampler_load_state(sampler, buffer, size), ATP_OK);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
  free(buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_run), TEST(test_outcomes), TEST(test_two_limits), TEST(test_start_wide), TEST(test_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
