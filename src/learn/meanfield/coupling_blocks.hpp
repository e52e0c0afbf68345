// SPDX-License-Identifier: MIT
// Couplings - (C^-1)_ij in the zero-sum gauge, block by block, without a model.
#pragma once

#include "alignment/frequencies.hpp"
#include "learn/meanfield/inverse.hpp"

namespace atp {

class CouplingBlocks {
 public:
  CouplingBlocks(const InverseShape &shape, int64_t precision, int threads, Arena &arena)
      : q_(shape.colors),
        inverse_(shape, precision, arena),
        frequencies_(arena.take<double>(shape.sites, shape.colors)),
        work_(arena.take<double>(threads, 2, shape.colors, shape.colors)) {}
  // `bases` are those of the alignment. Allocates Inverse::work_bytes().
  void compute(Context &context, const Alignment &alignment, double pseudocount, const ColorBases &bases) {
    atp::frequencies(alignment, pseudocount, frequencies_.data());
    inverse_.compute(context, alignment, pseudocount, bases, frequencies_.data());
  }
  // [q][q].
  void coupling(int64_t i, int64_t j, int thread, double *out) const {
    double *block = work_.data() + thread * 2 * q_ * q_, *between = block + q_ * q_;
    inverse_.block(i, j, block);
    expand_block(inverse_.basis(i), inverse_.basis(j), q_, block, between, out);
    for (int64_t k = 0; k < q_ * q_; ++k) out[k] *= -static_cast<double>(q_);
  }
  const Inverse &inverse() const { return inverse_; }
  // With the pseudocount, [L][q].
  const double *frequencies() const { return frequencies_.data(); }

 private:
  int64_t q_;
  Inverse inverse_;
  Span<double> frequencies_, work_;
};

}  // namespace atp
