/* SPDX-License-Identifier: MIT */
/** @file saved_results.h
 *  What comes of a handle of saved_states.h, and what of it is recorded in continued.txt, a line per case:
 *
 *    NAME HASH SEQUENCES NORM SUM0 ... SUM7
 *
 *  HASH is that of all bytes, SEQUENCES that of what a sampler drew. NORM is the root of the sum of the squares of all reals; each SUM adds
 *  all reals with signs of its own, so that another value of any one real changes all eight. The line "libm HASH" is of functions of the
 *  mathematics library at fixed arguments: where it is the same, runs have the same bits. */
#ifndef ATTOPOTTS_TESTS_SAVED_RESULTS_H
#define ATTOPOTTS_TESTS_SAVED_RESULTS_H

#include "saved_states.h"

#include <math.h>

enum { SAVED_SUMS = 8 };

typedef struct saved_result {
  uint8_t sequences[SAVED_SAMPLES * SAVED_SITES];
  size_t sequence_bytes;
  double *reals;
  int64_t count;
} saved_result;

typedef struct saved_record {
  unsigned long long hash, sequences;
  double norm, sums[SAVED_SUMS];
} saved_record;

static const uint64_t saved_basis = 14695981039346656037u;

static inline void saved_allocate(saved_result *r, int64_t count) {
  r->count = count;
  r->reals = calloc((size_t)count, sizeof *r->reals);
  if (r->reals == NULL) abort();
}

static inline void saved_parameters(saved_result *r, const atp_trainer *trainer) {
  saved_allocate(r, atp_trainer_parameter_count(trainer));
  SAVED_OK(atp_trainer_parameters(trainer, r->reals, r->count));
}

/* Sequences, their energies, and exchange rates between neighbouring temperatures, two at most. */
static inline void saved_sample(saved_result *r, atp_sampler *sampler) {
  saved_allocate(r, SAVED_SAMPLES + 2);
  r->sequence_bytes = sizeof r->sequences;
  SAVED_OK(atp_sampler_sample(sampler, 2, r->sequences, sizeof r->sequences, NULL, NULL, NULL));
  SAVED_OK(atp_sampler_sequence_energies(sampler, r->sequences, SAVED_SAMPLES, r->reals, SAVED_SAMPLES));
  SAVED_OK(atp_sampler_swap_rates(sampler, r->reals + SAVED_SAMPLES, atp_sampler_temperatures(sampler) - 1));
}

/* What comes of a handle: its parameters; of a wide start, those of the one head that begins there; of a sampler, what it goes on to
 * sample. The caller frees `reals`. */
static inline saved_result saved_result_of(saved_subject *s) {
  saved_result r = {{0}, 0, NULL, 0};
  if (s->sampler != NULL) {
    saved_sample(&r, s->sampler);
  } else if (saved_is(s, "unfinished_wide")) {
    atp_trainer *narrow = NULL;
    saved_option(s, ATP_OPT_HEADS, 1);
    SAVED_OK(atp_trainer_create(s->context, s->alignment, s->options, &narrow));
    SAVED_OK(atp_trainer_start_from(narrow, s->trainer));
    saved_parameters(&r, narrow);
    atp_trainer_destroy(narrow);
  } else {
    saved_parameters(&r, s->trainer);
  }
  return r;
}

static inline saved_record saved_record_of(const saved_result *r) {
  saved_record record = {0, 0, 0, {0}};
  uint32_t x = 1;
  record.sequences = saved_mix(saved_basis, r->sequences, r->sequence_bytes);
  record.hash = saved_mix_reals(record.sequences, r->reals, r->count);
  for (int64_t k = 0; k < r->count; ++k) {
    x = x * 1664525u + 1013904223u;
    record.norm += r->reals[k] * r->reals[k];
    for (int j = 0; j < SAVED_SUMS; ++j) record.sums[j] += (x >> (16 + j)) % 2 ? r->reals[k] : -r->reals[k];
  }
  record.norm = sqrt(record.norm);
  return record;
}

/* The largest difference between numbers of two records, relative to the second one's norm. */
static inline double saved_distance(const saved_record *a, const saved_record *b) {
  double largest = fabs(a->norm - b->norm);
  for (int j = 0; j < SAVED_SUMS; ++j) largest = fmax(largest, fabs(a->sums[j] - b->sums[j]));
  return isfinite(a->norm) ? largest / b->norm : INFINITY;
}

/* Of what the runs take from the mathematics library. Libraries agree at most arguments: many are needed. */
static inline uint64_t saved_libm(void) {
  uint64_t hash = saved_basis;
  for (int k = 1; k <= 4000; ++k) {
    const double x = k / 129.0;
    const double values[] = {exp(-x), log(x), pow(10000.0, -x / 31), sin(x), cos(x)};
    hash = saved_mix_reals(hash, values, (int64_t)(sizeof values / sizeof *values));
  }
  return hash;
}

#endif
