/* SPDX-License-Identifier: MIT */
/* Models through the C API: every function, every status, outputs untouched, no allocation but by create. */
#include "support.h"

#include <attopotts.h>

#include <stdlib.h>
#include <string.h>

enum { L = 3, Q = 3, H = 2, N = 4, BLOCK = Q * Q, DENSE = L * L * Q * Q };

static const uint8_t kSequences[N * L] = {0, 1, 2, 2, 2, 2, 1, 0, 0, 0, 2, 1};
static const double kWeights[N] = {1, 0.5, 2, 0};
static const double kMaps[H * L * L] = {0, 0.5, -1, 0.5, 0, 0.25, -1, 0.25, 0, /**/ 0, 1, 0.5, 1, 0, -0.75, 0.5, -0.75, 0};
static const double kValues[H * Q * Q] = {1, 0.5, -0.25, 0.5, -1, 0, -0.25, 0, 2, /**/ 0.5, 1, 0, 1, 0.25, -1, 0, -1, -0.5};
static const double kFields[L * Q] = {0.5, 0, -0.5, 0.25, 1, 0, -1, 0.125, 0.75};

/* The definitions of the header, written down again. */
static double coupling(int i, int j, int a, int b) {
  double sum = 0;
  for (int h = 0; h < H; ++h) sum += kMaps[(h * L + i) * L + j] * kValues[(h * Q + a) * Q + b];
  return sum;
}

static double local_field(const uint8_t *s, int i, int a) {
  double sum = kFields[i * Q + a];
  for (int j = 0; j < L; ++j)
    if (j != i) sum += coupling(i, j, a, s[j]);
  return sum;
}

static double conditional(const uint8_t *s, int i, int a, double beta) {
  double z = 0;
  for (int b = 0; b < Q; ++b) z += exp(beta * local_field(s, i, b));
  return exp(beta * local_field(s, i, a)) / z;
}

static double log_pl(const uint8_t *s, double beta) {
  double sum = 0;
  for (int i = 0; i < L; ++i) sum += log(conditional(s, i, s[i], beta));
  return sum;
}

static double energy(const uint8_t *s) {
  double sum = 0;
  for (int i = 0; i < L; ++i) {
    sum -= kFields[i * Q + s[i]];
    for (int j = 0; j < i; ++j) sum -= coupling(i, j, s[i], s[j]);
  }
  return sum;
}

static int setup(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

/* Every test leaves no memory behind. */
static int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  if (bytes != 0) print_error("%lld bytes are still in use\n", (long long)bytes);
  return bytes != 0;
}

static atp_model *make(atp_context *context) {
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_heads(context, L, Q, H, kMaps, kValues, kFields, &m), ATP_OK);
  assert_non_null(m);
  return m;
}

static atp_model *make_dense(atp_context *context, const double *fields) {
  double c[DENSE];
  atp_model *m = NULL;
  for (int k = 0; k < DENSE; ++k) c[k] = coupling(k / (L * BLOCK), k / BLOCK % L, k % BLOCK / Q, k % Q);
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, c, fields, &m), ATP_OK);
  assert_non_null(m);
  return m;
}

static int64_t allocations(const atp_context *context) {
  int64_t count = -1;
  assert_int_equal(atp_context_memory(context, &count, NULL), ATP_OK);
  return count;
}

static void assert_error(atp_context *context, const char *part) {
  char text[512];
  atp_context_error(context, text, sizeof text);
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in the error \"%s\"", part, text);
}

/* Arrays for outputs, filled with a value that must survive a failure. */
static double untouched[DENSE];
static void fill(void) {
  for (int k = 0; k < DENSE; ++k) untouched[k] = -7;
}
static void assert_untouched(void) {
  for (int k = 0; k < DENSE; ++k) assert_true(untouched[k] == -7);
}

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

  assert_int_equal(atp_model_create_heads(context, L, Q, H, kMaps, kValues, NULL, &m), ATP_OK);
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
  assert_int_equal(atp_model_create_heads(context, sites, q, heads, maps, values, fields, &m), expected);
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
  assert_int_equal(atp_model_create_heads(context, L, Q, H, maps, values, fields, NULL), ATP_E_NULL);
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

  const struct { int64_t sites, q; int couplings, colors; int64_t seed; const char *text; } wrong[] = {
      {1, 4, 1, 1, 1, "sites is 1"}, {20, 256, 1, 1, 1, "colors is 256"}, {20, 4, 0, 1, 1, "couplings is 0, must be in 1..2"},
      {20, 4, 3, 1, 1, "couplings is 3"}, {20, 4, 1, 3, 1, "color_matrix is 3"}, {20, 4, 1, 1, -1, "seed is -1"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    m = (atp_model *)(uintptr_t)64;
    assert_int_equal(atp_model_create_random(context, wrong[k].sites, wrong[k].q, (atp_couplings)wrong[k].couplings,
                                             (atp_color_matrix)wrong[k].colors, wrong[k].seed, &m), ATP_E_VALUE);
    assert_null(m);
    assert_error(context, wrong[k].text);
  }
  assert_int_equal(atp_model_create_random(NULL, 20, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &m), ATP_E_NULL);
  assert_null(m);
  assert_int_equal(atp_model_create_random(context, 20, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, NULL), ATP_E_NULL);
}

