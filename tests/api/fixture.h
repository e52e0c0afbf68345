/* SPDX-License-Identifier: MIT */
/** @file fixture.h
 *  What tests of trainers share: the handles of a test, its data, and the statuses of its calls. */
#ifndef ATTOPOTTS_TESTS_FIXTURE_H
#define ATTOPOTTS_TESTS_FIXTURE_H

#include "api_support.h"

typedef struct fixture {
  atp_context *context;
  atp_options *options;
  atp_alignment *train, *test;
  atp_trainer *trainer, *network;
} fixture;

#define OK(call) assert_int_equal((call), ATP_OK)

/* The status and a part of the text. */
#define REFUSED(call, status, part)     \
  do {                                  \
    assert_int_equal((call), (status)); \
    assert_error(f->context, (part));   \
  } while (0)

/* A small generator, so that the data are the same everywhere. */
static inline uint32_t next_random(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

/* Sequences in which a site equals its left neighbour, but one in `odds` times. */
static inline atp_alignment *neighbours(atp_context *context, int64_t n, int64_t sites, int64_t colors, uint32_t odds,
                                        const double *weights, uint32_t seed) {
  uint8_t *s = malloc((size_t)(n * sites));
  for (int64_t k = 0; k < n * sites; ++k)
    s[k] = (uint8_t)(k % sites > 0 && next_random(&seed) % odds ? s[k - 1] : next_random(&seed) % (uint32_t)colors);
  atp_alignment *a = NULL;
  OK(atp_alignment_create(context, s, n, sites, colors, weights, &a));
  free(s);
  return a;
}

static inline void set(fixture *f, atp_option key, double value) { OK(atp_options_set_f64(f->options, key, value)); }

/* A context with options of this owner and one thread; NULL where they cannot be had. */
static inline fixture *begin(void **state, int owner) {
  fixture *f = calloc(1, sizeof *f);
  *state = f;
  if (atp_context_create(NULL, NULL, NULL, &f->context) != ATP_OK || atp_options_create(f->context, owner, &f->options) != ATP_OK)
    return NULL;
  atp_context_set_threads(f->context, 1);
  return f;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  void *context = f->context;
  atp_trainer_destroy(f->network);
  atp_trainer_destroy(f->trainer);
  atp_alignment_destroy(f->test);
  atp_alignment_destroy(f->train);
  atp_options_destroy(f->options);
  free(f);
  return context_teardown(&context);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
