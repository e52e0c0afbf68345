/* SPDX-License-Identifier: MIT */
/* The C API where a call of the C library fails: each k-th call of each kind, in a round of everything (workload.h). Afterwards the status
 * is one of atp_status with a text, nothing that was allocated is left, no descriptor and no file beside the ones that were asked for; a
 * round that succeeds finds the same numbers. The environment variable ATP_FAULT_STRIDE takes every n-th call only. */
#include "inject.h"
#include "support.h"
#include "workload.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

static struct fault_control *c;
static struct work w;
static char folder[64];
static long counts[FAULT_CALLS];
static uint64_t digest;
static int descriptors;

static int entries(const char *path) {
  DIR *dir = opendir(path);
  int n = 0;
  if (dir == NULL) return -1;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) n += e->d_name[0] != '.' || e->d_name[1] == 'a';
  closedir(dir);
  return n;
}

static void remove_files(void) {
  char path[256];
  for (int k = 0; k < WORK_FILES; ++k) {
    snprintf(path, sizeof path, "%s/%s", folder, work_names[k]);
    remove(path);
  }
}

/* A round in which call number `at` of a kind fails. */
static atp_status round_with(enum fault_call call, long at, int how) {
  remove_files();
  memset(c->seen, 0, sizeof c->seen);
  c->live = 0;
  c->fired = 0;
  c->call = (int)call;
  c->caller = FAULT_OWN;
  c->at = at;
  c->how = how;
  c->on = 1;
  const atp_status status = work_round(&w, folder, 2, NULL);
  c->on = 0;
  return status;
}

static int set_up(void **state) {
  (void)state;
  c = fault_control();
  snprintf(folder, sizeof folder, "api-faults-%d", (int)getpid());
  char command[96];
  snprintf(command, sizeof command, "mkdir %s", folder);
  if (system(command) != 0) return 1;
  /* The first round fills what libraries keep. */
  if (round_with(FAULT_MALLOC, 0, 0) != ATP_OK || round_with(FAULT_MALLOC, 0, 0) != ATP_OK) return 1;
  for (int k = 0; k < FAULT_CALLS; ++k) counts[k] = c->seen[k][FAULT_OWN];
  digest = w.digest;
  descriptors = entries("/proc/self/fd");
  return c->live != 0;
}

static int tear_down(void **state) {
  (void)state;
  remove_files();
  return rmdir(folder); /* not empty: something was left */
}

static int check_round(enum fault_call call, long at, int how) {
  const atp_status status = round_with(call, at, how);
  const int known = strcmp(atp_status_name(status), "unknown") != 0 && status >= 0;
  const int text = status == ATP_OK || w.error[0] != 0;
  const int same = status != ATP_OK || w.digest == digest;
  int files = 0;
  char path[256];
  for (int k = 0; k < WORK_FILES; ++k) {
    snprintf(path, sizeof path, "%s/%s", folder, work_names[k]);
    files += access(path, F_OK) == 0;
  }
  const int litter = call == FAULT_UNLINK ? 0 : entries(folder) - files, open_files = entries("/proc/self/fd") - descriptors;
  /* What costs bytes must be said. */
  const int silent = status == ATP_OK && c->fired && c->fired_output && how > 0 && how != EINTR &&
                     (call == FAULT_WRITE || call == FAULT_FSYNC || call == FAULT_RENAME || call == FAULT_CLOSE);
  /* A folder that cannot be opened cannot be flushed. */
  const int unflushed = status == ATP_OK && c->fired && call == FAULT_OPEN && strcmp(c->fired_path, folder) == 0;
  if (c->fired && known && text && same && c->live == 0 && litter == 0 && open_files == 0 && !silent && !unflushed) return 0;
  print_error(
      "call %d of kind %d, errno %d: fired %d, status %s (%s), same numbers %d, %ld blocks, %d files, %d descriptors left, silent %d\n",
      (int)at, (int)call, how, c->fired, atp_status_name(status), w.error, same, (long)c->live, litter, open_files, silent || unflushed);
  return 1;
}

static void sweep(enum fault_call call, int how) {
  const char *text = getenv("ATP_FAULT_STRIDE");
  const long stride = text != NULL && atol(text) > 0 ? atol(text) : 1;
  int bad = 0;
  long runs = 0;
  assert_true(counts[call] > 0);
  for (long at = 1; at <= counts[call] && bad < 5; at += stride, ++runs) bad += check_round(call, at, how);
  print_message("%ld of %ld calls\n", runs, counts[call]);
  assert_int_equal(bad, 0);
}

#define SWEEP(name, call, how)     \
  static void name(void **state) { \
    (void)state;                   \
    sweep(FAULT_##call, how);      \
  }
SWEEP(memory, MALLOC, ENOMEM)
SWEEP(opening, OPEN, EMFILE)
SWEEP(reading, READ, EIO)
SWEEP(reading_interrupted, READ, EINTR)
SWEEP(reading_short, READ, FAULT_SHORT)
SWEEP(writing, WRITE, ENOSPC)
SWEEP(writing_interrupted, WRITE, EINTR)
SWEEP(writing_short, WRITE, FAULT_SHORT)
SWEEP(flushing, FSYNC, EIO)
SWEEP(flushing_interrupted, FSYNC, EINTR)
SWEEP(renaming, RENAME, EIO)
SWEEP(closing, CLOSE, EIO)
SWEEP(mapping, MMAP, ENOMEM)
SWEEP(threads, THREAD, EAGAIN)
SWEEP(looking, STAT, EIO)

/* The checks see what they are for: a block that is lost, success of a write that did nothing. */
static void planted(void **state) {
  (void)state;
  c->live = 0;
  c->on = 1;
  char *volatile lost = malloc(16);
  c->on = 0;
  assert_int_equal(c->live, 1);
  free(lost);
  int seen = 0;
  for (long at = 1; at <= counts[FAULT_WRITE]; ++at) seen += round_with(FAULT_WRITE, at, FAULT_HIDE) != ATP_OK || w.digest != digest;
  assert_true(seen > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory),        cmocka_unit_test(opening),  cmocka_unit_test(reading),  cmocka_unit_test(reading_interrupted),
    cmocka_unit_test(reading_short), cmocka_unit_test(writing),  cmocka_unit_test(flushing), cmocka_unit_test(writing_interrupted),
    cmocka_unit_test(writing_short), cmocka_unit_test(renaming), cmocka_unit_test(closing),  cmocka_unit_test(flushing_interrupted),
    cmocka_unit_test(mapping),       cmocka_unit_test(threads),  cmocka_unit_test(looking),  cmocka_unit_test(planted),
};
int main(void) { return cmocka_run_group_tests(tests, set_up, tear_down) != 0; }
