// SPDX-License-Identifier: MIT
// --like NAME applies the settings of another program, --preset NAME those for a purpose. The table in presets.cpp is the
// single source. A subcommand uses the settings for which it has flags, `info presets` prints the table, and a test compares
// docs/presets.md with it.
#pragma once

#include "run/session.hpp"

#include <string>
#include <vector>

namespace cli {

// Add --like to a subcommand.
void add_like(CLI::App *app, std::string &like);

// Add --preset, for a purpose instead of a program.
void add_purpose(CLI::App *app, std::string &preset);

// Gives the values of a preset to those flags of a subcommand that were not given. Prints the settings in effect and notes them in the
// tables. Does nothing if `like` is empty. `without`: flags that have no meaning in this run.
void apply_preset(Session &session, CLI::App *app, const std::string &like, const std::vector<const CLI::Option *> &without = {});

// All presets as CSV: preset,flag,value.
std::string presets_table();

}  // namespace cli
