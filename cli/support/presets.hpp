// SPDX-License-Identifier: MIT
// --like NAME: the settings of another program. The table in presets.cpp is the one source: subcommands take from it what they have flags
// for, `info --presets` prints it, and a test compares docs/presets.md with that.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

// Add --like to a subcommand.
void add_like(CLI::App *app, std::string &like);

// Give the flags of a subcommand the values of a preset unless they were given. Says what is in force, also in the tables that are written.
// Does nothing where `like` is empty. `without`: flags that have no meaning in this run.
void apply_preset(Session &session, CLI::App *app, const std::string &like, const std::vector<const CLI::Option *> &without = {});

// All presets as CSV: preset,flag,value.
std::string presets_table();

}  // namespace cli
