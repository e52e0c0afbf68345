/* SPDX-License-Identifier: MIT */
/* Preloaded into the program: plants the fault that ATP_PLANTED names into the library, for `attopotts check` to find.
 *
 *     kernel   on other targets than scalar the last bit of a gradient is wrong
 *     threads  the same with several threads
 *     samples  in large sets one sequence of a hundred begins with colour 0
 *     slow     sweeps on other targets than scalar take 20 ms more */
#define _GNU_SOURCE
#include <attopotts.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE = 100000 };

static int is_planted(const char *fault) {
  const char *planted = getenv("ATP_PLANTED");
  return planted != NULL && strcmp(planted, fault) == 0;
}

static int is_scalar(const atp_context *context) { return strcmp(atp_context_simd(context), "scalar") == 0; }

/* ISO C has no conversion from void * to a function. */
static void find(const char *name, void *function) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) abort();
  memcpy(function, &symbol, sizeof symbol);
}

atp_status atp_trainer_gradient(atp_trainer *trainer, double *loss, double *objective, double *gradient, int64_t size) {
  atp_status (*real)(atp_trainer *, double *, double *, double *, int64_t);
  find("atp_trainer_gradient", &real);
  const atp_status status = real(trainer, loss, objective, gradient, size);
  const atp_context *context = atp_trainer_context(trainer);
  const int wrong = (is_planted("kernel") && !is_scalar(context)) || (is_planted("threads") && atp_context_threads(context) > 1);
  if (wrong && gradient != NULL) {
    uint64_t bits;
    memcpy(&bits, gradient, sizeof bits);
    bits ^= 1;
    memcpy(gradient, &bits, sizeof bits);
  }
  return status;
}

atp_status atp_sampler_sample(atp_sampler *sampler, int64_t thin, uint8_t *sequences, int64_t size, atp_progress_fn progress, void *user,
                              atp_outcome *outcome) {
  atp_status (*real)(atp_sampler *, int64_t, uint8_t *, int64_t, atp_progress_fn, void *, atp_outcome *);
  find("atp_sampler_sample", &real);
  const atp_status status = real(sampler, thin, sequences, size, progress, user, outcome);
  if (is_planted("samples") && size > LARGE)
    for (int64_t first = 0; first < size; first += 100 * atp_sampler_sites(sampler)) sequences[first] = 0;
  return status;
}

atp_status atp_sampler_sweep(atp_sampler *sampler, int64_t sweeps, atp_progress_fn progress, void *user, atp_outcome *outcome) {
  atp_status (*real)(atp_sampler *, int64_t, atp_progress_fn, void *, atp_outcome *);
  find("atp_sampler_sweep", &real);
  if (is_planted("slow") && !is_scalar(atp_sampler_context(sampler))) {
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
  }
  return real(sampler, sweeps, progress, user, outcome);
}
