/* SPDX-License-Identifier: MIT */
/* Files of other tools: read from bytes that this program writes itself, after the tables of docs/formats.md; what the library writes is
 * taken apart in the same way. */
#include "api_support.h"

#include "folder.h"

#include <math.h>
#include <stdarg.h>

enum { L = 4, Q = 3, N = 5, PAIRS = L * (L - 1) / 2, PROTEIN = 21 };

static const char kAlphabet[] = "-xy", kProtein[] = "-ACDEFGHIKLMNPQRSTVWY", kCcmpred[] = "ARNDCQEGHILKMFPSTWYV-";
static const int64_t kNumbers[L] = {12, 13, 40, 171};
static const uint8_t kSequences[N * L] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 0, 2, 1, 0, 0, 0, 0, 2, 1, 1, 2};
static const double kWeights[N] = {1, 0.5, 2, 0.125, 0.25};

static char last_log[1024];

static void keep_log(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) snprintf(last_log, sizeof last_log, "%s", text);
}

static int setup(void **state) {
  last_log[0] = 0;
  return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK || atp_context_set_log(*state, keep_log, NULL) != ATP_OK;
}

static int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  folder_clear();
  if (bytes != 0) print_error("%lld bytes are left\n", (long long)bytes);
  return bytes != 0;
}

/* Numbers of a test model; they depend on the symbols' characters, so that any order of states can be checked. */
static double field_at(int i, char a) { return sin(1.0 + i + 0.37 * a); }
static double coupling_at(int i, int j, char a, char b) { return 0.3 * sin(2.0 + 3 * i + 7 * j + 0.11 * a + 0.53 * b); }

/* A dense model with couplings C_ij(a, b) = C_ji(b, a), i < j from coupling_at. */
static atp_model *make_model(atp_context *context, const char *alphabet) {
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

static atp_alignment *make_alignment(atp_context *context) {
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, kWeights, &a), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, kAlphabet), ATP_OK);
  return a;
}

/* Every number of a model against field_at and coupling_at, the gap's field subtracted or not. */
static void assert_numbers(const atp_model *m, const char *alphabet, double tolerance, int gap_is_zero) {
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

static void assert_kind(atp_context *context, const char *path, const char *expected) {
  const char *kind = NULL;
  assert_int_equal(atp_file_kind(context, path, &kind), ATP_OK);
  assert_string_equal(kind, expected);
}

/* Bytes that grow. */
static char bytes[1 << 20];
static size_t used;

static void put(const void *data, size_t n) {
  assert_true(used + n < sizeof bytes);
  memcpy(bytes + used, data, n);
  used += n;
}
static void put_int(int32_t value) { put(&value, 4); }
static void put_float(double value) {
  const float small = (float)value;
  put(&small, 4);
}
static void put_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(bytes + used, sizeof bytes - used, format, arguments);
  va_end(arguments);
}
static void save(const char *path) { assert_int_equal(folder_put(path, bytes, used), 0); }

static void load(atp_context *context, const char *path) {
  int64_t size = 0;
  assert_int_equal(atp_file_size(context, path, &size), ATP_OK);
  assert_true(size < (int64_t)sizeof bytes);
  assert_int_equal(atp_file_read(context, path, bytes, size), ATP_OK);
  used = (size_t)size;
  bytes[used] = 0;
}

static void put_pairs(void (*number)(double), int with_indices) {
  for (int k = with_indices ? 0 : 1; k < 2; ++k)
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j) {
        if (with_indices && k == 0) put_int(i + 1), put_int(j + 1);
        if (with_indices && k == 1) continue;
        for (int part = with_indices ? 0 : 1; part < 2; ++part)
          for (int a = 0; a < Q; ++a)
            for (int b = 0; b < Q; ++b) number(part == 0 ? 0.111 : coupling_at(i, j, kAlphabet[a], kAlphabet[b]));
      }
}

static void plmc_v2(void) {
  used = 0;
  put_int(L), put_int(Q), put_int(2), put_int(1), put_int(100);
  put_float(0.2), put_float(0.01), put_float(16), put_float(0), put_float(1.5);
  put(kAlphabet, Q);
  put_float(1), put_float(2), put_float(0);
  put("WxyZ", L);
  for (int i = 0; i < L; ++i) put_int((int32_t)kNumbers[i]);
  for (int k = 0; k < L * Q; ++k) put_float(0.25);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) put_float(field_at(i, kAlphabet[a]));
  for (int k = 0; k < PAIRS * Q * Q; ++k) put_float(0.125);
  put_pairs(put_float, 0);
  assert_int_equal(used, 40 + Q + 4 * 3 + L + 4 * L + 8 * L * Q + 4 * L * (L - 1) * Q * Q);
}

