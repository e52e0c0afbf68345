/* SPDX-License-Identifier: MIT */
/* The dial between factored and plain attention through the C API: options, parts, agreement with factored attention and with the model
 * that a dial at 0 is, training, saved states. The formulas are tested in tests/unit/test_dial.cpp. */
#include "fixture.h"

enum { N = 80, L = 6, Q = 4, LOWRANK = L * Q + 3 * Q * Q, FREE = L * L + Q * Q };

/* The second half of the weights is smaller. */
static atp_alignment *make_data(atp_context *context, uint32_t seed) {
  double weights[N];
  for (int n = 0; n < N; ++n) weights[n] = n < N / 2 ? 1 : 0.5;
  return neighbours(context, N, L, Q, 4, weights, seed);
}

static int setup(void **state) {
  fixture *f = begin(state, ATP_OWNER_TRAINER);
  if (f == NULL) return 1;
  f->train = make_data(f->context, 1);
  f->test = make_data(f->context, 2);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
  set(f, ATP_OPT_BATCH, 16);
  set(f, ATP_OPT_EPOCHS, 40);
  set(f, ATP_OPT_PRECISION, 64);
  return 0;
}

static atp_trainer *make(fixture *f) {
  atp_trainer *t = NULL;
  OK(atp_trainer_create(f->context, f->train, f->options, &t));
  return t;
}

static void create(void **state) {
  fixture *f = *state;
  const struct {
    double dial;
    int map;
    int64_t parameters, parts;
    const char *first, *last;
  } cases[] = {{0, 0, LOWRANK, 4, "positions", "values"},         {0, ATP_MAP_LOWRANK, LOWRANK, 4, "positions", "values"},
               {0, ATP_MAP_SOFTMAX, FREE, 2, "scores", "values"}, {0, ATP_MAP_FREE, FREE, 2, "map", "values"},
               {0.3, 0, LOWRANK + Q, 5, "positions", "mask"},     {1, ATP_MAP_LOWRANK, LOWRANK + Q, 5, "positions", "mask"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int precision = 32; precision <= 64; precision += 32) {
      int64_t before = 0, after = 0, bytes = 0, end = 0;
      double loss = 0;
      OK(atp_options_reset(f->options));
      set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
      set(f, ATP_OPT_PRECISION, precision);
      set(f, ATP_OPT_DIAL, cases[k].dial);
      if (cases[k].map != 0) set(f, ATP_OPT_MAP, cases[k].map);
      OK(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes));
      atp_context_memory(f->context, NULL, &before);
      atp_trainer *t = make(f);
      atp_context_memory(f->context, NULL, &after);
      assert_int_equal(after - before, bytes);
      assert_int_equal(atp_trainer_parameter_count(t), cases[k].parameters);
      assert_int_equal(atp_trainer_map_count(t), 1);
      assert_int_equal(atp_trainer_part_count(t), cases[k].parts);
      for (int64_t part = 0; part < cases[k].parts; ++part) {
        const char *name = NULL;
        int64_t offset = -1, size = -1;
        OK(atp_trainer_part(t, part, &name, &offset, &size));
        assert_int_equal(offset, end);
        end += size;
        if (part == 0) assert_string_equal(name, cases[k].first);
        if (part == cases[k].parts - 1) assert_string_equal(name, cases[k].last);
      }
      assert_int_equal(end, cases[k].parameters);
      OK(atp_trainer_loss(t, f->train, &loss));
      assert_close(loss, log(Q), 0.05, 0);
      atp_trainer_destroy(t);
    }
}

static void refuse_create(fixture *f, atp_option key, double value, const char *part) {
  atp_trainer *t = (atp_trainer *)(uintptr_t)64;
  int64_t bytes = -7;
  set(f, key, value);
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT, part);
  assert_null(t);
  REFUSED(atp_trainer_bytes(f->context, N, L, Q, f->options, &bytes), ATP_E_CONFLICT, part);
  assert_int_equal(bytes, -7);
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
}

