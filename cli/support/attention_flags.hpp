// SPDX-License-Identifier: MIT
// The flags of factored attention in which published conventions differ.
#pragma once

#include "support/session.hpp"

#include <optional>
#include <string>

namespace cli {

enum class Convention { attentiondca, mogwai };

// Flags of the caller for which a convention has values.
struct ConventionFlags {
  std::optional<atp_map> &map;
  std::optional<int64_t> &heads, &rank;
  std::optional<atp_gaps> &gaps;
  bool &fields;
};

struct AttentionFlags {
  std::optional<Convention> convention;
  std::optional<atp_diagonal> diagonal;
  std::optional<bool> scores_scaled;
  std::optional<double> l2_pairs;
  bool symmetrize = false;

  void add(CLI::App *app);
  // Give the values of --attention-convention to flags that were not given.
  void fill_in(ConventionFlags flags);
  // After fill_in(): set the library's options. set_penalty() is for a penalty on the couplings that depends on the number of sites.
  void set(atp_options *options, atp_map map) const;
  void set_penalty(atp_options *options, int64_t sites) const;
  // One line with the settings in effect; "" without a convention.
  std::string text() const;

 private:
  std::optional<atp_gaps> gaps_;
  bool per_site_ = false;  // the penalty is that of the convention, for a sum over sites
};

}  // namespace cli