static void plmc_v1(void) {
  used = 0;
  put_int(L), put_int(Q);
  put("WxyZ", L);
  for (int i = 0; i < L; ++i) put_int((int32_t)kNumbers[i]);
  for (int k = 0; k < L * Q; ++k) put_float(0.25);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) put_float(field_at(i, kAlphabet[a]));
  put_pairs(put_float, 1);
}

static void assert_labels(const atp_model *m, const char *residues) {
  assert_memory_equal(atp_model_site_numbers_view(m), kNumbers, sizeof kNumbers);
  assert_string_equal(atp_model_site_residues(m), residues);
}

static void test_plmc_read(void **state) {
  atp_context *context = *state;
  atp_model *m = NULL;
  for (int version = 1; version <= 2; ++version) {
    version == 1 ? plmc_v1() : plmc_v2();
    save("p.model");
    assert_kind(context, "p.model", "plmc-model");
    assert_int_equal(
        version == 1 ? atp_model_read(context, "p.model", &m) : atp_model_read_as(context, "p.model", ATP_MODEL_PLMC, NULL, &m), ATP_OK);
    assert_numbers(m, kAlphabet, 1e-7, 0);
    assert_string_equal(atp_model_alphabet(m), version == 1 ? "" : kAlphabet);
    assert_labels(m, "WxyZ");
    atp_model_destroy(m);
  }
  /* Without a focus plmc repeats the gap. */
  plmc_v2();
  memset(bytes + 40 + Q + 12, '-', L);
  save("p.model");
  assert_int_equal(atp_model_read(context, "p.model", &m), ATP_OK);
  assert_labels(m, "");
  atp_model_destroy(m);
}

static void refuse_model(atp_context *context, atp_model_format format, atp_status expected, const char *text) {
  save("wrong");
  atp_model *m = (atp_model *)(uintptr_t)64;
  const atp_status status = atp_model_read_as(context, "wrong", format, NULL, &m);
  if (status != expected) print_error("%s expected, text %s\n", atp_status_name(expected), text);
  assert_int_equal(status, expected);
  assert_null(m);
  assert_error(context, text);
}

static void test_plmc_damage(void **state) {
  atp_context *context = *state;
  plmc_v2();
  const size_t whole = used;
  /* Every cut, in both ways of reading. */
  for (used = 1; used < whole; used += 1) {
    save("cut");
    atp_model *m = NULL;
    const atp_status status = atp_model_read_as(context, "cut", ATP_MODEL_PLMC, NULL, &m);
    assert_int_equal(status, ATP_E_FORMAT);
    assert_int_equal(atp_model_read(context, "cut", &m), ATP_E_FORMAT);
    assert_null(m);
  }
  used = whole - 3;
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "bytes, expected a plmc model of 603 (version 2, L = 4, q = 3, 3 sequences)");
  used = whole;
  const double nan = NAN;
  const float wrong = (float)nan;
  const size_t place = used - 4;
  char kept[4];
  memcpy(kept, bytes + place, 4);
  memcpy(bytes + place, &wrong, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_NOT_FINITE, "byte 599: a coupling is nan, must be finite");
  memcpy(bytes + place, kept, 4);
  bytes[41] = '-'; /* the alphabet is then "--y" */
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "byte 40: the alphabet, expected 3 different printable characters");
  plmc_v2();
  const int32_t huge = 2000000000, negative = -1;
  memcpy(bytes, &huge, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "L = 2000000000 and q = 3, expected a plmc model");
  plmc_v2();
  memcpy(bytes + 8, &negative, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "-1 and 1 sequences");
  plmc_v2();
  memcpy(bytes + 8, &huge, 4);
  memcpy(bytes + 12, &huge, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "4000000000 sequences");
  plmc_v1();
  const int32_t three = 3;
  memcpy(bytes + 8 + 5 * L + 8 * L * Q, &three, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "pair 3 2, expected 1 2");
  plmc_v2();
  bytes[40 + Q + 12] = ' ';
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "byte 55: focus residues[0] has the code 32");
}

static float float_at(size_t place) {
  float value;
  memcpy(&value, bytes + place, 4);
  return value;
}
static int32_t int_at(size_t place) {
  int32_t value;
  memcpy(&value, bytes + place, 4);
  return value;
}