static void *no_memory(size_t bytes, size_t alignment, void *user) {
  int *left = user;
  return (*left)-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void give_back(void *memory, size_t bytes, void *user) {
  (void)bytes, (void)user;
  free(memory);
}

static void test_no_memory(void **state) {
  (void)state;
  int left = 2; /* the context and one model */
  atp_context *context = NULL;
  double error = -7;
  const double zeros[DENSE] = {0};
  const float zeros_single[DENSE] = {0};
  assert_int_equal(atp_context_create(no_memory, give_back, &left, &context), ATP_OK);
  atp_model *m = make(context), *out = m;
  assert_int_equal(atp_model_create_heads(context, L, Q, H, kMaps, kValues, NULL, &out), ATP_E_MEMORY);
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
  assert_int_equal(atp_model_enumerate(NULL, x, NULL, NULL, NULL, NULL), ATP_E_NULL);
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

static void test_evaluation(void **state) {
  atp_context *context = *state;
  atp_model *models[2] = {make(context), make_dense(context, kFields)};
  const int64_t before = allocations(context);
  double p[N * L * Q], e[N], logs[N];
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_set_beta(models[k], 0.8), ATP_OK);
    assert_int_equal(atp_model_conditionals(models[k], kSequences, N, p, N * L * Q), ATP_OK);
    assert_int_equal(atp_model_energies(models[k], kSequences, N, e), ATP_OK);
    assert_int_equal(atp_model_log_pseudolikelihoods(models[k], kSequences, N, logs), ATP_OK);
    for (int n = 0; n < N; ++n) {
      const uint8_t *s = kSequences + n * L;
      for (int i = 0; i < L; ++i)
        for (int a = 0; a < Q; ++a) assert_close(p[(n * L + i) * Q + a], conditional(s, i, a, 0.8), 1e-13, 0);
      assert_close(e[n], energy(s), 1e-13, 1e-14);
      assert_close(logs[n], log_pl(s, 0.8), 1e-13, 0);
    }
  }
  assert_int_equal(allocations(context), before);

  uint8_t wrong[N * L];
  memcpy(wrong, kSequences, sizeof wrong);
  wrong[2 * L + 1] = Q;
  fill();
  atp_model *m = models[0];
  assert_int_equal(atp_model_conditionals(NULL, kSequences, N, untouched, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, NULL, N, untouched, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, kSequences, N, NULL, N * L * Q), ATP_E_NULL);
  assert_int_equal(atp_model_conditionals(m, kSequences, 0, untouched, 0), ATP_E_VALUE);
  assert_int_equal(atp_model_conditionals(m, kSequences, INT64_MAX, untouched, N * L * Q), ATP_E_VALUE);
  assert_int_equal(atp_model_conditionals(m, kSequences, N, untouched, N * L), ATP_E_SHAPE);
  assert_int_equal(atp_model_conditionals(m, wrong, N, untouched, N * L * Q), ATP_E_ALPHABET);
  assert_error(context, "sequences[2][1] is 3, must be below the 3 colours");
  assert_int_equal(atp_model_energies(NULL, kSequences, N, untouched), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, NULL, N, untouched), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, kSequences, N, NULL), ATP_E_NULL);
  assert_int_equal(atp_model_energies(m, kSequences, -1, untouched), ATP_E_VALUE);
  assert_int_equal(atp_model_energies(m, wrong, N, untouched), ATP_E_ALPHABET);
  assert_int_equal(atp_model_log_pseudolikelihoods(NULL, kSequences, N, untouched), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, NULL, N, untouched), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, kSequences, N, NULL), ATP_E_NULL);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, kSequences, 0, untouched), ATP_E_VALUE);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, wrong, N, untouched), ATP_E_ALPHABET);
  assert_untouched();
  atp_model_destroy(models[0]);
  atp_model_destroy(models[1]);
}

