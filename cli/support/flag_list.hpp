// SPDX-License-Identifier: MIT
// The flags of the program as the parser knows them, for manual pages and for the completion of shells.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

struct FlagEntry {
  std::vector<std::string> names;  // --output, -o
  std::string value;               // what stands in its place in the help, FILE; empty: the flag takes no value
  std::string initial;             // default, as in the help; may be empty
  std::string text, group;
  std::vector<std::string> words;  // where it is one of some words
  bool required = false, names_file = false;
};

struct Page {
  std::string name, text, example;
  std::vector<FlagEntry> flags, positionals;
};

// One page for each subcommand, in the order of the help.
std::vector<Page> pages_of(CLI::App &app);

}  // namespace cli
