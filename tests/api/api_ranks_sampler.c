/* SPDX-License-Identifier: MIT */
/* Ranks: samplers, sampling runs and tune_beta have the bits of a context without ranks, whatever the number of ranks and threads. Threads
 * are the ranks. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

#include <stdio.h>

enum { ROOM = 1 << 18, MOST_SITES = 70 };

/* One problem. */
typedef struct problem {
  const char *name;
  int64_t sites, colors;
  enum { HEADS, DENSE, ORDERED } kind; /* of couplings; ORDERED: dense, autoregressive, the last site first */
  int64_t chains, rungs, interval;
} problem;

/* Not a multiple of the ranks or of 16, fewer chains than ranks, ladders that fill groups alone or together, kernels of small, large and
 * dense models. */
static const problem problems[] = {
    {"chains", 6, 4, HEADS, 100, 1, 1},    {"two chains", 6, 4, HEADS, 2, 1, 1},     {"blocked", MOST_SITES, 5, HEADS, 37, 1, 1},
    {"dense", 9, 5, DENSE, 70, 1, 1},      {"ladders", 6, 4, HEADS, 21, 3, 1},       {"groups", 6, 4, HEADS, 5, 16, 3},
    {"few ladders", 6, 4, HEADS, 2, 3, 1}, {"dense ladders", 9, 5, DENSE, 11, 4, 2}, {"ordered", 9, 5, ORDERED, 70, 1, 1},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* What a rank has found: all outputs one after the other. */
typedef struct findings {
  const problem *p;
  int how;
  const char *state; /* a state to go on from */
  int64_t state_bytes, goal;
  int reports, cancel_rank, asks;
  atp_status status, second;
  atp_outcome outcome;
  int64_t sweeps, drawn, used;
  double calls, traffic;
  atp_sampler *sampler;
  atp_sampling *run;
  char text[256];
  char bytes[ROOM];
} findings;

static findings all[MOST_RANKS], alone;

static void must(findings *f, atp_status status, const char *what) {
  if (status == ATP_OK || f->status != ATP_OK) return;
  f->status = status;
  atp_last_error(f->text, sizeof f->text);
  print_error("%s: %s: %s\n", f->p == NULL ? "" : f->p->name, what, f->text);
}
#define MUST(call) must(f, (call), #call)

static void *room(findings *f, int64_t bytes) {
  void *at = f->bytes + f->used;
  f->used += bytes;
  if (f->used > ROOM) {
    print_error("ROOM is too small\n");
    abort();
  }
  return at;
}

/* Ranks of size 1 belong to contexts that never hear of ranks. */
static void join(one_rank *self, findings *f) {
  if (self->group->size > 1) MUST(join_ranks(self));
}

/* A ring with couplings between all neighbours, a few far ones, and fields. */
static atp_model *make_model(findings *f, atp_context *context, const problem *p) {
  const int64_t L = p->sites, q = p->colors;
  double *maps = calloc((size_t)(L * L), sizeof *maps), *values = calloc((size_t)(q * q), sizeof *values);
  double *fields = calloc((size_t)(L * q), sizeof *fields), *dense = calloc((size_t)(L * L * q * q), sizeof *dense);
  atp_model *model = NULL;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j) maps[i * L + j] = i == j ? 0 : i - j == 1 || j - i == 1 ? 0.75 : 0.125 * (double)((i + j) % 3 - 1);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) values[a * q + b] = a == b ? 1 : 0.25 * (double)((a + b) % 2);
  for (int64_t k = 0; k < L * q; ++k) fields[k] = 0.0625 * (double)(k * k % 7);
  for (int64_t k = 0; k < L * L * q * q; ++k) dense[k] = maps[k / (q * q)] * values[k % (q * q)];
  for (int64_t i = 0; p->kind == ORDERED && i < L; ++i)
    for (int64_t k = 0; k < (i + 1) * q * q; ++k) dense[i * L * q * q + k] = 0;
  if (p->kind != HEADS)
    MUST(atp_model_create_dense_f64(context, L, q, dense, fields, &model));
  else
    MUST(atp_model_create_heads(context, (const int64_t[]){L, q, 1}, maps, values, fields, &model));
  int64_t order[MOST_SITES];
  for (int64_t k = 0; k < L; ++k) order[k] = L - 1 - k;
  if (p->kind == ORDERED) MUST(atp_model_set_order(model, order, L));
  free(maps);
  free(values);
  free(fields);
  free(dense);
  return model;
}

