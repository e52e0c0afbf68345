/* SPDX-License-Identifier: MIT */
/* States that nobody saved: a field of a good one is changed and the checksum made right again. Each is refused, with a text and an
 * unchanged handle, or is one to go on from: the run after it ends. */
#include "api_support.h"
#include "saved_states.h"

enum { HEADER = 32, BIGGEST = 1 << 16, POSITION = 72 };

static char good[BIGGEST], planted[BIGGEST], before[BIGGEST], after[BIGGEST];

/* A handle in the middle of its run, and its state in `good`. */
static saved_subject in_the_middle(const char *name, int64_t *size) {
  char path[1024];
  int k = 0;
  while (strcmp(saved_cases[k].name, name) != 0) ++k;
  saved_subject s = saved_create(&saved_cases[k]);
  snprintf(path, sizeof path, ATP_TEST_DATA "/states-0.1/%s.state", name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail_msg("%s cannot be opened", path);
  *size = (int64_t)fread(good, 1, BIGGEST, file);
  fclose(file);
  assert_int_equal(atp_context_set_threads(s.context, 1), ATP_OK); /* the work is small */
  assert_int_equal(saved_load(&s, good, *size), ATP_OK);
  return s;
}

/* `planted` = the good state with these bytes and the checksum (FNV-1a) of all. */
static void plant(int64_t size, int64_t offset, const void *bytes, int width) {
  memcpy(planted, good, (size_t)size);
  memcpy(planted + offset, bytes, (size_t)width);
  const uint64_t sum = saved_mix(14695981039346656037u, planted, (size_t)size - 8);
  memcpy(planted + size - 8, &sum, 8);
}

static void expect_refusal(saved_subject *s, int64_t size, int64_t offset, const char *text) {
  saved_save(s, before, size);
  const atp_status status = saved_load(s, planted, size);
  if (status != ATP_E_FORMAT && status != ATP_E_MISMATCH)
    fail_msg("%s: offset %lld was accepted, must be refused for \"%s\"", s->which->name, (long long)offset, text);
  assert_error(s->context, text);
  saved_save(s, after, size);
  assert_memory_equal(before, after, (size_t)size);
}

/* Whatever is planted: refused, or a run that ends. */
static void try_bytes(saved_subject *s, int64_t size, int64_t offset, const void *bytes, int width, int *refused) {
  plant(size, offset, bytes, width);
  saved_save(s, before, size);
  const atp_status status = saved_load(s, planted, size);
  if (status != ATP_OK) {
    char text[512];
    ++*refused;
    assert_true(status == ATP_E_FORMAT || status == ATP_E_MISMATCH);
    assert_true(atp_context_error(s->context, text, sizeof text) > 10);
    saved_save(s, after, size);
    assert_memory_equal(before, after, (size_t)size);
    return;
  }
  if (s->sampler != NULL)
    (void)atp_sampler_sweep(s->sampler, 3, NULL, NULL, NULL); /* no more sweeps than a sampler can count: refused */
  else
    saved_run(s, 2);
  saved_save(s, after, size);
  assert_int_equal(saved_load(s, good, size), ATP_OK);
}

static void any_field_of_any_state(void **unused) {
  const double reals[] = {1e308, NAN, INFINITY, -1};
  const int64_t whole[] = {INT64_MAX, INT64_MIN, 0x7f7f7f7f7f7f7f7f, 2};
  const int32_t half[] = {INT32_MAX, INT32_MIN, -1, 0x7f7f7f7f};
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    int64_t size;
    int refused = 0, tried = 0;
    saved_subject s = in_the_middle(saved_cases[k].name, &size);
    /* All that is no long array, and every 97th number of the arrays. */
    for (int64_t offset = HEADER; offset + 8 < size; offset += offset < 480 || offset + 24 > size ? 8 : 97 * 8) {
      for (size_t v = 0; v < sizeof reals / sizeof *reals; ++v, ++tried) try_bytes(&s, size, offset, &reals[v], 8, &refused);
      for (size_t v = 0; v < sizeof whole / sizeof *whole; ++v, ++tried) try_bytes(&s, size, offset, &whole[v], 8, &refused);
    }
    for (int64_t offset = HEADER; s.sampler != NULL && offset + 8 < size; offset += 4)
      for (size_t v = 0; v < sizeof half / sizeof *half; ++v, ++tried) try_bytes(&s, size, offset, &half[v], 4, &refused);
    print_message("%s: %d of %d refused\n", s.which->name, refused, tried);
    assert_true(refused > tried / 4);
    saved_destroy(&s);
  }
}

/* Numbers that must be refused, of samplers by their places behind the header, of trainers by the names of fields, or by their places
 * behind these. */
typedef struct field {
  const char *name;  /* of the case */
  const char *named; /* the field; "": by its place */
  int offset;
  int is_real;
  double real;
  int64_t whole;
  const char *text;
} field;

#define REAL(name, named, offset, value, text) \
  { name, named, offset, 1, value, 0, text }
#define WHOLE(name, named, offset, value, text) \
  { name, named, offset, 0, 0, value, text }

