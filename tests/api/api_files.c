/* SPDX-License-Identifier: MIT */
/* Files of alignments, models and states: what is written comes back, every status, outputs untouched. */
#include "api_support.h"

#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

enum { N = 6, L = 5, Q = 4, H = 2 };

static const uint8_t kSequences[N * L] = {0, 1, 2, 3, 0, 3, 3, 2, 1, 0, 0, 0, 0, 0, 0, 1, 2, 1, 2, 1, 2, 3, 2, 3, 2, 3, 0, 1, 2, 3};
static const double kWeights[N] = {1, 0.5, 0.25, 0, 1.0 / 3, 7};
static const char kFasta[] = ">first of them\nACGT\nA\n>second\nTTGCA\n>\nAAAAA\n>x\nCGCGC\n>y\nGTGTG\n>z\nTACGT\n";

static const int64_t kSiteNumbers[L] = {-3, 12, 13, 40, 42};

static char last_log[512];

static void keep_log(atp_log_level level, const char *text, void *user) {
  (void)level, (void)user;
  snprintf(last_log, sizeof last_log, "%s", text);
}

static int setup(void **state) {
  last_log[0] = 0;
  return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK || atp_context_set_log(*state, keep_log, NULL) != ATP_OK;
}

/* Nothing may be left: neither memory of the context nor temporary files. */
static int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  folder_clear();
  if (bytes != 0) print_error("%lld bytes are left\n", (long long)bytes);
  return bytes != 0;
}

static atp_alignment *make_named(atp_context *context) {
  atp_alignment *a = NULL;
  assert_int_equal(folder_put("made.fasta", kFasta, sizeof kFasta - 1), 0);
  assert_int_equal(atp_alignment_read(context, "made.fasta", "ACGT", NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_set_weights(a, kWeights, N), ATP_OK);
  assert_int_equal(atp_alignment_set_origin(a, "protocol=chain beta=1.5 \xC3\xA9"), ATP_OK);
  assert_int_equal(remove("made.fasta"), 0);
  return a;
}

static void assert_sequences(const atp_alignment *a) {
  assert_int_equal(atp_alignment_count(a), N);
  assert_int_equal(atp_alignment_sites(a), L);
  assert_int_equal(atp_alignment_colors(a), Q);
  assert_memory_equal(atp_alignment_sequences_view(a), kSequences, sizeof kSequences);
}

static void assert_kind(atp_context *context, const char *path, const char *expected) {
  const char *kind = NULL;
  assert_int_equal(atp_file_kind(context, path, &kind), ATP_OK);
  assert_string_equal(kind, expected);
}

static int64_t size_of(atp_context *context, const char *path) {
  int64_t size = -1;
  assert_int_equal(atp_file_size(context, path, &size), ATP_OK);
  return size;
}

static void test_fasta(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make_named(context), *b = NULL;
  static const char *const names[N] = {"first", "second", "", "x", "y", "z"};
  assert_sequences(a);
  for (int n = 0; n < N; ++n) assert_string_equal(atp_alignment_name(a, n), names[n]);
  assert_string_equal(atp_alignment_alphabet(a), "ACGT");
  assert_string_equal(atp_alignment_name(a, N), "");
  assert_int_equal(atp_alignment_select(context, a, 1, 3, 2, &b), ATP_OK);
  for (int n = 0; n < 3; ++n) assert_string_equal(atp_alignment_name(b, n), names[1 + 2 * n]);
  atp_alignment_destroy(b);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "out.fasta"), ATP_OK);
  assert_kind(context, "out.fasta", "fasta");
  assert_int_equal(atp_alignment_read(context, "out.fasta", "ACGT", NULL, &b), ATP_OK);
  assert_sequences(b);
  for (int n = 0; n < N; ++n) assert_string_equal(atp_alignment_name(b, n), n == 2 ? "sequence2" : names[n]);
  atp_alignment_destroy(b);
  assert_int_equal(atp_alignment_set_alphabet(a, ""), ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "none.fasta"), ATP_E_CONFLICT);
  assert_error(context, "none.fasta: the alignment has no alphabet");
  assert_int_equal(folder_entries(), 1);
  atp_alignment_destroy(a);
}

