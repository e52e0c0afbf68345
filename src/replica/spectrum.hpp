// SPDX-License-Identifier: MIT
// Matrices of masked Gaussian modelling: a random precision, masking a site, the spectrum of the inputs' covariance.
#pragma once

#include <cstdint>

namespace atp::replica {

// P = z I - J, J_ij ~ N(0, 1/L), J_ii = 0; precision [L][L].
void fill_goe(int64_t sites, double shift, uint64_t seed, double *precision);

// S, w* and the variance of the masked value from P or from the full covariance C; both throw ATP_E_VALUE where the matrix is not positive
// definite, and have written nothing then. covariance [p][p], teacher [p], p = sites - 1.
int64_t mask_workspace(int64_t sites);  // doubles
double mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance, double *teacher, double *work);
double mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, double *teacher, double *work);

// Eigenvalues, rising, and (eigenvector . w*)^2. Throws ATP_E_VALUE where S is not positive definite.
int64_t spectrum_workspace(int64_t p);  // doubles
void spectrum(const double *covariance, const double *teacher, int64_t p, double *eigenvalues, double *projections, double *work);

}  // namespace atp::replica
