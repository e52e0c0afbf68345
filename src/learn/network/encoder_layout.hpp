// SPDX-License-Identifier: MIT
// The shape of an encoder, the layout of its parameters, and what its passes have in common, in either precision. attopotts/trainer.h has
// the formulas.
//
// The last block and the output layer are computed only at the masked site: one query there, all sites in earlier blocks. Pairs are divided
// into pieces of consecutive pairs, depending only on their number. Sums of the pieces are added in order.
#pragma once

#include "learn/objective.hpp"

namespace atp {

struct EncoderShape {
  int64_t sites = 0, colors = 0, width = 0, hidden = 0, blocks = 0;
  bool positions = true;
};

inline constexpr double kNormEpsilon = 1e-5;  // added to the variance

// Offsets of the parts of a block.
struct EncoderBlock {
  int64_t qkv, qkv_bias, out, out_bias, norm1_scale, norm1_shift, hidden, hidden_bias, hidden_out, hidden_out_bias, norm2_scale,
      norm2_shift;
};

class EncoderLayout {
 public:
  static constexpr int64_t kBlockParts = 12;

  explicit EncoderLayout(const EncoderShape &s) : shape_(s) {}
  int64_t tokens() const { return 0; }
  EncoderBlock block(int64_t b) const;
  int64_t output() const { return first_block() + shape_.blocks * block_size(); }
  int64_t output_bias() const { return output() + shape_.colors * shape_.width; }
  int64_t size() const { return output_bias() + shape_.colors; }
  int64_t part_count() const { return 1 + shape_.blocks * kBlockParts + 2; }
  Part part(int64_t index) const;

 private:
  int64_t first_block() const { return (shape_.colors + 1) * shape_.width; }
  int64_t block_size() const {
    const int64_t d = shape_.width, h = shape_.hidden;
    return 4 * d * d + 2 * d * h + 9 * d + h;
  }
  EncoderShape shape_;
};

// P_j of the sinusoidal positions, element c.
double sinusoidal_position(int64_t site, int64_t c, int64_t width);

// Results of a pass besides the loss, overwritten. NULL: not computed.
struct EncoderOutput {
  double *gradient = nullptr;      // [parameters], of the mean loss
  double *conditionals = nullptr;  // [pairs][q]
  double *maps = nullptr;          // [blocks][L][L], weighted mean over the sequences

  // What several ranks may share: a task has one set of sums.
  bool sums_alone() const { return conditionals == nullptr && maps == nullptr; }
};

// The multiply-adds of a pair, roughly; with tables those of EncoderTables.
inline double encoder_operations(const EncoderShape &s, bool tables, bool gradient) {
  const int64_t L = s.sites, d = s.width, h = s.hidden, q = s.colors;
  const int64_t site = 4 * d * d + 2 * d * h + 2 * L * d, keys = s.blocks == 1 && tables ? (q + 1 + L) * d : 2 * L * d * d;
  return (gradient ? 3 : 1) * static_cast<double>((s.blocks - 1) * L * site + keys + site + q * d);
}

}  // namespace atp
