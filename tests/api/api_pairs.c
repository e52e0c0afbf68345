/* SPDX-License-Identifier: MIT */
/* Dense couplings of a list of pairs through the C API. */
#include "trainer_support.h"

#include <attopotts_io.h>

enum { PAIRS = 3, ALL = L * (L - 1) / 2, DENSE = L * Q + PAIRS * Q * Q };

static const int64_t pairs[PAIRS][2] = {{4, 0}, {1, 2}, {0, 1}}, sorted[PAIRS][2] = {{0, 1}, {0, 4}, {1, 2}};

static atp_trainer *restricted(fixture *f) {
  atp_trainer *t = NULL;
  set_dense(f);
  OK(atp_trainer_create_pairs(f->context, f->train, f->options, &pairs[0][0], PAIRS, &t));
  return t;
}

static void is_sorted_list(const int64_t *list) {
  for (int k = 0; k < PAIRS; ++k)
    for (int side = 0; side < 2; ++side) assert_int_equal(list[2 * k + side], sorted[k][side]);
}

static void is_list_of(const atp_model *model) {
  int64_t list[2 * PAIRS];
  assert_int_equal(atp_model_pairs(model, list, 2 * PAIRS - 1), ATP_E_SHAPE);
  OK(atp_model_pairs(model, list, 2 * PAIRS));
  is_sorted_list(list);
}

/* The couplings, fields, energies and lists of two models. */
static void same_model(const atp_model *x, const atp_model *y) {
  double c[2][L * L * Q * Q], h[2][L * Q], energies[2][N];
  const atp_model *models[2] = {x, y};
  uint8_t s[N * L];
  for (int k = 0; k < N * L; ++k) s[k] = (uint8_t)((k * 7 + k / 5) % Q);
  for (int k = 0; k < 2; ++k) {
    OK(atp_model_couplings_f64(models[k], c[k], L * L * Q * Q));
    OK(atp_model_fields(models[k], h[k], L * Q));
    OK(atp_model_energies(models[k], s, N, energies[k], N));
    assert_int_equal(atp_model_pair_count(models[k]), PAIRS);
    is_list_of(models[k]);
  }
  assert_memory_equal(c[0], c[1], sizeof c[0]);
  assert_memory_equal(h[0], h[1], sizeof h[0]);
  assert_memory_equal(energies[0], energies[1], sizeof energies[0]);
}

static void test_trainer(void **state) {
  fixture *f = *state;
  double x[DENSE], g[DENSE], loss = -1, objective = -1, other = -1;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  atp_model *model = NULL;
  int64_t list[2 * PAIRS];
  assert_int_equal(atp_trainer_pair_count(f->trainer), 0); /* of factored attention */
  OK(atp_trainer_pairs(f->trainer, list, 0));
  atp_trainer *t = restricted(f);
  assert_int_equal(atp_trainer_pair_count(t), PAIRS);
  OK(atp_trainer_pairs(t, list, 2 * PAIRS));
  is_sorted_list(list);
  REFUSED(atp_trainer_pairs(t, list, PAIRS), ATP_E_SHAPE, "size");
  assert_int_equal(atp_trainer_parameter_count(t), DENSE);
  OK(atp_trainer_run(t, 200, NULL, NULL, &outcome));
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  OK(atp_trainer_gradient(t, &loss, &objective, g, DENSE));
  OK(atp_trainer_loss(t, f->train, &other));
  assert_close(loss, other, 1e-12, 0);
  /* The model: the couplings of the second pair of the list, (0, 4), are the second block of the parameters. */
  OK(atp_trainer_parameters(t, x, DENSE));
  OK(atp_trainer_model(t, &model));
  double c[L * L * Q * Q];
  OK(atp_model_couplings_f64(model, c, L * L * Q * Q));
  for (int a = 0; a < Q; ++a)
    for (int b = 0; b < Q; ++b) {
      assert_true(c[((0 * L + 4) * Q + a) * Q + b] == x[L * Q + Q * Q + a * Q + b]);
      assert_true(c[((4 * L + 0) * Q + b) * Q + a] == x[L * Q + Q * Q + a * Q + b]);
      assert_true(c[((2 * L + 3) * Q + a) * Q + b] == 0);
    }
  assert_int_equal(atp_model_pair_count(model), PAIRS);
  is_list_of(model);
  OK(atp_model_loss(f->context, model, f->train, &other));
  assert_close(loss, other, 1e-12, 0);
  /* Symmetric couplings are stored once; their blocks are not symmetric. */
  static char saved[1 << 14];
  const int64_t size = atp_model_state_bytes(model);
  atp_model *again = NULL;
  assert_in_range(size, 1, sizeof saved);
  OK(atp_model_save_state(model, saved, sizeof saved));
  OK(atp_model_from_state(f->context, saved, size, &again));
  same_model(model, again);
  atp_model_destroy(again);
  atp_model_destroy(model);
  atp_trainer_destroy(t);
  /* Asymmetric: two copies of each pair. */
  set(f, ATP_OPT_ASYMMETRIC, 1);
  t = restricted(f);
  assert_int_equal(atp_trainer_parameter_count(t), L * Q + 2 * PAIRS * Q * Q);
  atp_trainer_destroy(t);
}

