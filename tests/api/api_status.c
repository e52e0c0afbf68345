/* SPDX-License-Identifier: MIT */
/* Statuses, outcomes, versions, features, and the last error of each thread. */
#include "support.h"

#include "constants.h"

#include <attopotts.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct constant {
  const char *name;
  int value, pinned;
};
#define CONSTANT(name, pinned) {#name, name, pinned},
static const struct constant statuses[] = {LIST_atp_status(CONSTANT)};
static const struct constant outcomes[] = {LIST_atp_outcome(CONSTANT)};
enum { STATUSES = sizeof statuses / sizeof *statuses, OUTCOMES = sizeof outcomes / sizeof *outcomes };

static int is_status(int value) {
  for (int k = 0; k < STATUSES; ++k)
    if (statuses[k].value == value) return 1;
  return 0;
}

static void every_status_has_name_and_text(void **state) {
  (void)state;
  assert_true(STATUSES >= 20);
  for (int k = 0; k < STATUSES; ++k) {
    assert_int_equal(statuses[k].value, statuses[k].pinned);
    assert_string_equal(atp_status_name(statuses[k].value), statuses[k].name);
    const char *text = atp_status_string(statuses[k].value);
    assert_true(strlen(text) >= 4);
    assert_string_not_equal(text, "unknown status");
    for (int l = 0; l < k; ++l) {
      assert_int_not_equal(statuses[l].value, statuses[k].value);
      assert_string_not_equal(atp_status_string(statuses[l].value), text);
    }
  }
}

static void other_ints_are_unknown(void **state) {
  (void)state;
  for (int value = -200; value <= 1200; ++value)
    if (!is_status(value)) {
      assert_string_equal(atp_status_name(value), "unknown status");
      assert_string_equal(atp_status_string(value), "unknown status");
    }
  const int far[] = {INT32_MIN, INT32_MAX, -1};
  for (int k = 0; k < 3; ++k) {
    assert_string_equal(atp_status_name(far[k]), "unknown status");
    assert_string_equal(atp_outcome_name(far[k]), "unknown outcome");
  }
  assert_string_equal(atp_outcome_name(OUTCOMES), "unknown outcome");
}

static void every_outcome_has_a_name(void **state) {
  (void)state;
  for (int k = 0; k < OUTCOMES; ++k) {
    assert_int_equal(outcomes[k].value, outcomes[k].pinned);
    const char *name = atp_outcome_name(outcomes[k].value);
    /* ATP_OUTCOME_MAX_ITER is max_iter. */
    const char *upper = outcomes[k].name + strlen("ATP_OUTCOME_");
    assert_int_equal(strlen(name), strlen(upper));
    for (size_t c = 0; name[c] != 0; ++c) assert_int_equal(name[c], upper[c] == '_' ? '_' : upper[c] + ('a' - 'A'));
  }
}

static void versions_agree(void **state) {
  (void)state;
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", ATP_VERSION_MAJOR, ATP_VERSION_MINOR, ATP_VERSION_PATCH);
  assert_string_equal(text, ATP_VERSION_STRING);
  assert_string_equal(atp_version_string(), ATP_VERSION_STRING);
  assert_int_equal(atp_version_number(), ATP_VERSION_NUMBER);
  assert_int_equal(atp_version_number(), 10000 * ATP_VERSION_MAJOR + 100 * ATP_VERSION_MINOR + ATP_VERSION_PATCH);
  assert_int_equal(atp_abi_version(), ATP_ABI_VERSION);
  assert_true(ATP_VERSION_ATLEAST(ATP_VERSION_MAJOR, ATP_VERSION_MINOR, ATP_VERSION_PATCH));
  assert_false(ATP_VERSION_ATLEAST(ATP_VERSION_MAJOR, ATP_VERSION_MINOR, ATP_VERSION_PATCH + 1));
  assert_false(ATP_VERSION_ATLEAST(ATP_VERSION_MAJOR + 1, 0, 0));
}

