/* SPDX-License-Identifier: MIT */
/* Factored attention on several ranks: maps, optimisers, objectives and options, with the bits of a context without ranks. */
#include "training_ranks.h"

#define LBFGS \
  { ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS }
#define SGD \
  { ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD }
#define ADAM \
  { ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM }
#define MLM \
  { ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM }
#define HEADS(h) \
  { ATP_OPT_HEADS, h }
#define MAP(m) \
  { ATP_OPT_MAP, m }
#define F64 \
  { ATP_OPT_PRECISION, 64 }
#define FIELDS \
  { ATP_OPT_FIELDS, 1 }
#define GAPS \
  { ATP_OPT_GAPS, ATP_GAPS_IGNORE }
#define SYMMETRIZED \
  { ATP_OPT_SYMMETRIZED, 1 }
#define ORDERED \
  { ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE }
#define BATCH(n) \
  { ATP_OPT_BATCH, n }

/* Chains up to 64 sites are one block of sites, longer ones several. Masked batches need more sequences. */
static const problem problems[] = {
    {"free", 300, 20, 5, 1, 0, {LBFGS, HEADS(3), {ATP_OPT_L2_COUPLINGS, 0.01}}},
    {"free, float64, fields", 300, 20, 5, 1, 0, {LBFGS, HEADS(3), F64, FIELDS, {ATP_OPT_L2_FIELDS, 0.01}}},
    {"softmax, gaps, fields", 300, 20, 5, 1, 0, {LBFGS, HEADS(3), MAP(ATP_MAP_SOFTMAX), GAPS, FIELDS}},
    {"lowrank, diagonal, float64, gaps",
     300,
     19,
     5,
     1,
     0,
     {LBFGS, HEADS(3), MAP(ATP_MAP_LOWRANK), {ATP_OPT_RANK, 4}, {ATP_OPT_DIAGONAL, ATP_DIAGONAL_AFTER}, F64, GAPS}},
    {"symmetrized, pairs", 300, 20, 5, 1, 0, {LBFGS, HEADS(2), SYMMETRIZED, FIELDS, {ATP_OPT_L2_PAIRS, 0.01}}},
    {"wide start", 300, 20, 5, 1, 4, {LBFGS, HEADS(2), FIELDS}},
    {"blocks and splits, fields", 200, 70, 4, 1, 0, {LBFGS, HEADS(2), FIELDS}},
    {"blocks, windows", 1100, 250, 3, 1, 0, {SGD, HEADS(1), FIELDS, BATCH(1100), {ATP_OPT_EPOCHS, 1}}},
    {"sgd, momentum", 300, 20, 5, 1, 0, {SGD, HEADS(3), {ATP_OPT_MOMENTUM, 0.5}, BATCH(150)}},
    {"sgd, momentum, float64, softmax", 300, 20, 5, 1, 0, {SGD, HEADS(3), {ATP_OPT_MOMENTUM, 0.5}, BATCH(140), F64, MAP(ATP_MAP_SOFTMAX)}},
    {"adam, fields", 300, 20, 5, 1, 0, {ADAM, HEADS(3), BATCH(150), FIELDS}},
    {"adam, mlm, fields, gaps", 2600, 20, 5, 1, 0, {ADAM, HEADS(4), BATCH(2600), MLM, FIELDS, GAPS}},
    {"sgd, mlm, float64, symmetrized", 2600, 20, 5, 1, 0, {SGD, HEADS(3), BATCH(2600), MLM, F64, SYMMETRIZED, FIELDS}},
    {"small", 50, 7, 4, 0, 0, {SGD, HEADS(1), BATCH(10), MLM}},
    {"autoregressive, softmax, fields", 300, 20, 5, 1, 0, {LBFGS, HEADS(3), MAP(ATP_MAP_SOFTMAX), ORDERED, FIELDS}},
    {"likelihood, fields", 300, 20, 5, 1, 0, {ADAM, HEADS(2), FIELDS, {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}, {ATP_OPT_CHAINS, 64}}},
    {"likelihood, dense",
     300,
     20,
     5,
     1,
     0,
     {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}, {ATP_OPT_CHAINS, 64}}},
    {"likelihood, sparse",
     300,
     20,
     5,
     1,
     0,
     {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE},
      {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD},
      {ATP_OPT_CHAINS, 64},
      {ATP_OPT_SPARSIFY, ATP_SPARSIFY_ACTIVATE},
      {ATP_OPT_SPARSIFY_STEPS, 1}}},
    {"autoregressive, wide start, float64", 300, 20, 5, 1, 4, {LBFGS, HEADS(2), ORDERED, F64, {ATP_OPT_ORDER, ATP_ORDER_NATURAL}}},
    {"likelihood, scaled heads",
     300,
     20,
     5,
     1,
     0,
     {HEADS(3), FIELDS, {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}, {ATP_OPT_CHAINS, 64}, {ATP_OPT_L2_PAIRS, 0.01}}},
};
/* An epoch of 60000 steps. */
static const problem lasting = {"lasting", 60000, 30, 5, 1, 0, {SGD, HEADS(2), BATCH(1), {ATP_OPT_RATE, 0.001}}};

static atp_status prepare(atp_trainer *l, const problem *of) {
  return of->wide > 0 ? atp_trainer_start_wide(l, of->wide, 3, NULL, NULL, NULL) : ATP_OK;
}

static void same_bits(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p) check_same_bits(&problems[p]);
}

static void states_resume(void **state) {
  (void)state;
  check_resumes(&problems[0]);
  check_resumes(&problems[8]);
  check_resumes(&problems[11]);
  check_resumes(&problems[15]);
  check_resumes(&problems[16]);
}

static void stops(void **state) {
  (void)state;
  check_stops(&problems[1]);
  check_stops(&problems[10]);
  check_stops(&problems[13]);
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
