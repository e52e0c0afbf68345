// SPDX-License-Identifier: MIT
// How scores of mutants agree with measured effects: rank statistics with bootstrap intervals.
#pragma once

#include "commands/mutations.hpp"
#include "run/csv_table.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace cli {

// The flags of the statistics.
struct AgreementFlags {
  bool larger_is_worse = false;
  int64_t draws = 500;
  double threshold = std::nan("");  // of the positives of the AUC; NaN: the median
};

// A measure for a group of mutants and a score.
struct AgreementRow {
  std::string group, score, measure;
  int64_t count;
  double value, low, high;
};

// "0.5498 (0.5100..0.5811)", without the interval if there is none; and its group: "all", "2 mutations".
std::string value_text(const AgreementRow &row);
std::string group_text(const AgreementRow &row);

// All measures of all scores. Mutants without a measurement (NaN) are left out. Groups: all mutants, and if they differ in their numbers
// of mutations those with one, two and so on, if there are at least 10.
std::vector<AgreementRow> measure_agreement(const WildType &wild, const std::vector<int64_t> &sizes, const std::vector<double> &measured,
                                            const ScoredMutants &scored, const AgreementFlags &flags);

// What the numbers mean, for notes of tables.
std::vector<std::string> agreement_notes(const Session &session, const AgreementFlags &flags);
Table agreement_table(const Session &session, const std::vector<AgreementRow> &rows, const AgreementFlags &flags);

}  // namespace cli
