/* SPDX-License-Identifier: MIT */
/* Samplers through the C API: wrong values, sizes and states with their statuses; what a call that fails leaves alone. */
#include "model_fixture.h"

enum { CHAINS = 4, RUNGS = 3 };

struct fixture {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
};

static int set_up(void **state) {
  static struct fixture f;
  *state = &f;
  return atp_context_create(NULL, NULL, NULL, &f.context) != ATP_OK ||
         atp_options_create(f.context, ATP_OWNER_SAMPLER, &f.options) != ATP_OK ||
         atp_options_set_i64(f.options, ATP_OPT_CHAINS, CHAINS) != ATP_OK ||
         atp_options_set_i64(f.options, ATP_OPT_TEMPERATURES, RUNGS) != ATP_OK ||
         atp_model_create_heads(f.context, (const int64_t[]){L, Q, H}, kMaps, kValues, kFields, &f.model) != ATP_OK ||
         atp_sampler_create(f.context, f.model, f.options, &f.sampler) != ATP_OK;
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  atp_sampler_destroy(f->sampler);
  atp_model_destroy(f->model);
  atp_options_destroy(f->options);
  return context_teardown((void **)&f->context);
}

static void betas_rise(void **state) {
  struct fixture *f = *state;
  const double good[RUNGS] = {0, 0.5, 1e6};
  const struct {
    double betas[RUNGS];
    atp_status status;
    const char *text;
  } wrong[] = {
      {{0.5, 0.5, 1}, ATP_E_VALUE, "betas[1] is 0.5, must be above betas[0], which is 0.5"},
      {{0.5, 1, 0.75}, ATP_E_VALUE, "betas[2] is 0.75, must be above betas[1], which is 1"},
      {{-0.25, 1, 2}, ATP_E_VALUE, "betas[0] is -0.25, must be in 0..1e6"},
      {{0, 1, 1000001}, ATP_E_VALUE, "betas[2] is 1e+06, must be in 0..1e6"},
      {{0, NAN, 2}, ATP_E_NOT_FINITE, "betas[1]"},
      {{0, 1, INFINITY}, ATP_E_NOT_FINITE, "betas[2]"},
  };
  double betas[RUNGS] = {-7, -7, -7};
  assert_int_equal(atp_sampler_set_betas(f->sampler, good, RUNGS), ATP_OK);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    assert_int_equal(atp_sampler_set_betas(f->sampler, wrong[k].betas, RUNGS), wrong[k].status);
    assert_error(f->context, wrong[k].text);
  }
  assert_int_equal(atp_sampler_set_betas(f->sampler, good, RUNGS - 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_betas(f->sampler, betas, RUNGS + 1), ATP_E_SHAPE);
  assert_true(betas[0] == -7 && betas[1] == -7 && betas[2] == -7);
  assert_int_equal(atp_sampler_betas(f->sampler, betas, RUNGS), ATP_OK);
  assert_memory_equal(betas, good, sizeof good);
  double rates[RUNGS] = {-7, -7, -7};
  assert_int_equal(atp_sampler_swap_rates(f->sampler, rates, RUNGS), ATP_E_SHAPE);
  assert_true(rates[0] == -7);
  assert_int_equal(atp_sampler_swap_rates(f->sampler, rates, RUNGS - 1), ATP_OK);
  assert_true(rates[0] == 0 && rates[1] == 0 && rates[2] == -7);
}

