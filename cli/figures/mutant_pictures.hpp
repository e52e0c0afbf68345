// SPDX-License-Identifier: MIT
// Pictures of mutants: a heat map of all single mutants, and scores against measurements.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

struct MutantMap {
  std::string title;
  std::vector<int64_t> numbers;      // of the sites
  std::vector<std::string> symbols;  // of the colours
  std::vector<int64_t> wild_type;    // colour of each site; -1: missing
  std::vector<double> scores;        // [sites][colours], larger: more probable; NaN: not shown
};
// Writes DIR/mutant_map.csv, its wild type, script and pictures. Returns false without gnuplot.
bool draw_mutant_map(const Session &session, const std::string &directory, const MutantMap &map);

struct MutantScatter {
  std::string title, score, measurement;
  std::vector<std::string> names;
  std::vector<int64_t> sizes;  // mutations of each mutant
  std::vector<double> scores, measured;
};
// Writes DIR/mutant_scatter.csv, script and pictures. Returns false without gnuplot.
bool draw_mutant_scatter(const Session &session, const std::string &directory, const MutantScatter &scatter);

}  // namespace cli
