/* SPDX-License-Identifier: MIT */
/* Tables: columns of every kind, rows, CSV text that gives the same numbers back, and what is refused. */
#include "api_support.h"
#include "comma_locale.h"
#include "constants.h"
#include "task_support.h"

#include <math.h>

enum { N = 3 };

static const double alphas[N] = {0.5, 1, 2};

/* A table with a row for each alpha; the second has an infinite loss. */
static atp_table *filled(atp_context *context, int64_t capacity) {
  const task_case c = {ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_LAMBDA, 0}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}};
  atp_task *task;
  atp_table *table;
  assert_int_equal(make_task(context, &c, &task), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_REPLICA_CURVE, capacity, &table), ATP_OK);
  assert_int_equal(atp_task_run(task, table, NULL, NULL, NULL), ATP_OK);
  atp_task_destroy(task);
  return table;
}

static void columns(void **state) {
  (void)state;
#define COUNT(kind, number)                                                             \
  assert_true(atp_column_count(kind) > 0);                                              \
  assert_null(atp_column_name(kind, (int)atp_column_count(kind)));                      \
  assert_null(atp_column_name(kind, -1));                                               \
  for (int k = 0; k < atp_column_count(kind); ++k) {                                    \
    assert_int_equal(atp_column_find(kind, atp_column_name(kind, k)), k);               \
    assert_true(atp_column_description(kind, k)[0] != 0);                               \
    assert_non_null(atp_column_unit(kind, k));                                          \
    assert_null(strpbrk(atp_column_name(kind, k), ",\"\n ABCDEFGHIJKLMNOPQRSTUVWXYZ")); \
  }
  LIST_atp_table_kind(COUNT);
  assert_int_equal(atp_column_count(0), 0);
  assert_int_equal(atp_column_count(99), 0);
  assert_null(atp_column_name(99, 0));
  assert_null(atp_column_unit(ATP_TABLE_TUNING, 99));
  assert_int_equal(atp_column_find(ATP_TABLE_TUNING, "BETA"), -1);
  assert_int_equal(atp_column_find(99, "beta"), -1);
  assert_int_equal(atp_column_find(ATP_TABLE_REPLICA_CURVE, "free_energy"), ATP_REPLICA_FREE_ENERGY);
  assert_int_equal(atp_column_find(ATP_TABLE_DOTATTN_CURVE, "eg_linear"), ATP_DOTATTN_EG_LINEAR);
  assert_int_equal(atp_column_find(ATP_TABLE_DOTATTN_TRANSITION, "alpha_semantic"), ATP_DOTATTN_TRANSITION_SEMANTIC);
  assert_int_equal(atp_column_find(ATP_TABLE_DOTATTN_TOKENS, "v_sem"), ATP_DOTATTN_TOKENS_V_SEM);
  assert_int_equal(atp_column_find(ATP_TABLE_DOTATTN_SIMULATION, "q_least"), ATP_DOTATTN_SIM_Q_LEAST);
  assert_string_equal(atp_column_unit(ATP_TABLE_DOTATTN_CURVE, ATP_DOTATTN_OUTCOME), "atp_outcome");
  assert_string_equal(atp_column_unit(ATP_TABLE_TRAINING_LOG, ATP_TRAINING_SECONDS), "s");
}

