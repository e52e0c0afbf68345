// SPDX-License-Identifier: MIT
// A subcommand: one of these structs in its file, and one line in the list of commands/commands.cpp. The help, manual pages and the
// completion of shells take all they say from here and from the flags that add_flags() adds.
#pragma once

#include "flags/set_flag.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>

namespace cli {

// Whether a subcommand has something to save when a signal comes. If not, the signal ends it at once; files that were being written stay as
// they were.
enum class Keeps { nothing, state };

// The groups of subcommands, as the help shows them.
inline constexpr char kOfSequences[] = "Sequences", kOfModels[] = "Models", kOfTheory[] = "Theory", kOfProgram[] = "Program";

struct Command {
  const char *name, *help;  // one line
  const char *group;
  const char *examples;
  const char *usual;  // the flags that --help shows, with blanks between; --help-all shows the others, too. nullptr: all but common ones
  // Adds the flags; returns the function that runs the command with their values and gives the exit status. See with_flags().
  std::function<int(Session &)> (*add_flags)(CLI::App *app);
  Settable settable = {};  // what --set takes
  Keeps keeps = Keeps::nothing;
  const char *note = "";  // ends the help
};

// Of `add(CLI::App *, Flags *)` and `run(Session &, const Flags &)`.
template <class Flags, auto add, auto run>
std::function<int(Session &)> with_flags(CLI::App *app) {
  auto flags = std::make_shared<Flags>();
  add(app, flags.get());
  return [flags](Session &session) { return run(session, *flags); };
}

}  // namespace cli
