/* SPDX-License-Identifier: MIT */
/* Inputs of a masked site of spin models: a spin glass against moments of the semicircle, measured sequences against the definition, with
 * eigenvalues of 2 x 2 matrices in closed form; every status with its text. */
#include "api_support.h"

#include <math.h>

enum { P = 200, L = 3, Q = 3, N = 9 };

static const double ising[4] = {0.25, -0.25, -0.25, 0.25};
static double s[P], t[P], whole[P * P], given[P * P], w[P];

static void spin_glass(void **state) {
  atp_context *context = *state;
  static const double betas[] = {0.1, 0.6, 1.2, 1.8};
  for (int k = 0; k < 4; ++k) {
    const double beta = betas[k], b = beta / 2;
    atp_masked *m;
    double trace = 0, square = 0, norm = 0;
    assert_int_equal(atp_masked_create_spin_glass(context, beta, ising, 2, P, ATP_REPLICA_INPUTS_CAVITY, &m), ATP_OK);
    assert_int_equal(atp_masked_parameters(m), P);
    assert_true(atp_masked_noise(m) == 0);
    assert_int_equal(atp_masked_covariance(m, given, P * P), ATP_OK);
    assert_int_equal(atp_masked_weights(m, w, P), ATP_OK);
    assert_int_equal(atp_masked_spectrum(m, s, t, P), ATP_OK);
    atp_masked_destroy(m);
    for (int i = 0; i < P; ++i) {
      trace += s[i] / P;
      square += s[i] * s[i] / P;
      norm += t[i];
      assert_true(given[i * (P + 1)] == s[i] && t[i] == w[i] * w[i]);
      assert_true(i == 0 || s[i] >= s[i - 1]);
    }
    /* With g = b the resolvent of the semicircle at b + 1 / b: E s = 1 and E s^2 = 1 / (1 - b^2). Means over parts lose some variance. */
    assert_close(trace, 1, 1e-6, 0);
    if (b < 0.7) assert_close(square, 1 / (1 - b * b), 2e-2 * b * b, 1e-12);
    assert_true(square < 1 / (1 - b * b) + 1e-9);
    assert_true(s[0] > 1 / ((1 + b) * (1 + b)) && s[P - 1] < 1 / ((1 - b) * (1 - b)));
    assert_close(norm, beta * beta, 1e-12, 0);
    /* The site's own part, k / q = 1 / 4. */
    assert_int_equal(atp_masked_create_spin_glass(context, beta, ising, 2, P, ATP_REPLICA_INPUTS_NORMAL, &m), ATP_OK);
    assert_int_equal(atp_masked_covariance(m, whole, P * P), ATP_OK);
    atp_masked_destroy(m);
    for (int i = 0; i < P; ++i)
      for (int j = 0; j < P; ++j) assert_close(whole[i * P + j] - given[i * P + j], s[i] * w[i] * s[j] * w[j] / 4, 1e-9, 1e-14);
  }
}

