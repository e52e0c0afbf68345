// SPDX-License-Identifier: MIT
// Couplings - (C^-1)_ij in the zero-sum gauge, block by block, without a model.
#pragma once

#include "data/frequencies.hpp"
#include "meanfield/basis.hpp"
#include "meanfield/inverse.hpp"

namespace atp {

class CouplingBlocks {
 public:
  CouplingBlocks(const InverseShape &shape, int64_t precision, int threads, Arena &arena)
      : basis_(shape.colors),
        inverse_(shape, precision, arena),
        frequencies_(arena.take<double>(shape.sites, shape.colors)),
        work_(arena.take<double>(threads, 2, shape.colors, shape.colors)) {}
  // Allocates Inverse::work_bytes().
  void compute(Context &context, const Alignment &alignment, double pseudocount) {
    atp::frequencies(alignment, pseudocount, frequencies_.data());
    inverse_.compute(context, alignment, pseudocount, frequencies_.data());
  }
  // [q][q].
  void coupling(int64_t i, int64_t j, int thread, double *out) const {
    const int64_t q = basis_.colors();
    double *block = work_.data() + thread * 2 * q * q, *between = block + q * q;
    inverse_.block(i, j, block);
    basis_.expand_block(block, between, out);
    for (int64_t k = 0; k < q * q; ++k) out[k] *= -static_cast<double>(q);
  }
  const Inverse &inverse() const { return inverse_; }
  const ColorBasis &basis() const { return basis_; }
  // With the pseudocount, [L][q].
  const double *frequencies() const { return frequencies_.data(); }

 private:
  ColorBasis basis_;
  Inverse inverse_;
  Span<double> frequencies_, work_;
};

}  // namespace atp