static void create_refuses(void **state) {
  fixture *f = *state;
  REFUSED(atp_options_set_f64(f->options, ATP_OPT_DIAL, -0.01), ATP_E_OPTION_RANGE, "dial");
  REFUSED(atp_options_set_f64(f->options, ATP_OPT_DIAL, 1.01), ATP_E_OPTION_RANGE, "dial");
  set(f, ATP_OPT_DIAL, 0.5);
  refuse_create(f, ATP_OPT_MAP, ATP_MAP_FREE, "map is free and dial is 0.5");
  set(f, ATP_OPT_DIAL, 1);
  refuse_create(f, ATP_OPT_MAP, ATP_MAP_SOFTMAX, "map is softmax and dial is 1");
  refuse_create(f, ATP_OPT_WIDTH, 7, "width is 7 and the data have 4 colours");
  refuse_create(f, ATP_OPT_BLOCKS, 2, "blocks is 2");
  refuse_create(f, ATP_OPT_HIDDEN, 9, "hidden is 9");
  refuse_create(f, ATP_OPT_POSITIONS, ATP_POSITIONS_NONE,
                "positions is none: it means nothing to family dial, only to encoder; leave it at sinusoidal");
  refuse_create(f, ATP_OPT_HEADS, 2, "heads is 2");
  refuse_create(f, ATP_OPT_L2_COUPLINGS, 0.1, "l2-couplings");
  refuse_create(f, ATP_OPT_HISTORY, 5, "history is 5");
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  set(f, ATP_OPT_DIAL, 0.5);
  atp_trainer *t = NULL;
  REFUSED(atp_trainer_create(f->context, f->train, f->options, &t), ATP_E_CONFLICT,
          "dial is 0.5: it means nothing to family encoder, only to dial; leave it at 0");
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
  set(f, ATP_OPT_WIDTH, Q);
  t = make(f);
  atp_trainer_destroy(t);
}

/* A free map at a = 0 is what a trainer of factored attention learns: same parameters, loss and gradient. A softmax map is one with its
 * diagonal masked afterwards. */
static void factored_attention(void **state) {
  fixture *f = *state;
  for (int map = ATP_MAP_FREE; map <= ATP_MAP_SOFTMAX; ++map) {
    double x[FREE], g[FREE], h[FREE], loss = 0, expected = 0;
    int64_t sites[N];
    atp_trainer *trainer = NULL;
    atp_options *options = NULL;
    OK(atp_options_create(f->context, ATP_OWNER_TRAINER, &options));
    OK(atp_options_set_i64(options, ATP_OPT_MAP, map));
    OK(atp_options_set_i64(options, ATP_OPT_DIAGONAL, ATP_DIAGONAL_AFTER));
    OK(atp_options_set_i64(options, ATP_OPT_PRECISION, 64));
    OK(atp_trainer_create(f->context, f->train, options, &trainer));
    set(f, ATP_OPT_MAP, map);
    atp_trainer *t = make(f);
    for (int k = 0; k < FREE; ++k) x[k] = 0.8 * sin(1.0 + 2 * k);
    for (int n = 0; n < N; ++n) sites[n] = (5 * n + 2) % L;
    OK(atp_trainer_set_parameters(t, x, FREE));
    OK(atp_trainer_set_parameters(trainer, x, FREE));
    for (int masked = 0; masked < 2; ++masked) {
      if (masked) {
        OK(atp_trainer_masked_gradient(t, sites, N, &loss, NULL, g, FREE));
        OK(atp_trainer_masked_gradient(trainer, sites, N, &expected, NULL, h, FREE));
      } else {
        OK(atp_trainer_gradient(t, &loss, NULL, g, FREE));
        OK(atp_trainer_gradient(trainer, &expected, NULL, h, FREE));
      }
      assert_close(loss, expected, 1e-12, 0);
      for (int k = 0; k < FREE; ++k) assert_close(g[k], h[k], 1e-12, 1e-15);
    }
    x[1] += 1e-6;
    OK(atp_trainer_set_parameters(trainer, x, FREE));
    OK(atp_trainer_masked_gradient(trainer, sites, N, &expected, NULL, NULL, 0));
    assert_true(fabs(expected - loss) > 1e-11);
    atp_trainer_destroy(t);
    atp_trainer_destroy(trainer);
    atp_options_destroy(options);
  }
}

