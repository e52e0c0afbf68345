/* SPDX-License-Identifier: MIT */
/** @file runs_fixture.h
 *  What runs of every kind need: a context of two threads, options, a random model and an alignment. The including file defines L, Q
 *  and N. */
#ifndef ATTOPOTTS_TESTS_RUNS_FIXTURE_H
#define ATTOPOTTS_TESTS_RUNS_FIXTURE_H

#include "api_support.h"
#include "task_support.h"

static struct {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_alignment *data;
} in;

static int set_up(void **state) {
  static uint8_t sequences[N * L];
  (void)state;
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)((k * k + k / 7) % Q);
  return atp_context_create(NULL, NULL, NULL, &in.context) != ATP_OK || atp_context_set_threads(in.context, 2) != ATP_OK ||
         atp_options_create(in.context, ATP_OWNER_SAMPLER, &in.options) != ATP_OK ||
         atp_model_create_random(in.context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &in.model) != ATP_OK ||
         atp_alignment_create(in.context, sequences, N, L, Q, NULL, &in.data) != ATP_OK;
}

static int tear_down(void **state) {
  (void)state;
  atp_alignment_destroy(in.data);
  atp_model_destroy(in.model);
  atp_options_destroy(in.options);
  atp_context_destroy(in.context);
  return 0;
}

#endif
