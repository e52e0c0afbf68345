/* SPDX-License-Identifier: MIT */
/* Models through the C API: making, reading out and changing them; every status, outputs untouched, no allocation but by create. */
#include "model_fixture.h"
#include "counting.h"

static void test_create_heads(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  assert_int_equal(allocations(context), 1);
  assert_int_equal(atp_model_sites(m), L);
  assert_int_equal(atp_model_colors(m), Q);
  assert_int_equal(atp_model_heads(m), H);
  assert_int_equal(atp_model_has_fields(m), 1);
  assert_int_equal(atp_model_is_symmetric(m), 1);
  assert_true(atp_model_beta(m) == 1);
  assert_string_equal(atp_model_alphabet(m), "");
  double maps[H * L * L], values[H * Q * Q], fields[L * Q], c[DENSE];
  float single[DENSE];
  assert_int_equal(atp_model_maps(m, maps, H * L * L), ATP_OK);
  assert_int_equal(atp_model_values(m, values, H * Q * Q), ATP_OK);
  assert_int_equal(atp_model_fields(m, fields, L * Q), ATP_OK);
  assert_memory_equal(maps, kMaps, sizeof maps);
  assert_memory_equal(values, kValues, sizeof values);
  assert_memory_equal(fields, kFields, sizeof fields);
  assert_int_equal(atp_model_couplings_f64(m, c, DENSE), ATP_OK);
  assert_int_equal(atp_model_couplings_f32(m, single, DENSE), ATP_OK);
  for (int k = 0; k < DENSE; ++k) {
    assert_close(c[k], coupling(k / (L * BLOCK), k / BLOCK % L, k % BLOCK / Q, k % Q), 1e-15, 0);
    assert_true(single[k] == (float)c[k]);
  }
  assert_int_equal(allocations(context), 1);
  atp_model_destroy(m);

  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, H}, kMaps, kValues, NULL, &m), ATP_OK);
  assert_int_equal(atp_model_has_fields(m), 0);
  assert_int_equal(atp_model_fields(m, fields, L * Q), ATP_OK);
  for (int k = 0; k < L * Q; ++k) assert_true(fields[k] == 0);
  atp_model_destroy(m);
}

static void test_create_dense(void **state) {
  atp_context *context = *state;
  double c[DENSE], back[DENSE];
  float single[DENSE], single_fields[L * Q] = {0.5f, 1, 2};
  atp_model *m = NULL;
  for (int k = 0; k < DENSE; ++k) {
    const int i = k / (L * BLOCK), j = k / BLOCK % L;
    c[k] = i == j ? 0 : sin(k);
    single[k] = (float)c[k];
  }
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, c, kFields, &m), ATP_OK);
  assert_int_equal(atp_model_heads(m), 0);
  assert_int_equal(atp_model_is_symmetric(m), 0);
  assert_int_equal(atp_model_couplings_f64(m, back, DENSE), ATP_OK);
  assert_memory_equal(c, back, sizeof c);
  fill();
  assert_int_equal(atp_model_maps(m, untouched, 0), ATP_E_CONFLICT);
  assert_error(context, "model has dense couplings and no heads, so it has no maps");
  assert_int_equal(atp_model_values(m, untouched, H * Q * Q), ATP_E_CONFLICT);
  assert_untouched();
  atp_model_destroy(m);
  assert_int_equal(atp_model_create_dense_f32(context, L, Q, single, single_fields, &m), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(m, back, DENSE), ATP_OK);
  for (int k = 0; k < DENSE; ++k) assert_true(back[k] == (double)single[k]);
  assert_int_equal(atp_model_fields(m, back, L * Q), ATP_OK);
  assert_true(back[0] == 0.5 && back[2] == 2 && back[3] == 0);
  atp_model_destroy(m);
  m = make_dense(context, NULL);
  assert_int_equal(atp_model_is_symmetric(m), 1);
  assert_int_equal(atp_model_has_fields(m), 0);
  atp_model_destroy(m);
}

/* Calls create with one wrong thing; out must come back NULL. */
static void refuse_heads(atp_context *context, int64_t sites, int64_t q, int64_t heads, const double *maps, const double *values,
                         const double *fields, atp_status expected, const char *text) {
  atp_model *m = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){sites, q, heads}, maps, values, fields, &m), expected);
  assert_null(m);
  if (context != NULL) assert_error(context, text);
}

