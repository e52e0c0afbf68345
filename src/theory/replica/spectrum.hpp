// SPDX-License-Identifier: MIT
// Matrices of masked Gaussian modelling: a random precision matrix, masking of a site, the spectrum of the
// inputs' covariance.
#pragma once

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

}  // namespace atp::replica
