/* SPDX-License-Identifier: MIT */
/** @file families.h
 *  The families of trainers and their objectives, so that a test of all of them also has those to come. */
#ifndef ATTOPOTTS_TESTS_FAMILIES_H
#define ATTOPOTTS_TESTS_FAMILIES_H

#include "support.h"

#include <attopotts.h>

/* The last constant of atp_family; ATP_FAMILY_FACTORED is the first. */
static inline int64_t last_family(void) {
  double last = 0;
  assert_int_equal(atp_option_bounds(ATP_OWNER_TRAINER, ATP_OPT_FAMILY, NULL, &last, NULL, NULL), ATP_OK);
  assert_true(last >= ATP_FAMILY_DIAL);
  return (int64_t)last;
}

/* Sets the family, and the objective unless it is the family's default, of the k-th training that there is; 0: there are no more. */
static inline int set_training(atp_context *context, atp_options *options, int64_t k) {
  double last = 0;
  assert_int_equal(atp_option_bounds(ATP_OWNER_TRAINER, ATP_OPT_OBJECTIVE, NULL, &last, NULL, NULL), ATP_OK);
  for (int64_t family = ATP_FAMILY_FACTORED; family <= last_family(); ++family)
    for (int64_t objective = ATP_OBJECTIVE_MLM; objective <= (int64_t)last; ++objective) {
      int64_t bytes = 0;
      assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, family), ATP_OK);
      assert_int_equal(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, objective == ATP_OBJECTIVE_MLM ? 0 : objective), ATP_OK);
      if (atp_trainer_bytes(context, 10, 3, 3, options, &bytes) == ATP_OK && k-- == 0) return 1;
    }
  return 0;
}

#endif
