// SPDX-License-Identifier: MIT
// The learning curve of masked Gaussian modelling [R24 fig. 3 left]: theory, the limit of many sites and a simulation, table and picture.
#pragma once

#include "support/csv.hpp"
#include "support/session.hpp"

#include <string>

namespace cli {

struct GaussianCurve {
  int64_t sites = 400, realisations = 30;
  double shift = 2.5, penalty = 1e-4;
  std::string reduced;  // note in the caption of a quick version
};

struct GaussianCurveResult {
  int64_t points = 0, agreeing = 0;                                      // simulated losses, and those within 3 standard errors of theory
  double root_mean_square = 0;                                           // of the deviations from theory in standard errors
  double without_data = 0, peak = 0, peak_alpha = 0, end = 0, best = 0;  // losses; alpha runs from 0.05 to 4
  atp_outcome outcome = ATP_OUTCOME_NONE;
  bool drawn = false;
  StoredTable table;  // of NAME.csv
};

// Writes DIR/NAME.csv, .gp and pictures.
GaussianCurveResult draw_gaussian_curve(const Session &session, const std::string &directory, const std::string &name,
                                        const GaussianCurve &curve);

}  // namespace cli
