/* SPDX-License-Identifier: MIT */
/* Scores of pairs, distances, mutants and comparisons through the C API: numbers of a small model by hand, and every status. */
#include "model_fixture.h"

#include <unistd.h>

enum { NUMBERS = ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS };

/* Two sites, two colours, C_01(a, b) = +-1 for equal and unequal colours: the norm is 2 with all colours, 1 without one of them. */
static void test_frobenius(void **state) {
  atp_context *context = *state;
  const double maps[4] = {0, 1, 1, 0}, values[4] = {1, -1, -1, 1};
  double scores[4] = {-7, -7, -7, -7};
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){2, 2, 1}, maps, values, NULL, &m), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 3), ATP_OK);
  assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_ZERO_SUM, -1, scores, 4), ATP_OK);
  assert_true(scores[0] == 0 && scores[3] == 0 && scores[1] == 6 && scores[2] == 6);
  for (int gauge = ATP_SCORE_ZERO_SUM; gauge <= ATP_SCORE_RAW; ++gauge)
    for (int gap = 0; gap < 2; ++gap) {
      assert_int_equal(atp_model_frobenius(context, m, (atp_score_gauge)gauge, gap, scores, 4), ATP_OK);
      assert_true(scores[1] == 3);
    }
  atp_model_destroy(m);

  m = make(context);
  double out[9];
  for (int k = 0; k < 9; ++k) out[k] = -7;
  assert_int_equal(atp_model_frobenius(context, m, (atp_score_gauge)0, -1, out, 9), ATP_E_VALUE);
  assert_error(context, "gauge is 0, must be in 1..2");
  assert_int_equal(atp_model_frobenius(context, m, (atp_score_gauge)3, -1, out, 9), ATP_E_VALUE);
  assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_RAW, -2, out, 9), ATP_E_VALUE);
  assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_RAW, Q, out, 9), ATP_E_VALUE);
  assert_error(context, "gap is 3, must be in -1..2");
  assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_RAW, -1, out, 8), ATP_E_SHAPE);
  assert_error(context, "size is 8, must be 9");
  for (int k = 0; k < 9; ++k) assert_true(out[k] == -7);
  /* The same from heads and from dense couplings. */
  atp_model *dense = make_dense(context, kFields);
  double other[9];
  assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_ZERO_SUM, 0, out, 9), ATP_OK);
  assert_int_equal(atp_model_frobenius(context, dense, ATP_SCORE_ZERO_SUM, 0, other, 9), ATP_OK);
  for (int k = 0; k < 9; ++k) assert_close(out[k], other[k], 1e-14, 0);
  atp_model_destroy(dense);
  atp_model_destroy(m);
}

/* The gap by the alphabet: a model without one has none, and a model of letters alone has none. */
static void gaps(void **state) {
  atp_context *context = *state;
  const char *const alphabets[] = {"-AC", ".AC", "_AC", "~AC", "AC-", "ACD", "*AC"};
  atp_model *m = make(context);
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, NULL, &a), ATP_OK);
  assert_true(atp_model_gap_color(m) == -1 && atp_alignment_gap_color(a) == -1);
  for (int k = 0; k < 7; ++k) {
    assert_int_equal(atp_model_set_alphabet(m, alphabets[k]), ATP_OK);
    assert_int_equal(atp_alignment_set_alphabet(a, alphabets[k]), ATP_OK);
    assert_int_equal(atp_model_gap_color(m), k < 4 ? 0 : -1);
    assert_int_equal(atp_alignment_gap_color(a), k < 4 ? 0 : -1);
  }
  atp_alignment_destroy(a);
  atp_model_destroy(m);
}

