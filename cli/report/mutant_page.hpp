// SPDX-License-Identifier: MIT
// The page of `mutants`: the heat map of all single mutants, measurements against scores, and the table.
#pragma once

#include "figures/mutant_pictures.hpp"
#include "report/page.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct MutantReport {
  std::string model, wild_type;
  std::vector<Fact> facts;
  MutantMap map;                         // all single mutants
  std::optional<MutantScatter> scatter;  // with measurements
  std::optional<StoredTable> agreement;  // with measurements: the table of --statistics
  std::optional<StoredTable> table;      // that of --csv; none where it is too long to keep
};

void write_mutant_page(const Session &session, const std::string &path, const MutantReport &report);

}  // namespace cli
