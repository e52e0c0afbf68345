/* SPDX-License-Identifier: MIT */
/* Alignments through the C API: creation, selection, statistics, and every status. */
#include "api_support.h"
#include "counting.h"

enum { N = 5, L = 4, Q = 3 };

static const uint8_t kSequences[N * L] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 0, 2, 1, 0, 0, 0, 0, 2, 1, 1, 2};
static const double kWeights[N] = {1, 0.5, 2, 0, 0.25};

static atp_alignment *make(atp_context *context, const double *weights) {
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, weights, &a), ATP_OK);
  assert_non_null(a);
  return a;
}

static void test_create(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, kWeights);
  assert_int_equal(atp_alignment_count(a), N);
  assert_int_equal(atp_alignment_sites(a), L);
  assert_int_equal(atp_alignment_colors(a), Q);
  assert_close(atp_alignment_effective_count(a), 3.75, 0, 0);
  assert_memory_equal(atp_alignment_sequences_view(a), kSequences, sizeof kSequences);
  assert_ptr_not_equal(atp_alignment_sequences_view(a), kSequences);
  assert_memory_equal(atp_alignment_weights_view(a), kWeights, sizeof kWeights);
  assert_string_equal(atp_alignment_alphabet(a), "");
  assert_string_equal(atp_alignment_origin(a), "");
  assert_string_equal(atp_alignment_name(a, 0), "");
  assert_string_equal(atp_alignment_name(a, N), "");
  assert_string_equal(atp_alignment_name(a, -1), "");
  atp_alignment_destroy(a);
  a = make(context, NULL);
  assert_close(atp_alignment_effective_count(a), N, 0, 0);
  atp_alignment_destroy(a);
  int64_t bytes = -1;
  assert_int_equal(atp_context_memory(context, NULL, &bytes), ATP_OK);
  assert_int_equal(bytes, 0);
}

