/* SPDX-License-Identifier: MIT */
/* Lattices and random graphs through the C API: numbers of bonds and neighbours, couplings, refusals. */
#include "api_support.h"

#include <math.h>
#include <stdlib.h>

#define OK(call) assert_int_equal((call), ATP_OK)

enum { MOST = 4096 };

typedef struct {
  atp_context *context;
  atp_options *options;
  int64_t sites, bonds, pairs[MOST][2];
  double couplings[4 * MOST]; /* of two colours */
  int degrees[MOST];
} world;

static void set_number(world *w, atp_option key, double value) { OK(atp_options_set_f64(w->options, key, value)); }
static void set_word(world *w, atp_option key, int64_t value) { OK(atp_options_set_i64(w->options, key, value)); }

static void size(world *w, atp_lattice lattice, int64_t x, int64_t y, int64_t z) {
  set_word(w, ATP_OPT_LATTICE, lattice);
  set_word(w, ATP_OPT_SIZE_X, x);
  set_word(w, ATP_OPT_SIZE_Y, y);
  set_word(w, ATP_OPT_SIZE_Z, z);
}

static void make(world *w) {
  atp_model *model = NULL;
  OK(atp_model_create_lattice(w->context, w->options, &model));
  w->sites = atp_model_sites(model);
  w->bonds = atp_model_pair_count(model);
  assert_in_range(w->bonds, 1, MOST);
  assert_int_equal(atp_model_has_fields(model), 0);
  OK(atp_model_pairs(model, &w->pairs[0][0], 2 * w->bonds));
  if (atp_model_colors(model) == 2) OK(atp_model_pair_couplings(model, w->couplings, 4 * w->bonds));
  for (int64_t i = 0; i < w->sites; ++i) w->degrees[i] = 0;
  for (int64_t k = 0; k < w->bonds; ++k) ++w->degrees[w->pairs[k][0]], ++w->degrees[w->pairs[k][1]];
  atp_model_destroy(model);
}

static void count(world *w, int64_t sites, int64_t bonds, int least, int most) {
  make(w);
  assert_int_equal(w->sites, sites);
  assert_int_equal(w->bonds, bonds);
  int low = MOST, high = 0;
  for (int64_t i = 0; i < sites; ++i) {
    low = w->degrees[i] < low ? w->degrees[i] : low;
    high = w->degrees[i] > high ? w->degrees[i] : high;
  }
  assert_int_equal(low, least);
  assert_int_equal(high, most);
}

static int bonded(const world *w, int64_t i, int64_t j) {
  for (int64_t k = 0; k < w->bonds; ++k)
    if ((w->pairs[k][0] == i && w->pairs[k][1] == j) || (w->pairs[k][0] == j && w->pairs[k][1] == i)) return 1;
  return 0;
}

static int setup(void **state) {
  world *w = calloc(1, sizeof *w);
  OK(atp_context_create(NULL, NULL, NULL, &w->context));
  OK(atp_options_create(w->context, ATP_OWNER_LATTICE, &w->options));
  *state = w;
  return 0;
}

static int teardown(void **state) {
  world *w = *state;
  atp_options_destroy(w->options);
  atp_context_destroy(w->context);
  free(w);
  return 0;
}

static void test_lattices(void **state) {
  world *w = *state;
  count(w, 32 * 32, 2 * 32 * 32, 4, 4); /* without options: the defaults */
  size(w, ATP_LATTICE_SQUARE, 7, 5, 0);
  count(w, 35, 70, 4, 4);
  assert_true(bonded(w, 0, 1) && bonded(w, 0, 7) && bonded(w, 6, 0) && bonded(w, 3, 31) && !bonded(w, 0, 8));
  size(w, ATP_LATTICE_TRIANGULAR, 7, 5, 0);
  count(w, 35, 105, 6, 6);
  assert_true(bonded(w, 0, 8) && bonded(w, 6, 7) && bonded(w, 34, 0) && !bonded(w, 1, 7));
  size(w, ATP_LATTICE_CUBIC, 5, 4, 3);
  count(w, 60, 180, 6, 6);
  assert_true(bonded(w, 0, 20) && bonded(w, 0, 40) && bonded(w, 0, 4) && bonded(w, 0, 15) && !bonded(w, 0, 10));
  size(w, ATP_LATTICE_CUBIC, 6, 0, 0);
  count(w, 216, 648, 6, 6);
  size(w, ATP_LATTICE_SQUARE, 9, 1, 1);
  count(w, 9, 9, 2, 2); /* a ring */
  size(w, ATP_LATTICE_SQUARE, 2, 2, 1);
  count(w, 4, 4, 2, 2); /* each bond once */
  set_word(w, ATP_OPT_BOUNDARY, ATP_BOUNDARY_OPEN);
  size(w, ATP_LATTICE_SQUARE, 7, 5, 0);
  count(w, 35, 70 - 7 - 5, 2, 4);
  assert_true(!bonded(w, 6, 0) && !bonded(w, 3, 31) && !bonded(w, 6, 7));
  size(w, ATP_LATTICE_TRIANGULAR, 7, 5, 0);
  count(w, 35, 6 * 5 + 7 * 4 + 6 * 4, 2, 6);
  size(w, ATP_LATTICE_CUBIC, 5, 4, 3);
  count(w, 60, 180 - 12 - 15 - 20, 3, 6);
  size(w, ATP_LATTICE_SQUARE, 9, 1, 1);
  count(w, 9, 8, 1, 2);
}

