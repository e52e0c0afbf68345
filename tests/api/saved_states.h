/* SPDX-License-Identifier: MIT */
/** @file saved_states.h
 *  The handles whose saved states are kept in tests/data: one of each kind, small, from data that a few lines of integer
 *  arithmetic make. make_saved_states.c writes the files, api_saved_states.c loads them. Never change a case: add another. */
#ifndef ATTOPOTTS_TESTS_SAVED_STATES_H
#define ATTOPOTTS_TESTS_SAVED_STATES_H

#include "little_endian.h"

#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAVED_SITES = 6, SAVED_COLORS = 4, SAVED_COUNT = 60, SAVED_SAMPLES = 40, SAVED_MORE = 3, SAVED_BIGGEST = 1 << 16 };

typedef enum saved_kind { SAVED_SAMPLER, SAVED_TRAINER } saved_kind;

typedef struct saved_case {
  const char *name;
  saved_kind kind;
  int by_steps; /* 1: SGD or Adam, whose runs stop within epochs */
} saved_case;

static const saved_case saved_cases[] = {
    {"sampler", SAVED_SAMPLER, 0},
    {"tempering", SAVED_SAMPLER, 0},
    {"lbfgs", SAVED_TRAINER, 0},
    {"lbfgs64", SAVED_TRAINER, 0},
    {"wide", SAVED_TRAINER, 0},
    {"sgd", SAVED_TRAINER, 1},
    {"adam", SAVED_TRAINER, 1},
    {"dense", SAVED_TRAINER, 0},
    {"dense64", SAVED_TRAINER, 0},
    {"asymmetric", SAVED_TRAINER, 0},
    {"asymmetric64", SAVED_TRAINER, 0},
    {"dial", SAVED_TRAINER, 1},
    {"encoder", SAVED_TRAINER, 1},
    {"encoder_adam", SAVED_TRAINER, 1},
    {"ordered", SAVED_TRAINER, 0}, /* autoregressive: factored attention, dense couplings, and these site by site */
    {"ordered_dense", SAVED_TRAINER, 0},
    {"ordered_sites64", SAVED_TRAINER, 0},
    {"likelihood", SAVED_TRAINER, 0}, /* Boltzmann learning: chains, mean of the parameters */
    {"likelihood_factored", SAVED_TRAINER, 0},
    {"unfinished_wide", SAVED_TRAINER, 0}, /* the run of more heads that a wide start makes, see atp_trainer_start_from() */
    {"dense_centred", SAVED_TRAINER, 0},   /* centred fields of pseudo-likelihood */
    {"asymmetric_centred64", SAVED_TRAINER, 0},
};
enum { SAVED_CASES = sizeof saved_cases / sizeof *saved_cases };

typedef struct saved_subject {
  const saved_case *which;
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_alignment *alignment;
  atp_sampler *sampler;
  atp_trainer *trainer;
} saved_subject;

static inline void saved_ok(atp_status status, const char *what) {
  char text[512];
  if (status == ATP_OK) return;
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s: %s\n", what, atp_status_name(status), text);
  abort();
}
#define SAVED_OK(call) saved_ok((call), #call)

static inline int saved_is(const saved_subject *s, const char *start) { return strncmp(s->which->name, start, strlen(start)) == 0; }

static inline void saved_option(saved_subject *s, atp_option key, int64_t value) { SAVED_OK(atp_options_set_i64(s->options, key, value)); }

static inline int saved_owner(int kind) { return kind == SAVED_SAMPLER ? ATP_OWNER_SAMPLER : ATP_OWNER_TRAINER; }

