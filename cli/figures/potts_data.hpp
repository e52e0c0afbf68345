// SPDX-License-Identifier: MIT
// Sequences of a random Potts model at a mean Hamming distance, to learn from and to test on.
#pragma once

#include "support/sampling.hpp"

#include <string>
#include <vector>

namespace cli {

struct PottsData {
  Model truth;  // with its beta
  TunedBeta tuned;
  SamplingReport sampled;
  int64_t samples = 0, chains = 0;
  Alignment all;
  bool equilibrated() const { return tuned.converged && sampled.equilibrated; }
  // What was done, in one line each.
  std::string tuning_text() const;
  std::string sampling_text() const;
};

// Tune beta of `truth`, a model of random parts, until equilibrium samples differ at a fraction `hamming` of the sites, and draw by replica
// exchange. seed -1: the session's.
PottsData draw_potts_data(const Session &session, Model truth, double hamming, int64_t samples, int64_t seed = -1);

Alignment rows_of(const Session &session, const atp_alignment *data, int64_t first, int64_t count);

// Maps of models of one head, [L][L]: both in the gauge of one unit of V, times beta, in the units in which the true ones are beta J, with
// the sign that makes both V alike.
struct ComparedMaps {
  std::vector<double> truth, learned;
};
ComparedMaps compare_maps(const Session &session, const atp_model *truth, const atp_model *learned);

// Pearson correlation of two maps [L][L] over pairs with |i - j| >= apart; 1: off the diagonal.
double map_correlation(const std::vector<double> &a, const std::vector<double> &b, int64_t sites, int64_t apart = 1);

}  // namespace cli
