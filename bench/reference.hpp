// SPDX-License-Identifier: MIT
// Direct scalar float64 implementations that `ratios` compares the library with, compiled with the library's flags.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace reference {

// Gibbs sampling of p(s_i = a | rest) = softmax_a(beta sum_j J_ij U(a, s_j)), J_ii = 0.
class FactoredGibbs {
 public:
  FactoredGibbs(int64_t sites, int64_t colors, std::vector<double> couplings, std::vector<double> color_matrix, double beta, uint64_t seed);
  void sweep();
  const std::vector<uint8_t> &state() const { return state_; }

 private:
  int64_t sites_, colors_;
  std::vector<double> couplings_, color_matrix_;
  double beta_;
  std::vector<uint8_t> state_;
  std::mt19937_64 random_;
};

// The same with dense couplings C_ij(a, b), kept as [L][L][b][a] so that the inner loop runs over neighbouring numbers.
class DenseGibbs {
 public:
  DenseGibbs(int64_t sites, int64_t colors, const std::vector<double> &couplings, double beta, uint64_t seed);
  void sweep();
  const std::vector<uint8_t> &state() const { return state_; }

 private:
  int64_t sites_, colors_;
  std::vector<double> couplings_;
  double beta_;
  std::vector<uint8_t> state_;
  std::mt19937_64 random_;
};

// The standard Potts model on a list of pairs [P][2], J = 1.
class ListGibbs {
 public:
  ListGibbs(int64_t sites, int64_t colors, const std::vector<int64_t> &pairs, double beta, uint64_t seed);
  void sweep();
  const std::vector<uint8_t> &state() const { return state_; }

 private:
  int64_t colors_;
  std::vector<std::vector<int64_t>> neighbors_;
  double beta_;
  std::vector<uint8_t> state_;
  std::mt19937_64 random_;
};

}  // namespace reference
