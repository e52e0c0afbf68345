// SPDX-License-Identifier: MIT
// The largest eigenvalues of a symmetric matrix without negative ones, of which only products with vectors are known.
#pragma once

#include "base/arena.hpp"

#include <cstdint>

namespace atp {

// y = A x for vectors x [count][size] and y [count][size].
struct SymmetricProduct {
  void (*apply)(void *user, const double *x, int64_t count, double *y);
  void *user;
};

// Block Lanczos with complete orthogonalisation, started again from the best vectors of the last subspace. Sources: G. H. Golub,
// C. F. Van Loan, Matrix Computations (2013), section 10.3.6 (blocks) and 10.5 (restarts). No LAPACK: the bits are those of any build.
class LeadingEigen {
 public:
  static constexpr int64_t kBlock = 4;  // vectors in a product; as many eigenvalues or fewer can be found

  // n: the order of the matrix.
  LeadingEigen(Arena &arena, int64_t n);
  // The vectors from which the search starts, [kBlock][n]: set by randomise(), or what the last search left.
  void randomise();
  // Finds `count` eigenvalues, falling, until |A v - value v| <= accuracy * (the largest eigenvalue); 0 and vectors of 0 where the rank is
  // smaller. Returns whether the accuracy was reached.
  bool find(const SymmetricProduct &product, int64_t count, double accuracy);
  double value(int64_t k) const { return values_[k]; }
  // Unit vectors; the component of the largest size, the first if several are equal, is positive.
  const double *vector(int64_t k) const { return start_.data() + k * n_; }

 private:
  int64_t extend(int64_t first);
  void rotate_into_start(int64_t dimension);
  void rayleigh_ritz(int64_t dimension);
  double residual(int64_t k, int64_t dimension, double *work) const;
  void fix_sign(int64_t k);

  int64_t n_, most_;               // largest dimension of the subspace
  Span<double> basis_, products_;  // [most_][n]
  Span<double> start_;             // [kBlock][n]
  Span<double> small_, rotation_, values_, work_;
};

}  // namespace atp
