// SPDX-License-Identifier: MIT
// The flags of factored attention that tell one published convention from another.
#pragma once

#include "support/session.hpp"

#include <string>

namespace cli {

struct AttentionFlags {
  std::string convention, diagonal, scores, l2_pairs;
  bool symmetrize = false;

  void add(CLI::App *app);
  // What --attention-convention says where no flag says otherwise; the others are the caller's flags.
  void fill_in(std::string &map, std::string &heads, std::string &rank, std::string &gaps, bool &fields);
  // After fill_in(): set the library's options. The strength of the penalty on the couplings may depend on the number of sites.
  void set(atp_options *options, atp_map map) const;
  void set_penalty(atp_options *options, int64_t sites) const;
  // One line on what is in force; "" without a convention.
  std::string text() const;

 private:
  std::string gaps_;
  bool per_site_ = false;  // the strength is that of the convention, for a sum over sites
};

}  // namespace cli
