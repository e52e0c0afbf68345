// SPDX-License-Identifier: MIT
// The squared norm of all couplings, sum_{i != j} |sum_h A_h,ij V_h|_F^2 = sum_hk G_hk M_hk, through Gram matrices of the heads,
//   G_hk = <V_h, V_k>,  M_hk = <A_h, A_k>,
// so that no array of L^2 q^2 numbers exists. Derivatives: 2 sum_k G_hk A_k and 2 sum_k M_hk V_k. Those of the norm are these divided
// by twice the norm, or 0 where all couplings are 0.
#pragma once

#include "learn/factored/shape.hpp"
#include "base/arena.hpp"
#include "base/team.hpp"

namespace atp {

class PairPenalty {
 public:
  void lay_out(Arena &arena, int64_t heads);
  // strengths.pairs times the squared norm and strengths.norm_pairs times the norm; adds the derivatives where there is a place for them.
  // maps [heads][map_size], of zero diagonals; values [heads][value_size]. The same bits for any number of threads.
  double add(Threads threads, const Penalties &strengths, const double *maps, int64_t map_size, const double *values, int64_t value_size,
             double *map_sums, double *value_sums);

 private:
  int64_t heads_ = 0;
  Span<double> value_gram_, map_gram_;  // [heads][heads]
};

}  // namespace atp