/* One call against the three that it stands for, with site numbers, for every gap and separation. */
static void contacts_in_one_call(void **state) {
  atp_context *context = *state;
  enum { COLUMNS = ATP_CONTACTS_COLUMNS };
  const int64_t numbers[3] = {4, 5, 9};
  for (int own = 0; own < 2; ++own)
    for (int64_t gap = ATP_GAP_AUTO; gap < Q; ++gap)
      for (int64_t separation = 0; separation < 6; ++separation) {
        atp_model *m = make(context);
        atp_table *table;
        double fn[9], apc[9], rows[3 * COLUMNS];
        int64_t pairs[6], count = 0;
        assert_int_equal(atp_model_set_sites(m, numbers, 3, NULL), ATP_OK);
        if (own) assert_int_equal(atp_model_set_alphabet(m, "-AC"), ATP_OK);
        const int64_t left_out = gap == ATP_GAP_AUTO ? (own ? 0 : -1) : gap;
        assert_int_equal(atp_model_frobenius(context, m, ATP_SCORE_ZERO_SUM, left_out, fn, 9), ATP_OK);
        assert_int_equal(atp_scores_apc(fn, 3, apc, 9), ATP_OK);
        const int64_t rule[2] = {separation, 0};
        assert_int_equal(atp_scores_rank(apc, 3, numbers, rule, pairs, 3, &count), ATP_OK);
        assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 3, &table), ATP_OK);
        assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_ZERO_SUM, gap, separation, table), ATP_OK);
        assert_int_equal(atp_table_rows(table), count);
        assert_int_equal(atp_table_values(table, rows, count * COLUMNS), ATP_OK);
        for (int64_t k = 0; k < count; ++k) {
          const double *row = rows + k * COLUMNS;
          const int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
          assert_true(row[ATP_CONTACTS_SITE_I] == (double)i && row[ATP_CONTACTS_SITE_J] == (double)j);
          assert_true(row[ATP_CONTACTS_I] == (double)numbers[i] && row[ATP_CONTACTS_J] == (double)numbers[j]);
          assert_true(row[ATP_CONTACTS_FN] == fn[3 * i + j] && row[ATP_CONTACTS_APC] == apc[3 * i + j]);
        }
        atp_table_destroy(table);
        atp_model_destroy(m);
      }
}

/* A model with a list of pairs: those alone, by the norm. */
static void contacts_of_a_list(void **state) {
  atp_context *context = *state;
  const int64_t list[4] = {1, 2, 0, 1};
  atp_model *whole = make(context), *m = NULL;
  atp_table *table;
  double fn[9], rows[3 * ATP_CONTACTS_COLUMNS];
  assert_int_equal(atp_model_keep_pairs(context, whole, list, 2, &m), ATP_OK);
  assert_int_equal(atp_model_frobenius(context, whole, ATP_SCORE_ZERO_SUM, -1, fn, 9), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 3, &table), ATP_OK);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_ZERO_SUM, -1, 1, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 2);
  assert_int_equal(atp_table_values(table, rows, 2 * ATP_CONTACTS_COLUMNS), ATP_OK);
  const int first = fn[1] >= fn[5] ? 0 : 1; /* (0, 1) or (1, 2) */
  for (int k = 0; k < 2; ++k) {
    const double *row = rows + k * ATP_CONTACTS_COLUMNS;
    const int i = k == 0 ? first : 1 - first;
    assert_true(row[ATP_CONTACTS_SITE_I] == i && row[ATP_CONTACTS_SITE_J] == i + 1);
    assert_close(row[ATP_CONTACTS_FN], fn[3 * i + i + 1], 1e-14, 0);
    assert_true(row[ATP_CONTACTS_APC] == row[ATP_CONTACTS_FN]);
  }
  assert_int_equal(atp_table_clear(table), ATP_OK);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_ZERO_SUM, -1, 2, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 0);
  atp_table_destroy(table);
  atp_model_destroy(m);
  atp_model_destroy(whole);
}

static void contacts_refused(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  atp_table *table, *other;
  double first[3] = {0}, best = 0;
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 1, &table), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, 3, &other), ATP_OK);
  assert_int_equal(atp_model_contacts(context, m, (atp_score_gauge)0, -1, 1, table), ATP_E_VALUE);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -3, 1, table), ATP_E_VALUE);
  assert_error(context, "gap is -3, must be in -2..2");
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, Q, 1, table), ATP_E_VALUE);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -1, -1, table), ATP_E_VALUE);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -1, 1, other), ATP_E_CONFLICT);
  assert_int_equal(atp_table_rows(table), 0);
  /* Room for one: the best. Then there is none. */
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -1, 1, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 1);
  assert_int_equal(atp_table_value(table, 0, ATP_CONTACTS_APC, &best), ATP_OK);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -1, 1, table), ATP_E_BUFFER);
  atp_table_destroy(table);
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 9, &table), ATP_OK);
  assert_int_equal(atp_model_contacts(context, m, ATP_SCORE_RAW, -1, 1, table), ATP_OK);
  assert_int_equal(atp_table_column(table, "apc", first, 3), ATP_OK);
  assert_true(first[0] == best && first[0] >= first[1] && first[1] >= first[2]);
  atp_table_destroy(other);
  atp_table_destroy(table);
  atp_model_destroy(m);
}

