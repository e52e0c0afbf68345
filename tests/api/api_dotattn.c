/* SPDX-License-Identifier: MIT */
/* Dot-product attention through the C API: results, every status with its text, outputs untouched where a call fails. */
#include "support.h"
#include "task_support.h"

#include <string.h>

/* Sanitizers take ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { N = 2 };
#else
enum { N = 3 };
#endif
enum { C = ATP_DOTATTN_COLUMNS };

static atp_context *context;
static const double map[4] = {0.6, 0.4, 0.4, 0.6};
static const double alphas[3] = {1.5, 0.8, 1.0};
static double rows[N * C], untouched[64];
static atp_outcome outcome;

static int points(void) { return quick() ? 2 : N; }

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

#define FAILS(call, status, part)                                 \
  do {                                                            \
    for (int k = 0; k < 64; ++k) untouched[k] = -7;               \
    outcome = (atp_outcome)77;                                    \
    assert_int_equal((call), (status));                           \
    assert_text(part);                                            \
    for (int k = 0; k < 64; ++k) assert_true(untouched[k] == -7); \
    assert_int_equal(outcome, 77);                                \
  } while (0)

static int make(void **state) {
  (void)state;
  return atp_context_create(NULL, NULL, NULL, &context) != ATP_OK;
}
static int end(void **state) {
  (void)state;
  atp_context_destroy(context);
  return 0;
}

/* A curve of two tokens with the teacher of [C24] or another one. */
static task_case curve(int branch, int64_t n, double accuracy) {
  const task_case c = {
      ATP_TASK_DOTATTN_CURVE, {{ATP_OPT_BRANCH, branch}, {ATP_OPT_ACCURACY, accuracy}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, n, 1}, {0}}};
  return c;
}

/* Holds for every row: bounds of the order parameters, and the equations of the prior. */
static void check_row(const double *row) {
  const double rho = 0.25, stiffness = 0.01 + rho * row[ATP_DOTATTN_VHAT];
  assert_int_equal((int)row[ATP_DOTATTN_OUTCOME], ATP_OUTCOME_CONVERGED);
  assert_true(row[ATP_DOTATTN_Q] > 0 && row[ATP_DOTATTN_V] > 0 && row[ATP_DOTATTN_EG] > 0 && row[ATP_DOTATTN_ET] > 0);
  assert_true(row[ATP_DOTATTN_THETA] * row[ATP_DOTATTN_THETA] <= rho * row[ATP_DOTATTN_Q]);
  assert_true(rho * row[ATP_DOTATTN_M] * row[ATP_DOTATTN_M] <= row[ATP_DOTATTN_Q]);
  assert_true(row[ATP_DOTATTN_RESIDUAL] <= 1e-8 && row[ATP_DOTATTN_QUADRATURE] <= 1e-2 && row[ATP_DOTATTN_ITERATIONS] > 0);
  assert_close(row[ATP_DOTATTN_V], rho / stiffness, 2e-8, 0);
  assert_close(row[ATP_DOTATTN_M], row[ATP_DOTATTN_MHAT] / stiffness, 4e-8, 0);
  assert_close(row[ATP_DOTATTN_THETA], rho * rho * row[ATP_DOTATTN_THETAHAT] / stiffness, 4e-8, 0);
  assert_close(row[ATP_DOTATTN_Q],
               rho *
                   (rho * row[ATP_DOTATTN_QHAT] + row[ATP_DOTATTN_MHAT] * row[ATP_DOTATTN_MHAT] +
                    rho * rho * row[ATP_DOTATTN_THETAHAT] * row[ATP_DOTATTN_THETAHAT]) /
                   (stiffness * stiffness),
               4e-8, 0);
}

static int stop_after_one(const atp_progress *progress, void *user) {
  (void)user;
  assert_true(atp_progress_value(progress, ATP_PROGRESS_TOTAL) == points());
  return atp_progress_value(progress, ATP_PROGRESS_STEP) >= 1;
}

/* The longest time between two reports, and whether it stops the run at the first of them. */
struct silence {
  double last, longest;
  int calls, stop;
};
static int listen(const atp_progress *progress, void *user) {
  struct silence *silence = user;
  const double now = atp_progress_value(progress, ATP_PROGRESS_SECONDS);
  if (now - silence->last > silence->longest) silence->longest = now - silence->last;
  silence->last = now;
  ++silence->calls;
  return silence->stop;
}

