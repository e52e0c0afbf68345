// SPDX-License-Identifier: MIT
// Structures of proteins and nucleic acids, as far as distances between residues need them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct AtomPosition {
  double x = 0, y = 0, z = 0;
  double radius = 1.8;  // Angstrom, as DSSP has it, whose areas Tien's maxima are: N 1.65, CA 1.87, C 1.76, O 1.4, all others 1.8
};

struct StructureResidue {
  char letter = 'X';                // one-letter code, of a modified residue that of its parent; X: none
  std::string number;               // with the insertion code; "" where no atom was observed
  bool interrupted = false;         // the chain is interrupted after it: what comes between is not known
  std::vector<AtomPosition> atoms;  // heavy atoms, one location each: the backbone's, C-alpha the last of them, then the others
  int64_t alpha = -1;               // index of C-alpha; -1: none
  int64_t beta = -1;                // index of C-beta, of C-alpha for glycine; -1: none
  int64_t side = 0;                 // index of the first atom of the side chain, of C-alpha where there is none
  double confidence = 0;            // the B-factor of C-alpha, or of the first atom: pLDDT in predicted structures
  std::string marker;               // name of the atom that stands for the residue in pictures: CA, C1' or P; "" without them
};

struct StructureChain {
  std::string name;  // the authors'
  bool protein = true;
  std::vector<StructureResidue> residues;  // without water and ligands; with those not observed where the file has the whole sequence
  void forget(double confidence) {         // makes residues below it such as are not observed
    for (StructureResidue &residue : residues)
      if (!residue.atoms.empty() && residue.confidence < confidence) {
        const char letter = residue.letter;
        const bool interrupted = residue.interrupted;
        residue = StructureResidue();
        residue.letter = letter;
        residue.interrupted = interrupted;
      }
  }
  std::string sequence() const {
    std::string letters;
    for (const StructureResidue &residue : residues) letters += residue.letter;
    return letters;
  }
};

struct Structure {
  std::string path;
  int64_t models = 1;                  // in the file
  std::vector<StructureChain> chains;  // of the first model, in the order of the file; without residues where there is only water and such
};

// Whether this build reads structures.
bool has_structures();

// Limits for a file that gzip has packed.
struct UnpackLimits {
  int64_t unpacked = 0;  // largest size in bytes; 0: 100 times the packed size, at least 1 GiB
  double memory = -1;    // bytes that may be taken; negative: no limit
};

// Reads PDB or mmCIF, plain or packed by gzip. Of alternative locations of an atom the one of highest occupancy counts, of equal ones the
// first label. Fails with status 2 for what is no structure, for fields that are no numbers, and in a build without gemmi.
Structure parse_structure(std::string bytes, const std::string &path, const UnpackLimits &limits = {});

}  // namespace cli
