/* SPDX-License-Identifier: MIT */
/** @file workload.h
 *  A round of calls of everything that allocates, computes, starts threads or touches files: sampling, three kinds of training, states, a
 *  network, a baseline, a theory curve, and files of most formats. A round ends at the first status that is not ATP_OK, and
 *  releases what it has made whatever happens. */
#ifndef ATTOPOTTS_TESTS_WORKLOAD_H
#define ATTOPOTTS_TESTS_WORKLOAD_H

#include <attopotts_io.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_SITES = 6, WORK_COLORS = 4, WORK_SAMPLES = 96, WORK_FILES = 5 };

/* What a round works on. The folder is where its files go; the numbers that it finds go to `digest`. */
struct work {
  char folder[200];
  int threads;
  void (*lock_hdf5)(int lock); /* HDF5 calls of a process one at a time; NULL: there is one thread */
  uint64_t digest;
  char error[256]; /* the text of the call that failed */
  atp_context *context;
  atp_options *options;
  atp_model *truth, *learned, *read;
  atp_sampler *sampler;
  atp_alignment *data, *again;
  atp_trainer *trainer, *resumed;
  atp_trainer *network;
  atp_task *task;
  atp_table *table;
  void *state;
  uint8_t sequences[WORK_SAMPLES * WORK_SITES];
};

static const char *const work_names[WORK_FILES] = {"data.fasta", "model.adabm", "model.plmc", "state", "model.h5"};

static inline void work_path(const struct work *w, int file, char *path, size_t size) {
  snprintf(path, size, "%s/%s", w->folder, work_names[file]);
}

/* FNV-1a. */
static inline void work_add(struct work *w, const void *bytes, size_t n) {
  for (size_t k = 0; k < n; ++k) w->digest = (w->digest ^ ((const uint8_t *)bytes)[k]) * UINT64_C(1099511628211);
}

#define WORK(call)                                 \
  do {                                             \
    const atp_status work_status = (call);         \
    if (work_status != ATP_OK) return work_status; \
  } while (0)

/* A bag for an owner in place of the last one. */
static inline atp_status work_options(struct work *w, int owner) {
  atp_options_destroy(w->options), w->options = NULL;
  return atp_options_create(w->context, owner, &w->options);
}

static inline atp_status work_sample(struct work *w) {
  WORK(work_options(w, ATP_OWNER_SAMPLER));
  WORK(atp_options_set_i64(w->options, ATP_OPT_CHAINS, 6));
  WORK(atp_options_set_i64(w->options, ATP_OPT_TEMPERATURES, 2));
  WORK(atp_model_create_random(w->context, WORK_SITES, WORK_COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &w->truth));
  WORK(atp_sampler_create(w->context, w->truth, w->options, &w->sampler));
  WORK(atp_sampler_sample(w->sampler, 2, w->sequences, sizeof w->sequences, NULL, NULL, NULL));
  work_add(w, w->sequences, sizeof w->sequences);
  WORK(atp_alignment_create(w->context, w->sequences, WORK_SAMPLES, WORK_SITES, WORK_COLORS, NULL, &w->data));
  WORK(atp_alignment_set_alphabet(w->data, "-ACG"));
  return atp_alignment_weigh(w->data, 0.2, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL);
}

/* A trainer of these options; a second goes on from its saved state. */
static inline atp_status work_learn(struct work *w, int64_t family, int64_t optimizer) {
  double parameters[WORK_SITES * WORK_SITES * WORK_COLORS * WORK_COLORS + WORK_SITES * WORK_COLORS];
  atp_trainer_destroy(w->trainer), w->trainer = NULL;
  atp_trainer_destroy(w->resumed), w->resumed = NULL;
  atp_model_destroy(w->learned), w->learned = NULL;
  free(w->state), w->state = NULL;
  WORK(work_options(w, ATP_OWNER_TRAINER));
  WORK(atp_options_set_i64(w->options, ATP_OPT_FAMILY, family));
  WORK(atp_options_set_i64(w->options, ATP_OPT_OPTIMIZER, optimizer));
  WORK(atp_options_set_i64(w->options, ATP_OPT_EPOCHS, 4));
  WORK(atp_trainer_create(w->context, w->data, w->options, &w->trainer));
  WORK(atp_trainer_create(w->context, w->data, w->options, &w->resumed));
  WORK(atp_trainer_run(w->trainer, 2, NULL, NULL, NULL));
  const int64_t bytes = atp_trainer_state_bytes(w->trainer), count = atp_trainer_parameter_count(w->trainer);
  if ((w->state = malloc((size_t)bytes)) == NULL) return ATP_E_MEMORY;
  WORK(atp_trainer_save_state(w->trainer, w->state, bytes));
  WORK(atp_trainer_load_state(w->resumed, w->state, bytes));
  WORK(atp_trainer_run(w->resumed, 2, NULL, NULL, NULL));
  WORK(atp_trainer_parameters(w->resumed, parameters, count));
  work_add(w, parameters, (size_t)count * sizeof *parameters);
  char path[256];
  work_path(w, 3, path, sizeof path);
  WORK(atp_file_write(w->context, path, w->state, bytes));
  WORK(atp_file_read(w->context, path, w->state, bytes));
  work_add(w, w->state, (size_t)bytes);
  return atp_trainer_model(w->resumed, &w->learned);
}

