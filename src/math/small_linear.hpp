// SPDX-License-Identifier: MIT
// Linear algebra of a few unknowns, without LAPACK. Matrices are row by row.
#pragma once

#include "base/span.hpp"

#include <cstdint>

namespace atp {

// Solves a x = b for a [n][n] by Gauss-Jordan elimination with row exchanges. x takes the place of b; a is overwritten. Returns false if a
// pivot is not above `smallest`.
bool solve_small(int64_t n, double *a, double *b, double smallest);

// Cholesky's factor of a + shift 1 for a symmetric a [n][n], of which the lower triangle is read; factor [n][n] may be a. Returns false if
// a + shift 1 is not positive definite, or only by rounding. Then solves (a + shift 1) x = b for `columns` right-hand sides at once: x,
// [n] rows of so many elements, which begin `stride` apart, takes the place of b.
bool factor_small(int64_t n, const double *a, double shift, double *factor);
void solve_factor(int64_t n, const double *factor, int64_t columns, int64_t stride, double *x);

// Solves (a + shift 1) x = b for a symmetric a [n][n], by Cholesky's method; factor [n][n] is work space. Returns false if a + shift 1 is
// not positive definite, or only by rounding.
bool solve_positive(int64_t n, const double *a, double shift, const double *b, double *factor, double *x);

// Finds the x for which |b - sum_c x_c a_c| is smallest, a [columns][rows], by Gram-Schmidt; a is overwritten. x_c is 0 for a column that
// depends on those before it: less than the part `dependent` of its square is left without them.
inline constexpr int64_t kMostColumns = 8;
void fit_small(int64_t columns, int64_t rows, double *a, const double *b, double dependent, double *x);

// Singular value decomposition of a [rows][columns] by one-sided Jacobi rotations: a becomes q a with orthogonal rows, whose lengths are
// the singular values, falling; q [rows][rows] is orthogonal. Of a symmetric matrix without negative eigenvalues, these are its
// eigenvalues, and the rows of q its eigenvectors. Source: J. Demmel, Applied Numerical Linear Algebra (1997), section 5.4.3.
void jacobi_svd(int64_t rows, int64_t columns, double *a, double *values, double *q);

// The eigenvalues of a symmetric a [n][n], in no order. a is overwritten; work has 2 n elements. Householder's tridiagonal form, then
// QR steps with Wilkinson's shift. Source: G. H. Golub, C. F. Van Loan, Matrix Computations (2013), section 8.3.
void symmetric_eigenvalues(int64_t n, double *a, double *values, double *work);

}  // namespace atp
