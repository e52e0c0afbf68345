// SPDX-License-Identifier: MIT
// Attention maps A_h from their parameters, in float64, and the way back of a gradient. [R24 eq. 3]
//
//   free     A_ij = x_ij
//   softmax  A_ij = exp(x_ij) / sum_k exp(x_ik), k != i or, with ATP_DIAGONAL_AFTER, all k
//   lowrank  the same with x_ij = Q_i . K_j / sqrt(d), or without the root
//
// and A_ii = 0. Rows are independent of each other, so that threads do not matter.
#pragma once

#include "learn/factored/shape.hpp"
#include "base/arena.hpp"
#include "base/team.hpp"

namespace atp {

class AttentionMaps {
 public:
  explicit AttentionMaps(const AttentionShape &shape) : shape_(shape) {}
  void lay_out(Arena &arena);
  // [H][L][L]. Keeps what the softmax gave the diagonals.
  void make(Threads threads, const double *parameters, double *maps);
  // From the derivative with respect to the maps that make() has made; `sums` becomes that with respect to the scores.
  void pull_back(Threads threads, const double *parameters, const double *maps, double *sums, double *gradient) const;

 private:
  double score_scale() const;

  AttentionShape shape_;
  Span<double> diagonal_;    // [H][L], where it takes part
  Span<double> transposed_;  // K of one head, [d][L], lowrank maps only
};

}  // namespace atp
