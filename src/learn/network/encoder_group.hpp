// SPDX-License-Identifier: MIT
// Forward and backward pass of sixteen pairs through an encoder of any number of blocks. Matrices are
// [elements][sites][16]; products with weights see them as [elements][columns] with 16 columns per site.
#pragma once

#include "learn/network/encoder_job.hpp"

#include <array>

namespace atp {

class EncoderGroup {
 public:
  static constexpr int64_t kPairs = kEncoderLanes;

  explicit EncoderGroup(const EncoderShape &s) : shape_(s) {}
  // Takes its work space from `base`. Returns the number of floats taken.
  int64_t take(float *base);
  void start();
  void run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums);

 private:
  static constexpr int64_t kMostBlocks = 16;
  // Results of a block's forward pass. All sites are queries, except in the last block: there only the masked
  // one is.
  struct Block {
    int64_t queries;
    float *x, *query, *key_value, *a;
    EncoderTail tail;
  };

  void forward(const EncoderTools &tools, int64_t b);
  void backward(const EncoderTools &tools, int64_t b, const EncoderSums &sums);
  void add_maps(const EncoderJob &job, int64_t first, double *maps) const;
  int64_t all() const { return shape_.sites * kEncoderLanes; }

  EncoderShape shape_;
  std::array<Block, kMostBlocks> blocks_{};
  EncoderColumns columns_;
  float *masked_ = nullptr;  // x of the last block at the masked sites, [d + 1][16]
  float *output_ = nullptr, *logits_ = nullptr;
  float *slopes_ = nullptr;  // [d][columns]
  EncoderTailSlopes tail_slopes_{};
  float *da_ = nullptr, *dqkv_ = nullptr;  // [L][columns], [3 d][columns]
};

}  // namespace atp
