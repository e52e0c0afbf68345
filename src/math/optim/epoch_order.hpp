// SPDX-License-Identifier: MIT
// The random choices of an epoch, as functions of seed and epoch alone.
#pragma once

#include "base/span.hpp"

namespace atp {

// A permutation of 0..n-1.
void shuffle(uint64_t seed, uint64_t epoch, Span<int64_t> order);
// One site of 0..sites-1 for each sequence.
void draw_masks(uint64_t seed, uint64_t epoch, int64_t sites, Span<int64_t> masks);
// Each site of a sequence with this probability: 1 if it is masked, else 0.
void draw_mask(uint64_t seed, uint64_t epoch, int64_t sequence, double probability, Span<uint8_t> masked);

}  // namespace atp
