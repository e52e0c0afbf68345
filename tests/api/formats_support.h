/* SPDX-License-Identifier: MIT */
/** @file formats_support.h
 *  What the tests of other tools' files share: a model whose numbers depend on the symbols, bytes that grow, models that must be refused.
 */
#ifndef ATTOPOTTS_TESTS_FORMATS_SUPPORT_H
#define ATTOPOTTS_TESTS_FORMATS_SUPPORT_H

#include "api_support.h"

#include "folder.h"
#include "little_endian.h"

#include <math.h>
#include <stdarg.h>

enum { L = 4, Q = 3, N = 5, PAIRS = L * (L - 1) / 2, PROTEIN = 21 };

static const char kAlphabet[] = "-xy", kProtein[] = "-ACDEFGHIKLMNPQRSTVWY", kCcmpred[] = "ARNDCQEGHILKMFPSTWYV-";
static const int64_t kNumbers[L] = {12, 13, 40, 171};
static const uint8_t kSequences[N * L] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 0, 2, 1, 0, 0, 0, 0, 2, 1, 1, 2};
static const double kWeights[N] = {1, 0.5, 2, 0.125, 0.25};

static char last_log[1024];

static inline void keep_log(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) snprintf(last_log, sizeof last_log, "%s", text);
}

static inline int setup(void **state) {
  last_log[0] = 0;
  return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK || atp_context_set_log(*state, keep_log, NULL) != ATP_OK;
}

static inline int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  folder_clear();
  if (bytes != 0) print_error("%lld bytes are left\n", (long long)bytes);
  return bytes != 0;
}

/* Numbers of a test model; they depend on the symbols' characters, so that any order of states can be checked. */
static inline double field_at(int i, char a) { return sin(1.0 + i + 0.37 * a); }
static inline double coupling_at(int i, int j, char a, char b) { return 0.3 * sin(2.0 + 3 * i + 7 * j + 0.11 * a + 0.53 * b); }

/* A dense model with couplings C_ij(a, b) = C_ji(b, a), i < j from coupling_at. */
static inline atp_model *make_model(atp_context *context, const char *alphabet) {
  const int q = (int)strlen(alphabet);
  double *couplings = calloc((size_t)(L * L * q * q), sizeof(double)), fields[L * PROTEIN];
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j)
      for (int a = 0; a < q; ++a)
        for (int b = 0; b < q; ++b)
          couplings[((i * L + j) * q + a) * q + b] = couplings[((j * L + i) * q + b) * q + a] = coupling_at(i, j, alphabet[a], alphabet[b]);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < q; ++a) fields[i * q + a] = field_at(i, alphabet[a]);
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_dense_f64(context, L, q, couplings, fields, &m), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, alphabet), ATP_OK);
  assert_int_equal(atp_model_set_sites(m, kNumbers, L, "WxyZ"), ATP_OK);
  free(couplings);
  return m;
}

static inline atp_alignment *make_alignment(atp_context *context) {
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, kWeights, &a), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, kAlphabet), ATP_OK);
  return a;
}

/* Every number of a model against field_at and coupling_at, the gap's field subtracted or not. */
static inline void assert_numbers(const atp_model *m, const char *alphabet, double tolerance, int gap_is_zero) {
  const int q = (int)strlen(alphabet);
  double *c = malloc(sizeof(double) * (size_t)(L * L * q * q)), f[L * PROTEIN];
  assert_int_equal(atp_model_sites(m), L);
  assert_int_equal(atp_model_colors(m), q);
  assert_int_equal(atp_model_heads(m), 0);
  assert_true(atp_model_beta(m) == 1);
  assert_int_equal(atp_model_couplings_f64(m, c, L * L * q * q), ATP_OK);
  assert_int_equal(atp_model_fields(m, f, L * q), ATP_OK);
  for (int i = 0; i < L; ++i) {
    for (int a = 0; a < q; ++a)
      assert_close(f[i * q + a], field_at(i, alphabet[a]) - (gap_is_zero ? field_at(i, '-') : 0), tolerance, tolerance);
    for (int j = i + 1; j < L; ++j)
      for (int a = 0; a < q; ++a)
        for (int b = 0; b < q; ++b) {
          const double expected = coupling_at(i, j, alphabet[a], alphabet[b]);
          assert_close(c[((i * L + j) * q + a) * q + b], expected, tolerance, tolerance);
          assert_close(c[((j * L + i) * q + b) * q + a], expected, tolerance, tolerance);
        }
  }
  free(c);
}

static inline void assert_kind(atp_context *context, const char *path, const char *expected) {
  const char *kind = NULL;
  assert_int_equal(atp_file_kind(context, path, &kind), ATP_OK);
  assert_string_equal(kind, expected);
}

/* Bytes that grow. */
static char bytes[1 << 20];
static size_t used;

static inline void put(const void *data, size_t n) {
  assert_true(used + n < sizeof bytes);
  memcpy(bytes + used, data, n);
  used += n;
}
static inline void put_number(const void *number, size_t n) {
  char little[8];
  copy_number(little, number, n);
  put(little, n);
}
static inline void put_int(int32_t value) { put_number(&value, 4); }
static inline void put_float(double value) {
  const float small = (float)value;
  put_number(&small, 4);
}
static inline void put_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(bytes + used, sizeof bytes - used, format, arguments);
  va_end(arguments);
}
static inline void save(const char *path) { assert_int_equal(folder_put(path, bytes, used), 0); }

static inline void load(atp_context *context, const char *path) {
  int64_t size = 0;
  assert_int_equal(atp_file_size(context, path, &size), ATP_OK);
  assert_true(size < (int64_t)sizeof bytes);
  assert_int_equal(atp_file_read(context, path, bytes, size), ATP_OK);
  used = (size_t)size;
  bytes[used] = 0;
}

static inline void refuse_model(atp_context *context, atp_model_format format, atp_status expected, const char *text) {
  save("wrong");
  atp_model *m = (atp_model *)(uintptr_t)64;
  const atp_status status = atp_model_read_as(context, "wrong", format, NULL, &m);
  if (status != expected) print_error("%s expected, text %s\n", atp_status_name(expected), text);
  assert_int_equal(status, expected);
  assert_null(m);
  assert_error(context, text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline int run_in_folder(const struct CMUnitTest *tests, size_t count) {
  if (folder_enter() != 0) return 1;
  const int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
  folder_leave();
  return failed != 0;
}

#endif
