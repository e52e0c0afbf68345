/* SPDX-License-Identifier: MIT */
/* Autoregressive trainers through the C API: orders, the model and its probabilities, wide starts, and every refusal. */
#include "families.h"
#include "trainer_support.h"

static const int64_t orders[2][L] = {{3, 0, 4, 1, 2}, {0, 1, 2, 3, 4}};

/* kind 0: factored, 1: dense, 2: dense, site by site, 3: two heads with one V. */
static atp_trainer *make(fixture *f, int kind) {
  atp_trainer *t = NULL;
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE);
  set(f, ATP_OPT_PRECISION, 64);
  if (kind == 0) set(f, ATP_OPT_FIELDS, 1), set(f, ATP_OPT_L2_PAIRS, 0.01);
  if (kind == 1 || kind == 2) set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  if (kind == 2) set(f, ATP_OPT_ASYMMETRIC, 1);
  if (kind == 3) set(f, ATP_OPT_HEADS, 2), set(f, ATP_OPT_VALUES_SHARED, 1), set(f, ATP_OPT_L2_COUPLINGS, 0.001);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
  return t;
}

/* The model has the order that was set, no couplings of a site to later ones, and the trainer's loss: -log P / L. */
static void the_model(void **state) {
  fixture *f = *state;
  for (int kind = 0; kind < 4; ++kind)
    for (int k = 0; k < 2; ++k) {
      atp_trainer *t = make(f, kind);
      atp_model *model = NULL;
      int64_t order[L], place[L];
      double couplings[L * L * Q * Q], loss, of_model, filled = 0;
      assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, NULL), ATP_OK);
      assert_int_equal(atp_trainer_set_order(t, orders[k], L), ATP_OK);
      assert_int_equal(atp_trainer_epochs(t), 0);
      assert_int_equal(atp_trainer_run(t, kind == 2 ? L : 20, NULL, NULL, NULL), ATP_OK);
      assert_int_equal(atp_trainer_model(t, &model), ATP_OK);
      assert_int_equal(atp_model_is_ordered(model), 1);
      assert_int_equal(atp_model_order(model, order, L), ATP_OK);
      assert_memory_equal(order, orders[k], sizeof order);
      for (int64_t n = 0; n < L; ++n) place[order[n]] = n;
      assert_int_equal(atp_model_couplings_f64(model, couplings, L * L * Q * Q), ATP_OK);
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j)
          for (int64_t m = 0; m < Q * Q; ++m) {
            const double c = couplings[(i * L + j) * Q * Q + m];
            if (place[j] >= place[i]) assert_true(c == 0);
            filled += fabs(c);
          }
      assert_true(filled > 0.1);
      assert_int_equal(atp_trainer_loss(t, f->train, &loss), ATP_OK);
      assert_int_equal(atp_model_loss(f->context, model, f->train, &of_model), ATP_OK);
      assert_close(loss, of_model, 1e-12, 0);
      atp_model_destroy(model);
      atp_trainer_destroy(t);
    }
}