static void test_apc_and_rank(void **state) {
  atp_context *context = *state;
  (void)context;
  double s[9] = {0, 2, 4, 2, 0, 6, 4, 6, 0}, out[9];
  /* Means 3, 4, 5 of the rows and 4 of all. */
  assert_int_equal(atp_scores_apc(s, 3, out, 9), ATP_OK);
  assert_true(out[0] == 0 && out[1] == 2 - 3. && out[2] == 4 - 15. / 4 && out[5] == 6 - 5. && out[3] == out[1]);
  int64_t pairs[6], count = -7;
  for (int k = 0; k < 6; ++k) pairs[k] = -7;
  const int64_t numbers[3] = {1, 4, 5};
  const int64_t apart[2] = {2, 0}, all[2] = {1, 0}, farthest[2] = {INT64_MAX, 0};
  assert_int_equal(atp_scores_rank(s, 3, numbers, apart, pairs, 3, &count), ATP_OK);
  assert_int_equal(count, 2);
  assert_true(pairs[0] == 0 && pairs[1] == 2 && pairs[2] == 0 && pairs[3] == 1 && pairs[4] == -7);
  assert_int_equal(atp_scores_rank(s, 3, NULL, all, pairs, 1, &count), ATP_OK);
  assert_true(count == 1 && pairs[0] == 1 && pairs[1] == 2);
  /* Numbers as far apart as they can be. */
  const int64_t far_apart[3] = {INT64_MIN, 0, INT64_MAX};
  assert_int_equal(atp_scores_rank(s, 3, far_apart, farthest, pairs, 3, &count), ATP_OK);
  assert_int_equal(count, 3);
  /* Sites 0 and 1 of one protein, site 2 of another: 1, 2 stays although the numbers differ by 1. */
  const int64_t paired[2] = {4, 2};
  assert_int_equal(atp_scores_rank(s, 3, numbers, paired, pairs, 3, &count), ATP_OK);
  assert_true(count == 2 && pairs[0] == 1 && pairs[1] == 2 && pairs[2] == 0 && pairs[3] == 2);
  /* Without a score, and with one in the other triangle. */
  s[5] = s[7] = s[6] = NAN;
  assert_int_equal(atp_scores_rank(s, 3, NULL, all, pairs, 3, &count), ATP_OK);
  assert_true(count == 2 && pairs[0] == 0 && pairs[1] == 2 && pairs[2] == 0 && pairs[3] == 1);
  s[5] = s[7] = 6;
  s[6] = 4;

  count = -7;
  for (int k = 0; k < 9; ++k) out[k] = -7;
  for (int k = 0; k < 6; ++k) pairs[k] = -7;
  assert_int_equal(atp_scores_apc(s, 1, out, 1), ATP_E_VALUE);
  assert_int_equal(atp_scores_apc(s, 65537, out, INT64_C(65537) * 65537), ATP_E_VALUE);
  assert_int_equal(atp_scores_apc(s, 3, out, 3), ATP_E_SHAPE);
  assert_int_equal(atp_scores_rank(s, 1, NULL, all, pairs, 3, &count), ATP_E_VALUE);
  const int64_t wrong[3][2] = {{-1, 0}, {1, -1}, {1, 3}};
  for (int k = 0; k < 3; ++k) assert_int_equal(atp_scores_rank(s, 3, NULL, wrong[k], pairs, 3, &count), ATP_E_VALUE);
  assert_int_equal(atp_scores_rank(s, 3, NULL, all, pairs, 0, &count), ATP_E_VALUE);
  s[5] = s[7] = NAN;
  assert_int_equal(atp_scores_apc(s, 3, out, 9), ATP_E_NOT_FINITE);
  s[5] = 6;
  s[7] = INFINITY;
  assert_int_equal(atp_scores_apc(s, 3, out, 9), ATP_E_NOT_FINITE);
  assert_int_equal(atp_scores_rank(s, 3, NULL, all, pairs, 3, &count), ATP_E_NOT_FINITE);
  for (int k = 0; k < 9; ++k) assert_true(out[k] == -7);
  for (int k = 0; k < 6; ++k) assert_true(pairs[k] == -7);
  assert_true(count == -7);
}