/* Frequencies by their definition. */
static double frequency(int i, int a, int j, int b) {
  double sum = 0, total = 0;
  for (int n = 0; n < N; ++n) {
    total += kWeights[n];
    if (kSequences[n * L + i] == a && kSequences[n * L + j] == b) sum += kWeights[n];
  }
  return sum / total;
}

static void test_plmc_write(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kAlphabet), *back = NULL;
  atp_alignment *a = make_alignment(context);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_error(context, "alignment is NULL");
  assert_int_equal(folder_entries(), 0);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_OK);
  assert_int_equal(folder_entries(), 1);
  load(context, "p.model");
  assert_int_equal(used, 40 + Q + 4 * N + L + 4 * L + 8 * L * Q + 4 * L * (L - 1) * Q * Q);
  assert_true(int_at(0) == L && int_at(4) == Q && int_at(8) == N && int_at(12) == 0 && int_at(16) == -1);
  for (int k = 0; k < 4; ++k) assert_true(float_at(20 + 4 * (size_t)k) == -1);
  assert_true(float_at(36) == 3.875f);
  assert_memory_equal(bytes + 40, kAlphabet, Q);
  size_t place = 40 + Q;
  for (int n = 0; n < N; ++n, place += 4) assert_true(float_at(place) == (float)(1 / kWeights[n]));
  assert_memory_equal(bytes + place, "WxyZ", L);
  place += L;
  for (int i = 0; i < L; ++i, place += 4) assert_int_equal(int_at(place), kNumbers[i]);
  for (int i = 0; i < L; ++i)
    for (int c = 0; c < Q; ++c, place += 4) assert_close(float_at(place), frequency(i, c, i, c), 1e-7, 1e-7);
  for (int i = 0; i < L; ++i)
    for (int c = 0; c < Q; ++c, place += 4) assert_true(float_at(place) == (float)field_at(i, kAlphabet[c]));
  for (int part = 0; part < 2; ++part)
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j)
        for (int c = 0; c < Q; ++c)
          for (int d = 0; d < Q; ++d, place += 4)
            assert_close(float_at(place), part == 0 ? frequency(i, c, j, d) : coupling_at(i, j, kAlphabet[c], kAlphabet[d]), 1e-7, 1e-7);
  assert_int_equal(place, used);
  assert_int_equal(atp_model_read(context, "p.model", &back), ATP_OK);
  assert_numbers(back, kAlphabet, 1e-7, 0);
  assert_labels(back, "WxyZ");
  atp_model_destroy(back);

  /* Gaps ignored: the model has the colours but the first, frequencies are those among residues. */
  atp_model *without = make_model(context, "xy");
  assert_int_equal(atp_model_set_sites(without, NULL, L, NULL), ATP_OK);
  assert_int_equal(atp_model_write_as(context, without, a, ATP_MODEL_PLMC, "p.model"), ATP_OK);
  load(context, "p.model");
  assert_int_equal(int_at(4), 2);
  assert_memory_equal(bytes + 42 + 4 * N, "----", L);
  const double x = frequency(1, 1, 1, 1), y = frequency(1, 2, 1, 2);
  place = 42 + 4 * N + 5 * L + 2 * 4;
  assert_close(float_at(place), x / (x + y), 1e-6, 1e-6);
  assert_close(float_at(place + 4), y / (x + y), 1e-6, 1e-6);
  assert_int_equal(atp_model_read(context, "p.model", &back), ATP_OK);
  assert_numbers(back, "xy", 1e-7, 0);
  atp_model_destroy(back);

  /* What does not go. */
  assert_int_equal(atp_alignment_set_alphabet(a, "-yx"), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_error(context, "the alignment has the alphabet '-yx', the model '-xy'");
  assert_int_equal(atp_model_set_alphabet(m, ""), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_int_equal(atp_model_set_alphabet(m, kAlphabet), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, kAlphabet), ATP_OK);
  const int64_t far[L] = {1, 2, 3, 5000000000};
  assert_int_equal(atp_model_set_sites(m, far, L, NULL), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_VALUE);
  assert_error(context, "the number of a site is 5000000000");
  assert_int_equal(atp_model_set_sites(m, NULL, L, NULL), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 1e60), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_VALUE);
  atp_alignment *other = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, L, N, Q, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, other, ATP_MODEL_PLMC, "p.model"), ATP_E_SHAPE);
  assert_int_equal(folder_entries(), 1); /* the good one, no temporary */
  atp_alignment_destroy(other);
  atp_alignment_destroy(a);
  atp_model_destroy(without);
  atp_model_destroy(m);
}

static void put_real(double value) { put_text("%.20e\t", value); }

