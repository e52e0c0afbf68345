// SPDX-License-Identifier: MIT
// The picture of a contact map: scores above the diagonal, contacts and the best pairs below it.
#pragma once

#include "support/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct ContactMap {
  std::string title;  // with the parameters; lines separated by "\n" in the manner of gnuplot
  std::string score;  // what the scale is called
  int64_t sites = 0, separation = 1;
  const int64_t *numbers = nullptr;  // [sites]
  std::vector<double> scores;        // [sites][sites]
  std::vector<int64_t> pairs;        // [n][2], ranked: the ones to mark
  std::vector<double> distances;     // [sites][sites], NaN: not known; empty: none
  double cutoff = 8;
};

// Write DIR/contact_map.csv, contact_pairs.csv, contact_known.csv (with distances), contact_map.gp, .svg and .png. False without gnuplot.
bool draw_contact_map(const Session &session, const std::string &directory, const ContactMap &map);

}  // namespace cli