/* A model in another gauge has the map of the truth; a map that differs keeps its difference. */
static void test_map_like(void **state) {
  atp_context *context = *state;
  const int64_t shape[3] = {3, 2, 1}, dense[3] = {3, 2, 2};
  const double j[9] = {0, 1, -2, 1, 0, 0.5, -2, 0.5, 0}, u[4] = {3, -1, 1, 1}; /* U less its means over a: {1, -1, -1, 1} */
  double a[9], v[4], map[9], two[18] = {0}, both[8] = {1, 0, 0, 1, 0, 1, 1, 0}, equal[4] = {2, 5, 2, 5};
  atp_model *truth, *learned, *other, *nothing;
  for (int k = 0; k < 9; ++k) a[k] = -j[k] / 4;
  a[1] = a[3] = 0.75;                                                   /* in place of -1/4 */
  for (int k = 0; k < 4; ++k) v[k] = -8 * u[k] + (k % 2 == 0 ? 7 : -3); /* g_b is added, the sign is the other one */
  assert_int_equal(atp_model_create_heads(context, shape, j, u, NULL, &truth), ATP_OK);
  assert_int_equal(atp_model_create_heads(context, shape, a, v, NULL, &learned), ATP_OK);
  assert_int_equal(atp_model_set_beta(truth, 2), ATP_OK);
  assert_int_equal(atp_model_set_beta(learned, 0.5), ATP_OK);
  assert_int_equal(atp_model_map_like(context, truth, truth, map, 9), ATP_OK);
  for (int k = 0; k < 9; ++k) assert_close(map[k], 2 * j[k], 1e-15, 0);
  assert_int_equal(atp_model_map_like(context, learned, truth, map, 9), ATP_OK);
  for (int k = 0; k < 9; ++k) assert_close(map[k], k == 1 || k == 3 ? -3 : j[k], 1e-14, 0);
  /* Its distance from beta* J is the error of the couplings. */
  double error, square = 0;
  assert_int_equal(atp_model_coupling_error(context, learned, truth, &error), ATP_OK);
  for (int k = 0; k < 9; ++k) square += (map[k] - 2 * j[k]) * (map[k] - 2 * j[k]) / 9;
  assert_close(error, square, 1e-14, 0);
  two[1] = two[3] = 1;
  assert_int_equal(atp_model_create_heads(context, dense, two, both, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_create_heads(context, shape, j, equal, NULL, &nothing), ATP_OK);
  map[0] = -7;
  assert_int_equal(atp_model_map_like(context, other, truth, map, 9), ATP_E_CONFLICT);
  assert_int_equal(atp_model_map_like(context, truth, other, map, 9), ATP_E_CONFLICT);
  assert_int_equal(atp_model_map_like(context, truth, nothing, map, 9), ATP_E_CONFLICT);
  assert_int_equal(atp_model_map_like(context, truth, truth, map, 8), ATP_E_SHAPE);
  assert_true(map[0] == -7);
  atp_model_destroy(nothing);
  atp_model_destroy(other);
  atp_model_destroy(learned);
  atp_model_destroy(truth);
}

/* Two of three pairs are among the others, in any order. */
static void test_overlap(void **state) {
  atp_context *context = *state;
  const int64_t pairs[6] = {0, 5, 3, 1, 2, 4}, others[10] = {7, 8, 1, 3, 0, 4, 5, 0, 2, 5};
  double overlap = -7;
  assert_int_equal(atp_pairs_overlap(context, pairs, 3, others, 5, &overlap), ATP_OK);
  assert_true(overlap == 2. / 3);
  assert_int_equal(atp_pairs_overlap(context, others, 5, pairs, 3, &overlap), ATP_OK);
  assert_true(overlap == 2. / 5);
  assert_int_equal(atp_pairs_overlap(context, pairs, 3, pairs, 1, &overlap), ATP_OK);
  assert_true(overlap == 1. / 3);
  overlap = -7;
  const int64_t outside[2] = {0, -1};
  assert_int_equal(atp_pairs_overlap(context, pairs, 0, others, 5, &overlap), ATP_E_VALUE);
  assert_int_equal(atp_pairs_overlap(context, pairs, 3, others, 0, &overlap), ATP_E_VALUE);
  assert_int_equal(atp_pairs_overlap(context, outside, 1, others, 5, &overlap), ATP_E_VALUE);
  assert_int_equal(atp_pairs_overlap(context, pairs, 3, outside, 1, &overlap), ATP_E_VALUE);
  assert_true(overlap == -7);
}

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void test_distances_and_precision(void **state) {
  atp_context *context = *state;
  char path[64];
  snprintf(path, sizeof path, "distances-%d.txt", (int)getpid());
  put(path, "# of a structure\n11 12 4.5\n12 13 8\n11 14 3\n");
  const int64_t numbers[3] = {11, 12, 13};
  double d[9];
  int64_t counts[2] = {0, 0};
  assert_int_equal(atp_distances_read(context, path, numbers, 3, d, 9, counts), ATP_OK);
  assert_true(counts[0] == 3 && counts[1] == 2);
  assert_true(d[0] == 0 && d[1] == 4.5 && d[3] == 4.5 && d[5] == 8 && isnan(d[2]) && isnan(d[6]));
  const int64_t pairs[6] = {0, 2, 0, 1, 1, 2};
  double curve[3];
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, 8, ATP_ABSENT_EXCLUDED, curve), ATP_OK);
  assert_true(curve[0] == 1 && curve[1] == 0.5 && isnan(curve[2]));
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, 8, ATP_ABSENT_COUNTED, curve), ATP_OK);
  assert_true(curve[0] == 0 && curve[1] == 0.5 && curve[2] == 1. / 3);
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, 8.001, ATP_ABSENT_EXCLUDED, curve), ATP_OK);
  assert_true(curve[1] == 1);

  for (int k = 0; k < 3; ++k) curve[k] = -7;
  int64_t outside[6];
  memcpy(outside, pairs, sizeof pairs);
  outside[3] = 3;
  assert_int_equal(atp_pairs_precision(outside, 3, d, 3, 8, ATP_ABSENT_COUNTED, curve), ATP_E_VALUE);
  outside[3] = -1;
  assert_int_equal(atp_pairs_precision(outside, 3, d, 3, 8, ATP_ABSENT_COUNTED, curve), ATP_E_VALUE);
  assert_int_equal(atp_pairs_precision(pairs, 0, d, 3, 8, ATP_ABSENT_COUNTED, curve), ATP_E_VALUE);
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 1, 8, ATP_ABSENT_COUNTED, curve), ATP_E_VALUE);
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, 0, ATP_ABSENT_COUNTED, curve), ATP_E_VALUE);
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, NAN, ATP_ABSENT_COUNTED, curve), ATP_E_NOT_FINITE);
  assert_int_equal(atp_pairs_precision(pairs, 3, d, 3, 8, (atp_absent)3, curve), ATP_E_VALUE);
  for (int k = 0; k < 3; ++k) assert_true(curve[k] == -7);

  counts[0] = counts[1] = -7;
  for (int k = 0; k < 9; ++k) d[k] = -7;
  put(path, "11 12 4.5\n12 13\n");
  assert_int_equal(atp_distances_read(context, path, numbers, 3, d, 9, counts), ATP_E_FORMAT);
  assert_error(context, "line 2 has 2 columns, expected 3 or 4 in all lines");
  assert_int_equal(atp_distances_read(context, "no-such-file", NULL, 3, d, 9, counts), ATP_E_OPEN);
  assert_int_equal(atp_distances_read(context, path, numbers, 3, d, 8, counts), ATP_E_SHAPE);
  assert_int_equal(atp_distances_read(context, path, numbers, 1, d, 1, counts), ATP_E_VALUE);
  for (int k = 0; k < 9; ++k) assert_true(d[k] == -7);
  assert_true(counts[0] == -7 && counts[1] == -7);
  remove(path);
}

