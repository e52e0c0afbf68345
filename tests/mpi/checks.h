/* SPDX-License-Identifier: MIT */
/* Checks of programs that mpirun starts: each rank counts its own failures and says where they are. */
#ifndef CHECKS_H
#define CHECKS_H

#include <attopotts.h>

#include <stdio.h>
#include <string.h>

static int failures, rank, size;

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      char text_[512] = "";                                                                      \
      atp_last_error(text_, sizeof text_);                                                       \
      fprintf(stderr, "rank %d: %s:%d: %s (%s)\n", rank, __FILE__, __LINE__, #condition, text_); \
      ++failures;                                                                                \
    }                                                                                            \
  } while (0)

static int says(const char *text) {
  char found[512] = "";
  atp_last_error(found, sizeof found);
  return strstr(found, text) != NULL;
}

#endif
