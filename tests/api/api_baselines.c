/* SPDX-License-Identifier: MIT */
/* Mean-field couplings, direct information, Gaussian scores and mutual information against exact enumeration and definitions written down
 * again; both ways to the inverse; statuses, threads, memory. */
#include "counting.h"
#include "api_support.h"

enum { SITES = 4, COLORS = 3, STATES = 81, PAIR = SITES * SITES };

static double noise(unsigned *x) {
  *x = *x * 1664525u + 1013904223u;
  return (double)(*x >> 8) / (1 << 23) - 1;
}

static int64_t power(int64_t base, int64_t exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/* All states of a random dense model of this strength, weighted by their probabilities: the model's exact statistics. */
static atp_model *random_dense(atp_context *context, int64_t sites, int64_t q, double strength, unsigned seed) {
  double *couplings = calloc((size_t)(sites * sites * q * q), sizeof *couplings), *fields = calloc((size_t)(sites * q), sizeof *fields);
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t a = 0; a < q; ++a) {
      fields[i * q + a] = 0.5 * noise(&seed);
      for (int64_t j = i + 1; j < sites; ++j)
        for (int64_t b = 0; b < q; ++b)
          couplings[((i * sites + j) * q + a) * q + b] = couplings[((j * sites + i) * q + b) * q + a] = strength * noise(&seed);
    }
  atp_model *model = NULL;
  assert_int_equal(atp_model_create_dense_f64(context, sites, q, couplings, fields, &model), ATP_OK);
  free(couplings);
  free(fields);
  return model;
}

static atp_alignment *all_states(atp_context *context, const atp_model *model) {
  const int64_t sites = atp_model_sites(model), q = atp_model_colors(model), n = power(q, sites);
  uint8_t *states = malloc((size_t)(n * sites));
  double *energies = malloc((size_t)n * sizeof *energies);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0, rest = k; i < sites; ++i, rest /= q) states[k * sites + i] = (uint8_t)(rest % q);
  assert_int_equal(atp_model_energies(model, states, n, energies, n), ATP_OK);
  for (int64_t k = 0; k < n; ++k) energies[k] = exp(-energies[k]);
  atp_alignment *alignment = NULL;
  assert_int_equal(atp_alignment_create(context, states, n, sites, q, energies, &alignment), ATP_OK);
  free(states);
  free(energies);
  return alignment;
}

static atp_options *options_of(atp_context *context, int owner, double pseudocount, int64_t precision) {
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, owner, &options), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_PSEUDOCOUNT, pseudocount), ATP_OK);
  if (owner != ATP_OWNER_MUTUAL_INFORMATION) assert_int_equal(atp_options_set_i64(options, ATP_OPT_PRECISION, precision), ATP_OK);
  return options;
}

/* Root mean squares of the couplings of the zero-sum gauge of `truth`, and of their difference from the mean-field ones. */
static void coupling_errors(atp_context *context, const atp_model *truth, double *size, double *error) {
  atp_alignment *data = all_states(context, truth);
  atp_options *options = options_of(context, ATP_OWNER_MEAN_FIELD, 1e-9, 64);
  atp_model *found = NULL, *exact = NULL;
  assert_int_equal(atp_mean_field_model(context, data, options, &found), ATP_OK);
  assert_int_equal(atp_model_gauge(context, truth, ATP_GAUGE_ZERO_SUM, &exact), ATP_OK);
  double x[PAIR * COLORS * COLORS], y[PAIR * COLORS * COLORS];
  assert_int_equal(atp_model_couplings_f64(found, x, PAIR * COLORS * COLORS), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(exact, y, PAIR * COLORS * COLORS), ATP_OK);
  *size = *error = 0;
  for (int k = 0; k < PAIR * COLORS * COLORS; ++k) {
    *size += y[k] * y[k];
    *error += (x[k] - y[k]) * (x[k] - y[k]);
  }
  *size = sqrt(*size);
  *error = sqrt(*error);
  atp_model_destroy(found);
  atp_model_destroy(exact);
  atp_options_destroy(options);
  atp_alignment_destroy(data);
}

