// SPDX-License-Identifier: MIT
#include "math/linalg/lapack.hpp"

#include "base/error.hpp"
#include "math/linalg/blas.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

// The Fortran interface. The lengths of character arguments follow the other arguments.
extern "C" {
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, std::size_t);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info, std::size_t);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, const int *lwork,
             int *iwork, const int *liwork, int *info, std::size_t, std::size_t);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
            double *work, const int *lwork, int *info, std::size_t);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda, double *x,
            const int *incx, std::size_t, std::size_t, std::size_t);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda, double *x,
            const int *incx, std::size_t, std::size_t, std::size_t);
void dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, double *b, const int *ldb, std::size_t, std::size_t, std::size_t, std::size_t);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda, const double *x,
            const int *incx, const double *beta, double *y, const int *incy, std::size_t);
void ilaver_(int *major, int *minor, int *patch);
}

namespace atp {

namespace {

constexpr int kOne = 1;
constexpr int64_t kBlock = 64;  // largest block of columns in the factorisation of dgels

// LAPACK counts in 32 bits. Callers check this limit before they allocate; see kLargestOrder and kMostRows.
int order(int64_t n) {
  if (n > INT32_MAX) fail(ATP_E_TOO_LARGE, "%lld is more than LAPACK can count", llong{n});
  return static_cast<int>(n);
}

int64_t eigen_reals(int64_t n) { return 1 + 6 * n + 2 * n * n; }
int64_t eigen_integers(int64_t n) { return 3 + 5 * n; }

}  // namespace

int64_t cholesky(int64_t n, double *a) {
  const BlasRoom room;
  const int size = order(n);
  int info = 0;
  dpotrf_("L", &size, a, &size, &info, 1);
  return info;
}

void cholesky_inverse(int64_t n, double *a) {
  const BlasRoom room;
  const int size = order(n);
  int info = 0;
  dpotri_("L", &size, a, &size, &info, 1);
  // Copies the other triangle, in tiles that stay in the first-level cache.
  constexpr int64_t kTile = 32;
  for (int64_t top = 0; top < n; top += kTile)
    for (int64_t left = 0; left <= top; left += kTile)
      for (int64_t j = top; j < std::min(top + kTile, n); ++j)
        for (int64_t i = left; i < std::min(left + kTile, j); ++i) a[i + j * n] = a[j + i * n];
}

void solve_lower(bool transpose, int64_t n, const double *c, double *x) {
  const BlasRoom room;
  const int size = order(n);
  dtrsv_("L", transpose ? "T" : "N", "N", &size, c, &size, x, &kOne, 1, 1, 1);
}

void multiply_lower(bool transpose, int64_t n, const double *c, double *x) {
  const BlasRoom room;
  const int size = order(n);
  dtrmv_("L", transpose ? "T" : "N", "N", &size, c, &size, x, &kOne, 1, 1, 1);
}

void multiply_right_lower_transposed(int64_t m, int64_t n, const double *c, double *b, int64_t ldb) {
  const BlasRoom room;
  const int rows = order(m), columns = order(n), leading = order(ldb);
  const double one = 1;
  dtrmm_("R", "L", "T", "N", &rows, &columns, &one, c, &columns, b, &leading, 1, 1, 1, 1);
}

void multiply(int64_t m, int64_t n, const double *a, int64_t lda, const double *x, double *y) {
  const BlasRoom room;
  const int rows = order(m), columns = order(n), leading = order(lda);
  const double one = 1, zero = 0;
  dgemv_("N", &rows, &columns, &one, a, &leading, x, &kOne, &zero, y, &kOne, 1);
}

int64_t symmetric_eigen_workspace(int64_t n) { return eigen_reals(n) + (eigen_integers(n) + 1) / 2; }

bool symmetric_eigen(int64_t n, double *a, double *values, double *work) {
  const BlasRoom room;
  const int size = order(n), reals = order(eigen_reals(n)), integers = order(eigen_integers(n));
  int *whole = reinterpret_cast<int *>(work + eigen_reals(n));  // integer work space of LAPACK
  int info = 0;
  dsyevd_("V", "L", &size, a, &size, values, work, &reals, whole, &integers, &info, 1, 1);
  return info == 0;
}

int64_t least_squares_workspace(int64_t m, int64_t n) {
  const int64_t least = std::min(m, n);
  return least + std::max(least, std::max(m, n)) * kBlock;
}

bool least_squares(int64_t m, int64_t n, double *a, double *b, double *work) {
  const BlasRoom room;
  const int rows = order(m), columns = order(n), length = order(std::max(m, n)), size = order(least_squares_workspace(m, n));
  int info = 0;
  dgels_("N", &rows, &columns, &kOne, a, &rows, b, &length, work, &size, &info, 1);
  return info == 0;
}

namespace {

struct Version {
  char text[32];
  Version() {
    int major = 0, minor = 0, patch = 0;
    ilaver_(&major, &minor, &patch);
    std::snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  }
};

}  // namespace

const char *lapack_version() {
  static const Version version;  // initialised once, as in blas_description()
  return version.text;
}

}  // namespace atp