static void test_create_heads_refuses(void **state) {
  atp_context *context = *state;
  double maps[H * L * L], values[H * Q * Q], fields[L * Q];
  memcpy(maps, kMaps, sizeof maps);
  memcpy(values, kValues, sizeof values);
  memcpy(fields, kFields, sizeof fields);
  refuse_heads(NULL, L, Q, H, maps, values, fields, ATP_E_NULL, "");
  refuse_heads(context, L, Q, H, NULL, values, fields, ATP_E_NULL, "maps is NULL");
  refuse_heads(context, L, Q, H, maps, NULL, fields, ATP_E_NULL, "values is NULL");
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, H}, maps, values, fields, NULL), ATP_E_NULL);
  assert_error(context, "out is NULL");
  refuse_heads(context, 1, Q, H, maps, values, fields, ATP_E_VALUE, "sites is 1, must be in 2..65536");
  refuse_heads(context, INT64_MAX, Q, H, maps, values, fields, ATP_E_VALUE, "sites is 9223372036854775807");
  refuse_heads(context, L, 1, H, maps, values, fields, ATP_E_VALUE, "colors is 1, must be in 2..255");
  refuse_heads(context, L, 256, H, maps, values, fields, ATP_E_VALUE, "colors is 256, must be in 2..255");
  refuse_heads(context, L, Q, 0, maps, values, fields, ATP_E_VALUE, "heads is 0");
  refuse_heads(context, L, Q, -1, maps, values, fields, ATP_E_VALUE, "heads is -1");
  refuse_heads(context, L, Q, INT64_MAX, maps, values, fields, ATP_E_VALUE, "heads is 9223372036854775807");
  maps[L * L + 2] = NAN;
  refuse_heads(context, L, Q, H, maps, values, fields, ATP_E_NOT_FINITE, "maps[1][0][2] is nan");
  maps[L * L + 2] = -1e101;
  refuse_heads(context, L, Q, H, maps, values, fields, ATP_E_VALUE, "maps[1][0][2] is -1e+101, must be at most 1e100");
  maps[L * L + 2] = kMaps[L * L + 2];
  maps[L * L + L + 1] = 0.5;
  refuse_heads(context, L, Q, H, maps, values, fields, ATP_E_SYMMETRY, "maps[1][1][1] is 0.5, must be 0");
  maps[L * L + L + 1] = 0;
  values[BLOCK + Q] = INFINITY;
  refuse_heads(context, L, Q, H, maps, values, fields, ATP_E_NOT_FINITE, "values[1][1][0] is inf");
  values[BLOCK + Q] = 0;
  fields[2 * Q + 1] = -INFINITY;
  refuse_heads(context, L, Q, H, maps, values, fields, ATP_E_NOT_FINITE, "fields[2][1] is -inf");
  assert_int_equal(allocations(context), 0);
}

static void refuse_dense(atp_context *context, int64_t sites, int64_t q, const double *c, const double *fields, atp_status expected,
                         const char *text) {
  float single[DENSE], single_fields[L * Q];
  for (int k = 0; c != NULL && k < DENSE; ++k) single[k] = (float)c[k];
  for (int k = 0; k < L * Q; ++k) single_fields[k] = (float)fields[k];
  atp_model *m = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_create_dense_f64(context, sites, q, c, fields, &m), expected);
  assert_null(m);
  if (context != NULL) assert_error(context, text);
  m = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_create_dense_f32(context, sites, q, c == NULL ? NULL : single, single_fields, &m), expected);
  assert_null(m);
  if (context != NULL) assert_error(context, text);
}

