// SPDX-License-Identifier: MIT
// attopotts mutants --matrix: all single mutants as EVcouplings writes them (its NAME_single_mutant_matrix.csv).
#pragma once

#include "commands/mutations.hpp"

#include <string>
#include <vector>

namespace cli {

// Weighted frequencies of the model's colours, [L][q], without pseudocount, and atp_alignment_conservation(), [L]. If the model has no gap
// they are those of residues alone; NaN where a column has none.
struct SiteStatistics {
  std::vector<double> frequencies, conservation;
};
SiteStatistics site_statistics(const ModelSequences &data);

// Writes the table for all sites at which the sequence has a residue.
void write_mutant_matrix(const WildType &wild, const SiteStatistics &statistics, const std::string &path);

}  // namespace cli