static void test_refused(void **state) {
  fixture *f = *state;
  const struct {
    int64_t pairs[2][2], n;
    const char *part, *from_one;
  } wrong[] = {
      {{{0, 1}, {2, L}}, 2, "pairs[1][1] is 5, must be a site in 0..4", "pairs(2, 2) is 6, must be a site in 1..5"},
      {{{0, L}, {2, 3}}, 2, "pairs[0][1] is 5, must be a site in 0..4", "pairs(2, 1) is 6, must be a site in 1..5"},
      {{{-1, 1}, {2, 3}}, 2, "pairs[0][0] is -1, must be a site in 0..4", "pairs(1, 1) is 0, must be a site in 1..5"},
      {{{0, 1}, {3, 3}}, 2, "pairs[1] is the pair of site 3 with itself", "pairs(2) is the pair of site 4 with itself"},
      {{{1, 2}, {2, 1}}, 2, "sites 1 and 2 twice", "sites 2 and 3 twice"},
      {{{0, 1}, {2, 3}}, 0, "pairs has 0 pairs, must have 1..10 with 5 sites", "pairs has 0 pairs, must have 1..10 with 5 sites"},
      {{{0, 1}, {2, 3}}, ALL + 1, "pairs has 11 pairs", "pairs has 11 pairs"},
      {{{0, 1}, {2, 3}}, -1, "pairs has -1 pairs", "pairs has -1 pairs"},
  };
  atp_model *source = NULL;
  OK(atp_trainer_model(f->trainer, &source));
  set_dense(f);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    int64_t bytes = -7;
    atp_trainer *t = (atp_trainer *)(uintptr_t)64;
    atp_model *m = (atp_model *)(uintptr_t)64;
    REFUSED(atp_trainer_create_pairs(f->context, f->train, f->options, &wrong[k].pairs[0][0], wrong[k].n, &t), ATP_E_VALUE, wrong[k].part);
    REFUSED(atp_trainer_pairs_bytes(f->context, f->train, f->options, &wrong[k].pairs[0][0], wrong[k].n, &bytes), ATP_E_VALUE,
            wrong[k].part);
    REFUSED(atp_model_keep_pairs(f->context, source, &wrong[k].pairs[0][0], wrong[k].n, &m), ATP_E_VALUE, wrong[k].part);
    assert_counted(f->context, wrong[k].from_one);
    assert_null(t);
    assert_null(m);
    assert_int_equal(bytes, -7);
  }
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_FACTORED);
  atp_trainer *t = NULL;
  REFUSED(atp_trainer_create_pairs(f->context, f->train, f->options, &pairs[0][0], PAIRS, &t), ATP_E_UNSUPPORTED, "family is factored");
  /* States of other lists. */
  set_dense(f);
  static char saved[1 << 16];
  t = restricted(f);
  assert_in_range(atp_trainer_state_bytes(t), 1, sizeof saved);
  OK(atp_trainer_save_state(t, saved, sizeof saved));
  const int64_t size = atp_trainer_state_bytes(t), moved[PAIRS][2] = {{4, 0}, {1, 2}, {0, 3}};
  atp_trainer_destroy(t);
  OK(atp_trainer_create_pairs(f->context, f->train, f->options, &moved[0][0], PAIRS, &t));
  REFUSED(atp_trainer_load_state(t, saved, size), ATP_E_MISMATCH, "the state belongs to other pairs of sites");
  atp_trainer_destroy(t);
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  REFUSED(atp_trainer_load_state(t, saved, size), ATP_E_MISMATCH, "the state has pairs 3, the trainer has ");
  atp_trainer_destroy(t);
  atp_model_destroy(source);
}