static void test_mutants(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  double de[L * Q], dl[L * Q], none[L * Q];
  const uint8_t *s = kSequences;
  assert_int_equal(atp_model_mutants(context, m, s, L, de, dl, L * Q), ATP_OK);
  assert_int_equal(atp_model_mutants(context, m, s, L, none, NULL, L * Q), ATP_OK);
  assert_memory_equal(none, de, sizeof de);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) {
      uint8_t mutant[L];
      memcpy(mutant, s, L);
      mutant[i] = (uint8_t)a;
      assert_close(de[i * Q + a], energy(mutant) - energy(s), 1e-13, 1e-14);
      assert_close(dl[i * Q + a], log_pl(mutant, 1) - log_pl(s, 1), 1e-13, 1e-14);
    }
  /* Mutating a missing site gives the energy and pseudo-likelihood of the complete sequence. */
  uint8_t gap[L];
  double whole[2], logs[2];
  memcpy(gap, s, L);
  gap[1] = ATP_MISSING;
  assert_int_equal(atp_model_energies(m, s, 1, whole, 1), ATP_OK);
  assert_int_equal(atp_model_energies(m, gap, 1, whole + 1, 1), ATP_OK);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, s, 1, logs, 1), ATP_OK);
  assert_int_equal(atp_model_log_pseudolikelihoods(m, gap, 1, logs + 1, 1), ATP_OK);
  assert_int_equal(atp_model_mutants(context, m, gap, L, de, dl, L * Q), ATP_OK);
  assert_close(de[Q + s[1]], whole[0] - whole[1], 1e-13, 1e-14);
  assert_close(dl[Q + s[1]], logs[0] - logs[1], 1e-13, 1e-14);

  fill();
  const uint8_t wrong[L] = {0, Q, 1};
  assert_int_equal(atp_model_mutants(context, m, wrong, L, untouched, untouched, L * Q), ATP_E_ALPHABET);
  assert_error(context, "sequence[0][1] is 3, must be below the 3 colours, or ATP_MISSING");
  assert_int_equal(atp_model_mutants(context, m, s, L + 1, untouched, untouched, L * Q), ATP_E_SHAPE);
  assert_int_equal(atp_model_mutants(context, m, s, L, untouched, untouched, L), ATP_E_SHAPE);
  assert_untouched();
  atp_model_destroy(m);
}

