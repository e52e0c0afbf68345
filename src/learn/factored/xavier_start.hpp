// SPDX-License-Identifier: MIT
// The start of mogwai's factored attention: uniform numbers whose range follows from the shape, and fields from counts.
#pragma once

#include "learn/factored/shape.hpp"
#include "base/span.hpp"
#include "alignment/alignment.hpp"

namespace atp {

// Arrays of H matrices have the range +-sqrt(6 / (n (H + m))), with m rows and n columns; Q and K, [H][L][d], are [L][H][d] there:
// +-sqrt(6 / (d (L + H))). Fields are log(n_i(a) + 0.01 log N) minus their mean over a, with n_i(a) the weighted counts of N sequences.
// Source of the ranges: X. Glorot, Y. Bengio, AISTATS 2010, as PyTorch's xavier_uniform_ applies them to three dimensions.
void xavier_parameters(const AttentionShape &shape, uint64_t seed, const Alignment &train, Span<double> parameters);

}  // namespace atp
