// SPDX-License-Identifier: MIT
// Direct implementation of the pseudo-likelihood of dense couplings, float64: the reference of `ratios`.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

// Parameters and gradient: fields [L][q], then J_ij(a, b) for i < j, [q][q] each.
class DensePseudolikelihood {
 public:
  DensePseudolikelihood(int64_t sites, int64_t colors, std::vector<uint8_t> sequences);
  // The sum of -log p(s_i | rest) over sequences and sites, without penalties.
  double gradient(const std::vector<double> &parameters);
  const std::vector<double> &values() const { return gradient_; }

 private:
  int64_t sites_, colors_, count_;
  std::vector<uint8_t> sequences_;
  std::vector<double> gradient_;
};

}  // namespace reference
