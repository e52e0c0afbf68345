// SPDX-License-Identifier: MIT
// One site of a spin glass above its transition, in the limit of many sites: what learning curves need of the others.
#pragma once

#include "support/learning_curve.hpp"

namespace cli {

// Couplings J_ij ~ N(0, 1/L) between sites of q colours, all q - 1 eigenvalues of the covariance K of colours being k.
struct SpinGlass {
  double teacher;   // w*_j = teacher J_ij
  double response;  // k / q
  // The inverse temperature in units of that of the transition, < 1 above it.
  double beta() const;
};

// Inputs of covariance S = 1 / (1 + b^2 - b J), b = beta(): the covariance of the other sites given the site, each of 1000 eigenvalues
// being the mean over an equal part of its distribution, and a teacher without preferred direction. `on_the_whole`: their covariance
// S + (k/q) S w* w*^T S, the site not being given.
MaskedSystem spin_glass(const Session &session, const SpinGlass &of, bool on_the_whole);

}  // namespace cli
