// SPDX-License-Identifier: MIT
// Lists of mutants with one or more mutations (A110D, A110D/N146D, A110D:N146D or A110D,N146D), and their scores.
#pragma once

#include "run/csv_table.hpp"
#include "run/model_sequences.hpp"

#include <string>
#include <vector>

namespace cli {

// The sequence that is mutated, in the model's colours, and the models that score its mutants.
struct WildType {
  const Session &session;
  const atp_model *model, *independent;  // independent: nullptr if there are no frequencies
  const uint8_t *sequence;
  std::string name;  // for messages and notes
  bool missing_sites() const;
};

struct MutantList {
  std::vector<std::string> names;    // as they stand in the file
  std::vector<int64_t> changes;      // [m][3], see atp_mutations_parse()
  std::vector<int64_t> sizes;        // mutations of each mutant
  std::vector<std::string> skipped;  // mutants that the model cannot score, left out
  int64_t count() const { return static_cast<int64_t>(names.size()); }
};

// Fails unless the model names its colours, which mutations need.
void require_alphabet(const atp_model *model, const std::string &flag, const std::string &path);

// Names of a column of mutants, in a table of mutants or of measurements; upper case is the same.
const std::vector<std::string> &mutant_columns();
// The column with one of these names, -1: none.
int64_t mutant_column(const SideTable &table);

// Adds the mutants of a column of a table. Fails at the first that is wrong, with its line and, where other numbers of sites would fit the
// whole column, by how much they differ; mutants that the model cannot score are left out if the flag says so. Returns the rows that are
// not left out.
std::vector<std::size_t> add_mutants_of(const WildType &wild, const SideTable &table, std::size_t column, bool skip_unscored,
                                        MutantList &list);

// Reads a file with a mutant on each line, or a table with a column of mutants; empty lines, those that begin with # and a first one
// without a digit are left out.
MutantList read_mutants(const WildType &wild, const std::string &path, bool skip_unscored);

// The note on mutants that are left out, and its message; neither where there are none.
void note_skipped(Table &table, const std::vector<std::string> &skipped);
void say_skipped(const Session &session, const std::vector<std::string> &skipped);

// Scores of mutants [n]. All their sites change at once, so that their couplings with each other count.
struct ScoredMutants {
  std::vector<double> energy, log_pseudolikelihood, independent;  // independent: NaN if there are no frequencies
};
ScoredMutants score_mutants(const WildType &wild, const std::vector<int64_t> &changes, int64_t count);

// Notes of a table with energies of mutants: what they are. Of autoregressive models -log P.
void note_energies(Table &table, const atp_model *model);

// Scores of all single mutants, [L][q]; independent: log f(mutant) - log f(sequence), NaN if there are no frequencies.
struct SingleScores {
  std::vector<double> energies, values, independent;
};
SingleScores score_singles(const WildType &wild);

}  // namespace cli