static void test_create_dense_refuses(void **state) {
  atp_context *context = *state;
  double c[DENSE] = {0}, fields[L * Q] = {0};
  refuse_dense(NULL, L, Q, c, fields, ATP_E_NULL, "");
  refuse_dense(context, L, Q, NULL, fields, ATP_E_NULL, "couplings is NULL");
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, c, fields, NULL), ATP_E_NULL);
  assert_int_equal(atp_model_create_dense_f32(context, L, Q, (const float *)c, NULL, NULL), ATP_E_NULL);
  refuse_dense(context, 1, Q, c, fields, ATP_E_VALUE, "sites is 1");
  refuse_dense(context, L, 1, c, fields, ATP_E_VALUE, "colors is 1");
  refuse_dense(context, L, 256, c, fields, ATP_E_VALUE, "colors is 256");
  c[BLOCK + 5] = NAN;
  refuse_dense(context, L, Q, c, fields, ATP_E_NOT_FINITE, "couplings[0][1][1][2] is nan");
  c[BLOCK + 5] = INFINITY;
  refuse_dense(context, L, Q, c, fields, ATP_E_NOT_FINITE, "couplings[0][1][1][2] is inf");
  assert_counted(context, "couplings(3, 2, 2, 1) is inf");
  c[BLOCK + 5] = 0;
  c[(L + 1) * BLOCK + 3] = -0.25;
  refuse_dense(context, L, Q, c, fields, ATP_E_SYMMETRY, "couplings[1][1][1][0] is -0.25, must be 0");
  c[(L + 1) * BLOCK + 3] = 0;
  fields[1] = NAN;
  refuse_dense(context, L, Q, c, fields, ATP_E_NOT_FINITE, "fields[0][1] is nan");
  fields[1] = 0;
  c[BLOCK] = 2e100; /* beyond single precision: there it is an infinity */
  atp_model *m = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, c, fields, &m), ATP_E_VALUE);
  assert_null(m);
  assert_int_equal(allocations(context), 0);
}

static void test_random(void **state) {
  atp_context *context = *state;
  enum { SITES = 20, COLORS = 4 };
  double j[SITES * SITES], again[SITES * SITES], u[COLORS * COLORS];
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &m), ATP_OK);
  assert_int_equal(atp_model_heads(m), 1);
  assert_int_equal(atp_model_has_fields(m), 0);
  assert_int_equal(atp_model_is_symmetric(m), 1);
  assert_true(atp_model_beta(m) == 1);
  assert_int_equal(atp_model_maps(m, j, SITES * SITES), ATP_OK);
  assert_int_equal(atp_model_values(m, u, COLORS * COLORS), ATP_OK);
  /* The same numbers on every machine: pinned; another Philox and normal quantile, in Python, give these to 1e-15. */
  assert_close(j[1], -0.16787519576031568, 1e-15, 0);
  assert_close(j[SITES * SITES - 2], 0.26021256247189184, 1e-15, 0);
  assert_close(u[0], 1.651503507984569, 1e-15, 0);
  atp_model_destroy(m);
  assert_int_equal(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 5, &m), ATP_OK);
  assert_int_equal(atp_model_maps(m, again, SITES * SITES), ATP_OK);
  assert_memory_equal(j, again, sizeof j);
  assert_int_equal(atp_model_values(m, u, COLORS * COLORS), ATP_OK);
  for (int k = 0; k < COLORS * COLORS; ++k) assert_true(u[k] == (k % (COLORS + 1) == 0));
  atp_model_destroy(m);
  assert_int_equal(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_CONTACTS, ATP_COLOR_MATRIX_IDENTITY, INT64_MAX, &m),
                   ATP_OK);
  assert_int_equal(atp_model_maps(m, j, SITES * SITES), ATP_OK);
  int64_t far = 0;
  for (int i = 0; i < SITES; ++i)
    for (int k = 0; k < SITES; ++k) far += j[i * SITES + k] > 0 && abs(i - k) > 1;
  assert_true(far >= 4 && j[1] > 0.5);
  atp_model_destroy(m);

  const struct {
    int64_t sites, q;
    int couplings, colors;
    int64_t seed;
    const char *text;
  } wrong[] = {
      {1, 4, 1, 1, 1, "sites is 1"},      {20, 256, 1, 1, 1, "colors is 256"},   {20, 4, 0, 1, 1, "couplings is 0, must be in 1..2"},
      {20, 4, 3, 1, 1, "couplings is 3"}, {20, 4, 1, 4, 1, "color_matrix is 4"}, {20, 4, 1, 1, -1, "seed is -1"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    m = (atp_model *)(uintptr_t)64;
    assert_int_equal(atp_model_create_random(context, wrong[k].sites, wrong[k].q, (atp_couplings)wrong[k].couplings,
                                             (atp_color_matrix)wrong[k].colors, wrong[k].seed, &m),
                     ATP_E_VALUE);
    assert_null(m);
    assert_error(context, wrong[k].text);
  }
  assert_int_equal(atp_model_create_random(NULL, 20, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &m), ATP_E_NULL);
  assert_null(m);
  assert_int_equal(atp_model_create_random(context, 20, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, NULL), ATP_E_NULL);
}

