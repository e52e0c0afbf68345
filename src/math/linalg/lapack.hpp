// SPDX-License-Identifier: MIT
// Factorisations through LAPACK. Matrices are column-major, element (i, j) at a[i + j * lda]; symmetric ones
// may also be row-major. Nothing here allocates, but BLIS, on which LAPACK runs, has its own packing buffers.
#pragma once

#include "base/team.hpp"

#include <cstdint>

namespace atp {

// The largest order of a matrix: LAPACK counts work space in 32-bit integers.
inline constexpr int64_t kLargestOrder = 32000;

// A = C C^T, C lower triangular. Reads and overwrites the lower triangle of a [n][n]. Returns 0, or the order
// of the first leading minor that is not positive.
int64_t cholesky(int64_t n, double *a);

// Computes the inverse of A from its Cholesky factor, both triangles.
void cholesky_inverse(int64_t n, double *a);

// x = C^-1 x or x = C^-T x for a lower triangular C [n][n].
void solve_lower(bool transpose, int64_t n, const double *c, double *x);

// x = C x or x = C^T x for a lower triangular C [n][n].
void multiply_lower(bool transpose, int64_t n, const double *c, double *x);

// B = B C^T for B [m][n] with leading dimension ldb and a lower triangular C [n][n].
void multiply_right_lower_transposed(int64_t m, int64_t n, const double *c, double *b, int64_t ldb);

// y = A x for A [m][n] with leading dimension lda.
void multiply(int64_t m, int64_t n, const double *a, int64_t lda, const double *x, double *y);

// Eigenvalues, in ascending order, and orthonormal eigenvectors, in the columns of a, of the symmetric a
// [n][n]. Returns false if LAPACK did not converge.
// Divide and conquer: J. Cuppen, Numer. Math. 36, 177 (1981).
int64_t symmetric_eigen_workspace(int64_t n);  // doubles
bool symmetric_eigen(int64_t n, double *a, double *values, double *work);

// Minimises |b - A x|, m >= n, by QR; or finds the smallest x with A x = b, m < n, by LQ. a [m][n] is overwritten. b has max(m, n) elements
// and receives x; for m > n, elements n..m-1 hold the residual in another orthonormal basis. Returns false if a does not have full rank.
int64_t least_squares_workspace(int64_t m, int64_t n);  // doubles
// The largest sum of rows and columns for which the work space of least_squares can be counted.
inline constexpr int64_t kMostRows = (int64_t{INT32_MAX} - kLargestOrder) / 64;
bool least_squares(int64_t m, int64_t n, double *a, double *b, double *work);

// "3.11.0".
const char *lapack_version();

// Large symmetric matrices, shared out among threads in blocks that depend on the sizes alone: any number of threads gives the same bits.

// The inverse of a positive definite matrix: LAPACK's algorithms on halves of halves, so that nearly all operations are large products of
// BLIS. LAPACK itself works on 64 columns at a time, at about two thirds of the speed.
// Replaces the upper triangle of A [n][n], row-major, by that of its inverse; the lower triangle is not read. Returns 0, or the order of
// the first leading minor that is not positive.
int64_t invert_positive(const Threads &threads, int64_t n, double *a);
int64_t invert_positive(const Threads &threads, int64_t n, float *a);

// The factor alone: the upper triangle of A becomes C^T, A = C C^T.
int64_t factor_positive(const Threads &threads, int64_t n, double *a);
int64_t factor_positive(const Threads &threads, int64_t n, float *a);

// C = alpha A A^T for A [n][k], or alpha A^T A for A [k][n] if transposed: the upper triangle of C [n][n]. Row-major.
void symmetric_product(const Threads &threads, bool transpose, int64_t n, int64_t k, double alpha, const double *a, double *c);
void symmetric_product(const Threads &threads, bool transpose, int64_t n, int64_t k, float alpha, const float *a, float *c);

// B = C^-1 B for a lower triangular C [n][n], column-major as factor_positive() leaves it, and B [n][m], row-major.
void solve_lower_left(const Threads &threads, int64_t n, int64_t m, const double *c, double *b);
void solve_lower_left(const Threads &threads, int64_t n, int64_t m, const float *c, float *b);

}  // namespace atp
