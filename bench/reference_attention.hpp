// SPDX-License-Identifier: MIT
// Direct implementation of factored attention, float64, one head: the reference of `ratios`.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

// The loss (nats per site, all sites of all sequences) of logits_i(a) = sum_{j != i} A_ij V(a, s_j), and its gradient with respect to A and
// V.
class Attention {
 public:
  Attention(int64_t sites, int64_t colors, std::vector<uint8_t> sequences);
  double gradient(const std::vector<double> &maps, const std::vector<double> &values);
  const std::vector<double> &map_gradient() const { return map_gradient_; }
  const std::vector<double> &value_gradient() const { return value_gradient_; }

 private:
  int64_t sites_, colors_, count_;
  std::vector<uint8_t> sequences_;
  std::vector<double> map_gradient_, value_gradient_;
};

}  // namespace reference
