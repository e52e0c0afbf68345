// SPDX-License-Identifier: MIT
// Training flags that several subcommands share, and the library options that they set.
#pragma once

#include "flags/selection.hpp"
#include "run/session.hpp"

#include <optional>
#include <string>

namespace cli {

struct TrainingFlags {
  std::optional<int64_t> epochs, precision;
  std::optional<double> tolerance, l2_couplings, l2_fields;
  std::optional<atp_gaps> gaps;
  bool asymmetric = false;   // dense couplings only
  SelectionFlags selection;  // of penalties and heads that are "auto"

  void add(CLI::App *app);
};

// Set an option of the library where its flag was given.
void set_if_given(atp_options *options, atp_option key, std::optional<int64_t> value);
void set_if_given(atp_options *options, atp_option key, std::optional<double> value);

// Set epochs, tolerance, precision and penalties.
void set_common_options(const TrainingFlags &flags, atp_options *options);
void set_gaps(const TrainingFlags &flags, atp_options *options);
// Options for dense couplings: all of TrainingFlags, everything else at its default.
Options dense_options(const Session &session, const TrainingFlags &flags);

// What to do where a training with these flags ended without convergence; see ways_out(). `stochastic`: with a rate.
std::string training_ways_out(atp_outcome outcome, const TrainingFlags &flags, bool stochastic = false);

// A copy of options, for another owner that has them all, too, if one is given.
Options copy_options(const Session &session, const atp_options *options, int owner = 0);

}  // namespace cli
