// SPDX-License-Identifier: MIT
// Direct implementation of sequence weights: the reference of `ratios`.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

// 1 / (number of sequences at identity >= 1 - theta, itself included); every pair once.
std::vector<double> weights(const std::vector<uint8_t> &sequences, int64_t sites, double theta);

}  // namespace reference
