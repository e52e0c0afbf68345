// SPDX-License-Identifier: MIT
// Linear algebra of a few unknowns, without LAPACK. Matrices are row by row.
#pragma once

#include "base/span.hpp"

namespace atp {

// a x = b for a [n][n] by Gauss-Jordan elimination with row exchanges. x takes the place of b; a is overwritten. False where a pivot is not
// above `smallest`.
bool solve_small(int64_t n, double *a, double *b, double smallest);

// Singular value decomposition of a [rows][columns] by one-sided Jacobi rotations: a becomes q a with orthogonal rows, whose lengths are
// the singular values, falling; q [rows][rows] is orthogonal. Of a symmetric matrix without negative eigenvalues, these are its
// eigenvalues, and the rows of q its eigenvectors. Source: J. Demmel, Applied Numerical Linear Algebra (1997), section 5.4.3.
void jacobi_svd(int64_t rows, int64_t columns, double *a, double *values, double *q);

}  // namespace atp