/* The caller's bytes are read, not copied: another alignment of the same bytes has no room for them, and trains to the same numbers. */
static void test_borrow(void **state) {
  atp_context *context = *state;
  enum { MANY = 5000 };
  static uint8_t bytes[MANY * L];
  atp_alignment *a = NULL, *b = NULL, *c = NULL;
  int64_t none = 0, copied = 0, borrowed = 0;
  double f[2][L * Q];
  for (int k = 0; k < MANY * L; ++k) bytes[k] = (uint8_t)(k * 7 % 11 % Q);
  atp_context_memory(context, NULL, &none);
  assert_int_equal(atp_alignment_create(context, bytes, MANY, L, Q, NULL, &a), ATP_OK);
  atp_context_memory(context, NULL, &copied);
  assert_int_equal(atp_alignment_borrow(context, bytes, MANY, L, Q, NULL, &b), ATP_OK);
  atp_context_memory(context, NULL, &borrowed);
  assert_ptr_equal(atp_alignment_sequences_view(b), bytes);
  assert_true(copied - none > MANY * (L + 8) && borrowed - copied < MANY * 8 + 4096);
  assert_int_equal(atp_alignment_weigh(a, 0.3, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_alignment_weigh(b, 0.3, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL), ATP_OK);
  assert_memory_equal(atp_alignment_weights_view(a), atp_alignment_weights_view(b), MANY * sizeof(double));
  assert_int_equal(atp_alignment_frequencies(a, 0, f[0], L * Q), ATP_OK);
  assert_int_equal(atp_alignment_frequencies(b, 0, f[1], L * Q), ATP_OK);
  assert_memory_equal(f[0], f[1], sizeof f[0]);
  /* What is made from it has bytes of its own. */
  assert_int_equal(atp_alignment_select(context, b, 2, 3, 1, &c), ATP_OK);
  atp_alignment_destroy(b);
  assert_memory_equal(atp_alignment_sequences_view(c), bytes + 2 * L, 3 * L);
  atp_alignment_destroy(c);
  assert_memory_equal(atp_alignment_sequences_view(a), bytes, sizeof bytes);
  assert_int_equal(atp_alignment_borrow(context, kSequences, N, L, Q, kWeights, &b), ATP_OK);
  assert_memory_equal(atp_alignment_weights_view(b), kWeights, sizeof kWeights);
  assert_ptr_not_equal(atp_alignment_weights_view(b), kWeights);
  atp_alignment_destroy(b);
  bytes[L + 1] = Q;
  assert_int_equal(atp_alignment_borrow(context, bytes, MANY, L, Q, NULL, &b), ATP_E_ALPHABET);
  assert_error(context, "sequences[1][1]");
  assert_null(b);
  assert_int_equal(atp_alignment_borrow(context, bytes, 0, L, Q, NULL, &b), ATP_E_VALUE);
  atp_alignment_destroy(a);
}

static void test_null_handles(void **state) {
  (void)state;
  atp_alignment_destroy(NULL);
  assert_int_equal(atp_alignment_count(NULL), 0);
  assert_int_equal(atp_alignment_sites(NULL), 0);
  assert_int_equal(atp_alignment_colors(NULL), 0);
  assert_true(atp_alignment_effective_count(NULL) == 0);
  assert_null(atp_alignment_sequences_view(NULL));
  assert_null(atp_alignment_weights_view(NULL));
  assert_string_equal(atp_alignment_alphabet(NULL), "");
  assert_string_equal(atp_alignment_origin(NULL), "");
  assert_string_equal(atp_alignment_name(NULL, 0), "");
}

/* Calls create with one wrong thing; out must come back NULL. */
static void refuse(atp_context *context, const uint8_t *s, int64_t n, int64_t sites, int64_t q, const double *w, atp_status expected,
                   const char *text) {
  atp_alignment *a = (atp_alignment *)(uintptr_t)64;
  assert_int_equal(atp_alignment_create(context, s, n, sites, q, w, &a), expected);
  assert_null(a);
  if (context != NULL) assert_error(context, text);
}

static void test_create_refuses(void **state) {
  atp_context *context = *state;
  uint8_t wrong[N * L];
  memcpy(wrong, kSequences, sizeof wrong);
  wrong[2 * L + 3] = Q;
  const double nan_weight[N] = {1, NAN, 1, 1, 1}, negative[N] = {1, 1, -0.5, 1, 1}, zero[N] = {0, 0, 0, 0, 0};
  const double huge[N] = {1e308, 1e308, 1e308, 1, 1}, infinite[N] = {1, 1, 1, INFINITY, 1};
  refuse(NULL, kSequences, N, L, Q, NULL, ATP_E_NULL, "context");
  refuse(context, NULL, N, L, Q, NULL, ATP_E_NULL, "sequences is NULL");
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, NULL, NULL), ATP_E_NULL);
  refuse(context, kSequences, 0, L, Q, NULL, ATP_E_VALUE, "n is 0");
  refuse(context, kSequences, -3, L, Q, NULL, ATP_E_VALUE, "n is -3");
  refuse(context, kSequences, INT64_MAX, L, Q, NULL, ATP_E_VALUE, "n is 9223372036854775807");
  refuse(context, kSequences, N, 1, Q, NULL, ATP_E_VALUE, "sites is 1");
  refuse(context, kSequences, N, INT64_MAX, Q, NULL, ATP_E_VALUE, "n is 5");
  refuse(context, kSequences, N, L, 1, NULL, ATP_E_VALUE, "colors is 1");
  refuse(context, kSequences, N, L, 256, NULL, ATP_E_VALUE, "colors is 256");
  refuse(context, wrong, N, L, Q, NULL, ATP_E_ALPHABET, "sequences[2][3] is 3, must be below the 3 colours");
  assert_counted(context, "sequences(4, 3) is 3, must be below the 3 colours");
  refuse(context, kSequences, N, L, Q, nan_weight, ATP_E_NOT_FINITE, "weights[1]");
  refuse(context, kSequences, N, L, Q, infinite, ATP_E_NOT_FINITE, "weights[3]");
  refuse(context, kSequences, N, L, Q, negative, ATP_E_VALUE, "weights[2] is -0.5");
  refuse(context, kSequences, N, L, Q, zero, ATP_E_VALUE, "sum of weights is 0");
  refuse(context, kSequences, N, L, Q, huge, ATP_E_VALUE, "sum of weights is inf");
}

static void test_no_memory(void **state) {
  (void)state;
  struct counter left = {.last = 2}; /* the context and one alignment */
  atp_context *context = NULL;
  atp_alignment *a = NULL, *b = NULL;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &left, &context), ATP_OK);
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, NULL, &b), ATP_E_MEMORY);
  assert_null(b);
  assert_int_equal(atp_alignment_select(context, a, 0, 1, 1, &b), ATP_E_MEMORY);
  assert_null(b);
  atp_alignment_destroy(a);
  atp_context_destroy(context);
}