static void test_no_memory(void **state) {
  (void)state;
  struct counter left = {.last = 2}; /* the context and one model */
  atp_context *context = NULL;
  double error = -7;
  const double zeros[DENSE] = {0};
  const float zeros_single[DENSE] = {0};
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &left, &context), ATP_OK);
  atp_model *m = make(context), *out = m;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, H}, kMaps, kValues, NULL, &out), ATP_E_MEMORY);
  assert_null(out);
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, zeros, NULL, &out), ATP_E_MEMORY);
  assert_int_equal(atp_model_create_dense_f32(context, L, Q, zeros_single, NULL, &out), ATP_E_MEMORY);
  assert_int_equal(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &out), ATP_E_MEMORY);
  assert_int_equal(atp_model_copy(context, m, &out), ATP_E_MEMORY);
  assert_int_equal(atp_model_gauge(context, m, ATP_GAUGE_COLORS, &out), ATP_E_MEMORY);
  assert_int_equal(atp_model_gauge(context, m, ATP_GAUGE_ZERO_SUM, &out), ATP_E_MEMORY);
  assert_null(out);
  assert_int_equal(atp_model_coupling_error(context, m, m, &error), ATP_E_MEMORY);
  assert_true(error == -7);
  atp_model_destroy(m);
  atp_context_destroy(context);
}

static void test_null_handles(void **state) {
  (void)state;
  double x[1];
  atp_model_destroy(NULL);
  assert_int_equal(atp_model_sites(NULL), 0);
  assert_int_equal(atp_model_colors(NULL), 0);
  assert_int_equal(atp_model_heads(NULL), 0);
  assert_int_equal(atp_model_has_fields(NULL), 0);
  assert_int_equal(atp_model_is_symmetric(NULL), 0);
  assert_true(isnan(atp_model_beta(NULL)));
  assert_string_equal(atp_model_alphabet(NULL), "");
  assert_int_equal(atp_model_set_beta(NULL, 1), ATP_E_NULL);
  assert_int_equal(atp_model_set_alphabet(NULL, ""), ATP_E_NULL);
  assert_int_equal(atp_model_maps(NULL, x, 1), ATP_E_NULL);
  assert_int_equal(atp_model_enumerate(NULL, x, NULL, NULL, 0, NULL, 0), ATP_E_NULL);
}

static void test_setters_and_copy(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *copy = NULL;
  assert_int_equal(atp_model_set_beta(m, 2.5), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, NAN), ATP_E_NOT_FINITE);
  assert_int_equal(atp_model_set_beta(m, INFINITY), ATP_E_NOT_FINITE);
  assert_error(context, "beta is inf, must be finite");
  assert_int_equal(atp_model_set_beta(m, -0.5), ATP_E_VALUE);
  assert_error(context, "beta is -0.5, must be >= 0");
  assert_int_equal(atp_model_set_beta(m, 2e100), ATP_E_VALUE);
  assert_true(atp_model_beta(m) == 2.5);
  assert_int_equal(atp_model_set_beta(m, 0), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 2.5), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, "-xy"), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, NULL), ATP_E_NULL);
  assert_int_equal(atp_model_set_alphabet(m, "rna"), ATP_E_SHAPE);
  assert_int_equal(atp_model_set_alphabet(m, "-xx"), ATP_E_ALPHABET);
  assert_string_equal(atp_model_alphabet(m), "-xy");

  assert_int_equal(atp_model_copy(context, m, &copy), ATP_OK);
  assert_true(atp_model_beta(copy) == 2.5);
  assert_string_equal(atp_model_alphabet(copy), "-xy");
  double values[H * Q * Q];
  assert_int_equal(atp_model_values(copy, values, H * Q * Q), ATP_OK);
  assert_memory_equal(values, kValues, sizeof values);
  atp_model_destroy(copy);
  assert_int_equal(atp_model_copy(NULL, m, &copy), ATP_E_NULL);
  assert_null(copy);
  assert_int_equal(atp_model_copy(context, NULL, &copy), ATP_E_NULL);
  assert_int_equal(atp_model_copy(context, m, NULL), ATP_E_NULL);
  atp_model_destroy(m);
}

