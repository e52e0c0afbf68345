/* SPDX-License-Identifier: MIT */
/** @file own_threads.h
 *  The number of threads of this process. */
#ifndef ATTOPOTTS_TESTS_OWN_THREADS_H
#define ATTOPOTTS_TESTS_OWN_THREADS_H

#include <dirent.h>
#include <stddef.h>

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

#endif
