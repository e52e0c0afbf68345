/* SPDX-License-Identifier: MIT */
/* Alignments as bytes: the same alignment comes back; anything else is refused, whatever is wrong with it. And random rows. */
#include "api_support.h"
#include "little_endian.h"

enum { MOST = 4096, HEAD = 32, KEY = 48 };

static char good[MOST], bad[MOST], again[MOST];

/* Names, inserts, gaps and columns; the second and the third sequence have residues in insert columns. */
static const char kText[] = ">one/11-14\nAB-B\n>two\nABxxBAy\n>three/5-9\nzB-AA\n";

/* With labels and weights where `which` has the bits 1 and 2; 4: without names and inserts. */
static atp_alignment *make(atp_context *context, int which) {
  static const int64_t numbers[] = {-3, 4, 1000}, columns[] = {0, 2, 4};
  static const double weights[] = {0.5, 0, 3};
  static const uint8_t sequences[] = {0, 1, 2, 2, 2, 2, 1, 0, 1};
  atp_options *options;
  atp_alignment *alignment = NULL, *all;
  if (which & 4) {
    assert_int_equal(atp_alignment_create(context, sequences, 3, 3, 3, NULL, &alignment), ATP_OK);
  } else {
    assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
    assert_int_equal(atp_options_set_text(options, "format=a3m"), ATP_OK);
    assert_int_equal(atp_alignment_parse(context, kText, sizeof kText - 1, "-AB", options, &all), ATP_OK);
    atp_options_destroy(options);
    assert_int_equal(atp_alignment_focus(context, all, "one", &alignment), ATP_OK);
    atp_alignment_destroy(all);
    assert_int_equal(atp_alignment_sites(alignment), 3);
  }
  if (which & 1) {
    assert_int_equal(atp_alignment_set_sites(alignment, numbers, 3, "A?c"), ATP_OK);
    assert_int_equal(atp_alignment_set_columns(alignment, columns, 3, 7), ATP_OK);
    assert_int_equal(atp_alignment_set_alphabet(alignment, "-AB"), ATP_OK);
    assert_int_equal(atp_alignment_set_origin(alignment, "of nowhere"), ATP_OK);
  }
  if (which & 2) assert_int_equal(atp_alignment_set_weights(alignment, weights, 3), ATP_OK);
  return alignment;
}

/* Its state in `good`; the alignment is freed. */
static int64_t save(atp_context *context, int which) {
  atp_alignment *alignment = make(context, which);
  const int64_t size = atp_alignment_state_bytes(alignment);
  assert_true(size > HEAD + KEY + 1280 && size <= MOST);
  memset(again, 5, MOST);
  assert_int_equal(atp_alignment_save_state(alignment, again, size - 1), ATP_E_BUFFER);
  for (int k = 0; k < MOST; ++k) assert_int_equal(again[k], 5);
  assert_int_equal(atp_alignment_save_state(alignment, good, size), ATP_OK);
  atp_alignment_destroy(alignment);
  return size;
}

static void assert_same(const atp_alignment *a, const atp_alignment *b) {
  const int64_t n = atp_alignment_count(a), sites = atp_alignment_sites(a);
  assert_int_equal(atp_alignment_count(b), n);
  assert_int_equal(atp_alignment_sites(b), sites);
  assert_int_equal(atp_alignment_colors(b), atp_alignment_colors(a));
  assert_memory_equal(atp_alignment_sequences_view(b), atp_alignment_sequences_view(a), (size_t)(n * sites));
  assert_memory_equal(atp_alignment_weights_view(b), atp_alignment_weights_view(a), (size_t)n * sizeof(double));
  assert_memory_equal(atp_alignment_site_numbers_view(b), atp_alignment_site_numbers_view(a), (size_t)sites * sizeof(int64_t));
  assert_memory_equal(atp_alignment_columns_view(b), atp_alignment_columns_view(a), (size_t)sites * sizeof(int64_t));
  assert_int_equal(atp_alignment_total_columns(b), atp_alignment_total_columns(a));
  assert_string_equal(atp_alignment_site_residues(b), atp_alignment_site_residues(a));
  assert_string_equal(atp_alignment_alphabet(b), atp_alignment_alphabet(a));
  assert_string_equal(atp_alignment_origin(b), atp_alignment_origin(a));
  for (int64_t k = 0; k < n; ++k) assert_string_equal(atp_alignment_name(b, k), atp_alignment_name(a, k));
}

