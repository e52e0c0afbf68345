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

// The same for readers of alignments.
inline Options alignment_options(const atp_options *options) {
  const Options values = options_or_default(options);
  if (values.integer(ATP_OPT_COLORS) == 1) fail(ATP_E_VALUE, "option colors is 1, must be 0 or in 2..255");
  return values;
}

}  // namespace atp
