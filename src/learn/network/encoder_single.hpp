// SPDX-License-Identifier: MIT
// Forward and backward pass of pairs through an encoder of one block, with the tables of encoder_tables.hpp.
// Each pair is a column.
#pragma once

#include "learn/network/encoder_tables.hpp"

namespace atp {

class EncoderSingle {
 public:
  static constexpr int64_t kPairs = 64;

  EncoderSingle(const EncoderShape &s, const EncoderTables &tables) : shape_(s), tables_(tables) {}
  // Takes its work space from `base`. Returns the number of floats taken.
  int64_t take(float *base);
  void start() {}
  void run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums);

 private:
  void forward(const EncoderTools &tools);
  void backward(const EncoderTools &tools, const EncoderSums &sums);

  EncoderShape shape_;
  const EncoderTables &tables_;
  EncoderColumns columns_;
  EncoderTail tail_{};
  float *x_ = nullptr;      // [d][columns], at the masked sites
  float *mixed_ = nullptr;  // [rows of the tables][columns]: acc, then A
  float *output_ = nullptr, *logits_ = nullptr;
  float *slopes_ = nullptr;  // [d][columns]
  EncoderTailSlopes tail_slopes_{};
  float *dmixed_ = nullptr;  // [columns of the tables][columns]
};

}  // namespace atp
