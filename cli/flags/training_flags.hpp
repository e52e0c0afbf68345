// SPDX-License-Identifier: MIT
// Training flags that several subcommands share, the library options that they set, and penalties and heads that are chosen by the data:
// the flags, the path, the choice. See selection.h of the library.
#pragma once

#include "run/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct SelectionFlags {
  bool couplings = false, fields = false, heads = false;  // the word auto was given
  std::string path;

  // Adds --path.
  void add(CLI::App *app);
  bool wanted() const { return couplings || heads; }
  // Fails where the flags contradict each other or `options`.
  void check_values(const CLI::App *app, const atp_options *options) const;
};

// "a number or auto": stores the number, or that the word was given.
CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<double> &value, bool &chosen, atp_option key,
                         const std::string &description);
CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<int64_t> &value, bool &chosen, atp_option key,
                         const std::string &description);

// Chooses what the flags ask for and sets it in `options`. Says the choice, adds it to the notes of tables, and writes the path. Returns
// the number of heads, 0 for dense couplings. Does nothing and returns 0 where nothing is to be chosen. pairs [n][2]: those that have
// couplings; empty: all. `criterion`: in place of that of the session.
int64_t choose_by_data(Session &session, const SelectionFlags &flags, const atp_alignment *data, atp_options *options,
                       const std::vector<int64_t> &pairs = {}, std::optional<atp_criterion> criterion = std::nullopt);

struct TrainingFlags {
  std::optional<int64_t> epochs, precision;
  std::optional<double> tolerance, l2_couplings, l2_fields;
  std::optional<atp_gaps> gaps;
  bool asymmetric = false;   // dense couplings only
  SelectionFlags selection;  // of penalties and heads that are "auto"

  void add(CLI::App *app, const std::string &initial_epochs = "200");
};

// Set an option of the library where its flag was given.
void set_if_given(atp_options *options, atp_option key, std::optional<int64_t> value);
void set_if_given(atp_options *options, atp_option key, std::optional<double> value);

// Set epochs, tolerance, precision and penalties.
void set_common_options(const TrainingFlags &flags, atp_options *options);
void set_gaps(const TrainingFlags &flags, atp_options *options);
// Fails where factored attention would start with --set init-scale=0 at a point that training cannot leave.
void check_init_scale(const Settings &settings, atp_map map, bool colors_fixed);
// Options for dense couplings: all of TrainingFlags, everything else at its default.
Options dense_options(const Session &session, const TrainingFlags &flags);

// Advice after a training with these flags that ended without convergence; see ways_out(). `stochastic`: the training has a rate; `limit`:
// the limit of its iterations.
std::string training_ways_out(atp_outcome outcome, const TrainingFlags &flags, bool stochastic = false,
                              const std::string &limit = "--epochs");

// A copy of options, for another owner that has them all, too, if one is given.
Options copy_options(const Session &session, const atp_options *options, int owner = 0);

}  // namespace cli
