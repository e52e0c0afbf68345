// SPDX-License-Identifier: MIT
// The part of a block after the attention, forward and backward, for any number of columns; and the output
// layer with the loss.
#pragma once

#include "simd/columns.hpp"
#include "learn/network/encoder_pass.hpp"
#include "learn/network/encoder_weights.hpp"

namespace atp {

// Kernels and parameters that a pass uses.
struct EncoderTools {
  const AttentionKernels &products;
  const EncoderKernels &kernels;
  const ColumnKernels &columns;
  const EncoderWeights &weights;
};

// Matrices [elements][columns]. c, y and hidden end with a row of ones, for the biases.
struct EncoderTail {
  int64_t columns;
  const float *x;  // the input that the attention is added to
  float *c, *hat1, *deviation1, *y, *hidden, *hat2, *deviation2;
};

// Work space of the backward pass: [d], [hidden] and [d] times columns.
struct EncoderTailSlopes {
  float *sum;  // after tail_backward(): slopes of x + W_o c + b_o
  float *hidden;
  float *c;  // slopes of c
};

// The masked columns of one or several groups.
struct EncoderMasks {
  int64_t columns;
  const int32_t *own;    // places of the masked colours among the logits, color * columns + column
  const float *weights;  // [columns]
};

void tail_set_ones(const EncoderShape &shape, const EncoderTail &tail);
// out [d][columns]: the output of the block.
void tail_forward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, float *out);
// On entry slopes [d][columns] are with respect to the block's output, on return with respect to the second
// sum. sums: derivatives of the matrices by lanes.
void tail_backward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, float *slopes, const EncoderMatrices<float> &sums,
                   const EncoderTailSlopes &to);

// out [d + 1][columns] with a row of ones -> logits [q][columns], relative to the last colour, whose row is 0.
void output_forward(const EncoderTools &tools, int64_t columns, const float *out, float *logits);
// The conditionals of columns 0..count-1, [count][q].
void output_conditionals(const EncoderShape &shape, int64_t columns, int64_t count, const float *logits, double *conditionals);
// Adds to loss [16], by lanes. logits become their slopes, slopes [d][columns] those of out. sums: of the
// output layer; NULL: only the loss.
void output_backward(const EncoderTools &tools, const EncoderMasks &masks, const float *out, float *logits, float *slopes, float *sums,
                     double *loss);

}  // namespace atp
