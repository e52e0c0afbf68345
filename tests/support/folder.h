/* SPDX-License-Identifier: MIT */
/** @file folder.h
 *  A folder of its own for a test that writes files, entered, and removed with what is in it: in memory where the system offers that,
 * because every file is flushed and a busy disk takes its time; else below the working directory. */
#ifndef ATTOPOTTS_TESTS_FOLDER_H
#define ATTOPOTTS_TESTS_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder_name[4096];

static inline int folder_enter(void) {
  char here[4000];
  if (access("/dev/shm", W_OK) == 0)
    snprintf(here, sizeof here, "/dev/shm");
  else if (getcwd(here, sizeof here) == NULL)
    return -1;
  snprintf(folder_name, sizeof folder_name, "%s/attopotts-test-XXXXXX", here);
  if (mkdtemp(folder_name) == NULL || chdir(folder_name) != 0) {
    perror(folder_name);
    return -1;
  }
  return 0;
}

/* The number of entries, hidden ones included: temporary files that were left behind show. */
static inline int folder_entries(void) {
  DIR *dir = opendir(".");
  int n = 0;
  if (dir == NULL) return -1;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) ++n;
  closedir(dir);
  return n;
}

static inline void folder_clear(void) {
  DIR *dir = opendir(".");
  if (dir == NULL) return;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove(entry->d_name);
  closedir(dir);
}

static inline int folder_leave(void) {
  folder_clear();
  return chdir("..") != 0 || rmdir(folder_name) != 0 ? -1 : 0;
}

/* Both as set-up and tear-down of a cmocka group. */
static inline int folder_setup(void **state) {
  (void)state;
  return folder_enter();
}
static inline int folder_teardown(void **state) {
  (void)state;
  return folder_leave();
}

/* Write bytes with the C library alone. */
static inline int folder_put(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) return -1;
  const size_t n = fwrite(bytes, 1, size, file);
  return fclose(file) != 0 || n != size ? -1 : 0;
}

#endif
