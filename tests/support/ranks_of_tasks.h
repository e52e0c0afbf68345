/* SPDX-License-Identifier: MIT */
/* A task on several ranks, and the same task in a context without ranks. */
#ifndef RANKS_OF_TASKS_H
#define RANKS_OF_TASKS_H

#include "task_support.h"
#include "thread_ranks.h"

#include <stdio.h>

enum { MOST_NUMBERS = 320 };

/* What a rank is given, and what it finds. */
typedef struct one_task {
  const task_case *of;
  atp_progress_fn progress;
  void *user;
  int64_t threads, limit, room; /* of this rank; 0: those of all ranks, no limit, room for the rows */
  int stopped;                  /* before it runs */
  atp_status made, status;
  atp_outcome outcome;
  double rows[MOST_NUMBERS];
  int64_t numbers;
  char text[512];
  double calls;
} one_task;

static void run_one_task(atp_context *context, one_task *t) {
  atp_task *task = NULL;
  atp_table *table = NULL;
  if (t->threads > 0) atp_context_set_threads(context, t->threads);
  t->made = make_task(context, t->of, &task);
  if (t->made == ATP_OK) {
    const int64_t room = t->room > 0 ? t->room : atp_task_rows(task);
    t->made = atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), room, &table);
  }
  if (t->limit > 0) atp_context_set_memory_limit(context, t->limit);
  if (t->stopped) atp_task_request_stop(task);
  t->outcome = ATP_OUTCOME_NONE;
  t->status = atp_task_run(task, table, t->progress, t->user, &t->outcome);
  atp_last_error(t->text, sizeof t->text);
  t->numbers = atp_table_rows(table) * atp_table_columns(table);
  if (t->numbers <= MOST_NUMBERS) atp_table_values(table, t->rows, t->numbers);
  atp_context_traffic(context, ATP_TRAFFIC_CALLS, &t->calls);
  atp_table_destroy(table);
  atp_task_destroy(task);
}

static void task_on_rank(one_rank *self, void *user) {
  one_task *t = user;
  t->made = join_ranks(self);
  if (t->made == ATP_OK) run_one_task(self->context, t);
}

/* In a context without ranks, with one thread. */
static void run_alone(const task_case *of, one_task *t) {
  atp_context *context = NULL;
  memset(t, 0, sizeof *t);
  t->of = of;
  t->threads = 1;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  run_one_task(context, t);
  atp_context_destroy(context);
  assert_int_equal(t->made, ATP_OK);
  assert_int_equal(t->status, ATP_OK);
  assert_true(t->numbers > 0 && t->numbers <= MOST_NUMBERS && t->calls == 0);
}

/* The tasks of all ranks of a run, before it. */
static void clear_tasks(const task_case *of, one_task *all) {
  memset(all, 0, MOST_RANKS * sizeof *all);
  for (int64_t r = 0; r < MOST_RANKS; ++r) all[r].of = of;
}

static void assert_same_rows(const one_task *a, const one_task *b) {
  assert_int_equal(b->made, ATP_OK);
  assert_int_equal(b->status, ATP_OK);
  assert_int_equal(a->outcome, b->outcome);
  assert_int_equal(a->numbers, b->numbers);
  assert_memory_equal(a->rows, b->rows, (size_t)a->numbers * sizeof *a->rows);
}

/* On 1 to 4 ranks of 1 and 2 threads, with sanitizers on fewer numbers of them. */
static void check_all_ranks(const one_task *alone) {
  static one_task all[MOST_RANKS];
  for (int64_t ranks = FROM_RANKS; ranks <= TO_RANKS; ++ranks)
    for (int64_t threads = FROM_THREADS; threads <= TO_THREADS; ++threads) {
      clear_tasks(alone->of, all);
      assert_int_equal(run_ranks(ranks, threads, 0, task_on_rank, all, sizeof *all), 0);
      for (int64_t r = 0; r < ranks; ++r) assert_same_rows(alone, &all[r]);
    }
}

#endif
