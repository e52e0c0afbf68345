// SPDX-License-Identifier: MIT
// Small autoregressive models for tests: a ModelProblem without the couplings to sites that are later in an order, with log P(s) from the
// definition and all states listed.
#pragma once

#include "model_problem.hpp"

#include <algorithm>
#include <numeric>

namespace atp {

enum class SiteOrder { natural, backward, shuffled };

class OrderedProblem : public ModelProblem {
 public:
  OrderedProblem(ModelRecipe r, SiteOrder kind)
      : ModelProblem((r.symmetric = false, r)), order(static_cast<size_t>(r.sites)), place_of(order) {
    const int64_t L = r.sites;
    std::iota(order.begin(), order.end(), int64_t{0});
    if (kind == SiteOrder::backward) std::reverse(order.begin(), order.end());
    const RandomView random(r.seed, Stream::start, 0, 5);
    for (int64_t k = L - 1; kind == SiteOrder::shuffled && k > 0; --k)
      std::swap(order[static_cast<size_t>(k)], order[random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(k + 1))]);
    for (int64_t k = 0; k < L; ++k) place_of[static_cast<size_t>(order[static_cast<size_t>(k)])] = k;
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j)
        if (!before(j, i)) uncouple(i, j);
    model->set_order(Span<const int64_t>(order.data(), L));
  }

  bool before(int64_t j, int64_t i) const { return place_of[static_cast<size_t>(j)] < place_of[static_cast<size_t>(i)]; }

  // log P(s) = sum_i log p(s_i | sites before i), from the definition.
  double log_p(const uint8_t *s) const {
    double sum = 0;
    for (int64_t i = 0; i < recipe.sites; ++i) sum += std::log(conditional(s, i, s[i]));
    return sum;
  }

  // All q^L states; site 0 is the slowest digit.
  std::vector<uint8_t> states() const {
    const int64_t L = recipe.sites, q = recipe.colors;
    int64_t count = 1;
    for (int64_t i = 0; i < L; ++i) count *= q;
    std::vector<uint8_t> all(static_cast<size_t>(count * L));
    for (int64_t n = 0; n < count; ++n)
      for (int64_t i = L - 1, rest = n; i >= 0; --i, rest /= q) all[static_cast<size_t>(n * L + i)] = static_cast<uint8_t>(rest % q);
    return all;
  }

  std::vector<int64_t> order, place_of;

 private:
  void uncouple(int64_t i, int64_t j) {
    const int64_t q = recipe.colors;
    for (int64_t h = 0; h < recipe.heads; ++h) model->maps[(h * recipe.sites + i) * recipe.sites + j] = 0;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        if (recipe.heads == 0) model->couplings[place(i, j, a, b)] = 0;
        c[static_cast<size_t>(place(i, j, a, b))] = 0;
      }
  }
};

}  // namespace atp
