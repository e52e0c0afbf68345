// SPDX-License-Identifier: MIT
// An encoder with float32 kernels and float64 sums.
//
// A group is sixteen pairs, one in each lane of a logical vector (simd/encoder.hpp): matrices are [elements][sites][16]. Products with
// weights see them as [elements][columns] with 16 columns per site; a row of ones at the end of what is multiplied brings the biases in,
// and their derivatives out. A task is a run of groups. Sums of derivatives are float32, by lanes, within kChunk groups, then float64. How
// the work is cut depends on the number of pairs alone.
#pragma once

#include "simd/encoder.hpp"
#include "transformer/encoder_pass.hpp"

namespace atp {

class EncoderPassF32 {
 public:
  EncoderPassF32(const EncoderShape &s, Target target) : shape_(s), layout_(s), target_(target) {}
  void lay_out(Arena &arena);
  // As EncoderPassF64::run().
  double run(int threads, Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out);

 private:
  static constexpr int64_t kLanes = kAttentionLanes;
  static constexpr int64_t kTasks = 8;   // at most
  static constexpr int64_t kGroups = 4;  // in a task where there are several
  static constexpr int64_t kChunk = 64;  // groups per float32 sum

  // The matrices of a block: `forward` [inputs + 1][outputs], the bias as the last row. With kLanes floats for each element this is also
  // the order of the sums of their derivatives.
  template <class T>
  struct Matrices {
    T *query, *key_value, *out, *hidden, *hidden_out;
    T *norm1, *norm2;  // scale, shift
  };
  struct Block;
  struct Work;
  struct Call;

  int64_t block_elements() const;  // of Matrices
  int64_t output_elements() const { return (shape_.width + 1) * (shape_.colors - 1); }
  int64_t elements() const { return (shape_.blocks * block_elements() + output_elements() + 3) / 4 * 4; }
  int64_t token_stride() const { return shape_.colors + 1; }
  template <class T>
  Matrices<T> matrices(T *base, int64_t block, int64_t stride) const;
  // Cuts what a task works with out of an array; gives the floats that it takes.
  int64_t carve(float *base, Work &w, Span<Block> blocks) const;
  Work work(int64_t task) const;
  void pack(const double *parameters);
  void unpack(int64_t tasks, double factor, double *gradient);

  void run_task(const Call &call, Work w, int64_t first, int64_t last) const;
  // A group; encoder_group_f32.cpp.
  void load_group(const Call &call, Work &w, int64_t first, int64_t count) const;
  void forward(const Call &call, const Work &w, int64_t b) const;
  void output(const Call &call, const Work &w, int64_t first, int64_t count) const;
  void backward(const Call &call, const Work &w, int64_t b) const;
  void add_tokens(const Work &w) const;
  void add_maps(const Work &w, int64_t b, int64_t count) const;
  void flush(const Call &call, const Work &w) const;

  EncoderShape shape_;
  EncoderLayout layout_;
  Target target_;

  Span<float> weights_;    // Matrices of all blocks, then the output layer, relative to the last colour
  Span<float> backward_;   // the matrices as parameters have them, [outputs][inputs]: qkv, out, hidden, hidden_out; then the output layer
  Span<float> table_;      // [d][q + 1] tokens
  Span<float> positions_;  // [d][L]
  Span<float> floats_;     // [tasks]
  Span<Block> blocks_;     // [tasks][blocks]
  Span<double> totals_;    // [tasks][elements and tokens]
  Span<double> maps_;      // [tasks][blocks][L][L]
  Span<double> losses_;    // [tasks][16]
};

// What a forward pass leaves of a block. Matrices that are multiplied have a row of ones at the end: x, c, y, hidden.
struct EncoderPassF32::Block {
  int64_t queries, columns;  // sites that are queries, and their columns
  float *x, *query, *key_value, *a, *c, *hat1, *deviation1, *y, *hidden, *hat2, *deviation2;
  float *masked;  // last block: x of the masked sites
};

// The work space of a task, and what it has loaded of a group.
struct EncoderPassF32::Work {
  Span<Block> blocks;
  float *output, *logits;              // [d + 1][16], [q][16]
  float *slopes, *more, *hidden, *dc;  // backward: [d][columns], [d][columns], [hidden][columns], [d][columns]
  float *da, *dqkv;                    // [L][columns], [3 d][columns]
  float *sums, *token_sums;            // [elements][16], [d][q + 1]
  float *weights;                      // [16], with mean 1
  double given_weights[kAttentionLanes];
  int64_t sites[kAttentionLanes];  // masked
  int32_t *own;                    // [16], places of the masked colours among the logits
  int32_t *tokens;                 // [L][16]
  double *totals, *maps, *loss;
};

struct EncoderPassF32::Call {
  const AttentionKernels &products;
  const EncoderKernels &kernels;
  const MaskedPairs &pairs;
  const EncoderOutput &out;
  float score_scale;    // 1 / sqrt(d)
  double weight_scale;  // makes the mean weight 1
};

template <class T>
EncoderPassF32::Matrices<T> EncoderPassF32::matrices(T *base, int64_t block, int64_t stride) const {
  const int64_t d = shape_.width, h = shape_.hidden;
  Matrices<T> m;
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