static void test_integers(void **state) {
  atp_context *context = *state;
  atp_alignment *a = NULL, *b = NULL;
  atp_options *options = NULL;
  uint8_t all[2 * 255];
  for (int k = 0; k < 2 * 255; ++k) all[k] = (uint8_t)(k % 255);
  assert_int_equal(atp_alignment_create(context, all, 2, 255, 255, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_INTEGERS, "all.txt"), ATP_OK);
  assert_kind(context, "all.txt", "integers");
  assert_int_equal(atp_alignment_read(context, "all.txt", "ignored", NULL, &b), ATP_OK);
  assert_int_equal(atp_alignment_colors(b), 255);
  assert_memory_equal(atp_alignment_sequences_view(b), all, sizeof all);
  assert_string_equal(atp_alignment_alphabet(b), "");
  atp_alignment_destroy(a);
  atp_alignment_destroy(b);

  assert_int_equal(folder_put("few.txt", "0 1\n1 0\n", 8), 0);
  assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_COLORS, 21), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "few.txt", NULL, options, &b), ATP_OK);
  assert_int_equal(atp_alignment_colors(b), 21);
  atp_alignment_destroy(b);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_COLORS, 200), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "all.txt", NULL, options, &b), ATP_E_ALPHABET);
  assert_error(context, "all.txt:1: number 200, must be below the 200 colours");
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_COLORS, 1), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "few.txt", NULL, options, &b), ATP_E_VALUE);
  atp_options_destroy(options);
}

static void test_read_refuses(void **state) {
  atp_context *context = *state;
  atp_options *options = NULL;
  const struct {
    const char *text;
    int64_t size;
    const char *alphabet;
    atp_status status;
    const char *error;
  } wrong[] = {
      {"", 0, "dna", ATP_E_FORMAT, "f: the file is empty"},
      {"\n \n", 3, "dna", ATP_E_FORMAT, "f: the file is empty"},
      {">a\nACGT\n", 8, NULL, ATP_E_CONFLICT, "f: alphabet is NULL"},
      {">a\nACGT\n>b\nACG\n", 15, "dna", ATP_E_FORMAT, "f:3: sequence 'b' has 3 symbols, expected 4"},
      {">a\nWYWY\n", 8, "dna", ATP_E_FORMAT, "f:2: symbol 'W'"},
      {">a\nACGT\n", 8, "-AA", ATP_E_ALPHABET, "'A' occurs twice"},
      {">a\nACGT\n", 8, "-", ATP_E_ALPHABET, "alphabet has 1 symbols"},
      {"1 2\n1 x\n", 8, NULL, ATP_E_FORMAT, "f:2: 'x', expected a whole number"},
      {"attostat....", 12, "dna", ATP_E_FORMAT, "saved state"},
      {"\0\0\0\0", 4, "dna", ATP_E_FORMAT,
       "f: neither text nor HDF5 (it begins with '?"
       "?"
       "?"
       "?'; byte 0 is zero (NUL)), expected sequences"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    atp_alignment *a = (atp_alignment *)(uintptr_t)64;
    assert_int_equal(folder_put("f", wrong[k].text, (size_t)wrong[k].size), 0);
    assert_int_equal(atp_alignment_read(context, "f", wrong[k].alphabet, NULL, &a), wrong[k].status);
    assert_null(a);
    assert_error(context, wrong[k].error);
  }
  atp_alignment *a = NULL;
  assert_int_equal(folder_put("f", "\x1f\x8b\x08\x00", 4), 0);
  assert_int_equal(atp_alignment_read(context, "f", "dna", NULL, &a), atp_has_feature("zlib") ? ATP_E_FORMAT : ATP_E_UNSUPPORTED);
  assert_error(context, atp_has_feature("zlib") ? "f: the gzip data end too early" : "f: packed by gzip");
  assert_int_equal(folder_put("f", ">a\nACGN\n", 8), 0);
  assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_UNKNOWN, ATP_UNKNOWN_ERROR), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "f", "dna", options, &a), ATP_E_ALPHABET);
  assert_error(context, "f:2: symbol 'N' of sequence 'a' is not in the alphabet -ACGT");
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_UNKNOWN, ATP_UNKNOWN_DROP), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "f", "dna", options, &a), ATP_E_FORMAT);
  assert_string_equal(last_log, "");
  assert_int_equal(atp_alignment_read(context, "f", "dna", NULL, &a), ATP_OK);
  assert_string_equal(last_log, "f: 1 of 4 symbols are not in the alphabet and were replaced by '-': 'N' 1");
  atp_alignment_destroy(a);
  atp_options_destroy(options);
  a = (atp_alignment *)(uintptr_t)64;
  assert_int_equal(atp_alignment_read(NULL, "f", "dna", NULL, &a), ATP_E_NULL);
  assert_null(a);
  assert_int_equal(atp_alignment_read(context, NULL, "dna", NULL, &a), ATP_E_NULL);
  assert_int_equal(atp_alignment_read(context, "f", "dna", NULL, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_read(context, "absent", "dna", NULL, &a), ATP_E_OPEN);
  assert_error(context, "absent: cannot open for reading: No such file or directory");
  assert_int_equal(atp_alignment_read(context, ".", "dna", NULL, &a), ATP_E_OPEN);
  assert_error(context, ".: cannot open for reading: Is a directory");
  assert_int_equal(atp_alignment_read(context, "", "dna", NULL, &a), ATP_E_OPEN);
}