static void starts(void **state) {
  struct fixture *f = *state;
  uint8_t states[CHAINS * L], before[CHAINS * L], wrong[N * L];
  memcpy(wrong, kSequences, sizeof wrong);
  assert_int_equal(atp_sampler_sweep(f->sampler, 3, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampler_states(f->sampler, 1, before, CHAINS * L), ATP_OK);
  assert_int_equal(atp_sampler_start_from(f->sampler, wrong, 0, L), ATP_E_VALUE);
  assert_error(f->context, "n is 0, must be at least 1");
  assert_int_equal(atp_sampler_start_from(f->sampler, wrong, 2, L - 1), ATP_E_SHAPE);
  wrong[4] = Q;
  assert_int_equal(atp_sampler_start_from(f->sampler, wrong, 2, L), ATP_E_ALPHABET);
  assert_error(f->context, "sequences[1][1] is 3");
  assert_int_equal(atp_sampler_states(f->sampler, 1, states, CHAINS * L), ATP_OK);
  assert_memory_equal(states, before, sizeof states);
  assert_int_equal(atp_sampler_sweeps(f->sampler), 3);
  /* Chain c starts from sequence c % n on every rung. */
  assert_int_equal(atp_sampler_start_from(f->sampler, kSequences, 3, L), ATP_OK);
  assert_int_equal(atp_sampler_sweeps(f->sampler), 0);
  for (int rung = 0; rung < RUNGS; ++rung) {
    assert_int_equal(atp_sampler_states(f->sampler, rung, states, CHAINS * L), ATP_OK);
    for (int c = 0; c < CHAINS; ++c) assert_memory_equal(states + c * L, kSequences + c % 3 * L, L);
  }
}

static void readers_and_runs(void **state) {
  struct fixture *f = *state;
  uint8_t states[CHAINS * L + 1];
  double energies[CHAINS] = {-7, -7, -7, -7};
  atp_outcome outcome = ATP_OUTCOME_NONE;
  memset(states, 99, sizeof states);
  for (int rung = -1; rung <= RUNGS; rung += RUNGS + 1) {
    assert_int_equal(atp_sampler_states(f->sampler, rung, states, CHAINS * L), ATP_E_VALUE);
    assert_int_equal(atp_sampler_energies(f->sampler, rung, energies, CHAINS), ATP_E_VALUE);
    assert_error(f->context, rung < 0 ? "rung is -1, must be in 0.." : "must be in 0..");
    assert_counted(f->context, rung < 0 ? "rung is 0, must be in 1.." : "must be in 1..");
  }
  assert_int_equal(atp_sampler_energies(f->sampler, INT64_MAX, energies, CHAINS), ATP_E_VALUE);
  assert_counted(f->context, "rung is 9223372036854775808, must be in 1..");
  assert_int_equal(atp_sampler_energies(f->sampler, INT64_MIN, energies, CHAINS), ATP_E_VALUE);
  assert_counted(f->context, "rung is -9223372036854775807, must be in 1..");
  assert_int_equal(atp_sampler_states(f->sampler, 0, states, CHAINS * L + 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_energies(f->sampler, 0, energies, CHAINS - 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_sample(f->sampler, 1, states, 0, NULL, NULL, &outcome), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_sample(f->sampler, 0, states, 2 * L, NULL, NULL, &outcome), ATP_E_VALUE);
  assert_int_equal(atp_sampler_sample(f->sampler, 1, states, 2 * L + 1, NULL, NULL, &outcome), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_sequence_energies(f->sampler, kSequences, 2, energies, 1), ATP_E_SHAPE);
  assert_int_equal(atp_sampler_sequence_energies(f->sampler, kSequences, 0, energies, 0), ATP_E_VALUE);
  assert_int_equal(atp_sampler_sequence_energies(f->sampler, states, 1, energies, 1), ATP_E_ALPHABET);
  assert_int_equal(atp_sampler_sweep(f->sampler, -1, NULL, NULL, &outcome), ATP_E_VALUE);
  assert_true(atp_sampler_drawn(f->sampler) == 0 && outcome == ATP_OUTCOME_NONE && energies[0] == -7 && states[0] == 99);
  assert_int_equal(atp_sampler_sweeps(f->sampler), 0);
  assert_int_equal(atp_sampler_energies(f->sampler, 2, energies, CHAINS), ATP_OK);
  assert_int_equal(atp_sampler_states(f->sampler, 2, states, CHAINS * L), ATP_OK);
  for (int c = 0; c < CHAINS; ++c) assert_close(energies[c], energy(states + c * L), 1e-13, 1e-13);
  double again[CHAINS];
  assert_int_equal(atp_sampler_sequence_energies(f->sampler, states, CHAINS, again, CHAINS), ATP_OK);
  assert_memory_equal(again, energies, sizeof again);
  assert_int_equal(states[CHAINS * L], 99);
}

static void sizes(void **state) {
  struct fixture *f = *state;
  char buffer[4096];
  const int64_t bytes = atp_sampler_state_bytes(f->sampler);
  assert_in_range(bytes, 1, sizeof buffer - 1);
  assert_int_equal(atp_sampler_chains(f->sampler), CHAINS);
  assert_int_equal(atp_sampler_sites(f->sampler), L);
  assert_int_equal(atp_sampler_temperatures(f->sampler), RUNGS);
  memset(buffer, 99, sizeof buffer);
  assert_int_not_equal(atp_sampler_save_state(f->sampler, buffer, bytes - 1), ATP_OK);
  assert_int_equal(buffer[0], 99);
  assert_int_equal(atp_sampler_save_state(f->sampler, buffer, bytes), ATP_OK);
  assert_int_equal(buffer[bytes], 99);
  assert_int_equal(atp_sampler_sweep(f->sampler, 2, NULL, NULL, NULL), ATP_OK);
  assert_int_not_equal(atp_sampler_load_state(f->sampler, buffer, bytes - 1), ATP_OK);
  assert_int_equal(atp_sampler_sweeps(f->sampler), 2);
  assert_int_equal(atp_sampler_load_state(f->sampler, buffer, bytes), ATP_OK);
  assert_int_equal(atp_sampler_sweeps(f->sampler), 0);
}

/* A state of a sampler that differs in one thing: the text names it. */
static void mismatches_are_named(void **state) {
  struct fixture *f = *state;
  char buffer[4096];
  const int64_t bytes = atp_sampler_state_bytes(f->sampler);
  assert_int_equal(atp_sampler_save_state(f->sampler, buffer, bytes), ATP_OK);
  const struct {
    atp_option key;
    double value;
    const char *text;
  } options[] = {
      {ATP_OPT_CHAINS, CHAINS + 16, "the state has chains 4, the sampler has 20"},
      {ATP_OPT_FIRST_CHAIN, 5, "the state has first-chain 0, the sampler has 5"},
      {ATP_OPT_TEMPERATURES, 1, "the state has temperatures 3, the sampler has 1"},
      {ATP_OPT_SWAP_INTERVAL, 7, "the state has swap-interval 1, the sampler has 7"},
      {ATP_OPT_SEED, 99, "the state has seed 1, the sampler has 99"},
      {ATP_OPT_BETA, 0.5, "the state has beta 1, the sampler has 0.5"},
      {ATP_OPT_BETA_HOT, 0.25, "the state has beta-hot 0.10000000000000001, the sampler has 0.25"},
  };
  for (size_t k = 0; k < sizeof options / sizeof *options; ++k) {
    atp_options *bag;
    atp_sampler *other;
    int is_integer = 0;
    assert_int_equal(atp_options_create(f->context, ATP_OWNER_SAMPLER, &bag), ATP_OK);
    assert_int_equal(atp_options_set_i64(bag, ATP_OPT_CHAINS, CHAINS), ATP_OK);
    assert_int_equal(atp_options_set_i64(bag, ATP_OPT_TEMPERATURES, RUNGS), ATP_OK);
    assert_int_equal(atp_option_bounds(ATP_OWNER_SAMPLER, options[k].key, NULL, NULL, NULL, &is_integer), ATP_OK);
    assert_int_equal(is_integer ? atp_options_set_i64(bag, options[k].key, (int64_t)options[k].value)
                                : atp_options_set_f64(bag, options[k].key, options[k].value),
                     ATP_OK);
    assert_int_equal(atp_sampler_create(f->context, f->model, bag, &other), ATP_OK);
    assert_int_equal(atp_sampler_load_state(other, buffer, bytes), ATP_E_MISMATCH);
    assert_error(f->context, options[k].text);
    atp_sampler_destroy(other);
    atp_options_destroy(bag);
  }
  double values[H * Q * Q];
  atp_model *model;
  atp_sampler *other;
  memcpy(values, kValues, sizeof values);
  for (int h = 0; h < H; ++h) values[h * Q * Q] += 0.5;
  assert_int_equal(atp_model_create_heads(f->context, (const int64_t[]){L, Q, H}, kMaps, values, kFields, &model), ATP_OK);
  assert_int_equal(atp_sampler_create(f->context, model, f->options, &other), ATP_OK);
  assert_int_equal(atp_sampler_load_state(other, buffer, bytes), ATP_E_MISMATCH);
  assert_error(f->context, "a model with other couplings or fields");
  atp_sampler_destroy(other);
  atp_model_destroy(model);
}

/* Parts of the chains in contexts of their own, by their numbers, have the rows and states of one sampler with all chains. */
enum { ALL = 37, ROUNDS = 3, STARTS = 7 };

static atp_sampler *part_of_chains(struct fixture *f, atp_context *context, int64_t first, int64_t end, int64_t rungs) {
  atp_sampler *sampler = NULL;
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_CHAINS, end - first), ATP_OK);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_FIRST_CHAIN, first), ATP_OK);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_TEMPERATURES, rungs), ATP_OK);
  assert_int_equal(atp_sampler_create(context, f->model, f->options, &sampler), ATP_OK);
  return sampler;
}

