// SPDX-License-Identifier: MIT
// A small random problem for tests of the encoder: shape, data, parameters and an Encoder in a block of its own.
#pragma once

#include "counting.h"

#include "base/philox.hpp"
#include "simd/targets.hpp"
#include "learn/network/encoder.hpp"

#include <cmath>
#include <vector>

namespace atp {

struct EncoderBlockOwner {
  EncoderBlockOwner(const EncoderShape &s, int precision, Target target) : encoder(s, precision, target) {}
  void lay_out(Arena &arena) { encoder.lay_out(arena); }
  Encoder encoder;
  std::size_t block_bytes = 0;
};

inline EncoderShape encoder_shape_of(int64_t sites, int64_t colors, int64_t width, int64_t hidden, int64_t blocks, bool positions = true) {
  EncoderShape s;
  s.sites = sites;
  s.colors = colors;
  s.width = width;
  s.hidden = hidden;
  s.blocks = blocks;
  s.positions = positions;
  return s;
}

class EncoderProblem {
 public:
  using Vector = std::vector<double>;

  // Parameters of order `scale` everywhere, so that no part of the network is idle; weights differ, some are zero.
  EncoderProblem(const EncoderShape &s, int64_t sequences, int precision, Target target, uint64_t seed = 1, double scale = 0.5)
      : shape(s), count(sequences), allocator_(counting_alloc, counting_free, nullptr) {
    owner_ = create_in_block<EncoderBlockOwner>(allocator_, s, precision, target);
    const RandomView colors(seed, Stream::start, 0, 0), normal(seed, Stream::parameters, 1, 0), place(seed, Stream::mask, 0, 0);
    data.resize(static_cast<size_t>(count * s.sites));
    for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(colors.below(k, static_cast<uint32_t>(s.colors)));
    weights.resize(static_cast<size_t>(count));
    masked.resize(static_cast<size_t>(count));
    for (size_t n = 0; n < weights.size(); ++n) {
      weights[n] = n % 5 == 3 ? 0.0 : 0.25 + place.uniform(n + 1000000);
      masked[n] = place.below(n, static_cast<uint32_t>(s.sites));
    }
    parameters.resize(static_cast<size_t>(encoder().parameter_count()));
    for (size_t k = 0; k < parameters.size(); ++k) parameters[k] = scale * normal.normal(k);
  }
  ~EncoderProblem() { destroy_block(allocator_, owner_); }
  EncoderProblem(const EncoderProblem &) = delete;
  EncoderProblem &operator=(const EncoderProblem &) = delete;

  Encoder &encoder() { return owner_->encoder; }
  MaskedData pairs(bool one_site_each) const {
    MaskedData p;
    p.sequences = data.data();
    p.weights = weights.data();
    p.sites = shape.sites;
    p.count = count;
    p.masked = one_site_each ? masked.data() : nullptr;
    return p;
  }
  double loss(const Vector &at, bool one_site_each) { return encoder().evaluate(span(at), pairs(one_site_each), {}, Team(threads)); }
  Vector gradient(const Vector &at, bool one_site_each, double *loss = nullptr) {
    Vector g(at.size(), NAN);
    const double value = encoder().evaluate(span(at), pairs(one_site_each), {g.data(), static_cast<int64_t>(g.size())}, Team(threads));
    if (loss != nullptr) *loss = value;
    return g;
  }
  Vector conditionals() {
    Vector out(static_cast<size_t>(count * shape.sites * shape.colors), NAN);
    MaskedData p = pairs(false);
    p.weights = nullptr;
    return encoder().conditionals(span(parameters), p, out.data(), Team(threads)), out;
  }
  Vector maps() {
    Vector out(static_cast<size_t>(shape.blocks * shape.sites * shape.sites), NAN);
    return encoder().maps(span(parameters), pairs(false), out.data(), Team(threads)), out;
  }
  static Span<const double> span(const Vector &x) { return {x.data(), static_cast<int64_t>(x.size())}; }

  EncoderShape shape;
  int64_t count;
  int threads = 1;
  std::vector<uint8_t> data;
  Vector weights, parameters;
  std::vector<int64_t> masked;

 private:
  Allocator allocator_;
  EncoderBlockOwner *owner_;
};

}  // namespace atp