static void ccmpred_raw(void) {
  used = 0;
  for (int i = 0; i < L; ++i) {
    for (int s = 0; s < 20; ++s) put_real(field_at(i, kCcmpred[s]) - field_at(i, '-'));
    put_text("\n");
  }
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j) {
      put_text("# %d %d\n", i, j);
      for (int s = 0; s < 21; ++s) {
        for (int t = 0; t < 21; ++t) put_real(coupling_at(i, j, kCcmpred[s], kCcmpred[t]));
        put_text("\n");
      }
    }
}

static void test_ccmpred_raw(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kProtein), *back = NULL;
  for (int meta = 0; meta < 2; ++meta) {
    ccmpred_raw();
    if (meta) put_text("#>META> {\"version\": \"0.1\"}");
    save("c.raw");
    assert_kind(context, "c.raw", "ccmpred-raw");
    assert_int_equal(atp_model_read(context, "c.raw", &back), ATP_OK);
    assert_numbers(back, kProtein, 0, 1);
    assert_string_equal(atp_model_alphabet(back), kProtein);
    atp_model_destroy(back);
  }
  /* Ours is the same file, to the byte. */
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_non_null(strstr(last_log, "no field of the gap"));
  char *ours = malloc(sizeof bytes);
  load(context, "ours.raw");
  const size_t n = used;
  memcpy(ours, bytes, n);
  ccmpred_raw();
  assert_int_equal(used, n);
  assert_memory_equal(ours, bytes, n);
  free(ours);
  /* The other order of symbols, and no gap at all. */
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  atp_model_destroy(m);
  m = make_model(context, "VAC-DEFGHIKLMNPQRSTWY");
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_int_equal(atp_model_read(context, "ours.raw", &back), ATP_OK);
  assert_numbers(back, kProtein, 0, 1);
  atp_model_destroy(back);
  atp_model_destroy(m);
  m = make_model(context, kProtein + 1);
  last_log[0] = 0;
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_non_null(strstr(last_log, "the model has no gap"));
  assert_int_equal(atp_model_read(context, "ours.raw", &back), ATP_OK);
  double f[L * PROTEIN], c[L * L * PROTEIN * PROTEIN];
  assert_int_equal(atp_model_fields(back, f, L * PROTEIN), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(back, c, L * L * PROTEIN * PROTEIN), ATP_OK);
  for (int i = 0; i < L; ++i) assert_true(f[i * PROTEIN] == 0 && f[i * PROTEIN + 5] == field_at(i, kProtein[5]));
  assert_true(c[PROTEIN * PROTEIN + 3] == 0 && c[PROTEIN * PROTEIN + 3 * PROTEIN] == 0);
  assert_true(c[PROTEIN * PROTEIN + 3 * PROTEIN + 4] == coupling_at(0, 1, kProtein[3], kProtein[4]));
  atp_model_destroy(back);
  atp_model_destroy(m);
  m = make_model(context, kAlphabet);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "no.raw"), ATP_E_CONFLICT);
  assert_error(context, "CCMpred's format is for the 21 symbols of proteins");
  atp_model_destroy(m);
}

/* Replace the first `from` after `after` by `to`, of any length. */
static void edit(const char *after, const char *from, const char *to) {
  bytes[used] = 0;
  char *place = strstr(strstr(bytes, after), from);
  assert_non_null(place);
  const size_t n = strlen(from), m = strlen(to), rest = used - (size_t)(place - bytes) - n;
  memmove(place + m, place + n, rest + 1);
  memcpy(place, to, m);
  used = used + m - n;
}

