// SPDX-License-Identifier: MIT
// The flags of a structure, and the way from its file to distances between sites.
#pragma once

#include "structures/site_distances.hpp"
#include "run/session.hpp"

#include <optional>

namespace cli {

struct StructureFlags {
  std::string file, sequence;
  std::vector<std::string> chains;
  AtomChoice atoms = AtomChoice::heavy;
  Copies copies = Copies::intra;
  std::optional<int64_t> paired;     // the last site number of the first of two proteins
  std::optional<double> confidence;  // residues below it are left out
  bool show = false, force = false;
  void add(CLI::App *app);
  // Those of --structure and its chains, for commands that measure no distances.
  void add_chains(CLI::App *app);
  // All but --structure, for commands that take a structure with another flag.
  void add_choices(CLI::App *app);
  // Fails where a flag needs another one that is not given.
  void check_values(const CLI::App *app) const;
};

// The sites that a structure is compared with.
struct Sites {
  std::string what;              // in messages: "the sites of the model"
  std::string residues;          // [sites]; others than letters: no residue
  std::vector<int64_t> numbers;  // [sites]
  int64_t border = 0;            // as border_of(data)
};

// The sites of a model or of sequences. Residues are those of --sequence, else of the focus, else of the first sequence.
Sites sites_of(const Session &session, const StructureFlags &flags, const atp_model *model);
Sites sites_of(const Session &session, const StructureFlags &flags, const atp_alignment *data);

// The distances [L][L] between the sites of sequences that --pairs-from asks for where it names a structure; none where it does not.
std::optional<std::vector<double>> structure_for_pairs(const Session &session, StructureFlags flags, const atp_alignment *data,
                                                       const std::string &path);

// Reads the file of --structure and looks for the chains that are named.
Structure read_structure(const Session &session, const StructureFlags &flags);

// Aligns the chains with the sites and prints how well they agree. Fails if a chain is of another protein.
PlacedChains place_chains(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites);
// The same, and measures the distances.
SiteDistances measure_structure(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites);

// How many of the sites are of the first protein: by the file of the sequences, which knows with --format paired (0: it does not), and by
// --paired, for numbers in ascending order. Fails where no site of one of them is left, or where the two differ.
int64_t border_of(const atp_alignment *data);
int64_t border_of(const atp_model *model);
int64_t border_of(std::optional<int64_t> paired, int64_t of_file, const int64_t *numbers, int64_t sites);

}  // namespace cli
