// SPDX-License-Identifier: MIT
// Completion of subcommands, flags and their words in shells.
#pragma once

#include "support/flag_list.hpp"

namespace cli {

// What the shell has to read.
std::string bash_completion(const std::vector<Page> &pages);
std::string zsh_completion(const std::vector<Page> &pages);
std::string fish_completion(const std::vector<Page> &pages);

}  // namespace cli