static void the_same_alignment(void **state) {
  atp_context *context = *state;
  for (int which = 0; which < 8; ++which) {
    const int64_t size = save(context, which);
    atp_alignment *alignment = make(context, which), *back;
    memcpy(bad + 1, good, (size_t)size); /* bytes without alignment */
    assert_int_equal(atp_alignment_from_state(context, bad + 1, size, &back), ATP_OK);
    assert_same(alignment, back);
    assert_int_equal(atp_alignment_state_bytes(back), size);
    assert_int_equal(atp_alignment_save_state(back, again, size), ATP_OK);
    assert_memory_equal(again, good, (size_t)size);
    if ((which & 4) == 0) { /* residues in inserts are counted: the focus "three" begins at 5 with an insert */
      atp_alignment *focus[2];
      assert_int_equal(atp_alignment_focus(context, alignment, "three", &focus[0]), ATP_OK);
      assert_int_equal(atp_alignment_focus(context, back, "three", &focus[1]), ATP_OK);
      assert_same(focus[0], focus[1]);
      assert_int_equal(atp_alignment_site_numbers_view(focus[1])[0], 6);
      for (int k = 0; k < 2; ++k) atp_alignment_destroy(focus[k]);
    }
    atp_alignment_destroy(back);
    atp_alignment_destroy(alignment);
  }
}

/* The border of two proteins. */
static void two_proteins(void **state) {
  static const char text[] = "#2,3\t1,1\n>a\nABBAA\n>b\nBBAAB\n";
  atp_context *context = *state;
  atp_options *options;
  atp_alignment *pair, *back;
  assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_text(options, "format=paired"), ATP_OK);
  assert_int_equal(atp_alignment_parse(context, text, sizeof text - 1, "-AB", options, &pair), ATP_OK);
  assert_int_equal(atp_alignment_border(pair), 2);
  const int64_t size = atp_alignment_state_bytes(pair);
  assert_true(size <= MOST);
  assert_int_equal(atp_alignment_save_state(pair, good, size), ATP_OK);
  assert_int_equal(atp_alignment_from_state(context, good, size, &back), ATP_OK);
  assert_int_equal(atp_alignment_border(back), 2);
  assert_same(pair, back);
  atp_alignment_destroy(back);
  atp_alignment_destroy(pair);
  atp_options_destroy(options);
}

static void refuse(atp_context *context, int64_t size, atp_status expected, const char *text) {
  atp_alignment *alignment = (atp_alignment *)&good;
  const atp_status status = atp_alignment_from_state(context, bad, size, &alignment);
  assert_null(alignment);
  if (status != expected) fail_msg("%s instead of %s for \"%s\"", atp_status_name(status), atp_status_name(expected), text);
  assert_error(context, text);
}

static void damaged_bytes(void **state) {
  atp_context *context = *state;
  for (int which = 0; which < 8; ++which) {
    const int64_t size = save(context, which);
    for (int64_t n = 0; n < size; ++n) {
      atp_alignment *alignment;
      memcpy(bad, good, (size_t)size);
      assert_int_equal(atp_alignment_from_state(context, bad, n, &alignment), ATP_E_FORMAT); /* cut short */
      bad[n] = (char)(bad[n] ^ 0x10);
      const atp_status status = atp_alignment_from_state(context, bad, size, &alignment);
      assert_true(status == ATP_E_FORMAT || status == ATP_E_CHECKSUM || status == ATP_E_MISMATCH);
      assert_null(alignment);
    }
    memcpy(bad, good, (size_t)size);
    refuse(context, size + 1, ATP_E_FORMAT, "cut short");
    refuse(context, -1, ATP_E_FORMAT, "has -1 bytes");
    bad[size - 20] = (char)(bad[size - 20] ^ 1);
    refuse(context, size, ATP_E_CHECKSUM, "damaged");
  }
}

/* FNV-1a, 64 bits. */
static uint64_t sum_of(const char *bytes, int64_t n) {
  uint64_t sum = 14695981039346656037u;
  for (int64_t k = 0; k < n; ++k) sum = (sum ^ (unsigned char)bytes[k]) * 1099511628211u;
  return sum;
}

/* `bad` = `good` with other bytes at an offset behind the header; the fingerprint of the shape and the checksum are right again. */
static void plant(int64_t size, int64_t offset, const void *bytes, size_t n) {
  memcpy(bad, good, (size_t)size);
  memcpy(bad + HEAD + offset, bytes, n);
  const uint64_t shape = sum_of(bad + HEAD, KEY);
  copy_number(bad + 24, &shape, 8);
  const uint64_t sum = sum_of(bad, size - 8);
  copy_number(bad + size - 8, &sum, 8);
}

