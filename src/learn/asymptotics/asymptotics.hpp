// SPDX-License-Identifier: MIT
// How far estimates from M sequences lie from their limit: the excess of the loss, the coupling error, the standard error of each coupling.
// Derivation: docs/theory.md.
#pragma once

#include "learn/asymptotics/moments.hpp"
#include "learn/options.hpp"

namespace atp {

struct AsymptoticsSettings {
  Learned learned;
  bool likelihood = false;
  Masks masks;
  double l2_couplings = 0, l2_colors = 0, l2_fields = 0;  // as the trainer of the family has them
  double samples = 0;                                     // M; 0: the sum of the weights of the alignment
};

// The settings of a bag of options for a model. Throws ATP_E_CONFLICT, ATP_E_UNSUPPORTED.
AsymptoticsSettings asymptotics_settings(const Model &model, const Options &options);

// Appends a row to a table of kind ATP_TABLE_ASYMPTOTICS, unless NULL, and writes standard errors of the couplings times beta in the
// zero-sum gauge, [L][L][q][q], unless NULL. Averages are over all states of the model, or over an alignment.
struct AsymptoticsOutput {
  Table *table = nullptr;
  double *errors = nullptr;
};
void asymptotics(Context &context, const Model &model, const Alignment *alignment, const AsymptoticsSettings &settings,
                 const AsymptoticsOutput &out);
// What it allocates.
std::size_t asymptotics_bytes(const Model &model, int64_t states, const AsymptoticsSettings &settings, Threads threads);

inline constexpr int64_t kMostUnknowns = 8000;
inline constexpr int64_t kMostListedStates = int64_t{1} << 22;

}  // namespace atp