static void test_comparison(void **state) {
  atp_context *context = *state;
  /* Two sites, two colours: f of the data (3/4, 1/4) and (1/2, 1/2), of the samples (1/2, 1/2) twice. */
  const uint8_t x[8] = {0, 0, 0, 1, 0, 0, 1, 1}, y[4] = {0, 0, 1, 1};
  atp_alignment *data = NULL, *samples = NULL, *other = NULL;
  double n[NUMBERS];
  assert_int_equal(atp_alignment_create(context, x, 4, 2, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_alignment_create(context, y, 2, 2, 2, NULL, &samples), ATP_OK);
  assert_int_equal(atp_statistics_compare(context, data, samples, n, NUMBERS), ATP_OK);
  assert_true(n[ATP_COMPARISON_COUNT] == 4);
  assert_true(isnan(n[ATP_COMPARISON_PEARSON])); /* the samples do not vary */
  assert_close(n[ATP_COMPARISON_SLOPE], 0, 0, 1e-15);
  assert_close(n[ATP_COMPARISON_RMS], sqrt(2 * 0.0625 / 4), 1e-14, 0);
  assert_close(n[ATP_COMPARISON_LARGEST], 0.25, 1e-14, 0);
  /* C of the data is +-1/8, of the samples +-1/4. */
  const double *c = n + ATP_COMPARISON_COVARIANCES * ATP_COMPARISON_COLUMNS;
  assert_true(c[ATP_COMPARISON_COUNT] == 4);
  assert_close(c[ATP_COMPARISON_PEARSON], 1, 1e-14, 0);
  assert_close(c[ATP_COMPARISON_SLOPE], 2, 1e-14, 0);

  for (int k = 0; k < NUMBERS; ++k) n[k] = -7;
  assert_int_equal(atp_statistics_compare(context, data, samples, n, NUMBERS - 1), ATP_E_SHAPE);
  assert_int_equal(atp_alignment_create(context, x, 2, 4, 2, NULL, &other), ATP_OK);
  assert_int_equal(atp_statistics_compare(context, data, other, n, NUMBERS), ATP_E_SHAPE);
  assert_error(context, "sites of samples is 4, must be 2");
  atp_alignment_destroy(other);
  assert_int_equal(atp_alignment_create(context, x, 4, 2, 3, NULL, &other), ATP_OK);
  assert_int_equal(atp_statistics_compare(context, data, other, n, NUMBERS), ATP_E_SHAPE);
  assert_error(context, "colours of samples is 3, must be 2 as in data, or 1 without the gap");
  for (int k = 0; k < NUMBERS; ++k) assert_true(n[k] == -7);
  /* One colour more in the data: the first is no data. */
  assert_int_equal(atp_statistics_compare(context, other, data, n, NUMBERS), ATP_OK);
  assert_true(n[ATP_COMPARISON_COUNT] == 4);
  atp_alignment_destroy(other);
  atp_alignment_destroy(samples);
  atp_alignment_destroy(data);
}

/* Two pairs of equal sequences: a third of all splits into halves has one pair on each side, whose frequencies are opposite, the others
   have equal ones: rms 1 or 0 before the numbers are extended by g = (1/4 + 1/4) / (1/2 + 1/2). */
static void test_parts(void **state) {
  atp_context *context = *state;
  const uint8_t x[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  enum { SPLITS = 4000 };
  atp_alignment *data = NULL;
  double n[2 * NUMBERS], again[2 * NUMBERS], weights[2];
  assert_int_equal(atp_alignment_create(context, x, 4, 2, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_statistics_parts(context, data, 4, SPLITS, 1, n, weights), ATP_OK);
  assert_close(weights[0], 2, 1e-12, 0);
  assert_close(weights[1], 2, 1e-12, 0);
  /* Four standard deviations of the fraction of such splits, sqrt(2) / 3 / sqrt(4000): false alarm 6e-5, fixed seed. */
  const double p = 1.0 / 3, margin = 4 * sqrt(2) / 3 / sqrt(SPLITS), *sd = n + NUMBERS;
  assert_close(n[ATP_COMPARISON_COUNT], 4, 1e-12, 0);
  assert_close(sd[ATP_COMPARISON_COUNT], 0, 0, 1e-12);
  assert_close(n[ATP_COMPARISON_RMS], p * sqrt(0.5), 0, margin * sqrt(0.5));
  assert_close(sd[ATP_COMPARISON_RMS], sqrt(p * (1 - p) * 0.5), 0, margin * sqrt(0.5));
  assert_close(n[ATP_COMPARISON_LARGEST], n[ATP_COMPARISON_RMS], 1e-12, 0);
  assert_int_equal(atp_context_set_threads(context, 3), ATP_OK);
  assert_int_equal(atp_statistics_parts(context, data, 4, SPLITS, 1, again, weights), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  assert_memory_equal(again, n, sizeof n);
  for (int k = 0; k < 2 * NUMBERS; ++k) n[k] = -7;
  assert_int_equal(atp_statistics_parts(context, data, 0, 1, 1, n, weights), ATP_E_VALUE);
  assert_int_equal(atp_statistics_parts(context, data, NAN, 1, 1, n, weights), ATP_E_NOT_FINITE);
  assert_int_equal(atp_statistics_parts(context, data, 1, -1, 1, n, weights), ATP_E_VALUE);
  assert_int_equal(atp_statistics_parts(context, data, 1, 1, -1, n, weights), ATP_E_VALUE);
  assert_error(context, "seed is -1");
  for (int k = 0; k < 2 * NUMBERS; ++k) assert_true(n[k] == -7);
  assert_int_equal(atp_statistics_parts(context, data, 4, 0, 1, n, weights), ATP_OK);
  for (int k = 0; k < 2 * NUMBERS; ++k) assert_true(isnan(n[k]));
  atp_alignment_destroy(data);
}

/* Two sequences that differ at one of five sites: each split gives the same numbers, correlation and slope 0.6 of f.
   D = 2, S = 3, R = P = 1: g = 5/12. */
static void test_extended_parts(void **state) {
  atp_context *context = *state;
  const uint8_t x[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  atp_alignment *data = NULL;
  double n[2 * NUMBERS], weights[2];
  assert_int_equal(atp_alignment_create(context, x, 2, 5, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_statistics_parts(context, data, 3, 2, 1, n, weights), ATP_OK);
  assert_close(n[ATP_COMPARISON_PEARSON], 36.0 / 46, 1e-14, 0);
  assert_close(n[ATP_COMPARISON_SLOPE], 0.75, 1e-14, 0);
  assert_close(n[ATP_COMPARISON_RMS], sqrt(0.2 * 5 / 12), 1e-14, 0);
  assert_close(n[ATP_COMPARISON_LARGEST], sqrt(5.0 / 12), 1e-14, 0);
  for (int k = 0; k < ATP_COMPARISON_COLUMNS; ++k) assert_close(n[NUMBERS + k], 0, 0, 1e-14);
  assert_true(weights[0] == 1 && weights[1] == 1);
  atp_alignment_destroy(data);
}

enum { M = 60, SITES = 4, COLORS = 3 };
/* Sequences whose sites are alike, from a linear congruential generator. */
static atp_alignment *alike(atp_context *context, uint32_t seed) {
  static uint8_t s[M * SITES];
  atp_alignment *made = NULL;
  for (int k = 0; k < M * SITES; ++k) {
    seed = 1664525 * seed + 1013904223;
    s[k] = k % SITES > 0 && (seed >> 16) % 2 == 0 ? s[k - 1] : (uint8_t)((seed >> 20) % COLORS);
  }
  assert_int_equal(atp_alignment_create(context, s, M, SITES, COLORS, NULL, &made), ATP_OK);
  return made;
}

static void test_quality(void **state) {
  atp_context *context = *state;
  atp_alignment *data = alike(context, 1), *samples = alike(context, 2);
  atp_options *options = NULL;
  atp_table *quality = NULL, *distances = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_QUALITY, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_RUNS, 4), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_SEED, 3), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_QUALITY, ATP_QUALITY_ROWS, &quality), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_DISTANCES, SITES + 1, &distances), ATP_OK);
  assert_int_equal(atp_samples_quality(context, data, samples, options, quality, distances), ATP_OK);
  double rows[ATP_QUALITY_ROWS][ATP_QUALITY_COLUMNS], shares[SITES + 1][ATP_DISTANCES_COLUMNS];
  assert_int_equal(atp_table_values(quality, rows[0], ATP_QUALITY_ROWS * ATP_QUALITY_COLUMNS), ATP_OK);
  assert_int_equal(atp_table_values(distances, shares[0], (SITES + 1) * ATP_DISTANCES_COLUMNS), ATP_OK);
  /* The first rows are those of the two other calls. */
  double numbers[NUMBERS], parts[2 * NUMBERS], weights[2];
  assert_int_equal(atp_statistics_compare(context, data, samples, numbers, NUMBERS), ATP_OK);
  assert_int_equal(atp_statistics_parts(context, data, M, 4, 3, parts, weights), ATP_OK);
  for (int row = 0; row < NUMBERS; ++row) {
    assert_true(rows[row][ATP_QUALITY_MEASURE] == row && rows[row][ATP_QUALITY_SAMPLES] == numbers[row]);
    assert_true(rows[row][ATP_QUALITY_PARTS] == parts[row] && rows[row][ATP_QUALITY_PARTS_SD] == parts[NUMBERS + row]);
  }
  for (int column = 1; column < ATP_DISTANCES_COLUMNS; ++column) {
    double sum = 0, mean = 0;
    for (int d = 0; d <= SITES; ++d) {
      sum += shares[d][column];
      mean += shares[d][column] * shares[d][ATP_DISTANCES_DISTANCE];
    }
    assert_close(sum, 1, 1e-12, 0);
    if (column == ATP_DISTANCES_NEAREST_SAMPLES) assert_close(rows[ATP_QUALITY_NEAREST][ATP_QUALITY_SAMPLES], mean, 1e-12, 0);
    if (column == ATP_DISTANCES_NEAREST_DATA) assert_close(rows[ATP_QUALITY_NEAREST][ATP_QUALITY_DATA], mean, 1e-12, 0);
    if (column == ATP_DISTANCES_NEAREST_PARTS) assert_close(rows[ATP_QUALITY_NEAREST][ATP_QUALITY_PARTS], mean, 1e-12, 0);
    if (column == ATP_DISTANCES_PAIRS_DATA) assert_close(rows[ATP_QUALITY_SPREAD][ATP_QUALITY_DATA], mean, 1e-12, 0);
  }

  assert_int_equal(atp_samples_quality(context, data, samples, options, quality, NULL), ATP_E_BUFFER);
  assert_int_equal(atp_table_clear(quality), ATP_OK);
  assert_int_equal(atp_samples_quality(context, data, samples, options, quality, distances), ATP_E_BUFFER);
  assert_int_equal(atp_samples_quality(context, data, samples, options, distances, NULL), ATP_E_CONFLICT);
  assert_int_equal(atp_samples_quality(context, data, samples, options, quality, quality), ATP_E_CONFLICT);
  assert_int_equal(atp_table_rows(quality), 0);
  atp_options_destroy(options);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  assert_int_equal(atp_samples_quality(context, data, samples, options, quality, NULL), ATP_E_CONFLICT);
  atp_options_destroy(options);
  atp_table_destroy(distances);
  atp_table_destroy(quality);
  atp_alignment_destroy(samples);
  atp_alignment_destroy(data);
}

static void test_components(void **state) {
  atp_context *context = *state;
  atp_alignment *data = alike(context, 1), *samples = alike(context, 2), *other = NULL;
  double x[2 * M][2], again[2 * M][2], variances[2];
  assert_int_equal(atp_statistics_components(context, data, samples, 2, x[0], 2 * M, variances), ATP_OK);
  for (int k = 0; k < 2; ++k) {
    double mean = 0, squares = 0;
    for (int n = 0; n < M; ++n) mean += x[n][k] / M;
    for (int n = 0; n < M; ++n) squares += x[n][k] * x[n][k] / M;
    assert_close(mean, 0, 0, 1e-12);
    assert_close(squares, variances[k], 1e-9, 0);
  }
  assert_true(variances[0] > variances[1] && variances[1] > 0);
  /* The data as samples. */
  assert_int_equal(atp_statistics_components(context, data, data, 2, again[0], 2 * M, variances), ATP_OK);
  assert_memory_equal(again, x, sizeof x / 2);
  assert_memory_equal(again + M, x, sizeof x / 2);
  assert_int_equal(atp_statistics_components(context, data, NULL, 2, again[0], M, variances), ATP_OK);
  assert_memory_equal(again, x, sizeof x / 2);
  for (int n = 0; n < M; ++n) x[n][0] = -7;
  const uint8_t few[4] = {0, 0, 1, 1};
  assert_int_equal(atp_alignment_create(context, few, 2, 2, COLORS, NULL, &other), ATP_OK);
  assert_int_equal(atp_statistics_components(context, data, other, 2, x[0], M + 2, variances), ATP_E_SHAPE);
  assert_error(context, "sites of samples is 2, must be 4");
  assert_int_equal(atp_statistics_components(context, data, samples, 0, x[0], 2 * M, variances), ATP_E_VALUE);
  assert_int_equal(atp_statistics_components(context, data, samples, 5, x[0], 2 * M, variances), ATP_E_VALUE);
  assert_error(context, "components is 5");
  assert_int_equal(atp_statistics_components(context, data, samples, 2, x[0], M, variances), ATP_E_SHAPE);
  assert_error(context, "n is 60, must be 120");
  for (int n = 0; n < M; ++n) assert_true(x[n][0] == -7);
  atp_alignment_destroy(other);
  atp_alignment_destroy(samples);
  atp_alignment_destroy(data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

static const struct CMUnitTest tests[] = {
    TEST(test_frobenius),
    TEST(gaps),
    TEST(contacts_in_one_call),
    TEST(contacts_of_a_list),
    TEST(contacts_refused),
    TEST(test_apc_and_rank),
    TEST(test_overlap),
    TEST(test_map_like),
    TEST(test_distances_and_precision),
    TEST(test_mutants),
    TEST(test_comparison),
    TEST(test_parts),
    TEST(test_extended_parts),
    TEST(test_quality),
    TEST(test_components),
};
ATP_TEST_MAIN(tests)
