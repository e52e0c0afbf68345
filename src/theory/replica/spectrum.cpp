// SPDX-License-Identifier: MIT
#include "theory/replica/spectrum.hpp"

#include "base/error.hpp"
#include "base/philox.hpp"
#include "math/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

namespace {

// Splits a matrix [n][n]: `rest` is the matrix without row and column `site`, `column` is that column without
// its diagonal element.
void split(const double *matrix, int64_t n, int64_t site, double *rest, double *column) {
  const auto kept = [site](int64_t k) { return k < site ? k : k + 1; };
  for (int64_t i = 0; i + 1 < n; ++i) {
    const double *row = matrix + kept(i) * n;
    for (int64_t j = 0; j + 1 < n; ++j) rest[i * (n - 1) + j] = row[kept(j)];
    column[i] = row[site];
  }
}

void factorise(int64_t p, double *a, const char *name) {
  const int64_t minor = cholesky(p, a);
  if (minor != 0)
    fail(ATP_E_VALUE, "%s is not positive definite: its leading minor of order %lld (without the masked site) is not positive", name,
         static_cast<long long>(minor));
}

bool is_diagonal(const double *matrix, int64_t p) {
  for (int64_t j = 0; j < p; ++j)
    for (int64_t k = 0; k < p; ++k)
      if (j != k && matrix[j * p + k] != 0) return false;
  return true;
}

// The eigenvectors of a diagonal matrix are the axes: writes them to the first row of `work`, which is the matrix, in the order of their
// eigenvalues.
void sort_axes(int64_t p, double *work, double *values) {
  for (int64_t k = 0; k < p; ++k) values[k] = work[k * (p + 1)];
  for (int64_t k = 0; k < p; ++k) work[k] = static_cast<double>(k);
  const auto before = [values](double a, double b) {
    const double at_a = values[static_cast<int64_t>(a)], at_b = values[static_cast<int64_t>(b)];
    return at_a != at_b ? at_a < at_b : a < b;
  };
  std::sort(work, work + p, before);
  std::sort(values, values + p);
}

double positive(double x, const char *name, int64_t site) {
  if (!(x > 0))
    fail(ATP_E_VALUE, "%s is not positive definite: element %lld of its diagonal is %g, must be > 0", name, static_cast<long long>(site),
         x);
  return x;
}

}  // namespace

void fill_goe(int64_t sites, double shift, uint64_t seed, double *precision) {
  const RandomView random(seed, Stream::replica, 0, 0);
  const double scale = 1 / std::sqrt(static_cast<double>(sites));
  for (int64_t i = 0; i < sites; ++i) {
    precision[i * sites + i] = shift;
    for (int64_t j = i + 1; j < sites; ++j)
      precision[i * sites + j] = precision[j * sites + i] = -scale * random.normal(static_cast<uint64_t>(i * sites + j));
  }
}

int64_t mask_workspace(int64_t sites) { return (sites - 1) * sites; }

double mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance, double *teacher, double *work) {
  const int64_t p = sites - 1;
  const double own = positive(precision[site * sites + site], "precision", site);
  double *rest = work, *column = work + p * p;
  split(precision, sites, site, rest, column);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < p; ++j) rest[i * p + j] -= column[i] * column[j] / own;
  factorise(p, rest, "precision");
  cholesky_inverse(p, rest);
  std::copy(rest, rest + p * p, covariance);
  for (int64_t i = 0; i < p; ++i) teacher[i] = -column[i] / own;
  return 1 / own;
}

double mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, double *teacher, double *work) {
  const int64_t p = sites - 1;
  const double own = positive(full[site * sites + site], "full", site);
  double *factor = work, *column = work + p * p;
  split(full, sites, site, factor, column);
  factorise(p, factor, "full");
  // S = F F^T: noise = C_ii - |F^-1 column|^2, w* = F^-T F^-1 column.
  solve_lower(false, p, factor, column);
  double explained = 0;
  for (int64_t i = 0; i < p; ++i) explained += column[i] * column[i];
  const double noise = own - explained;
  if (!(noise > 0))
    fail(ATP_E_VALUE, "full is not positive definite: the variance of site " ATP_INDEX " given the others is %g",
         static_cast<long long>(site), noise);
  solve_lower(true, p, factor, column);
  std::copy(column, column + p, teacher);
  split(full, sites, site, covariance, column);
  return noise;
}

int64_t spectrum_workspace(int64_t p) { return p * p + p + symmetric_eigen_workspace(p); }

void spectrum(const double *covariance, const double *teacher, int64_t p, double *eigenvalues, double *projections, double *work) {
  double *vectors = work;
  std::copy(covariance, covariance + p * p, vectors);
  double *values = work + p * p;
  const bool diagonal = is_diagonal(covariance, p);
  if (diagonal)
    sort_axes(p, vectors, values);
  else if (!symmetric_eigen(p, vectors, values, values + p))
    fail(ATP_E_INTERNAL, "LAPACK's dsyevd did not converge on covariance");
  const double smallest = static_cast<double>(p) * 2.2e-16 * values[p - 1];
  if (!(values[0] > smallest))
    fail(ATP_E_VALUE, "covariance is not positive definite: its smallest eigenvalue is %g, its largest %g", values[0], values[p - 1]);
  std::copy(values, values + p, eigenvalues);
  for (int64_t k = 0; k < p; ++k) {
    double overlap = 0;
    if (diagonal)
      overlap = teacher[static_cast<int64_t>(vectors[k])];
    else
      for (int64_t j = 0; j < p; ++j) overlap += vectors[k * p + j] * teacher[j];
    projections[k] = overlap * overlap;
  }
}

}  // namespace atp::replica
