// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "base/options.hpp"

namespace atp {

struct OptionsBag {
  explicit OptionsBag(Context *owner) : context(owner) {}
  void lay_out(Arena &) {}
  Context *context;
  std::size_t block_bytes = 0;
  Options values;
};

ATP_HANDLE(atp_options, OptionsBag)

// The values of an optional bag.
inline Options options_or_default(const atp_options *options) { return options == nullptr ? Options() : core(options)->values; }

}  // namespace atp