static void test_select(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, kWeights), *b = NULL;
  assert_int_equal(atp_alignment_set_alphabet(a, "-xy"), ATP_OK);
  assert_int_equal(atp_alignment_set_origin(a, "seed=1"), ATP_OK);
  assert_int_equal(atp_alignment_select(context, a, 0, 3, 2, &b), ATP_OK);
  assert_int_equal(atp_alignment_count(b), 3);
  for (int k = 0; k < 3; ++k) {
    assert_memory_equal(atp_alignment_sequences_view(b) + k * L, kSequences + 2 * k * L, L);
    assert_true(atp_alignment_weights_view(b)[k] == kWeights[2 * k]);
  }
  assert_string_equal(atp_alignment_alphabet(b), "-xy");
  assert_string_equal(atp_alignment_origin(b), "seed=1");
  atp_alignment_destroy(b);

  const struct {
    int64_t first, count, stride;
    const char *text;
  } wrong[] = {{-1, 1, 1, "first is -1"},
               {N, 1, 1, "first is 5"},
               {0, 0, 1, "count is 0"},
               {0, 6, 1, "count is 6, must be in 1..5"},
               {1, 3, 2, "count is 3, must be in 1..2"},
               {0, 1, 0, "stride is 0"},
               {0, 2, INT64_MAX, "stride is"},
               {3, 1, 1, "weight 0"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    b = a;
    assert_int_equal(atp_alignment_select(context, a, wrong[k].first, wrong[k].count, wrong[k].stride, &b), ATP_E_VALUE);
    assert_null(b);
    assert_error(context, wrong[k].text);
  }
  const int64_t rows[] = {0, 2, 4}, beyond[] = {0, 5}, below[] = {2, -1}, again[] = {4, 2, 4, 3, 0, 0}, weightless[] = {3, 3};
  atp_alignment *selected = NULL;
  assert_int_equal(atp_alignment_select(context, a, 0, 3, 2, &selected), ATP_OK);
  assert_int_equal(atp_alignment_take(context, a, rows, 3, &b), ATP_OK);
  assert_int_equal(atp_alignment_count(b), 3);
  assert_memory_equal(atp_alignment_sequences_view(b), atp_alignment_sequences_view(selected), (size_t)(3 * atp_alignment_sites(a)));
  assert_memory_equal(atp_alignment_weights_view(b), atp_alignment_weights_view(selected), 3 * sizeof(double));
  assert_string_equal(atp_alignment_alphabet(b), "-xy");
  atp_alignment_destroy(b);
  /* In any order, some of them twice: each with its sequence, weight and name. */
  assert_int_equal(atp_alignment_take(context, a, again, 6, &b), ATP_OK);
  for (int k = 0; k < 6; ++k) {
    assert_memory_equal(atp_alignment_sequences_view(b) + k * L, kSequences + again[k] * L, L);
    assert_true(atp_alignment_weights_view(b)[k] == kWeights[again[k]]);
    assert_string_equal(atp_alignment_name(b, k), atp_alignment_name(a, again[k]));
  }
  atp_alignment_destroy(b);
  atp_alignment_destroy(selected);
  const struct {
    const int64_t *rows;
    int64_t n;
    const char *text;
  } refused[] = {{beyond, 2, "rows[1] is 5, must be in 0..4"},
                 {below, 2, "rows[1] is -1, must be in 0..4"},
                 {rows, 0, "n is 0, must be in 1.."},
                 {rows, INT64_MAX, "n is 9223372036854775807, must be in 1.."},
                 {weightless, 2, "have weight 0"}};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k) {
    assert_int_equal(atp_alignment_take(context, a, refused[k].rows, refused[k].n, &b), ATP_E_VALUE);
    assert_null(b);
    assert_error(context, refused[k].text);
  }
  assert_int_equal(atp_alignment_select(NULL, a, 0, 1, 1, &b), ATP_E_NULL);
  assert_int_equal(atp_alignment_select(context, NULL, 0, 1, 1, &b), ATP_E_NULL);
  assert_int_equal(atp_alignment_select(context, a, 0, 1, 1, NULL), ATP_E_NULL);
  atp_alignment_destroy(a);
}

