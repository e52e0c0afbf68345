/* SPDX-License-Identifier: MIT */
/* Networks on several ranks: encoders and dials, with the bits of a context without ranks. */
#include "training_ranks.h"

#define ENCODER \
  { ATP_OPT_FAMILY, ATP_FAMILY_ENCODER }
#define SGD \
  { ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD }
#define ADAM \
  { ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM }
#define ALL \
  { ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD }
#define BLOCKS(b) \
  { ATP_OPT_BLOCKS, b }
#define WIDTH(d) \
  { ATP_OPT_WIDTH, d }
#define DIAL(a) \
  {ATP_OPT_FAMILY, ATP_FAMILY_DIAL}, { ATP_OPT_DIAL, a }
#define F64 \
  { ATP_OPT_PRECISION, 64 }
#define BATCH(n) \
  { ATP_OPT_BATCH, n }

static const problem problems[] = {
    {"encoder, adam", 200, 8, 4, 1, 0, {ENCODER, ADAM, WIDTH(8), BATCH(200)}},
    {"encoder, two blocks, sgd", 100, 8, 4, 1, 0, {ENCODER, SGD, BLOCKS(2), WIDTH(8), {ATP_OPT_MOMENTUM, 0.5}, BATCH(100)}},
    {"encoder, float64, sgd", 100, 7, 4, 1, 0, {ENCODER, SGD, WIDTH(8), BATCH(60), F64, ALL}},
    {"encoder, two blocks, float64, adam", 60, 7, 4, 1, 0, {ENCODER, ADAM, BLOCKS(2), WIDTH(8), BATCH(60), F64}},
    {"dial 0, adam", 400, 20, 5, 1, 0, {ADAM, DIAL(0), BATCH(400), ALL}},
    {"dial 0, free, float64, sgd", 400, 19, 5, 1, 0, {SGD, DIAL(0), {ATP_OPT_MAP, ATP_MAP_FREE}, BATCH(400), ALL, F64}},
    {"dial 0.5, sgd", 200, 20, 5, 1, 0, {SGD, DIAL(0.5), {ATP_OPT_MOMENTUM, 0.5}, BATCH(90), ALL}},
    {"dial 1, float64, adam", 200, 19, 5, 1, 0, {ADAM, DIAL(1), BATCH(200), F64}},
    {"small", 20, 5, 3, 0, 0, {ADAM, DIAL(1), BATCH(5)}},
};
/* An epoch of 60000 steps. */
static const problem lasting = {"lasting", 60000, 12, 4, 1, 0, {ENCODER, SGD, WIDTH(16), BATCH(1), {ATP_OPT_RATE, 0.001}}};

static atp_status prepare(atp_trainer *l, const problem *of) {
  /* Conditionals are no collective call: one rank may ask for them alone. */
  uint8_t sequences[40 * 20] = {0};
  double *out = malloc(sizeof sequences * 5 * sizeof *out);
  atp_status status = ATP_OK;
  if (atp_context_rank(atp_trainer_context(l)) == 0)
    status = atp_trainer_conditionals(l, sequences, 40, of->sites, out, (int64_t)40 * of->sites * of->colors);
  free(out);
  return status;
}

static void same_bits(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p) check_same_bits(&problems[p]);
}

static void states_resume(void **state) {
  (void)state;
  check_resumes(&problems[0]);
  check_resumes(&problems[6]);
}

static void stops(void **state) {
  (void)state;
  check_stops(&problems[1]);
  check_stops(&problems[4]);
  check_stops_within(&lasting);
}

static void failures(void **state) {
  (void)state;
  check_failures(&problems[2]);
  free_findings();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(states_resume), cmocka_unit_test(stops),
                                          cmocka_unit_test(failures)};

ATP_TEST_MAIN(tests)
