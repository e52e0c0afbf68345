// SPDX-License-Identifier: MIT
#include "report/pair_scores.hpp"

#include <algorithm>
#include <utility>

namespace cli {

double PairScores::at(int64_t i, int64_t j) const {
  if (listed.empty()) return values[static_cast<std::size_t>(i * sites + j)];
  const auto [low, high] = std::minmax(i, j);
  std::size_t first = 0, last = values.size();  // of the places where the pair may be
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const int64_t a = listed[2 * middle], b = listed[2 * middle + 1];
    if (a < low || (a == low && b < high))
      first = middle + 1;
    else
      last = middle;
  }
  return first < values.size() && listed[2 * first] == low && listed[2 * first + 1] == high ? values[first] : 0;
}

PairScores PairScores::only(const std::vector<int64_t> &pairs) const {
  PairScores chosen{sites, pairs, {}};
  for (std::size_t k = 0; k < pairs.size(); k += 2) chosen.values.push_back(at(pairs[k], pairs[k + 1]));
  return chosen;
}

}  // namespace cli
