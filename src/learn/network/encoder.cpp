// SPDX-License-Identifier: MIT
#include "learn/network/encoder.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

EncoderShape encoder_shape(const Options &options, int64_t sites, int64_t colors) {
  EncoderShape s;
  s.sites = sites;
  s.colors = colors;
  s.blocks = options.integer(ATP_OPT_BLOCKS);
  s.width = options.integer(ATP_OPT_WIDTH);
  if (s.width == 0) s.width = 20;
  s.hidden = options.integer(ATP_OPT_HIDDEN);
  if (s.hidden == 0) s.hidden = 2 * s.width;
  s.positions = options.integer(ATP_OPT_POSITIONS) == ATP_POSITIONS_SINUSOIDAL;
  return s;
}

void Encoder::lay_out(Arena &arena) {
  if (precision_ == 32)
    pass32_.lay_out(arena);
  else
    pass64_.lay_out(arena);
}

void Encoder::init(uint64_t seed, double scale, Span<double> parameters) const {
  const int64_t d = shape_.width, h = shape_.hidden;
  const auto random = [&](int64_t part) { return RandomView(seed, Stream::parameters, 0, static_cast<uint64_t>(part)); };
  const auto normal = [&](int64_t index, double deviation) {
    const Part p = layout_.part(index);
    for (int64_t k = 0; k < p.size; ++k) parameters[p.offset + k] = deviation * random(index).normal(static_cast<uint64_t>(k));
  };
  const auto uniform = [&](int64_t index, int64_t in, int64_t out) {
    const Part p = layout_.part(index);
    const double bound = std::sqrt(6 / static_cast<double>(in + out));
    for (int64_t k = 0; k < p.size; ++k) parameters[p.offset + k] = bound * (2 * random(index).uniform(static_cast<uint64_t>(k)) - 1);
  };
  std::fill(parameters.begin(), parameters.end(), 0.0);
  normal(0, 1);
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const int64_t first = 1 + b * EncoderLayout::kBlockParts;
    const EncoderBlock at = layout_.block(b);
    uniform(first, d, d);
    uniform(first + 2, d, d);
    uniform(first + 6, d, h);
    uniform(first + 8, h, d);
    std::fill_n(parameters.data() + at.norm1_scale, d, 1.0);
    std::fill_n(parameters.data() + at.norm2_scale, d, 1.0);
  }
  normal(layout_.part_count() - 2, scale / std::sqrt(static_cast<double>(d)));
}

double Encoder::run(Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out, Threads threads) {
  if (!(pairs.total_weight() > 0)) {  // all sequences of the batch have weight 0
    if (out.gradient != nullptr) std::fill_n(out.gradient, parameter_count(), 0.0);
    return 0;
  }
  return precision_ == 32 ? pass32_.run(threads, parameters, pairs, out) : pass64_.run(threads, parameters, pairs, out);
}

double Encoder::evaluate(Span<const double> parameters, const MaskedPairs &pairs, Span<double> gradient, Threads threads) {
  EncoderOutput out;
  out.gradient = gradient.data();
  return run(parameters, pairs, out, threads);
}

void Encoder::conditionals(Span<const double> parameters, const MaskedPairs &pairs, double *to, Threads threads) {
  EncoderOutput out;
  out.conditionals = to;
  run(parameters, pairs, out, threads);
}

void Encoder::maps(Span<const double> parameters, const MaskedPairs &pairs, double *to, Threads threads) {
  EncoderOutput out;
  out.maps = to;
  run(parameters, pairs, out, threads);
}

}  // namespace atp