static void test_ccmpred_damage(void **state) {
  atp_context *context = *state;
  ccmpred_raw();
  edit("# 1 2", "e-", "x-");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:72: '");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 0 1");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: the pair 0 1 occurs twice");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 2 0");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: '0', expected a site j > i in 3..3");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 0 4");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: '4', expected a site j > i in 1..3");
  ccmpred_raw();
  edit("# 0 3", "\t", "\tnan\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_NOT_FINITE, "wrong:50: 'nan', expected a coupling, finite");
  ccmpred_raw();
  edit("# 0 3", "\t", "\t1\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:50: ");
  ccmpred_raw();
  edit("# 0 3", "\t", "\t1e101\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "at most 1e100 in magnitude");
  ccmpred_raw();
  used -= 3000;
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "");
  ccmpred_raw();
  put_text("# 0 1\n");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:137: '#', expected the end after the last pair");
  used = 0;
  put_text("# 0 1\n");
  refuse_model(context, ATP_MODEL_CCMPRED, ATP_E_FORMAT, "0 lines before the first '# i j'");
  used = 0;
  for (int i = 0; i < 3000; ++i) put_text("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n");
  refuse_model(context, ATP_MODEL_CCMPRED, ATP_E_FORMAT, "too few for 4498500 pairs of 3000 sites: cut short?");
}

static void adabm(const char *alphabet, int integers) {
  const int q = (int)strlen(alphabet);
  used = 0;
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j)
      for (int a = 0; a < q; ++a)
        for (int b = 0; b < q; ++b) {
          if (integers)
            put_text("J %d %d %d %d %.17g\n", i, j, a, b, coupling_at(i, j, alphabet[a], alphabet[b]));
          else
            put_text("J %d %d %c %c %.17g\n", i, j, alphabet[a], alphabet[b], coupling_at(i, j, alphabet[a], alphabet[b]));
        }
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < q; ++a) {
      if (integers)
        put_text("h %d %d %.17g\n", i, a, field_at(i, alphabet[a]));
      else
        put_text("h %d %c %.17g\n", i, alphabet[a], field_at(i, alphabet[a]));
    }
}

static void test_adabm(void **state) {
  atp_context *context = *state;
  atp_model *m = NULL, *back = NULL;
  adabm("-ACGU", 0);
  save("params.dat");
  assert_kind(context, "params.dat", "adabm");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  assert_string_equal(atp_model_alphabet(m), "-ACGU");
  assert_numbers(m, "-ACGU", 0, 0);
  const atp_model_format formats[] = {ATP_MODEL_ADABM, ATP_MODEL_BMDCA};
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_write_as(context, m, NULL, formats[k], "ours.dat"), ATP_OK);
    assert_kind(context, "ours.dat", k == 0 ? "adabm" : "bmdca");
    assert_int_equal(atp_model_read_as(context, "ours.dat", ATP_MODEL_AUTO, k == 0 ? NULL : "rna", &back), ATP_OK);
    assert_numbers(back, "-ACGU", 0, 0);
    assert_string_equal(atp_model_alphabet(back), "-ACGU");
    atp_model_destroy(back);
  }
  atp_model_destroy(m);
  /* Integers alone have no symbols; letters of our own need the alphabet. */
  adabm(kAlphabet, 1);
  save("params.dat");
  assert_kind(context, "params.dat", "bmdca");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  assert_string_equal(atp_model_alphabet(m), "");
  assert_numbers(m, kAlphabet, 0, 0);
  atp_model_destroy(m);
  adabm(kAlphabet, 0);
  save("params.dat");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_E_CONFLICT);
  assert_error(context, "params.dat: the symbols are '-xy', those of neither protein, rna nor dna: the alphabet must be given");
  assert_int_equal(atp_model_read_as(context, "params.dat", ATP_MODEL_ADABM, kAlphabet, &m), ATP_OK);
  assert_numbers(m, kAlphabet, 0, 0);
  atp_model_destroy(m);
  assert_int_equal(atp_model_read_as(context, "params.dat", ATP_MODEL_ADABM, "-xz", &m), ATP_E_ALPHABET);
  assert_error(context, "params.dat:3: 'y', expected a symbol of '-xz'");

  /* Couplings of pairs j > i, and those that are not there. */
  used = 0;
  put_text("# a comment\nJ 1 0 1 0 0.5\r\n\nJ 0 1 1 1 -1e-3\nh 0 0 +1\nh 0 1 2\nh 1 0 3\nh 1 1 4");
  save("params.dat");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  double c[16], f[4];
  assert_int_equal(atp_model_couplings_f64(m, c, 16), ATP_OK);
  assert_int_equal(atp_model_fields(m, f, 4), ATP_OK);
  for (int k = 0; k < 16; ++k) assert_true(c[k] == (k == 5 || k == 10 ? 0.5 : k == 7 || k == 11 ? -1e-3 : 0));
  assert_true(f[0] == 1 && f[1] == 2 && f[2] == 3 && f[3] == 4);
  atp_model_destroy(m);
}

static void refuse_text(atp_context *context, const char *text, atp_status status, const char *error) {
  used = 0;
  put(text, strlen(text));
  refuse_model(context, ATP_MODEL_BMDCA, status, error);
}

