// SPDX-License-Identifier: MIT
// The page of `contacts`: the map with the contacts of a structure behind it, precision, and the best pairs.
#pragma once

#include "figures/contact_map.hpp"
#include "report/page.hpp"

#include <string>
#include <vector>

namespace cli {

// What the page needs beside the map. Precision curves are of the first 1, 2, ... pairs; empty: none.
struct ContactReport {
  std::string input, settings, training;        // training: how it ended, or ""
  std::vector<std::string> precision;           // in words
  std::vector<double> curve, within, between;   // all pairs, pairs within a protein and between two
  std::vector<std::string> columns;             // of the table of pairs
  std::vector<std::vector<std::string>> cells;  // of the marked pairs
};

void write_contact_page(const Session &session, const std::string &path, const ContactMap &map, const ContactReport &report);

}  // namespace cli
