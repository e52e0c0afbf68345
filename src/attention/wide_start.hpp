// SPDX-License-Identifier: MIT
// Initial parameters by way of more heads than the model will have.
//
// The loss of few heads has local minima where the data are frozen: a colour or a site settles on the wrong side and stays there. With more
// heads than needed there is a way down from almost everywhere. So: a while of L-BFGS with many heads, then the closest couplings that the
// trainer's own heads can express, the truncated singular value decomposition of sum_h A_h,ij V_h(a, b) between pairs of sites and pairs of
// colours.
#pragma once

#include "attention/objective.hpp"
#include "optim/lbfgs.hpp"

namespace atp {

// N(0, scale^2) for maps (0 on their diagonal) and V, 0 for fields.
void random_parameters(const AttentionShape &shape, uint64_t seed, double scale, Span<double> parameters);

// out[k] = the k-th of `narrow` terms of the best approximation of sum_h maps_h x values_h, both factors of the norm sqrt(sigma_k).
// Gram matrices and vectors of size wide are scratch: reduce_scratch(wide) elements.
constexpr int64_t reduce_scratch(int64_t wide) { return wide * (3 * wide + 2); }
void reduce_heads(int64_t wide, int64_t narrow, Span<const double> maps, Span<const double> values, Span<double> out_maps,
                  Span<double> out_values, Span<double> scratch);

// The work space and the run of a start.
class WideStart {
 public:
  WideStart(Context *owner, const AttentionShape &narrow, int64_t heads, const Penalties &penalties, int precision, int64_t history,
            double tolerance, double resolution);
  void lay_out(Arena &arena);
  void init(uint64_t seed, double scale);
  Descent iterate(const MaskedData &data, bool *moved);
  // Parameters of the narrow shape; changes the wide ones to another gauge.
  void reduce(Span<double> parameters);

  double loss() const { return loss_; }
  double value() const { return lbfgs_.value(); }
  double step() const { return lbfgs_.step(); }
  Span<const double> gradient() const { return lbfgs_.gradient(); }

  Context *context;
  std::size_t block_bytes = 0;

 private:
  AttentionShape narrow_, wide_;
  Objective objective_;
  Lbfgs lbfgs_;
  double loss_ = 0;
  Span<double> parameters_, scratch_;
};

}  // namespace atp
