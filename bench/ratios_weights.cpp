// SPDX-License-Identifier: MIT
// Weights of sequences: pairs per second at theta = 0.2, through the public API.
#include "ratios.hpp"
#include "reference_weights.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace ratios {

namespace {

// A family as evolution makes one: a binary tree of 16 generations from one root, columns that change at rates of their own (gamma
// distributed, shape 0.7, as in proteins), substitutions among 20 colours and gaps in runs of a tenth of the sequences' columns. Branches
// are such that two sequences of different halves of the tree agree in about a third of the columns and the nearest in nine tenths.
std::vector<uint8_t> family(int64_t n, int64_t sites) {
  std::mt19937_64 random(1);
  std::gamma_distribution<double> gamma(0.7, 1 / 0.7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::uniform_int_distribution<int> residue(1, 20);
  std::vector<double> rates(static_cast<std::size_t>(sites));
  for (double &r : rates) r = gamma(random);
  std::vector<uint8_t> level(static_cast<std::size_t>(sites));
  for (uint8_t &s : level) s = static_cast<uint8_t>(residue(random));
  for (int64_t count = 1; count < n;) {
    const int64_t next = std::min(n, 2 * count);
    std::vector<uint8_t> children(static_cast<std::size_t>(next * sites));
    for (int64_t k = 0; k < next; ++k)
      for (int64_t i = 0; i < sites; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        const bool change = uniform(random) > std::exp(-0.09 * rates[at]);
        children[static_cast<std::size_t>(k * sites) + at] =
            change ? static_cast<uint8_t>(residue(random)) : level[static_cast<std::size_t>(k / 2 * sites) + at];
      }
    level.swap(children);
    count = next;
  }
  for (int64_t k = 0; k < n; ++k) {
    const int64_t begin = static_cast<int64_t>(uniform(random) * static_cast<double>(sites)), length = sites / 10;
    for (int64_t i = begin; i < std::min(sites, begin + length); ++i) level[static_cast<std::size_t>(k * sites + i)] = 0;
  }
  return level;
}

class Weights : public Case {
 public:
  Weights(atp_context *context, int64_t n, int64_t sites) : n_(n), sites_(sites), data_(family(n, sites)) {
    check(atp_alignment_create(context, data_.data(), n, sites, 21, nullptr, &alignment_));
    if (!compares) return;
    ours();
    reference();
    const double *w = atp_alignment_weights_view(alignment_);
    double alone = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (w[k] != weights_[static_cast<std::size_t>(k)]) throw std::runtime_error("weights: the library and the reference differ");
      alone += w[k] == 1 ? 1 : 0;
    }
    if (alone == 0 || alone == static_cast<double>(n)) throw std::runtime_error("weights: all sequences are alike");
  }
  ~Weights() override { atp_alignment_destroy(alignment_); }
  double ours() override {
    check(atp_alignment_weigh(alignment_, 0.2, ATP_WEIGHTS_INCLUSIVE, nullptr, nullptr, nullptr));
    return pairs();
  }
  double reference() override {
    weights_ = reference::weights(data_, sites_, 0.2);
    return pairs();
  }

 private:
  double pairs() const { return 0.5 * static_cast<double>(n_) * static_cast<double>(n_ - 1); }
  int64_t n_, sites_;
  std::vector<uint8_t> data_;
  std::vector<double> weights_;
  atp_alignment *alignment_ = nullptr;
};

}  // namespace

std::vector<Entry> weight_cases() {
  return {
      {"weights_N20000_L200", "pairs/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Weights>(c, 20000, 200); }},
      // For bench/guard.py, which has no seconds for the reference.
      {"weights_N2000_L200", "pairs/s", false,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Weights>(c, 2000, 200); }},
  };
}

}  // namespace ratios