/* keep_pairs() of a model of heads, symmetric or not: its couplings at the pairs, zeros elsewhere; copies, states, files keep the list. */
static void test_model(void **state) {
  fixture *f = *state;
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    double x[PARAMETERS], c[L * L * Q * Q], kept[L * L * Q * Q];
    get(f->trainer, x);
    for (int i = 0; symmetric && i < L; ++i)
      for (int j = 0; j < i; ++j) x[i * L + j] = x[j * L + i];
    for (int a = 0; symmetric && a < Q; ++a)
      for (int b = 0; b < a; ++b) x[MAPS + a * Q + b] = x[MAPS + b * Q + a];
    OK(atp_trainer_set_parameters(f->trainer, x, PARAMETERS));
    atp_model *source = NULL, *model = NULL, *again = NULL;
    OK(atp_trainer_model(f->trainer, &source));
    assert_int_equal(atp_model_pair_count(source), 0);
    OK(atp_model_keep_pairs(f->context, source, &pairs[0][0], PAIRS, &model));
    OK(atp_model_couplings_f64(source, c, L * L * Q * Q));
    OK(atp_model_couplings_f64(model, kept, L * L * Q * Q));
    for (int i = 0; i < L; ++i)
      for (int j = 0; j < L; ++j) {
        int listed = 0;
        for (int k = 0; k < PAIRS; ++k) listed |= (pairs[k][0] == i && pairs[k][1] == j) || (pairs[k][0] == j && pairs[k][1] == i);
        for (int ab = 0; ab < Q * Q; ++ab) assert_true(kept[(i * L + j) * Q * Q + ab] == (listed ? c[(i * L + j) * Q * Q + ab] : 0));
      }
    same_model(model, model);
    OK(atp_model_copy(f->context, model, &again));
    same_model(model, again);
    atp_model_destroy(again);
    OK(atp_model_gauge(f->context, model, ATP_GAUGE_ZERO_SUM, &again));
    is_list_of(again);
    atp_model_destroy(again);
    /* Saved states: the list and two or one blocks for each pair. */
    static char saved[1 << 14];
    const int64_t size = atp_model_state_bytes(model);
    assert_in_range(size, 8 * PAIRS * (2 + Q * Q), sizeof saved);
    assert_true(size < atp_model_state_bytes(source) + 8 * PAIRS * (2 + (symmetric ? 1 : 2) * Q * Q));
    OK(atp_model_save_state(model, saved, sizeof saved));
    OK(atp_model_from_state(f->context, saved, size, &again));
    same_model(model, again);
    atp_model_destroy(again);
    if (atp_has_feature("hdf5")) {
      const char *path = "api_pairs.h5";
      OK(atp_model_write(f->context, model, path));
      OK(atp_model_read(f->context, path, &again));
      same_model(model, again);
      atp_model_destroy(again);
      remove(path);
    }
    atp_model_destroy(model);
    atp_model_destroy(source);
  }
}

