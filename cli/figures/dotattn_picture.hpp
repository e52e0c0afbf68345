// SPDX-License-Identifier: MIT
// Pictures of the tables of `dotattn`.
#pragma once

#include "support/csv_table.hpp"

#include <string>
#include <vector>

namespace cli {

// What the curves of a table are.
struct DotattnPicture {
  std::vector<std::string> branches;  // words of the column `branch`; empty: the table is that of --transition
  std::vector<double> omegas;
  bool simulated = false;
};

// Writes DIR/dotattn.csv, .gp and pictures. Returns false without gnuplot.
bool draw_dotattn(const Session &session, const std::string &directory, const Table &table, const DotattnPicture &picture);

}  // namespace cli
