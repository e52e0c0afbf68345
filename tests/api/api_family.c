/* SPDX-License-Identifier: MIT */
/* Families of sequences through the C API: focus, filters, weights, covariances. */
#include "api_support.h"

#include "folder.h"
#include "watched.h"

#include <math.h>
#include <string.h>

static atp_alignment *read_text(atp_context *context, const char *text, const char *alphabet, const char *name) {
  atp_alignment *a = NULL;
  assert_int_equal(folder_put(name, text, strlen(text)), 0);
  if (atp_alignment_read(context, name, alphabet, NULL, &a) != ATP_OK) {
    char error[512];
    atp_last_error(error, sizeof error);
    fail_msg("%s", error);
  }
  return a;
}

static atp_alignment *focus(atp_context *context, const atp_alignment *source, const char *name) {
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_focus(context, source, name, &a), ATP_OK);
  return a;
}

static void expect_sites(const atp_alignment *a, int64_t n, const int64_t *numbers, const char *residues) {
  assert_int_equal(atp_alignment_sites(a), n);
  for (int64_t i = 0; i < n; ++i) assert_int_equal(atp_alignment_site_numbers_view(a)[i], numbers[i]);
  assert_string_equal(atp_alignment_site_residues(a), residues);
}

struct log {
  int warnings, lines;
  char last[512];
};
static void keep(atp_log_level level, const char *text, void *user) {
  struct log *log = user;
  log->warnings += level == ATP_LOG_WARNING;
  ++log->lines;
  snprintf(log->last, sizeof log->last, "%s", text);
}

static void test_focus(void **state) {
  atp_context *context = *state;
  struct log log = {0, 0, ""};
  assert_int_equal(atp_context_set_log(context, keep, &log), ATP_OK);
  /* one/11-17: A C (ga) - G U X -> columns 0, 1, 3, 4; X is a residue in a column of gaps. */
  atp_alignment *a = read_text(context,
                               ">one/11-17 what it is\nACga-GUX\n>two/9-4\n-CU..GUA\n>three\nuuACGGUA\n>twin\nACUGUA\n>twin\nACUGUA\n"
                               ">short/1-9\n-CUG-A\n>none\n-A----\n",
                               "rna", "family.a3m");
  assert_int_equal(atp_alignment_sites(a), 6);
  log.warnings = 0;
  atp_alignment *b = focus(context, a, "one");
  const int64_t one[] = {11, 12, 15, 16}, two[] = {9, 8, 7, 6, 5}, three[] = {3, 4, 5, 6, 7, 8};
  expect_sites(b, 4, one, "ACGU");
  assert_int_equal(log.warnings, 0);
  assert_int_equal(atp_alignment_count(b), 7);
  const uint8_t rows[3][4] = {{1, 2, 3, 4}, {0, 2, 3, 4}, {1, 2, 3, 4}};
  assert_memory_equal(atp_alignment_sequences_view(b), rows, sizeof rows);
  assert_string_equal(atp_alignment_name(b, 1), "two/9-4");
  assert_string_equal(atp_alignment_alphabet(b), "-ACGU");
  /* A focus on a focus: columns that were left out before still count. */
  atp_alignment *c = focus(context, b, "three");
  const int64_t inner[] = {3, 4, 6, 7};
  expect_sites(c, 4, inner, "ACGU");
  atp_alignment_destroy(c);
  c = focus(context, b, "one/11-17");
  expect_sites(c, 4, one, "ACGU");
  atp_alignment_destroy(c);
  atp_alignment_destroy(b);
  b = focus(context, a, "two/9-4"); /* the other strand; one residue less than the name tells */
  expect_sites(b, 5, two, "CUGUA");
  assert_int_equal(log.warnings, 1);
  assert_non_null(strstr(log.last, "the range in its name has 6 residues, the sequence 5"));
  atp_alignment_destroy(b);
  b = focus(context, a, "three");
  expect_sites(b, 6, three, "ACGGUA");
  atp_alignment_destroy(b);
  /* After a filter of columns, too: column 2 goes with the gaps of one and none. */
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_FILTER, &options), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_COLUMN, 0.2), ATP_OK);
  assert_int_equal(atp_alignment_filter(context, a, options, NULL, 0, &b), ATP_OK);
  assert_int_equal(atp_alignment_sites(b), 2);
  assert_int_equal(atp_alignment_site_numbers_view(b)[0], 2);
  assert_int_equal(atp_alignment_site_numbers_view(b)[1], 4);
  c = focus(context, b, "three");
  const int64_t filtered[] = {4, 6};
  expect_sites(c, 2, filtered, "CG");
  atp_alignment_destroy(c);
  atp_alignment_destroy(b);
  atp_options_destroy(options);
  b = (atp_alignment *)(uintptr_t)64;
  assert_int_equal(atp_alignment_focus(context, a, "twin", &b), ATP_E_VALUE);
  assert_null(b);
  assert_error(context, "name is 'twin', must be that of one sequence; 2 sequences have it, the first is number 3");
  assert_int_equal(atp_alignment_focus(context, a, "ONES", &b), ATP_E_VALUE);
  assert_error(context, "name is 'ONES', but no sequence has this name; the nearest names are 'one/11-17', 'none', 'two/9-4'");
  assert_int_equal(atp_alignment_focus(context, a, "none", &b), ATP_E_VALUE);
  assert_error(context, "sequence 'none' has residues in 1 columns, must have them in at least 2");
  int64_t index = -7;
  assert_int_equal(atp_alignment_find(a, "thre", &index), ATP_E_VALUE); /* a beginning is no name */
  assert_int_equal(index, -7);
  assert_int_equal(atp_alignment_find(a, "short", &index), ATP_OK);
  assert_int_equal(index, 5);
  assert_int_equal(atp_alignment_find(a, "two/9-4", &index), ATP_OK);
  assert_int_equal(index, 1);
  atp_alignment_destroy(a);
  const uint8_t bare[6] = {1, 0, 1, 1, 1, 1};
  assert_int_equal(atp_alignment_create(context, bare, 2, 3, 2, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_find(a, "x", &index), ATP_E_VALUE);
  assert_error(context, "the sequences have no names");
  atp_alignment_destroy(a);
}

