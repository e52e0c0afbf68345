// SPDX-License-Identifier: MIT
// Shared by the figures of [R24] on Potts data: sizes, the models to compare, a split data set.
#pragma once

#include "figures/factored_curve.hpp"
#include "figures/figures.hpp"
#include "figures/network_curve.hpp"
#include "figures/potts_data.hpp"

#include <string>

namespace cli {

constexpr int64_t kSites = 20, kColors = 20, kSamples = 3000, kTests = 1000, kSeeds = 3;

// Factored attention (no blocks) and encoders, with their line styles.
struct Family {
  const char *name, *title;
  int64_t blocks;
  const char *shade;
  int dash, point;
};
constexpr Family kFamilies[] = {{"factored", "factored attention", 0, "#08306b", 1, 7},
                                {"encoder1", "encoder, 1 block", 1, "#e6740b", 2, 5},
                                {"encoder3", "encoder, 3 blocks", 3, "#555555", 4, 9}};

struct ComparisonPlans {
  FactoredPlan factored;
  NetworkPlan network;
};
ComparisonPlans comparison_plans(const FigureJob &job);
// Description of the encoders, for captions.
std::string network_text(const NetworkPlan &plan);

struct SplitData {
  PottsData data;
  Alignment train, test;
  double optimal = 0;  // loss of the true model on `test`
};
// A random model with this seed, and data at a mean Hamming distance. Warns if the data are not in equilibrium.
SplitData draw_split(const Session &session, atp_couplings law, double hamming, int64_t key);

}  // namespace cli
