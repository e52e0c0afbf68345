// SPDX-License-Identifier: MIT
// Inputs of a masked site, as learning curves take them: of a precision or covariance matrix, of a spin glass in the limit of many sites,
// of measured sequences of a Potts model. Derivations: docs/theory.md, sections 8 and 15.
#pragma once

#include "base/arena.hpp"

#include <cstdint>

namespace atp::replica {

// P = z I - J, J_ij ~ N(0, 1/L), J_ii = 0; precision [L][L].
void fill_goe(int64_t sites, double shift, uint64_t seed, double *precision);

// S, w* and the variance of the masked value from P or from the full covariance C. Both throw ATP_E_VALUE if
// the matrix is not positive definite, and then write nothing. covariance [p][p], teacher [p], p = sites - 1.
int64_t mask_workspace(int64_t sites);  // doubles
double mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance, double *teacher, double *work);
double mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, double *teacher, double *work);

// Eigenvalues in ascending order, and (eigenvector . w*)^2. Throws ATP_E_VALUE if S is not positive definite.
int64_t spectrum_workspace(int64_t p);  // doubles
void spectrum(const double *covariance, const double *teacher, int64_t p, double *eigenvalues, double *projections, double *work);

// K = V_c V_c^T / q of V [q][q] for uniform colours, V_c being V without the means of its rows; covariance [q][q].
void color_covariance(const double *values, int64_t colors, double *covariance);

// Couplings J_ij ~ N(0, 1/L) between sites of q colours, above the transition. All q - 1 eigenvalues of K that tell colours apart are k.
struct SpinGlass {
  double teacher;   // w*_j = teacher J_ij
  double response;  // k / q
  // The inverse temperature in units of that of the transition, below 1.
  double reduced_beta() const;
};

// Throws ATP_E_VALUE where K [q][q] has other than one such eigenvalue, or where beta is not below the transition.
SpinGlass spin_glass_of(double beta, const double *colors, int64_t q);

// S = 1 / (1 + b^2 - b J), b = reduced_beta(): the covariance of the other sites given the site, each of p eigenvalues being the mean over
// an equal part of its distribution, and a teacher w* without preferred direction. With `given_label` false S + (k/q) S w* w*^T S, their
// covariance if the site is not given. covariance [p][p], weights [p].
void fill_spin_glass(const SpinGlass &glass, int64_t p, bool given_label, double *covariance, double *weights);

// Sequences of a model C_ij(a, b) = beta maps_ij values_ab.
struct MeasuredSequences {
  double beta;
  const double *maps;        // A [L][L]
  const double *values;      // V [q][q]
  const uint8_t *sequences;  // [n][L]
  int64_t n, sites, colors;
  bool given_label;  // covariances given the colour of the masked site
};

// The theory's model of the sequences: fields of a masked site are normal, with the covariance K_ab S_jk. K is that of V(a, s_j), a mean
// over sites j, and S that of V(a, s_j) less its mean over a, a mean over a, with a mean of 1 on the diagonal. The spectrum is the mean
// over masked sites i of the sorted eigenvalues of S without i, and the projections those of beta maps_i. Covariance [L - 1][L - 1] and
// weights [L - 1] are those of a system whose axes are the eigenvectors; colors [q][q] is K. Throws ATP_E_VALUE before it writes any.
std::size_t measured_bytes(const MeasuredSequences &sample);
void measure_sequences(const MeasuredSequences &sample, double *colors, double *covariance, double *weights, Arena arena);

}  // namespace atp::replica
