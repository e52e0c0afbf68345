// SPDX-License-Identifier: MIT
#include "learn/network/encoder.hpp"

#include "base/philox.hpp"
#include "learn/network/network_objective.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace atp {

namespace {

constexpr const char *kNames[EncoderLayout::kBlockParts] = {"qkv",         "qkv_bias",        "out",         "out_bias",
                                                            "norm1_scale", "norm1_shift",     "hidden",      "hidden_bias",
                                                            "hidden_out",  "hidden_out_bias", "norm2_scale", "norm2_shift"};

}  // namespace

EncoderBlock EncoderLayout::block(int64_t b) const {
  const int64_t d = shape_.width, h = shape_.hidden;
  EncoderBlock at;
  at.qkv = first_block() + b * block_size();
  at.qkv_bias = at.qkv + 3 * d * d;
  at.out = at.qkv_bias + 3 * d;
  at.out_bias = at.out + d * d;
  at.norm1_scale = at.out_bias + d;
  at.norm1_shift = at.norm1_scale + d;
  at.hidden = at.norm1_shift + d;
  at.hidden_bias = at.hidden + h * d;
  at.hidden_out = at.hidden_bias + h;
  at.hidden_out_bias = at.hidden_out + d * h;
  at.norm2_scale = at.hidden_out_bias + d;
  at.norm2_shift = at.norm2_scale + d;
  return at;
}

Part EncoderLayout::part(int64_t index) const {
  Part p{};
  const auto set = [&](const char *name, int64_t offset, int64_t end) {
    std::snprintf(p.name, sizeof p.name, "%s", name);
    p.offset = offset;
    p.size = end - offset;
  };
  const int64_t last = part_count() - 1;
  if (index == 0) {
    set("tokens", 0, first_block());
  } else if (index == last - 1) {
    set("output", output(), output_bias());
  } else if (index == last) {
    set("output_bias", output_bias(), size());
  } else {
    const int64_t b = (index - 1) / kBlockParts, k = (index - 1) % kBlockParts;
    const EncoderBlock at = block(b);
    const int64_t ends[kBlockParts + 1] = {at.qkv,
                                           at.qkv_bias,
                                           at.out,
                                           at.out_bias,
                                           at.norm1_scale,
                                           at.norm1_shift,
                                           at.hidden,
                                           at.hidden_bias,
                                           at.hidden_out,
                                           at.hidden_out_bias,
                                           at.norm2_scale,
                                           at.norm2_shift,
                                           first_block() + (b + 1) * block_size()};
    char name[sizeof p.name];
    std::snprintf(name, sizeof name, "block%d.%s", static_cast<int>(b + 1), kNames[k]);
    set(name, ends[k], ends[k + 1]);
  }
  return p;
}

double sinusoidal_position(int64_t site, int64_t c, int64_t width) {
  const double angle = static_cast<double>(site) * std::pow(10000.0, -static_cast<double>(c - c % 2) / static_cast<double>(width));
  return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

Encoder Encoder::make(const ObjectiveInput &input) {
  const Options &options = input.options;
  EncoderShape s;
  s.sites = input.data.sites;
  s.colors = input.data.colors;
  s.blocks = options.integer(ATP_OPT_BLOCKS);
  s.width = options.integer(ATP_OPT_WIDTH);
  if (s.width == 0) s.width = 20;
  s.hidden = options.integer(ATP_OPT_HIDDEN);
  if (s.hidden == 0) s.hidden = 2 * s.width;
  s.positions = options.integer(ATP_OPT_POSITIONS) == ATP_POSITIONS_SINUSOIDAL;
  return {s, static_cast<int>(options.integer(ATP_OPT_PRECISION)), input.context->target, &input.context->ranks};
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

double Encoder::run(Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out, Threads threads) {
  if (!(pairs.total_weight() > 0)) {  // all sequences of the batch have weight 0
    if (out.gradient != nullptr) std::fill_n(out.gradient, parameter_count(), 0.0);
    return 0;
  }
  return precision_ == 32 ? pass32_.run(threads, parameters, pairs, out) : pass64_.run(threads, parameters, pairs, out);
}

double Encoder::evaluate(Span<const double> parameters, const MaskedData &pairs, Span<double> gradient, Threads threads) {
  EncoderOutput out;
  out.gradient = gradient.data();
  return run(parameters, pairs, out, threads);
}

void Encoder::conditionals(Span<const double> parameters, const MaskedData &pairs, double *to, Threads threads) {
  EncoderOutput out;
  out.conditionals = to;
  run(parameters, pairs, out, threads);
}

void Encoder::maps(Span<const double> parameters, const MaskedData &pairs, double *to, Threads threads) {
  EncoderOutput out;
  out.maps = to;
  run(parameters, pairs, out, threads);
}

namespace {

// The standard transformer encoder on masked tokens. It is no Potts model.
class EncoderObjective final : public NetworkObjective<Encoder> {
 public:
  EncoderObjective(const ObjectiveRow &own_row, const ObjectiveInput &input) : NetworkObjective(own_row, input) {}
  Model *make_model(Reals) override {
    fail(ATP_E_UNSUPPORTED, "family is encoder: a network is no Potts model, but factored attention (family dial at dial 0) is");
  }
  void describe(StateFields &fields) const override {
    const EncoderShape &shape = network_.shape();
    fields.add("blocks", shape.blocks);
    fields.add("width", shape.width);
    fields.add("hidden", shape.hidden);
    fields.add("positions", int64_t{shape.positions});
  }
};

}  // namespace

Objective *make_encoder(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_objective<EncoderObjective>(place, row, input);
}

}  // namespace atp