static void curves(void **state) {
  (void)state;
  const int n = points();
  if (n < N) left_out("curves (a third point)");
  double linear[4], loss, again[N * C];
  assert_int_equal(atp_dotattn_linear(map, 4, 0.3, 0.5, linear, 4, &loss), ATP_OK);
  assert_close(linear[0] + linear[1], 1, 1e-14, 0);
  assert_close(linear[2] + linear[3], 1, 1e-14, 0);
  for (int branch = 1; branch <= 3; ++branch) {
    const task_case c = curve(branch, n, 1e-2);
    assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    for (int k = 0; k < n; ++k) {
      const double *row = rows + k * C;
      check_row(row);
      assert_true(row[ATP_DOTATTN_ALPHA] == alphas[k] && row[ATP_DOTATTN_OMEGA] == 0.3 && row[ATP_DOTATTN_EG_LINEAR] == loss);
      assert_int_equal((int)row[ATP_DOTATTN_BRANCH], branch);
      assert_true((row[ATP_DOTATTN_THETA] > 0) == (branch == 1) && (row[ATP_DOTATTN_M] > 0) == (branch == 2));
      assert_true((row[ATP_DOTATTN_THETAHAT] != 0) == (branch == 1) && (row[ATP_DOTATTN_MHAT] != 0) == (branch == 2));
    }
  }
  /* One thread: the same numbers. */
  task_case c = curve(ATP_DOTATTN_UNINFORMED, n, 1e-2);
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  assert_int_equal(run_task(context, &c, NULL, NULL, again, NULL), ATP_OK);
  assert_memory_equal(again, rows, (size_t)n * C * sizeof *rows);
  /* Few iterations; a callback that stops. */
  task_case few = curve(ATP_DOTATTN_SEMANTIC, n, 1e-2);
  few.options[2] = (task_option){ATP_OPT_MAX_ITER, 3};
  assert_int_equal(run_task(context, &few, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_int_equal(run_task(context, &c, stop_after_one, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  int made = 0;
  for (int k = 0; k < n; ++k) {
    const int cancelled = rows[k * C + ATP_DOTATTN_OUTCOME] == ATP_OUTCOME_CANCELLED;
    assert_true(cancelled == (isnan(rows[k * C + ATP_DOTATTN_EG]) != 0));
    made += !cancelled;
  }
  assert_int_equal(made, 1);
}

/* Alone as in lists, in both directions. At alpha = 4 the uninformed solution is not found by iteration. Sanitizers see the same code in
 * curves(). */
static void lists(void **state) {
  (void)state;
  if (N < 3) return;
  skip_where_quick();
  static const double up[3] = {3.5, 3.75, 4}, down[2] = {4, 3.5};
  double three[3 * C], two[2 * C], one[C];
  task_case c = curve(ATP_DOTATTN_UNINFORMED, 3, 1e-1);
  c.inputs[0].values = up;
  assert_int_equal(run_task(context, &c, NULL, NULL, three, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  c.inputs[0].values = down;
  c.inputs[0].rows = 2;
  assert_int_equal(run_task(context, &c, NULL, NULL, two, NULL), ATP_OK);
  c.inputs[0].rows = 1;
  assert_int_equal(run_task(context, &c, NULL, NULL, one, NULL), ATP_OK);
  assert_memory_equal(one, three + 2 * C, sizeof one);
  assert_memory_equal(two, three + 2 * C, sizeof one);
  assert_memory_equal(two + C, three, sizeof one);
  assert_close(one[ATP_DOTATTN_Q], 0.12982, 1e-3, 0);
}

/* A transition reports while it goes on, and ends where a report says so. The machine may be busy. */
static void reports_of_a_transition(void **state) {
  (void)state;
  static const double omega = 0.3;
  const task_case c = {
      ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_ACCURACY, 1e-2}, {ATP_OPT_MAX_ITER, 60}, {0}}, {{ATP_ARRAY_OMEGAS, &omega, 1, 1}, {0}}};
  double row[ATP_DOTATTN_TRANSITION_COLUMNS];
  struct silence silence = {0, 0, 0, 0};
  assert_int_equal(run_task(context, &c, listen, &silence, row, &outcome), ATP_OK);
  print_message("longest silence %.3f s, %d reports\n", silence.longest, silence.calls);
  assert_true(silence.calls >= 1 && silence.longest < seconds_allowed());
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  silence.stop = 1;
  assert_int_equal(run_task(context, &c, listen, &silence, row, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(isnan(row[ATP_DOTATTN_TRANSITION_ALPHA_C]));
}

/* A row sum of 1 + delta shifts the target by delta / 2 and adds rho omega^2 delta^2 / 4 to losses, alpha times to e_t. */
static void rows_that_do_not_sum_to_one(void **state) {
  (void)state;
  const double wrong[4] = {0.6, 0.4, 0.5, 0.7};
  double a[C], b[C], linear[4];
  task_case of_wrong = curve(ATP_DOTATTN_UNINFORMED, 1, 1e-2), of_right = curve(ATP_DOTATTN_UNINFORMED, 1, 1e-2);
  of_wrong.inputs[1] = (task_input){ATP_ARRAY_TEACHER, wrong, 2, 2};
  of_right.inputs[1] = (task_input){ATP_ARRAY_TEACHER, map, 2, 2};
  assert_int_equal(run_task(context, &of_wrong, NULL, NULL, a, NULL), ATP_OK);
  assert_int_equal(run_task(context, &of_right, NULL, NULL, b, NULL), ATP_OK);
  const double extra = 0.25 / 2 * 0.3 * 0.3 * 0.2 * 0.2 / 2;
  assert_close(a[ATP_DOTATTN_Q], b[ATP_DOTATTN_Q], 1e-7, 0);
  assert_close(a[ATP_DOTATTN_EG], b[ATP_DOTATTN_EG] + extra, 1e-7, 0);
  assert_close(a[ATP_DOTATTN_ET], b[ATP_DOTATTN_ET] + alphas[0] * extra, 1e-7, 0);
  assert_close(a[ATP_DOTATTN_EG_LINEAR], b[ATP_DOTATTN_EG_LINEAR], 1e-7, 0);
  assert_int_equal(atp_dotattn_linear(wrong, 4, 0.3, 0.5, linear, 4, NULL), ATP_OK);
  assert_close(linear[2] + linear[3], 1.06, 1e-14, 0);
}

static void few_samples_without_penalty(void **state) {
  (void)state;
  static const double few = 0.01;
  task_case c = curve(ATP_DOTATTN_UNINFORMED, 1, 1e-2);
  c.options[2] = (task_option){ATP_OPT_LAMBDA, 0};
  c.inputs[0].values = &few;
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isnan(rows[ATP_DOTATTN_Q]) && isnan(rows[ATP_DOTATTN_EG]) && isnan(rows[ATP_DOTATTN_ET]));
}

static void wrong_values(void **state) {
  (void)state;
  const double nan_map[4] = {0.6, NAN, 0.4, 0.6}, huge[4] = {0.6, 0.4, 2000, 0.6};
  FAILS(atp_dotattn_linear(map, 3, 0.3, 0.5, untouched, 4, NULL), ATP_E_SHAPE, "teacher_size is 3, must be 4");
  FAILS(atp_dotattn_linear(nan_map, 4, 0.3, 0.5, untouched, 4, NULL), ATP_E_NOT_FINITE, "teacher[0][1]");
  FAILS(atp_dotattn_linear(huge, 4, 0.3, 0.5, untouched, 4, NULL), ATP_E_VALUE, "teacher[1][0] is 2000");
  FAILS(atp_dotattn_linear(map, 4, 2, 0.5, untouched, 4, NULL), ATP_E_VALUE, "omega is 2");
  FAILS(atp_dotattn_linear(map, 4, NAN, 0.5, untouched, 4, NULL), ATP_E_NOT_FINITE, "omega is");
  FAILS(atp_dotattn_linear(map, 4, 0.3, 0, untouched, 4, NULL), ATP_E_VALUE, "sigma is 0");
  FAILS(atp_dotattn_linear(map, 4, 0.3, 0.5, untouched, 3, NULL), ATP_E_SHAPE, "map_size is 3, must be 4");
}

static void bytes(void **state) {
  (void)state;
  static double many[1000];
  int64_t told = 0, one = 0;
  for (int k = 0; k < 1000; ++k) many[k] = 1;
  task_case c = curve(ATP_DOTATTN_UNINFORMED, 1000, 1e-2);
  c.inputs[0].values = many;
  assert_int_equal(bytes_of_task(context, &c, &told), ATP_OK);
  c.inputs[0].rows = 1;
  assert_int_equal(bytes_of_task(context, &c, &one), ATP_OK);
  assert_true(one > 0 && told == one);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(curves),
    cmocka_unit_test(lists),
    cmocka_unit_test(reports_of_a_transition),
    cmocka_unit_test(rows_that_do_not_sum_to_one),
    cmocka_unit_test(few_samples_without_penalty),
    cmocka_unit_test(wrong_values),
    cmocka_unit_test(bytes),
};

int main(void) {
  where_races_are_sought("curves");
  return cmocka_run_group_tests(tests, make, end) != 0;
}
