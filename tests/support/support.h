/* SPDX-License-Identifier: MIT */
/** @file support.h
 *  Included by every test program: cmocka with its prerequisites, and comparisons of real numbers that print both. */
#ifndef ATTOPOTTS_TESTS_SUPPORT_H
#define ATTOPOTTS_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" { /* cmocka 1.1.5 declares no linkage of its own */
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

/* cmocka's macro fail() would rewrite atp::fail; use fail_msg(). */
#undef fail
#undef fail_msg
#define fail_msg(...)          \
  do {                         \
    print_error(__VA_ARGS__);  \
    print_error("\n");         \
    _fail(__FILE__, __LINE__); \
  } while (0)

/* Leaves a test that cannot run here; tools/ci/count_tests.py counts it and shows the reason. */
#define skip_because(reason)                  \
  do {                                        \
    print_message("skipped: %s\n", (reason)); \
    skip();                                   \
  } while (0)

/* qemu-user 7 aborts where the child of a process with threads starts one, and its own threads and memory count as the program's:
 * tools/platforms/platforms.sh sets ATP_EMULATED. */
#define skip_where_emulated()                                                        \
  do {                                                                               \
    if (getenv("ATP_EMULATED") != NULL) skip_because("the emulator cannot do this"); \
  } while (0)

/* Seconds until something must have happened that takes milliseconds on a quiet machine. Busy machines, ThreadSanitizer and emulators
 * take far longer: this is there to end what hangs, not to measure. */
static inline double seconds_allowed(void) { return getenv("ATP_EMULATED") != NULL ? 300 : 30; }

/* Whether a test takes its smaller part: ./check.sh leaves the rest to ./check.sh --all. */
static inline int quick(void) { return getenv("ATP_TEST_QUICK") != NULL; }
#define ATP_LEFT_TO_ALL "left to ./check.sh --all (ATP_TEST_QUICK is set)"

/* Whether ATP_TEST_QUICK is set. If so, prints that this part is skipped. */
static inline int left_out(const char *part) {
  if (quick()) print_message("[  SKIPPED ] %s: %s\n", part, ATP_LEFT_TO_ALL);
  return quick();
}

/* Skips the whole test if ATP_TEST_QUICK is set. */
#define skip_where_quick()                      \
  do {                                          \
    if (quick()) skip_because(ATP_LEFT_TO_ALL); \
  } while (0)

/* |a - b| <= atol + rtol * max(|a|, |b|); NaN never passes. */
#define assert_close(a, b, rtol, atol) attopotts_assert_close((a), (b), (rtol), (atol), #a " ~ " #b, __FILE__, __LINE__)

static inline void attopotts_assert_close(double a, double b, double rtol, double atol, const char *text, const char *file, int line) {
  const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  if (!(fabs(a - b) <= atol + rtol * scale)) {
    print_error("%s: %.17g against %.17g, difference %.3g, allowed %.3g\n", text, a, b, fabs(a - b), atol + rtol * scale);
    _fail(file, line);
  }
}

/* ThreadSanitizer runs the tests with this name alone (* stands for any letters): the others take long there on one thread, or run the
 * same code on threads. */
#if defined(__SANITIZE_THREAD__)
#define where_races_are_sought(name) cmocka_set_test_filter(name)
#else
#define where_races_are_sought(name) ((void)0)
#endif

/* A main that runs one group and answers 0 or 1: cmocka returns the number of failures, and 77 would read as a skip. */
#define ATP_TEST_MAIN(tests) \
  int main(void) { return cmocka_run_group_tests(tests, NULL, NULL) != 0; }

#endif
