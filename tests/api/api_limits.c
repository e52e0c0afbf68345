/* SPDX-License-Identifier: MIT */
/* The memory limit of a context: set, asked for, and refused blocks that are never touched. What each call of the API does when its
 * limit is too small is in api_memory.c. */
#include "counting.h"
#include "support.h"

#include <attopotts.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* sanitizers need address space of their own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define GIGA ((int64_t)1000000000)

/* 15000^2 doubles, 1.8 GB: more than is left here, and a size that a machine of 32 bits can name. */
static atp_status large_model(atp_context *context, atp_model **out) {
  return atp_model_create_random(context, 15000, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, out);
}

static void set_and_asked(void **state) {
  (void)state;
  atp_context *context = NULL;
  int64_t limit = -1, available = -1;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_context_memory_limit(context, &limit, &available), ATP_OK);
  assert_true(limit == 0);
  assert_true(available > 0);
  assert_int_equal(atp_context_set_memory_limit(context, 5 * GIGA), ATP_OK);
  assert_int_equal(atp_context_memory_limit(context, &limit, &available), ATP_OK);
  assert_true(limit == 5 * GIGA);
  assert_true(available == 5 * GIGA);
  assert_int_equal(atp_context_set_memory_limit(context, -1), ATP_E_VALUE);
  char text[256];
  atp_context_error(context, text, sizeof text);
  assert_non_null(strstr(text, "-1"));
  assert_int_equal(atp_context_memory_limit(context, &limit, NULL), ATP_OK);
  assert_true(limit == 5 * GIGA);
  assert_int_equal(atp_context_set_memory_limit(context, 0), ATP_OK);
  assert_int_equal(atp_context_memory_limit(context, &limit, NULL), ATP_OK);
  assert_true(limit == 0);
  atp_context_destroy(context);
}

static void what_is_in_use_counts(void **state) {
  (void)state;
  atp_context *context = NULL;
  atp_model *first = NULL, *second = NULL;
  int64_t bytes = 0, available = -1;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_model_create_random(context, 50, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &first), ATP_OK);
  assert_int_equal(atp_context_memory(context, NULL, &bytes), ATP_OK);
  assert_int_equal(atp_context_set_memory_limit(context, 2 * bytes - 1), ATP_OK);
  assert_int_equal(atp_model_copy(context, first, &second), ATP_E_MEMORY);
  assert_null(second);
  assert_int_equal(atp_context_set_memory_limit(context, 2 * bytes), ATP_OK);
  assert_int_equal(atp_model_copy(context, first, &second), ATP_OK);
  assert_int_equal(atp_context_memory_limit(context, NULL, &available), ATP_OK);
  assert_true(available == 0);
  atp_model_destroy(second);
  assert_int_equal(atp_context_set_memory_limit(context, 1), ATP_OK); /* below the memory in use: no new blocks, old ones stay */
  assert_int_equal(atp_context_memory_limit(context, NULL, &available), ATP_OK);
  assert_true(available == 0);
  assert_int_equal(atp_model_copy(context, first, &second), ATP_E_MEMORY);
  atp_model_destroy(first);
  atp_context_destroy(context);
}

/* A block of 1.8 GB is refused with the numbers before the allocator sees it. */
static void refused_with_numbers(void **state) {
  (void)state;
  struct counter c = {0};
  atp_context *context = NULL;
  atp_model *model = NULL;
  char text[512];
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &c, &context), ATP_OK);
  assert_int_equal(atp_context_set_memory_limit(context, 1100000000), ATP_OK);
  const int64_t calls = c.calls;
  assert_int_equal(large_model(context, &model), ATP_E_MEMORY);
  assert_null(model);
  assert_true(c.calls == calls);
  atp_last_error(text, sizeof text);
  if (strstr(text, "needs 1.8 GB") == NULL) print_error("%s\n", text);
  assert_non_null(strstr(text, "needs 1.8 GB"));
  assert_non_null(strstr(text, "the memory limit leaves 1.1 GB"));
  assert_non_null(strstr(text, "atp_context_set_memory_limit"));
  atp_context_destroy(context);
  assert_true(c.live == 0 && c.bad == 0);
}

