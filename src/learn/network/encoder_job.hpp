// SPDX-License-Identifier: MIT
// Shared by the float32 passes of an encoder: the job, and the sums of a piece of it.
#pragma once

#include "learn/network/encoder_tail.hpp"

#include <algorithm>

namespace atp {

inline constexpr int64_t kEncoderLanes = kAttentionLanes;

struct EncoderJob {
  const MaskedPairs &pairs;
  const EncoderOutput &out;
  double weight_scale;  // makes the mean weight 1
};

// Sums of a task; results are added.
struct EncoderSums {
  float *vectors;  // [elements and more][16]
  float *plain;
  double *maps;  // [blocks][L][L]
  double *loss;  // [16]
};

// Divides an array of floats into pieces that are aligned to vectors. With NULL it only measures.
class FloatPieces {
 public:
  explicit FloatPieces(float *base) : base_(base) {}
  float *take(int64_t floats) {
    float *piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (floats + kEncoderLanes - 1) / kEncoderLanes * kEncoderLanes;
    return piece;
  }
  int32_t *take_integers(int64_t n) { return reinterpret_cast<int32_t *>(take(n)); }
  EncoderTail take_tail(const EncoderShape &s, int64_t columns) {
    EncoderTail t;
    t.columns = columns;
    t.x = nullptr;
    t.c = take((s.width + 1) * columns);
    t.hat1 = take(s.width * columns);
    t.deviation1 = take(columns);
    t.y = take((s.width + 1) * columns);
    t.hidden = take((s.hidden + 1) * columns);
    t.hat2 = take(s.width * columns);
    t.deviation2 = take(columns);
    return t;
  }
  int64_t used() const { return used_; }

 private:
  float *base_;
  int64_t used_ = 0;
};

// The pairs of a piece, by columns. The remaining columns are copies of the first with weight 0.
struct EncoderColumns {
  int64_t columns = 0, count = 0;
  int32_t *tokens = nullptr, *own = nullptr, *sites = nullptr;  // [L][columns]; places of the masked colours; masked sites
  float *weights = nullptr;                                     // with mean 1

  void take(FloatPieces &pieces, const EncoderShape &s, int64_t most) {
    tokens = pieces.take_integers(s.sites * most);
    own = pieces.take_integers(most);
    sites = pieces.take_integers(most);
    weights = pieces.take(most);
  }
  void load(const EncoderShape &s, const EncoderJob &job, int64_t first, int64_t number) {
    count = number;
    columns = (count + kEncoderLanes - 1) / kEncoderLanes * kEncoderLanes;
    for (int64_t x = 0; x < columns; ++x) {
      const int64_t pair = first + (x < count ? x : 0), site = job.pairs.site(pair);
      const uint8_t *colors = job.pairs.sequence(pair);
      sites[x] = static_cast<int32_t>(site);
      weights[x] = x < count ? static_cast<float>(job.pairs.weight(pair) * job.weight_scale) : 0.0f;
      own[x] = static_cast<int32_t>(colors[site] * columns + x);
      for (int64_t j = 0; j < s.sites; ++j) tokens[j * columns + x] = colors[j];
      tokens[site * columns + x] = static_cast<int32_t>(s.colors);
    }
  }
  EncoderMasks masks() const { return {columns, own, weights}; }
};

}  // namespace atp
