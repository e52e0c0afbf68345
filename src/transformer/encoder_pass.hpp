// SPDX-License-Identifier: MIT
// The interface of a pass of masked sequences through an encoder, in either precision.
//
// The last block and the output layer are computed only at the masked site: one query there, all sites in
// earlier blocks. Pairs are divided into pieces of consecutive pairs, depending only on their number. Sums of
// the pieces are added in order.
#pragma once

#include "transformer/encoder_layout.hpp"

namespace atp {

// Results of a pass besides the loss, overwritten. NULL: not computed.
struct EncoderOutput {
  double *gradient = nullptr;      // [parameters], of the mean loss
  double *conditionals = nullptr;  // [pairs][q]
  double *maps = nullptr;          // [blocks][L][L], weighted mean over the sequences
};

}  // namespace atp