/* The error of mean-field couplings is of second order in the couplings: halving them divides it by four. */
static void weak_couplings(void **state) {
  double size[3], error[3];
  for (int k = 0; k < 3; ++k) {
    atp_model *truth = random_dense(*state, SITES, COLORS, 0.08 / (1 << k), 5);
    coupling_errors(*state, truth, &size[k], &error[k]);
    atp_model_destroy(truth);
    assert_true(error[k] < 0.1 * size[k]);
    if (k > 0) assert_close(error[k - 1] / error[k], 4, 0.15, 0);
  }
}

/* With no couplings the fields are those of the frequencies. */
static void fields_of_independent_sites(void **state) {
  atp_model *truth = random_dense(*state, SITES, COLORS, 0, 3), *found = NULL, *gauged = NULL;
  atp_alignment *data = all_states(*state, truth);
  atp_options *options = options_of(*state, ATP_OWNER_MEAN_FIELD, 1e-12, 64);
  assert_int_equal(atp_mean_field_model(*state, data, options, &found), ATP_OK);
  assert_int_equal(atp_model_gauge(*state, truth, ATP_GAUGE_ZERO_SUM, &gauged), ATP_OK);
  double x[SITES * COLORS], y[SITES * COLORS];
  assert_int_equal(atp_model_fields(found, x, SITES * COLORS), ATP_OK);
  assert_int_equal(atp_model_fields(gauged, y, SITES * COLORS), ATP_OK);
  for (int k = 0; k < SITES * COLORS; ++k) assert_close(x[k], y[k], 0, 1e-9);
  atp_model_destroy(truth);
  atp_model_destroy(gauged);
  atp_model_destroy(found);
  atp_options_destroy(options);
  atp_alignment_destroy(data);
}

/* sum P log(P / (f g)) from weighted sequences: the definition. */
static double information(const atp_alignment *data, int64_t i, int64_t j, double c) {
  const int64_t n = atp_alignment_count(data), sites = atp_alignment_sites(data), q = atp_alignment_colors(data);
  const uint8_t *s = atp_alignment_sequences_view(data);
  const double *w = atp_alignment_weights_view(data);
  double total = 0, sum = 0;
  for (int64_t k = 0; k < n; ++k) total += w[k];
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      double f = 0, g = 0, p = 0;
      for (int64_t k = 0; k < n; ++k) {
        const int left = s[k * sites + i] == a, right = s[k * sites + j] == b;
        f += left * w[k] / total;
        g += right * w[k] / total;
        p += left * right * w[k] / total;
      }
      f = (1 - c) * f + c / (double)q;
      g = (1 - c) * g + c / (double)q;
      p = (1 - c) * p + c / (double)(q * q);
      if (p > 0) sum += p * log(p / (f * g));
    }
  return sum;
}

static void mutual_information_by_definition(void **state) {
  uint8_t sequences[40 * SITES];
  double weights[40], scores[PAIR];
  unsigned seed = 9;
  for (int k = 0; k < 40 * SITES; ++k) sequences[k] = (uint8_t)((noise(&seed) + 1) * 1.49999);
  for (int k = 0; k < 40; ++k) weights[k] = 1.5 + noise(&seed);
  atp_alignment *data = NULL;
  assert_int_equal(atp_alignment_create(*state, sequences, 40, SITES, COLORS, weights, &data), ATP_OK);
  for (int k = 0; k < 3; ++k) {
    atp_options *options = options_of(*state, ATP_OWNER_MUTUAL_INFORMATION, 0.25 * k, 32);
    assert_int_equal(atp_mutual_information(*state, data, k == 0 ? NULL : options, scores, PAIR), ATP_OK);
    for (int i = 0; i < SITES; ++i)
      for (int j = 0; j < SITES; ++j) assert_close(scores[i * SITES + j], i == j ? 0 : information(data, i, j, 0.25 * k), 1e-12, 1e-14);
    atp_options_destroy(options);
  }
  atp_alignment_destroy(data);
}