static void test_adabm_damage(void **state) {
  atp_context *context = *state;
#define FIELDS "h 0 0 1\nh 0 1 2\nh 1 0 3\nh 1 1 4\n"
  refuse_text(context, FIELDS "K 1 1 4\n", ATP_E_FORMAT, "wrong:5: 'K', expected a line 'J i j a b value' or 'h i a value'");
  refuse_text(context, FIELDS "J 0 1 0 0 0.1\nJ 1 0 0 0 0.1\n", ATP_E_FORMAT, "wrong:6: this coupling of sites 1 and 0 occurs twice");
  refuse_text(context, FIELDS "h 1 1 4\n", ATP_E_FORMAT, "5 lines 'h i a value', expected 4");
  refuse_text(context, "h 0 0 1\nh 0 0 2\nh 1 0 3\nh 1 1 4\n", ATP_E_FORMAT, "wrong:2: this field of site 0 occurs twice");
  refuse_text(context, "h 0 0 1\nh 0 1 2\nh 1 0 3\n", ATP_E_FORMAT, "3 lines 'h i a value', expected 4");
  refuse_text(context, FIELDS "J 1 1 0 0 4\n", ATP_E_FORMAT, "wrong:5: site 1 is coupled to itself");
  refuse_text(context, FIELDS "J 0 1 0 0\n", ATP_E_FORMAT, "wrong:5: the line ends, expected a value");
  refuse_text(context, FIELDS "J 0 1 0 0 1 1\n", ATP_E_FORMAT, "wrong:5: '1', expected the end of the line after the value");
  refuse_text(context, FIELDS "J 0 1 0 0 1.5.2\n", ATP_E_FORMAT, "wrong:5: '1.5.2', expected a value, a number");
  refuse_text(context, FIELDS "J 0 1 0 0 inf\n", ATP_E_NOT_FINITE, "wrong:5: 'inf', expected a value, finite");
  refuse_text(context, FIELDS "J 0 -1 0 0 1\n", ATP_E_FORMAT, "wrong:5: '-1', expected a site j in 0..65535");
  refuse_text(context, FIELDS "J 65535 65534 254 254 1\n", ATP_E_FORMAT, "4 lines 'h i a value', expected 16711680");
  refuse_text(context, FIELDS "J 0 1 255 0 1\n", ATP_E_FORMAT, "wrong:5: '255', expected a colour in 0..254");
  refuse_text(context, "J 0 1 1 0 1\n", ATP_E_FORMAT, "0 lines 'h i a value' for 2 sites and 2 colours");
  refuse_text(context, "h 0 0 1\nh 0 1 1\n", ATP_E_FORMAT, "for 1 sites and 2 colours");
  refuse_text(context, "", ATP_E_FORMAT, "0 lines 'h i a value'");
}

/* Heads, beta and couplings that are not symmetric: energies of sequences stay those of beta * H, to the precision of each format. */
static void test_energies(void **state) {
  atp_context *context = *state;
  double maps[L * L], values[Q * Q], fields[L * Q], before[N], after[N];
  for (int k = 0; k < L * L; ++k) maps[k] = k % (L + 1) == 0 ? 0 : sin(1 + k);
  for (int k = 0; k < Q * Q; ++k) values[k] = cos(2 + k);
  for (int k = 0; k < L * Q; ++k) fields[k] = sin(30 + k);
  atp_model *m = NULL, *back = NULL;
  atp_alignment *a = make_alignment(context);
  assert_int_equal(atp_model_create_heads(context, L, Q, 1, maps, values, fields, &m), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, kAlphabet), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 1.75), ATP_OK);
  assert_int_equal(atp_model_energies(m, kSequences, N, before), ATP_OK);
  const struct {
    atp_model_format format;
    double tolerance;
  } formats[] = {{ATP_MODEL_PLMC, 1e-6}, {ATP_MODEL_ADABM, 1e-14}, {ATP_MODEL_BMDCA, 1e-14}};
  for (size_t k = 0; k < sizeof formats / sizeof *formats; ++k) {
    last_log[0] = 0;
    assert_int_equal(atp_model_write_as(context, m, a, formats[k].format, "file"), ATP_OK);
    assert_non_null(strstr(last_log, "the couplings are not symmetric"));
    assert_int_equal(atp_model_read_as(context, "file", ATP_MODEL_AUTO, kAlphabet, &back), ATP_OK);
    assert_true(atp_model_beta(back) == 1);
    assert_int_equal(atp_model_energies(back, kSequences, N, after), ATP_OK);
    for (int n = 0; n < N; ++n) assert_close(after[n], 1.75 * before[n], formats[k].tolerance, formats[k].tolerance);
    atp_model_destroy(back);
  }
  atp_model_destroy(m);
  /* CCMpred: differences of energies. */
  m = make_model(context, kProtein);
  assert_int_equal(atp_model_energies(m, kSequences, N, before), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "file"), ATP_OK);
  assert_int_equal(atp_model_read(context, "file", &back), ATP_OK);
  assert_int_equal(atp_model_energies(back, kSequences, N, after), ATP_OK);
  double shift = 0;
  for (int i = 0; i < L; ++i) shift += field_at(i, '-');
  for (int n = 0; n < N; ++n) assert_close(after[n] - before[n], shift, 1e-13, 1e-13);
  atp_model_destroy(back);
  atp_model_destroy(m);
  atp_alignment_destroy(a);
}

