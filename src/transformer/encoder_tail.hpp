// SPDX-License-Identifier: MIT
// What follows the attention of a block, forward and back, on any number of columns; and the output layer with the loss.
#pragma once

#include "simd/columns.hpp"
#include "transformer/encoder_pass.hpp"
#include "transformer/encoder_weights.hpp"

namespace atp {

// What a pass calls.
struct EncoderTools {
  const AttentionKernels &products;
  const EncoderKernels &kernels;
  const ColumnKernels &columns;
  const EncoderWeights &weights;
};

// Matrices [elements][columns]; c, y and hidden have a row of ones at their end, for the biases.
struct EncoderTail {
  int64_t columns;
  const float *x;  // what the attention is added to
  float *c, *hat1, *deviation1, *y, *hidden, *hat2, *deviation2;
};

// Work space of the way back: [d], [hidden] and [d] times columns.
struct EncoderTailSlopes {
  float *sum;  // after tail_backward(): slopes of x + W_o c + b_o
  float *hidden;
  float *c;  // slopes of c
};

// The masked columns of a group or of several.
struct EncoderMasks {
  int64_t columns;
  const int32_t *own;    // places of the masked colours among the logits, color * columns + column
  const float *weights;  // [columns]
};

void tail_set_ones(const EncoderShape &shape, const EncoderTail &tail);
// out [d][columns]: what the block gives.
void tail_forward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, float *out);
// slopes of what the block gives, [d][columns]; they become those of the second sum. sums: derivatives of the matrices by lanes.
void tail_backward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, float *slopes, const EncoderMatrices<float> &sums,
                   const EncoderTailSlopes &to);

// out [d + 1][columns] with a row of ones -> logits [q][columns], relative to the last colour, whose row is 0.
void output_forward(const EncoderTools &tools, int64_t columns, const float *out, float *logits);
// The conditionals of columns 0..count-1, [count][q].
void output_conditionals(const EncoderShape &shape, int64_t columns, int64_t count, const float *logits, double *conditionals);
// loss [16] += by lanes; logits become their slopes, and slopes [d][columns] those of out. sums: of the output layer; NULL: loss alone.
void output_backward(const EncoderTools &tools, const EncoderMasks &masks, const float *out, float *logits, float *slopes, float *sums,
                     double *loss);

}  // namespace atp
