// SPDX-License-Identifier: MIT
// What a pass of masked sequences through an encoder is asked for, in either precision.
//
// The last block and the output layer are needed at the masked site alone: one query there, all sites before. Pairs are cut into pieces of
// consecutive pairs, by their number alone; sums of the pieces are added in their order.
#pragma once

#include "transformer/encoder_layout.hpp"

namespace atp {

// What a pass gives beside the loss; NULL: not wanted. Overwritten.
struct EncoderOutput {
  double *gradient = nullptr;      // [parameters], of the mean loss
  double *conditionals = nullptr;  // [pairs][q]
  double *maps = nullptr;          // [blocks][L][L], weighted mean over the sequences
};

}  // namespace atp
