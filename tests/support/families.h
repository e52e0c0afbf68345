/* SPDX-License-Identifier: MIT */
/** @file families.h
 *  The families of trainers, so that a test of all of them also has those to come. */
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

#endif