/* The direct information of two sites alone is their mutual information, however strong the coupling. */
static void two_sites_alone(void **state) {
  for (int k = 0; k < 4; ++k) {
    atp_model *model = random_dense(*state, 2, 5, k, 11 + (unsigned)k);
    atp_alignment *data = all_states(*state, model);
    double frequencies[10], scores[4], beyond[10];
    assert_int_equal(atp_alignment_frequencies(data, 0, frequencies, 10), ATP_OK);
    assert_int_equal(atp_direct_information(*state, model, frequencies, 10, scores, 4), ATP_OK);
    assert_close(scores[1], information(data, 0, 1, 0), 1e-8, 1e-12);
    assert_true(scores[0] == 0 && scores[3] == 0 && scores[2] == scores[1]);
    /* In another gauge, and at another temperature of weaker couplings, it is the same. */
    atp_model *gauged = NULL;
    assert_int_equal(atp_model_gauge(*state, model, ATP_GAUGE_ZERO_SUM, &gauged), ATP_OK);
    assert_int_equal(atp_direct_information(*state, gauged, frequencies, 10, beyond, 4), ATP_OK);
    assert_close(beyond[1], scores[1], 1e-9, 1e-12);
    atp_model_destroy(gauged);
    atp_model_destroy(model);
    atp_alignment_destroy(data);
  }
}

/* Colours that never occur have no weight: 0 log 0 = 0. */
static void colours_that_do_not_occur(void **state) {
  const double couplings[16] = {0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0}, frequencies[4] = {1, 0, 0.5, 0.5};
  double scores[4];
  atp_model *model = NULL;
  assert_int_equal(atp_model_create_dense_f64(*state, 2, 2, couplings, NULL, &model), ATP_OK);
  assert_int_equal(atp_direct_information(*state, model, frequencies, 4, scores, 4), ATP_OK);
  assert_close(scores[1], 0, 0, 1e-10);
  atp_model_destroy(model);
}

/* log det by elimination without exchanges: for positive definite matrices. */
static double log_det(int n, const double *matrix) {
  double a[64], sum = 0;
  memcpy(a, matrix, (size_t)(n * n) * sizeof *a);
  for (int k = 0; k < n; ++k) {
    sum += log(a[k * n + k]);
    for (int r = k + 1; r < n; ++r)
      for (int c = k + 1; c < n; ++c) a[r * n + c] -= a[r * n + k] * a[k * n + c] / a[k * n + k];
  }
  return sum;
}

/* Of two Gaussian sites alone it is the mutual information log(|C_11| |C_22| / |C|) / 2, here without the last colour. */
static void two_gaussian_sites(void **state) {
  enum { Q = 4, D = Q - 1 };
  for (int k = 1; k < 4; ++k) {
    atp_model *model = random_dense(*state, 2, Q, k, 21 + (unsigned)k);
    atp_alignment *data = all_states(*state, model);
    atp_options *options = options_of(*state, ATP_OWNER_GAUSSIAN, 0.3, 64);
    double covariances[4 * Q * Q], whole[4 * D * D], site[2][D * D], scores[4];
    assert_int_equal(atp_alignment_covariances(data, 0.3, covariances, 4 * Q * Q), ATP_OK);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int a = 0; a < D; ++a)
          for (int b = 0; b < D; ++b) {
            const double x = covariances[((i * 2 + j) * Q + a) * Q + b];
            whole[(i * D + a) * 2 * D + j * D + b] = x;
            if (i == j) site[i][a * D + b] = x;
          }
    const double expected = 0.5 * (log_det(D, site[0]) + log_det(D, site[1]) - log_det(2 * D, whole));
    assert_int_equal(atp_gaussian_scores(*state, data, options, ATP_PAIR_SCORE_DI, -1, scores, 4), ATP_OK);
    assert_true(expected > 1e-3);
    assert_close(scores[1], expected, 1e-11, 0);
    assert_true(scores[2] == scores[1] && scores[0] == 0 && scores[3] == 0);
    atp_options_destroy(options);
    atp_alignment_destroy(data);
    atp_model_destroy(model);
  }
}