/* All but the names stays as it is, also the residues in columns that were removed, which residue numbers count. */
static void test_rename(void **state) {
  atp_context *context = *state;
  atp_alignment *a, *b = NULL, *c = NULL, *d = NULL;
  const char *fasta = ">x\nABBA\n>y\n-AB-\n>z\nBB-A\n", *names[] = {"one", "zwei/2-9", "\303\274"};
  assert_int_equal(atp_alignment_parse(context, fasta, (int64_t)strlen(fasta), "-AB", NULL, &a), ATP_OK);
  const double weights[] = {1, 0.5, 0};
  assert_int_equal(atp_alignment_set_weights(a, weights, 3), ATP_OK);
  assert_int_equal(atp_alignment_set_origin(a, "here"), ATP_OK);
  assert_int_equal(atp_alignment_focus(context, a, "y", &b), ATP_OK);
  for (int ended = 0; ended < 2; ++ended) {
    assert_int_equal(atp_alignment_rename(context, b, ended ? "one\nzwei/2-9\n\303\274\n" : "one\nzwei/2-9\n\303\274", &c), ATP_OK);
    for (int64_t n = 0; n < 3; ++n) assert_string_equal(atp_alignment_name(c, n), names[n]);
    assert_int_equal(atp_alignment_sites(c), 2);
    assert_memory_equal(atp_alignment_sequences_view(c), atp_alignment_sequences_view(b), 6);
    assert_memory_equal(atp_alignment_weights_view(c), weights, sizeof weights);
    assert_memory_equal(atp_alignment_site_numbers_view(c), atp_alignment_site_numbers_view(b), 2 * sizeof(int64_t));
    assert_string_equal(atp_alignment_site_residues(c), "AB");
    assert_string_equal(atp_alignment_alphabet(c), "-AB");
    assert_string_equal(atp_alignment_origin(c), atp_alignment_origin(b));
    assert_int_equal(atp_alignment_total_columns(c), 4);
    assert_int_equal(atp_alignment_focus(context, c, "one", &d), ATP_OK);
    const int64_t numbers[] = {2, 3};
    assert_memory_equal(atp_alignment_site_numbers_view(d), numbers, sizeof numbers);
    atp_alignment_destroy(d);
    atp_alignment_destroy(c);
  }
  const struct {
    const char *names, *text;
    atp_status status;
  } refused[] = {{"one\ntwo", "names has 2 lines, must have one for each of the 3 sequences", ATP_E_SHAPE},
                 {"", "names has 0 lines", ATP_E_SHAPE},
                 {"1\n2\n3\n4", "names has 4 lines", ATP_E_SHAPE},
                 {"1\n\n3", "names[1] is empty", ATP_E_VALUE},
                 {"1\n2\n3\n\n", "names[3] is empty", ATP_E_VALUE},
                 {"1\n2\nthe third", "names[2] has the character 32", ATP_E_VALUE},
                 {"1\r\n2\r\n3", "names[0] has the character 13", ATP_E_VALUE}};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k) {
    assert_int_equal(atp_alignment_rename(context, b, refused[k].names, &c), refused[k].status);
    assert_null(c);
    assert_error(context, refused[k].text);
  }
  atp_alignment_destroy(b);
  atp_alignment_destroy(a);
}

static void test_setters(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, NULL);
  assert_int_equal(atp_alignment_set_weights(a, kWeights, N), ATP_OK);
  const double nan_weight[N] = {1, NAN, 1, 1, 1}, negative[N] = {1, 1, -0.5, 1, 1}, zero[N] = {0};
  assert_int_equal(atp_alignment_set_weights(NULL, kWeights, N), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_weights(a, NULL, N), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_weights(a, kWeights, N - 1), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_set_weights(a, nan_weight, N), ATP_E_NOT_FINITE);
  assert_int_equal(atp_alignment_set_weights(a, negative, N), ATP_E_VALUE);
  assert_int_equal(atp_alignment_set_weights(a, zero, N), ATP_E_VALUE);
  assert_memory_equal(atp_alignment_weights_view(a), kWeights, sizeof kWeights);

  assert_int_equal(atp_alignment_set_alphabet(a, "_*^"), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, atp_alignment_alphabet(a)), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(NULL, "_*^"), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_alphabet(a, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_alphabet(a, "protein"), ATP_E_SHAPE);
  assert_error(context, "symbols has 21 symbols, must have one for each of the 3 colours");
  assert_int_equal(atp_alignment_set_alphabet(a, "_*"), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_set_alphabet(a, "_**"), ATP_E_ALPHABET);
  assert_error(context, "'*' occurs twice");
  assert_int_equal(atp_alignment_set_alphabet(a, "_ ^"), ATP_E_ALPHABET);
  assert_int_equal(atp_alignment_set_alphabet(a, "_\n^"), ATP_E_ALPHABET);
  assert_int_equal(atp_alignment_set_alphabet(a, "_\xC3\xA4"), ATP_E_ALPHABET);
  assert_int_equal(atp_alignment_set_alphabet(a, "_>^"), ATP_E_ALPHABET);
  assert_string_equal(atp_alignment_alphabet(a), "_*^");
  assert_int_equal(atp_alignment_set_alphabet(a, ""), ATP_OK);
  assert_string_equal(atp_alignment_alphabet(a), "");

  char line[2001];
  memset(line, 'x', 2000);
  line[2000] = 0;
  assert_int_equal(atp_alignment_set_origin(a, line), ATP_OK);
  assert_int_equal(strlen(atp_alignment_origin(a)), 1023);
  assert_int_equal(atp_alignment_set_origin(a, atp_alignment_origin(a) + 1020), ATP_OK);
  assert_string_equal(atp_alignment_origin(a), "xxx");
  assert_int_equal(atp_alignment_set_origin(a, "one\ntwo"), ATP_E_VALUE);
  assert_int_equal(atp_alignment_set_origin(a, "\x7f"), ATP_E_VALUE);
  assert_string_equal(atp_alignment_origin(a), "xxx");
  assert_int_equal(atp_alignment_set_origin(NULL, "x"), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_origin(a, NULL), ATP_E_NULL);
  atp_alignment_destroy(a);
}

