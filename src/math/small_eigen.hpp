// SPDX-License-Identifier: MIT
// Eigenvalues of small symmetric matrices, without LAPACK.
#pragma once

#include <cstdint>

namespace atp {

// The eigenvalues of a symmetric a [n][n], in no order. a is overwritten; work has 2 n elements. Householder's tridiagonal form, then
// QR steps with Wilkinson's shift. Source: G. H. Golub, C. F. Van Loan, Matrix Computations (2013), section 8.3.
void symmetric_eigenvalues(int64_t n, double *a, double *values, double *work);

}  // namespace atp
