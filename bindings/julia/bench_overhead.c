/* SPDX-License-Identifier: MIT */
/* The same loop as bench_overhead.jl in C.
 * Build: cc -O2 bench_overhead.c -o bench_overhead $(pkg-config --cflags --libs attopotts) */
#define _POSIX_C_SOURCE 199309L
#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(atp_status status) {
  if (status != ATP_OK) fprintf(stderr, "%s\n", atp_status_name(status)), exit(1);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double round_of_calls(atp_sampler *sampler, int calls) {
  const double begin = seconds();
  for (int k = 0; k < calls; k++) check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  return calls * 100.0 * (double)(atp_sampler_chains(sampler) * atp_sampler_sites(sampler)) / (seconds() - begin);
}

int main(void) {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  double best = 0;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_context_set_threads(context, 1));
  check(atp_options_create(context, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, 64));
  check(atp_model_create_random(context, 20, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_sampler_create(context, model, options, &sampler));
  round_of_calls(sampler, 20);
  for (int k = 0; k < 20; k++) {
    const double rate = round_of_calls(sampler, 50);
    if (rate > best) best = rate;
  }
  printf("C: %.0f site updates/s\n", best);
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_options_destroy(options), atp_context_destroy(context);
  return 0;
}
