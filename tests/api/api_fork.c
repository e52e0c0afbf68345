/* SPDX-License-Identifier: MIT */
/* A host that forks: no thread before there is work, and a child that samples and learns with handles that its parent used with four
 * threads, with the parent's numbers. The child may wait for threads that it does not have: it is killed after a minute, and that fails. */
#include "own_threads.h"
#include "support.h"

#include <attopotts.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1 /* starts a thread of its own, and refuses threads in the child of a process with threads */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif
#ifndef HAS_TSAN
#define HAS_TSAN 0
#endif

enum { L = 24, Q = 5, N = 600, P = 8192 };

struct work {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  atp_alignment *alignment;
  atp_trainer *trainer;
  uint8_t samples[N * L];
  double parameters[P];
};

#define OK(call) \
  if ((call) != ATP_OK) return __LINE__

static int create(struct work *w) {
  memset(w, 0, sizeof *w);
  OK(atp_context_create(NULL, NULL, NULL, &w->context));
  OK(atp_context_set_threads(w->context, 4));
  OK(atp_options_create(w->context, ATP_OWNER_SAMPLER, &w->options));
  OK(atp_options_set_i64(w->options, ATP_OPT_CHAINS, 100));
  OK(atp_model_create_random(w->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &w->model));
  OK(atp_sampler_create(w->context, w->model, w->options, &w->sampler));
  return 0;
}

/* Sample; learn from the first samples; 0 or the line of the call that failed. */
static int step(struct work *w) {
  OK(atp_sampler_sample(w->sampler, 2, w->samples, sizeof w->samples, NULL, NULL, NULL));
  if (w->trainer == NULL) {
    OK(atp_alignment_create(w->context, w->samples, N, L, Q, NULL, &w->alignment));
    OK(atp_trainer_create(w->context, w->alignment, NULL, &w->trainer));
  }
  OK(atp_trainer_run(w->trainer, 3, NULL, NULL, NULL));
  OK(atp_trainer_parameters(w->trainer, w->parameters, atp_trainer_parameter_count(w->trainer)));
  return 0;
}

static void destroy(struct work *w) {
  atp_trainer_destroy(w->trainer);
  atp_alignment_destroy(w->alignment);
  atp_sampler_destroy(w->sampler);
  atp_model_destroy(w->model);
  atp_options_destroy(w->options);
  atp_context_destroy(w->context);
}

static struct work work, expected;

static void no_thread_before_there_is_work(void **state) {
  (void)state;
  skip_where_emulated();
  const int before = own_threads();
  atp_context *contexts[3] = {NULL};
  if (before < 0 || HAS_TSAN) skip_because("threads of the process cannot be counted here, or a sanitizer has its own");
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &contexts[k]), ATP_OK);
    assert_int_equal(atp_context_set_threads(contexts[k], k == 0 ? 1024 : 4), ATP_OK);
  }
  assert_int_equal(own_threads(), before);
  for (int k = 0; k < 3; ++k) atp_context_destroy(contexts[k]);
  assert_int_equal(create(&work), 0);
  assert_int_equal(own_threads(), before + (atp_has_feature("threads") ? 3 : 0));
  destroy(&work);
  assert_true(threads_become(before));
}

/* 0: the numbers that the parent found when it went on by itself. */
static int go_on(struct work *w) {
  const int line = step(w);
  if (line != 0) return 1;
  if (memcmp(w->samples, expected.samples, sizeof w->samples) != 0) return 2;
  if (memcmp(w->parameters, expected.parameters, sizeof w->parameters) != 0) return 3;
  destroy(w);
  return create(w) == 0 && step(w) == 0 ? 0 : 4; /* handles of its own */
}

static int status_of_child(pid_t child) {
  const struct timespec pause = {0, 10000000};
  for (int k = 0; k < 6000; ++k) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
    nanosleep(&pause, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return -1;
}

static void a_child_goes_on(void **state) {
  (void)state;
  skip_where_emulated();
  if (HAS_TSAN) skip_because("the thread sanitizer refuses threads in the child of a process with threads");
  assert_int_equal(create(&expected), 0);
  assert_true(atp_model_sites(expected.model) == L);
  assert_int_equal(step(&expected), 0);
  assert_int_equal(step(&expected), 0);
  assert_int_equal(create(&work), 0);
  assert_int_equal(step(&work), 0);
  assert_memory_not_equal(work.parameters, expected.parameters, sizeof work.parameters);
  for (int round = 0; round < 3; ++round) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(go_on(&work));
    assert_int_equal(status_of_child(child), 0);
  }
  /* The parent is as it was. */
  assert_int_equal(step(&work), 0);
  assert_memory_equal(work.samples, expected.samples, sizeof work.samples);
  assert_memory_equal(work.parameters, expected.parameters, sizeof work.parameters);
  destroy(&work);
  destroy(&expected);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_thread_before_there_is_work),
    cmocka_unit_test(a_child_goes_on),
};

ATP_TEST_MAIN(tests)
