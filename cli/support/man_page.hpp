// SPDX-License-Identifier: MIT
// Manual pages in the language of man(7).
#pragma once

#include "support/flag_list.hpp"

namespace cli {

// The page of the program, attopotts(1), with the topics of `attopotts help`.
std::string program_page(const std::vector<Page> &pages);
// The page of a subcommand, attopotts-NAME(1).
std::string subcommand_page(const Page &page);

}  // namespace cli