static void features_are_named(void **state) {
  (void)state;
  const int linalg = atp_has_feature("blis"); /* 0: -Dlinalg=disabled, see api_no_linalg.c */
  assert_in_range(linalg, 0, 1);
  assert_int_equal(atp_has_feature("lapack"), linalg);
  assert_int_equal(atp_has_feature("no such feature"), 0);
  assert_int_equal(atp_has_feature(""), 0);
  assert_int_equal(atp_has_feature(NULL), 0);
  assert_in_range(atp_has_feature("threads"), 0, 1);
  assert_in_range(atp_has_feature("hdf5"), 0, 1);
  assert_int_equal(strstr(atp_blas_description(), "BLIS") != NULL, linalg);
  assert_int_equal(strstr(atp_blas_description(), "LAPACK") != NULL, linalg);
}

/* The text is cut where the buffer ends, always terminated, and its whole length is told. */
static void last_error_fits_the_buffer(void **state) {
  (void)state;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, NULL), ATP_E_NULL);
  char whole[256], cut[256];
  const int64_t length = atp_last_error(whole, sizeof whole);
  assert_string_equal(whole, "out is NULL");
  assert_int_equal(length, strlen(whole));
  assert_int_equal(atp_last_error(NULL, 0), length);
  assert_int_equal(atp_last_error(NULL, 100), length);
  for (int64_t size = 0; size <= length + 2; ++size) {
    memset(cut, 0x5A, sizeof cut);
    assert_int_equal(atp_last_error(cut, size), length);
    const int64_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
    assert_memory_equal(cut, whole, kept);
    if (size > 0) assert_int_equal(cut[kept], 0);
    for (int64_t c = size == 0 ? 0 : kept + 1; c < (int64_t)sizeof cut; ++c) assert_int_equal(cut[c], 0x5A);
  }
  memset(cut, 0x5A, sizeof cut);
  assert_int_equal(atp_last_error(cut, -1), length);
  assert_int_equal(cut[0], 0x5A);
}

struct half {
  pthread_barrier_t *barrier;
  int which, bad;
};

/* Two threads fail in different ways at the same time, many times: each reads its own text. */
static void *fail_my_way(void *pointer) {
  struct half *me = pointer;
  char text[256];
  if (atp_last_error(text, sizeof text) != 0) ++me->bad; /* nothing has failed in this thread yet */
  for (int round = 0; round < 200; ++round) {
    pthread_barrier_wait(me->barrier);
    if (me->which == 0)
      (void)atp_context_create(NULL, NULL, NULL, NULL);
    else
      (void)atp_option_bounds(ATP_OWNER_SAMPLER, (atp_option)(1000 + round), NULL, NULL, NULL, NULL);
    pthread_barrier_wait(me->barrier);
    atp_last_error(text, sizeof text);
    if (strstr(text, me->which == 0 ? "out is NULL" : "option 1") == NULL) ++me->bad;
  }
  return NULL;
}

static void last_error_belongs_to_the_thread(void **state) {
  (void)state;
  pthread_barrier_t barrier;
  assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
  struct half halves[2] = {{&barrier, 0, 0}, {&barrier, 1, 0}};
  pthread_t threads[2];
  for (int k = 0; k < 2; ++k) assert_int_equal(pthread_create(&threads[k], NULL, fail_my_way, &halves[k]), 0);
  for (int k = 0; k < 2; ++k) assert_int_equal(pthread_join(threads[k], NULL), 0);
  pthread_barrier_destroy(&barrier);
  assert_int_equal(halves[0].bad, 0);
  assert_int_equal(halves[1].bad, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_status_has_name_and_text),
    cmocka_unit_test(other_ints_are_unknown),
    cmocka_unit_test(every_outcome_has_a_name),
    cmocka_unit_test(versions_agree),
    cmocka_unit_test(features_are_named),
    cmocka_unit_test(last_error_fits_the_buffer),
    cmocka_unit_test(last_error_belongs_to_the_thread),
};

ATP_TEST_MAIN(tests)