/* "-" is standard input, and a pipe is read to its end. */
static void test_standard_input(void **state) {
  atp_context *context = *state;
  atp_alignment *a = NULL;
  int ends[2];
  const int old = dup(0);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], kFasta, sizeof kFasta - 1), sizeof kFasta - 1);
  close(ends[1]);
  dup2(ends[0], 0);
  close(ends[0]);
  const atp_status status = atp_alignment_read(context, "-", "ACGT", NULL, &a);
  dup2(old, 0);
  close(old);
  assert_int_equal(status, ATP_OK);
  assert_sequences(a);
  atp_alignment_destroy(a);
}

/* "-" is standard output; it must hold the same bytes as a file. */
static void test_standard_output(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make_named(context);
  const int old = dup(1), file = open("caught", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  fflush(stdout);
  dup2(file, 1);
  close(file);
  const atp_status status = atp_alignment_write(context, a, ATP_FORMAT_FASTA, "-");
  dup2(old, 1);
  close(old);
  assert_int_equal(status, ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "written"), ATP_OK);
  int64_t size = 0, size2 = 0;
  char bytes[512], bytes2[512];
  assert_int_equal(atp_file_size(context, "caught", &size), ATP_OK);
  assert_int_equal(atp_file_size(context, "written", &size2), ATP_OK);
  assert_true(size == size2 && size < 512);
  assert_int_equal(atp_file_read(context, "caught", bytes, size), ATP_OK);
  assert_int_equal(atp_file_read(context, "written", bytes2, size), ATP_OK);
  assert_memory_equal(bytes, bytes2, (size_t)size);
  if (atp_has_feature("hdf5")) assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "-"), ATP_E_OPEN);
  atp_alignment_destroy(a);
}