/* create_pairs(): matrices, or numbers times a matrix, of pairs in any order. */
static void test_create(void **state) {
  fixture *f = *state;
  const int64_t shape[] = {L, Q, PAIRS};
  double blocks[PAIRS * Q * Q], matrix[Q * Q], fields[L * Q], got[PAIRS * Q * Q];
  const double strengths[PAIRS] = {0.5, -2, 1e-3};
  for (int k = 0; k < PAIRS * Q * Q; ++k) blocks[k] = 0.1 * k - 3;
  for (int k = 0; k < Q * Q; ++k) matrix[k] = k % 4 - 0.5;
  for (int k = 0; k < L * Q; ++k) fields[k] = -0.2 * k;
  static const int sorted_place[PAIRS] = {1, 2, 0}; /* of each pair of `pairs` in the sorted list */
  for (int with_matrix = 0; with_matrix < 2; ++with_matrix) {
    atp_model *model = NULL;
    OK(atp_model_create_pairs(f->context, shape, &pairs[0][0], with_matrix ? strengths : blocks, with_matrix ? matrix : NULL,
                              with_matrix ? NULL : fields, &model));
    assert_int_equal(atp_model_has_fields(model), !with_matrix);
    is_list_of(model);
    REFUSED(atp_model_pair_couplings(model, got, PAIRS * Q * Q - 1), ATP_E_SHAPE, "size is");
    OK(atp_model_pair_couplings(model, got, PAIRS * Q * Q));
    for (int k = 0; k < PAIRS; ++k)
      for (int a = 0; a < Q; ++a)
        for (int b = 0; b < Q; ++b) {
          const int turned = pairs[k][0] > pairs[k][1], at = turned ? b * Q + a : a * Q + b;
          assert_true(got[sorted_place[k] * Q * Q + at] == (with_matrix ? strengths[k] * matrix[a * Q + b] : blocks[(k * Q + a) * Q + b]));
        }
    atp_model_destroy(model);
  }
  atp_model *m = NULL;
  const struct {
    int64_t shape[3];
    const char *part;
  } wrong[] = {{{1, Q, 1}, "sites is 1, must be in 2..1048576"}, {{L, 256, 1}, "colors is 256"}, {{L, Q, 0}, "pairs has 0 pairs"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
    REFUSED(atp_model_create_pairs(f->context, wrong[k].shape, &pairs[0][0], strengths, matrix, NULL, &m), ATP_E_VALUE, wrong[k].part);
  const int64_t twice[PAIRS][2] = {{4, 0}, {1, 2}, {2, 1}};
  REFUSED(atp_model_create_pairs(f->context, shape, &twice[0][0], strengths, matrix, NULL, &m), ATP_E_VALUE, "sites 1 and 2 twice");
  blocks[Q * Q + Q] = NAN;
  REFUSED(atp_model_create_pairs(f->context, shape, &pairs[0][0], blocks, NULL, NULL, &m), ATP_E_NOT_FINITE, "couplings[1][1][0] is nan");
  matrix[1] = 2e100;
  REFUSED(atp_model_create_pairs(f->context, shape, &pairs[0][0], strengths, matrix, NULL, &m), ATP_E_VALUE,
          "color_matrix[0][1] is 2e+100");
  matrix[1] = 1e60;
  const double large[PAIRS] = {1, 1e60, 1};
  REFUSED(atp_model_create_pairs(f->context, shape, &pairs[0][0], large, matrix, NULL, &m), ATP_E_VALUE, "1e+120");
  fields[Q] = INFINITY;
  REFUSED(atp_model_create_pairs(f->context, shape, &pairs[0][0], strengths, matrix, fields, &m), ATP_E_NOT_FINITE, "fields[1][0] is inf");
  assert_null(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_trainer), TEST(test_refused), TEST(test_model), TEST(test_create)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