/* In a child with little address space: the automatic limit respects it, also for the sum of small blocks. */
static int in_little_space(void) {
  const struct rlimit limit = {(rlim_t)600 << 20, (rlim_t)600 << 20};
  atp_context *context = NULL;
  atp_model *model = NULL, *models[100] = {NULL};
  char text[512];
  int64_t available = 0;
  if (setrlimit(RLIMIT_AS, &limit) != 0 || atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  if (atp_context_memory_limit(context, NULL, &available) != ATP_OK || available > 600 << 20) return 2;
  if (large_model(context, &model) != ATP_E_MEMORY) return 3;
  atp_last_error(text, sizeof text);
  if (strstr(text, "needs 1.8 GB") == NULL || strstr(text, "automatic memory limit") == NULL) return 4;
  int made = 0;
  atp_status status = ATP_OK;
  for (; made < 100 && status == ATP_OK; ++made) /* 12.5 MB each */
    status = atp_model_create_random(context, 1250, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &models[made]);
  if (status != ATP_E_MEMORY || made < 20 || made > 52) return 5;
  atp_last_error(text, sizeof text);
  if (strstr(text, "automatic memory limit") == NULL && strstr(text, "the allocator returned NULL") == NULL) return 6;
  while (made > 0) atp_model_destroy(models[--made]);
  return large_model(context, &model) == ATP_E_MEMORY ? 9 : 7;
}

static void automatic(void **state) {
  (void)state;
  skip_where_emulated();
  if (SANITIZED) skip_because("sanitizers take addresses of their own");
  const pid_t child = fork();
  int status = 0;
  assert_true(child >= 0);
  if (child == 0) _exit(in_little_space());
  assert_true(waitpid(child, &status, 0) == child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 9);
}

enum { N = 12, L = 10 };

/* Calls that reach BLIS and LAPACK, in a child that can have `megabytes` more address space. 0: they succeed; 1: ATP_E_MEMORY; else a
 * place. */
static int algebra_in(int megabytes) {
  double precision[L * L], eigenvalues[L - 1], projections[L - 1];
  uint8_t sequences[N * L];
  long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (statm == NULL || fscanf(statm, "%ld", &pages) != 1) return 2;
  fclose(statm);
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)(k * k / 3 % 4);
  const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)megabytes << 20);
  const struct rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 3;
  if (strstr(atp_blas_description(), "BLIS") == NULL) return 4;
  atp_context *context = NULL;
  atp_status status = atp_context_create(NULL, NULL, NULL, &context);
  if (status == ATP_OK) status = atp_context_set_threads(context, 1);
  if (status == ATP_OK) status = atp_replica_goe(L, 2.5, 1, precision, L * L);
  atp_alignment *alignment = NULL;
  atp_model *model = NULL;
  atp_masked *masked = NULL;
  if (status == ATP_OK) status = atp_alignment_create(context, sequences, N, L, 4, NULL, &alignment);
  if (status == ATP_OK) status = atp_mean_field_model(context, alignment, NULL, &model);
  if (status == ATP_OK) status = atp_masked_create_precision(context, precision, L, 0, &masked);
  if (status == ATP_OK) status = atp_masked_spectrum(masked, eigenvalues, projections, L - 1);
  return status == ATP_OK ? 0 : status == ATP_E_MEMORY ? 1 : 5;
}

/* BLIS aborts the process where malloc gives it nothing: no amount of memory may lead there. */
static void linear_algebra(void **state) {
  (void)state;
  skip_where_emulated();
  if (SANITIZED) skip_because("sanitizers take addresses of their own");
  if (atp_has_feature("blis") == 0) skip_because("this build has no BLIS");
  int seen[2] = {0, 0};
  for (int megabytes = 0; megabytes < 120; ++megabytes) {
    const pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) _exit(algebra_in(megabytes));
    assert_true(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
      fail_msg("%d MiB: %s %d", megabytes, WIFEXITED(status) ? "place" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    ++seen[WEXITSTATUS(status)];
  }
  assert_true(seen[0] > 0 && seen[1] > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(linear_algebra),       cmocka_unit_test(set_and_asked), cmocka_unit_test(what_is_in_use_counts),
    cmocka_unit_test(refused_with_numbers), cmocka_unit_test(automatic),
};

ATP_TEST_MAIN(tests)
