// SPDX-License-Identifier: MIT
// Scripts that show pairs of residues on a structure in PyMOL and in ChimeraX.
#pragma once

#include "figures/contact_map.hpp"

#include <string>

namespace cli {

enum class Viewer { pymol, chimerax };

// The commands that open the file of the structure and connect the marked pairs of the map, contacts in blue, others in orange. Pairs with
// a residue that the structure does not show have no line.
std::string contact_script(const Session &session, Viewer viewer, const ContactMap &map, const Structure &structure);

}  // namespace cli