static void set(findings *f, atp_options *options, atp_option key, int64_t value) { MUST(atp_options_set_i64(options, key, value)); }

static atp_sampler *make_sampler(one_rank *self, findings *f) {
  atp_model *model = make_model(f, self->context, f->p);
  atp_options *options = NULL;
  atp_sampler *sampler = NULL;
  MUST(atp_options_create(self->context, ATP_OWNER_SAMPLER, &options));
  set(f, options, ATP_OPT_CHAINS, f->p->chains);
  set(f, options, ATP_OPT_TEMPERATURES, f->p->rungs);
  set(f, options, ATP_OPT_SWAP_INTERVAL, f->p->interval);
  MUST(atp_sampler_create(self->context, model, options, &sampler));
  atp_options_destroy(options);
  atp_model_destroy(model);
  return sampler;
}

/* States and energies of all rungs, exchange rates, and the saved state. */
static void keep(findings *f, atp_sampler *sampler) {
  const int64_t C = atp_sampler_chains(sampler), K = atp_sampler_temperatures(sampler), L = atp_sampler_sites(sampler);
  for (int64_t k = 0; k < K; ++k) {
    MUST(atp_sampler_states(sampler, k, room(f, C * L), C * L));
    f->used = (f->used + 7) / 8 * 8;
    MUST(atp_sampler_energies(sampler, k, room(f, C * 8), C));
  }
  MUST(atp_sampler_swap_rates(sampler, room(f, (K - 1) * 8), K - 1));
  const int64_t bytes = atp_sampler_state_bytes(sampler);
  MUST(atp_sampler_save_state(sampler, room(f, bytes), bytes));
  f->used = (f->used + 7) / 8 * 8;
}

static void draw(findings *f, atp_sampler *sampler, int64_t n) {
  const int64_t L = atp_sampler_sites(sampler);
  MUST(atp_sampler_sample(sampler, 3, room(f, n * L), n * L, NULL, NULL, &f->outcome));
  f->used = (f->used + 7) / 8 * 8;
  f->drawn = atp_sampler_drawn(sampler);
}

/* Rows of all rungs, and their distributions of overlaps. */
static void measure_rungs(one_rank *self, findings *f, atp_sampler *sampler) {
  const int64_t K = atp_sampler_temperatures(sampler), L = atp_sampler_sites(sampler), bins = K * (L + 1);
  if (atp_sampler_chains(sampler) < 2 || L >= 128) return;
  atp_table *rungs, *overlaps;
  MUST(atp_table_create(self->context, ATP_TABLE_RUNGS, K, &rungs));
  MUST(atp_table_create(self->context, ATP_TABLE_OVERLAPS, bins, &overlaps));
  MUST(atp_sampler_measure(sampler, 16, 1, rungs, overlaps, NULL, NULL));
  MUST(atp_table_values(rungs, room(f, K * ATP_RUNGS_COLUMNS * 8), K * ATP_RUNGS_COLUMNS));
  MUST(atp_table_values(overlaps, room(f, bins * ATP_OVERLAPS_COLUMNS * 8), bins * ATP_OVERLAPS_COLUMNS));
  atp_table_destroy(rungs);
  atp_table_destroy(overlaps);
}

static void use_sampler(one_rank *self, void *user) {
  findings *f = user;
  uint8_t starts[3 * MOST_SITES];
  join(self, f);
  atp_sampler *sampler = make_sampler(self, f);
  const int64_t L = f->p->sites, C = f->p->chains;
  keep(f, sampler);
  MUST(atp_sampler_sweep(sampler, 17, NULL, NULL, NULL));
  keep(f, sampler);
  draw(f, sampler, 2 * C + C / 2);
  keep(f, sampler);
  for (int64_t k = 0; k < 3 * L; ++k) starts[k] = (uint8_t)(k * k % f->p->colors);
  MUST(atp_sampler_start_from(sampler, starts, 3, L));
  MUST(atp_sampler_sweep(sampler, 5, NULL, NULL, NULL));
  keep(f, sampler);
  MUST(atp_sampler_start_random(sampler));
  MUST(atp_sampler_sweep(sampler, 300, NULL, NULL, NULL));
  keep(f, sampler);
  measure_rungs(self, f, sampler);
  f->sweeps = atp_sampler_sweeps(sampler);
  atp_sampler_destroy(sampler);
}