/* tempering: sweeps | 3 betas | 32 lanes of 6 colours | 32 energies | 21 replicas | 14 tried | 14 accepted | key. */
enum { ENERGIES = 8 + 24 + 192, RUNGS = ENERGIES + 256, TRIED = RUNGS + 84, ACCEPTED = TRIED + 112 };
/* trainers: epoch, step, outcome, three sums, loss, objective, rate | optimiser, sites one by one: the norm of all gradients, the worst
 * outcome | parameters */
enum { RING = POSITION + 40, DENSE_RING = POSITION + 56 };

static const field fields[] = {
    WHOLE("sampler", "", 0, -1, "number of sweeps is -1"),
    WHOLE("sampler", "", 0, INT64_MAX, "number of sweeps is 9223372036854775807"),
    REAL("sampler", "", 8, 1e308, "beta is 1e+308, must be in 0..1e+06"),
    REAL("sampler", "", 8, NAN, "beta is nan"),
    REAL("sampler", "", 8, -1, "beta is -1"),
    WHOLE("sampler", "", 16, 4, "colour 4, must be below the 4 colours"),
    REAL("tempering", "", 16, 1e-9, "betas do not increase"),
    REAL("tempering", "", ENERGIES, 1e308, "energy is 1e+308"),
    REAL("tempering", "", ENERGIES + 248, NAN, "energy is nan"),
    WHOLE("tempering", "", RUNGS, 3, "not a permutation of 0..2"),
    WHOLE("tempering", "", RUNGS, 0x0000000100000001, "not a permutation of 0..2"),
    WHOLE("tempering", "", TRIED, INT64_MAX, "number of exchanges tried is 9223372036854775807"),
    WHOLE("tempering", "", TRIED, -1, "number of exchanges tried is -1"),
    WHOLE("tempering", "", ACCEPTED, 1000, "number of exchanges accepted is 1000"),
    WHOLE("lbfgs", "sequences", 0, 61, "the state has sequences 61, the trainer has 60"),
    WHOLE("lbfgs", "", 0, INT64_MAX, "position (epoch 9223372036854775807"),
    WHOLE("lbfgs", "", 0, -1, "position (epoch -1"),
    WHOLE("lbfgs", "", 8, 1, "position"),
    WHOLE("lbfgs", "", 16, ATP_OUTCOME_CANCELLED, "outcome 3) does not exist"),
    WHOLE("lbfgs", "", 16, 6, "outcome 6) does not exist"),
    REAL("lbfgs", "", 48, NAN, "not finite or negative"),
    REAL("lbfgs", "", 64, -1, "not finite or negative"),
    REAL("lbfgs", "", POSITION, NAN, "descent has nan"),
    REAL("lbfgs", "", POSITION + 8, -1, "descent has -1"),
    WHOLE("lbfgs", "", RING, 9, "number of pairs is 9, must be in 0..8"),
    WHOLE("lbfgs", "", RING + 8, 8, "place of the newest pair is 8"),
    WHOLE("lbfgs", "", RING + 16, INT64_MAX, "number of idle iterations"),
    WHOLE("lbfgs", "", RING + 24, 2, "has started is 2, must be in 0..1"),
    REAL("lbfgs", "", RING + 32, INFINITY, "gradient has inf at place 0"),
    WHOLE("sgd", "", 0, 100001, "position (epoch 100001"),
    WHOLE("sgd", "", 8, 12, "step 12"),
    WHOLE("sgd", "", 16, ATP_OUTCOME_MAX_ITER, "does not exist"),
    REAL("sgd", "", 24, INFINITY, "not finite or negative"),
    REAL("sgd", "", 40, -1, "weight -1"),
    REAL("sgd", "", 64, NAN, "rate nan"),
    REAL("sgd", "", POSITION, NAN, "velocity has nan at place 0"),
    REAL("adam", "", POSITION, 1.5, "power of beta 1 is 1.5, must be in 0..1"),
    REAL("adam", "", POSITION + 8, -0.5, "power of beta 2 is -0.5"),
    REAL("adam", "", POSITION + 16 + 8 * 52, -1, "mean of squared gradients has -1 at place 0"),
    WHOLE("dense", "sites", 0, 7, "the state has sites 7, the trainer has 6"),
    WHOLE("dense", "", 0, INT64_MAX, "position (epoch 9223372036854775807"),
    WHOLE("dense", "", 16, ATP_OUTCOME_CANCELLED, "outcome 3) does not exist"),
    REAL("dense", "", POSITION, INFINITY, "descent has inf"),
    WHOLE("dense", "", DENSE_RING, 6, "number of pairs is 6"),
    WHOLE("dense", "", DENSE_RING + 16, 22, "number of idle iterations is 22, must be in 0..21"),
    REAL("dense64", "", DENSE_RING + 32, NAN, "inner product of pairs 0 and 0 is nan"),
    WHOLE("asymmetric", "", 0, 7, "position (epoch 7"),
    WHOLE("asymmetric", "", 16, ATP_OUTCOME_CONVERGED, "position (epoch 2, step 0, outcome 1)"),
    REAL("asymmetric", "", 24, NAN, "losses"),
    REAL("asymmetric", "", POSITION, -1, "sums"),
    REAL("asymmetric", "", 40, -1, "weight -1"),
    WHOLE("asymmetric", "", POSITION + 8, ATP_OUTCOME_NONE, "outcome of 2 sites is 0"),
    WHOLE("asymmetric", "", POSITION + 8, INT64_MIN, "outcome of 2 sites"),
    REAL("asymmetric64", "", POSITION + 16, INFINITY, "parameters has inf at place 0"),
    WHOLE("dial", "sites", 0, 7, "the state has sites 7, the trainer has 6"),
    WHOLE("dial", "", 0, INT64_MAX, "position"),
    WHOLE("encoder", "", 8, -1, "position"),
    REAL("encoder", "", 56, INFINITY, "not finite or negative"),
    REAL("encoder_adam", "", POSITION, 2, "power of beta 1 is 2"),
};

