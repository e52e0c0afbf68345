// SPDX-License-Identifier: MIT
// Structures of proteins: the input is a PDB or mmCIF file. What is read has places within the limit, names in plain text, and atoms within
// its arrays.
#include "fuzz.hpp"

#include "structures/site_distances.hpp"
#include "structures/strict_text.hpp"
#include "run/errors.hpp"
#include "text/utf8.hpp"

#include <cmath>

using atp_fuzz::check;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    const cli::UnpackLimits limits{1 << 24, 1e9};
    const cli::Structure structure = cli::parse_structure({reinterpret_cast<const char *>(data), size}, "input", limits);
    atp_fuzz::accepted = true;
    std::vector<cli::PlacedChain> placed;
    int64_t sites = 0;
    for (const cli::StructureChain &chain : structure.chains) {
      check(chain.sequence().size() == chain.residues.size(), "a letter per residue");
      check(cli::printable(chain.name) == chain.name, "the name of a chain is plain text");
      for (const cli::StructureResidue &residue : chain.residues) {
        const int64_t atoms = static_cast<int64_t>(residue.atoms.size());
        check(residue.alpha < atoms && residue.beta < atoms, "named atoms are there");
        for (const cli::AtomPosition &atom : residue.atoms)
          check(std::fmax(std::fabs(atom.x), std::fmax(std::fabs(atom.y), std::fabs(atom.z))) <= cli::kMostCoordinate, "places are near");
        check(cli::printable(residue.number) == residue.number && residue.number.find(' ') == std::string::npos, "numbers are words");
      }
      sites = std::max<int64_t>(sites, std::min<int64_t>(8, static_cast<int64_t>(chain.residues.size())));
    }
    if (sites < 2) return 0;
    for (const cli::StructureChain &chain : structure.chains) {
      cli::PlacedChain one;
      one.chain = &chain;
      for (int64_t i = 0; i < sites; ++i) one.of_site.push_back(i < static_cast<int64_t>(chain.residues.size()) ? i : -1);
      if (placed.size() < 3) placed.push_back(one);
    }
    const cli::SiteDistances distances = cli::site_distances(placed, sites, cli::AtomChoice::heavy, cli::Copies::inter);
    for (const double d : distances.values) check(std::isnan(d) || d >= 0, "distances are not negative");
  } catch (const cli::Failure &failure) {
    const std::string text = failure.what();
    check(!text.empty() && text.compare(std::max<std::size_t>(text.size(), 7) - 7, 7, "mmCIF: ") != 0, "a failure has a reason");
  }
  return 0;
}
