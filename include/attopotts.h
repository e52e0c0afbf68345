/* SPDX-License-Identifier: MIT */
/** @file attopotts.h
 *  Umbrella header of the C API without files: the library attopotts. attopotts_io.h adds files: the library attopotts_io. */
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
#include <attopotts/baselines.h>
#include <attopotts/selection.h>
#include <attopotts/sampler.h>
#include <attopotts/sampling.h>
#include <attopotts/diagnostics.h>
#include <attopotts/trainer.h>
#include <attopotts/pairs.h>
#include <attopotts/replica.h>
#include <attopotts/dotattn_dynamics.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/dotattn_tokens.h>
#include <attopotts/dotattn.h>
#include <attopotts/task.h>

#endif