/* Ranges may be negative. A name that only looks like one is a warning, because sites then count from 1. */
static void test_focus_ranges(void **state) {
  atp_context *context = *state;
  struct log log = {0, 0, ""};
  assert_int_equal(atp_context_set_log(context, keep, &log), ATP_OK);
  static const struct {
    const char *name, *find;
    int64_t numbers[3];
    const char *warning; /* NULL: none */
  } cases[] = {
      {"NEG/-1-1", "NEG", {-1, 0, 1}, NULL},
      {"NEG/-12--10", "NEG", {-12, -11, -10}, NULL},
      {"NEG/1--1", "NEG", {1, 0, -1}, NULL},
      {"P1/2/5-7", "P1/2", {5, 6, 7}, NULL},
      {"N:5-7", "N:5-7", {1, 2, 3}, "':5-7' at the end of its name is not read as a range"},
      {"N/5_7", "N/5_7", {1, 2, 3}, "'/5_7' at the end of its name"},
      {"N/5-6,20-20", "N/5-6,20-20", {1, 2, 3}, "'/5-6,20-20' at the end of its name"},
      {"N/1234567890123456-1234567890123458", "N/1234567890123456-1234567890123458", {1, 2, 3}, "at the end of its name"},
      {"N/5-7[+]", "N/5-7[+]", {1, 2, 3}, "'/5-7[+]' at the end of its name"},
      {"N[5-7]", "N[5-7]", {1, 2, 3}, "'[5-7]' at the end of its name"},
      {"1ABC:A", "1ABC:A", {1, 2, 3}, NULL},
      {"gi|12|ref|NP_1.2", "gi|12|ref|NP_1.2", {1, 2, 3}, NULL},
      {"gi|12|34", "gi|12|34", {1, 2, 3}, NULL},
      {"x/5", "x/5", {1, 2, 3}, NULL},
      {"101_102", "101_102", {1, 2, 3}, NULL},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    char text[128];
    print_message("%s\n", cases[k].name);
    snprintf(text, sizeof text, ">%s\nACG\n>other\nACU\n", cases[k].name);
    atp_alignment *a = NULL;
    assert_int_equal(atp_alignment_parse(context, text, (int64_t)strlen(text), "rna", NULL, &a), ATP_OK);
    log.warnings = 0;
    atp_alignment *b = focus(context, a, cases[k].find);
    expect_sites(b, 3, cases[k].numbers, "ACG");
    assert_int_equal(log.warnings, cases[k].warning != NULL);
    if (cases[k].warning != NULL) assert_non_null(strstr(log.last, cases[k].warning));
    atp_alignment_destroy(b);
    atp_alignment_destroy(a);
  }
}

