// SPDX-License-Identifier: MIT
// Learning curves from simulated data: least squares [R24 fig. 3 left], or the conditional logit of q colours.
#pragma once

#include "base/context.hpp"
#include "base/philox.hpp"
#include "base/progress.hpp"
#include "theory/replica/potts_fields.hpp"

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

// --- one realisation of q-colour pseudo-likelihood with known V: drawn, learned by Newton's method, and tested ---

// Successive standard normal numbers of one realisation. Each block of the generator gives two.
class Normals {
 public:
  Normals(uint64_t seed, uint64_t realisation, uint64_t samples) : seed_(seed), realisation_(realisation), samples_(samples) {}
  double next() {
    if (half_) {
      half_ = false;
      return second_;
    }
    const PhiloxBlock b = philox(seed_, counter(Stream::replica, realisation_, samples_, place_++));
    second_ = normal_quantile(uniform_f64(b[2], b[3]));
    half_ = true;
    return normal_quantile(uniform_f64(b[0], b[1]));
  }

 private:
  uint64_t seed_, realisation_, samples_, place_ = 0;
  bool half_ = false;
  double second_ = 0;
};

// The doubles of work space for a rank, a number of colours, of parameters and of samples.
int64_t potts_learner_workspace(int64_t rank, int64_t colors, int64_t p, int64_t samples);

// S = C C^T, C in `factor`. The test loss is the mean over simulation.tests fields. NaN where there is no minimum.
Losses learn_potts(const Simulation &simulation, const FieldBasis &basis, const double *factor, int64_t samples, int64_t realisation,
                   Span<double> work);

}  // namespace atp::replica