static void assert_sites(const atp_model *m, const int64_t *numbers, const char *residues) {
  assert_memory_equal(atp_model_site_numbers_view(m), numbers, sizeof(int64_t) * L);
  assert_string_equal(atp_model_site_residues(m), residues);
}

static void test_sites(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *other = NULL;
  int64_t defaults[L], numbers[L];
  char residues[L + 1] = "";
  for (int i = 0; i < L; ++i) defaults[i] = i + 1, numbers[i] = 7 * i - 3, residues[i] = (char)('A' + i);
  assert_sites(m, defaults, "");
  assert_int_equal(atp_model_set_sites(m, numbers, L, residues), ATP_OK);
  assert_int_equal(atp_model_set_origin(m, "by hand"), ATP_OK);
  assert_sites(m, numbers, residues);
  assert_int_equal(atp_model_copy(context, m, &other), ATP_OK);
  assert_sites(other, numbers, residues);
  atp_model_destroy(other);
  const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM};
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_gauge(context, m, gauges[k], &other), ATP_OK);
    assert_sites(other, numbers, residues);
    assert_string_equal(atp_model_origin(other), "by hand");
    atp_model_destroy(other);
  }
  assert_int_equal(atp_model_set_sites(m, numbers, L + 1, residues), ATP_E_SHAPE);
  assert_int_equal(atp_model_set_sites(m, defaults, L, residues + 1), ATP_E_SHAPE);
  residues[0] = '\t';
  assert_int_equal(atp_model_set_sites(m, defaults, L, residues), ATP_E_ALPHABET);
  residues[0] = 'A';
  assert_sites(m, numbers, residues);
  assert_int_equal(atp_model_set_sites(m, NULL, L, NULL), ATP_OK);
  assert_sites(m, defaults, "");
  atp_model_destroy(m);
}

static void test_getters_refuse(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  float single[1] = {-7};
  fill();
  assert_int_equal(atp_model_maps(m, NULL, H * L * L), ATP_E_NULL);
  assert_int_equal(atp_model_maps(m, untouched, L * L), ATP_E_SHAPE);
  assert_error(context, "size is 9, must be 18");
  assert_int_equal(atp_model_values(m, NULL, H * Q * Q), ATP_E_NULL);
  assert_int_equal(atp_model_values(m, untouched, -1), ATP_E_SHAPE);
  assert_int_equal(atp_model_values(NULL, untouched, H * Q * Q), ATP_E_NULL);
  assert_int_equal(atp_model_fields(m, NULL, L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_fields(m, untouched, L * Q + 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_fields(NULL, untouched, L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_couplings_f64(m, NULL, DENSE), ATP_E_NULL);
  assert_int_equal(atp_model_couplings_f64(m, untouched, DENSE - 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_couplings_f64(NULL, untouched, DENSE), ATP_E_NULL);
  assert_int_equal(atp_model_couplings_f32(m, NULL, DENSE), ATP_E_NULL);
  assert_int_equal(atp_model_couplings_f32(m, single, 1), ATP_E_SHAPE);
  assert_int_equal(atp_model_couplings_f32(NULL, single, DENSE), ATP_E_NULL);
  assert_untouched();
  assert_true(single[0] == -7);
  atp_model_destroy(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

static const struct CMUnitTest tests[] = {
    TEST(test_create_heads),
    TEST(test_create_dense),
    TEST(test_create_heads_refuses),
    TEST(test_create_dense_refuses),
    TEST(test_random),
    TEST(test_setters_and_copy),
    TEST(test_sites),
    TEST(test_getters_refuse),
    cmocka_unit_test(test_no_memory),
    cmocka_unit_test(test_null_handles),
};
ATP_TEST_MAIN(tests)