static void run_all(int64_t ranks, int64_t threads, void (*body)(one_rank *, void *)) {
  assert_int_equal(run_ranks(ranks, threads, 0, body, all, sizeof *all), 0);
}

/* For all ranks the same. */
static void prepare(const problem *p) {
  memset(all, 0, sizeof all);
  for (int r = 0; r < MOST_RANKS; ++r) {
    all[r].p = p;
    all[r].cancel_rank = -1;
  }
}

static void run_alone(const problem *p, void (*body)(one_rank *, void *)) {
  prepare(p);
  run_all(1, 1, body);
  assert_int_equal(all[0].status, ATP_OK);
  memcpy(&alone, all, sizeof alone);
}

static void assert_as_alone(int64_t ranks) {
  for (int64_t r = 0; r < ranks; ++r) {
    assert_int_equal(all[r].status, ATP_OK);
    assert_int_equal(all[r].sweeps, alone.sweeps);
    assert_int_equal(all[r].drawn, alone.drawn);
    assert_int_equal(all[r].outcome, alone.outcome);
    assert_int_equal(all[r].used, alone.used);
    assert_memory_equal(all[r].bytes, alone.bytes, (size_t)alone.used);
  }
}

static void samplers(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k) {
    run_alone(&problems[k], use_sampler);
    for (int64_t ranks = FROM_RANKS; ranks <= TO_RANKS; ++ranks)
      for (int64_t threads = FROM_THREADS; threads <= TO_THREADS; ++threads) {
        prepare(&problems[k]);
        run_all(ranks, threads, use_sampler);
        assert_as_alone(ranks);
      }
  }
}

/* Callbacks and bytes are those of the formulas in src/sample/sampler.hpp. */
static void count_traffic(one_rank *self, void *user) {
  findings *f = user;
  double calls = 0, sent = 0, received = 0;
  join(self, f);
  atp_sampler *sampler = make_sampler(self, f);
  for (int sign = -1; sign <= 1; sign += 2) {
    MUST(atp_context_traffic(self->context, ATP_TRAFFIC_CALLS, &calls));
    MUST(atp_context_traffic(self->context, ATP_TRAFFIC_SENT, &sent));
    MUST(atp_context_traffic(self->context, ATP_TRAFFIC_RECEIVED, &received));
    f->calls += sign * calls;
    f->traffic += sign * (sent + received);
    if (sign < 0) MUST(atp_sampler_sweep(sampler, 2, NULL, NULL, NULL));
  }
  atp_sampler_destroy(sampler);
}

static void messages_and_bytes(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k)
    for (int64_t ranks = 1; ranks <= 4; ++ranks) {
      const problem *p = &problems[k];
      const double lanes = (double)((p->chains * p->rungs + 15) / 16 * 16);
      prepare(p);
      run_all(ranks, 1, count_traffic);
      for (int64_t r = 0; r < ranks; ++r) {
        assert_int_equal(all[r].status, ATP_OK);
        /* The reporter is made, one block ends, states are gathered, the call ends. */
        assert_true(all[r].calls == (ranks == 1 ? 0 : 4 + 2 + (p->rungs > 1 ? 4 : 2) + 1));
        const double sums = 8 + 8 + 8 + 16 + 8 + 16 + (p->rungs > 1 ? 16 : 8) + 8;
        assert_true(all[r].traffic == (ranks == 1 ? 0 : 2 * sums + lanes * (double)(p->sites + (p->rungs > 1 ? 32 : 0))));
      }
    }
}

/* A state of some ranks goes on with another number of them. */
static void go_on(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  atp_sampler *sampler = make_sampler(self, f);
  if (f->state == NULL) {
    MUST(atp_sampler_sweep(sampler, 11, NULL, NULL, NULL));
    const int64_t bytes = atp_sampler_state_bytes(sampler);
    MUST(atp_sampler_save_state(sampler, room(f, bytes), bytes));
  } else {
    MUST(atp_sampler_load_state(sampler, f->state, f->state_bytes));
    draw(f, sampler, 2 * f->p->chains);
    keep(f, sampler);
  }
  atp_sampler_destroy(sampler);
}