static void test_hdf5_alignment(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make_named(context), *b = NULL;
  if (!atp_has_feature("hdf5")) {
    assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "a.h5"), ATP_E_UNSUPPORTED);
    assert_int_equal(folder_put("a.h5", "\x89HDF\r\n\x1a\n", 8), 0);
    assert_int_equal(atp_alignment_read(context, "a.h5", NULL, NULL, &b), ATP_E_UNSUPPORTED);
    assert_null(b);
    atp_alignment_destroy(a);
    return;
  }
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "a.h5"), ATP_OK);
  assert_int_equal(folder_entries(), 1);
  assert_kind(context, "a.h5", "alignment");
  assert_int_equal(atp_alignment_read(context, "a.h5", NULL, NULL, &b), ATP_OK);
  assert_sequences(b);
  assert_memory_equal(atp_alignment_weights_view(b), kWeights, sizeof kWeights);
  for (int n = 0; n < N; ++n) assert_string_equal(atp_alignment_name(b, n), atp_alignment_name(a, n));
  assert_string_equal(atp_alignment_alphabet(b), "ACGT");
  assert_string_equal(atp_alignment_origin(b), atp_alignment_origin(a));
  /* The same data give the same bytes. */
  assert_int_equal(atp_alignment_write(context, b, ATP_FORMAT_HDF5, "b.h5"), ATP_OK);
  int64_t size = 0, size2 = 0;
  assert_int_equal(atp_file_size(context, "a.h5", &size), ATP_OK);
  assert_int_equal(atp_file_size(context, "b.h5", &size2), ATP_OK);
  assert_int_equal(size, size2);
  char *bytes = malloc((size_t)size), *bytes2 = malloc((size_t)size);
  assert_int_equal(atp_file_read(context, "a.h5", bytes, size), ATP_OK);
  assert_int_equal(atp_file_read(context, "b.h5", bytes2, size), ATP_OK);
  assert_memory_equal(bytes, bytes2, (size_t)size);
  free(bytes);
  free(bytes2);
  atp_alignment_destroy(b);
  atp_alignment_destroy(a);

  /* Without names, alphabet and origin; and a model's file is not an alignment. */
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "a.h5"), ATP_OK);
  assert_int_equal(atp_alignment_read(context, "a.h5", NULL, NULL, &b), ATP_OK);
  assert_sequences(b);
  assert_string_equal(atp_alignment_name(b, 0), "");
  assert_string_equal(atp_alignment_alphabet(b), "");
  assert_string_equal(atp_alignment_origin(b), "");
  assert_string_equal(atp_alignment_site_residues(b), "");
  for (int i = 0; i < L; ++i) assert_int_equal(atp_alignment_site_numbers_view(b)[i], i + 1);
  atp_alignment_destroy(b);
  /* Numbers alone, then residues alone. */
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_alignment_set_sites(a, k == 0 ? kSiteNumbers : NULL, L, k == 1 ? "qwert" : NULL), ATP_OK);
    assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "b.h5"), ATP_OK);
    assert_int_equal(atp_alignment_read(context, "b.h5", NULL, NULL, &b), ATP_OK);
    assert_sequences(b);
    assert_memory_equal(atp_alignment_site_numbers_view(b), atp_alignment_site_numbers_view(a), sizeof(int64_t) * L);
    assert_int_equal(atp_alignment_site_numbers_view(b)[L - 1], k == 0 ? 42 : L);
    assert_string_equal(atp_alignment_site_residues(b), k == 0 ? "" : "qwert");
    atp_alignment_destroy(b);
  }
  remove("b.h5");
  atp_alignment_destroy(a);
  atp_model *m = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_read(context, "a.h5", &m), ATP_E_FORMAT);
  assert_null(m);
  assert_error(context, "a.h5: attribute 'kind' is 'alignment', must be 'model'");
}

/* An alignment of several chunks, with one name that is too long for HDF5's column. */
static void test_hdf5_large(void **state) {
  atp_context *context = *state;
  if (!atp_has_feature("hdf5")) skip_because("this build has no HDF5");
  enum { kRows = 30000, kSites = 97, kLong = 1500 };
  char *text = malloc(kRows * (kSites + 16) + kLong), *p = text;
  for (int n = 0; n < kRows; ++n) {
    p += sprintf(p, ">n%d", n);
    if (n == 77) p = (char *)memset(p, 'x', kLong) + kLong;
    *p++ = '\n';
    for (int i = 0; i < kSites; ++i) *p++ = "ACGT"[(n * 31 + i * i + n / 7) % 4];
    *p++ = '\n';
  }
  assert_int_equal(folder_put("f", text, (size_t)(p - text)), 0);
  free(text);
  atp_alignment *a = NULL, *b = NULL;
  assert_int_equal(atp_alignment_read(context, "f", "ACGT", NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_HDF5, "a.h5"), ATP_OK);
  assert_string_equal(last_log, "a.h5: 1 names were cut to 1023 bytes");
  assert_int_equal(atp_alignment_read(context, "a.h5", NULL, NULL, &b), ATP_OK);
  assert_memory_equal(atp_alignment_sequences_view(a), atp_alignment_sequences_view(b), kRows * kSites);
  for (int n = 0; n < kRows; ++n)
    if (n != 77) assert_string_equal(atp_alignment_name(a, n), atp_alignment_name(b, n));
  assert_int_equal(strlen(atp_alignment_name(b, 77)), 1023);
  assert_memory_equal(atp_alignment_name(b, 77), atp_alignment_name(a, 77), 1023);
  atp_alignment_destroy(a);
  atp_alignment_destroy(b);
}