/* Related sequences: each is a copy of an earlier one with a third of its sites drawn anew. */
static void family(uint8_t *sequences, int64_t n, int64_t sites, int64_t q) {
  unsigned seed = 77;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < sites; ++i) {
      const int64_t fresh = (int64_t)((noise(&seed) + 1) / 2.0001 * (double)q);
      sequences[k * sites + i] = k == 0 || noise(&seed) < -0.33 ? (uint8_t)fresh : sequences[k / 2 * sites + i];
    }
}

enum { FEW = 12, MANY = 60, LONG = 14, FIVE = 5, LONG_PAIR = LONG * LONG };

static void both_scores(atp_context *context, const uint8_t *sequences, const double *weights, int64_t n, int64_t precision, double *norms,
                        double *gaussian) {
  atp_alignment *data = NULL;
  atp_model *model = NULL;
  atp_options *options = options_of(context, ATP_OWNER_MEAN_FIELD, 0.5, precision),
              *gaussians = options_of(context, ATP_OWNER_GAUSSIAN, 0.8, precision);
  assert_int_equal(atp_alignment_create(context, sequences, n, LONG, FIVE, weights, &data), ATP_OK);
  assert_int_equal(atp_mean_field_model(context, data, options, &model), ATP_OK);
  assert_int_equal(atp_model_frobenius(context, model, ATP_SCORE_ZERO_SUM, 0, norms, LONG_PAIR), ATP_OK);
  assert_int_equal(atp_gaussian_scores(context, data, gaussians, ATP_PAIR_SCORE_DI, 0, gaussian, LONG_PAIR), ATP_OK);
  /* The Gaussian norm is that of the couplings with the same pseudocount. */
  double gaussian_norms[LONG_PAIR];
  assert_int_equal(atp_options_set_f64(gaussians, ATP_OPT_PSEUDOCOUNT, 0.5), ATP_OK);
  assert_int_equal(atp_gaussian_scores(context, data, gaussians, ATP_PAIR_SCORE_FN, 0, gaussian_norms, LONG_PAIR), ATP_OK);
  for (int k = 0; k < LONG_PAIR; ++k) assert_close(gaussian_norms[k], norms[k], 1e-9, 1e-12);
  atp_options_destroy(gaussians);
  atp_options_destroy(options);
  atp_model_destroy(model);
  atp_alignment_destroy(data);
}

/* Few sequences take the other way to the inverse. As copies of a fifth of their weight they are many. In float32 the numbers are close. */
static void two_ways_and_two_precisions(void **state) {
  uint8_t few[FEW * LONG], many[MANY * LONG];
  double weights[FEW], shared[MANY], a[LONG_PAIR], b[LONG_PAIR], x[LONG_PAIR], y[LONG_PAIR];
  family(few, FEW, LONG, FIVE);
  for (int k = 0; k < FEW; ++k) weights[k] = 1 + k % 3;
  for (int k = 0; k < MANY; ++k) {
    memcpy(many + k * LONG, few + k % FEW * LONG, LONG);
    shared[k] = weights[k % FEW] / 5;
  }
  assert_true(2 * (FEW + 1) <= LONG * (FIVE - 1) && 2 * (MANY + 1) > LONG * (FIVE - 1));
  both_scores(*state, few, weights, FEW, 64, a, b);
  both_scores(*state, many, shared, MANY, 64, x, y);
  assert_true(a[1] > 0.1);
  for (int k = 0; k < LONG_PAIR; ++k) {
    assert_close(x[k], a[k], 1e-11, 1e-12);
    assert_close(y[k], b[k], 1e-11, 1e-13);
  }
  both_scores(*state, few, weights, FEW, 32, x, y);
  for (int k = 0; k < LONG_PAIR; ++k) assert_close(x[k], a[k], 1e-4, 1e-5);
  both_scores(*state, many, shared, MANY, 32, x, y);
  for (int k = 0; k < LONG_PAIR; ++k) assert_close(x[k], a[k], 1e-4, 1e-5);
}