static void refused_spin_glasses(void **state) {
  atp_context *context = *state;
  static const double uneven[9] = {1, 0, 0, 0, 1, 0, 0, 0, 2}, bent[4] = {1, 0.5, 0, 1}, flat[4] = {1, 1, 1, 1};
  const struct {
    double beta;
    const double *colors;
    int64_t q, p;
    int inputs;
    atp_status status;
    const char *text;
  } cases[] = {
      {0, ising, 2, P, 1, ATP_E_VALUE, "beta is 0"},
      {NAN, ising, 2, P, 1, ATP_E_NOT_FINITE, "beta"},
      {2, ising, 2, P, 1, ATP_E_VALUE, "beta is 2, must be < 2, where the transition is"},
      {1, ising, 1, P, 1, ATP_E_VALUE, "q is 1"},
      {1, ising, 2, 0, 1, ATP_E_VALUE, "parameters is 0"},
      {1, ising, 2, 32001, 1, ATP_E_VALUE, "parameters is 32001"},
      {1, ising, 2, P, 3, ATP_E_VALUE, "inputs is 3"},
      {1, bent, 2, P, 1, ATP_E_SYMMETRY, "color_covariance[1][0]"},
      {0.5, uneven, 3, P, 1, ATP_E_VALUE, "colours that do not differ, with one eigenvalue"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_masked *m = (atp_masked *)context;
    assert_int_equal(atp_masked_create_spin_glass(context, cases[k].beta, cases[k].colors, cases[k].q, cases[k].p,
                                                  (atp_replica_inputs)cases[k].inputs, &m),
                     cases[k].status);
    assert_error(context, cases[k].text);
    assert_null(m);
  }
  /* Colours that are all the same have no transition. */
  atp_masked *m;
  assert_int_equal(atp_masked_create_spin_glass(context, 100, flat, 2, 3, ATP_REPLICA_INPUTS_CAVITY, &m), ATP_OK);
  assert_int_equal(atp_masked_spectrum(m, s, t, 3), ATP_OK);
  for (int k = 0; k < 3; ++k) assert_close(s[k], 1, 1e-14, 0);
  atp_masked_destroy(m);
}

static void colors(void **state) {
  (void)state;
  static const double halves[4] = {0.5, -0.5, -0.5, 0.5}, shifted[4] = {1, 3, 0, 2};
  double k[4] = {-7, -7, -7, -7};
  assert_int_equal(atp_replica_color_covariance(halves, 2, k, 3), ATP_E_SHAPE);
  assert_int_equal(atp_replica_color_covariance(halves, 1, k, 1), ATP_E_VALUE);
  assert_int_equal(atp_replica_color_covariance((const double[4]){1, NAN, 0, 0}, 2, k, 4), ATP_E_NOT_FINITE);
  for (int i = 0; i < 4; ++i) assert_true(k[i] == -7);
  assert_int_equal(atp_replica_color_covariance(halves, 2, k, 4), ATP_OK);
  for (int i = 0; i < 4; ++i) assert_true(k[i] == ising[i]);
  /* Rows without their means are (-1, 1). */
  assert_int_equal(atp_replica_color_covariance(shifted, 2, k, 4), ATP_OK);
  for (int i = 0; i < 4; ++i) assert_true(k[i] == 1);
}

/* --- measured sequences --------------------------------------------------------------------------------------------------------------- */

static const uint8_t sequences[N * L] = {0, 1, 2, 0, 0, 1, 1, 1, 0, 2, 0, 0, 2, 1, 2, 1, 2, 0, 0, 2, 2, 1, 0, 2, 2, 0, 1};
static const double maps[L * L] = {0, 0.5, -1, 0.5, 0, 0.25, -1, 0.25, 0}, values[Q * Q] = {1, 0.2, -0.4, 0.3, 0.9, 0, -0.1, 0.5, 1.1};
static const double beta = 1.5;

static double mean_field(int a, int j, int site, int color) {
  double sum = 0, count = 0;
  for (int n = 0; n < N; ++n) {
    if (site >= 0 && sequences[n * L + site] != color) continue;
    sum += values[a * Q + sequences[n * L + j]] -
           (values[sequences[n * L + j]] + values[Q + sequences[n * L + j]] + values[2 * Q + sequences[n * L + j]]) / 3;
    count += 1;
  }
  return sum / count;
}

/* S_jk: of all sequences, or given the colour of a site; without its scale. */
static double covariance_of(int j, int k, int site) {
  double sum = 0;
  for (int a = 0; a < Q; ++a)
    for (int n = 0; n < N; ++n) {
      const int color = site < 0 ? 0 : sequences[n * L + site];
      double field[2];
      for (int x = 0; x < 2; ++x) {
        const int i = x == 0 ? j : k, c = sequences[n * L + i];
        field[x] = values[a * Q + c] - (values[c] + values[Q + c] + values[2 * Q + c]) / 3 - mean_field(a, i, site, color);
      }
      sum += field[0] * field[1];
    }
  return sum;
}

/* Means over sites of the eigenvalues of [[a, c], [c, d]], ascending, and of the squared projections of the couplings. */
static void expected_spectrum(int cavity, double *eigenvalues, double *projections) {
  double scale = 0;
  for (int j = 0; j < L; ++j) scale += covariance_of(j, j, -1) / L;
  if (cavity) scale *= 1 - (double)Q / N; /* each site shows all colours */
  memset(eigenvalues, 0, 2 * sizeof *eigenvalues);
  memset(projections, 0, 2 * sizeof *projections);
  for (int i = 0; i < L; ++i) {
    const int j = i == 0, k = i == 2 ? 1 : 2, site = cavity ? i : -1;
    const double a = covariance_of(j, j, site) / scale, d = covariance_of(k, k, site) / scale, c = covariance_of(j, k, site) / scale;
    const double middle = (a + d) / 2, half = sqrt((a - d) * (a - d) / 4 + c * c), angle = 0.5 * atan2(2 * c, a - d);
    /* The upper axis is (cos, sin). */
    const double up = beta * (maps[i * L + j] * cos(angle) + maps[i * L + k] * sin(angle)),
                 low = beta * (maps[i * L + k] * cos(angle) - maps[i * L + j] * sin(angle));
    eigenvalues[0] += (middle - half) / L;
    eigenvalues[1] += (middle + half) / L;
    projections[0] += low * low / L;
    projections[1] += up * up / L;
  }
}

typedef struct potts_case {
  atp_model *model;
  atp_alignment *data;
} potts_case;

static potts_case make_potts(atp_context *context, int64_t n) {
  static const int64_t shape[3] = {L, Q, 1};
  potts_case c;
  assert_int_equal(atp_model_create_heads(context, shape, maps, values, NULL, &c.model), ATP_OK);
  assert_int_equal(atp_model_set_beta(c.model, beta), ATP_OK);
  assert_int_equal(atp_alignment_create(context, sequences, n, L, Q, NULL, &c.data), ATP_OK);
  return c;
}

static void destroy(potts_case c) {
  atp_model_destroy(c.model);
  atp_alignment_destroy(c.data);
}

static void measured(void **state) {
  atp_context *context = *state;
  const potts_case c = make_potts(context, N);
  for (int cavity = 0; cavity < 2; ++cavity) {
    atp_masked *m;
    double k[Q * Q], eigenvalues[2], projections[2], expected[2], expected_t[2];
    assert_int_equal(
        atp_masked_create_potts(context, c.model, c.data, cavity ? ATP_REPLICA_INPUTS_CAVITY : ATP_REPLICA_INPUTS_NORMAL, k, Q * Q, &m),
        ATP_OK);
    assert_int_equal(atp_masked_parameters(m), L - 1);
    assert_int_equal(atp_masked_spectrum(m, eigenvalues, projections, L - 1), ATP_OK);
    atp_masked_destroy(m);
    expected_spectrum(cavity, expected, expected_t);
    for (int x = 0; x < 2; ++x) {
      assert_close(eigenvalues[x], expected[x], 1e-12, 0);
      assert_close(projections[x], expected_t[x], 1e-12, 0);
    }
    for (int a = 0; a < Q; ++a)
      for (int b = 0; b < Q; ++b) {
        double sum = 0;
        for (int j = 0; j < L; ++j) {
          double mean_a = 0, mean_b = 0, both = 0;
          for (int n = 0; n < N; ++n) {
            const int color = sequences[n * L + j];
            mean_a += values[a * Q + color] / N;
            mean_b += values[b * Q + color] / N;
            both += values[a * Q + color] * values[b * Q + color] / N;
          }
          sum += (both - mean_a * mean_b) / L;
        }
        assert_close(k[a * Q + b], sum, 1e-12, 1e-15);
        assert_true(k[a * Q + b] == k[b * Q + a]);
      }
  }
  destroy(c);
}

static void refused_models(void **state) {
  atp_context *context = *state;
  static const int64_t shape[3] = {L, Q, 2};
  static const double two[2 * L * L] = {0}, twice[2 * Q * Q] = {1};
  potts_case c = make_potts(context, N), few = make_potts(context, 1), three = make_potts(context, 3);
  atp_model *heads;
  atp_alignment *other;
  atp_masked *m = (atp_masked *)context;
  double k[Q * Q];
  for (int x = 0; x < Q * Q; ++x) k[x] = -7;
  assert_int_equal(atp_model_create_heads(context, shape, two, twice, NULL, &heads), ATP_OK);
  assert_int_equal(atp_alignment_create(context, sequences, N, L, Q + 1, NULL, &other), ATP_OK);
  assert_int_equal(atp_masked_create_potts(context, heads, c.data, ATP_REPLICA_INPUTS_NORMAL, k, Q * Q, &m), ATP_E_UNSUPPORTED);
  assert_error(context, "not one head without fields");
  assert_null(m);
  assert_int_equal(atp_masked_create_potts(context, c.model, other, ATP_REPLICA_INPUTS_NORMAL, k, Q * Q, &m), ATP_E_SHAPE);
  assert_int_equal(atp_masked_create_potts(context, c.model, c.data, (atp_replica_inputs)0, k, Q * Q, &m), ATP_E_VALUE);
  assert_int_equal(atp_masked_create_potts(context, c.model, c.data, ATP_REPLICA_INPUTS_NORMAL, k, Q, &m), ATP_E_SHAPE);
  assert_int_equal(atp_masked_create_potts(context, c.model, few.data, ATP_REPLICA_INPUTS_NORMAL, k, Q * Q, &m), ATP_E_VALUE);
  assert_error(context, "the sequences do not vary");
  /* Three sequences of two colours at the first sites and three at the last: given its colour nothing is left of their spread. */
  assert_int_equal(atp_masked_create_potts(context, three.model, three.data, ATP_REPLICA_INPUTS_CAVITY, k, Q * Q, &m), ATP_E_VALUE);
  assert_error(context, "there are 3 sequences");
  assert_null(m);
  for (int x = 0; x < Q * Q; ++x) assert_true(k[x] == -7);
  destroy(c);
  destroy(few);
  destroy(three);
  atp_model_destroy(heads);
  atp_alignment_destroy(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(spin_glass), TEST(refused_spin_glasses), cmocka_unit_test(colors), TEST(measured), TEST(refused_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
