// SPDX-License-Identifier: MIT
// Checks and completes the text of a structure before gemmi reads it. gemmi takes what is no number for 0, and needs columns that mmCIF
// does not require.
#pragma once

#include <string>

namespace gemmi::cif {
struct Document;
}

namespace cli {

// The largest coordinate, in angstrom.
inline constexpr double kMostCoordinate = 1e6;

// Checks the fields of the ATOM and HETATM lines of PDB. Names of residues with four letters become common ones, a blank occupancy 1.
// Throws std::runtime_error with the number of the line and what stands there.
void check_pdb(std::string &text);

// Checks the atoms of mmCIF, and adds the columns that gemmi needs. Throws std::runtime_error with the place of the atom and its value.
void complete_cif(gemmi::cif::Document &document);

// The name in the Protein Data Bank of a residue that a force field calls by another one: HIS for HIE of AMBER and HSD of CHARMM, G for
// RG5 and GUA; "" for every other name. Names of four letters are those of GROMACS and of AMBER's ends of chains.
std::string common_residue_name(const std::string &name);

}  // namespace cli
