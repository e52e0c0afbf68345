// SPDX-License-Identifier: MIT
// The assays of deep mutational scans in the layout of ProteinGym (P. Notin et al., NeurIPS 2023): a reference table with a row for each
// assay, and the files that it names; and their means.
#pragma once

#include "run/csv_table.hpp"
#include "run/session.hpp"

#include <string>
#include <vector>

namespace cli {

struct Assay {
  std::string name, protein, type;          // DMS_id; UniProt_ID, or the name; coarse_selection_type, or "all"
  std::string target;                       // target_seq, "": not known
  std::string effects, sequences, weights;  // files of measurements, of the alignment and of its weights; weights "": none
  std::string structure;                    // file of pdb_file or structure, "": none
  std::string missing;                      // the name of such a file that is in no folder
  double cutoff;                            // DMS_binarization_cutoff, NaN: not known
};

// Reads the reference table. Files are looked for in the folders and in the folders within them; without any in that of the table.
std::vector<Assay> read_assays(const Session &session, const std::string &path, const std::vector<std::string> &folders);

// Spearman's correlations of an assay, NaN where there is none.
struct AssayScore {
  std::string protein, type;
  double energy, independent;
};
// A mean over assays as ProteinGym has it: first over those of a protein within a type of selection, then over proteins, then over types.
struct MeanScore {
  std::string type;  // "all" for the mean over types
  int64_t assays;
  double energy, independent;
};
std::vector<MeanScore> mean_scores(const std::vector<AssayScore> &scores);

}  // namespace cli
