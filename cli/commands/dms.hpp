// SPDX-License-Identifier: MIT
// attopotts mutants --dms: measured effects of mutants beside their scores.
#pragma once

#include "commands/dms_statistics.hpp"

#include <string>
#include <vector>

namespace cli {

// The flags of a table of measurements.
struct DmsFlags {
  std::string argument = "--dms";  // in messages
  std::string path, column, statistics;
  bool skip_unscored = false;
  AgreementFlags agreement;
  void add(CLI::App *app);
  // Fails where a flag of this group is given without --dms.
  void require_dms(const CLI::App *app) const;
};

// Measurements and scores, mutant by mutant.
struct DmsScores {
  MutantList mutants;
  std::vector<double> measured;  // NaN: not measured
  ScoredMutants scored;
  std::vector<std::string> skipped;  // mutants that the model cannot score
  int64_t repeated = 0;              // rows with a mutant that an earlier row has
  std::vector<AgreementRow> agreement;
};

DmsScores score_measured(const WildType &wild, const DmsFlags &flags);
// The joined table.
Table dms_table(const WildType &wild, const DmsFlags &flags, const DmsScores &scores);

}  // namespace cli
