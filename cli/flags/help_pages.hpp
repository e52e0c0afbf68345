// SPDX-License-Identifier: MIT
// The flags of the program as the parser knows them, for the help, for manual pages and for the completion of shells.
#pragma once

#include "flags/command.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// The group of flags that every subcommand has.
inline constexpr char kCommonGroup[] = "Common";

// Writes the help. Without --help-all it leaves out the flags that few people need.
class HelpFormatter : public CLI::Formatter {
 public:
  // Sets what --help of a subcommand shows: required flags, the usual common ones, and those of Command::usual; and what --set takes.
  void show(const CLI::App &sub, const Command &command);
  std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option *> options) const override;

 private:
  std::set<const CLI::Option *> rare_;
  std::map<const CLI::App *, const Settable *> settable_;  // what --set takes
  bool all_ = false;
};

struct FlagEntry {
  std::vector<std::string> names;  // --output, -o
  std::string value;               // what stands in its place in the help, FILE; empty: the flag takes no value
  std::string initial;             // default, as in the help; may be empty
  std::string text, group;
  std::vector<std::string> words;  // where it is one of some words
  bool required = false, names_file = false;
};

struct Page {
  std::string name, text, group, examples;
  std::vector<FlagEntry> flags, positionals;
  std::vector<std::pair<std::string, std::string>> settable;  // names and texts of the options of --set
};

// One page for each subcommand, in the order of the help.
std::vector<Page> pages_of(CLI::App &app, const std::vector<const Command *> &commands);

// Pages for man(1): of the program, and of a subcommand.
std::string program_page(const std::vector<Page> &pages);
std::string subcommand_page(const Page &page);

// What completes subcommands, flags and their words in shells.
std::string bash_completion(const std::vector<Page> &pages);
std::string zsh_completion(const std::vector<Page> &pages);
std::string fish_completion(const std::vector<Page> &pages);

// Topics of `attopotts help TOPIC`.
struct Topic {
  std::string name, title, text;
};

const std::vector<Topic> &topics();

}  // namespace cli