/* The model is written over its inverse, by bands of two sites: its couplings have the norms of the Gaussian scores, for which the inverse
 * is a matrix of its own, and are symmetric, without couplings of a site to itself. In double precision, where the inverse is nearly as
 * large as the model, and in single precision; with an odd number of sites; from C and from the sequences. */
static void over_its_inverse(void **state) {
  enum { L = 131, q = 8, Q2 = q * q };
  uint8_t *sequences = malloc(500 * L);
  double *norms = malloc(sizeof(double[L][L])), *couplings = malloc(sizeof(double[L][L][Q2]));
  family(sequences, 500, L, q);
  for (int64_t n = 40; n <= 500; n += 460)
    for (int precision = 32; precision <= 64; precision += 32) {
      atp_alignment *data = NULL;
      atp_model *model = NULL;
      atp_options *options = options_of(*state, ATP_OWNER_MEAN_FIELD, 0.5, precision),
                  *gaussians = options_of(*state, ATP_OWNER_GAUSSIAN, 0.5, precision);
      assert_int_equal(atp_alignment_create(*state, sequences, n, L, q, NULL, &data), ATP_OK);
      assert_int_equal(atp_mean_field_model(*state, data, options, &model), ATP_OK);
      assert_int_equal(atp_gaussian_scores(*state, data, gaussians, ATP_PAIR_SCORE_FN, -1, norms, L * L), ATP_OK);
      assert_int_equal(atp_model_couplings_f64(model, couplings, L * L * Q2), ATP_OK);
      for (int i = 0; i < L; ++i)
        for (int j = 0; j < L; ++j) {
          double sum = 0;
          for (int k = 0; k < Q2; ++k) {
            const double here = couplings[(i * L + j) * Q2 + k];
            assert_true(here == couplings[(j * L + i) * Q2 + k % q * q + k / q]);
            sum += here * here;
          }
          assert_close(sqrt(sum), norms[i * L + j], 1e-12, 1e-14);
          assert_true((sum > 0) == (i != j));
        }
      atp_options_destroy(gaussians);
      atp_options_destroy(options);
      atp_model_destroy(model);
      atp_alignment_destroy(data);
    }
  free(couplings);
  free(norms);
  free(sequences);
}

