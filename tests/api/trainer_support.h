/* SPDX-License-Identifier: MIT */
/** @file trainer_support.h
 *  What the tests of trainers share: small data and a factored trainer of double precision on them. */
#ifndef ATTOPOTTS_TESTS_TRAINER_SUPPORT_H
#define ATTOPOTTS_TESTS_TRAINER_SUPPORT_H

#include "support.h"

#include <attopotts.h>

#include <stdlib.h>
#include <string.h>

enum { N = 40, L = 5, Q = 3, MAPS = L * L, VALUES = Q * Q, FIELDS = L * Q, PARAMETERS = MAPS + VALUES + FIELDS };

typedef struct fixture {
  atp_context *context;
  atp_options *options;
  atp_alignment *train;
  atp_trainer *trainer;
} fixture;

/* A small generator, so that the data are the same everywhere. */
static inline uint32_t next_random(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

static inline atp_alignment *make_data(atp_context *context, int64_t sites, int64_t colors, uint32_t seed) {
  uint8_t *s = malloc((size_t)(N * sites));
  for (int64_t k = 0; k < N * sites; ++k)
    s[k] = (uint8_t)(k % sites > 0 && next_random(&seed) % 2 ? s[k - 1] : next_random(&seed) % (uint32_t)colors);
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, s, N, sites, colors, NULL, &a), ATP_OK);
  free(s);
  return a;
}

static inline void set(fixture *f, atp_option key, double value) { assert_int_equal(atp_options_set_f64(f->options, key, value), ATP_OK); }

static inline int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  *state = f;
  if (atp_context_create(NULL, NULL, NULL, &f->context) != ATP_OK || atp_options_create(f->context, &f->options) != ATP_OK) return 1;
  atp_context_set_threads(f->context, 1);
  f->train = make_data(f->context, L, Q, 1);
  set(f, ATP_OPT_FIELDS, 1);
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_L2_COUPLINGS, 0.01);
  set(f, ATP_OPT_L2_COLORS, 0.02);
  set(f, ATP_OPT_L2_FIELDS, 0.03);
  return atp_trainer_create(f->context, f->train, f->options, &f->trainer) != ATP_OK;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  int64_t bytes = -1;
  atp_trainer_destroy(f->trainer);
  atp_alignment_destroy(f->train);
  atp_options_destroy(f->options);
  atp_context_memory(f->context, NULL, &bytes);
  atp_context_destroy(f->context);
  free(f);
  return bytes != 0; /* something was not given back */
}

static inline void assert_error(const fixture *f, const char *part) {
  char text[512];
  atp_context_error(f->context, text, sizeof text);
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in the error \"%s\"", part, text);
}

/* The status and a part of the text. */
#define REFUSED(call, status, part)     \
  do {                                  \
    assert_int_equal((call), (status)); \
    assert_error(f, (part));            \
  } while (0)

static inline void get(const atp_trainer *trainer, double *x) { assert_int_equal(atp_trainer_parameters(trainer, x, PARAMETERS), ATP_OK); }

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