static void test_graphs(void **state) {
  world *w = *state;
  static const int64_t shapes[][2] = {{4, 3}, {100, 1}, {200, 3}, {101, 4}, {60, 20}, {9, 8}, {1000, 7}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
    size(w, ATP_LATTICE_BETHE, shapes[k][0], 0, 0);
    set_number(w, ATP_OPT_DEGREE, (double)shapes[k][1]);
    count(w, shapes[k][0], shapes[k][0] * shapes[k][1] / 2, (int)shapes[k][1], (int)shapes[k][1]);
  }
  /* Other seeds give other graphs, equal seeds the same. */
  static world first;
  first = *w;
  make(w);
  assert_memory_equal(first.pairs, w->pairs, sizeof w->pairs);
  set_word(w, ATP_OPT_SEED, 2);
  make(w);
  assert_memory_not_equal(first.pairs, w->pairs, sizeof w->pairs);
  /* Degrees of Erdos-Renyi graphs: mean c, variance c. Of 1000 sites the variance has a standard error of 0.3. */
  size(w, ATP_LATTICE_ERDOS_RENYI, 1000, 0, 0);
  set_number(w, ATP_OPT_DEGREE, 6.2);
  make(w);
  assert_int_equal(w->sites, 1000);
  assert_int_equal(w->bonds, 3100);
  double square = 0;
  for (int64_t i = 0; i < 1000; ++i) square += (w->degrees[i] - 6.2) * (w->degrees[i] - 6.2) / 1000;
  assert_true(fabs(square - 6.2) < 1.5);
  size(w, ATP_LATTICE_ERDOS_RENYI, 5, 0, 0);
  set_number(w, ATP_OPT_DEGREE, 4);
  count(w, 5, 10, 4, 4); /* all pairs */
}

static void test_couplings(void **state) {
  world *w = *state;
  size(w, ATP_LATTICE_SQUARE, 40, 0, 0);
  for (int matrix = ATP_COLOR_MATRIX_IDENTITY; matrix <= ATP_COLOR_MATRIX_ISING; ++matrix)
    for (int bonds = ATP_BONDS_FERROMAGNET; bonds <= ATP_BONDS_GAUSSIAN; ++bonds) {
      set_word(w, ATP_OPT_BONDS, bonds);
      set_word(w, ATP_OPT_COLOR_MATRIX, matrix);
      make(w);
      double mean = 0, square = 0;
      for (int64_t k = 0; k < w->bonds; ++k) {
        const double *c = w->couplings + 4 * k;
        assert_true(c[0] == c[3] && c[1] == c[2] && c[1] == (matrix == ATP_COLOR_MATRIX_ISING ? -c[0] : 0));
        mean += c[0] / (double)w->bonds;
        square += c[0] * c[0] / (double)w->bonds;
        if (bonds == ATP_BONDS_PLUS_MINUS) assert_true(fabs(c[0]) == 1);
      }
      /* 3200 bonds: standard errors 0.018 of the mean, 0.025 of the square. */
      const double expected = bonds == ATP_BONDS_FERROMAGNET ? 1 : bonds == ATP_BONDS_ANTIFERROMAGNET ? -1 : 0;
      assert_true(fabs(mean - expected) < (expected == 0 ? 0.09 : 1e-12));
      assert_true(fabs(square - 1) < (bonds == ATP_BONDS_GAUSSIAN ? 0.13 : 1e-12));
    }
  set_word(w, ATP_OPT_COLORS, 5);
  make(w);
}

static void test_refused(void **state) {
  world *w = *state;
  atp_model *model = (atp_model *)(uintptr_t)64;
#define REFUSES(status, text)                                                           \
  assert_int_equal(atp_model_create_lattice(w->context, w->options, &model), (status)); \
  assert_error(w->context, text);                                                       \
  assert_null(model)
  size(w, ATP_LATTICE_SQUARE, 1, 1, 1);
  REFUSES(ATP_E_VALUE, "1 x 1 x 1 has 1 sites");
  size(w, ATP_LATTICE_SQUARE, 2048, 2048, 1);
  REFUSES(ATP_E_VALUE, "has 4194304 sites, must have 2..1048576");
  size(w, ATP_LATTICE_TRIANGULAR, 4, 4, 4);
  REFUSES(ATP_E_VALUE, "size-z is 4, must be 1");
  size(w, ATP_LATTICE_BETHE, 9, 0, 0);
  REFUSES(ATP_E_CONFLICT, "degree is 3 with 9 sites");
  set_number(w, ATP_OPT_DEGREE, 2.5);
  REFUSES(ATP_E_CONFLICT, "degree is 2.5, must be a whole number in 1..8");
  set_number(w, ATP_OPT_DEGREE, 9);
  REFUSES(ATP_E_CONFLICT, "degree is 9, must be a whole number in 1..8");
  size(w, ATP_LATTICE_ERDOS_RENYI, 9, 0, 0);
  REFUSES(ATP_E_CONFLICT, "degree is 9, must be at most 8 with 9 sites");
  set_number(w, ATP_OPT_DEGREE, 0.01);
  REFUSES(ATP_E_VALUE, "has no bond");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_lattices, setup, teardown), cmocka_unit_test_setup_teardown(test_graphs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_couplings, setup, teardown), cmocka_unit_test_setup_teardown(test_refused, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
