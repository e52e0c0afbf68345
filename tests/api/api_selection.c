/* SPDX-License-Identifier: MIT */
/* Selection of penalties through the C API: what it refuses and leaves alone, reports, and stops. */
#include "trainer_support.h"

static atp_table *path_of(const fixture *f, int64_t rows) {
  atp_table *table = NULL;
  OK(atp_table_create(f->context, ATP_TABLE_SELECTION, rows, &table));
  return table;
}

static void test_folds(void **state) {
  fixture *f = *state;
  renew(&f->options, ATP_OWNER_FOLDS);
  int64_t folds[N], clusters[N], seen[N];
  for (int k = 0; k < N; ++k) folds[k] = clusters[k] = seen[k] = -1;
  REFUSED(atp_select_folds(f->context, f->train, f->options, folds, clusters, N - 1), ATP_E_SHAPE, "n is");
  set(f, ATP_OPT_FOLDS, 1000);
  REFUSED(atp_select_folds(f->context, f->train, f->options, folds, clusters, N), ATP_E_VALUE, "folds is 1000");
  assert_true(folds[0] == -1 && clusters[0] == -1);
  set(f, ATP_OPT_FOLDS, 3);
  set(f, ATP_OPT_FOLD_DISTANCE, 0);
  OK(atp_select_folds(f->context, f->train, f->options, folds, clusters, N));
  const uint8_t *s = atp_alignment_sequences_view(f->train);
  for (int n = 0; n < N; ++n) {
    assert_true(folds[n] >= 0 && folds[n] < 3);
    assert_true(clusters[n] >= 0 && clusters[n] < N);
    if (seen[clusters[n]] == -1) seen[clusters[n]] = folds[n];
    assert_int_equal(seen[clusters[n]], folds[n]);
    for (int m = 0; m < n; ++m) assert_int_equal(clusters[n] == clusters[m], memcmp(s + n * L, s + m * L, L) == 0);
  }
}

static int count_reports(const atp_progress *progress, void *user) {
  int *left = user;
  assert_true(atp_progress_value(progress, ATP_PROGRESS_TEST_LOSS) > 0);
  return --*left == 0;
}

static void test_path(void **state) {
  fixture *f = *state;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  atp_table *table = path_of(f, 4), *small = path_of(f, 3), *other = NULL;
  OK(atp_table_create(f->context, ATP_TABLE_TUNING, 9, &other));
  renew(&f->options, ATP_OWNER_SELECTION);
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_L2_FIELDS, 0.03);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_FOLDS, 3);
  set(f, ATP_OPT_STRENGTHS, 4);
  REFUSED(atp_select_penalty(f->context, f->train, f->options, small, NULL, NULL, &outcome), ATP_E_BUFFER, "4");
  REFUSED(atp_select_penalty(f->context, f->train, f->options, other, NULL, NULL, &outcome), ATP_E_CONFLICT, "ATP_TABLE_SELECTION");
  set(f, ATP_OPT_SELECT, ATP_SELECT_HEADS);
  REFUSED(atp_select_penalty(f->context, f->train, f->options, table, NULL, NULL, &outcome), ATP_E_CONFLICT, "heads");
  set(f, ATP_OPT_SELECT, ATP_SELECT_COUPLINGS);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  REFUSED(atp_select_penalty(f->context, f->train, f->options, table, NULL, NULL, &outcome), ATP_E_CONFLICT, "lbfgs");
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  assert_int_equal(outcome, ATP_OUTCOME_NONE);
  /* A callback that ends it leaves the table alone. */
  int left = 2;
  OK(atp_select_penalty(f->context, f->train, f->options, table, count_reports, &left, &outcome));
  assert_true(left == 0 && outcome == ATP_OUTCOME_CANCELLED && atp_table_rows(table) == 0);
  left = -1;
  OK(atp_select_penalty(f->context, f->train, f->options, table, count_reports, &left, &outcome));
  const int64_t rows = atp_table_rows(table);
  assert_true(rows >= 3 && -1 - left == 3 * rows);
  double chosen[4], strength[4], cost[4];
  OK(atp_table_column(table, "chosen", chosen, rows));
  OK(atp_table_column(table, "l2_couplings", strength, rows));
  OK(atp_table_column(table, "cost", cost, rows));
  double sum = 0;
  for (int64_t k = 0; k < rows; ++k) {
    sum += chosen[k];
    assert_close(strength[k], 0.25 * N * (L - 1) / pow(5, (double)k), 1e-12, 0);
    assert_true(k == 0 || cost[k] > cost[k - 1]);
  }
  assert_true(sum == 1);
  atp_table_destroy(other);
  atp_table_destroy(small);
  atp_table_destroy(table);
}