static double score_at(int i, int j) { return i == j ? 0 : round(1e6 * sin(1 + i * j + i + j)) / 1e6; }

static void test_scores(void **state) {
  atp_context *context = *state;
  double scores[L * L], back[L * L];
  int64_t sites = 0, numbers[L];
  char residues[L + 1];
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) scores[i * L + j] = score_at(i, j);
  used = 0;
  for (int k = 0; k < L * L; ++k) put_text("%.20e\t%s", scores[k], k % L == L - 1 ? "\n" : "");
  put_text("#>META> {}");
  save("c.mat");
  assert_kind(context, "c.mat", "ccmpred-matrix");
  assert_int_equal(atp_scores_sites(context, "c.mat", &sites), ATP_OK);
  assert_int_equal(sites, L);
  assert_int_equal(atp_scores_read(context, "c.mat", back, L * L, numbers, residues), ATP_OK);
  assert_memory_equal(back, scores, sizeof scores);
  assert_true(numbers[0] == 1 && numbers[L - 1] == L);
  assert_string_equal(residues, "");
  assert_int_equal(atp_scores_write(context, scores, L, L * L, NULL, NULL, ATP_SCORES_CCMPRED, "ours.mat"), ATP_OK);
  const size_t n = used - 10;
  char *expected = malloc(sizeof bytes);
  memcpy(expected, bytes, n);
  load(context, "ours.mat");
  assert_int_equal(used, n);
  assert_memory_equal(bytes, expected, n);

  for (int focus = 0; focus < 2; ++focus) {
    used = 0;
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j) {
        if (focus)
          put_text("%lld %c %lld %c 0 %f\n", (long long)kNumbers[i], "WxyZ"[i], (long long)kNumbers[j], "WxyZ"[j], scores[i * L + j]);
        else
          put_text("%d - %d - 0 %f\n", i + 1, j + 1, scores[i * L + j]);
      }
    save("p.couplings");
    assert_kind(context, "p.couplings", "plmc-couplings");
    memcpy(expected, bytes, used);
    const size_t size = used;
    assert_int_equal(atp_scores_sites(context, "p.couplings", &sites), ATP_OK);
    assert_int_equal(sites, L);
    assert_int_equal(atp_scores_read(context, "p.couplings", back, L * L, numbers, residues), ATP_OK);
    assert_memory_equal(back, scores, sizeof scores);
    assert_string_equal(residues, focus ? "WxyZ" : "");
    for (int i = 0; i < L; ++i) assert_int_equal(numbers[i], focus ? kNumbers[i] : i + 1);
    assert_int_equal(atp_scores_write(context, scores, L, L * L, numbers, residues, ATP_SCORES_PLMC, "ours.couplings"), ATP_OK);
    load(context, "ours.couplings");
    assert_int_equal(used, size);
    assert_memory_equal(bytes, expected, size);
  }
  free(expected);
}

static void refuse_scores(atp_context *context, const char *text, atp_status status, const char *error) {
  double scores[16];
  for (int k = 0; k < 16; ++k) scores[k] = -7;
  assert_int_equal(folder_put("wrong", text, strlen(text)), 0);
  assert_int_equal(atp_scores_read(context, "wrong", scores, 9, NULL, NULL), status);
  assert_error(context, error);
  for (int k = 0; k < 16; ++k) assert_true(scores[k] == -7);
}