/* The same bits for any number of threads; all of the announced memory and no more, where all colours are found. */
static void threads_and_memory(void **state) {
  (void)state;
  static uint8_t sequences[MANY * LONG];
  static double first[4][LONG_PAIR], again[4][LONG_PAIR], frequencies[LONG * FIVE];
  family(sequences, MANY, LONG, FIVE);
  for (int64_t n = FEW; n <= MANY; n += MANY - FEW)
    for (int threads = 1; threads <= 3; ++threads) {
      struct counter counter = {0};
      atp_context *context = NULL;
      atp_alignment *data = NULL;
      atp_model *model = NULL;
      assert_int_equal(atp_context_create(counting_alloc, counting_free, &counter, &context), ATP_OK);
      assert_int_equal(atp_context_set_threads(context, threads), ATP_OK);
      assert_int_equal(atp_alignment_create(context, sequences, n, LONG, FIVE, NULL, &data), ATP_OK);
      int64_t announced = 0, before = 0;
      assert_int_equal(atp_mean_field_bytes(context, n, LONG, FIVE, NULL, &announced), ATP_OK);
      assert_int_equal(atp_context_memory(context, NULL, &before), ATP_OK);
      assert_int_equal(atp_context_set_memory_limit(context, before + announced), ATP_OK);
      assert_int_equal(atp_mean_field_model(context, data, NULL, &model), ATP_OK);
      atp_model_destroy(model);
      if (n == MANY) {
        assert_int_equal(atp_context_set_memory_limit(context, before + announced - 1), ATP_OK);
        assert_int_equal(atp_mean_field_model(context, data, NULL, &model), ATP_E_MEMORY);
        assert_null(model);
      }
      int64_t after = -1;
      assert_int_equal(atp_context_memory(context, NULL, &after), ATP_OK);
      assert_int_equal(after, before);
      assert_int_equal(atp_context_set_memory_limit(context, 0), ATP_OK);
      assert_int_equal(atp_mean_field_model(context, data, NULL, &model), ATP_OK);
      /* Scores take the inverse alone. */
      atp_options *gaussians = options_of(context, ATP_OWNER_GAUSSIAN, 0.8, 32);
      int64_t of_scores = 0, left = 0;
      assert_int_equal(atp_mean_field_bytes(context, n, LONG, FIVE, gaussians, &of_scores), ATP_OK);
      assert_int_equal(atp_context_memory(context, NULL, &left), ATP_OK);
      for (int score = ATP_PAIR_SCORE_FN; score <= ATP_PAIR_SCORE_DI; ++score)
        for (int less = 0; less <= (n == MANY && score == ATP_PAIR_SCORE_DI); ++less) {
          assert_int_equal(atp_context_set_memory_limit(context, left + of_scores - less), ATP_OK);
          assert_int_equal(atp_gaussian_scores(context, data, gaussians, score, -1, again[0], LONG_PAIR), less ? ATP_E_MEMORY : ATP_OK);
        }
      assert_int_equal(atp_context_set_memory_limit(context, 0), ATP_OK);
      atp_options_destroy(gaussians);
      double(*out)[LONG_PAIR] = threads == 1 ? first : again;
      assert_int_equal(atp_alignment_frequencies(data, 0.5, frequencies, LONG * FIVE), ATP_OK);
      assert_int_equal(atp_direct_information(context, model, frequencies, LONG * FIVE, out[0], LONG_PAIR), ATP_OK);
      assert_int_equal(atp_gaussian_scores(context, data, NULL, ATP_PAIR_SCORE_FN, 0, out[1], LONG_PAIR), ATP_OK);
      assert_int_equal(atp_gaussian_scores(context, data, NULL, ATP_PAIR_SCORE_DI, 0, out[2], LONG_PAIR), ATP_OK);
      assert_int_equal(atp_mutual_information(context, data, NULL, out[3], LONG_PAIR), ATP_OK);
      if (threads > 1) assert_memory_equal(first, again, sizeof first);
      atp_model_destroy(model);
      atp_alignment_destroy(data);
      atp_context_destroy(context);
    }
}

/* The model has the symbols and the sites of the alignment, and says where it comes from. */
static void names_of_the_model(void **state) {
  const uint8_t sequences[6] = {0, 1, 2, 1, 1, 0};
  const int64_t numbers[3] = {5, 7, 9};
  atp_alignment *data = NULL;
  atp_model *model = NULL;
  assert_int_equal(atp_alignment_create(*state, sequences, 2, 3, 3, NULL, &data), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(data, "-AB"), ATP_OK);
  assert_int_equal(atp_alignment_set_sites(data, numbers, 3, "ABA"), ATP_OK);
  assert_int_equal(atp_mean_field_model(*state, data, NULL, &model), ATP_OK);
  assert_string_equal(atp_model_alphabet(model), "-AB");
  assert_string_equal(atp_model_site_residues(model), "ABA");
  assert_int_equal(atp_model_site_numbers_view(model)[2], 9);
  assert_int_equal(atp_model_gap_color(model), 0);
  atp_model_destroy(model);
  atp_alignment_destroy(data);
}

#define UNCHANGED(call, status, text) \
  do {                                \
    assert_int_equal(call, status);   \
    assert_error(context, text);      \
    assert_true(scores[1] == -7);     \
  } while (0)