/* A name with the ranges of two proteins: a border, and the numbers of each; only where they have all residues. */
static void test_focus_of_two(void **state) {
  atp_context *context = *state;
  struct log log = {0, 0, ""};
  assert_int_equal(atp_context_set_log(context, keep, &log), ATP_OK);
  /* three residues and a gap, then two with an insert between: A 11-13, B 4-6 */
  static const struct {
    const char *name;
    int64_t border, numbers[5], warnings;
  } cases[] = {{"A/11-13_B/4-6", 4, {11, 12, 13, 13 + 4, 13 + 6}, 0},
               {"A/1-2+B/1-4", 3, {1, 2, 2 + 1, 2 + 2, 2 + 4}, 0},
               {"A/11-13_B/4-7", 0, {4, 5, 6, 7, 9}, 1},
               {"A/11-13B/x_4-6", 0, {1, 2, 3, 4, 6}, 0},
               {"A_B/4-9", 0, {4, 5, 6, 7, 9}, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[200];
    snprintf(text, sizeof text, ">%s\nAC-GUgA\n>x\nACUGUA\n>y\nACUGccUA\n", cases[k].name);
    atp_alignment *a = read_text(context, text, "rna", "two.a3m");
    assert_int_equal(atp_alignment_sites(a), 6);
    log.warnings = 0;
    atp_alignment *b = focus(context, a, cases[k].name);
    expect_sites(b, 5, cases[k].numbers, "ACGUA");
    assert_int_equal(atp_alignment_border(b), cases[k].border);
    assert_int_equal(log.warnings, cases[k].warnings);
    atp_alignment_destroy(b);
    atp_alignment_destroy(a);
  }
}

static void test_filter(void **state) {
  atp_context *context = *state;
  atp_alignment *a = read_text(context, ">a\nAC-U-\n>b\nACGU-\n>c\nA---A\n>d\nACUU-\n>e\nACGU-\n>f\nGC-U-\n", "rna", "filter.fasta"),
                *b = NULL;
  const int64_t numbers[] = {10, 20, 30, 40, 50};
  assert_int_equal(atp_alignment_set_sites(a, numbers, 5, "VWXYZ"), ATP_OK);
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_FILTER, &options), ATP_OK);
  int64_t counts[3] = {-1, -1, -1};
  assert_int_equal(atp_alignment_filter(context, a, options, counts, 3, &b), ATP_OK);
  assert_int_equal(atp_alignment_count(b), 6);
  assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
  atp_alignment_destroy(b);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_SEQUENCE, 0.4), ATP_OK); /* 2 of 5, exactly */
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_COLUMN, 0.4), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_REMOVE_DUPLICATES, 1), ATP_OK);
  assert_int_equal(atp_alignment_filter(context, a, options, counts, 3, &b), ATP_OK);
  assert_true(counts[0] == 1 && counts[1] == 1 && counts[2] == 1); /* c; the last column; e */
  assert_int_equal(atp_alignment_count(b), 4);
  const int64_t left[] = {10, 20, 30, 40};
  expect_sites(b, 4, left, "VWXY");
  const uint8_t rows[4][4] = {{1, 2, 0, 4}, {1, 2, 3, 4}, {1, 2, 4, 4}, {3, 2, 0, 4}};
  assert_memory_equal(atp_alignment_sequences_view(b), rows, sizeof rows);
  assert_string_equal(atp_alignment_name(b, 3), "f");
  atp_alignment_destroy(b);
  b = (atp_alignment *)(uintptr_t)64;
  counts[0] = -7;
  assert_int_equal(atp_alignment_filter(context, a, options, counts, 2, &b), ATP_E_SHAPE);
  assert_null(b);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_SEQUENCE, 0), ATP_OK);
  assert_int_equal(atp_alignment_filter(context, a, options, counts, 3, &b), ATP_E_VALUE);
  assert_error(context, "max-gaps-sequence is 0 and leaves no sequence: all 6 have more gaps");
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_SEQUENCE, 0.6), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_COLUMN, 0), ATP_OK);
  assert_int_equal(atp_alignment_filter(context, a, options, counts, 3, &b), ATP_E_VALUE);
  assert_error(context, "max-gaps-column is 0 and leaves 1 of 5 columns, must leave at least 2");
  assert_int_equal(counts[0], -7);
  atp_options_destroy(options);
  atp_alignment_destroy(a);
}

