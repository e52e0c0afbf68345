/* SPDX-License-Identifier: MIT */
/* A learning curve: a task of options and arrays fills a table. */
#include "task.h"

enum { POINTS = 4 };

int main(void) {
  const double alphas[POINTS] = {0.5, 1, 2, 4};
  double loss[POINTS];
  atp_context *context;
  atp_options *options;
  atp_task *task;
  atp_table *table;
  atp_outcome outcome;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_TASK_REPLICA_LIMIT, &options));
  check(atp_options_set_f64(options, ATP_OPT_DIAGONAL_SHIFT, 2.5));
  check(atp_options_set_f64(options, ATP_OPT_LAMBDA, 0.01));
  check(atp_task_create(context, ATP_TASK_REPLICA_LIMIT, options, &task));
  check(atp_task_set_array(task, ATP_ARRAY_ALPHAS, alphas, POINTS, 1));
  check(atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), atp_task_rows(task), &table));
  check(atp_task_run(task, table, NULL, NULL, &outcome));
  check(atp_table_column(table, "eg", loss, POINTS));
  for (int k = 0; k < POINTS; ++k) printf("alpha %.1f: loss %.4f\n", alphas[k], loss[k]);
  atp_table_destroy(table), atp_task_destroy(task), atp_options_destroy(options), atp_context_destroy(context);
  return outcome == ATP_OUTCOME_CONVERGED ? 0 : 1;
}