/* A list of all pairs has the path of no list, bit for bit. */
static void assert_same_path(const fixture *f, const int64_t *all, int64_t n) {
  enum { CELLS = 3 * ATP_SELECTION_COLUMNS };
  atp_table *whole = path_of(f, 3), *listed = path_of(f, 3);
  OK(atp_select_penalty(f->context, f->train, f->options, whole, NULL, NULL, NULL));
  OK(atp_select_penalty_pairs(f->train, f->options, all, n, listed, NULL, NULL));
  double without[CELLS], with[CELLS];
  assert_true(atp_table_rows(whole) == 3 && atp_table_rows(listed) == 3);
  OK(atp_table_values(whole, without, CELLS));
  OK(atp_table_values(listed, with, CELLS));
  for (int k = 0; k < CELLS; ++k) assert_true(with[k] == without[k] || (isnan(with[k]) && isnan(without[k])));
  atp_table_destroy(listed);
  atp_table_destroy(whole);
}

static void test_pairs(void **state) {
  fixture *f = *state;
  enum { ALL = L * (L - 1) / 2 };
  int64_t all[ALL][2], n = 0;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j, ++n) all[n][0] = j, all[n][1] = i;
  renew(&f->options, ATP_OWNER_SELECTION);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_FOLDS, 3);
  set(f, ATP_OPT_STRENGTHS, 3);
  assert_same_path(f, &all[0][0], ALL);
  set(f, ATP_OPT_ASYMMETRIC, 1);
  assert_same_path(f, &all[0][0], ALL);
  set(f, ATP_OPT_ASYMMETRIC, 0);
  atp_table *few = path_of(f, 3);
  double strength = 0;
  int left = 2;
  OK(atp_select_penalty_pairs(f->train, f->options, &all[0][0], 2, few, count_reports, &left));
  assert_true(left == 0 && atp_table_rows(few) == 0);
  OK(atp_select_penalty_pairs(f->train, f->options, &all[0][0], 5, few, NULL, NULL));
  OK(atp_table_value(few, 0, ATP_SELECTION_L2_COUPLINGS, &strength));
  assert_close(strength, 0.25 * N * 2, 1e-12, 0);
  OK(atp_table_clear(few));
  all[1][0] = all[1][1];
  REFUSED(atp_select_penalty_pairs(f->train, f->options, &all[0][0], 2, few, NULL, NULL), ATP_E_VALUE, "pairs[1]");
  REFUSED(atp_select_penalty_pairs(f->train, f->options, &all[0][0], ALL + 1, few, NULL, NULL), ATP_E_VALUE, "pairs");
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_FACTORED);
  REFUSED(atp_select_penalty_pairs(f->train, f->options, &all[0][0], 1, few, NULL, NULL), ATP_E_UNSUPPORTED, "family is factored");
  assert_int_equal(atp_table_rows(few), 0);
  atp_table_destroy(few);
}

static void test_one_sequence(void **state) {
  fixture *f = *state;
  const uint8_t one[L] = {0};
  uint8_t same[2 * L] = {0};
  atp_alignment *a = NULL, *b = NULL;
  atp_table *table = path_of(f, 16);
  OK(atp_alignment_create(f->context, one, 1, L, Q, NULL, &a));
  REFUSED(atp_select_penalty(f->context, a, NULL, table, NULL, NULL, NULL), ATP_E_VALUE, "one sequence");
  OK(atp_alignment_create(f->context, same, 2, L, Q, NULL, &b));
  REFUSED(atp_select_penalty(f->context, b, NULL, table, NULL, NULL, NULL), ATP_E_VALUE, "1 clusters");
  atp_alignment_destroy(b);
  atp_alignment_destroy(a);
  atp_table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_folds),
      TEST(test_path),
      TEST(test_pairs),
      TEST(test_one_sequence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
