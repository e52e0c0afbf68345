// SPDX-License-Identifier: MIT
// attopotts mutants --matrix: all single mutants as EVcouplings writes them (its NAME_single_mutant_matrix.csv).
#pragma once

#include "commands/mutations.hpp"

#include <string>
#include <vector>

namespace cli {

// Weighted frequencies of the model's colours in an alignment, [L][q], without pseudocount. If the model has no gap they are those among
// residues; NaN where a column has none.
std::vector<double> model_frequencies(const ModelSequences &data, const atp_model *model);

// Writes the table for all sites at which the sequence has a residue; `frequencies` are those of model_frequencies().
void write_mutant_matrix(const WildType &wild, const std::vector<double> &frequencies, const std::string &path);

}  // namespace cli
