// SPDX-License-Identifier: MIT
// The picture of a contact map: scores above the diagonal, contacts and the best pairs below it.
#pragma once

#include "structures/site_distances.hpp"
#include "support/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct ContactMap {
  std::string title;  // with the parameters; gnuplot separates lines by "\n"
  std::string score;  // label of the colour scale
  int64_t sites = 0, separation = 1;
  const int64_t *numbers = nullptr;  // [sites]
  std::string residues;              // [sites]; "": none
  std::vector<double> scores;        // [sites][sites]
  std::vector<int64_t> pairs;        // [n][2], ranked: the pairs to mark
  std::vector<int64_t> ranks;        // [n], their places in the ranking, from 1
  std::vector<double> distances;     // [sites][sites], NaN: unknown; empty: no distances
  double cutoff = 8;
  SiteDistances structure;  // where the distances are from; empty: a file
  int64_t border = 0;       // the sites of the first of two proteins; 0: one protein
};

// Positions of the sites on the axes: their numbers, or their places if the numbers have large gaps.
struct ContactAxis {
  bool numbered = false;
  int64_t first = 1, last = 1;
  std::vector<int64_t> positions;  // [sites]
  int64_t size() const { return last - first + 1; }
  std::vector<int64_t> places() const;  // [size], the site at each position; -1: none
};
ContactAxis axis_of(const ContactMap &map);

// Whether the map shows the score of two sites: not of those near in the sequence, unless they are of two proteins.
bool is_scored(const ContactMap &map, int64_t i, int64_t j);
// The distance of two sites, NaN: not known.
double distance_of(const ContactMap &map, int64_t i, int64_t j);
// The largest score of the marked pairs, 1 if it is not positive: the end of the scale of colours.
double top_score(const ContactMap &map);

// Writes DIR/contact_map.csv, contact_pairs.csv, contact_known.csv (with distances), contact_map.gp, .svg and .png. Returns false without
// gnuplot.
bool draw_contact_map(const Session &session, const std::string &directory, const ContactMap &map);

}  // namespace cli