static char saved[ROOM];

static void go_on_from(const problem *p, int64_t bytes, int64_t ranks) {
  prepare(p);
  for (int r = 0; r < MOST_RANKS; ++r) {
    all[r].state = bytes == 0 ? NULL : saved;
    all[r].state_bytes = bytes;
  }
  run_all(ranks, 1, go_on);
}

static void resumed_by_fewer(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k) {
    go_on_from(&problems[k], 0, 4);
    const int64_t bytes = all[0].used;
    memcpy(saved, all[0].bytes, (size_t)bytes);
    for (int r = 0; r < 4; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_memory_equal(all[r].bytes, saved, (size_t)bytes);
    }
    go_on_from(&problems[k], bytes, 1);
    assert_int_equal(all[0].status, ATP_OK);
    memcpy(&alone, all, sizeof alone);
    for (int64_t ranks = 2; ranks <= 3; ++ranks) {
      go_on_from(&problems[k], bytes, ranks);
      assert_as_alone(ranks);
    }
  }
}

/* A report: the callback sees the sampler as it is on every rank. */
static int watch(const atp_progress *progress, void *user) {
  findings *f = user;
  ++f->reports;
  f->goal = (int64_t)atp_progress_value(progress, ATP_PROGRESS_STEP);
  if (f->sampler != NULL) {
    f->used = 0;
    keep(f, f->sampler);
  }
  return f->how;
}

/* how: what the callback of one rank returns; the others have none. */
static void watched(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  f->sampler = make_sampler(self, f);
  const int mine = self->rank == f->cancel_rank || self->group->size == 1;
  MUST(atp_sampler_sweep(f->sampler, f->how ? (int64_t)1 << 40 : 40, mine ? watch : NULL, f, &f->outcome));
  f->sweeps = atp_sampler_sweeps(f->sampler);
  if (!mine) keep(f, f->sampler);
  atp_sampler_destroy(f->sampler);
  f->sampler = NULL;
}

/* The same sweeps in one go. */
static void sweep_to_goal(one_rank *self, void *user) {
  findings *f = user;
  atp_sampler *sampler = make_sampler(self, f);
  MUST(atp_sampler_sweep(sampler, f->goal, NULL, NULL, NULL));
  keep(f, sampler);
  atp_sampler_destroy(sampler);
}

static void callback_of_one_rank(void **state) {
  (void)state;
  for (int k = 4; k >= 0; k -= 4)
    for (int cancels = 0; cancels <= 1; ++cancels)
      for (int who = 0; who < 3; who += 2) {
        prepare(&problems[k]);
        for (int r = 0; r < 3; ++r) {
          all[r].how = cancels;
          all[r].cancel_rank = who;
        }
        run_all(3, 1, watched);
        static findings three[3];
        memcpy(three, all, sizeof three);
        assert_true(three[who].reports == 1 || !cancels);
        prepare(&problems[k]);
        all[0].goal = three[who].goal;
        run_all(1, 1, sweep_to_goal);
        for (int r = 0; r < 3; ++r) {
          assert_int_equal(three[r].status, ATP_OK);
          assert_int_equal(three[r].outcome, cancels ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_DONE);
          assert_true(three[r].sweeps == three[who].goal && (cancels || three[r].sweeps == 40));
          assert_true(three[r].used == all[0].used && all[0].used > 0);
          assert_memory_equal(three[r].bytes, all[0].bytes, (size_t)all[0].used);
        }
      }
}

/* One rank is asked to stop; then all go on. */
static void asked(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  atp_sampler *sampler = make_sampler(self, f);
  if (self->rank == f->cancel_rank) atp_sampler_request_stop(sampler);
  MUST(atp_sampler_sweep(sampler, 9, NULL, NULL, &f->outcome));
  f->sweeps = atp_sampler_sweeps(sampler);
  uint8_t rows[64];
  if (self->rank == f->cancel_rank) atp_sampler_request_stop(sampler);
  MUST(atp_sampler_sample(sampler, 1, rows, 2 * f->p->sites, NULL, NULL, NULL));
  f->drawn = atp_sampler_drawn(sampler);
  MUST(atp_sampler_sweep(sampler, 17, NULL, NULL, NULL));
  keep(f, sampler);
  atp_sampler_destroy(sampler);
}

