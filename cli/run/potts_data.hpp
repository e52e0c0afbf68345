// SPDX-License-Identifier: MIT
// Training and test sequences of a random Potts model at a given mean Hamming distance.
#pragma once

#include "run/sampling.hpp"

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
  // Descriptions of the steps, one line each.
  std::string tuning_text() const;
  std::string sampling_text() const;
};

// Tunes beta of the random model `truth` until equilibrium samples differ at a fraction `hamming` of the sites, then draws sequences by
// replica exchange. seed -1: that of the session.
PottsData draw_potts_data(const Session &session, Model truth, double hamming, int64_t samples, int64_t seed = -1);

// Maps of two models with one head, [L][L], in the same gauge and times beta. Units: the true map is beta J. The sign makes both V agree.
struct ComparedMaps {
  std::vector<double> truth, learned;
};
ComparedMaps compare_maps(const Session &session, const atp_model *truth, const atp_model *learned);

}  // namespace cli
