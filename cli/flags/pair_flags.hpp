// SPDX-License-Identifier: MIT
// Which pairs of sites get couplings: --pairs and --pairs-from.
#pragma once

#include "run/session.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// The sites of DATA by their numbers.
std::map<int64_t, int64_t> sites_by_number(const atp_alignment *data);

struct PairFlags {
  std::string list, from;
  std::optional<double> top;
  std::optional<double> cutoff;
  // Distances [L][L] where --pairs-from is a structure, none where it is a file of distances; set by commands that read structures.
  std::function<std::optional<std::vector<double>>(const Session &, const atp_alignment *, const std::string &)> structure;

  // own_cutoff: whether --cutoff is added, too; contacts has one.
  void add(CLI::App *app, bool own_cutoff);
  // Fails where flags contradict each other.
  void check_values(const CLI::App *app, bool dense) const;
  bool wanted() const { return !list.empty() || !from.empty() || top; }
  // The pairs [n][2], sites from 0; empty without a flag. A number as --pairs trains the couplings of all pairs first, with these options.
  std::vector<int64_t> choose(const Session &session, const atp_alignment *data, const atp_options *options) const;
};

inline constexpr double kContactCutoff = 8;

// A trainer of these pairs, of all pairs where the list is empty.
Trainer make_trainer(const Session &session, const atp_alignment *data, const atp_options *options, const std::vector<int64_t> &pairs);

}  // namespace cli
