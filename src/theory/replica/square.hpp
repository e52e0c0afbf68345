// SPDX-License-Identifier: MIT
// Learning curves of the square loss for a given spectrum, from the scalar equation for kappa and from the
// saddle-point equations.
#pragma once

#include "theory/replica/row.hpp"

#include <cstdint>

namespace atp::replica {

// Eigenvalues s_k > 0 of the inputs' covariance, projections t_k of the teacher on its eigenvectors, variance of the masked value given the
// inputs.
struct Spectrum {
  const double *s;
  const double *t;
  int64_t p;
  double noise;
};

// Moments that do not depend on alpha.
struct SpectrumMoments {
  double mean = 0;          // (1/p) sum s
  double inverse_mean = 0;  // (1/p) sum 1/s
  double rho = 0;           // sum s t + noise
};
SpectrumMoments moments(const Spectrum &spectrum);

Row solve_square(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature);

Row solve_square_saddle(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature,
                        int64_t max_iter);

}  // namespace atp::replica