static double value_at(int k) { return sin(1.0 + k) * exp(0.1 * (k % 7)); }

static atp_model *make_model(atp_context *context, int heads, int with_fields) {
  double maps[H * L * L], values[H * Q * Q], couplings[L * L * Q * Q], fields[L * Q];
  atp_model *m = NULL;
  for (int k = 0; k < H * L * L; ++k) maps[k] = k / L % L == k % L ? 0 : value_at(k);
  for (int k = 0; k < H * Q * Q; ++k) values[k] = value_at(1000 + k);
  for (int k = 0; k < L * L * Q * Q; ++k) couplings[k] = k / (L * Q * Q) == k / (Q * Q) % L ? 0 : value_at(2000 + k);
  for (int k = 0; k < L * Q; ++k) fields[k] = value_at(3000 + k);
  if (heads > 0)
    assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, heads}, maps, values, with_fields ? fields : NULL, &m),
                     ATP_OK);
  else
    assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, with_fields ? fields : NULL, &m), ATP_OK);
  return m;
}

static void assert_same_model(const atp_model *a, const atp_model *b) {
  double x[H * L * L * Q * Q], y[H * L * L * Q * Q];
  const int64_t heads = atp_model_heads(a);
  assert_int_equal(atp_model_sites(b), L);
  assert_int_equal(atp_model_colors(b), Q);
  assert_int_equal(atp_model_heads(b), heads);
  assert_int_equal(atp_model_has_fields(b), atp_model_has_fields(a));
  assert_true(atp_model_beta(a) == atp_model_beta(b));
  assert_string_equal(atp_model_alphabet(b), atp_model_alphabet(a));
  assert_int_equal(atp_model_couplings_f64(a, x, L * L * Q * Q), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(b, y, L * L * Q * Q), ATP_OK);
  assert_memory_equal(x, y, sizeof(double) * L * L * Q * Q);
  assert_int_equal(atp_model_fields(a, x, L * Q), ATP_OK);
  assert_int_equal(atp_model_fields(b, y, L * Q), ATP_OK);
  assert_memory_equal(x, y, sizeof(double) * L * Q);
  if (heads == 0) return;
  assert_int_equal(atp_model_maps(a, x, heads * L * L), ATP_OK);
  assert_int_equal(atp_model_maps(b, y, heads * L * L), ATP_OK);
  assert_memory_equal(x, y, sizeof(double) * (size_t)heads * L * L);
  assert_int_equal(atp_model_values(a, x, heads * Q * Q), ATP_OK);
  assert_int_equal(atp_model_values(b, y, heads * Q * Q), ATP_OK);
  assert_memory_equal(x, y, sizeof(double) * (size_t)heads * Q * Q);
}

static void test_hdf5_model(void **state) {
  atp_context *context = *state;
  for (int heads = 0; heads <= H; ++heads)
    for (int with_fields = 0; with_fields <= 1; ++with_fields) {
      atp_model *a = make_model(context, heads, with_fields), *b = NULL;
      if (!atp_has_feature("hdf5")) {
        assert_int_equal(atp_model_write(context, a, "m.h5"), ATP_E_UNSUPPORTED);
        assert_int_equal(folder_put("m.h5", "\x89HDF\r\n\x1a\n", 8), 0);
        assert_int_equal(atp_model_read(context, "m.h5", &b), ATP_E_UNSUPPORTED);
        atp_model_destroy(a);
        continue;
      }
      assert_int_equal(atp_model_set_beta(a, 1.9375 + heads / 3.0), ATP_OK);
      if (with_fields) assert_int_equal(atp_model_set_alphabet(a, "-xyz"), ATP_OK);
      assert_int_equal(atp_model_write(context, a, "m.h5"), ATP_OK);
      assert_kind(context, "m.h5", "model");
      assert_int_equal(atp_model_read(context, "m.h5", &b), ATP_OK);
      assert_same_model(a, b);
      atp_model_destroy(b);
      /* Files without labels have the defaults. */
      for (int i = 0; i < L; ++i) assert_int_equal(atp_model_site_numbers_view(a)[i], i + 1);
      const int64_t plain = size_of(context, "m.h5");
      assert_int_equal(atp_model_set_sites(a, kSiteNumbers, L, "QWERT"), ATP_OK);
      assert_int_equal(atp_model_write(context, a, "m.h5"), ATP_OK);
      assert_true(size_of(context, "m.h5") > plain);
      assert_int_equal(atp_model_read(context, "m.h5", &b), ATP_OK);
      assert_same_model(a, b);
      assert_memory_equal(atp_model_site_numbers_view(b), kSiteNumbers, sizeof kSiteNumbers);
      assert_string_equal(atp_model_site_residues(b), "QWERT");
      atp_model_destroy(a);
      atp_model_destroy(b);
      atp_alignment *none = (atp_alignment *)(uintptr_t)64;
      assert_int_equal(atp_alignment_read(context, "m.h5", NULL, NULL, &none), ATP_E_FORMAT);
      assert_null(none);
      assert_error(context, "m.h5: attribute 'kind' is 'model', must be 'alignment'");
      assert_int_equal(folder_entries(), 1);
    }
}

