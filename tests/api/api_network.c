/* SPDX-License-Identifier: MIT */
/* Networks through the C API: consistency of what they give, training, saved states, and every status of every function. */
#include "fixture.h"
#include "watched.h"

enum { N = 60, L = 5, Q = 3, D = 6, H = 12, BLOCK = 4 * D * D + 2 * D * H + 9 * D + H, PARAMETERS = (Q + 1) * D + 2 * BLOCK + Q * D + Q };

static atp_alignment *make_data(atp_context *context, int64_t sites, int64_t colors, uint32_t seed) {
  return neighbours(context, N, sites, colors, 4, NULL, seed);
}

static int setup(void **state) {
  fixture *f = begin(state, ATP_OWNER_TRAINER);
  if (f == NULL) return 1;
  f->train = make_data(f->context, L, Q, 1);
  f->test = make_data(f->context, L, Q, 2);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  set(f, ATP_OPT_WIDTH, D);
  set(f, ATP_OPT_BLOCKS, 2);
  set(f, ATP_OPT_BATCH, 16);
  set(f, ATP_OPT_EPOCHS, 40);
  return atp_trainer_create(f->context, f->train, f->options, &f->network) != ATP_OK;
}

static void create(void **state) {
  fixture *f = *state;
  int64_t before = 0, after = 0, bytes = 0, end = 0;
  for (int precision = 32; precision <= 64; precision += 32) {
    atp_trainer *t = NULL;
    set(f, ATP_OPT_PRECISION, precision);
    OK(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes));
    atp_context_memory(f->context, NULL, &before);
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    atp_context_memory(f->context, NULL, &after);
    assert_int_equal(after - before, bytes);
    assert_int_equal(atp_trainer_parameter_count(t), PARAMETERS);
    assert_int_equal(atp_trainer_map_count(t), 2);
    assert_int_equal(atp_trainer_epochs(t), 0);
    atp_trainer_destroy(t);
  }
  assert_int_equal(atp_trainer_part_count(f->network), 1 + 2 * 12 + 2);
  for (int64_t k = 0; k < atp_trainer_part_count(f->network); ++k) {
    const char *name = NULL;
    int64_t offset = -1, size = -1;
    OK(atp_trainer_part(f->network, k, &name, &offset, &size));
    assert_int_equal(offset, end);
    assert_true(size > 0);
    end += size;
    if (k == 0) assert_string_equal(name, "tokens");
    if (k == 13) assert_string_equal(name, "block2.qkv");
    if (k == 26) assert_string_equal(name, "output_bias");
  }
  assert_int_equal(end, PARAMETERS);
  int64_t offset = -7;
  REFUSED(atp_trainer_part(f->network, 27, NULL, &offset, NULL), ATP_E_VALUE, "index is 27");
  REFUSED(atp_trainer_part(f->network, -1, NULL, &offset, NULL), ATP_E_VALUE, "index is -1");
  assert_int_equal(offset, -7);
}

static void refuse_create(fixture *f, atp_option key, double value, atp_status status, const char *part) {
  atp_trainer *t = (atp_trainer *)(uintptr_t)64;
  int64_t bytes = -7;
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  set(f, key, value);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), status, part);
  assert_null(t);
  REFUSED(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes), status, part);
  assert_int_equal(bytes, -7);
  OK(atp_options_reset(f->options));
}

