// SPDX-License-Identifier: MIT
// The interface of a pass of masked sequences through an encoder, in either precision.
//
// The last block and the output layer are computed only at the masked site: one query there, all sites in
// earlier blocks. Pairs are divided into pieces of consecutive pairs, depending only on their number. Sums of
// the pieces are added in order.
#pragma once

#include "learn/network/encoder_layout.hpp"

namespace atp {

// Results of a pass besides the loss, overwritten. NULL: not computed.
struct EncoderOutput {
  double *gradient = nullptr;      // [parameters], of the mean loss
  double *conditionals = nullptr;  // [pairs][q]
  double *maps = nullptr;          // [blocks][L][L], weighted mean over the sequences

  // What several ranks may share: a task has one set of sums.
  bool sums_alone() const { return conditionals == nullptr && maps == nullptr; }
};

// The multiply-adds of a pair, roughly; with tables those of encoder_tables.hpp.
inline double encoder_operations(const EncoderShape &s, bool tables, bool gradient) {
  const int64_t L = s.sites, d = s.width, h = s.hidden, q = s.colors;
  const int64_t site = 4 * d * d + 2 * d * h + 2 * L * d, keys = s.blocks == 1 && tables ? (q + 1 + L) * d : 2 * L * d * d;
  return (gradient ? 3 : 1) * static_cast<double>((s.blocks - 1) * L * site + keys + site + q * d);
}

}  // namespace atp