/* The weights of a family as one writes them first, with identities as fractions. */
enum { FAMILY = 700, COLUMNS = 90 };
static uint8_t family[FAMILY * COLUMNS];
static void make_family(void) {
  unsigned long long x = 88172645463325252ull;
  for (int n = 0; n < FAMILY; ++n)
    for (int i = 0; i < COLUMNS; ++i) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const unsigned rate = (unsigned)(n * 37 % 100);
      family[n * COLUMNS + i] = (uint8_t)(n >= 5 && x % 100 >= rate ? family[n % 5 * COLUMNS + i] : x / 128 % 21);
    }
}

/* A row of a scan says of the weights what atp_alignment_weigh() makes of them; the weights stay. */
static void test_scan(atp_context *context, atp_alignment *a) {
  static const double thetas[] = {0.5, 0, 0.2};
  double twice[] = {0.1, 1.5};
  atp_table *table = NULL, *other = NULL;
  assert_int_equal(atp_table_create(context, ATP_TABLE_WEIGHTS, 12, &table), ATP_OK);
  for (int rule = ATP_WEIGHTS_INCLUSIVE; rule <= ATP_WEIGHTS_RESIDUES; ++rule)
    assert_int_equal(atp_alignment_scan_weights(a, thetas, 3, (atp_weight_rule)rule, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 12);
  assert_int_equal(atp_alignment_scan_weights(a, thetas, 1, ATP_WEIGHTS_FLOOR, table), ATP_E_BUFFER);
  assert_close(atp_alignment_effective_count(a), FAMILY, 0, 0);
  for (int row = 0; row < 12; ++row) {
    double value[ATP_WEIGHTS_COLUMNS], sum = 0, alone = 0, least = 1;
    for (int c = 0; c < ATP_WEIGHTS_COLUMNS; ++c) assert_int_equal(atp_table_value(table, row, c, &value[c]), ATP_OK);
    atp_alignment *weighed = NULL;
    assert_int_equal(atp_alignment_select(context, a, 0, FAMILY, 1, &weighed), ATP_OK);
    assert_int_equal(atp_alignment_weigh(weighed, thetas[row % 3], (atp_weight_rule)(1 + row / 3), NULL, NULL, NULL), ATP_OK);
    const double *w = atp_alignment_weights_view(weighed);
    for (int n = 0; n < FAMILY; ++n) sum += w[n], alone += w[n] == 1, least = fmin(least, w[n]);
    assert_true(value[ATP_WEIGHTS_THETA] == thetas[row % 3] && value[ATP_WEIGHTS_ALONE] == alone);
    assert_close(value[ATP_WEIGHTS_EFFECTIVE], sum, 1e-13, 0);
    assert_close(value[ATP_WEIGHTS_LARGEST], 1 / least, 1e-13, 0);
    atp_alignment_destroy(weighed);
  }
  assert_int_equal(atp_table_clear(table), ATP_OK);
  assert_int_equal(atp_alignment_scan_weights(a, twice, 2, ATP_WEIGHTS_STRICT, table), ATP_E_VALUE);
  assert_error(context, "thetas[1] is 1.5, must be in 0..1");
  assert_int_equal(atp_alignment_scan_weights(a, thetas, 0, ATP_WEIGHTS_STRICT, table), ATP_E_VALUE);
  assert_int_equal(atp_alignment_scan_weights(a, thetas, 3, (atp_weight_rule)5, table), ATP_E_VALUE);
  assert_int_equal(atp_table_rows(table), 0);
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 3, &other), ATP_OK);
  assert_int_equal(atp_alignment_scan_weights(a, thetas, 3, ATP_WEIGHTS_STRICT, other), ATP_E_CONFLICT);
  atp_table_destroy(other);
  atp_table_destroy(table);
}

/* Columns in which two rows differ, have letters both, and both have letters that differ. */
static struct Pair { int different, shared, both_differ; } pairs[FAMILY][FAMILY];

