/* SPDX-License-Identifier: MIT */
/** @file task_support.h
 *  Runs tasks from lists of options and arrays, for tests in C and C++. */
#ifndef ATTOPOTTS_TESTS_TASK_SUPPORT_H
#define ATTOPOTTS_TESTS_TASK_SUPPORT_H

#include <attopotts.h>

typedef struct task_option {
  atp_option key;
  double value;
} task_option;

typedef struct task_input {
  atp_task_array which;
  const double *values;
  int64_t rows, columns;
} task_input;

/* Lists end with an entry of zeros: key 0, values NULL. */
typedef struct task_case {
  atp_task_kind kind;
  task_option options[16];
  task_input inputs[6];
} task_case;

static inline atp_status make_task(atp_context *context, const task_case *c, atp_task **task) {
  atp_options *options = NULL;
  *task = NULL;
  atp_status status = atp_options_create(context, c->kind, &options);
  for (const task_option *o = c->options; status == ATP_OK && o->key != 0; ++o) status = atp_options_set_f64(options, o->key, o->value);
  if (status == ATP_OK) status = atp_task_create(context, c->kind, options, task);
  for (const task_input *i = c->inputs; status == ATP_OK && i->values != NULL; ++i)
    status = atp_task_set_array(*task, i->which, i->values, i->rows, i->columns);
  atp_options_destroy(options);
  return status;
}

/* All numbers of the table to rows, unless it is NULL. */
static inline atp_status run_task(atp_context *context, const task_case *c, atp_progress_fn progress, void *user, double *rows,
                                  atp_outcome *outcome) {
  atp_task *task = NULL;
  atp_table *table = NULL;
  atp_status status = make_task(context, c, &task);
  if (status == ATP_OK) status = atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), atp_task_rows(task), &table);
  if (status == ATP_OK) status = atp_task_run(task, table, progress, user, outcome);
  if (status == ATP_OK && rows != NULL) status = atp_table_values(table, rows, atp_table_rows(table) * atp_table_columns(table));
  atp_table_destroy(table);
  atp_task_destroy(task);
  return status;
}

static inline atp_status bytes_of_task(atp_context *context, const task_case *c, int64_t *bytes) {
  atp_task *task = NULL;
  atp_status status = make_task(context, c, &task);
  if (status == ATP_OK) status = atp_task_bytes(task, bytes);
  atp_task_destroy(task);
  return status;
}

#endif
