// SPDX-License-Identifier: MIT
// Suggestions for misspelt flags and subcommands.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

// The number of letters to insert, delete, replace or exchange with their neighbour that turns one word into the other.
std::size_t edit_distance(const std::string &one, const std::string &other);
// The nearest of some words, if it is near: at most a third of the letters differ; "" else.
std::string nearest(const std::string &word, const std::vector<std::string> &words);
// `; did you mean --alphabet?`, or "".
std::string did_you_mean(const std::string &word, const std::vector<std::string> &words);

// The first argument that looks like a flag and is none of this subcommand; "" where all are known.
std::string unknown_flag(const CLI::App &sub, const std::vector<std::string> &arguments);
std::vector<std::string> flags_of(const CLI::App &sub);

}  // namespace cli
