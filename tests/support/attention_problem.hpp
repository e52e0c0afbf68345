// SPDX-License-Identifier: MIT
// A small random learning problem for tests of the objective: shapes, data, parameters and a FactoredAttention in a block of its own.
#pragma once

#include "counting.h"

#include "learn/factored/attention.hpp"
#include "base/philox.hpp"
#include "simd/targets.hpp"

#include <cmath>
#include <vector>

namespace atp {

struct ObjectiveBlock : FactoredAttention {
  // data_count: sequences of training data, 0: they are not known.
  ObjectiveBlock(Context *owner, const AttentionShape &s, const Penalties &p, int bits, int64_t data_count = 0)
      : FactoredAttention(owner, s, p, bits), training(data_count) {}
  void lay_out(Arena &arena) {
    FactoredAttention::lay_out(arena);
    if (training > 0) lay_out_data(arena, training);
  }
  int64_t training;
  std::size_t block_bytes = 0;
};

class AttentionProblem {
 public:
  AttentionProblem(const AttentionShape &s, int64_t sequences, const Penalties &p, int precision, Target target, uint64_t seed = 1,
                   double scale = 0.5, bool training = false)
      : shape(s), context_(counting_alloc, counting_free, nullptr), count(sequences) {
    context_.target = target;
    if (training) context_.threads = 3;  // work space for so many
    objective = create_in_block<ObjectiveBlock>(context_.allocator, &context_, s, p, precision, training ? sequences : int64_t{0});
    const RandomView uniform(seed, Stream::start, 0, 0), normal(seed, Stream::parameters, 0, 0), place(seed, Stream::mask, 0, 0);
    data.resize(static_cast<size_t>(count * s.sites));
    for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(uniform.below(k, static_cast<uint32_t>(s.colors)));
    weights.resize(static_cast<size_t>(count));
    masked.resize(static_cast<size_t>(count));
    for (size_t n = 0; n < weights.size(); ++n) {
      weights[n] = n % 5 == 3 ? 0.0 : 0.25 + place.uniform(n + 1000000);
      masked[n] = place.below(n, static_cast<uint32_t>(s.sites));
    }
    if (training) objective->take_data(view(false));
    parameters.resize(static_cast<size_t>(s.parameters()));
    for (size_t k = 0; k < parameters.size(); ++k) parameters[k] = scale * normal.normal(k);
    if (s.colors_fixed) {
      fixed.resize(static_cast<size_t>(s.value_count()));
      for (size_t k = 0; k < fixed.size(); ++k) fixed[k] = normal.normal(k + 1000000);
      objective->set_fixed_values({fixed.data(), static_cast<int64_t>(fixed.size())});
    }
  }
  ~AttentionProblem() { destroy_block(context_.allocator, objective); }
  AttentionProblem(const AttentionProblem &) = delete;
  AttentionProblem &operator=(const AttentionProblem &) = delete;

  void set_threads(int threads) { context_.threads = threads; }
  MaskedData view(bool one_site_each) const {
    MaskedData d;
    d.sequences = data.data();
    d.sites = shape.sites;
    d.weights = weights.data();
    d.count = count;
    d.masked = one_site_each ? masked.data() : nullptr;
    return d;
  }
  double loss(const std::vector<double> &at, const MaskedData &d) { return objective->evaluate(span(at), d, {}, nullptr); }
  double objective_value(const std::vector<double> &at, const MaskedData &d) {
    double penalty = 0;
    const double value = objective->evaluate(span(at), d, {}, &penalty);
    return value + penalty;
  }
  std::vector<double> gradient(const std::vector<double> &at, const MaskedData &d, double *loss = nullptr) {
    std::vector<double> g(at.size(), NAN);
    const double value = objective->evaluate(span(at), d, {g.data(), static_cast<int64_t>(g.size())}, nullptr);
    if (loss != nullptr) *loss = value;
    return g;
  }
  static Span<const double> span(const std::vector<double> &x) { return {x.data(), static_cast<int64_t>(x.size())}; }

  AttentionShape shape;

 private:
  Context context_;

 public:
  int64_t count;
  ObjectiveBlock *objective;
  std::vector<uint8_t> data;
  std::vector<double> weights, parameters, fixed;
  std::vector<int64_t> masked;
};

}  // namespace atp
