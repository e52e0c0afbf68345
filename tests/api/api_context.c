/* SPDX-License-Identifier: MIT */
/* Contexts: allocator, counters, SIMD targets, threads, error text. */
#include "counting.h"
#include "own_threads.h"
#include "support.h"

#include <attopotts.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static atp_context *const untouched = (atp_context *)(uintptr_t)0x5A5A5A50;

static void allocator_needs_both_functions(void **state) {
  (void)state;
  struct counter c = {0};
  atp_context *context = untouched;
  assert_int_equal(atp_context_create(counting_alloc, NULL, &c, &context), ATP_E_CONFLICT);
  assert_null(context);
  context = untouched;
  assert_int_equal(atp_context_create(NULL, counting_free, &c, &context), ATP_E_CONFLICT);
  assert_null(context);
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &c, NULL), ATP_E_NULL);
  assert_int_equal(c.calls, 0);
}

static void everything_is_given_back(void **state) {
  (void)state;
  struct counter c = {0};
  atp_context *context = NULL;
  atp_options *options = NULL;
  int64_t count = -1, bytes = -1;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &c, &context), ATP_OK);
  assert_int_equal(c.live, 1);
  const int64_t own = c.bytes;
  assert_int_equal(atp_context_memory(context, &count, &bytes), ATP_OK);
  assert_int_equal(count, 0);
  assert_int_equal(bytes, 0);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  assert_int_equal(atp_context_memory(context, &count, &bytes), ATP_OK);
  assert_int_equal(count, 1);
  assert_int_equal(bytes, c.bytes - own);
  assert_int_equal(atp_context_memory(context, NULL, NULL), ATP_OK);
  atp_options_destroy(options);
  assert_int_equal(atp_context_memory(context, &count, &bytes), ATP_OK);
  assert_int_equal(count, 1);
  assert_int_equal(bytes, 0);
  atp_context_destroy(context);
  assert_int_equal(c.live, 0);
  assert_int_equal(c.bytes, 0);
  assert_int_equal(c.bad, 0);
  atp_context_destroy(NULL);
}

static void failing_and_crooked_allocators(void **state) {
  (void)state;
  struct counter c = {.fail_at = 1};
  atp_context *context = untouched;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &c, &context), ATP_E_MEMORY);
  assert_null(context);
  assert_int_equal(c.live, 0);
  struct counter crooked = {.misalign = 8};
  context = untouched;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &crooked, &context), ATP_E_MEMORY);
  assert_null(context);
  assert_int_equal(crooked.live, 0);
  /* One that becomes crooked later. */
  struct counter late = {0};
  atp_options *options = (atp_options *)(uintptr_t)0x5A5A5A50;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &late, &context), ATP_OK);
  late.misalign = 32;
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_E_MEMORY);
  assert_null(options);
  late.misalign = 0;
  late.fail_at = late.calls + 1;
  options = (atp_options *)(uintptr_t)0x5A5A5A50;
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_E_MEMORY);
  assert_null(options);
  assert_int_equal(late.live, 1);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  atp_options_destroy(options);
  atp_context_destroy(context);
  assert_int_equal(late.live, 0);
  assert_int_equal(late.bad, 0);
}

static void targets_have_names(void **state) {
  (void)state;
  atp_context *context = NULL;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  const char *first = atp_simd_target(0), *last = first;
  assert_string_equal(first, "scalar");
  for (int64_t k = 0; atp_simd_target(k) != NULL; ++k) {
    last = atp_simd_target(k);
    assert_int_equal(atp_context_set_simd(context, last), ATP_OK);
    assert_string_equal(atp_context_simd(context), last);
  }
  assert_null(atp_simd_target(-1));
  assert_null(atp_simd_target(INT64_MAX));
  assert_int_equal(atp_context_set_simd(context, first), ATP_OK);
  assert_int_equal(atp_context_set_simd(context, "auto"), ATP_OK);
  assert_string_equal(atp_context_simd(context), last);
  const char *wrong[] = {"", "AVX2", "mmx", "avx512 "};
  for (int k = 0; k < 4; ++k) {
    assert_int_equal(atp_context_set_simd(context, wrong[k]), ATP_E_UNSUPPORTED);
    assert_string_equal(atp_context_simd(context), last);
  }
  /* A target of another architecture exists, but not here. */
  const char *foreign = atp_context_set_simd(context, "neon") == ATP_OK ? "avx2" : "neon";
  assert_int_equal(atp_context_set_simd(context, foreign), ATP_E_UNSUPPORTED);
  char text[512];
  atp_context_error(context, text, sizeof text);
  assert_non_null(strstr(text, foreign));
  atp_context_destroy(context);
}

static void environment_chooses_the_target(void **state) {
  (void)state;
  const char *before = getenv("ATP_SIMD");
  char kept[64] = "";
  if (before != NULL) snprintf(kept, sizeof kept, "%s", before);
  atp_context *context = NULL;
  for (int64_t k = 0; atp_simd_target(k) != NULL; ++k) {
    setenv("ATP_SIMD", atp_simd_target(k), 1);
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    assert_string_equal(atp_context_simd(context), atp_simd_target(k));
    atp_context_destroy(context);
  }
  setenv("ATP_SIMD", "avx1024", 1);
  context = untouched;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_E_UNSUPPORTED);
  assert_null(context);
  char text[512];
  atp_last_error(text, sizeof text);
  assert_non_null(strstr(text, "avx1024"));
  setenv("ATP_SIMD", "", 1); /* as if not set */
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  atp_context_destroy(context);
  if (before != NULL)
    setenv("ATP_SIMD", kept, 1);
  else
    unsetenv("ATP_SIMD");
}