static inline void saved_set_options(saved_subject *s) {
  const int wide = strstr(s->which->name, "64") != NULL, by_steps = s->which->by_steps;
  saved_option(s, ATP_OPT_SEED, 7);
  if (s->which->kind != SAVED_SAMPLER) saved_option(s, ATP_OPT_EPOCHS, by_steps ? 100000 : 200);
  if (s->which->kind != SAVED_SAMPLER) saved_option(s, ATP_OPT_PRECISION, wide ? 64 : 32);
  if (by_steps) saved_option(s, ATP_OPT_BATCH, 5);
  if (saved_is(s, "sgd")) saved_option(s, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD);
  if (saved_is(s, "adam")) saved_option(s, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
  if (saved_is(s, "sampler")) saved_option(s, ATP_OPT_CHAINS, 20);
  if (saved_is(s, "tempering")) saved_option(s, ATP_OPT_CHAINS, 7);
  if (saved_is(s, "tempering")) saved_option(s, ATP_OPT_TEMPERATURES, 3);
  if (saved_is(s, "tempering")) saved_option(s, ATP_OPT_SWAP_INTERVAL, 2);
  if (saved_is(s, "lbfgs") || saved_is(s, "wide")) saved_option(s, ATP_OPT_FIELDS, 1);
  if (saved_is(s, "unfinished_wide")) saved_option(s, ATP_OPT_FIELDS, 1);
  if (saved_is(s, "unfinished_wide")) saved_option(s, ATP_OPT_HEADS, 4);
  if (saved_is(s, "lbfgs")) saved_option(s, ATP_OPT_HEADS, 2);
  if (saved_is(s, "sgd")) saved_option(s, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM);
  if (saved_is(s, "sgd")) SAVED_OK(atp_options_set_f64(s->options, ATP_OPT_MOMENTUM, 0.5));
  if (saved_is(s, "dense") || saved_is(s, "asymmetric")) saved_option(s, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  if (saved_is(s, "asymmetric")) saved_option(s, ATP_OPT_ASYMMETRIC, 1);
  if (saved_is(s, "ordered")) saved_option(s, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE);
  if (saved_is(s, "ordered_")) saved_option(s, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  if (saved_is(s, "ordered_sites")) saved_option(s, ATP_OPT_ASYMMETRIC, 1);
  if (saved_is(s, "likelihood")) saved_option(s, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD);
  if (saved_is(s, "likelihood")) saved_option(s, ATP_OPT_CHAINS, 32);
  if (saved_is(s, "likelihood") && !saved_is(s, "likelihood_")) saved_option(s, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  if (saved_is(s, "dial")) saved_option(s, ATP_OPT_FAMILY, ATP_FAMILY_DIAL);
  if (saved_is(s, "dial")) SAVED_OK(atp_options_set_f64(s->options, ATP_OPT_DIAL, 0.25));
  if (saved_is(s, "encoder")) saved_option(s, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER);
  if (saved_is(s, "encoder")) saved_option(s, ATP_OPT_WIDTH, 4);
  if (saved_is(s, "encoder_adam")) saved_option(s, ATP_OPT_BLOCKS, 2);
  if (saved_is(s, "encoder_adam")) saved_option(s, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM);
}

/* Sequences whose neighbours are alike, with weights of three kinds. */
static inline void saved_make_data(saved_subject *s) {
  uint8_t sequences[SAVED_COUNT * SAVED_SITES];
  double weights[SAVED_COUNT];
  uint32_t x = 12345;
  for (int n = 0; n < SAVED_COUNT; ++n) {
    weights[n] = 0.25 * (2 + n % 3);
    for (int i = 0; i < SAVED_SITES; ++i) {
      x = x * 1664525u + 1013904223u;
      const uint32_t draw = x >> 16;
      sequences[n * SAVED_SITES + i] = (uint8_t)(i > 0 && draw % 8 < 5 ? sequences[n * SAVED_SITES + i - 1] : draw / 8 % SAVED_COLORS);
    }
  }
  SAVED_OK(atp_alignment_create(s->context, sequences, SAVED_COUNT, SAVED_SITES, SAVED_COLORS, weights, &s->alignment));
}

/* The handle of a case, before its first step. The scalar target: every machine has it, and those with fused multiply-add have its bits. */
static inline saved_subject saved_create(const saved_case *which) {
  saved_subject s = {0};
  s.which = which;
  SAVED_OK(atp_context_create(NULL, NULL, NULL, &s.context));
  SAVED_OK(atp_context_set_simd(s.context, "scalar"));
  SAVED_OK(atp_context_set_threads(s.context, 2));
  SAVED_OK(atp_options_create(s.context, saved_owner(which->kind), &s.options));
  saved_set_options(&s);
  if (which->kind == SAVED_SAMPLER) {
    SAVED_OK(atp_model_create_random(s.context, SAVED_SITES, SAVED_COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &s.model));
    SAVED_OK(atp_sampler_create(s.context, s.model, s.options, &s.sampler));
    SAVED_OK(atp_sampler_start_random(s.sampler));
    return s;
  }
  saved_make_data(&s);
  SAVED_OK(atp_trainer_create(s.context, s.alignment, s.options, &s.trainer));
  return s;
}

static inline void saved_destroy(saved_subject *s) {
  atp_trainer_destroy(s->trainer);
  atp_sampler_destroy(s->sampler);
  atp_alignment_destroy(s->alignment);
  atp_model_destroy(s->model);
  atp_options_destroy(s->options);
  atp_context_destroy(s->context);
}

/* Run on for so many steps: sweeps, iterations, sites or epochs. */
static inline void saved_run(saved_subject *s, int64_t steps) {
  if (s->sampler != NULL) SAVED_OK(atp_sampler_sweep(s->sampler, steps, NULL, NULL, NULL));
  if (s->trainer != NULL) SAVED_OK(atp_trainer_run(s->trainer, steps, NULL, NULL, NULL));
}

/* From a start to where the state is saved; runs by steps end in the middle of an epoch, see make_saved_states.c. */
static inline void saved_begin(saved_subject *s) {
  if (s->sampler != NULL)
    saved_run(s, 11);
  else if (saved_is(s, "wide"))
    SAVED_OK(atp_trainer_start_wide(s->trainer, 3, 15, NULL, NULL, NULL));
  else
    saved_run(s, saved_is(s, "asymmetric") ? 2 : 9);
}

static inline int64_t saved_steps(const saved_subject *s) {
  if (s->sampler != NULL) return atp_sampler_sweeps(s->sampler);
  return atp_trainer_epochs(s->trainer);
}

static inline void saved_request_stop(saved_subject *s) { atp_trainer_request_stop(s->trainer); }

static inline int64_t saved_bytes(const saved_subject *s) {
  if (s->sampler != NULL) return atp_sampler_state_bytes(s->sampler);
  return atp_trainer_state_bytes(s->trainer);
}

static inline void saved_save(const saved_subject *s, void *buffer, int64_t size) {
  if (s->sampler != NULL) SAVED_OK(atp_sampler_save_state(s->sampler, buffer, size));
  if (s->trainer != NULL) SAVED_OK(atp_trainer_save_state(s->trainer, buffer, size));
}

static inline atp_status saved_load(saved_subject *s, const void *buffer, int64_t size) {
  if (s->sampler != NULL) return atp_sampler_load_state(s->sampler, buffer, size);
  return atp_trainer_load_state(s->trainer, buffer, size);
}

/* Where the position stands in the state of a trainer: behind header, number of fields, and fields (name[40], kind, value). */
enum { SAVED_HEADER = 32, SAVED_FIELD = 56 };
static inline int64_t saved_position(const char *state) {
  int64_t fields;
  copy_number(&fields, state + SAVED_HEADER, sizeof fields);
  return SAVED_HEADER + 8 + SAVED_FIELD * fields;
}

/* The bytes of a kept state. */
static inline int64_t saved_read(const char *folder, const char *name, char *state) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.state", folder, name);
  FILE *file = fopen(path, "rb");
  const size_t size = file != NULL ? fread(state, 1, SAVED_BIGGEST, file) : 0;
  if (file != NULL) fclose(file);
  if (size > 40 && size < SAVED_BIGGEST) return (int64_t)size;
  fprintf(stderr, "%s cannot be read\n", path);
  abort();
}

static inline uint64_t saved_mix(uint64_t hash, const void *data, size_t size) { /* FNV-1a */
  const uint8_t *bytes = data;
  for (size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * 1099511628211u;
  return hash;
}

/* Of the little-endian bytes of reals, as the recorded hashes are. */
static inline uint64_t saved_mix_reals(uint64_t hash, const double *reals, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    uint8_t bytes[8];
    copy_number(bytes, reals + k, sizeof bytes);
    hash = saved_mix(hash, bytes, sizeof bytes);
  }
  return hash;
}

#endif