static void assert_sites(const atp_alignment *a, int64_t n0, int64_t n1, int64_t n2, int64_t n3, const char *residues) {
  const int64_t *numbers = atp_alignment_site_numbers_view(a);
  assert_true(numbers[0] == n0 && numbers[1] == n1 && numbers[2] == n2 && numbers[3] == n3);
  assert_string_equal(atp_alignment_site_residues(a), residues);
}

static void test_sites(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, NULL), *b = NULL;
  const int64_t numbers[L] = {12, 13, -5, (int64_t)1 << 53}, large[L] = {1, 2, 3, ((int64_t)1 << 53) + 1};
  assert_sites(a, 1, 2, 3, 4, "");
  assert_int_equal(atp_alignment_set_sites(a, numbers, L, "AxW*"), ATP_OK);
  assert_sites(a, 12, 13, -5, (int64_t)1 << 53, "AxW*");
  assert_int_equal(atp_alignment_select(context, a, 1, 2, 2, &b), ATP_OK);
  assert_sites(b, 12, 13, -5, (int64_t)1 << 53, "AxW*");
  atp_alignment_destroy(b);

  assert_int_equal(atp_alignment_set_sites(NULL, numbers, L, "AAAA"), ATP_E_NULL);
  assert_int_equal(atp_alignment_set_sites(a, numbers, L - 1, "AAAA"), ATP_E_SHAPE);
  assert_error(context, "n is 3, must be 4");
  assert_int_equal(atp_alignment_set_sites(a, numbers, L + 1, "AAAA"), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_set_sites(a, NULL, L, "AAA"), ATP_E_SHAPE);
  assert_error(context, "residues has 3 characters, must have one for each of the 4 sites");
  assert_int_equal(atp_alignment_set_sites(a, NULL, L, "AAAAA"), ATP_E_SHAPE);
  assert_error(context, "residues has at least 5 characters");
  assert_int_equal(atp_alignment_set_sites(a, NULL, L, "A AA"), ATP_E_ALPHABET);
  assert_error(context, "residues[1] has the code 32");
  assert_int_equal(atp_alignment_set_sites(a, NULL, L,
                                           "A\xC3\xA4"
                                           "A"),
                   ATP_E_ALPHABET);
  assert_int_equal(atp_alignment_set_sites(a, large, L, NULL), ATP_E_VALUE);
  assert_error(context, "numbers[3] is 9007199254740993");
  assert_sites(a, 12, 13, -5, (int64_t)1 << 53, "AxW*");

  /* The present ones, a part of them taken as none, and back to the defaults. */
  assert_int_equal(atp_alignment_set_sites(a, atp_alignment_site_numbers_view(a), L, atp_alignment_site_residues(a)), ATP_OK);
  assert_sites(a, 12, 13, -5, (int64_t)1 << 53, "AxW*");
  assert_int_equal(atp_alignment_set_sites(a, numbers, L, ""), ATP_OK);
  assert_sites(a, 12, 13, -5, (int64_t)1 << 53, "");
  assert_int_equal(atp_alignment_set_sites(a, NULL, L, NULL), ATP_OK);
  assert_sites(a, 1, 2, 3, 4, "");
  atp_alignment_destroy(a);
}

/* The definitions of the header, sum by sum. */
static double expected_pair(int i, int j, int a, int b, double c) {
  double sum = 0, total = 0;
  for (int n = 0; n < N; ++n) {
    total += kWeights[n];
    if (kSequences[n * L + i] == a && kSequences[n * L + j] == b) sum += kWeights[n];
  }
  if (i == j) return a == b ? (1 - c) * sum / total + c / Q : 0;
  return (1 - c) * sum / total + c / (Q * Q);
}

