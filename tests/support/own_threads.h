/* SPDX-License-Identifier: MIT */
/** @file own_threads.h
 *  The number of threads of this process. */
#ifndef ATTOPOTTS_TESTS_OWN_THREADS_H
#define ATTOPOTTS_TESTS_OWN_THREADS_H

#include <dirent.h>
#include <stddef.h>
#include <time.h>

/* -1 where there is no /proc/self/task. */
static inline int own_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  const struct dirent *entry;
  int count = 0;
  if (folder == NULL) return -1;
  while ((entry = readdir(folder)) != NULL) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

/* Whether there are `count` threads. The system lists a thread for a moment after it was joined. */
static inline int threads_become(int count) {
  const struct timespec pause = {0, 2000000};
  for (int k = 0; k < 1000 && own_threads() != count; ++k) nanosleep(&pause, NULL);
  return own_threads() == count;
}

#endif
