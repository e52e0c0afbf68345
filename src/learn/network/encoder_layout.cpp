// SPDX-License-Identifier: MIT
#include "learn/network/encoder_layout.hpp"

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

}  // namespace atp