static void test_frequencies(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, kWeights);
  const double pseudocounts[] = {0, 0.3, 1};
  double f[L * Q], pairs[L * L * Q * Q];
  for (int p = 0; p < 3; ++p) {
    const double c = pseudocounts[p];
    assert_int_equal(atp_alignment_frequencies(a, c, f, L * Q), ATP_OK);
    assert_int_equal(atp_alignment_pair_frequencies(a, c, pairs, L * L * Q * Q), ATP_OK);
    for (int i = 0; i < L; ++i) {
      for (int x = 0; x < Q; ++x) assert_close(f[i * Q + x], expected_pair(i, i, x, x, c), 0, 1e-15);
      for (int j = 0; j < L; ++j)
        for (int x = 0; x < Q; ++x)
          for (int y = 0; y < Q; ++y) assert_close(pairs[((i * L + j) * Q + x) * Q + y], expected_pair(i, j, x, y, c), 0, 1e-15);
    }
  }
  f[0] = pairs[0] = -7;
  assert_int_equal(atp_alignment_frequencies(NULL, 0, f, L * Q), ATP_E_NULL);
  assert_int_equal(atp_alignment_frequencies(a, 0, NULL, L * Q), ATP_E_NULL);
  assert_int_equal(atp_alignment_frequencies(a, 0, f, L * Q - 1), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_frequencies(a, -0.1, f, L * Q), ATP_E_VALUE);
  assert_int_equal(atp_alignment_frequencies(a, 1.1, f, L * Q), ATP_E_VALUE);
  assert_int_equal(atp_alignment_frequencies(a, NAN, f, L * Q), ATP_E_VALUE);
  assert_int_equal(atp_alignment_pair_frequencies(NULL, 0, pairs, L * L * Q * Q), ATP_E_NULL);
  assert_int_equal(atp_alignment_pair_frequencies(a, 0, NULL, L * L * Q * Q), ATP_E_NULL);
  assert_int_equal(atp_alignment_pair_frequencies(a, 0, pairs, L * L * Q), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_pair_frequencies(a, 2, pairs, L * L * Q * Q), ATP_E_VALUE);
  assert_true(f[0] == -7 && pairs[0] == -7);
  atp_alignment_destroy(a);
}

/* Each sample has as many sequences as the alignment, and all of them are drawn equally often. */
static void test_resample(void **state) {
  atp_context *context = *state;
  enum { ROWS = 5, SAMPLES = 4000 };
  const uint8_t rows[2 * ROWS] = {0, 1, 1, 0, 1, 1, 0, 0, 2, 1};
  const double w[ROWS] = {1, 0.5, 2, 0, 0.25};
  atp_alignment *a = NULL;
  double drawn[ROWS], again[ROWS], times[ROWS] = {0}, pairs = 0;
  assert_int_equal(atp_alignment_create(context, rows, ROWS, 2, 3, w, &a), ATP_OK);
  for (int s = 0; s < SAMPLES; ++s) {
    assert_int_equal(atp_alignment_resample(a, 3, s, drawn, ROWS), ATP_OK);
    double all = 0;
    for (int k = 0; k < ROWS; ++k) {
      if (k == 3) continue;
      const double count = drawn[k] / w[k];
      assert_true(count == floor(count));
      all += count;
      times[k] += count;
      pairs += count * count;
    }
    assert_true(drawn[3] == 0 && all <= ROWS);
  }
  /* Binomial: mean 1, mean square 2 - 1 / 5, within five standard errors. */
  for (int k = 0; k < ROWS; ++k) assert_close(times[k] / SAMPLES, k == 3 ? 0 : 1, 0, 5 * sqrt(0.8 / SAMPLES));
  assert_close(pairs / SAMPLES / 4, 1.8, 0, 0.1);
  assert_int_equal(atp_alignment_resample(a, 3, SAMPLES - 1, again, ROWS), ATP_OK);
  for (int k = 0; k < ROWS; ++k) assert_true(again[k] == drawn[k]);
  again[0] = -7;
  assert_int_equal(atp_alignment_resample(a, -1, 0, again, ROWS), ATP_E_VALUE);
  assert_int_equal(atp_alignment_resample(a, 1, -1, again, ROWS), ATP_E_VALUE);
  assert_int_equal(atp_alignment_resample(a, 1, 0, again, ROWS - 1), ATP_E_SHAPE);
  assert_true(again[0] == -7);
  atp_alignment_destroy(a);
}

