// SPDX-License-Identifier: MIT
// Own models of attopotts sample: lattices, couplings of a list, fields from a file.
#pragma once

#include "run/files.hpp"

#include <optional>

namespace cli {

// What --couplings, --color-matrix and their like say of a model of a list of pairs.
struct ListFlags {
  std::string lattice, size;            // --lattice, --size; "" where not given
  std::string fields;                   // a file
  std::string couplings, color_matrix;  // words or files
  std::optional<int64_t> sites, colors;
};

// "32", "32x32" or "8x8x8".
CLI::Validator lattice_size();
// The words of --couplings for lattices.
std::vector<std::string> bond_words();
// The file that --couplings names, opened; one without content where it is a word or not given.
InputFile open_couplings(const Session &session, const std::string &couplings);
// The model of --lattice, or of the table in the file of --couplings.
Model model_of_list(const Session &session, const InputFile &file, const ListFlags &flags);
// The same model with the fields [L][q] of --fields FILE.
Model with_fields(const Session &session, Model model, const std::string &path);

}  // namespace cli
