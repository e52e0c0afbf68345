/* SPDX-License-Identifier: MIT */
/** @file trainer_support.h
 *  What the tests of trainers share: small data and a factored trainer of double precision on them. */
#ifndef ATTOPOTTS_TESTS_TRAINER_SUPPORT_H
#define ATTOPOTTS_TESTS_TRAINER_SUPPORT_H

#include "fixture.h"

enum { N = 40, L = 5, Q = 3, MAPS = L * L, VALUES = Q * Q, FIELDS = L * Q, PARAMETERS = MAPS + VALUES + FIELDS };

static inline atp_alignment *make_data(atp_context *context, int64_t sites, int64_t colors, uint32_t seed) {
  return neighbours(context, N, sites, colors, 2, NULL, seed);
}

static inline int setup(void **state) {
  fixture *f = begin(state, ATP_OWNER_TRAINER);
  if (f == NULL) return 1;
  f->train = make_data(f->context, L, Q, 1);
  set(f, ATP_OPT_FIELDS, 1);
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_L2_COUPLINGS, 0.01);
  set(f, ATP_OPT_L2_COLORS, 0.02);
  set(f, ATP_OPT_L2_FIELDS, 0.03);
  return atp_trainer_create(f->context, f->train, f->options, &f->trainer) != ATP_OK;
}

/* The same options of dense couplings, which have no V. */
static inline void set_dense(fixture *f) {
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  set(f, ATP_OPT_L2_COLORS, 0);
}

static inline void get(const atp_trainer *trainer, double *x) { assert_int_equal(atp_trainer_parameters(trainer, x, PARAMETERS), ATP_OK); }

#endif