/* Written, read again, and what was read. */
static inline atp_status work_files(struct work *w) {
  char path[256];
  work_path(w, 0, path, sizeof path);
  WORK(atp_alignment_write(w->context, w->data, ATP_FORMAT_FASTA, path));
  WORK(atp_alignment_read(w->context, path, "-ACG", NULL, &w->again));
  work_add(w, atp_alignment_sequences_view(w->again), sizeof w->sequences);
  const atp_model_format formats[3] = {ATP_MODEL_ADABM, ATP_MODEL_PLMC, ATP_MODEL_HDF5};
  for (int k = 0; k < 3; ++k) {
    const int hdf5 = formats[k] == ATP_MODEL_HDF5;
    double energies[WORK_SAMPLES];
    if (hdf5 && !atp_has_feature("hdf5")) continue;
    work_path(w, k == 2 ? 4 : 1 + k, path, sizeof path);
    if (hdf5 && w->lock_hdf5 != NULL) w->lock_hdf5(1);
    atp_status status = atp_model_write_as(w->context, w->learned, w->data, formats[k], path);
    if (status == ATP_OK) status = atp_model_read_as(w->context, path, formats[k], "-ACG", &w->read);
    if (hdf5 && w->lock_hdf5 != NULL) w->lock_hdf5(0);
    WORK(status);
    WORK(atp_model_energies(w->read, w->sequences, WORK_SAMPLES, energies, WORK_SAMPLES));
    work_add(w, energies, sizeof energies);
    atp_model_destroy(w->read), w->read = NULL;
  }
  return ATP_OK;
}

static inline atp_status work_theory(struct work *w) {
  double values[64];
  const double alphas[2] = {0.7, 1.5};
  WORK(atp_task_create(w->context, ATP_TASK_REPLICA_LIMIT, NULL, &w->task));
  WORK(atp_task_set_array(w->task, ATP_ARRAY_ALPHAS, alphas, 2, 1));
  WORK(atp_table_create(w->context, (atp_table_kind)atp_task_table_kind(w->task), atp_task_rows(w->task), &w->table));
  WORK(atp_task_run(w->task, w->table, NULL, NULL, NULL));
  const int64_t count = atp_table_rows(w->table) * atp_table_columns(w->table);
  if (count > 64) return ATP_E_BUFFER;
  WORK(atp_table_values(w->table, values, count));
  work_add(w, values, (size_t)count * sizeof *values);
  WORK(work_options(w, ATP_OWNER_TRAINER));
  WORK(atp_options_set_i64(w->options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER));
  WORK(atp_trainer_create(w->context, w->data, w->options, &w->network));
  WORK(atp_trainer_run(w->network, 1, NULL, NULL, NULL));
  double loss = 0;
  WORK(atp_trainer_loss(w->network, w->data, &loss));
  work_add(w, &loss, sizeof loss);
  return ATP_OK;
}

static inline void work_release(struct work *w) {
  free(w->state);
  atp_table_destroy(w->table);
  atp_task_destroy(w->task);
  atp_trainer_destroy(w->network);
  atp_trainer_destroy(w->resumed);
  atp_trainer_destroy(w->trainer);
  atp_alignment_destroy(w->again);
  atp_alignment_destroy(w->data);
  atp_sampler_destroy(w->sampler);
  atp_model_destroy(w->read);
  atp_model_destroy(w->learned);
  atp_model_destroy(w->truth);
  atp_options_destroy(w->options);
  atp_context_destroy(w->context);
}

static inline atp_status work_all(struct work *w) {
  WORK(atp_context_create(NULL, NULL, NULL, &w->context));
  WORK(atp_context_set_threads(w->context, w->threads));
  WORK(work_sample(w));
  WORK(work_learn(w, ATP_FAMILY_DENSE, ATP_OPTIMIZER_LBFGS));
  WORK(work_files(w));
  WORK(work_learn(w, ATP_FAMILY_FACTORED, ATP_OPTIMIZER_SGD));
  WORK(work_learn(w, ATP_FAMILY_FACTORED, ATP_OPTIMIZER_LBFGS));
  return work_theory(w);
}

/* One round, from nothing to nothing. */
static inline atp_status work_round(struct work *w, const char *folder, int threads, void (*lock_hdf5)(int)) {
  memset(w, 0, sizeof *w);
  snprintf(w->folder, sizeof w->folder, "%s", folder);
  w->threads = threads;
  w->lock_hdf5 = lock_hdf5;
  w->digest = UINT64_C(14695981039346656037);
  const atp_status status = work_all(w);
  if (status != ATP_OK) atp_last_error(w->error, sizeof w->error);
  work_release(w);
  return status;
}

#endif
