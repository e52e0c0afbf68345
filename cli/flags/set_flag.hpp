// SPDX-License-Identifier: MIT
// --set KEY=VALUE: options of the library that have no flag of their own. Names, bounds, defaults and texts are the library's.
#pragma once

#include "run/settings.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

// The options that a subcommand takes with --set: those of these owners, except options that have a flag and options that the program sets
// itself. Names are separated by blanks.
struct Settable {
  std::vector<int> owners;
  const char *without = "";
  const char *also = "";  // options of which the flag with their name means something else
};

// An option that --set takes, and the owners that have it.
struct SettableOption {
  atp_option key;
  std::vector<int> owners;
  const char *name() const { return atp_option_name(key); }
  // What it means, its bounds or the words of its values, and its default; where owners differ, all defaults.
  std::string text() const;
};
// Those of a subcommand that has all its other flags.
std::vector<SettableOption> settable_options(const CLI::App &sub, const Settable &of);

void add_settings(CLI::App *sub, const Settable &of);

// "; use --set KEY=VALUE" where a subcommand takes an option with the name of an unknown flag, or a suggestion, or "".
std::string instead_of(const CLI::App &sub, const std::string &flag);

// The number that a value of an option stands for, as --set reads it.
double read_option(int owner, atp_option key, const std::string &text);

// The values of --set that were given.
Settings settings_of(const CLI::App &sub, const Settable &of);

}  // namespace cli