/* rows: the states at the start, then ROUNDS rounds. */
static void draw_parts(struct fixture *f, int parts, int64_t rungs, int given, uint8_t *rows, double *energies) {
  uint8_t starts[STARTS * L], own[ROUNDS * ALL * L];
  for (int k = 0; k < STARTS * L; ++k) starts[k] = (uint8_t)(k * k * k / 5 % Q);
  for (int p = 0; p < parts; ++p) {
    const int64_t first = ALL * p / parts, end = ALL * (p + 1) / parts, n = end - first;
    atp_context *context = NULL;
    assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
    atp_sampler *sampler = part_of_chains(f, context, first, end, rungs);
    if (given) assert_int_equal(atp_sampler_start_from(sampler, starts, STARTS, L), ATP_OK);
    assert_int_equal(atp_sampler_states(sampler, 0, rows + first * L, n * L), ATP_OK);
    assert_int_equal(atp_sampler_sample(sampler, 2, own, ROUNDS * n * L, NULL, NULL, NULL), ATP_OK);
    for (int round = 0; round < ROUNDS; ++round) memcpy(rows + ((round + 1) * ALL + first) * L, own + round * n * L, (size_t)(n * L));
    assert_int_equal(atp_sampler_energies(sampler, 0, energies + first, n), ATP_OK);
    atp_sampler_destroy(sampler);
    atp_context_destroy(context);
  }
}