static void test_model_statuses(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, 1, 0), *out = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_write(NULL, m, "m.h5"), ATP_E_NULL);
  assert_int_equal(atp_model_write(context, NULL, "m.h5"), ATP_E_NULL);
  assert_int_equal(atp_model_write(context, m, NULL), ATP_E_NULL);
  assert_int_equal(atp_model_read(NULL, "m.h5", &out), ATP_E_NULL);
  assert_null(out);
  assert_int_equal(atp_model_read(context, NULL, &out), ATP_E_NULL);
  assert_int_equal(atp_model_read(context, "m.h5", NULL), ATP_E_NULL);
  assert_int_equal(atp_model_read(context, "absent.h5", &out), ATP_E_OPEN);
  assert_int_equal(atp_model_read(context, ".", &out), ATP_E_OPEN);
  assert_int_equal(folder_put("text", kFasta, sizeof kFasta - 1), 0);
  assert_int_equal(atp_model_read(context, "text", &out), ATP_E_FORMAT);
  assert_error(context, "text: sequences, expected a model");
  assert_int_equal(folder_put("text", "", 0), 0);
  assert_int_equal(atp_model_read(context, "text", &out), ATP_E_FORMAT);
  if (atp_has_feature("hdf5")) {
    assert_int_equal(atp_model_write(context, m, "absent/m.h5"), ATP_E_OPEN);
    assert_error(context, "absent/m.h5: cannot create a temporary file beside it: No such file or directory");
    assert_int_equal(atp_model_write(context, m, "."), ATP_E_OPEN);
    assert_int_equal(atp_model_write(context, m, "/dev/null"), ATP_E_OPEN);
    assert_error(context, "/dev/null: not a regular file");
  }
  atp_model_destroy(m);
}

static void test_alignment_write_statuses(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make_named(context);
  assert_int_equal(atp_alignment_write(NULL, a, ATP_FORMAT_FASTA, "f"), ATP_E_NULL);
  assert_int_equal(atp_alignment_write(context, NULL, ATP_FORMAT_FASTA, "f"), ATP_E_NULL);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_write(context, a, (atp_format)0, "f"), ATP_E_VALUE);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_PAIRED, "f"), ATP_E_VALUE);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "absent/f"), ATP_E_OPEN);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "."), ATP_E_OPEN);
  assert_error(context, ".: cannot open for writing: Is a directory");
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "absent/"), ATP_E_OPEN);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, ""), ATP_E_OPEN);
  assert_int_equal(folder_entries(), 0);
  if (access("/dev/full", W_OK) == 0) { /* a full device, which must not be replaced by a file */
    assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_INTEGERS, "/dev/full"), ATP_E_WRITE);
    assert_error(context, "/dev/full: writing failed: No space left on device");
    assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_INTEGERS, "/dev/null"), ATP_OK);
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
  }
  atp_alignment_destroy(a);
}