/* No test sequence has more than 40 per cent of its columns in common with a training sequence, or 60 with another test sequence. */
static void test_split(atp_context *context, atp_alignment *a) {
  int64_t parts[FAMILY], sizes[3] = {0, 0, 0};
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_SPLIT, &options), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_IDENTITY, 0.4), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_IDENTITY_TEST, 0.6), ATP_OK);
  assert_int_equal(atp_alignment_split(a, options, parts, FAMILY), ATP_OK);
  for (int n = 0; n < FAMILY; ++n) {
    assert_in_range(parts[n], ATP_PART_UNUSED, ATP_PART_TEST);
    ++sizes[parts[n]];
    for (int m = 0; m < n; ++m) {
      const int equal = COLUMNS - pairs[n][m].different;
      if (parts[n] + parts[m] == ATP_PART_TRAINING + ATP_PART_TEST && parts[n] != ATP_PART_UNUSED && parts[m] != ATP_PART_UNUSED)
        assert_true(10 * equal <= 4 * COLUMNS);
      if (parts[n] == ATP_PART_TEST && parts[m] == ATP_PART_TEST) assert_true(10 * equal <= 6 * COLUMNS);
    }
  }
  assert_true(sizes[ATP_PART_TRAINING] >= sizes[ATP_PART_TEST] && sizes[ATP_PART_TEST] > 0);
  int64_t untouched = -7;
  assert_int_equal(atp_alignment_split(a, options, &untouched, 1), ATP_E_SHAPE);
  assert_error(context, "n is 1, must be 700");
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_IDENTITY, 0), ATP_OK);
  parts[0] = -7;
  assert_int_equal(atp_alignment_split(a, options, parts, FAMILY), ATP_E_VALUE);
  assert_error(context, "identity is 0: no test sequence is left in 10 runs, must be at least 0.");
  atp_options_destroy(options);
  assert_int_equal(atp_options_create(context, ATP_OWNER_FILTER, &options), ATP_OK);
  assert_int_equal(atp_alignment_split(a, options, parts, FAMILY), ATP_E_CONFLICT);
  atp_options_destroy(options);
  assert_true(parts[0] == -7 && untouched == -7);
}

static void compare_rows(void) {
  for (int n = 0; n < FAMILY; ++n)
    for (int m = 0; m < FAMILY; ++m) {
      struct Pair pair = {0, 0, 0};
      for (int i = 0; i < COLUMNS; ++i) {
        const int a = family[n * COLUMNS + i], b = family[m * COLUMNS + i];
        pair.different += a != b;
        pair.shared += a != 0 && b != 0;
        pair.both_differ += a != 0 && b != 0 && a != b;
      }
      pairs[n][m] = pair;
    }
}

