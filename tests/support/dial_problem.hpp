// SPDX-License-Identifier: MIT
// A small random problem for tests of the dial layer, and the layer written from its definition in long double.
#pragma once

#include "counting.h"

#include "base/philox.hpp"
#include "simd/targets.hpp"
#include "learn/network/dial.hpp"

#include <cmath>
#include <vector>

namespace atp {

struct DialBlock {
  DialBlock(const DialSettings &settings, Target target) : dial(settings, target) {}
  void lay_out(Arena &arena) { dial.lay_out(arena); }
  Dial dial;
  std::size_t block_bytes = 0;
};

inline DialSettings dial_shape(int64_t sites, int64_t colors, double dial, atp_map map = ATP_MAP_LOWRANK, int precision = 64) {
  DialSettings s;
  s.sites = sites;
  s.colors = colors;
  s.dial = dial;
  s.map = map;
  s.precision = precision;
  return s;
}

class DialProblem {
 public:
  DialProblem(const DialSettings &settings, int64_t sequences, Target target, uint64_t seed, double scale = 0.5)
      : count(sequences), context_(counting_alloc, counting_free, nullptr) {
    block_ = create_in_block<DialBlock>(context_.allocator, settings, target);
    dial = &block_->dial;
    const RandomView uniform(seed, Stream::start, 0, 0), normal(seed, Stream::parameters, 0, 0), place(seed, Stream::mask, 0, 0);
    data.resize(static_cast<size_t>(count * settings.sites));
    for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(uniform.below(k, static_cast<uint32_t>(settings.colors)));
    weights.resize(static_cast<size_t>(count));
    masked.resize(static_cast<size_t>(count));
    for (size_t n = 0; n < weights.size(); ++n) {
      weights[n] = n % 5 == 3 ? 0.0 : 0.25 + place.uniform(n + 1000000);
      masked[n] = place.below(n, static_cast<uint32_t>(settings.sites));
    }
    parameters.resize(static_cast<size_t>(dial->parameter_count()));
    for (size_t k = 0; k < parameters.size(); ++k) parameters[k] = scale * normal.normal(k);
  }
  ~DialProblem() { destroy_block(context_.allocator, block_); }
  DialProblem(const DialProblem &) = delete;
  DialProblem &operator=(const DialProblem &) = delete;

  MaskedData view(bool one_site_each) const {
    MaskedData p;
    p.sequences = data.data();
    p.weights = weights.data();
    p.sites = dial->settings.sites;
    p.count = count;
    p.masked = one_site_each ? masked.data() : nullptr;
    return p;
  }
  double loss(const std::vector<double> &at, const MaskedData &pairs, int threads = 1) {
    return dial->evaluate(span(at), pairs, {}, Team(threads));
  }
  std::vector<double> gradient(const std::vector<double> &at, const MaskedData &pairs, double *loss = nullptr, int threads = 1) {
    std::vector<double> g(at.size(), NAN);
    const double value = dial->evaluate(span(at), pairs, {g.data(), static_cast<int64_t>(g.size())}, Team(threads));
    if (loss != nullptr) *loss = value;
    return g;
  }
  static Span<const double> span(const std::vector<double> &x) { return {x.data(), static_cast<int64_t>(x.size())}; }
  // The elements of a part.
  double *part(std::vector<double> &x, int64_t index) const { return x.data() + dial->part(index).offset; }
  const double *part(const std::vector<double> &x, int64_t index) const { return x.data() + dial->part(index).offset; }

  // The definition: p(c | rest) and the attention of a masked site.
  void define(const std::vector<double> &at, const uint8_t *sequence, int64_t site, std::vector<long double> &probability,
              std::vector<long double> &attention) const {
    const DialSettings &s = dial->settings;
    const size_t sites = static_cast<size_t>(s.sites), q = static_cast<size_t>(s.colors), k = static_cast<size_t>(site);
    const long double a = s.dial;
    const bool positions = s.map == ATP_MAP_LOWRANK;
    const double *p = positions ? part(at, 0) : nullptr, *v = part(at, positions ? 3 : 1);
    const auto position = [&](size_t j, size_t b) -> long double { return positions ? p[j * q + b] : 0; };
    const auto token = [&](size_t j, size_t b) -> long double {
      if (j == k) return a > 0 ? part(at, 4)[b] : 0;
      return sequence[j] == b ? 1 : 0;
    };
    attention.assign(sites, 0);
    for (size_t j = 0; j < sites; ++j) {
      long double x = 0;
      for (size_t r = 0; positions && r < q; ++r) {
        long double query = 0, key = 0;
        for (size_t b = 0; b < q; ++b) {
          query += part(at, 1)[r * q + b] * (position(k, b) + a * token(k, b));
          key += part(at, 2)[r * q + b] * (position(j, b) + a * token(j, b));
        }
        x += query * key;
      }
      attention[j] = positions ? x : static_cast<long double>(at[k * sites + j]);
    }
    if (s.map != ATP_MAP_FREE) soften(attention);
    std::vector<long double> mean(q, 0);
    for (size_t j = 0; j < sites; ++j)
      for (size_t b = 0; b < q; ++b) mean[b] += attention[j] * (token(j, b) + a * position(j, b));
    if (s.map == ATP_MAP_FREE) attention[k] = 0;
    probability.assign(q, 0);
    for (size_t c = 0; c < q; ++c)
      for (size_t b = 0; b < q; ++b) probability[c] += v[c * q + b] * mean[b];
    soften(probability);
  }
  // The weighted mean of -log p over the pairs.
  double defined_loss(const std::vector<double> &at, const MaskedData &pairs) const {
    std::vector<long double> probability, attention;
    long double sum = 0, total = 0;
    for (int64_t pair = 0; pair < pairs.pairs(); ++pair) {
      define(at, pairs.sequence_of(pair), pairs.site(pair), probability, attention);
      sum -= pairs.weight_of(pair) * logl(probability[pairs.sequence_of(pair)[pairs.site(pair)]]);
      total += pairs.weight_of(pair);
    }
    return static_cast<double>(sum / total);
  }

  int64_t count;

 private:
  static void soften(std::vector<long double> &x) {
    long double total = 0, top = x[0];
    for (long double y : x) top = fmaxl(top, y);
    for (long double &y : x) total += y = expl(y - top);
    for (long double &y : x) y /= total;
  }
  Context context_;
  DialBlock *block_;

 public:
  Dial *dial;
  std::vector<uint8_t> data;
  std::vector<double> weights, parameters;
  std::vector<int64_t> masked;
};

}  // namespace atp