/* The model of a dial at 0 has the network's conditionals, and the alphabet of its data. */
static void model(void **state) {
  fixture *f = *state;
  for (int map = ATP_MAP_FREE; map <= ATP_MAP_LOWRANK; ++map) {
    atp_model *m = NULL;
    static double p[N * L * Q], q[N * L * Q];
    double loss = 0;
    set(f, ATP_OPT_MAP, map);
    atp_trainer *t = make(f);
    OK(atp_trainer_run(t, 5, NULL, NULL, NULL));
    OK(atp_trainer_model(t, &m));
    const uint8_t *s = atp_alignment_sequences_view(f->test);
    OK(atp_trainer_conditionals(t, s, N, L, p, N * L * Q));
    OK(atp_model_conditionals(m, s, N, q, N * L * Q));
    for (int k = 0; k < N * L * Q; ++k) assert_close(p[k], q[k], 1e-12, 0);
    OK(atp_model_loss(f->context, m, f->test, &loss));
    double own = 0;
    OK(atp_trainer_loss(t, f->test, &own));
    assert_close(own, loss, 1e-12, 0);
    atp_model_destroy(m);
    atp_trainer_destroy(t);
  }
  atp_model *m = (atp_model *)(uintptr_t)64;
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  atp_trainer *encoder = make(f);
  REFUSED(atp_trainer_model(encoder, &m), ATP_E_UNSUPPORTED, "family is encoder");
  assert_null(m);
  atp_trainer_destroy(encoder);
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
  set(f, ATP_OPT_DIAL, 0.25);
  atp_trainer *t = make(f);
  m = (atp_model *)(uintptr_t)64;
  REFUSED(atp_trainer_model(t, &m), ATP_E_UNSUPPORTED, "the dial is at 0.25");
  assert_null(m);
  atp_trainer_destroy(t);
}

typedef struct reports {
  int count, with_error;
  double test_loss, coupling_error;
} reports;

static int note(const atp_progress *p, void *user) {
  reports *r = user;
  ++r->count;
  r->test_loss = atp_progress_value(p, ATP_PROGRESS_TEST_LOSS);
  const double error = atp_progress_value(p, ATP_PROGRESS_COUPLING_ERROR);
  r->with_error += !isnan(error);
  r->coupling_error = error;
  return 0;
}

/* Training goes down; the coupling error is that of the model, and reported at a = 0 alone. */
static void training(void **state) {
  fixture *f = *state;
  double a[L * L] = {0}, v[Q * Q] = {0}, first = 0, last = 0, error = 0;
  atp_model *truth = NULL, *learned = NULL;
  for (int i = 0; i + 1 < L; ++i) a[i * L + i + 1] = a[(i + 1) * L + i] = 1;
  for (int c = 0; c < Q; ++c) v[c * Q + c] = 1;
  OK(atp_model_create_heads(f->context, (const int64_t[]){L, Q, 1}, a, v, NULL, &truth));
  const double dials[] = {0, 0.3, 1};
  for (int k = 0; k < 3; ++k)
    for (int precision = 32; precision <= 64; precision += 32) {
      reports r = {0, 0, 0, 0};
      set(f, ATP_OPT_DIAL, dials[k]);
      set(f, ATP_OPT_PRECISION, precision);
      set(f, ATP_OPT_MOMENTUM, 0.9);
      atp_trainer *t = make(f);
      OK(atp_trainer_set_test(t, f->test));
      OK(atp_trainer_set_truth(t, truth));
      OK(atp_trainer_loss(t, f->test, &first));
      OK(atp_trainer_run(t, 40, note, &r, NULL));
      OK(atp_trainer_loss(t, f->test, &last));
      assert_int_equal(r.count, 40);
      assert_true(r.test_loss == last);
      assert_true(last < 0.8 * first);
      assert_int_equal(r.with_error, dials[k] > 0 ? 0 : 40);
      if (dials[k] == 0) {
        OK(atp_trainer_model(t, &learned));
        OK(atp_model_coupling_error(f->context, learned, truth, &error));
        assert_close(r.coupling_error, error, 1e-12, 0);
        atp_model_destroy(learned);
      }
      atp_trainer_destroy(t);
    }
  atp_model_destroy(truth);
}