static void stop_of_one_rank(void **state) {
  (void)state;
  prepare(&problems[4]);
  all[0].goal = 17;
  run_all(1, 1, sweep_to_goal);
  memcpy(&alone, all, sizeof alone);
  for (int who = 0; who < 4; ++who) {
    prepare(&problems[4]);
    for (int r = 0; r < 4; ++r) all[r].cancel_rank = who;
    run_all(4, 1, asked);
    for (int r = 0; r < 4; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].outcome, ATP_OUTCOME_CANCELLED);
      assert_true(all[r].sweeps == 0 && all[r].drawn == 0);
      assert_memory_equal(all[r].bytes, alone.bytes, (size_t)alone.used);
    }
  }
}

/* A rank makes a wrong call, or has another model; then all make a good one. */
static void wrong_call(one_rank *self, void *user) {
  findings *f = user;
  const int wrong = self->rank == 1;
  atp_sampler *none = NULL;
  join(self, f);
  atp_sampler *sampler = make_sampler(self, f);
  switch (f->how) {
    case 0: f->second = atp_sampler_sweep(sampler, wrong ? -1 : 17, NULL, NULL, NULL); break;
    case 1: f->second = atp_sampler_start_from(sampler, (const uint8_t[]){0, 1, 2, 3, 0, 1}, wrong ? 0 : 1, 6); break;
    case 2: f->second = atp_sampler_sample(sampler, 1, (uint8_t[6]){0}, wrong ? 5 : 6, NULL, NULL, NULL); break;
    default: {
      atp_model *model = make_model(f, self->context, f->p);
      atp_options *options = NULL;
      MUST(atp_options_create(self->context, ATP_OWNER_SAMPLER, &options));
      if (wrong) set(f, options, ATP_OPT_TEMPERATURES, 3);
      if (wrong) MUST(atp_options_set_f64(options, ATP_OPT_BETA_HOT, 7));
      f->second = f->how == 3 ? atp_sampler_create(self->context, wrong ? NULL : model, options, &none)
                              : atp_sampler_create(self->context, model, options, &none);
      if (none != NULL) f->second = ATP_OK;
      atp_options_destroy(options);
      atp_model_destroy(model);
    }
  }
  atp_last_error(f->text, sizeof f->text);
  if (f->second == ATP_OK) must(f, ATP_E_INTERNAL, "a wrong call");
  MUST(atp_sampler_start_random(sampler));
  MUST(atp_sampler_sweep(sampler, 17, NULL, NULL, NULL));
  keep(f, sampler);
  atp_sampler_destroy(sampler);
}

static void failure_of_one_rank(void **state) {
  (void)state;
  static const atp_status expected[] = {ATP_E_VALUE, ATP_E_VALUE, ATP_E_SHAPE, ATP_E_NULL, ATP_E_CONFLICT};
  prepare(&problems[4]);
  all[0].goal = 17;
  run_all(1, 1, sweep_to_goal);
  memcpy(&alone, all, sizeof alone);
  for (int how = 0; how < 5; ++how) {
    prepare(&problems[4]);
    for (int r = 0; r < 3; ++r) all[r].how = how;
    run_all(3, 1, wrong_call);
    for (int r = 0; r < 3; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].second, r == 1 ? expected[how] : ATP_E_RANK);
      if (r != 1) assert_non_null(strstr(all[r].text, "rank 1 on "));
      assert_memory_equal(all[r].bytes, alone.bytes, (size_t)alone.used);
    }
  }
}

/* Sampling runs. how: the protocol. */
static const problem small = {"sampling run", 6, 3, HEADS, 0, 0, 0};
enum { SEQUENCES = 50 };

/* Only one rank has a callback; it ends the call with the first report of the burn-in. */
static int end_in_burn_in(const atp_progress *progress, void *user) {
  findings *f = user;
  (void)progress;
  ++f->reports;
  return f->asks && atp_sampling_stage_of(f->run) == ATP_SAMPLING_STAGE_BURN_IN;
}

