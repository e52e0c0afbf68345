// SPDX-License-Identifier: MIT
// Flags of training that several subcommands share, and the library options that they set.
#pragma once

#include "support/session.hpp"

#include <string>

namespace cli {

// Of every family.
struct TrainingFlags {
  std::string epochs, tolerance, history, precision, l2_couplings, l2_fields;
  std::string gaps;
  // Of dense couplings.
  bool asymmetric = false;
  std::string l2_scale;

  void add(CLI::App *app);
};

// Set an option unless the text is empty.
void set_if_given(atp_options *options, atp_option key, const std::string &flag, const std::string &text);

// epochs, tolerance, history, precision, penalties.
void set_common_options(const TrainingFlags &flags, atp_options *options);
void set_gaps(const TrainingFlags &flags, atp_options *options);
// Dense couplings with all of TrainingFlags, everything else at its default.
Options dense_options(const Session &session, const TrainingFlags &flags);
// Epochs of a whole run, for TrainingJob: iterations, or sites of asymmetric training.
int64_t epochs_of(const atp_options *options, const atp_alignment *data);

// The same options in a bag of their own.
Options copy_options(const Session &session, const atp_options *options);

}  // namespace cli