/* What to expect of nine sites, by the sum of the weights of two sequences: just below and at each bound. */
static void test_levels(void **state) {
  atp_context *context = *state;
  const uint8_t rows[18] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const struct {
    double total;
    atp_level contacts, mutations;
  } cases[] = {{8.99, ATP_LEVEL_NONE, ATP_LEVEL_POOR},  {9, ATP_LEVEL_NONE, ATP_LEVEL_FAIR},     {11.99, ATP_LEVEL_NONE, ATP_LEVEL_FAIR},
               {12, ATP_LEVEL_POOR, ATP_LEVEL_FAIR},    {47.99, ATP_LEVEL_POOR, ATP_LEVEL_FAIR}, {48, ATP_LEVEL_FAIR, ATP_LEVEL_FAIR},
               {89.99, ATP_LEVEL_FAIR, ATP_LEVEL_FAIR}, {90, ATP_LEVEL_FAIR, ATP_LEVEL_GOOD},    {191.99, ATP_LEVEL_FAIR, ATP_LEVEL_GOOD},
               {192, ATP_LEVEL_GOOD, ATP_LEVEL_GOOD}};
  atp_alignment *a = NULL;
  double numbers[ATP_SUMMARY_NUMBERS];
  assert_int_equal(atp_alignment_create(context, rows, 2, 9, 2, NULL, &a), ATP_OK);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    const double w[2] = {cases[k].total - 1, 1};
    assert_int_equal(atp_alignment_set_weights(a, w, 2), ATP_OK);
    assert_int_equal(atp_alignment_summary(a, numbers, ATP_SUMMARY_NUMBERS), ATP_OK);
    assert_close(numbers[ATP_SUMMARY_PER_SITE], cases[k].total / 9, 1e-14, 0);
    assert_close(numbers[ATP_SUMMARY_PER_ROOT], cases[k].total / 3, 1e-14, 0);
    assert_true(numbers[ATP_SUMMARY_CONTACTS] == cases[k].contacts && numbers[ATP_SUMMARY_MUTATIONS] == cases[k].mutations);
    assert_true(numbers[ATP_SUMMARY_VARYING] == 1);
  }
  assert_string_equal(atp_level_name(ATP_LEVEL_NONE), "none");
  assert_string_equal(atp_level_name(ATP_LEVEL_POOR), "poor");
  assert_string_equal(atp_level_name(ATP_LEVEL_FAIR), "fair");
  assert_string_equal(atp_level_name(ATP_LEVEL_GOOD), "good");
  assert_string_equal(atp_level_name(-1), "unknown level");
  assert_string_equal(atp_level_name(4), "unknown level");
  atp_alignment_destroy(a);
}

/* Three sequences, of which two are equal, with weights 1, 0.5 and 2 and the gap 0. */
static void test_summary(void **state) {
  atp_context *context = *state;
  const uint8_t rows[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 1};
  const double w[3] = {1, 0.5, 2};
  atp_alignment *a = NULL;
  double numbers[ATP_SUMMARY_NUMBERS], c[4];
  assert_int_equal(atp_alignment_create(context, rows, 3, 4, 3, w, &a), ATP_OK);
  assert_int_equal(atp_alignment_summary(a, numbers, ATP_SUMMARY_NUMBERS), ATP_OK); /* without an alphabet no colour is a gap */
  assert_true(numbers[ATP_SUMMARY_DUPLICATES] == 1 && numbers[ATP_SUMMARY_GAPS] == 0 && numbers[ATP_SUMMARY_COLUMNS_50] == 0);
  assert_true(numbers[ATP_SUMMARY_VARYING] == 2); /* of four columns */
  assert_int_equal(atp_alignment_set_alphabet(a, "-AC"), ATP_OK);
  assert_int_equal(atp_alignment_summary(a, numbers, ATP_SUMMARY_NUMBERS), ATP_OK);
  assert_true(numbers[ATP_SUMMARY_DUPLICATES] == 1 && numbers[ATP_SUMMARY_SEQUENCES_50] == 2);
  assert_close(numbers[ATP_SUMMARY_GAPS], 7.0 / 12, 1e-15, 0);
  assert_true(numbers[ATP_SUMMARY_COLUMNS_90] == 1 && numbers[ATP_SUMMARY_COLUMNS_50] == 1); /* 1.5 of 3.5 is less than half */
  assert_int_equal(atp_alignment_set_weights(a, (const double[]){1, 1.5, 2}, 3), ATP_OK);
  assert_int_equal(atp_alignment_summary(a, numbers, ATP_SUMMARY_NUMBERS), ATP_OK);
  assert_true(numbers[ATP_SUMMARY_COLUMNS_90] == 1 && numbers[ATP_SUMMARY_COLUMNS_50] == 3);
  assert_int_equal(atp_alignment_summary(a, numbers, ATP_SUMMARY_NUMBERS - 1), ATP_E_SHAPE);

  assert_int_equal(atp_alignment_set_weights(a, w, 3), ATP_OK);
  assert_int_equal(atp_alignment_conservation(a, ATP_GAPS_STATE, c, 4), ATP_OK);
  const double f = 1.5 / 3.5, entropy = -f * log(f) - (1 - f) * log(1 - f);
  assert_true(c[0] == 1 && c[3] == 1);
  for (int i = 1; i < 3; ++i) assert_close(c[i], 1 - entropy / log(3), 1e-14, 0);
  assert_int_equal(atp_alignment_conservation(a, ATP_GAPS_IGNORE, c, 4), ATP_OK);
  assert_true(isnan(c[0]) && c[1] == 1 && c[2] == 1 && c[3] == 1);
  c[0] = -7;
  assert_int_equal(atp_alignment_conservation(a, (atp_gaps)0, c, 4), ATP_E_VALUE);
  assert_int_equal(atp_alignment_conservation(a, ATP_GAPS_STATE, c, 3), ATP_E_SHAPE);
  assert_true(c[0] == -7);
  atp_alignment_destroy(a);
}