static void keep_run(findings *f, atp_context *context, atp_sampling *run) {
  atp_table *table = NULL;
  MUST(atp_table_create(context, ATP_TABLE_SAMPLING, 1, &table));
  MUST(atp_sampling_report(run, table));
  MUST(atp_table_values(table, room(f, ATP_SAMPLING_COLUMNS * 8), ATP_SAMPLING_COLUMNS));
  atp_table_destroy(table);
  MUST(atp_sampling_sequences(run, room(f, SEQUENCES * small.sites), SEQUENCES * small.sites));
}

static const int64_t kForEver = (int64_t)1 << 40;
enum { OF_AN_ORDERED_MODEL = 2, NEAR_A_START = 3 }; /* beside the protocols */

static void make_run(one_rank *self, findings *f) {
  join(self, f);
  problem of = small;
  if (f->how == OF_AN_ORDERED_MODEL) of.kind = ORDERED;
  atp_model *model = make_model(f, self->context, &of);
  atp_options *options = NULL;
  MUST(atp_options_create(self->context, ATP_OWNER_SAMPLING, &options));
  set(f, options, ATP_OPT_PROTOCOL, f->how == ATP_PROTOCOL_CHAIN);
  set(f, options, ATP_OPT_CHAINS, f->how == ATP_PROTOCOL_EQUILIBRIUM || f->how == NEAR_A_START ? 7 : 20);
  if (f->how == NEAR_A_START) set(f, options, ATP_OPT_MAX_MUTATIONS, 2);
  if (f->how == ATP_PROTOCOL_CHAIN) set(f, options, ATP_OPT_THIN, 20);
  if (f->goal == kForEver) set(f, options, ATP_OPT_BURN_IN, kForEver);
  MUST(atp_sampling_create(self->context, model, options, SEQUENCES, &f->run));
  if (f->how == NEAR_A_START) {
    const uint8_t allowed[6 * 3] = {1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, start[6] = {0, 2, 1, 1, 0, 2};
    MUST(atp_sampling_restrict(f->run, allowed, sizeof allowed));
    MUST(atp_sampling_start_from(f->run, start, 1, sizeof start));
  }
  atp_options_destroy(options);
  atp_model_destroy(model);
}

static void end_run(findings *f) {
  atp_sampling_destroy(f->run);
  f->run = NULL;
}

static void sampling_run(one_rank *self, void *user) {
  findings *f = user;
  make_run(self, f);
  if (f->state != NULL) MUST(atp_sampling_load_state(f->run, f->state, f->state_bytes));
  const int mine = self->rank == f->cancel_rank;
  MUST(atp_sampling_run(f->run, mine ? end_in_burn_in : NULL, f, &f->outcome));
  if (f->outcome != ATP_OUTCOME_CANCELLED) keep_run(f, self->context, f->run);
  f->used = (f->used + 7) / 8 * 8;
  const int64_t bytes = atp_sampling_state_bytes(f->run);
  MUST(atp_sampling_save_state(f->run, room(f, bytes), bytes));
  end_run(f);
}

static void prepare_run(int how, int cancel_rank, int asks, const char *state, int64_t bytes) {
  prepare(&small);
  for (int r = 0; r < MOST_RANKS; ++r) {
    all[r].how = how;
    all[r].cancel_rank = cancel_rank;
    all[r].asks = asks;
    all[r].state = state;
    all[r].state_bytes = bytes;
  }
}

static void sampling_runs(void **state) {
  (void)state;
  for (int how = ATP_PROTOCOL_EQUILIBRIUM; how <= ATP_PROTOCOL_CHAIN; ++how) {
    prepare_run(how, -1, 0, NULL, 0);
    run_all(1, 1, sampling_run);
    assert_int_equal(all[0].status, ATP_OK);
    memcpy(&alone, all, sizeof alone);
    assert_int_equal(alone.outcome, how == ATP_PROTOCOL_CHAIN ? ATP_OUTCOME_DONE : ATP_OUTCOME_CONVERGED);
    for (int64_t ranks = 2; ranks <= 4; ++ranks) {
      /* A callback on one rank, or on none. */
      prepare_run(how, ranks == 3 ? -1 : 1, 0, NULL, 0);
      run_all(ranks, ranks == 4 ? 2 : 1, sampling_run);
      assert_as_alone(ranks);
      for (int64_t r = 0; r < ranks; ++r) assert_true(ranks != 3 && r == 1 ? all[r].reports > 0 : all[r].reports == 0);
    }
    /* Four ranks stop, three go on. */
    prepare_run(how, 2, 1, NULL, 0);
    run_all(4, 1, sampling_run);
    for (int r = 0; r < 4; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].outcome, ATP_OUTCOME_CANCELLED);
      assert_true(all[r].used == all[0].used);
      assert_memory_equal(all[r].bytes, all[0].bytes, (size_t)all[0].used);
    }
    const int64_t bytes = all[0].used;
    memcpy(saved, all[0].bytes, (size_t)bytes);
    prepare_run(how, -1, 0, saved, bytes);
    run_all(3, 1, sampling_run);
    assert_as_alone(3);
  }
}