/* A truth must be autoregressive; its loss is reported always, the coupling error where it has the trainer's order. */
static void a_truth(void **state) {
  fixture *f = *state;
  for (int kind = 0; kind < 2; ++kind) {
    atp_trainer *t = make(f, kind), *teacher = make(f, kind);
    atp_model *truth = NULL, *potts = NULL;
    atp_table *log = NULL;
    assert_int_equal(atp_trainer_set_order(teacher, orders[0], L), ATP_OK);
    assert_int_equal(atp_trainer_run(teacher, 20, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_model(teacher, &truth), ATP_OK);
    assert_int_equal(atp_trainer_model(f->trainer, &potts), ATP_OK);
    REFUSED(atp_trainer_set_truth(t, potts), ATP_E_CONFLICT, "truth is a Potts model, must be autoregressive");
    REFUSED(atp_trainer_set_truth(f->trainer, truth), ATP_E_CONFLICT, "truth is autoregressive, must be a Potts model");
    assert_int_equal(atp_trainer_set_truth(t, truth), ATP_OK);
    assert_int_equal(atp_trainer_set_test(t, f->train), ATP_OK);
    for (int k = 0; k < 2; ++k) {
      double error, optimal, loss;
      assert_int_equal(atp_trainer_set_order(t, orders[k], L), ATP_OK);
      assert_int_equal(atp_table_create(f->context, ATP_TABLE_TRAINING_LOG, 20, &log), ATP_OK);
      assert_int_equal(atp_trainer_set_log(t, log), ATP_OK);
      assert_int_equal(atp_trainer_run(t, 20, NULL, NULL, NULL), ATP_OK);
      const int64_t last = atp_table_rows(log) - 1;
      assert_int_equal(atp_table_value(log, last, ATP_TRAINING_COUPLING_ERROR, &error), ATP_OK);
      assert_int_equal(atp_table_value(log, last, ATP_TRAINING_OPTIMAL_LOSS, &optimal), ATP_OK);
      assert_int_equal(atp_trainer_loss(teacher, f->train, &loss), ATP_OK);
      assert_close(optimal, loss, 1e-12, 0);
      if (k == 0) assert_true(error < 1e-20); /* the same training */
      if (k == 1) assert_true(isnan(error));
      assert_int_equal(atp_trainer_set_log(t, NULL), ATP_OK);
      atp_table_destroy(log);
    }
    atp_trainer_destroy(t);
    atp_trainer_destroy(teacher);
    atp_model_destroy(truth);
    atp_model_destroy(potts);
  }
}

/* A start from more heads keeps the order; one of another order is refused. */
static void a_wide_start(void **state) {
  fixture *f = *state;
  atp_trainer *t = make(f, 0), *by_hand = make(f, 0), *wide = NULL;
  double x[PARAMETERS], y[PARAMETERS];
  set(f, ATP_OPT_HEADS, 4);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &wide), ATP_OK);
  assert_int_equal(atp_trainer_set_order(t, orders[0], L), ATP_OK);
  assert_int_equal(atp_trainer_set_order(by_hand, orders[0], L), ATP_OK);
  assert_int_equal(atp_trainer_set_order(wide, orders[1], L), ATP_OK);
  REFUSED(atp_trainer_start_from(by_hand, wide), ATP_E_CONFLICT, "the other trainer has another order");
  assert_int_equal(atp_trainer_set_order(wide, orders[0], L), ATP_OK);
  assert_int_equal(atp_trainer_run(wide, 30, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_trainer_start_from(by_hand, wide), ATP_OK);
  assert_int_equal(atp_trainer_start_wide(t, 4, 30, NULL, NULL, NULL), ATP_OK);
  get(t, x);
  get(by_hand, y);
  assert_memory_equal(x, y, sizeof x);
  /* It is better than a random start. */
  double loss, at_random;
  assert_int_equal(atp_trainer_loss(t, f->train, &loss), ATP_OK);
  assert_int_equal(atp_trainer_set_order(t, orders[0], L), ATP_OK);
  assert_int_equal(atp_trainer_loss(t, f->train, &at_random), ATP_OK);
  if (!(loss < at_random - 0.05)) print_error("%g, at random %g\n", loss, at_random);
  assert_true(loss < at_random - 0.05);
  atp_trainer_destroy(t);
  atp_trainer_destroy(by_hand);
  atp_trainer_destroy(wide);
}

static int no_sum(double *values, int64_t count, void *user) {
  (void)values, (void)count, (void)user;
  return 0;
}

