// SPDX-License-Identifier: MIT
#include "reference_weights.hpp"

namespace reference {

std::vector<double> weights(const std::vector<uint8_t> &sequences, int64_t sites, double theta) {
  const int64_t n = static_cast<int64_t>(sequences.size()) / sites;
  std::vector<int> count(static_cast<std::size_t>(n), 1);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t m = k + 1; m < n; ++m) {
      int same = 0;
      for (int64_t i = 0; i < sites; ++i)
        same += sequences[static_cast<std::size_t>(k * sites + i)] == sequences[static_cast<std::size_t>(m * sites + i)];
      if (same >= (1 - theta) * static_cast<double>(sites)) {
        ++count[static_cast<std::size_t>(k)];
        ++count[static_cast<std::size_t>(m)];
      }
    }
  std::vector<double> w;
  for (int c : count) w.push_back(1.0 / c);
  return w;
}

}  // namespace reference
