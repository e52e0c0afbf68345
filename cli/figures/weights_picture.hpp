// SPDX-License-Identifier: MIT
// The effective number of sequences against the threshold of similarity: table and picture.
#pragma once

#include "support/csv_table.hpp"

#include <string>

namespace cli {

struct WeightsPicture {
  int64_t sequences = 0;
  double automatic = 0, effective = 0;  // the theta of --theta auto, and its effective number; NaN: not known
};

// Writes DIR/weights.csv, .gp and pictures. Returns false without gnuplot; the script remains.
bool draw_weights(const Session &session, const std::string &directory, const Table &table, const WeightsPicture &picture);

}  // namespace cli
