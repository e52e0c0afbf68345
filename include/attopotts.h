/* SPDX-License-Identifier: MIT */
/** @file attopotts.h
 *  Umbrella header of the C API of the library attopotts. attopotts_io.h adds the functions for files, those of the library attopotts_io.
 *
 *  The shortest whole program (examples/c/shortest.c) draws sequences of a Potts model and learns the model back:
 *
 *      #include <attopotts.h>
 *
 *      #include <stdio.h>
 *
 *      enum { SITES = 10, COLORS = 5, SAMPLES = 4000 };
 *
 *      int main(void) {
 *        static uint8_t sequences[SAMPLES * SITES];
 *        atp_context *context = NULL;
 *        atp_model *truth = NULL, *learned = NULL;
 *        atp_sampler *sampler = NULL;
 *        atp_alignment *data = NULL;
 *        atp_trainer *trainer = NULL;
 *        double loss = 0;
 *        char text[512] = "";
 *        const int good =
 *            atp_context_create(NULL, NULL, NULL, &context) == ATP_OK &&
 *            atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth) == ATP_OK &&
 *            atp_sampler_create(context, truth, NULL, &sampler) == ATP_OK && atp_sampler_sweep(sampler, 100, NULL, NULL, NULL) == ATP_OK &&
 *            atp_sampler_sample(sampler, 10, sequences, sizeof sequences, NULL, NULL, NULL) == ATP_OK &&
 *            atp_alignment_create(context, sequences, SAMPLES, SITES, COLORS, NULL, &data) == ATP_OK &&
 *            atp_trainer_create(context, data, NULL, &trainer) == ATP_OK && atp_trainer_run(trainer, 200, NULL, NULL, NULL) == ATP_OK &&
 *            atp_trainer_model(trainer, &learned) == ATP_OK && atp_model_loss(context, learned, data, &loss) == ATP_OK;
 *        if (good) {
 *          printf("loss %.4f nats per site\n", loss);
 *        } else {
 *          atp_last_error(text, sizeof text);
 *          printf("%s\n", text);
 *        }
 *        atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
 *        atp_sampler_destroy(sampler), atp_model_destroy(truth), atp_context_destroy(context);
 *        return good ? 0 : 1;
 *      }
 *
 *  Every call returns an atp_status or a number; handles are destroyed by atp_..._destroy(), at the latest before their context. Options
 *  come from a bag of their owner (options.h); NULL means the defaults:
 *
 *      atp_options_create(context, ATP_OWNER_TRAINER, &options);
 *      atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 1e-4);
 *      atp_trainer_create(context, data, options, &trainer);
 *
 *  The API has two layers. The calls that most programs need come first in their headers, under "Stable", and say so after "Since":
 *  they keep their names and arguments until version 1.0. The others may change with any version; CHANGELOG.md says so then. Stable are
 *  atp_outcome_name(), atp_last_error(), atp_context_create(), atp_context_destroy(), atp_context_set_threads(), atp_options_create(),
 *  atp_options_destroy(), atp_options_set_i64(), atp_options_set_f64(), atp_alignment_create(), atp_alignment_destroy(),
 *  atp_alignment_count(), atp_alignment_weigh(), atp_model_create_dense_f64(), atp_model_create_random(), atp_model_destroy(),
 *  atp_model_couplings_f64(), atp_model_energies(), atp_model_loss(), atp_model_contacts(), atp_sampler_create(),
 *  atp_sampler_destroy(), atp_sampler_sweep(), atp_sampler_sample(), atp_sampling_create(), atp_sampling_destroy(), atp_sampling_run(),
 *  atp_sampling_alignment(), atp_trainer_create(), atp_trainer_destroy(), atp_trainer_run(), atp_trainer_model(), atp_task_create(),
 *  atp_task_destroy(), atp_task_set_array(), atp_task_table_kind(), atp_task_rows(), atp_task_run(), atp_table_create(),
 *  atp_table_destroy(), atp_table_column(), atp_alignment_read(), atp_model_write(), atp_model_read(). */
#ifndef ATTOPOTTS_H
#define ATTOPOTTS_H

#include <attopotts/version.h>
#include <attopotts/status.h>
#include <attopotts/context.h>
#include <attopotts/ranks.h>
#include <attopotts/options.h>
#include <attopotts/table.h>
#include <attopotts/alignment.h>
#include <attopotts/weights.h>
#include <attopotts/model.h>
#include <attopotts/columns.h>
#include <attopotts/scores.h>
#include <attopotts/mutations.h>
#include <attopotts/asymptotics.h>
#include <attopotts/baselines.h>
#include <attopotts/selection.h>
#include <attopotts/sampler.h>
#include <attopotts/partition.h>
#include <attopotts/rungs.h>
#include <attopotts/diagnostics.h>
#include <attopotts/trainer.h>
#include <attopotts/pairs.h>
#include <attopotts/lattice.h>
#include <attopotts/replica.h>
#include <attopotts/dotattn_dynamics.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/dotattn_tokens.h>
#include <attopotts/dotattn.h>
#include <attopotts/task.h>

#endif