static void threads_are_bounded(void **state) {
  (void)state;
  atp_context *context = NULL;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  const int64_t all = atp_context_threads(context);
  assert_true(all >= 1);
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  assert_int_equal(atp_context_threads(context), 1);
  assert_int_equal(atp_context_set_threads(context, 3), ATP_OK);
  const int64_t three = atp_context_threads(context);
  assert_int_equal(three, atp_has_feature("threads") ? 3 : three);
  const int64_t wrong[] = {-1, 1025, INT64_MIN, INT64_MAX};
  for (int k = 0; k < 4; ++k) {
    assert_int_equal(atp_context_set_threads(context, wrong[k]), ATP_E_VALUE);
    assert_int_equal(atp_context_threads(context), three);
  }
  assert_int_equal(atp_context_set_threads(context, 0), ATP_OK);
  assert_int_equal(atp_context_threads(context), all);
  assert_int_equal(atp_context_threads(NULL), 0);
  atp_context_destroy(context);
}

static void each_context_keeps_its_error(void **state) {
  (void)state;
  atp_context *a = NULL, *b = NULL;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &a), ATP_OK);
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &b), ATP_OK);
  char text[512] = "x", cut[8];
  assert_int_equal(atp_context_error(a, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_int_equal(atp_context_set_threads(a, -5), ATP_E_VALUE);
  assert_int_equal(atp_context_set_simd(b, "mmx"), ATP_E_UNSUPPORTED);
  const int64_t length = atp_context_error(a, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "threads is -5"));
  atp_context_error(b, text, sizeof text);
  assert_non_null(strstr(text, "mmx"));
  assert_int_equal(atp_context_error(a, cut, sizeof cut), length);
  assert_string_equal(cut, "threads");
  assert_int_equal(atp_context_error(a, NULL, 0), length);
  assert_int_equal(atp_context_error(NULL, text, sizeof text), 0);
  atp_context_destroy(a);
  atp_context_destroy(b);
}

struct failing {
  const atp_model *model;
  uint8_t color; /* not below the two colours of the model */
  int bad;
};

static void *fail_on_model(void *user) {
  struct failing *me = user;
  const uint8_t sequence[2] = {0, me->color};
  for (int round = 0; round < 2000; ++round) {
    double energy = 7;
    if (atp_model_energies(me->model, sequence, 1, &energy, 1) != ATP_E_ALPHABET || energy != 7) ++me->bad;
  }
  return NULL;
}

/* Calls on a const model may fail in two threads at once: the context keeps one of the two texts, whole. */
static void const_calls_may_fail_in_two_threads(void **state) {
  (void)state;
  atp_context *context = NULL;
  atp_model *model = NULL;
  char text[512];
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_model_create_random(context, 2, 2, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
  struct failing left = {model, 7, 0}, right = {model, 201, 0};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, fail_on_model, &left), 0);
  fail_on_model(&right);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(left.bad + right.bad, 0);
  assert_true(atp_context_error(context, text, sizeof text) > 0);
  assert_true((strstr(text, " 7,") != NULL) != (strstr(text, " 201,") != NULL));
  atp_model_destroy(model);
  atp_context_destroy(context);
}

/* A context has no threads before it needs them, and never any with set_threads(1). */
static void threads_start_when_they_are_needed(void **state) {
  (void)state;
  const int before = own_threads();
  if (before < 1) skip_because("there is no /proc/self/task");
  skip_where_emulated();
  for (int threads = 1; threads <= 3; threads += 2) {
    const uint8_t sequences[] = {0, 1, 2, 1, 1, 0, 0, 2, 2};
    atp_context *context;
    atp_model *model;
    atp_alignment *alignment;
    atp_sampler *sampler;
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    assert_int_equal(own_threads(), before);
    assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
    assert_int_equal(atp_model_create_random(context, 3, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
    assert_int_equal(atp_alignment_create(context, sequences, 3, 3, 3, NULL, &alignment), ATP_OK);
    assert_int_equal(own_threads(), before);
    assert_int_equal(atp_sampler_create(context, model, NULL, &sampler), ATP_OK);
    assert_int_equal(own_threads(), atp_has_feature("threads") ? before + threads - 1 : before);
    assert_int_equal(atp_sampler_sweep(sampler, 2, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(own_threads(), atp_has_feature("threads") ? before + threads - 1 : before);
    atp_sampler_destroy(sampler);
    atp_alignment_destroy(alignment);
    atp_model_destroy(model);
    atp_context_destroy(context);
    assert_true(threads_become(before));
  }
}

static void progress_of_nothing_is_nan(void **state) {
  (void)state;
  assert_true(isnan(atp_progress_value(NULL, ATP_PROGRESS_STEP)));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(allocator_needs_both_functions),     cmocka_unit_test(everything_is_given_back),
    cmocka_unit_test(failing_and_crooked_allocators),     cmocka_unit_test(targets_have_names),
    cmocka_unit_test(environment_chooses_the_target),     cmocka_unit_test(threads_are_bounded),
    cmocka_unit_test(each_context_keeps_its_error),       cmocka_unit_test(const_calls_may_fail_in_two_threads),
    cmocka_unit_test(threads_start_when_they_are_needed), cmocka_unit_test(progress_of_nothing_is_nan),
};

ATP_TEST_MAIN(tests)