static int64_t place_of(const saved_subject *s, const field *of) {
  if (s->sampler != NULL) return HEADER + of->offset;
  if (of->named[0] == '\0') return saved_position(good) + of->offset;
  for (int64_t at = HEADER + 8; at < saved_position(good); at += SAVED_FIELD)
    if (strcmp(good + at, of->named) == 0) return at + SAVED_FIELD - 8;
  fail_msg("%s has no field %s", of->name, of->named);
  return -1;
}

static void fields_by_name(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k) {
    int64_t size;
    saved_subject s = in_the_middle(fields[k].name, &size);
    const int64_t offset = place_of(&s, &fields[k]);
    if (fields[k].is_real)
      plant(size, offset, &fields[k].real, 8);
    else
      plant(size, offset, &fields[k].whole, 8);
    expect_refusal(&s, size, offset, fields[k].text);
    saved_destroy(&s);
  }
}

/* A run that diverged at its first step saves a state that loads. */
static void a_diverged_run_is_a_state(void **unused) {
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    if (saved_cases[k].kind == SAVED_SAMPLER) continue;
    saved_subject s = saved_create(&saved_cases[k]);
    const int dense = saved_is(&s, "dense") || saved_is(&s, "asymmetric") || saved_is(&s, "ordered_") ||
                      strcmp(saved_cases[k].name, "likelihood") == 0,
              wide = strstr(saved_cases[k].name, "64") != NULL;
    const int64_t n = atp_trainer_parameter_count(s.trainer);
    const int64_t size = saved_bytes(&s);
    double *x = malloc((size_t)n * sizeof *x);
    atp_outcome outcome = ATP_OUTCOME_NONE;
    for (int64_t j = 0; j < n; ++j) x[j] = (dense && !wide ? 1e38 : 1e300) * (j % 2 == 0 ? 1 : -1);
    /* Couplings like these would make centred fields that float32 cannot hold, which is refused: only fields. */
    const int joint = saved_is(&s, "dense") || saved_is(&s, "ordered_dense");
    const int64_t first = joint ? SAVED_SITES * SAVED_COLORS : SAVED_COLORS, problem = joint ? n : n / SAVED_SITES;
    for (int64_t j = 0; (joint || saved_is(&s, "asymmetric")) && !wide && j < n; ++j) x[j] = j % problem < first ? 2 * x[j] : 0;
    const int heads = saved_is(&s, "lbfgs") || saved_is(&s, "wide") || saved_is(&s, "unfinished_wide");
    for (int64_t j = 0; heads && j < n; ++j) x[j] = j < n - SAVED_SITES * SAVED_COLORS ? 0 : j % 2 == 0 ? 1.7e308 : -1.7e308;
    SAVED_OK(atp_trainer_set_parameters(s.trainer, x, n));
    SAVED_OK(atp_trainer_run(s.trainer, 6, NULL, NULL, &outcome));
    assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
    saved_save(&s, before, size);
    if (saved_load(&s, before, size) != ATP_OK) {
      char text[512];
      atp_context_error(s.context, text, sizeof text);
      fail_msg("%s: %s", saved_cases[k].name, text);
    }
    free(x);
    saved_destroy(&s);
  }
}

/* Parameters that single precision cannot hold are refused where they are set. */
static void parameters_fit_their_precision(void **unused) {
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    if (strcmp(saved_cases[k].name, "dense") != 0 && strcmp(saved_cases[k].name, "asymmetric") != 0) continue;
    saved_subject s = saved_create(&saved_cases[k]);
    const int64_t n = atp_trainer_parameter_count(s.trainer), size = saved_bytes(&s);
    double *x = calloc((size_t)n, sizeof *x);
    x[3] = 1e39;
    saved_save(&s, before, size);
    assert_int_equal(atp_trainer_set_parameters(s.trainer, x, n), ATP_E_NOT_FINITE);
    assert_error(s.context, "parameters[3] is 1e+39");
    saved_save(&s, after, size);
    assert_memory_equal(before, after, (size_t)size);
    free(x);
    saved_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_by_name),
      cmocka_unit_test(any_field_of_any_state),
      cmocka_unit_test(a_diverged_run_is_a_state),
      cmocka_unit_test(parameters_fit_their_precision),
  };
  where_races_are_sought("a_diverged_run_is_a_state");
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
