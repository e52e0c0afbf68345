// SPDX-License-Identifier: MIT
#include "math/leading.hpp"

#include "base/philox.hpp"
#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kMostDimension = 40;
constexpr int kMostRestarts = 30;
constexpr double kDependent = 1e-10;  // of the length of a vector: less is left of one that depends on those before it

double dot(int64_t n, const double *x, const double *y) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

void add(int64_t n, double factor, const double *x, double *y) {
  for (int64_t k = 0; k < n; ++k) y[k] += factor * x[k];
}

}  // namespace

LeadingEigen::LeadingEigen(Arena &arena, int64_t n)
    : n_(n),
      most_(std::min(kMostDimension, n)),
      basis_(arena.take<double>(most_ + kBlock, n)),
      products_(arena.take<double>(most_ + kBlock, n)),
      start_(arena.take<double>(kBlock, n)),
      small_(arena.take<double>(most_, most_)),
      rotation_(arena.take<double>(most_, most_)),
      values_(arena.take<double>(std::max(most_, kBlock))),
      work_(arena.take<double>(n)) {}

void LeadingEigen::randomise() {
  const RandomView random(1, Stream::start, 0, 0);
  for (int64_t k = 0; k < start_.size(); ++k) start_[k] = random.uniform(static_cast<uint64_t>(k)) - 0.5;
}

// Makes the vectors from basis_[first] on orthonormal, also to those before, and leaves out the dependent ones. Returns the new dimension.
int64_t LeadingEigen::extend(int64_t first) {
  int64_t dimension = first;
  for (int64_t k = first; k < first + kBlock && dimension < most_; ++k) {
    double *v = basis_.data() + dimension * n_;
    std::copy_n(basis_.data() + k * n_, n_, v);
    const double before = std::sqrt(dot(n_, v, v));
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t d = 0; d < dimension; ++d) add(n_, -dot(n_, basis_.data() + d * n_, v), basis_.data() + d * n_, v);
    const double left = std::sqrt(dot(n_, v, v));
    if (!(left > kDependent * before)) continue;
    for (int64_t e = 0; e < n_; ++e) v[e] /= left;
    ++dimension;
  }
  return dimension;
}

// Eigenvalues and eigenvectors in the subspace.
void LeadingEigen::rayleigh_ritz(int64_t dimension) {
  for (int64_t r = 0; r < dimension; ++r)
    for (int64_t c = 0; c <= r; ++c) {
      const double element = dot(n_, basis_.data() + r * n_, products_.data() + c * n_);
      small_[r * dimension + c] = small_[c * dimension + r] = element;
    }
  jacobi_svd(dimension, dimension, small_.data(), values_.data(), rotation_.data());
}

void LeadingEigen::rotate_into_start(int64_t dimension) {
  std::fill(start_.begin(), start_.end(), 0.0);
  for (int64_t k = 0; k < std::min(kBlock, dimension); ++k)
    for (int64_t d = 0; d < dimension; ++d) add(n_, rotation_[k * dimension + d], basis_.data() + d * n_, start_.data() + k * n_);
}

// |A v - value v| of the eigenvector k in the subspace.
double LeadingEigen::residual(int64_t k, int64_t dimension, double *work) const {
  std::fill_n(work, n_, 0.0);
  for (int64_t d = 0; d < dimension; ++d) add(n_, rotation_[k * dimension + d], products_.data() + d * n_, work);
  add(n_, -values_[k], start_.data() + k * n_, work);
  return std::sqrt(dot(n_, work, work));
}

void LeadingEigen::fix_sign(int64_t k) {
  double *v = start_.data() + k * n_;
  const double *largest = std::max_element(v, v + n_, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  if (*largest < 0)
    for (int64_t e = 0; e < n_; ++e) v[e] = -v[e];
}

bool LeadingEigen::find(const SymmetricProduct &product, int64_t count, double accuracy) {
  bool found = false;
  for (int restart = 0; restart < kMostRestarts && !found; ++restart) {
    std::copy_n(start_.data(), start_.size(), basis_.data());
    int64_t known = 0, dimension = extend(0);
    while (dimension > known) {
      product.apply(product.user, basis_.data() + known * n_, dimension - known, products_.data() + known * n_);
      // The next block is the product of this one.
      const int64_t next = dimension;
      std::fill_n(basis_.data() + next * n_, kBlock * n_, 0.0);
      std::copy_n(products_.data() + known * n_, (dimension - known) * n_, basis_.data() + next * n_);
      known = dimension;
      dimension = extend(next);
    }
    std::fill(values_.begin(), values_.end(), 0.0);
    rayleigh_ritz(known);
    rotate_into_start(known);
    found = true;
    for (int64_t k = 0; k < std::min(count, known); ++k) found = found && residual(k, known, work_.data()) <= accuracy * values_[0];
  }
  for (int64_t k = 0; k < count; ++k) fix_sign(k);
  return found;
}

}  // namespace atp
