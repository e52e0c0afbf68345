// SPDX-License-Identifier: MIT
// Contact maps: scores above the diagonal; contacts of the structure, and the best pairs before them, below it. The page of `contacts`, and
// scripts that show the pairs on the structure.
#pragma once

#include "report/page.hpp"
#include "report/pair_scores.hpp"
#include "structures/site_distances.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct ContactMap {
  std::vector<std::string> heading;  // of the picture, with the parameters
  std::string score;                 // name of the scale of colours
  int64_t sites = 0, separation = 1;
  const int64_t *numbers = nullptr;  // [sites]
  std::string residues;              // [sites]; "": none
  PairScores scores;
  std::vector<int64_t> pairs;     // [n][2], ranked: the pairs to mark
  std::vector<int64_t> ranks;     // [n], their places in the ranking, from 1
  std::vector<double> distances;  // [sites][sites], NaN: unknown; empty: no distances
  double cutoff = 8;
  SiteDistances structure;           // where the distances are from; empty: a file
  int64_t border = 0;                // the sites of the first of two proteins; 0: one protein
  std::vector<int64_t> own_numbers;  // of two proteins: the number of each site in its own; empty: one protein
};

Drawing contact_drawing(const ContactMap &map);

// The content of the page beside the map. Precision curves are of the first 1, 2, ... pairs; empty: none.
struct ContactReport {
  std::string input, settings, training;        // training: how it ended, or ""
  std::string weights;                          // effective number of sequences, or ""
  std::vector<std::string> precision;           // in words
  std::vector<double> curve, within, between;   // all pairs, pairs within a protein and between two
  std::vector<std::string> columns;             // of the table of pairs
  std::vector<std::vector<std::string>> cells;  // of the marked pairs
};
void write_contact_page(const Session &session, const std::string &path, const ContactMap &map, const ContactReport &report);

enum class Viewer { pymol, chimerax };
// The commands that open the file of the structure and connect the marked pairs of the map, contacts in blue, others in orange. Pairs with
// a residue that the structure does not show have no line.
std::string contact_script(const Session &session, Viewer viewer, const ContactMap &map, const Structure &structure);
// The distance of two sites, NaN: not known.
double distance_of(const ContactMap &map, int64_t i, int64_t j);

}  // namespace cli