static void plant_number(int64_t size, int64_t offset, const void *number, size_t n) {
  char little[8];
  copy_number(little, number, n);
  plant(size, offset, little, n);
}

/* Where things are in the state of the alignment 3: three sequences of three sites with residues, columns, names and inserts. */
enum {
  SYMBOLS = KEY,
  ORIGIN = SYMBOLS + 256,
  WEIGHTS = ORIGIN + 1024,
  NUMBERS = WEIGHTS + 8 * 3,
  RESIDUES = NUMBERS + 8 * 3,
  COLUMNS = RESIDUES + 3,
  SEQUENCES = COLUMNS + 8 * 4,
  NAMES = SEQUENCES + 9,
  OFFSETS = NAMES + 10 + 4 + 10
};

static void planted_numbers(void **state) {
  atp_context *context = *state;
  static const struct {
    int offset;
    int64_t value;
    const char *text;
  } whole[] = {{0, 0, "number of sequences is 0"},
               {0, INT64_MAX, "number of sequences"},
               {0, (int64_t)1 << 56, "which its shape does not fill"},
               {0, 4, "which its shape does not fill"},
               {8, 1, "number of sites is 1"},
               {8, (int64_t)1 << 56, "which its shape does not fill"},
               {16, 256, "number of colours is 256, must be in 2..255"},
               {16, 5, "alphabet has 3 symbols"},
               {24, 4, "mark of residues"},
               {24, 1, "which its shape does not fill"},
               {24, 12, "mark of residues"},
               {32, -1, "bytes of names"},
               {32, 26, "which its shape does not fill"},
               {40, (int64_t)1 << 56, "which its shape does not fill"},
               {NUMBERS, INT64_MIN, "the state's numbers[0]"},
               {COLUMNS, 3, "the state's columns[1]"},
               {COLUMNS + 24, 3, "columns"},
               {OFFSETS, 1, "runs of inserts"},
               {OFFSETS + 8, 9, "runs of inserts"}};
  const double wrong[] = {-1, NAN, INFINITY};
  const int64_t size = save(context, 3), three = 3, none[3] = {0, 0, 0};
  for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k) {
    plant_number(size, whole[k].offset, &whole[k].value, 8);
    refuse(context, size, ATP_E_FORMAT, whole[k].text);
  }
  for (int k = 0; k < 3; ++k) {
    plant_number(size, WEIGHTS + 8, &wrong[k], 8);
    refuse(context, size, ATP_E_FORMAT, "weights");
  }
  plant(size, WEIGHTS, none, sizeof none);
  refuse(context, size, ATP_E_FORMAT, "weights");
  plant(size, SEQUENCES + 4, &three, 1);
  refuse(context, size, ATP_E_FORMAT, "the colour 3 at site 1 of sequence 1");
  plant(size, NAMES + 9, "x", 1);
  refuse(context, size, ATP_E_FORMAT, "2 whole names of 3");
  plant(size, NAMES + 1, "", 1);
  refuse(context, size, ATP_E_FORMAT, "more names");
  plant(size, NAMES + 23, "x", 1);
  refuse(context, size, ATP_E_FORMAT, "2 whole names of 3");
  char names[24];
  memcpy(names, good + HEAD + NAMES, sizeof names);
  names[5] = 0, names[23] = 'x'; /* three ends, the last before the end of the names */
  plant(size, NAMES, names, sizeof names);
  refuse(context, size, ATP_E_FORMAT, "3 whole names of 3");
  plant(size, SYMBOLS, "-AA", 3);
  refuse(context, size, ATP_E_FORMAT, "occurs twice");
  plant(size, SYMBOLS + 9, "x", 1);
  refuse(context, size, ATP_E_FORMAT, "alphabet has characters after its end");
  plant(size, ORIGIN + 2, "\n", 1);
  refuse(context, size, ATP_E_FORMAT, "origin");
  plant(size, ORIGIN + 1000, "x", 1);
  refuse(context, size, ATP_E_FORMAT, "origin has characters after its end");
  plant(size, RESIDUES + 1, "\t", 1);
  refuse(context, size, ATP_E_FORMAT, "the state's residues[1]");
}

