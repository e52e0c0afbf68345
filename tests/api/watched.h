/* SPDX-License-Identifier: MIT */
/** @file watched.h
 *  A progress callback that stores the last report and stops a run at a given call. */
#ifndef ATTOPOTTS_TESTS_WATCHED_H
#define ATTOPOTTS_TESTS_WATCHED_H

#include <attopotts.h>

typedef struct seen {
  int calls, stop_after; /* stop_after 0: never */
  double step, total, train, first_test, test, optimal, error, gradient, rate, seconds, objective;
} seen;

static int watch(const atp_progress *p, void *user) {
  seen *s = user;
  s->step = atp_progress_value(p, ATP_PROGRESS_STEP);
  s->total = atp_progress_value(p, ATP_PROGRESS_TOTAL);
  s->train = atp_progress_value(p, ATP_PROGRESS_TRAIN_LOSS);
  s->test = atp_progress_value(p, ATP_PROGRESS_TEST_LOSS);
  s->optimal = atp_progress_value(p, ATP_PROGRESS_OPTIMAL_LOSS);
  s->error = atp_progress_value(p, ATP_PROGRESS_COUPLING_ERROR);
  s->gradient = atp_progress_value(p, ATP_PROGRESS_GRADIENT_NORM);
  s->rate = atp_progress_value(p, ATP_PROGRESS_RATE);
  s->seconds = atp_progress_value(p, ATP_PROGRESS_SECONDS);
  s->objective = atp_progress_value(p, ATP_PROGRESS_OBJECTIVE);
  if (s->calls == 0) s->first_test = s->test;
  return ++s->calls == s->stop_after ? 1 : 0;
}

#endif