static void rows(void **state) {
  atp_context *context = *state;
  int64_t bytes = 0, used = 0, before = 0;
  assert_int_equal(atp_context_memory(context, NULL, &before), ATP_OK);
  assert_int_equal(atp_table_bytes(ATP_TABLE_REPLICA_CURVE, 2 * N + 1, &bytes), ATP_OK);
  atp_table *table = filled(context, 2 * N + 1);
  assert_int_equal(atp_context_memory(context, NULL, &used), ATP_OK);
  assert_int_equal(used - before, bytes);
  assert_true(atp_table_context(table) == context);
  assert_int_equal(atp_table_kind_of(table), ATP_TABLE_REPLICA_CURVE);
  assert_int_equal(atp_table_rows(table), N);
  assert_int_equal(atp_table_columns(table), ATP_REPLICA_COLUMNS);
  assert_int_equal(atp_table_capacity(table), 2 * N + 1);
  double all[N * ATP_REPLICA_COLUMNS], eg[N], value = -7;
  assert_int_equal(atp_table_values(table, all, N * ATP_REPLICA_COLUMNS), ATP_OK);
  assert_int_equal(atp_table_column(table, "eg", eg, N), ATP_OK);
  for (int k = 0; k < N; ++k) {
    assert_true(all[k * ATP_REPLICA_COLUMNS] == alphas[k] && eg[k] == all[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_EG]);
    assert_int_equal(atp_table_value(table, k, ATP_REPLICA_EG, &value), ATP_OK);
    assert_true(value == eg[k]);
  }
  value = -7;
  assert_int_equal(atp_table_value(table, N, 0, &value), ATP_E_VALUE);
  assert_error(context, "row is 3, must be in 0..2");
  assert_int_equal(atp_table_value(table, -1, 0, &value), ATP_E_VALUE);
  assert_int_equal(atp_table_value(table, 0, ATP_REPLICA_COLUMNS, &value), ATP_E_VALUE);
  assert_int_equal(atp_table_column(table, "EG", eg, N), ATP_E_VALUE);
  assert_error(context, "name is \"EG\"");
  assert_int_equal(atp_table_column(table, "eg", &value, N - 1), ATP_E_SHAPE);
  assert_int_equal(atp_table_values(table, &value, 1), ATP_E_SHAPE);
  assert_true(value == -7);
  assert_int_equal(atp_table_clear(table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 0);
  assert_int_equal(atp_table_values(table, all, 0), ATP_OK);
  assert_int_equal(atp_table_value(table, 0, 0, &value), ATP_E_VALUE);
  atp_table_destroy(table);
}

static void refusals(void **state) {
  atp_context *context = *state;
  atp_table *table = (atp_table *)context;
  int64_t bytes = -7;
  assert_int_equal(atp_table_create(context, (atp_table_kind)0, 1, &table), ATP_E_VALUE);
  assert_error(context, "kind is 0, must be an atp_table_kind");
  assert_null(table);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, -1, &table), ATP_E_VALUE);
  /* 32 bits cannot name that many bytes, 64 bits can. */
  const atp_status refused = sizeof(size_t) < 8 ? ATP_E_TOO_LARGE : ATP_E_MEMORY;
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, INT64_MAX / 1024, &table), refused);
  assert_int_equal(atp_table_bytes((atp_table_kind)99, 1, &bytes), ATP_E_VALUE);
  assert_int_equal(atp_table_bytes(ATP_TABLE_TUNING, INT64_MAX, &bytes), ATP_E_VALUE);
  assert_int_equal(bytes, -7);
}

/* Every number comes back with its bits, in a locale with a comma, too. */
static void csv(void **state) {
  atp_context *context = *state;
  set_comma_locale();
  atp_table *table = filled(context, N);
  int64_t needed = 0, again = 0;
  assert_int_equal(atp_table_csv(table, NULL, 0, &needed), ATP_OK);
  char *text = malloc((size_t)needed + 1);
  assert_non_null(text);
  text[0] = '?';
  text[needed] = '!';
  assert_int_equal(atp_table_csv(table, text, needed - 1, &again), ATP_E_BUFFER);
  assert_error(context, "must be at least");
  assert_true(again == needed && text[0] == '?');
  assert_int_equal(atp_table_csv(table, NULL, 1, NULL), ATP_E_SHAPE);
  assert_int_equal(atp_table_csv(table, text, needed + 1, NULL), ATP_OK);
  setlocale(LC_ALL, "C");
  assert_true((int64_t)strlen(text) + 1 == needed && text[needed] == '!');
  assert_memory_equal(text, "alpha,lambda,eg,et,", 19);
  assert_non_null(strstr(text, ",Inf,"));
  double all[N * ATP_REPLICA_COLUMNS];
  assert_int_equal(atp_table_values(table, all, N * ATP_REPLICA_COLUMNS), ATP_OK);
  char *at = strchr(text, '\n') + 1;
  for (int k = 0; k < N * ATP_REPLICA_COLUMNS; ++k) {
    char *end;
    const double number = strtod(at, &end);
    assert_true(memcmp(&number, &all[k], sizeof number) == 0 || (isnan(number) && isnan(all[k])));
    assert_true(*end == ((k + 1) % ATP_REPLICA_COLUMNS == 0 ? '\n' : ','));
    at = end + 1;
  }
  assert_true(*at == 0);
  free(text);
  atp_table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns),
      cmocka_unit_test_setup_teardown(rows, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(refusals, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(csv, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