static void states_of_others(void **state) {
  atp_context *context = *state;
  const int64_t size = save(context, 0);
  const uint32_t kind = 5, version = 2;
  plant_number(size, 8 - HEAD, &kind, 4);
  refuse(context, size, ATP_E_MISMATCH, "not one of an alignment");
  plant_number(size, 12 - HEAD, &version, 4);
  refuse(context, size, ATP_E_FORMAT, "of version 2");
  memset(bad, 0, 64);
  refuse(context, 64, ATP_E_FORMAT, "wrong magic");
}

/* --- random rows --- */

enum { N = 40, L = 2 };

static atp_alignment *numbered(atp_context *context) {
  uint8_t sequences[N * L];
  double weights[N];
  atp_alignment *all;
  for (int k = 0; k < N; ++k) sequences[2 * k] = (uint8_t)k, sequences[2 * k + 1] = 1, weights[k] = k + 1;
  assert_int_equal(atp_alignment_create(context, sequences, N, L, N, weights, &all), ATP_OK);
  return all;
}

/* How often each of the N sequences is in a sample; they stand in the order of the source, with their weights. */
static void count_rows(atp_context *context, const atp_alignment *all, int64_t n, int replace, int64_t seed, int counts[N]) {
  atp_alignment *drawn;
  assert_int_equal(atp_alignment_sample(context, all, n, replace, seed, &drawn), ATP_OK);
  assert_int_equal(atp_alignment_count(drawn), n);
  for (int k = 0; k < N; ++k) counts[k] = 0;
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *sequence = atp_alignment_sequences_view(drawn) + k * L;
    assert_true(k == 0 || sequence[0] >= sequence[-L]);
    assert_true(atp_alignment_weights_view(drawn)[k] == sequence[0] + 1);
    ++counts[sequence[0]];
  }
  atp_alignment_destroy(drawn);
}

/* Over R seeds each sequence is in a sample of n without replacement R n / N times, with a variance of R (n / N)(1 - n / N); the largest of
 * N deviations is above 4 standard deviations with a probability below N * 6.4e-5 = 0.26 per cent. The seeds are fixed. */
static void samples_without_replacement(void **state) {
  enum { R = 400, SIZE = 10 };
  atp_alignment *all = numbered(*state);
  int counts[N], more[N], total[N] = {0};
  for (int64_t seed = 1; seed <= R; ++seed) {
    count_rows(*state, all, SIZE, 0, seed, counts);
    count_rows(*state, all, SIZE + 7, 0, seed, more);
    for (int k = 0; k < N; ++k) {
      assert_true(counts[k] <= 1 && more[k] >= counts[k] && more[k] <= 1);
      total[k] += counts[k];
    }
  }
  const double p = (double)SIZE / N;
  for (int k = 0; k < N; ++k) assert_true(fabs(total[k] - R * p) < 4 * sqrt(R * p * (1 - p)));
  count_rows(*state, all, N, 0, 3, counts);
  for (int k = 0; k < N; ++k) assert_int_equal(counts[k], 1);
  atp_alignment_destroy(all);
}

/* The counts of a bootstrap sample are those of its weights. */
static void bootstrap_samples(void **state) {
  atp_alignment *all = numbered(*state), *none = all;
  int counts[N];
  double weights[N];
  for (int64_t seed = 0; seed < 5; ++seed) {
    count_rows(*state, all, N, 1, seed, counts);
    assert_int_equal(atp_alignment_resample(all, seed, 0, weights, N), ATP_OK);
    for (int k = 0; k < N; ++k) assert_true(weights[k] == counts[k] * (k + 1.0));
  }
  count_rows(*state, all, 3 * N, 1, 1, counts); /* more than there are */
  assert_int_equal(atp_alignment_sample(*state, all, N + 1, 0, 1, &none), ATP_E_VALUE);
  assert_error(*state, "n is 41, must be in 1..40");
  assert_null(none);
  assert_int_equal(atp_alignment_sample(*state, all, 0, 1, 1, &none), ATP_E_VALUE);
  assert_int_equal(atp_alignment_sample(*state, all, 1, 2, 1, &none), ATP_E_VALUE);
  assert_error(*state, "replace is 2, must be in 0..1");
  assert_int_equal(atp_alignment_sample(*state, all, 1, 0, -1, &none), ATP_E_VALUE);
  assert_error(*state, "seed is -1");
  atp_alignment_destroy(all);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(the_same_alignment, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(two_proteins, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(damaged_bytes, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(planted_numbers, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(states_of_others, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(samples_without_replacement, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(bootstrap_samples, context_setup, context_teardown),
};

ATP_TEST_MAIN(tests)