static void test_weigh(void **state) {
  atp_context *context = *state;
  make_family();
  compare_rows();
  static const double thetas[] = {0, 0.1, 0.2, 0.3, 0.25, 0.5, 1};
  int neighbours_seen = 0;
  for (int t = 0; t < 7; ++t)
    for (int rule = ATP_WEIGHTS_INCLUSIVE; rule <= ATP_WEIGHTS_RESIDUES; ++rule) {
      /* theta * 90 is a whole number but for 0.25: 22.5. */
      const double edge = thetas[t] * COLUMNS;
      static double expected[FAMILY];
      for (int n = 0; n < FAMILY; ++n) {
        int near = 0;
        for (int m = 0; m < FAMILY; ++m) {
          const struct Pair *p = &pairs[n][m];
          const double d = p->different;
          near += n == m || (rule == ATP_WEIGHTS_RESIDUES && p->shared > 0 && p->both_differ <= thetas[t] * p->shared + 1e-6);
          if (rule == ATP_WEIGHTS_RESIDUES) continue;
          near += n != m && (rule == ATP_WEIGHTS_INCLUSIVE ? d <= edge + 1e-6
                             : rule == ATP_WEIGHTS_STRICT  ? d < edge - 1e-6
                                                           : d < floor(edge + 1e-6) - 0.5);
        }
        neighbours_seen += near > 1;
        expected[n] = 1.0 / near;
      }
      for (int threads = 1; threads <= 3; threads += 2) {
        assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
        atp_alignment *a = NULL;
        assert_int_equal(atp_alignment_create(context, family, FAMILY, COLUMNS, 21, NULL, &a), ATP_OK);
        assert_int_equal(atp_alignment_weigh(a, thetas[t], (atp_weight_rule)rule, NULL, NULL, NULL), ATP_OK);
        assert_memory_equal(atp_alignment_weights_view(a), expected, sizeof expected);
        atp_alignment_destroy(a);
      }
    }
  assert_true(neighbours_seen > 1000);
  atp_alignment *a = NULL;
  double ones[FAMILY];
  for (int n = 0; n < FAMILY; ++n) ones[n] = 1;
  assert_int_equal(atp_alignment_create(context, family, FAMILY, COLUMNS, 21, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_weigh(a, -0.1, ATP_WEIGHTS_STRICT, NULL, NULL, NULL), ATP_E_VALUE);
  assert_int_equal(atp_alignment_weigh(a, NAN, ATP_WEIGHTS_STRICT, NULL, NULL, NULL), ATP_E_VALUE);
  assert_int_equal(atp_alignment_weigh(a, 1.1, ATP_WEIGHTS_STRICT, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "theta is 1.1, must be in 0..1");
  assert_int_equal(atp_alignment_weigh(a, 0.1, (atp_weight_rule)0, NULL, NULL, NULL), ATP_E_VALUE);
  assert_int_equal(atp_alignment_weigh(a, 0.1, (atp_weight_rule)5, NULL, NULL, NULL), ATP_E_VALUE);
  assert_close(atp_alignment_effective_count(a), FAMILY, 0, 0);
  /* Stopped, the weights are as before. */
  seen reports = {.stop_after = 1};
  atp_outcome outcome = ATP_OUTCOME_DONE;
  assert_int_equal(atp_alignment_weigh(a, 0.2, ATP_WEIGHTS_INCLUSIVE, watch, &reports, &outcome), ATP_OK);
  assert_true(outcome == ATP_OUTCOME_CANCELLED && reports.calls == 1 && reports.step <= reports.total);
  for (int n = 0; n < FAMILY; ++n) assert_true(atp_alignment_weights_view(a)[n] == 1);
  reports.stop_after = reports.calls = 0;
  assert_int_equal(atp_alignment_weigh(a, 0.2, ATP_WEIGHTS_INCLUSIVE, watch, &reports, &outcome), ATP_OK);
  assert_true(outcome == ATP_OUTCOME_CONVERGED && reports.calls >= 1 && reports.step == reports.total);
  assert_true(atp_alignment_effective_count(a) < FAMILY);
  assert_int_equal(atp_alignment_set_weights(a, ones, FAMILY), ATP_OK);
  test_scan(context, a);
  test_split(context, a);
  double theta = -7;
  for (int stride = 1; stride <= 5; stride += 4) { /* all: far apart; every fifth: copies of one */
    const int count = FAMILY / stride;
    atp_alignment *part = NULL;
    double same = 0;
    for (int n = 0; n < count; ++n)
      for (int m = 0; m < n; ++m)
        for (int i = 0; i < COLUMNS; ++i) same += family[n * stride * COLUMNS + i] == family[m * stride * COLUMNS + i];
    same /= (double)COLUMNS * count * (count - 1) / 2;
    assert_int_equal(atp_alignment_select(context, a, 0, count, stride, &part), ATP_OK);
    assert_int_equal(atp_alignment_auto_theta(part, &theta), ATP_OK);
    assert_true((0.1216 / same < 0.5) == (stride == 5));
    assert_close(theta, stride == 5 ? 0.1216 / same : 0.5, 1e-13, 0);
    atp_alignment_destroy(part);
  }
  atp_alignment_destroy(a);
  assert_int_equal(atp_alignment_create(context, family, 1, COLUMNS, 21, NULL, &a), ATP_OK);
  theta = -7;
  assert_int_equal(atp_alignment_auto_theta(a, &theta), ATP_E_VALUE);
  assert_true(theta == -7);
  atp_alignment_destroy(a);
}

static void test_covariances(void **state) {
  atp_context *context = *state;
  enum { N = 6, L = 3, Q = 3 };
  const uint8_t s[N * L] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 0, 2, 1, 0, 0, 0, 2, 2, 0};
  const double w[N] = {1, 0.5, 2, 0.25, 0.125, 1};
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, s, N, L, Q, w, &a), ATP_OK);
  double c[L * L * Q * Q], total = 0;
  for (int n = 0; n < N; ++n) total += w[n];
  for (int t = 0; t < 2; ++t) {
    const double mix = t == 0 ? 0 : 0.3;
    assert_int_equal(atp_alignment_covariances(a, mix, c, L * L * Q * Q), ATP_OK);
    for (int i = 0; i < L; ++i)
      for (int j = 0; j < L; ++j)
        for (int p = 0; p < Q; ++p)
          for (int q = 0; q < Q; ++q) {
            double fi = 0, fj = 0, fij = 0;
            for (int n = 0; n < N; ++n) {
              fi += w[n] / total * (s[n * L + i] == p);
              fj += w[n] / total * (s[n * L + j] == q);
              fij += w[n] / total * (s[n * L + i] == p && s[n * L + j] == q);
            }
            fi = (1 - mix) * fi + mix / Q;
            fj = (1 - mix) * fj + mix / Q;
            fij = i == j ? (p == q ? fi : 0) : (1 - mix) * fij + mix / (Q * Q);
            assert_close(c[((i * L + j) * Q + p) * Q + q], fij - fi * fj, 0, 1e-15);
          }
  }
  c[0] = -7;
  assert_int_equal(atp_alignment_covariances(a, 0, c, L * L * Q), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_covariances(a, -1, c, L * L * Q * Q), ATP_E_VALUE);
  assert_true(c[0] == -7);
  atp_alignment_destroy(a);
}

