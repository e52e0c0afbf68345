// SPDX-License-Identifier: MIT
// One realisation of q-colour pseudo-likelihood with known V: drawn, learned by Newton's method, and tested.
#pragma once

#include "theory/replica/potts_fields.hpp"
#include "theory/replica/simulate.hpp"

namespace atp::replica {

// The doubles of work space for a rank, a number of colours, of parameters and of samples.
int64_t potts_learner_workspace(int64_t rank, int64_t colors, int64_t p, int64_t samples);

// S = C C^T, C in `factor`. The test loss is the mean over simulation.tests fields. NaN where there is no minimum.
Losses learn_potts(const Simulation &simulation, const FieldBasis &basis, const double *factor, int64_t samples, int64_t realisation,
                   Span<double> work);

}  // namespace atp::replica