static void chains_of_their_own(void **state) {
  struct fixture *f = *state;
  for (int64_t rungs = 1; rungs <= RUNGS; rungs += RUNGS - 1)
    for (int given = 0; given < 2; ++given) {
      uint8_t all[(ROUNDS + 1) * ALL * L], rows[(ROUNDS + 1) * ALL * L];
      double energies[ALL], parts_energies[ALL];
      draw_parts(f, 1, rungs, given, all, energies);
      for (int parts = 2; parts <= 4; ++parts) {
        memset(rows, 99, sizeof rows);
        draw_parts(f, parts, rungs, given, rows, parts_energies);
        assert_memory_equal(rows, all, sizeof all);
        assert_memory_equal(parts_energies, energies, sizeof energies);
      }
    }
  /* Without the option the second part would be the first one again. */
  atp_sampler *first = part_of_chains(f, f->context, 0, 18, 1), *second = part_of_chains(f, f->context, 18, 36, 1);
  uint8_t x[18 * L], y[18 * L];
  char buffer[4096];
  assert_int_equal(atp_sampler_states(first, 0, x, sizeof x), ATP_OK);
  assert_int_equal(atp_sampler_states(second, 0, y, sizeof y), ATP_OK);
  assert_memory_not_equal(x, y, sizeof x);
  assert_in_range(atp_sampler_state_bytes(second), 1, sizeof buffer);
  assert_int_equal(atp_sampler_save_state(second, buffer, sizeof buffer), ATP_OK);
  assert_int_equal(atp_sampler_load_state(first, buffer, atp_sampler_state_bytes(second)), ATP_E_MISMATCH);
  assert_error(f->context, "the state has first-chain 18, the sampler has 0");
  assert_int_equal(atp_sampler_load_state(second, buffer, atp_sampler_state_bytes(second)), ATP_OK);
  atp_sampler_destroy(first);
  atp_sampler_destroy(second);
}

static void last_chain(void **state) {
  struct fixture *f = *state;
  const int64_t most = (int64_t)1 << 31;
  atp_sampler *sampler = NULL;
  int64_t bytes = -7;
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_TEMPERATURES, 1), ATP_OK);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_FIRST_CHAIN, most - CHAINS + 1), ATP_OK);
  assert_int_equal(atp_sampler_create(f->context, f->model, f->options, &sampler), ATP_E_TOO_LARGE);
  assert_error(f->context, "first-chain is 2147483645: 4 chains of 1 temperatures after it have replicas with numbers above 2^31");
  assert_int_equal(atp_sampler_bytes(f->context, f->model, f->options, &bytes), ATP_E_TOO_LARGE);
  assert_int_equal(bytes, -7);
  assert_int_equal(atp_options_set_i64(f->options, ATP_OPT_FIRST_CHAIN, most - CHAINS), ATP_OK);
  assert_int_equal(atp_sampler_create(f->context, f->model, f->options, &sampler), ATP_OK);
  assert_int_equal(atp_sampler_sweep(sampler, 2, NULL, NULL, NULL), ATP_OK);
  atp_sampler_destroy(sampler);
}

/* 255 is what -1 becomes in an array of bytes. */
static void minus_one(void **state) {
  struct fixture *f = *state;
  uint8_t wrong[N * L];
  double energies[2];
  atp_alignment *alignment;
  memcpy(wrong, kSequences, sizeof wrong);
  wrong[L + 1] = (uint8_t)-1;
  assert_int_equal(atp_sampler_start_from(f->sampler, wrong, 2, L), ATP_E_ALPHABET);
  assert_error(f->context, "sequences[1][1] is 255 (-1 as a byte, or ATP_MISSING), must be below the 3 colours");
  assert_int_equal(atp_sampler_sequence_energies(f->sampler, wrong, 2, energies, 2), ATP_E_ALPHABET);
  assert_error(f->context, "sequences[1][1] is 255 (-1 as a byte");
  assert_int_equal(atp_alignment_create(f->context, wrong, 2, L, Q, NULL, &alignment), ATP_E_ALPHABET);
  assert_error(f->context, "sequences[1][1] is 255 (-1 as a byte");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {TEST(betas_rise),           TEST(starts),    TEST(readers_and_runs),    TEST(sizes),
                                          TEST(mismatches_are_named), TEST(minus_one), TEST(chains_of_their_own), TEST(last_chain)};
ATP_TEST_MAIN(tests)
