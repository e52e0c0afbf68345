// SPDX-License-Identifier: MIT
// Names of residues in force fields.
#pragma once

#include <string>

namespace cli {

// The name in the Protein Data Bank of a residue that a force field calls by another one: HIS for HIE of AMBER and HSD of CHARMM, G for
// RG5 and GUA; "" for every other name. Names of four letters are those of GROMACS and of AMBER's ends of chains.
std::string common_residue_name(const std::string &name);

}  // namespace cli
