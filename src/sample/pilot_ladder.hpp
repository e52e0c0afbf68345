// SPDX-License-Identifier: MIT
// Ladders of betas for replica exchange, spaced by the exchange rates of pilot runs.
#pragma once

#include "base/span.hpp"
#include "sample/owned_sampler.hpp"
#include "sample/sampler.hpp"

#include <cstdint>

namespace atp {

// The largest number of rungs that pilot runs choose.
inline constexpr int64_t kMostPilotRungs = 64;
// Sweeps of all pilot runs, and of the search for the hottest rung.
inline constexpr int64_t kPilotSweeps = 1500, kHotSweeps = 80;

struct LadderRequest {
  uint64_t seed;
  double beta, beta_hot;  // beta_hot below beta
  bool search_hot;        // the hottest rung is the largest beta, up to beta / 2, at which chains forget a cold start in 8 sweeps
  int64_t rungs;          // 0: enough for a rejection of about one half between neighbours
  int64_t swap_interval;
  int64_t first_chain;
  int64_t kept, most;              // of Restriction
  const Restriction *restriction;  // of all samplers
  const uint8_t *start;            // [L] or NULL: the start from which mutations count and which has the kept colours
};

// Arrays of the caller.
struct Ladder {
  Span<double> betas;        // room for the rungs, at least 2, or kMostPilotRungs; the target comes last
  Span<uint8_t> cold_state;  // [L]: the state of lowest energy that the pilot runs saw
  int64_t rungs = 0;
  double slowest_swap = 1;  // smallest exchange rate between neighbours in the last pilot run
};

// Makes the pilot runs. Returns false if the run was stopped. Equal rejection between all neighbours maximises
// the round-trip rate. Source: S. Syed, A. Bouchard-Cote, G. Deligiannidis, A. Doucet, J. R. Stat. Soc. B 84,
// 321 (2022).
bool make_ladder(Context &context, const Model &model, const LadderRequest &request, Ladder &ladder, Relay &relay);

// A sampler on these betas, at random states within the restriction.
Sampler *sampler_on(Context &context, const Model &model, const LadderRequest &request, Span<const double> betas, uint64_t seed,
                    int64_t chains);

}  // namespace atp
