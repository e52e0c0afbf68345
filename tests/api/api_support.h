/* SPDX-License-Identifier: MIT */
/** @file api_support.h
 *  What tests of the C API share: a context per test, its errors and allocations. */
#ifndef ATTOPOTTS_TESTS_API_SUPPORT_H
#define ATTOPOTTS_TESTS_API_SUPPORT_H

#include "support.h"

#include <attopotts_io.h>

#include <stdlib.h>
#include <string.h>

static inline int context_setup(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

/* Every test leaves no memory behind. */
static inline int context_teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  if (bytes != 0) print_error("%lld bytes are still in use\n", (long long)bytes);
  return bytes != 0;
}

/* The bag anew, for another owner. */
static inline void renew(atp_options **options, int owner) {
  atp_context *context = atp_options_context(*options);
  atp_options_destroy(*options);
  *options = NULL;
  assert_int_equal(atp_options_create(context, owner, options), ATP_OK);
}

static inline int64_t allocations(const atp_context *context) {
  int64_t count = -1;
  assert_int_equal(atp_context_memory(context, &count, NULL), ATP_OK);
  return count;
}

/* The last error as languages that count from 1 get it has these words. */
static inline void assert_counted(atp_context *context, const char *part) {
  char text[512], of_context[512];
  atp_last_error_from_one(text, sizeof text);
  atp_context_error_from_one(context, of_context, sizeof of_context);
  assert_string_equal(text, of_context);
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in the error \"%s\"", part, text);
}

/* The last error of the context, and that of the thread, has these words. */
static inline void assert_error(atp_context *context, const char *part) {
  char text[512], of_thread[512];
  atp_context_error(context, text, sizeof text);
  atp_last_error(of_thread, sizeof of_thread);
  assert_string_equal(text, of_thread);
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in the error \"%s\"", part, text);
}

#endif
