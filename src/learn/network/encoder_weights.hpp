// SPDX-License-Identifier: MIT
// The parameters of an encoder in the layout of the float32 kernels, and the conversion of derivative sums back
// to the order of the parameters. Queries are divided by sqrt(d) here, so scores need not be.
#pragma once

#include "simd/encoder.hpp"
#include "learn/network/encoder_layout.hpp"

namespace atp {

// The matrices of a block, [inputs + 1][outputs], with the bias as the last row; norms have scale and shift.
// The sums of their derivatives have the same order, with several floats for each element.
template <class T>
struct EncoderMatrices {
  T *query, *key_value, *out, *hidden, *hidden_out, *norm1, *norm2;
};

// The transposed matrices, [outputs][inputs]. Queries, keys and values follow each other.
struct EncoderTransposed {
  const float *qkv, *out, *hidden, *hidden_out;
};

class EncoderWeights {
 public:
  explicit EncoderWeights(const EncoderShape &s) : shape(s), layout_(s) {}
  void lay_out(Arena &arena);
  void pack(const double *parameters);

  // The number of elements of the matrices of one block, and of all blocks and the output layer, rounded up to
  // a multiple of 4. In sums the tokens follow, [d][q + 1].
  int64_t block_elements() const;
  int64_t elements() const { return (shape.blocks * block_elements() + (shape.width + 1) * (shape.colors - 1) + 3) / 4 * 4; }
  int64_t token_stride() const { return shape.colors + 1; }
  int64_t tokens() const { return shape.width * token_stride(); }
  template <class T>
  EncoderMatrices<T> matrices(T *base, int64_t block, int64_t stride) const;
  // Of the output layer, [d + 1][q - 1]: logits are relative to that of the last colour.
  template <class T>
  T *output(T *base, int64_t stride) const {
    return base + shape.blocks * block_elements() * stride;
  }

  EncoderMatrices<const float> block(int64_t b) const { return matrices<const float>(forward_.data(), b, 1); }
  const float *output() const { return output<const float>(forward_.data(), 1); }
  EncoderTransposed transposed(int64_t b) const;
  const float *output_transposed() const { return transposed_.data() + shape.blocks * transposed_elements(); }  // [q - 1][d]
  const float *table() const { return table_.data(); }                                                          // tokens, [d][q + 1]
  const float *positions() const { return positions_.data(); }                                                  // [d][L]

  void unpack(const double *sums, double *gradient) const;

  EncoderShape shape;

 private:
  double score_scale() const;  // 1 / sqrt(d), applied to the queries here
  int64_t transposed_elements() const { return 4 * shape.width * shape.width + 2 * shape.width * shape.hidden; }

  EncoderLayout layout_;
  Span<float> forward_, transposed_, table_, positions_;
};

template <class T>
EncoderMatrices<T> EncoderWeights::matrices(T *base, int64_t block, int64_t stride) const {
  const int64_t d = shape.width, h = shape.hidden;
  EncoderMatrices<T> m;
  m.query = base + block * block_elements() * stride;
  m.key_value = m.query + (d + 1) * d * stride;
  m.out = m.key_value + (d + 1) * 2 * d * stride;
  m.hidden = m.out + (d + 1) * d * stride;
  m.hidden_out = m.hidden + (d + 1) * h * stride;
  m.norm1 = m.hidden_out + (h + 1) * d * stride;
  m.norm2 = m.norm1 + 2 * d * stride;
  return m;
}

}  // namespace atp
