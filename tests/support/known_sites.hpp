// SPDX-License-Identifier: MIT
// Sequences with missing sites, with energies and conditionals summed anew from the definition.
#pragma once

#include "model_problem.hpp"

#include <cmath>
#include <vector>

namespace atp {

// The model on the sites that are there, and only those, from the definition.
struct Known {
  const ModelProblem &p;
  const uint8_t *s;
  bool there(int64_t i) const { return s[i] != ATP_MISSING; }
  double energy() const {
    double sum = 0;
    for (int64_t i = 0; i < p.recipe.sites; ++i) {
      if (!there(i)) continue;
      sum -= p.field(i, s[i]);
      for (int64_t j = 0; j < i; ++j)
        if (there(j)) sum -= 0.5 * (p.coupling(i, j, s[i], s[j]) + p.coupling(j, i, s[j], s[i]));
    }
    return sum;
  }
  double conditional(int64_t i, int64_t a) const {
    double numerator = 0, sum = 0;
    for (int64_t x = 0; x < p.recipe.colors; ++x) {
      double f = p.field(i, x);
      for (int64_t j = 0; j < p.recipe.sites; ++j)
        if (i != j && there(j)) f += p.coupling(i, j, x, s[j]);
      sum += std::exp(p.recipe.beta * f);
      if (x == a) numerator = std::exp(p.recipe.beta * f);
    }
    return numerator / sum;
  }
  double log_pl() const {
    double sum = 0;
    for (int64_t i = 0; i < p.recipe.sites; ++i)
      if (there(i)) sum += std::log(conditional(i, s[i]));
    return sum;
  }
};

inline std::vector<uint8_t> gapped(const ModelProblem &p, int64_t n, int64_t every) {
  std::vector<uint8_t> s = p.sequences(n);
  for (size_t k = 1; k < s.size(); k += static_cast<size_t>(every)) s[k] = ATP_MISSING;
  return s;
}

}  // namespace atp