static void bad_values(void **state) {
  atp_context *context = *state;
  atp_model *model = random_dense(context, SITES, COLORS, 0.3, 1), *out = model;
  atp_alignment *data = all_states(context, model);
  atp_options *options = options_of(context, ATP_OWNER_MEAN_FIELD, 0, 64);
  double scores[PAIR] = {0, -7}, f[SITES * COLORS];
  int64_t bytes = -7;
  assert_int_equal(atp_mean_field_model(context, data, options, &out), ATP_E_VALUE);
  assert_error(context, "option pseudocount is 0, must be > 0");
  assert_null(out);
  UNCHANGED(atp_gaussian_scores(context, data, options, ATP_PAIR_SCORE_FN, -1, scores, PAIR), ATP_E_CONFLICT,
            "options are those of mean-field couplings, must be those of Gaussian scores");
  atp_options_destroy(options);
  options = options_of(context, ATP_OWNER_GAUSSIAN, 0, 64);
  UNCHANGED(atp_gaussian_scores(context, data, options, ATP_PAIR_SCORE_FN, -1, scores, PAIR), ATP_E_VALUE, "pseudocount is 0");
  UNCHANGED(atp_gaussian_scores(context, data, NULL, (atp_pair_score)3, -1, scores, PAIR), ATP_E_VALUE, "score is 3");
  UNCHANGED(atp_gaussian_scores(context, data, NULL, ATP_PAIR_SCORE_FN, COLORS, scores, PAIR), ATP_E_VALUE, "gap is 3");
  UNCHANGED(atp_gaussian_scores(context, data, NULL, ATP_PAIR_SCORE_FN, -1, scores, PAIR - 1), ATP_E_SHAPE, "size is 15, must be 16");
  UNCHANGED(atp_mutual_information(context, data, NULL, scores, PAIR + 1), ATP_E_SHAPE, "size is 17, must be 16");
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_PSEUDOCOUNT, 1.5), ATP_E_OPTION_RANGE);

  assert_int_equal(atp_alignment_frequencies(data, 0, f, SITES * COLORS), ATP_OK);
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS - 1, scores, PAIR), ATP_E_SHAPE, "frequencies_size is 11, must be 12");
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS, scores, PAIR - 1), ATP_E_SHAPE, "size is 15");
  const double kept = f[3];
  f[3] = -0.1;
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS, scores, PAIR), ATP_E_VALUE, "frequencies[1][0] is -0.1");
  f[3] = NAN;
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS, scores, PAIR), ATP_E_NOT_FINITE, "frequencies[1][0]");
  f[3] = kept + 0.01;
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS, scores, PAIR), ATP_E_VALUE, "frequencies[1] add up to 1.01");
  f[3] = kept;
  assert_int_equal(atp_model_set_beta(model, 1e5), ATP_OK);
  UNCHANGED(atp_direct_information(context, model, f, SITES * COLORS, scores, PAIR), ATP_E_VALUE, "are so large");

  assert_int_equal(atp_mean_field_bytes(context, 10, 2000, 21, NULL, &bytes), ATP_E_TOO_LARGE);
  assert_error(context, "a matrix of order 40000, at most 32000");
  assert_int_equal(atp_mean_field_bytes(context, 0, 20, 21, NULL, &bytes), ATP_E_VALUE);
  assert_int_equal(bytes, -7);
  atp_options_destroy(options);
  atp_alignment_destroy(data);
  atp_model_destroy(model);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, context_setup, context_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(weak_couplings),
      TEST(fields_of_independent_sites),
      TEST(mutual_information_by_definition),
      TEST(two_sites_alone),
      TEST(two_gaussian_sites),
      TEST(colours_that_do_not_occur),
      TEST(two_ways_and_two_precisions),
      TEST(over_its_inverse),
      TEST(threads_and_memory),
      TEST(names_of_the_model),
      TEST(bad_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
