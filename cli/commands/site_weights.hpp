// SPDX-License-Identifier: MIT
// attopotts mutants --rsa, --site-weights: sites that count with weights, by their accessibility in a structure or from a table.
#pragma once

#include "commands/mutations.hpp"
#include "structures/accessibility.hpp"
#include "structures/structure_flags.hpp"

#include <string>
#include <vector>

namespace cli {

struct SiteWeightFlags {
  std::string file, column = "weight", accessibility;
  bool by_accessibility = false;
  Surface surface = Surface::complex;
  StructureFlags structure;
  void add(CLI::App *app);
  // Fails where a flag needs another one, or contradicts it.
  void check_values(const CLI::App *app) const;
};

// The weights of the sites of a sequence, [L], and a line about them; without weights where none are asked for. Writes the table of
// --accessibility.
struct SiteWeights {
  std::vector<double> values;
  std::string note;
};
SiteWeights site_weights(const WildType &wild, const SiteWeightFlags &flags);

// The model with these weights of its sites.
Model weigh_sites(const Session &session, const atp_model *model, const SiteWeights &weights);

}  // namespace cli