static void runs_of(int how) {
  prepare_run(how, -1, 0, NULL, 0);
  run_all(1, 1, sampling_run);
  assert_int_equal(all[0].status, ATP_OK);
  assert_int_equal(all[0].outcome, ATP_OUTCOME_CONVERGED);
  memcpy(&alone, all, sizeof alone);
  for (int64_t ranks = 2; ranks <= 4; ++ranks) {
    prepare_run(how, -1, 0, NULL, 0);
    run_all(ranks, ranks == 4 ? 2 : 1, sampling_run);
    assert_as_alone(ranks);
  }
}

static void runs_of_ordered_models(void **state) {
  (void)state;
  runs_of(OF_AN_ORDERED_MODEL);
}

static void runs_near_a_start(void **state) {
  (void)state;
  runs_of(NEAR_A_START);
}

/* A run without an end: the callback of one rank is called by the clock. */
static void runs_that_a_callback_ends(void **state) {
  (void)state;
  for (int how = ATP_PROTOCOL_EQUILIBRIUM; how <= ATP_PROTOCOL_CHAIN; ++how) {
    prepare_run(how, 1, 1, NULL, 0);
    for (int r = 0; r < 3; ++r) all[r].goal = kForEver;
    run_all(3, 1, sampling_run);
    for (int r = 0; r < 3; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].outcome, ATP_OUTCOME_CANCELLED);
      assert_memory_equal(all[r].bytes, all[0].bytes, (size_t)all[0].used);
    }
  }
}

/* A state that one rank cannot load is loaded by none. */
static void damaged_state(one_rank *self, void *user) {
  findings *f = user;
  make_run(self, f);
  f->second = atp_sampling_load_state(f->run, f->state, self->rank == 1 ? f->state_bytes - 9 : f->state_bytes);
  f->goal = atp_sampling_stage_of(f->run);
  end_run(f);
}

static void states_that_one_rank_cannot_load(void **state) {
  (void)state;
  for (int how = ATP_PROTOCOL_EQUILIBRIUM; how <= ATP_PROTOCOL_CHAIN; ++how) {
    prepare_run(how, 2, 1, NULL, 0);
    run_all(4, 1, sampling_run);
    const int64_t bytes = all[0].used;
    memcpy(saved, all[0].bytes, (size_t)bytes);
    prepare_run(how, -1, 0, saved, bytes);
    run_all(3, 1, damaged_state);
    for (int r = 0; r < 3; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].second, r == 1 ? ATP_E_FORMAT : ATP_E_RANK);
      assert_int_equal(all[r].goal, ATP_SAMPLING_STAGE_LADDER);
    }
  }
}

/* how 1: the context of one rank is asked to stop before. 2: the callback of one rank ends the first report, after 0.1 s of a model that
 * takes longer. */
static void tune(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  atp_model *model = make_model(f, self->context, f->p);
  atp_options *options = NULL;
  atp_table *table = NULL;
  MUST(atp_options_create(self->context, ATP_OWNER_TUNING, &options));
  set(f, options, ATP_OPT_CHAINS, 65);
  MUST(atp_table_create(self->context, ATP_TABLE_TUNING, 1, &table));
  if (f->how == 1 && self->rank == f->cancel_rank) atp_context_request_stop(self->context);
  MUST(atp_tune_beta(self->context, model, options, 0.5, table, self->rank == f->cancel_rank && f->how == 2 ? watch : NULL, f));
  double *row = room(f, ATP_TUNING_COLUMNS * 8);
  MUST(atp_table_values(table, row, ATP_TUNING_COLUMNS));
  f->outcome = (atp_outcome)(int)row[ATP_TUNING_OUTCOME];
  atp_table_destroy(table);
  atp_options_destroy(options);
  atp_model_destroy(model);
}

