/* SPDX-License-Identifier: MIT */
/** @file model_fixture.h
 *  A small model of two heads with fields, its formulas written down again from the definitions of the header, and sequences. */
#ifndef ATTOPOTTS_TESTS_MODEL_FIXTURE_H
#define ATTOPOTTS_TESTS_MODEL_FIXTURE_H

#include "api_support.h"

enum { L = 3, Q = 3, H = 2, N = 4, BLOCK = Q * Q, DENSE = L * L * Q * Q };

static const uint8_t kSequences[N * L] = {0, 1, 2, 2, 2, 2, 1, 0, 0, 0, 2, 1};
static const double kWeights[N] = {1, 0.5, 2, 0};
static const double kMaps[H * L * L] = {0, 0.5, -1, 0.5, 0, 0.25, -1, 0.25, 0, /**/ 0, 1, 0.5, 1, 0, -0.75, 0.5, -0.75, 0};
static const double kValues[H * Q * Q] = {1, 0.5, -0.25, 0.5, -1, 0, -0.25, 0, 2, /**/ 0.5, 1, 0, 1, 0.25, -1, 0, -1, -0.5};
static const double kFields[L * Q] = {0.5, 0, -0.5, 0.25, 1, 0, -1, 0.125, 0.75};

/* The definitions of the header, written down again. */
static inline double coupling(int i, int j, int a, int b) {
  double sum = 0;
  for (int h = 0; h < H; ++h) sum += kMaps[(h * L + i) * L + j] * kValues[(h * Q + a) * Q + b];
  return sum;
}

static inline double local_field(const uint8_t *s, int i, int a) {
  double sum = kFields[i * Q + a];
  for (int j = 0; j < L; ++j)
    if (j != i) sum += coupling(i, j, a, s[j]);
  return sum;
}

static inline double conditional(const uint8_t *s, int i, int a, double beta) {
  double z = 0;
  for (int b = 0; b < Q; ++b) z += exp(beta * local_field(s, i, b));
  return exp(beta * local_field(s, i, a)) / z;
}

static inline double log_pl(const uint8_t *s, double beta) {
  double sum = 0;
  for (int i = 0; i < L; ++i) sum += log(conditional(s, i, s[i], beta));
  return sum;
}

static inline double energy(const uint8_t *s) {
  double sum = 0;
  for (int i = 0; i < L; ++i) {
    sum -= kFields[i * Q + s[i]];
    for (int j = 0; j < i; ++j) sum -= coupling(i, j, s[i], s[j]);
  }
  return sum;
}

static inline atp_model *make(atp_context *context) {
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, H}, kMaps, kValues, kFields, &m), ATP_OK);
  assert_non_null(m);
  return m;
}

static inline atp_model *make_dense(atp_context *context, const double *fields) {
  double c[DENSE];
  atp_model *m = NULL;
  for (int k = 0; k < DENSE; ++k) c[k] = coupling(k / (L * BLOCK), k / BLOCK % L, k % BLOCK / Q, k % Q);
  assert_int_equal(atp_model_create_dense_f64(context, L, Q, c, fields, &m), ATP_OK);
  assert_non_null(m);
  return m;
}

/* Arrays for outputs, filled with a value that must survive a failure. */
static double untouched[DENSE];
static inline void fill(void) {
  for (int k = 0; k < DENSE; ++k) untouched[k] = -7;
}
static inline void assert_untouched(void) {
  for (int k = 0; k < DENSE; ++k) assert_true(untouched[k] == -7);
}

#endif
