// SPDX-License-Identifier: MIT
// One realisation of q-colour pseudo-likelihood with known V: drawn, learned by Newton's method, and tested.
#pragma once

#include "base/philox.hpp"
#include "theory/replica/potts_fields.hpp"
#include "theory/replica/simulate.hpp"

namespace atp::replica {

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
