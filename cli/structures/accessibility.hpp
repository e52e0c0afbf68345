// SPDX-License-Identifier: MIT
// Solvent accessibility of the residues of a structure.
//
// The accessible surface of an atom is the part of the sphere around it, of its radius and that of a probe of 1.4 Angstrom, that is in no
// such sphere of another heavy atom (A. Shrake, J. A. Rupley, J. Mol. Biol. 79, 351 (1973)), counted at 960 points. Water, ligands and
// hydrogens cover nothing. Relative to the largest area that a residue can have (M. Z. Tien, A. G. Meyer, D. K. Sydykova, S. J. Spielman,
// C. O. Wilke, PLoS ONE 8, e80635 (2013), theoretical values) it is 0 for buried residues and about 1 for exposed ones.
#pragma once

#include "structures/site_distances.hpp"

#include <vector>

namespace cli {

enum class Surface {
  complex,  // of all chains together
  chain     // of each chain alone
};

// Areas of the residues of the chains, in square Angstrom, [chains][residues]; NaN: not observed.
std::vector<std::vector<double>> accessible_areas(const Structure &structure, Surface surface);

// The largest area of a residue by its letter; NaN: none is known.
double largest_area(char letter);

// The accessible area of each site, [sites], and relative to the largest of its residue; the mean over the chains that show it, NaN where
// none does.
struct SiteAccessibility {
  std::vector<double> areas, relative;
};
SiteAccessibility site_accessibility(const Structure &structure, const std::vector<PlacedChain> &chains, Surface surface);

}  // namespace cli
