// SPDX-License-Identifier: MIT
// Learning curves from simulated data: least squares [R24 fig. 3 left], or the conditional logit of q colours.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"

#include <attopotts/replica.h>

namespace atp::replica {

// One row of simulation. Its members are the columns of atp_replica_sim_column, in their order.
struct SimRow {
  double alpha = 0;
  double eg = 0, eg_sem = 0, et = 0, et_sem = 0;
  double samples = 0, realisations = 0;
};
static_assert(sizeof(SimRow) == ATP_REPLICA_SIM_COLUMNS * sizeof(double));

struct Losses {
  double eg, et;
};

struct Simulation {
  const double *covariance;  // [p][p]
  const double *teacher;     // [p]
  int64_t p;
  double noise;
  const double *alphas;
  int64_t n_alphas;
  double lambda;
  int64_t realisations;
  uint64_t seed;
  const double *fields = nullptr;  // K [colors][colors] of a conditional logit; NULL: least squares
  int64_t colors = 0, tests = 0;   // number of colours, of fields for the test loss
  bool cavity = false;             // of a conditional logit: inputs are normal given the label
};

// The bytes that simulate() allocates from the context. Reads no array of the simulation but alphas. Throws ATP_E_TOO_LARGE.
std::size_t simulation_bytes(const Context &context, const Simulation &simulation);

// Writes rows [n_alphas][ATP_REPLICA_SIM_COLUMNS]. Throws ATP_E_VALUE if the
// covariance is not positive definite, or that of the fields not allowed, before it writes any row.
atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows);

}  // namespace atp::replica