static void create_refuses(void **state) {
  fixture *f = *state;
  int64_t bytes = -7;
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  REFUSED(atp_trainer_bytes(f->context, 0, L, Q, f->options, &bytes), ATP_E_VALUE, "0");
  REFUSED(atp_trainer_bytes(f->context, N, 1, Q, f->options, &bytes), ATP_E_VALUE, "sites");
  REFUSED(atp_trainer_bytes(f->context, N, L, 256, f->options, &bytes), ATP_E_VALUE, "256");
  REFUSED(atp_trainer_bytes(f->context, N, 65537, Q, f->options, &bytes), ATP_E_TOO_LARGE, "65537");
  assert_int_equal(bytes, -7);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  refuse_create(f, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM, ATP_E_CONFLICT, "lbfgs");
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  refuse_create(f, ATP_OPT_MOMENTUM, 0.5, ATP_E_CONFLICT, "lbfgs");
  refuse_create(f, ATP_OPT_HISTORY, 5, ATP_E_CONFLICT, "history is 5");
  refuse_create(f, ATP_OPT_GAPS, ATP_GAPS_IGNORE, ATP_E_CONFLICT, "gap");
  refuse_create(f, ATP_OPT_HEADS, 4, ATP_E_CONFLICT, "heads is 4");
  refuse_create(f, ATP_OPT_L2_COUPLINGS, 0.1, ATP_E_CONFLICT, "l2-couplings");
  refuse_create(f, ATP_OPT_FIELDS, 1, ATP_E_CONFLICT, "fields");
  refuse_create(f, ATP_OPT_MAP, ATP_MAP_SOFTMAX, ATP_E_CONFLICT, "map");
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  refuse_create(f, ATP_OPT_MOMENTUM, 0.5, ATP_E_CONFLICT, "momentum");
  /* A bag of another owner. */
  atp_trainer *t = NULL;
  renew(&f->options, ATP_OWNER_SAMPLER);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, "options are those of a sampler");
  assert_null(t);
}

/* Losses, conditionals and maps against each other; central differences of the loss for a part of each kind. */
static void numbers(void **state) {
  fixture *f = *state;
  atp_trainer *t = NULL;
  static double x[PARAMETERS], g[PARAMETERS], p[N * L * Q], maps[2 * L * L];
  double loss = 0, value = 0, sum = 0;
  int64_t sites[N], offset = 0;
  set(f, ATP_OPT_PRECISION, 64);
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  for (int k = 0; k < PARAMETERS; ++k) x[k] = 0.6 * sin(1.0 + k);
  OK(atp_trainer_set_parameters(t, x, PARAMETERS));
  OK(atp_trainer_gradient(t, &loss, NULL, g, PARAMETERS));
  OK(atp_trainer_loss(t, f->train, &value));
  assert_true(value == loss);
  const uint8_t *s = atp_alignment_sequences_view(f->train);
  OK(atp_trainer_conditionals(t, s, N, L, p, N * L * Q));
  for (int k = 0; k < N * L; ++k) {
    assert_close(p[k * Q] + p[k * Q + 1] + p[k * Q + 2], 1, 1e-14, 0);
    sum -= log(p[k * Q + s[k]]) / (N * L);
  }
  assert_close(loss, sum, 1e-12, 0);
  sum = 0;
  for (int n = 0; n < N; ++n) {
    sites[n] = (3 * n + 1) % L;
    sum -= log(p[(n * L + sites[n]) * Q + s[n * L + sites[n]]]) / N;
  }
  OK(atp_trainer_masked_gradient(t, sites, N, &value, NULL, NULL, 0));
  assert_close(value, sum, 1e-12, 0);
  OK(atp_trainer_maps(t, f->train, maps, 2 * L * L));
  for (int row = 0; row < 2 * L; ++row) {
    sum = 0;
    for (int j = 0; j < L; ++j) sum += maps[row * L + j];
    assert_close(sum, 1, 1e-13, 0);
  }
  for (int64_t part = 0; part < atp_trainer_part_count(t); ++part) {
    OK(atp_trainer_part(t, part, NULL, &offset, NULL));
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      const double middle = x[offset];
      x[offset] += side == 0 ? -1e-5 : 1e-5;
      OK(atp_trainer_set_parameters(t, x, PARAMETERS));
      OK(atp_trainer_gradient(t, &sides[side], NULL, NULL, 0));
      x[offset] = middle;
    }
    assert_close(g[offset], (sides[1] - sides[0]) / 2e-5, 1e-6, 1e-9);
  }
  atp_trainer_destroy(t);
}

