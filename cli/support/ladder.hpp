// SPDX-License-Identifier: MIT
// Ladders of betas for replica exchange, spaced by the exchange rates of pilot runs.
#pragma once

#include "support/session.hpp"

#include <cstdint>
#include <vector>

namespace cli {

struct Ladder {
  std::vector<double> betas;        // increasing, the target last
  double slowest_swap = 1;          // smallest exchange rate between neighbours in the last pilot run
  std::vector<uint8_t> cold_state;  // [L], the state of lowest energy that the pilots saw
};

// `temperatures` = 0: enough betas for a rejection of about one half between neighbours. Equal rejection everywhere maximises the
// round-trip rate. Source: S. Syed, A. Bouchard-Cote, G. Deligiannidis, A. Doucet, J. R. Stat. Soc. B 84, 321 (2022).
Ladder make_ladder(const Session &session, const atp_model *model, double beta, double beta_hot, int64_t temperatures, int64_t seed);

// Creates a sampler on a ladder.
Sampler make_sampler(const Session &session, const atp_model *model, int64_t seed, int64_t chains, const std::vector<double> &betas);

}  // namespace cli