static void test_scores_damage(void **state) {
  atp_context *context = *state;
  refuse_scores(context, "", ATP_E_FORMAT, "wrong: no scores of pairs");
  refuse_scores(context, ">a\nACD\n", ATP_E_FORMAT, "wrong: no scores of pairs");
  refuse_scores(context, "0 0.5 1\n0.5 0 1\n", ATP_E_FORMAT, "too few for 3 rows of 3 numbers");
  refuse_scores(context, "0 0.5 1\n0.5 0 1.000\n", ATP_E_FORMAT, "wrong:2: 2 rows, expected 3");
  refuse_scores(context, "0 0.5 1\n0.5 0\n0 0 0\n", ATP_E_FORMAT, "wrong:2: the line ends, expected a score");
  refuse_scores(context, "0 0.5 1\n0.5 0 0 0\n0 0 0\n", ATP_E_FORMAT, "wrong:2: '0', expected the end of the line");
  refuse_scores(context, "0 0.5 1\n0.5 0 x\n0 0 0\n", ATP_E_FORMAT, "wrong:2: 'x', expected a score");
  refuse_scores(context, "0 0.5 1\n0.5 0 nan\n0 0 0\n", ATP_E_NOT_FINITE, "wrong:2: 'nan', expected a score, finite");
  refuse_scores(context, "0 0.5 1\n0.5 0 0\n0 0 0\n0 0 0\n", ATP_E_FORMAT, "wrong:4: a row too many, expected 3");
  refuse_scores(context, "0 0.5\n0.5 0\n", ATP_E_SHAPE, "size is 9, must be 4");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n", ATP_E_FORMAT, "2 lines, expected L (L - 1) / 2");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n1 - 2 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: the pair 1 2 occurs twice");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n1 - 4 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: the file has the pairs of 3 sites");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n3 - 3 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: both sites are 3");
  refuse_scores(context, "1 A 2 C 0 0.5\n1 A 3 D 0 0.5\n2 D 3 D 0 0.5\n", ATP_E_FORMAT, "wrong:3: site 2 is 'D' here and 'C' before");
  refuse_scores(context, "1 A 2 C 0 0.5\n1 A 3 D 0 0.5\n2 C 3 D 0\n", ATP_E_FORMAT, "wrong:3: the line ends, expected a score");
  double scores[9] = {0};
  assert_int_equal(atp_scores_write(context, scores, 3, 8, NULL, NULL, ATP_SCORES_PLMC, "x"), ATP_E_SHAPE);
  assert_int_equal(atp_scores_write(context, scores, 1, 1, NULL, NULL, ATP_SCORES_PLMC, "x"), ATP_E_VALUE);
  assert_int_equal(atp_scores_write(context, scores, 3, 9, NULL, NULL, (atp_score_format)3, "x"), ATP_E_VALUE);
  assert_int_equal(atp_scores_write(context, scores, 3, 9, NULL, "AB", ATP_SCORES_PLMC, "x"), ATP_E_SHAPE);
  scores[5] = INFINITY;
  assert_int_equal(atp_scores_write(context, scores, 3, 9, NULL, NULL, ATP_SCORES_PLMC, "x"), ATP_E_NOT_FINITE);
  assert_int_equal(atp_scores_sites(context, "absent", &(int64_t){0}), ATP_E_OPEN);
}

static void test_statuses(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kAlphabet), *none = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_AUTO, "x"), ATP_E_VALUE);
  assert_int_equal(atp_model_write_as(context, m, NULL, (atp_model_format)6, "x"), ATP_E_VALUE);
  assert_int_equal(atp_model_read_as(context, "x", (atp_model_format)6, NULL, &none), ATP_E_VALUE);
  assert_null(none);
  assert_int_equal(atp_model_set_alphabet(m, ""), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_ADABM, "x"), ATP_E_CONFLICT);
  assert_int_equal(folder_entries(), 0);
  atp_model_destroy(m);
  /* Texts that are none of them. */
  const char *texts[] = {"0 1 2\n0 0 1\n", "hello\n", "J\n", "# 0 1\n", "1.5\n", "0.1,0.2\n"};
  const char *kinds[] = {"integers", "unknown", "unknown", "unknown", "ccmpred-matrix", "unknown"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    assert_int_equal(folder_put("text", texts[k], strlen(texts[k])), 0);
    assert_kind(context, "text", kinds[k]);
    assert_int_equal(atp_model_read(context, "text", &none), ATP_E_FORMAT);
    assert_null(none);
  }
  /* A matrix of 20 sites begins as a raw model does. */
  used = 0;
  for (int k = 0; k < 400; ++k) put_text("%.20e\t%s", 0.5, k % 20 == 19 ? "\n" : "");
  save("c.mat");
  assert_kind(context, "c.mat", "ccmpred-matrix");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_plmc_read),      TEST(test_plmc_damage),   TEST(test_plmc_write),   TEST(test_ccmpred_raw),
      TEST(test_ccmpred_damage), TEST(test_adabm),         TEST(test_adabm_damage), TEST(test_energies),
      TEST(test_scores),         TEST(test_scores_damage), TEST(test_statuses),
  };
  if (folder_enter() != 0) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  folder_leave();
  return failed != 0;
}
