/* SPDX-License-Identifier: MIT */
/* Phases of dot-product attention on several ranks, solved to an accuracy: the bits of a context without ranks. */
#include "support.h"

#include "ranks_of_tasks.h"

static const double alphas[] = {2.5}, omegas[] = {0.3};

static one_task alone;

static void curve(void **state) {
  static const task_case of = {ATP_TASK_DOTATTN_CURVE,
                               {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 0.1}, {0}},
                               {{ATP_ARRAY_ALPHAS, alphas, 1, 1}, {0}}};
  (void)state;
  run_alone(&of, &alone);
  check_all_ranks(&alone);
}

static void transition(void **state) {
  static const task_case of = {
      ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 50}, {0}}, {{ATP_ARRAY_OMEGAS, omegas, 1, 1}, {0}}};
  (void)state;
  run_alone(&of, &alone);
  check_all_ranks(&alone);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(curve), cmocka_unit_test(transition)};

ATP_TEST_MAIN(tests)
