// SPDX-License-Identifier: MIT
// The inverse of the covariances of colours with a pseudocount, in the coordinates sqrt(q) B of basis.hpp:
//     C = c 1 + Z^T Z,  Z [N + 1][n],  n = sum_i min(q_i, q - 1), q_i colours occur at site i,
// where c is the pseudocount, row n of Z is sqrt((1 - c) w_n / sum w) (y_n - m), the last is sqrt((1 - c) c) m, and m is the mean of the
// coordinates y. All eigenvalues are at least c. Orthogonal to these coordinates C is c, whatever the other sites are. Derivation:
// docs/theory.md.
//
// Where sequences are few, C^-1 = (1 - Z^T (c 1 + Z Z^T)^-1 Z) / c is quicker than factors of C; see by_sequences().
#pragma once

#include "base/arena.hpp"
#include "base/team.hpp"
#include "alignment/alignment.hpp"
#include "learn/meanfield/basis.hpp"

namespace atp {

struct InverseShape {
  int64_t count = 0, sites = 0, colors = 0;
  int64_t found = -1;  // n; -1: as if all colours occur at all sites
  int64_t largest_order() const { return sites * (colors - 1); }
  int64_t order() const { return found < 0 ? largest_order() : found; }
  // The operations are n^3 from C, and 2 N^2 n + N^3 / 3 + N n^2 from the sequences. With the largest order, so that the memory for
  // fewer colours is not more.
  bool by_sequences() const { return 2 * (count + 1) <= largest_order(); }
};

InverseShape shape_of(const Alignment &x, const ColorBases &bases);

// Throws ATP_E_TOO_LARGE if LAPACK cannot count the order.
void check_order(const InverseShape &shape);

// The blocks (C^-1)_ij [d_i][d_j] of an inverse, d_i coordinates at site i. Has the upper triangle of a matrix of either precision.
class Inverse {
 public:
  // `precision` 32 or 64; takes the matrix, of precision / 8 * order()^2 bytes, from an arena.
  Inverse(const InverseShape &inverse_shape, int64_t precision, Arena &arena);
  // Fills the matrix. `bases` are those of the alignment, `frequencies` [L][q] have the pseudocount. Allocates work space. Throws
  // ATP_E_VALUE if rounding leaves a matrix that is not positive definite.
  void compute(Context &context, const Alignment &alignment, double pseudocount, const ColorBases &bases, const double *frequencies);
  void block(int64_t i, int64_t j, double *out) const;
  ColorBasis basis(int64_t i) const { return bases_.at(i); }
  // What compute() allocates, in bytes.
  static std::size_t work_bytes(const InverseShape &shape, int64_t precision, int threads);

 private:
  InverseShape shape_;
  ColorBases bases_;
  Span<float> single_;  // one of the two
  Span<double> double_;
};

}  // namespace atp