static void test_loss(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  atp_alignment *a = NULL, *other = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, kWeights, &a), ATP_OK);
  const int64_t before = allocations(context);
  double loss = -7, expected = 0;
  for (int n = 0; n < N; ++n) expected -= kWeights[n] * log_pl(kSequences + n * L, 1) / (L * 3.5);
  for (int threads = 1; threads <= 3; ++threads) {
    assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
    assert_int_equal(atp_model_loss(context, m, a, &loss), ATP_OK);
    assert_close(loss, expected, 1e-13, 0);
  }
  assert_int_equal(allocations(context), before);
  loss = -7;
  assert_int_equal(atp_model_loss(NULL, m, a, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, NULL, a, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, m, NULL, &loss), ATP_E_NULL);
  assert_int_equal(atp_model_loss(context, m, a, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q + 1, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_loss(context, m, other, &loss), ATP_E_SHAPE);
  assert_error(context, "colours of alignment is 4, must be 3");
  atp_alignment_destroy(other);
  assert_int_equal(atp_alignment_create(context, kSequences, 2, 2 * L, Q, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_loss(context, m, other, &loss), ATP_E_SHAPE);
  assert_error(context, "sites of alignment is 6, must be 3");
  assert_true(loss == -7);
  atp_alignment_destroy(other);
  atp_alignment_destroy(a);
  atp_model_destroy(m);
}

static void test_gauge(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *dense = make_dense(context, kFields), *g = NULL;
  const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM, ATP_GAUGE_ZERO_SUM};
  atp_model *sources[] = {m, m, dense};
  double p[N * L * Q], r[N * L * Q];
  assert_int_equal(atp_model_conditionals(m, kSequences, N, p, N * L * Q), ATP_OK);
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(atp_model_gauge(context, sources[k], gauges[k], &g), ATP_OK);
    assert_int_equal(atp_model_heads(g), k == 0 ? H : 0);
    assert_int_equal(atp_model_conditionals(g, kSequences, N, r, N * L * Q), ATP_OK);
    for (int x = 0; x < N * L * Q; ++x) assert_close(p[x], r[x], 1e-12, 0);
    atp_model_destroy(g);
  }
  g = m;
  assert_int_equal(atp_model_gauge(context, dense, ATP_GAUGE_COLORS, &g), ATP_E_CONFLICT);
  assert_null(g);
  assert_int_equal(atp_model_gauge(context, m, (atp_gauge)3, &g), ATP_E_VALUE);
  assert_error(context, "gauge is 3, must be in 1..2");
  assert_int_equal(atp_model_gauge(context, m, (atp_gauge)0, &g), ATP_E_VALUE);
  assert_int_equal(atp_model_gauge(NULL, m, ATP_GAUGE_COLORS, &g), ATP_E_NULL);
  assert_int_equal(atp_model_gauge(context, NULL, ATP_GAUGE_COLORS, &g), ATP_E_NULL);
  assert_int_equal(atp_model_gauge(context, m, ATP_GAUGE_COLORS, NULL), ATP_E_NULL);
  atp_model_destroy(dense);
  atp_model_destroy(m);
}

