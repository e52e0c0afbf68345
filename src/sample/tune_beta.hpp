// SPDX-License-Identifier: MIT
// Finds the beta at which two independent equilibrium samples differ on average at a given fraction of the
// sites. See attopotts/sampler.h.
#pragma once

#include "sample/options.hpp"
#include "base/progress.hpp"
#include "potts/model.hpp"

namespace atp {

struct TuneOptions {
  explicit TuneOptions(const Options &options);
  uint64_t seed;
  int64_t ladders;    // independent ladders
  int64_t max_rungs;  // maximum per ladder
};

struct TuneResult {
  double beta, beta_error;        // the error is infinite if the target was not reached
  double hamming, hamming_error;  // at beta
  atp_outcome outcome;
};

// Collective. Throws ATP_E_VALUE if no beta reaches the target, ATP_E_CONFLICT for asymmetric models.
TuneResult tune_beta(Context &context, const Model &model, const TuneOptions &options, double target, Reporter &reporter);

}  // namespace atp
