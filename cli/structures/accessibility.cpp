// SPDX-License-Identifier: MIT
#include "structures/accessibility.hpp"

#include <cmath>
#include <string>

namespace cli {

double largest_area(char letter) {
  static const std::string letters = "ARNDCQEGHILKMFPSTWYV";
  constexpr double kAreas[] = {129, 274, 195, 193, 167, 225, 223, 104, 224, 197, 201, 236, 224, 240, 159, 155, 172, 285, 263, 174};
  const std::size_t place = letters.find(letter);
  return place == std::string::npos ? std::nan("") : kAreas[place];
}

SiteAccessibility site_accessibility(const Structure &structure, const std::vector<PlacedChain> &chains, Surface surface) {
  const std::vector<std::vector<double>> areas = accessible_areas(structure, surface);
  const std::size_t sites = chains.empty() ? 0 : chains[0].of_site.size();
  SiteAccessibility made{std::vector<double>(sites, 0), std::vector<double>(sites, 0)};
  std::vector<int64_t> seen(sites, 0);
  for (const PlacedChain &placed : chains) {
    const auto &residues = placed.chain->residues;
    const std::vector<double> &of_chain = areas[static_cast<std::size_t>(placed.chain - structure.chains.data())];
    for (std::size_t i = 0; i < sites; ++i) {
      if (placed.of_site[i] < 0) continue;
      const auto place = static_cast<std::size_t>(placed.of_site[i]);
      const double relative = of_chain[place] / largest_area(residues[place].letter);
      if (std::isnan(relative)) continue;
      ++seen[i];
      made.areas[i] += of_chain[place];
      made.relative[i] += relative;
    }
  }
  for (std::size_t i = 0; i < sites; ++i) {
    made.areas[i] /= static_cast<double>(seen[i]);
    made.relative[i] /= static_cast<double>(seen[i]);
  }
  return made;
}

}  // namespace cli