static void test_coupling_error(void **state) {
  atp_context *context = *state;
  atp_model *truth = NULL, *learned = NULL, *dense = NULL;
  double maps[L * L], values[Q * Q], error = -7;
  for (int k = 0; k < L * L; ++k) maps[k] = -0.5 * (kMaps[k] + (kMaps[k] != 0 ? 0.1 : 0)); /* J + 0.1 in a gauge of c = -2 */
  for (int k = 0; k < Q * Q; ++k) values[k] = -2 * kValues[k] + k % Q;
  assert_int_equal(atp_model_create_heads(context, L, Q, 1, kMaps, kValues, NULL, &truth), ATP_OK);
  assert_int_equal(atp_model_create_heads(context, L, Q, 1, maps, values, NULL, &learned), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, learned, truth, &error), ATP_OK);
  assert_close(error, L * (L - 1) * 0.01 / (L * L), 1e-12, 0);
  assert_int_equal(atp_model_gauge(context, learned, ATP_GAUGE_ZERO_SUM, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_OK);
  assert_close(error, L * (L - 1) * 0.01 / (L * L), 1e-12, 0);
  error = -7;
  assert_int_equal(atp_model_coupling_error(NULL, learned, truth, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, NULL, truth, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, learned, NULL, &error), ATP_E_NULL);
  assert_int_equal(atp_model_coupling_error(context, learned, truth, NULL), ATP_E_NULL);
  atp_model_destroy(dense);
  assert_int_equal(atp_model_create_random(context, L, Q + 1, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_E_SHAPE);
  assert_error(context, "colours of model is 4, must be 3");
  atp_model_destroy(dense);
  assert_int_equal(atp_model_create_random(context, L + 1, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &dense), ATP_OK);
  assert_int_equal(atp_model_coupling_error(context, dense, truth, &error), ATP_E_SHAPE);
  assert_true(error == -7);
  atp_model_destroy(dense);
  atp_model_destroy(learned);
  atp_model_destroy(truth);
}

static void test_enumerate(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context), *large = NULL;
  const int64_t before = allocations(context);
  double log_z = -7, mean = -7, marginals[L * Q], pairs[DENSE], p[27], z = 0, sum = 0;
  assert_int_equal(atp_model_enumerate(m, &log_z, &mean, marginals, pairs, p), ATP_OK);
  assert_int_equal(atp_model_enumerate(m, NULL, NULL, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(allocations(context), before);
  for (int k = 0; k < 27; ++k) {
    const uint8_t s[L] = {(uint8_t)(k / 9), (uint8_t)(k / 3 % 3), (uint8_t)(k % 3)};
    z += exp(-energy(s));
    sum += exp(-energy(s)) * energy(s);
  }
  assert_close(log_z, log(z), 1e-14, 0);
  assert_close(mean, sum / z, 1e-13, 0);
  double one = 0, two = 0;
  for (int k = 0; k < 27; ++k) {
    const uint8_t s[L] = {(uint8_t)(k / 9), (uint8_t)(k / 3 % 3), (uint8_t)(k % 3)};
    assert_close(p[k], exp(-energy(s)) / z, 1e-13, 0);
    if (s[1] == 2) one += p[k];
    if (s[2] == 0 && s[0] == 1) two += p[k];
  }
  assert_close(marginals[1 * Q + 2], one, 1e-13, 0);
  assert_close(pairs[((2 * L + 0) * Q + 0) * Q + 1], two, 1e-13, 0);
  assert_true(pairs[(1 * L + 1) * BLOCK + 8] == marginals[1 * Q + 2] && pairs[(1 * L + 1) * BLOCK + 1] == 0);

  log_z = -7;
  fill();
  assert_int_equal(atp_model_create_random(context, 27, 2, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, 1, &large), ATP_OK);
  assert_int_equal(atp_model_enumerate(large, &log_z, NULL, untouched, NULL, NULL), ATP_E_TOO_LARGE);
  assert_error(context, "model has 2^27 states, enumeration takes at most 2^26");
  assert_true(log_z == -7);
  assert_untouched();
  atp_model_destroy(large);
  atp_model_destroy(m);
}

/* The largest alphabet and the smallest model. */
static void test_limits(void **state) {
  atp_context *context = *state;
  for (int q = 2; q <= 255; q += 253) {
    atp_model *m = NULL;
    uint8_t s[2] = {0, (uint8_t)(q - 1)};
    double e[1], log_z[1], *p = malloc(sizeof(double) * 2 * (size_t)q), sum = 0;
    assert_int_equal(atp_model_create_random(context, 2, q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &m), ATP_OK);
    assert_int_equal(atp_model_conditionals(m, s, 1, p, 2 * q), ATP_OK);
    for (int a = 0; a < q; ++a) sum += p[q + a];
    assert_close(sum, 1, 1e-13, 0);
    assert_int_equal(atp_model_energies(m, s, 1, e), ATP_OK);
    assert_int_equal(atp_model_enumerate(m, log_z, NULL, p, NULL, NULL), ATP_OK);
    assert_true(*log_z > -*e);
    atp_model_destroy(m);
    free(p);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_create_heads),   TEST(test_create_dense),    TEST(test_create_heads_refuses),     TEST(test_create_dense_refuses),
      TEST(test_random),         TEST(test_setters_and_copy), TEST(test_getters_refuse),          TEST(test_evaluation),
      TEST(test_loss),           TEST(test_gauge),           TEST(test_coupling_error),           TEST(test_enumerate),
      TEST(test_limits),         cmocka_unit_test(test_no_memory), cmocka_unit_test(test_null_handles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
