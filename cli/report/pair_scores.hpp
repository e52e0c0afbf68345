// SPDX-License-Identifier: MIT
// Scores of pairs of sites: of all pairs as a matrix, or of the pairs of a list alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cli {

struct PairScores {
  int64_t sites = 0;
  std::vector<int64_t> listed;  // [n][2], i < j, in the order of i and j; empty: all pairs
  std::vector<double> values;   // [sites][sites], symmetric, or [n]
  // The score of a pair; 0 where the list has no such pair.
  double at(int64_t i, int64_t j) const;
  // Calls use(i, j, score) for i < j, in the order of i and j.
  template <class Use>
  void for_pairs(Use &&use) const {
    for (std::size_t k = 0; 2 * k < listed.size(); ++k) use(listed[2 * k], listed[2 * k + 1], values[k]);
    for (int64_t i = 0; listed.empty() && i < sites; ++i)
      for (int64_t j = i + 1; j < sites; ++j) use(i, j, values[static_cast<std::size_t>(i * sites + j)]);
  }
  // Those of a list alone, of the scores of all pairs.
  PairScores only(const std::vector<int64_t> &pairs) const;
};

// The pairs that are ranked: not those whose numbers are near each other, unless they are of two proteins.
struct PairRule {
  const int64_t *numbers;
  int64_t separation, border;  // the sites of the first of two proteins; 0: one protein
  bool keeps(int64_t i, int64_t j) const {
    const auto [low, high] = std::minmax(numbers[i], numbers[j]);
    const bool between = i < border && j >= border;
    return between || static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= static_cast<uint64_t>(separation);
  }
};

}  // namespace cli
