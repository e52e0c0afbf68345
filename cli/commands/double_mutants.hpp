// SPDX-License-Identifier: MIT
// attopotts mutants --doubles: all double mutants, or the most probable ones.
#pragma once

#include "commands/mutations.hpp"
#include "run/csv_table.hpp"

#include <optional>
#include <string>

namespace cli {

struct DoublesFlags {
  bool wanted = false;
  std::optional<int64_t> top;
};

// Writes the table of all double mutants, row by row, after a forecast of its size, and returns nothing; or writes and returns that of the
// `top` most probable, the best first.
std::optional<Table> write_doubles(const WildType &wild, const DoublesFlags &flags, const std::string &path);

}  // namespace cli