static void tuning(void **state) {
  (void)state;
  run_alone(&small, tune);
  assert_int_equal(alone.outcome, ATP_OUTCOME_CONVERGED);
  for (int64_t ranks = 2; ranks <= 3; ++ranks) {
    prepare(&small);
    run_all(ranks, ranks - 1, tune);
    assert_as_alone(ranks);
  }
  for (int how = 1; how <= 2; ++how) {
    prepare(&problems[2]);
    for (int r = 0; r < 3; ++r) {
      all[r].how = how;
      all[r].cancel_rank = 1;
    }
    run_all(3, 1, tune);
    for (int r = 0; r < 3; ++r) {
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].outcome, ATP_OUTCOME_CANCELLED);
      assert_int_equal(all[r].reports, how == 2 && r == 1);
    }
  }
}

/* Both methods for log Z. how 1: the context of one rank is asked to stop before. */
static void measure(one_rank *self, void *user) {
  findings *f = user;
  join(self, f);
  atp_model *model = make_model(f, self->context, f->p);
  atp_options *options = NULL;
  atp_table *table = NULL;
  MUST(atp_options_create(self->context, ATP_OWNER_PARTITION, &options));
  MUST(atp_table_create(self->context, ATP_TABLE_PARTITION, 2, &table));
  if (f->how == 1 && self->rank == f->cancel_rank) atp_context_request_stop(self->context);
  set(f, options, ATP_OPT_CHAINS, 70);
  set(f, options, ATP_OPT_STEPS, 30);
  for (int64_t method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method) {
    set(f, options, ATP_OPT_METHOD, method);
    set(f, options, ATP_OPT_SWEEPS, method == ATP_METHOD_LADDER ? 64 : 3);
    MUST(atp_estimate_log_z(self->context, model, options, table, NULL, NULL));
  }
  double *rows = room(f, (int64_t)2 * ATP_PARTITION_COLUMNS * 8);
  MUST(atp_table_values(table, rows, (int64_t)2 * ATP_PARTITION_COLUMNS));
  f->outcome = (atp_outcome)(int)rows[ATP_PARTITION_OUTCOME];
  atp_table_destroy(table);
  atp_options_destroy(options);
  atp_model_destroy(model);
}

static void partitions(void **state) {
  (void)state;
  for (int k = 2; k <= 3; ++k) {
    run_alone(&problems[k], measure);
    assert_true(alone.outcome != ATP_OUTCOME_CANCELLED);
    for (int64_t ranks = 2; ranks <= 3; ++ranks) {
      prepare(&problems[k]);
      run_all(ranks, ranks - 1, measure);
      assert_as_alone(ranks);
    }
  }
  prepare(&problems[2]);
  for (int r = 0; r < 3; ++r) {
    all[r].how = 1;
    all[r].cancel_rank = 1;
  }
  run_all(3, 1, measure);
  for (int r = 0; r < 3; ++r) {
    assert_int_equal(all[r].status, ATP_OK);
    assert_int_equal(all[r].outcome, ATP_OUTCOME_CANCELLED);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(samplers),
    cmocka_unit_test(messages_and_bytes),
    cmocka_unit_test(resumed_by_fewer),
    cmocka_unit_test(callback_of_one_rank),
    cmocka_unit_test(stop_of_one_rank),
    cmocka_unit_test(failure_of_one_rank),
    cmocka_unit_test(sampling_runs),
    cmocka_unit_test(runs_of_ordered_models),
    cmocka_unit_test(runs_near_a_start),
    cmocka_unit_test(runs_that_a_callback_ends),
    cmocka_unit_test(states_that_one_rank_cannot_load),
    cmocka_unit_test(tuning),
    cmocka_unit_test(partitions),
};

ATP_TEST_MAIN(tests)