static void refusals(void **state) {
  fixture *f = *state;
  const int64_t twice[L] = {0, 1, 2, 1, 4}, outside[L] = {0, 1, 5, 3, 4}, below[L] = {0, 1, -1, 3, 4};
  const int masked = ATP_OBJECTIVE_AUTOREGRESSIVE;
  const int64_t sites[N] = {0};
  for (int kind = 0; kind < 3; ++kind) {
    atp_trainer *t = make(f, kind);
    const int64_t n = atp_trainer_parameter_count(t);
    double *before = malloc((size_t)n * sizeof *before), *after = malloc((size_t)n * sizeof *after), loss = -7;
    assert_int_equal(atp_trainer_run(t, 2, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_parameters(t, before, n), ATP_OK);
    REFUSED(atp_trainer_set_order(t, twice, L), ATP_E_VALUE, "order[3] is 1 again");
    REFUSED(atp_trainer_set_order(t, outside, L), ATP_E_VALUE, "order[2] is 5, must be a site in 0..4");
    REFUSED(atp_trainer_set_order(t, below, L), ATP_E_VALUE, "order[2] is -1");
    REFUSED(atp_trainer_set_order(t, orders[0], L - 1), ATP_E_SHAPE, "4");
    REFUSED(atp_trainer_set_reduction(t, no_sum, NULL), ATP_E_UNSUPPORTED, "training data in several processes");
    REFUSED(atp_trainer_masked_gradient(t, sites, N, &loss, NULL, NULL, 0), ATP_E_UNSUPPORTED, "family is");
    assert_true(loss == -7);
    assert_int_equal(atp_trainer_epochs(t), 2);
    assert_int_equal(atp_trainer_parameters(t, after, n), ATP_OK);
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    free(before);
    free(after);
    atp_trainer_destroy(t);
  }
  REFUSED(atp_trainer_set_order(f->trainer, orders[0], L), ATP_E_UNSUPPORTED, "only the objective autoregressive has an order");
  const struct {
    atp_option key;
    double value;
    const char *text;
  } cases[] = {{ATP_OPT_SYMMETRIZED, 1, "option symmetrized is 1: it means nothing to family factored with objective autoregressive"},
               {ATP_OPT_MASK_PROBABILITY, 0.5, "option mask-probability is 0.5"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_trainer *t = NULL;
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
    set(f, ATP_OPT_OBJECTIVE, masked);
    set(f, cases[k].key, cases[k].value);
    REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, cases[k].text);
  }
  assert_int_equal(atp_options_reset(f->options), ATP_OK);
  atp_trainer *t = NULL;
  set(f, ATP_OPT_ORDER, ATP_ORDER_NATURAL);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT,
          "option order is natural: it means nothing to family factored, only to objective autoregressive");
}

/* A state of another order is refused, and changes nothing. */
static void states(void **state) {
  fixture *f = *state;
  for (int kind = 0; kind < 3; ++kind) {
    atp_trainer *t = make(f, kind), *other = make(f, kind);
    assert_int_equal(atp_trainer_set_order(t, orders[0], L), ATP_OK);
    assert_int_equal(atp_trainer_set_order(other, orders[1], L), ATP_OK);
    const int64_t size = atp_trainer_state_bytes(t);
    char *saved = malloc((size_t)size);
    assert_int_equal(atp_trainer_run(t, 3, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_trainer_save_state(t, saved, size), ATP_OK);
    REFUSED(atp_trainer_load_state(other, saved, size), ATP_E_MISMATCH, "other places of the sites in the order");
    assert_int_equal(atp_trainer_epochs(other), 0);
    assert_int_equal(atp_trainer_set_order(other, orders[0], L), ATP_OK);
    assert_int_equal(atp_trainer_load_state(other, saved, size), ATP_OK);
    assert_int_equal(atp_trainer_epochs(other), 3);
    free(saved);
    atp_trainer_destroy(t);
    atp_trainer_destroy(other);
  }
}

/* Single precision cannot hold a field that is centred with such couplings: nothing changes. */
static void centred_fields_fit(void **state) {
  fixture *f = *state;
  for (int sites = 0; sites < 2; ++sites) {
    atp_trainer *t = NULL;
    assert_int_equal(atp_options_reset(f->options), ATP_OK);
    set(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE);
    set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
    set(f, ATP_OPT_ASYMMETRIC, sites);
    assert_int_equal(atp_trainer_create(f->context, f->train, f->options, &t), ATP_OK);
    const int64_t n = atp_trainer_parameter_count(t);
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    assert_int_equal(atp_trainer_parameters(t, y, n), ATP_OK);
    for (int64_t k = 0; k < n; ++k) x[k] = 2e38;
    REFUSED(atp_trainer_set_parameters(t, x, n), ATP_E_NOT_FINITE, "the means of its couplings add up to");
    assert_int_equal(atp_trainer_parameters(t, x, n), ATP_OK);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
    atp_trainer_destroy(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_model), TEST(a_truth), TEST(a_wide_start),
                                     TEST(refusals),  TEST(states),  TEST(centred_fields_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
