// SPDX-License-Identifier: MIT
// Losses of a training run against epochs: table and picture.
#pragma once

#include "support/training.hpp"

#include <string>

namespace cli {

// Writes DIR/training.csv, .gp and pictures. Returns false without gnuplot.
bool draw_training(const Session &session, const std::string &directory, const EpochLog &log, const std::string &outcome);

}  // namespace cli