static int stop_at_once(const atp_progress *p, void *user) {
  (void)p;
  atp_trainer_request_stop(user);
  return 0;
}

static void same_numbers(void **state) {
  fixture *f = *state;
  static double once[LOWRANK + Q], again[LOWRANK + Q];
  for (int kind = 0; kind < 3; ++kind)
    for (int precision = 32; precision <= 64; precision += 32) {
      atp_outcome outcome;
      set(f, ATP_OPT_DIAL, kind == 0 ? 0.4 : 0);
      set(f, ATP_OPT_MAP, kind < 2 ? ATP_MAP_LOWRANK : ATP_MAP_FREE);
      set(f, ATP_OPT_PRECISION, precision);
      atp_trainer *t = make(f);
      const int64_t count = atp_trainer_parameter_count(t);
      OK(atp_trainer_run(t, 6, NULL, NULL, NULL));
      OK(atp_trainer_parameters(t, once, count));
      atp_trainer_destroy(t);
      for (int threads = 1; threads <= 3; ++threads) {
        OK(atp_context_set_threads(f->context, threads));
        t = make(f);
        OK(atp_trainer_run(t, 5, stop_at_once, t, &outcome));
        assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
        const int64_t size = atp_trainer_state_bytes(t);
        void *saved = malloc((size_t)size);
        OK(atp_trainer_save_state(t, saved, size));
        atp_trainer *u = make(f);
        OK(atp_trainer_load_state(u, saved, size));
        assert_int_equal(atp_trainer_epochs(u), 1);
        OK(atp_trainer_run(u, 5, NULL, NULL, NULL));
        OK(atp_trainer_parameters(u, again, count));
        assert_memory_equal(once, again, (size_t)count * sizeof *once);
        free(saved);
        atp_trainer_destroy(u);
        atp_trainer_destroy(t);
      }
      OK(atp_context_set_threads(f->context, 1));
    }
}

static void states(void **state) {
  fixture *f = *state;
  set(f, ATP_OPT_DIAL, 0.5);
  atp_trainer *t = make(f), *u;
  const int64_t size = atp_trainer_state_bytes(t);
  void *saved = malloc((size_t)size);
  OK(atp_trainer_save_state(t, saved, size));
  set(f, ATP_OPT_DIAL, 0.25);
  u = make(f);
  REFUSED(atp_trainer_load_state(u, saved, size), ATP_E_MISMATCH, "the state has dial 0.5, the trainer has 0.25");
  atp_trainer_destroy(u);
  set(f, ATP_OPT_DIAL, 0);
  set(f, ATP_OPT_MAP, ATP_MAP_FREE);
  u = make(f);
  REFUSED(atp_trainer_load_state(u, saved, size), ATP_E_MISMATCH, "the state has map lowrank, the trainer has free");
  atp_trainer_destroy(u);
  OK(atp_options_reset(f->options));
  set(f, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  u = make(f);
  REFUSED(atp_trainer_load_state(u, saved, size), ATP_E_MISMATCH, "the state has family dial, the trainer has encoder");
  atp_trainer_destroy(u);
  atp_trainer_destroy(t);
  free(saved);
}

static const struct CMUnitTest tests[] = {
    TEST(create), TEST(create_refuses), TEST(factored_attention), TEST(model), TEST(training), TEST(same_numbers), TEST(states),
};

ATP_TEST_MAIN(tests)