static void arguments(void **state) {
  fixture *f = *state;
  static double x[PARAMETERS], y[PARAMETERS];
  double out[L * Q], maps[2 * L * L], loss = -7;
  uint8_t s[L] = {0, 1, 2, 1, 0};
  int64_t sites[N] = {0};
  atp_trainer *t = f->network;
  OK(atp_trainer_parameters(t, x, PARAMETERS));
  memcpy(y, x, sizeof x);
  REFUSED(atp_trainer_parameters(t, y, PARAMETERS - 1), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_set_parameters(t, y, PARAMETERS + 1), ATP_E_SHAPE, "size");
  y[9] = NAN;
  REFUSED(atp_trainer_set_parameters(t, y, PARAMETERS), ATP_E_NOT_FINITE, "parameters[9]");
  OK(atp_trainer_parameters(t, y, PARAMETERS));
  assert_memory_equal(x, y, sizeof x);
  REFUSED(atp_trainer_gradient(t, &loss, NULL, y, PARAMETERS - 1), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_gradient(t, &loss, NULL, NULL, PARAMETERS), ATP_E_SHAPE, "size");
  REFUSED(atp_trainer_masked_gradient(t, sites, N - 1, &loss, NULL, y, PARAMETERS), ATP_E_SHAPE, "n is");
  REFUSED(atp_trainer_masked_gradient(t, sites, N, &loss, NULL, y, 0), ATP_E_SHAPE, "size");
  sites[9] = L;
  REFUSED(atp_trainer_masked_gradient(t, sites, N, &loss, NULL, y, PARAMETERS), ATP_E_VALUE, "masked_sites[9]");
  sites[9] = -1;
  REFUSED(atp_trainer_masked_gradient(t, sites, N, &loss, NULL, y, PARAMETERS), ATP_E_VALUE, "masked_sites[9]");
  atp_alignment *longer = make_data(f->context, L + 1, Q, 1), *richer = make_data(f->context, L, Q + 1, 1);
  REFUSED(atp_trainer_loss(t, longer, &loss), ATP_E_SHAPE, "6 sites");
  REFUSED(atp_trainer_loss(t, richer, &loss), ATP_E_SHAPE, "4 colours");
  REFUSED(atp_trainer_set_test(t, longer), ATP_E_SHAPE, "test");
  REFUSED(atp_trainer_maps(t, richer, maps, 2 * L * L), ATP_E_SHAPE, "4 colours");
  REFUSED(atp_trainer_maps(t, f->train, maps, 2 * L * L - 1), ATP_E_SHAPE, "size");
  atp_model *model = NULL;
  OK(atp_model_create_random(f->context, L + 1, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  REFUSED(atp_trainer_set_truth(t, model), ATP_E_SHAPE, "truth");
  atp_model_destroy(model);
  atp_alignment_destroy(longer);
  atp_alignment_destroy(richer);
  for (int k = 0; k < L * Q; ++k) out[k] = -7;
  REFUSED(atp_trainer_conditionals(t, s, 0, L, out, L * Q), ATP_E_VALUE, "n is 0");
  REFUSED(atp_trainer_conditionals(t, s, INT64_MAX, L, out, L * Q), ATP_E_VALUE, "n is");
  REFUSED(atp_trainer_conditionals(t, s, 1, L - 1, out, L * Q), ATP_E_SHAPE, "sites");
  REFUSED(atp_trainer_conditionals(t, s, 1, L, out, L * Q - 1), ATP_E_SHAPE, "size");
  s[3] = Q;
  REFUSED(atp_trainer_conditionals(t, s, 1, L, out, L * Q), ATP_E_ALPHABET, "sequences[0][3]");
  for (int k = 0; k < L * Q; ++k) assert_true(out[k] == -7);
  assert_true(loss == -7);
  atp_outcome outcome = ATP_OUTCOME_STALLED;
  REFUSED(atp_trainer_run(t, -1, NULL, NULL, &outcome), ATP_E_VALUE, "epochs");
  assert_int_equal(outcome, ATP_OUTCOME_STALLED);
}

static void run(void **state) {
  fixture *f = *state;
  for (int optimizer = ATP_OPTIMIZER_SGD; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer) {
    seen s = {0};
    atp_outcome outcome = ATP_OUTCOME_DIVERGED;
    atp_model *truth = NULL;
    atp_trainer *t = NULL;
    double value = 0;
    set(f, ATP_OPT_OPTIMIZER, optimizer);
    OK(atp_model_create_random(f->context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth));
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    OK(atp_trainer_run(t, 0, NULL, NULL, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_NONE);
    OK(atp_trainer_set_test(t, f->test));
    OK(atp_trainer_set_truth(t, truth));
    s.stop_after = 2;
    OK(atp_trainer_run(t, 40, watch, &s, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    assert_int_equal(atp_trainer_epochs(t), 2);
    atp_trainer_request_stop(t);
    OK(atp_trainer_run(t, 1, watch, &s, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    OK(atp_trainer_run(t, 1000, watch, &s, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
    assert_int_equal(s.calls, 40);
    assert_int_equal(atp_trainer_epochs(t), 40);
    assert_close(s.step, 40, 0, 0);
    assert_close(s.total, 40, 0, 0);
    assert_true(s.test < s.first_test && s.train < log(3) && s.gradient > 0 && s.rate > 0 && isnan(s.error));
    OK(atp_trainer_loss(t, f->test, &value));
    assert_true(s.test == value);
    OK(atp_model_loss(f->context, truth, f->test, &value));
    assert_true(s.optimal == value);
    /* Nothing is left of the schedule; parameters that are set start it afresh. */
    OK(atp_trainer_run(t, 1, watch, &s, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
    assert_int_equal(s.calls, 40);
    static double x[PARAMETERS];
    OK(atp_trainer_parameters(t, x, PARAMETERS));
    OK(atp_trainer_set_parameters(t, x, PARAMETERS));
    assert_int_equal(atp_trainer_epochs(t), 0);
    atp_trainer_destroy(t);
    atp_model_destroy(truth);
  }
}

/* A large tolerance is met; a huge rate diverges, with the epoch and finite parameters. */
static void ends(void **state) {
  fixture *f = *state;
  static double x[PARAMETERS], y[PARAMETERS];
  for (int precision = 32; precision <= 64; precision += 32) {
    atp_trainer *t = NULL;
    atp_outcome outcome = ATP_OUTCOME_NONE;
    set(f, ATP_OPT_PRECISION, precision);
    set(f, ATP_OPT_TOLERANCE, 1);
    set(f, ATP_OPT_RATE, 0.1);
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    OK(atp_trainer_run(t, 1000, NULL, NULL, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    atp_trainer_destroy(t);
    set(f, ATP_OPT_TOLERANCE, 0);
    set(f, ATP_OPT_RATE, 1e6);
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    /* Two epochs by a network of the same options, to compare with. */
    OK(atp_trainer_run(t, 1000, NULL, NULL, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
    const int64_t epochs = atp_trainer_epochs(t);
    assert_true(epochs < 40);
    OK(atp_trainer_parameters(t, x, PARAMETERS));
    for (int k = 0; k < PARAMETERS; ++k) assert_true(isfinite(x[k]));
    OK(atp_trainer_run(t, 1000, NULL, NULL, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
    atp_trainer_destroy(t);
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    OK(atp_trainer_run(t, epochs, NULL, NULL, &outcome));
    OK(atp_trainer_parameters(t, y, PARAMETERS));
    assert_memory_equal(x, y, sizeof x);
    atp_trainer_destroy(t);
  }
}

static int stop_at_once(const atp_progress *p, void *user) {
  (void)p;
  atp_trainer_request_stop(user);
  return 0;
}

static void same_numbers(void **state) {
  fixture *f = *state;
  static double once[PARAMETERS], again[PARAMETERS];
  for (int optimizer = ATP_OPTIMIZER_LBFGS; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer)
    for (int precision = 32; precision <= 64; precision += 32)
      for (int objective = ATP_OBJECTIVE_PSEUDOLIKELIHOOD; objective <= ATP_OBJECTIVE_MLM; ++objective) {
        atp_trainer *t = NULL;
        if (optimizer == ATP_OPTIMIZER_LBFGS && objective == ATP_OBJECTIVE_MLM) continue;
        set(f, ATP_OPT_OPTIMIZER, optimizer);
        set(f, ATP_OPT_PRECISION, precision);
        set(f, ATP_OPT_OBJECTIVE, objective);
        set(f, ATP_OPT_MOMENTUM, optimizer == ATP_OPTIMIZER_SGD ? 0.5 : 0);
        set(f, ATP_OPT_EPOCHS, 6);
        OK(atp_trainer_create(f->context, f->train, f->options, &t));
        OK(atp_trainer_run(t, 6, NULL, NULL, NULL));
        OK(atp_trainer_parameters(t, once, PARAMETERS));
        atp_trainer_destroy(t);
        /* Other threads, stopped and saved after two epochs, loaded into another handle. */
        for (int threads = 1; threads <= 3; ++threads) {
          atp_trainer *u = NULL;
          atp_outcome outcome;
          OK(atp_context_set_threads(f->context, threads));
          OK(atp_trainer_create(f->context, f->train, f->options, &t));
          OK(atp_trainer_run(t, 1, NULL, NULL, NULL));
          OK(atp_trainer_run(t, 5, stop_at_once, t, &outcome));
          assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
          const int64_t size = atp_trainer_state_bytes(t);
          void *saved = malloc((size_t)size);
          OK(atp_trainer_save_state(t, saved, size));
          OK(atp_trainer_create(f->context, f->train, f->options, &u));
          OK(atp_trainer_load_state(u, saved, size));
          assert_int_equal(atp_trainer_epochs(u), 2);
          OK(atp_trainer_run(u, 6, NULL, NULL, NULL));
          OK(atp_trainer_parameters(u, again, PARAMETERS));
          assert_memory_equal(once, again, sizeof once);
          free(saved);
          atp_trainer_destroy(u);
          atp_trainer_destroy(t);
        }
        OK(atp_context_set_threads(f->context, 1));
      }
}

/* L-BFGS: a dial at 0 with a free map takes the steps of factored attention from the same start; an encoder ends at a zero gradient. */
static void lbfgs(void **state) {
  fixture *f = *state;
  enum { MAP_AND_V = L * L + Q * Q };
  atp_trainer *t = NULL;
  atp_trainer *trainer = NULL;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  static double x[MAP_AND_V], g[PARAMETERS], p[PARAMETERS];
  double of_dial = 0, of_trainer = 0, before = 0, after = 0, gradient = 0, size = 0;
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_EPOCHS, 2000);
  set(f, ATP_OPT_TOLERANCE, 1e-7);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  OK(atp_trainer_create(f->context, f->train, f->options, &trainer));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
  set(f, ATP_OPT_MAP, ATP_MAP_FREE);
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  assert_int_equal(atp_trainer_parameter_count(t), MAP_AND_V);
  OK(atp_trainer_parameters(trainer, x, MAP_AND_V));
  OK(atp_trainer_set_parameters(t, x, MAP_AND_V));
  OK(atp_trainer_gradient(t, &before, NULL, NULL, 0));
  OK(atp_trainer_run(trainer, 25, NULL, NULL, NULL));
  OK(atp_trainer_run(t, 25, NULL, NULL, NULL));
  OK(atp_trainer_gradient(trainer, &of_trainer, NULL, NULL, 0));
  OK(atp_trainer_gradient(t, &of_dial, NULL, NULL, 0));
  assert_close(of_dial, of_trainer, 1e-9, 0);
  assert_true(of_dial < 0.9 * before);
  atp_trainer_destroy(trainer);
  atp_trainer_destroy(t);
  /* A small one, which cannot learn the data by heart. */
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  set(f, ATP_OPT_WIDTH, 2);
  set(f, ATP_OPT_HIDDEN, 2);
  set(f, ATP_OPT_PRECISION, 64);
  set(f, ATP_OPT_EPOCHS, 5000);
  set(f, ATP_OPT_TOLERANCE, 1e-4);
  set(f, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  const int64_t count = atp_trainer_parameter_count(t);
  assert_true(count < PARAMETERS);
  OK(atp_trainer_gradient(t, &before, NULL, NULL, 0));
  OK(atp_trainer_run(t, 5000, NULL, NULL, &outcome));
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  OK(atp_trainer_gradient(t, &after, NULL, g, count));
  OK(atp_trainer_parameters(t, p, count));
  for (int64_t k = 0; k < count; ++k) gradient += g[k] * g[k], size += p[k] * p[k];
  assert_true(after < before);
  assert_true(gradient <= 1e-8 * (size > 1 ? size : 1));
  atp_trainer_destroy(t);
}

static void states(void **state) {
  fixture *f = *state;
  static double x[PARAMETERS], y[PARAMETERS];
  const int64_t size = atp_trainer_state_bytes(f->network);
  char *saved = malloc((size_t)size), *damaged = malloc((size_t)size);
  OK(atp_trainer_run(f->network, 2, NULL, NULL, NULL));
  OK(atp_trainer_save_state(f->network, saved, size));
  OK(atp_trainer_parameters(f->network, x, PARAMETERS));
  REFUSED(atp_trainer_save_state(f->network, damaged, size - 1), ATP_E_BUFFER, "size");
  REFUSED(atp_trainer_load_state(f->network, saved, size - 1), ATP_E_FORMAT, "cut short");
  REFUSED(atp_trainer_load_state(f->network, saved, 3), ATP_E_FORMAT, "3 bytes");
  memcpy(damaged, saved, (size_t)size);
  damaged[size / 2] ^= 1;
  REFUSED(atp_trainer_load_state(f->network, damaged, size), ATP_E_CHECKSUM, "damaged");
  memcpy(damaged, saved, (size_t)size);
  damaged[0] ^= 1;
  REFUSED(atp_trainer_load_state(f->network, damaged, size), ATP_E_FORMAT, "magic");
  /* Of other options, other data, another kind of handle. */
  const struct {
    atp_option key;
    double value;
    const char *part;
  } others[] = {{ATP_OPT_SEED, 2, "seed"},
                {ATP_OPT_RATE, 0.2, "rate"},
                {ATP_OPT_BATCH, 17, "batch"},
                {ATP_OPT_WIDTH, 7, "width"},
                {ATP_OPT_BLOCKS, 1, "blocks"},
                {ATP_OPT_HIDDEN, 13, "hidden"},
                {ATP_OPT_POSITIONS, 0, "positions"},
                {ATP_OPT_EPOCHS, 41, "epochs"},
                {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM, "optimizer"},
                {ATP_OPT_MOMENTUM, 0.5, "momentum"},
                {ATP_OPT_PRECISION, 64, "precision"},
                {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, "objective"}};
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
    atp_trainer *t = NULL;
    OK(atp_options_reset(f->options));
    set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
    set(f, ATP_OPT_WIDTH, D);
    set(f, ATP_OPT_BLOCKS, 2);
    set(f, ATP_OPT_BATCH, 16);
    set(f, ATP_OPT_EPOCHS, 40);
    set(f, others[k].key, others[k].value);
    OK(atp_trainer_create(f->context, f->train, f->options, &t));
    REFUSED(atp_trainer_load_state(t, saved, size), ATP_E_MISMATCH, others[k].part);
    assert_int_equal(atp_trainer_epochs(t), 0);
    atp_trainer_destroy(t);
  }
  atp_trainer *t = NULL;
  atp_trainer *trainer = NULL;
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  set(f, ATP_OPT_WIDTH, D);
  set(f, ATP_OPT_BLOCKS, 2);
  set(f, ATP_OPT_BATCH, 16);
  set(f, ATP_OPT_EPOCHS, 40);
  OK(atp_trainer_create(f->context, f->test, f->options, &t));
  REFUSED(atp_trainer_load_state(t, saved, size), ATP_E_MISMATCH, "other training sequences");
  atp_trainer_destroy(t);
  OK(atp_trainer_create(f->context, f->train, NULL, &trainer));
  REFUSED(atp_trainer_load_state(trainer, saved, size), ATP_E_MISMATCH, "the state has family encoder, the trainer has factored");
  const int64_t other_size = atp_trainer_state_bytes(trainer);
  void *other = malloc((size_t)other_size);
  OK(atp_trainer_save_state(trainer, other, other_size));
  REFUSED(atp_trainer_load_state(f->network, other, other_size), ATP_E_MISMATCH, "the state has family factored, the trainer has encoder");
  atp_trainer_destroy(trainer);
  OK(atp_trainer_parameters(f->network, y, PARAMETERS));
  assert_memory_equal(x, y, sizeof x);
  free(other);
  free(saved);
  free(damaged);
}

static int no_reduction(double *values, int64_t count, void *user) {
  (void)values, (void)count, (void)user;
  fail_msg("a network has no sums over processes");
  return 1;
}

/* What other families have, and what only networks have: a status, a text with the family, and no output. */
static void unsupported(void **state) {
  fixture *f = *state;
  double x[N * L * Q] = {0};
  atp_trainer *factored = NULL;
  const int64_t pair[2] = {0, 1};
  REFUSED(atp_trainer_set_values(f->network, x, Q * Q), ATP_E_UNSUPPORTED, "family is encoder: there is no V");
  REFUSED(atp_trainer_start_wide(f->network, 4, 3, NULL, NULL, NULL), ATP_E_UNSUPPORTED, "family is encoder");
  REFUSED(atp_trainer_start_from(f->network, f->network), ATP_E_UNSUPPORTED, "family is encoder");
  REFUSED(atp_trainer_set_reduction(f->network, no_reduction, NULL), ATP_E_UNSUPPORTED, "family is encoder");
  OK(atp_trainer_set_reduction(f->network, NULL, NULL));
  atp_trainer *listed = (atp_trainer *)(uintptr_t)64;
  REFUSED(atp_trainer_create_pairs(f->context, f->train, f->options, pair, 1, &listed), ATP_E_UNSUPPORTED, "family is encoder");
  assert_null(listed);
  OK(atp_trainer_create(f->context, f->train, NULL, &factored));
  const uint8_t *s = atp_alignment_sequences_view(f->train);
  REFUSED(atp_trainer_conditionals(factored, s, N, L, x, N * L * Q), ATP_E_UNSUPPORTED, "family is factored: only networks");
  REFUSED(atp_trainer_maps(factored, f->train, x, 0), ATP_E_UNSUPPORTED, "family is factored: only networks");
  for (int k = 0; k < N * L * Q; ++k) assert_true(x[k] == 0);
  assert_int_equal(atp_trainer_map_count(factored), 0);
  atp_trainer_destroy(factored);
}

static const struct CMUnitTest tests[] = {
    TEST(create), TEST(create_refuses), TEST(numbers), TEST(arguments), TEST(run),
    TEST(ends),   TEST(same_numbers),   TEST(lbfgs),   TEST(states),    TEST(unsupported),
};

ATP_TEST_MAIN(tests)