/* Symbolic links are followed and permissions stay. */
static void test_links_and_permissions(void **state) {
  atp_context *context = *state;
  struct stat info;
  assert_int_equal(folder_put("real", "old", 3), 0);
  assert_int_equal(chmod("real", 0640), 0);
  assert_int_equal(symlink("real", "link"), 0);
  assert_int_equal(atp_file_write(context, "link", "new bytes", 9), ATP_OK);
  assert_int_equal(lstat("link", &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat("real", &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_int_equal(info.st_size, 9);
  assert_int_equal(folder_entries(), 2);
}

enum { DENIED = 0, NOT_DENIED = 1, FOLDER_CLOSED = 2, STILL_ROOT = 3, NOBODY = 65534 };

/* What an ordinary user sees of a read-only file in a folder where others may be written. */
static int write_read_only(atp_context *context) {
  char text[256] = "";
  if (atp_file_write(context, "other", "x", 1) != ATP_OK) return FOLDER_CLOSED;
  if (atp_file_write(context, "link", "x", 1) != ATP_E_OPEN) return NOT_DENIED;
  atp_context_error(context, text, sizeof text);
  return strstr(text, "link: cannot open for writing: Permission denied") != NULL ? DENIED : NOT_DENIED;
}

/* Root may write everywhere: a child that has become nobody tries. It must not come back into cmocka. */
static void test_read_only(void **state) {
  atp_context *context = *state;
  struct stat info;
  assert_int_equal(folder_put("real", "old", 3), 0);
  assert_int_equal(symlink("real", "link"), 0);
  assert_int_equal(chmod("real", 0444), 0);
  int answer = -1;
  if (geteuid() != 0) {
    answer = write_read_only(context);
  } else {
    assert_int_equal(chmod(".", 0777), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(setgid(NOBODY) != 0 || setuid(NOBODY) != 0 || geteuid() == 0 ? STILL_ROOT : write_read_only(context));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    answer = WEXITSTATUS(status);
    if (answer == STILL_ROOT) skip_because("root cannot become nobody here: read-only files are not tried");
  }
  assert_int_equal(answer, DENIED);
  assert_int_equal(stat("real", &info), 0);
  assert_int_equal(info.st_size, 3);
  assert_int_equal(info.st_mode & 0777, 0444);
  assert_int_equal(folder_entries(), 3);
}

/* A file in parts of a growing length: 'a', 'bb', 'ccc', ... */
struct parts {
  int64_t made, last, fails_at;
  char text[64];
};

static int64_t next_part(const void **bytes, void *user) {
  struct parts *parts = user;
  if (parts->made == parts->fails_at) return -1;
  if (parts->made == parts->last) return 0;
  ++parts->made;
  memset(parts->text, (int)('a' + parts->made - 1), (size_t)parts->made);
  *bytes = parts->text;
  return parts->made;
}

static int64_t no_bytes(const void **bytes, void *user) {
  *bytes = user;
  return 1;
}

static void test_parts(void **state) {
  atp_context *context = *state;
  char bytes[16] = "";
  struct parts parts = {0, 4, -1, ""};
  const int before = folder_entries();
  assert_int_equal(atp_file_write_parts(context, "parts", next_part, &parts), ATP_OK);
  assert_int_equal(atp_file_read(context, "parts", bytes, 10), ATP_OK);
  assert_memory_equal(bytes, "abbcccdddd", 10);
  /* A failure, also late, leaves the file as it was, and no other one. */
  struct parts failing = {0, 4, 2, ""};
  assert_int_equal(atp_file_write_parts(context, "parts", next_part, &failing), ATP_E_CALLBACK);
  assert_error(context, "parts: the next callback returned -1");
  assert_int_equal(atp_file_write_parts(context, "parts", no_bytes, NULL), ATP_E_NULL);
  assert_int_equal(atp_file_read(context, "parts", bytes, 10), ATP_OK);
  assert_int_equal(folder_entries(), before + 1);
  /* No parts are an empty file. */
  struct parts none = {0, 0, -1, ""};
  int64_t size = -1;
  assert_int_equal(atp_file_write_parts(context, "parts", next_part, &none), ATP_OK);
  assert_int_equal(atp_file_size(context, "parts", &size), ATP_OK);
  assert_int_equal(size, 0);
}

static void test_bytes(void **state) {
  atp_context *context = *state;
  char bytes[16] = "untouched";
  int64_t size = -7;
  const char *kind = "untouched";
  assert_int_equal(atp_file_write(context, "s", "attostat", 8), ATP_OK);
  assert_kind(context, "s", "state");
  assert_int_equal(atp_file_size(context, "s", &size), ATP_OK);
  assert_int_equal(size, 8);
  assert_int_equal(atp_file_read(context, "s", bytes, 7), ATP_E_READ);
  assert_error(context, "s: has 8 bytes, expected 7");
  assert_int_equal(atp_file_read(context, "s", bytes, 9), ATP_E_READ);
  assert_int_equal(atp_file_read(context, "absent", bytes, 8), ATP_E_OPEN);
  assert_int_equal(atp_file_read(NULL, "s", bytes, 8), ATP_E_NULL);
  assert_int_equal(atp_file_read(context, NULL, bytes, 8), ATP_E_NULL);
  assert_int_equal(atp_file_read(context, "s", NULL, 8), ATP_E_NULL);
  assert_string_equal(bytes, "untouched");
  assert_int_equal(atp_file_read(context, "s", bytes, 8), ATP_OK);
  assert_memory_equal(bytes, "attostat", 8);
  assert_int_equal(atp_file_write(context, "s", bytes, 0), ATP_OK);
  assert_int_equal(atp_file_size(context, "s", &size), ATP_OK);
  assert_int_equal(size, 0);
  assert_kind(context, "s", "unknown");
  size = -7;
  assert_int_equal(atp_file_write(context, "s", bytes, -1), ATP_E_VALUE);
  assert_int_equal(atp_file_write(NULL, "s", bytes, 1), ATP_E_NULL);
  assert_int_equal(atp_file_write(context, NULL, bytes, 1), ATP_E_NULL);
  assert_int_equal(atp_file_write(context, "s", NULL, 1), ATP_E_NULL);
  assert_int_equal(atp_file_write(context, "absent/s", bytes, 1), ATP_E_OPEN);
  assert_int_equal(atp_file_size(context, "absent", &size), ATP_E_OPEN);
  assert_int_equal(atp_file_size(context, ".", &size), ATP_E_OPEN);
  assert_int_equal(atp_file_size(NULL, "s", &size), ATP_E_NULL);
  assert_int_equal(atp_file_size(context, NULL, &size), ATP_E_NULL);
  assert_int_equal(atp_file_size(context, "s", NULL), ATP_E_NULL);
  assert_int_equal(size, -7);
  assert_int_equal(atp_file_kind(context, "absent", &kind), ATP_E_OPEN);
  assert_int_equal(atp_file_kind(context, "-", &kind), ATP_E_OPEN);
  assert_int_equal(atp_file_kind(NULL, "s", &kind), ATP_E_NULL);
  assert_int_equal(atp_file_kind(context, NULL, &kind), ATP_E_NULL);
  assert_int_equal(atp_file_kind(context, "s", NULL), ATP_E_NULL);
  assert_string_equal(kind, "untouched");
  assert_int_equal(folder_put("s", "nothing known", 13), 0);
  assert_kind(context, "s", "unknown");
  assert_int_equal(folder_put("s", "\x89HDF\r\n\x1a\n", 8), 0); /* the signature alone */
  assert_kind(context, "s", "unknown");
}

/* The longest path and the longest name that the system takes. */
static void test_long_paths(void **state) {
  atp_context *context = *state;
  char name[260], path[5000];
  memset(name, 'n', 255);
  name[255] = 0;
  assert_int_equal(atp_file_write(context, name, "x", 1), ATP_OK);
  memset(name, 'n', 256);
  name[256] = 0;
  assert_int_equal(atp_file_write(context, name, "x", 1), ATP_E_OPEN);
  memset(path, '/', 4999);
  path[0] = '.';
  path[4998] = 'x';
  path[4999] = 0;
  assert_int_equal(atp_file_write(context, path, "x", 1), ATP_E_OPEN);
  assert_error(context, strerror(ENAMETOOLONG));
  assert_int_equal(folder_entries(), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_fasta),
      TEST(test_integers),
      TEST(test_read_refuses),
      TEST(test_standard_input),
      TEST(test_standard_output),
      TEST(test_hdf5_alignment),
      TEST(test_hdf5_large),
      TEST(test_hdf5_model),
      TEST(test_model_statuses),
      TEST(test_alignment_write_statuses),
      TEST(test_links_and_permissions),
      TEST(test_read_only),
      TEST(test_parts),
      TEST(test_bytes),
      TEST(test_long_paths),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
