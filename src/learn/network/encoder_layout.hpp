// SPDX-License-Identifier: MIT
// The shape of an encoder and the layout of its parameters. attopotts/trainer.h has the formulas.
#pragma once

#include "learn/network/network.hpp"

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

}  // namespace atp
