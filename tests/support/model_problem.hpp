// SPDX-License-Identifier: MIT
// Small random models for tests, with energies and fields written down from the definition in arrays that the library never sees.
#pragma once

#include "counting.h"

#include "base/philox.hpp"
#include "potts/model.hpp"

#include <cmath>
#include <vector>

namespace atp {

struct ModelRecipe {
  int64_t sites, colors, heads;  // heads 0: dense
  bool fields = false, symmetric = true;
  double beta = 1;
  uint64_t seed = 1;
  double scale = 1;
};

class ModelProblem {
 public:
  explicit ModelProblem(const ModelRecipe &r)
      : recipe(r), context(counting_alloc, counting_free, nullptr), model(make_model(context, {r.sites, r.colors, r.heads, r.fields})) {
    const int64_t L = r.sites, q = r.colors;
    model->beta = r.beta;
    fill(model->maps, 0, r.heads, L, true);
    fill(model->values, 1, r.heads, q, false);
    const RandomView field(r.seed, Stream::start, 0, 2), block(r.seed, Stream::start, 0, 3);
    for (int64_t k = 0; k < model->fields.size(); ++k) model->fields[k] = r.scale * field.normal(static_cast<uint64_t>(k));
    if (r.heads == 0)
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j)
          for (int64_t a = 0; i != j && a < q; ++a)
            for (int64_t b = 0; b < q; ++b) {
              const int64_t k = r.symmetric && j < i ? place(j, i, b, a) : place(i, j, a, b);
              model->couplings[place(i, j, a, b)] = r.scale * block.normal(static_cast<uint64_t>(k));
            }
    c.resize(static_cast<size_t>(L * L * q * q));
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j)
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            double sum = r.heads == 0 ? model->couplings[place(i, j, a, b)] : 0;
            for (int64_t h = 0; h < r.heads; ++h) sum += model->maps[(h * L + i) * L + j] * model->values[(h * q + a) * q + b];
            c[static_cast<size_t>(place(i, j, a, b))] = sum;
          }
  }
  ~ModelProblem() { destroy_block(context.allocator, model); }
  ModelProblem(const ModelProblem &) = delete;
  ModelProblem &operator=(const ModelProblem &) = delete;

  int64_t place(int64_t i, int64_t j, int64_t a, int64_t b) const {
    return ((i * recipe.sites + j) * recipe.colors + a) * recipe.colors + b;
  }
  double coupling(int64_t i, int64_t j, int64_t a, int64_t b) const { return c[static_cast<size_t>(place(i, j, a, b))]; }
  double field(int64_t i, int64_t a) const { return recipe.fields ? model->fields[i * recipe.colors + a] : 0; }

  // H(s) = -1/2 sum_{i != j} C_ij(s_i, s_j) - sum_i b_i(s_i).
  double energy(const uint8_t *s) const {
    double sum = 0;
    for (int64_t i = 0; i < recipe.sites; ++i) {
      for (int64_t j = 0; j < recipe.sites; ++j)
        if (i != j) sum -= 0.5 * coupling(i, j, s[i], s[j]);
      sum -= field(i, s[i]);
    }
    return sum;
  }
  // p(s_i = a | rest) from the definition.
  double conditional(const uint8_t *s, int64_t i, int64_t a) const {
    double numerator = 0, sum = 0;
    for (int64_t x = 0; x < recipe.colors; ++x) {
      double f = field(i, x);
      for (int64_t j = 0; j < recipe.sites; ++j)
        if (i != j) f += coupling(i, j, x, s[j]);
      const double e = std::exp(recipe.beta * f);
      sum += e;
      if (x == a) numerator = e;
    }
    return numerator / sum;
  }
  std::vector<uint8_t> sequences(int64_t n) const {
    std::vector<uint8_t> s(static_cast<size_t>(n * recipe.sites));
    const RandomView random(recipe.seed, Stream::start, 0, 4);
    for (size_t k = 0; k < s.size(); ++k) s[k] = static_cast<uint8_t>(random.below(k, static_cast<uint32_t>(recipe.colors)));
    return s;
  }

  ModelRecipe recipe;
  Context context;
  Model *model;
  std::vector<double> c;

 private:
  void fill(Span<double> out, uint64_t array, int64_t count, int64_t n, bool hollow) const {
    const RandomView random(recipe.seed, Stream::start, 0, array);
    for (int64_t h = 0; h < count; ++h)
      for (int64_t r = 0; r < n; ++r)
        for (int64_t k = 0; k < n; ++k) {
          const int64_t low = recipe.symmetric && k < r ? k : r, high = recipe.symmetric && k < r ? r : k;
          out[(h * n + r) * n + k] = hollow && r == k ? 0 : recipe.scale * random.normal(static_cast<uint64_t>((h * n + low) * n + high));
        }
  }
};

}  // namespace atp
