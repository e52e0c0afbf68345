// SPDX-License-Identifier: MIT
// Log Z, mean energy and entropy at the last beta of a ladder, from the energies of its rungs.
//
// Between neighbouring rungs d = log(Z_1 / Z_0) solves, with x = (beta_1 - beta_0) H and as many read-outs of both,
//   sum_{reads of 1} 1 / (1 + exp(-x - d)) = sum_{reads of 0} 1 / (1 + exp(x + d)),
// which has the least variance of all estimates of its kind. Errors are those of the jackknife over independent ladders, so that they
// know of correlations in time and between rungs. Source: C. Bennett, J. Comput. Phys. 22, 245 (1976).
#pragma once

#include "base/context.hpp"
#include "math/search.hpp"
#include "sample/ladder_run.hpp"

namespace atp {

// Of a distribution exp(-beta H) / Z: log Z, <H>, and S = log Z + beta <H>, with standard errors.
struct Thermodynamics {
  double log_z = 0, log_z_error = 0;
  double energy = 0, energy_error = 0;
  double entropy = 0, entropy_error = 0;
};

// The root d of two neighbouring rungs, step = beta_1 - beta_0. Energies of both, as many of each.
double bridge(Span<const double> low, Span<const double> high, double step);
// The equation at d, left side less right side, and its slope, of the read-outs first..end - 1.
ValueAndSlope bridge_balance(Span<const double> low, Span<const double> high, double step, double d, int64_t first, int64_t end);

// The first beta of the run is 0, where log Z = `log_states`. It has at least two ladders.
Thermodynamics bridge_ladder(Context &context, const LadderRun &run, Span<const double> betas, double log_states);

}  // namespace atp
