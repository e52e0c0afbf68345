// SPDX-License-Identifier: MIT
// Flags from a file: --config FILE and --save-config FILE.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

// The arguments of the program with the flags of the file in place of `--config FILE`; those of the command line win. The file is TOML:
// `family = "dense"`, `quiet = true`, a table `[set]` of the options of --set; keys before the first section for every subcommand, below
// `[learn]` and `[learn.set]` for one.
std::vector<std::string> with_config(const CLI::App &app, const std::vector<std::string> &arguments);

// Fails where a flag or a positional argument has the empty text as its value. It is called after parsing, and before it for `--flag=`.
void refuse_empty(const CLI::App &app, const std::vector<std::string> &arguments);

// The flags of a subcommand that were given, as such a file. `command` becomes its first line, a comment.
std::string config_text(const CLI::App &sub, const std::string &command);

}  // namespace cli