enum { MANY = 1300, WIDE = 20 };

/* hhfilter's rule by plain loops over random families of similar sequences with gaps: more sequences than two tiles. */
static void test_filter_identity(void **state) {
  atp_context *context = *state;
  static uint8_t s[MANY][WIDE];
  static int order[MANY], kept[MANY], length[MANY];
  uint32_t seed = 11;
  for (int n = 0; n < MANY; ++n)
    for (int i = 0; i < WIDE; ++i) {
      const int r = (int)((seed = seed * 1664525u + 1013904223u) >> 16) % 100, of = n % 60; /* 60 families */
      s[n][i] = (uint8_t)(r < 15 ? 0 : r < 40 ? 1 + r % 4 : 1 + (of * 7 + i * (of + 3)) % 4);
    }
  memset(s[7], 0, WIDE); /* no residues: similar to none */
  atp_alignment *a = NULL, *b = NULL;
  assert_int_equal(atp_alignment_create(context, s[0], MANY, WIDE, 5, NULL, &a), ATP_OK);
  for (int n = 0; n < MANY; ++n) {
    order[n] = n;
    for (int i = length[n] = 0; i < WIDE; ++i) length[n] += s[n][i] != 0;
    for (int k = n; k > 1 && length[order[k]] > length[order[k - 1]]; --k) { /* stable; the first stays */
      const int other = order[k];
      order[k] = order[k - 1];
      order[k - 1] = other;
    }
  }
  for (int limit = 4; limit <= 10; limit += 2) { /* tenths */
    int count = 0;
    memset(kept, 0, sizeof kept);
    for (int k = 0; k < MANY; ++k) {
      const uint8_t *own = s[order[k]];
      int similar = 0;
      for (int j = 0; j < k && !similar; ++j) {
        int equal = 0, aligned = 0;
        for (int i = 0; i < WIDE; ++i) {
          aligned += own[i] != 0 && s[order[j]][i] != 0;
          equal += own[i] != 0 && s[order[j]][i] == own[i];
        }
        similar = kept[order[j]] && 10 * equal > limit * aligned;
      }
      kept[order[k]] = !similar;
      count += !similar;
    }
    assert_true(limit == 10 ? count == MANY : count > 5 && count < MANY);
    for (int threads = 1; threads <= 3; threads += 2) {
      assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
      assert_int_equal(atp_alignment_filter_identity(context, a, limit / 10.0, &b), ATP_OK);
      assert_int_equal(atp_alignment_count(b), count);
      const uint8_t *found = atp_alignment_sequences_view(b);
      for (int n = 0; n < MANY; ++n)
        if (kept[n]) {
          assert_memory_equal(found, s[n], WIDE);
          found += WIDE;
        }
      atp_alignment_destroy(b);
    }
  }
  b = (atp_alignment *)(uintptr_t)64;
  assert_int_equal(atp_alignment_filter_identity(context, a, 1.5, &b), ATP_E_VALUE);
  assert_null(b);
  assert_int_equal(atp_alignment_filter_identity(context, a, NAN, &b), ATP_E_NOT_FINITE);
  atp_alignment_destroy(a);
}

static int enter(void **state) {
  (void)state;
  return folder_enter();
}
static int leave(void **state) {
  (void)state;
  return folder_leave();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_focus, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_focus_ranges, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_focus_of_two, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_filter, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_filter_identity, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_weigh, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_covariances, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, enter, leave) != 0;
}
