// SPDX-License-Identifier: MIT
// Log Z and entropy of a model by one of three methods. See attopotts/partition.h.
//
//   exact      the sum over all states (potts/enumerate.hpp); of autoregressive models, of log Z 0, by independent samples, too
//   annealing  pilot runs of annealed importance sampling, the first from uniform sites, each other one from the frequencies of the sites
//              in the end states of the one before; the run that counts starts as the one whose log weights varied least did, at times
//              of equal steps of the length that it measured
//   ladder     a pilot run from uniform sites places the rungs; replica exchange from beta = 0; bridges between its rungs
#pragma once

#include "base/progress.hpp"
#include "sample/bridge.hpp"
#include "sample/options.hpp"

#include <attopotts/partition.h>

namespace atp {

struct PartitionOptions {
  explicit PartitionOptions(const Options &options);
  uint64_t seed;
  int64_t method;  // an atp_partition_method
  int64_t chains, steps, sweeps, temperatures;
};

struct PartitionResult {
  int64_t method = ATP_METHOD_EXACT;  // that was used
  Thermodynamics at_beta;
  double effective = 0;       // chains, by the weights; ladders
  double rhat = 0;            // the largest of all rungs
  int64_t distributions = 0;  // from the start to the model, both included
  bool profile = false;       // annealing from the frequencies of the sites
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
};

// Of the symmetric part of the couplings, as energies are. Collective. Throws ATP_E_TOO_LARGE (states to enumerate), ATP_E_VALUE (too few
// chains, sweeps or temperatures for the method; beta above kMaxBeta).
PartitionResult partition(Context &context, const Model &model, const PartitionOptions &options, Reporter &reporter);

}  // namespace atp
