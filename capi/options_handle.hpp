// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "base/options.hpp"

namespace atp {

struct OptionsBag {
  OptionsBag(Context *owner, const OptionTable &table) : context(owner), values(table) {}
  void lay_out(Arena &) {}
  Context *context;
  std::size_t block_bytes = 0;
  Options values;
};

ATP_HANDLE(atp_options, OptionsBag)

// nullptr for numbers that are no atp_option_owner and no atp_task_kind.
const OptionTable *find_option_table(int owner);

// The values of an optional bag for an owner.
inline Options options_for(const OptionTable &owner, const atp_options *options) {
  return options == nullptr ? Options(owner) : core(options)->values.values_for(owner);
}

// Copies the values that an object was made with to a bag of the same owner.
inline void copy_options(const Options &values, atp_options *options) {
  core(options)->values = values.values_for(core(options)->values.table());
}

// The same for readers of alignments.
ATP_FOR_IO Options alignment_options(const atp_options *options);

}  // namespace atp