/* Among colours 1 and 2, with weights 1, 0.5 and 1.5; the last site has gaps alone. */
static void test_residue_frequencies(void **state) {
  atp_context *context = *state;
  const uint8_t rows[9] = {0, 1, 0, 1, 2, 0, 2, 2, 0};
  const double w[3] = {1, 0.5, 1.5};
  atp_alignment *a = NULL;
  double f[6];
  assert_int_equal(atp_alignment_create(context, rows, 3, 3, 3, w, &a), ATP_OK);
  assert_int_equal(atp_alignment_residue_frequencies(a, f, 6), ATP_OK);
  const double expected[4] = {0.25, 0.75, 1.0 / 3, 2.0 / 3};
  for (int k = 0; k < 4; ++k) assert_close(f[k], expected[k], 1e-15, 0);
  assert_true(isnan(f[4]) && isnan(f[5]));
  f[0] = -7;
  assert_int_equal(atp_alignment_residue_frequencies(a, f, 9), ATP_E_SHAPE);
  assert_true(f[0] == -7);
  atp_alignment_destroy(a);
}

static void test_independent_loss(void **state) {
  atp_context *context = *state;
  atp_alignment *a = make(context, kWeights);
  double f[L * Q], expected = 0, loss = -1;
  assert_int_equal(atp_alignment_frequencies(a, 0, f, L * Q), ATP_OK); /* the fourth sequence has weight 0: its colours may have f = 0 */
  for (int n = 0; n < N; ++n)
    for (int i = 0; i < L; ++i)
      if (kWeights[n] > 0) expected -= kWeights[n] * log(f[i * Q + kSequences[n * L + i]]);
  expected /= L * 3.75;
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, &loss), ATP_OK);
  assert_close(loss, expected, 1e-14, 0);
  for (int k = 0; k < L * Q; ++k) f[k] = 1.0 / Q;
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, &loss), ATP_OK);
  assert_close(loss, log(Q), 1e-14, 0);
  loss = -7;
  assert_int_equal(atp_alignment_independent_loss(NULL, f, L * Q, &loss), ATP_E_NULL);
  assert_int_equal(atp_alignment_independent_loss(a, NULL, L * Q, &loss), ATP_E_NULL);
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, NULL), ATP_E_NULL);
  assert_int_equal(atp_alignment_independent_loss(a, f, L, &loss), ATP_E_SHAPE);
  f[0] = NAN;
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, &loss), ATP_E_NOT_FINITE);
  f[0] = -0.1;
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, &loss), ATP_E_VALUE);
  f[0] = 0;
  assert_int_equal(atp_alignment_independent_loss(a, f, L * Q, &loss), ATP_E_VALUE);
  assert_error(context, "frequencies[0][0] is 0, must be > 0");
  assert_true(loss == -7);
  atp_alignment_destroy(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_create, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_borrow, context_setup, context_teardown),
      cmocka_unit_test(test_null_handles),
      cmocka_unit_test_setup_teardown(test_create_refuses, context_setup, context_teardown),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test_setup_teardown(test_select, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_rename, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_setters, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_sites, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_frequencies, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_summary, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_levels, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_resample, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_residue_frequencies, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_independent_loss, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
