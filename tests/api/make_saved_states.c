/* SPDX-License-Identifier: MIT */
/* make_saved_states FOLDER: write NAME.state of every case of saved_states.h that FOLDER lacks, and continued.txt with a line of
 * saved_results.h for each case: of a new state from a run that went on for SAVED_MORE steps without an interruption, of a kept one from
 * the state, where the hashes must stay. Run it with the version whose states are to be kept. */
#include "saved_results.h"

#include <pthread.h>
#include <time.h>

typedef struct stopper {
  saved_subject *subject;
  long nanoseconds;
} stopper;

static void *stop_later(void *user) {
  const stopper *s = user;
  const struct timespec wait = {0, s->nanoseconds};
  nanosleep(&wait, NULL);
  saved_request_stop(s->subject);
  return NULL;
}

/* Steps done in the present epoch: the second number of a position. */
static int64_t step_in_epoch(const char *state) {
  int64_t step;
  memcpy(&step, state + saved_position(state) + 8, sizeof step);
  return step;
}

/* A state of a run by steps, stopped inside an epoch by another thread. */
static saved_subject stopped_inside(const saved_case *which, char *state, int64_t size) {
  for (long wait = 1000000;; wait += 137000) {
    saved_subject s = saved_create(which);
    stopper when = {&s, wait};
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_later, &when) != 0) abort();
    saved_run(&s, 100000);
    pthread_join(thread, NULL);
    saved_save(&s, state, size);
    if (step_in_epoch(state) > 0 && saved_steps(&s) > 0) return s;
    saved_destroy(&s);
  }
}

static void write_file(const char *folder, const char *name, const char *state, int64_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.state", folder, name);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(state, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0) abort();
}

static void write_record(FILE *table, saved_subject *s) {
  const saved_result result = saved_result_of(s);
  const saved_record r = saved_record_of(&result);
  fprintf(table, "%s %016llx %016llx %.17g", s->which->name, r.hash, r.sequences, r.norm);
  for (int j = 0; j < SAVED_SUMS; ++j) fprintf(table, " %.17g", r.sums[j]);
  fprintf(table, "\n");
  free(result.reals);
}

/* A state, and the record of a run without an interruption. */
static void save(const saved_case *which, const char *folder, FILE *table) {
  saved_subject s = saved_create(which);
  const int64_t size = saved_bytes(&s);
  char *state = malloc((size_t)size);
  int64_t steps = 0;
  if (which->by_steps) {
    /* The run without an interruption has the same epochs in all. */
    saved_subject stopped = stopped_inside(which, state, size);
    steps = saved_steps(&stopped);
    saved_destroy(&stopped);
  } else {
    saved_begin(&s);
    saved_save(&s, state, size);
  }
  saved_run(&s, steps + SAVED_MORE);
  write_record(table, &s);
  write_file(folder, which->name, state, size);
  free(state);
  saved_destroy(&s);
}

/* The record of a run that goes on from a kept state. */
static void go_on(const saved_case *which, const char *folder, FILE *table) {
  static char state[SAVED_BIGGEST];
  saved_subject s = saved_create(which);
  const int64_t size = saved_read(folder, which->name, state);
  SAVED_OK(saved_load(&s, state, size));
  saved_run(&s, SAVED_MORE);
  write_record(table, &s);
  saved_destroy(&s);
}

static int is_kept(const saved_case *which, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.state", folder, which->name);
  FILE *file = fopen(path, "rb");
  return file != NULL && fclose(file) == 0;
}

int main(int arguments, char **argument) {
  char path[1024];
  if (arguments != 2) return 2;
  const char *folder = argument[1];
  snprintf(path, sizeof path, "%s/continued.txt", folder);
  FILE *table = fopen(path, "w");
  if (table == NULL) return 1;
  fprintf(table, "libm %016llx\n", (unsigned long long)saved_libm());
  for (int k = 0; k < SAVED_CASES; ++k) (is_kept(&saved_cases[k], folder) ? go_on : save)(&saved_cases[k], folder, table);
  return fclose(table) != 0;
}
