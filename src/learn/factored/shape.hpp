// SPDX-License-Identifier: MIT
// What a factored attention layer is made of, and how its parameters are counted.
#pragma once

#include "base/checked.hpp"

#include <attopotts/trainer.h>

#include <cstdint>

namespace atp {

struct AttentionShape {
  int64_t sites = 0, colors = 0, heads = 1, rank = 0;  // colours of the data
  atp_map map = ATP_MAP_FREE;
  bool fields = false;
  bool colors_fixed = false;
  atp_diagonal diagonal = ATP_DIAGONAL_BEFORE;
  bool scores_scaled = true;  // lowrank: Q_i . K_j / sqrt(d), else Q_i . K_j
  bool symmetrized = false;   // couplings (C_ij(a, b) + C_ji(b, a)) / 2
  bool gaps_ignored = false;  // colour 0 of the data is missing: neither predicted nor seen

  // Colours of the model; V and fields have so many.
  int64_t states() const { return gaps_ignored ? colors - 1 : colors; }

  // The diagonal of the scores takes part in the softmax, and is masked afterwards.
  bool diagonal_in_softmax() const { return map != ATP_MAP_FREE && diagonal == ATP_DIAGONAL_AFTER; }
  // Parameters on the diagonal of a map that change nothing.
  bool diagonal_idle() const { return map == ATP_MAP_FREE || (map == ATP_MAP_SOFTMAX && diagonal == ATP_DIAGONAL_BEFORE); }
  // Heads of the couplings. Symmetrised ones are those of (A_h / 2, V_h) for all h and then (A_h^T / 2, V_h^T).
  int64_t coupling_heads() const { return symmetrized ? 2 * heads : heads; }

  int64_t map_parameters() const { return map == ATP_MAP_LOWRANK ? product_of(2, heads, sites, rank) : product_of(heads, sites, sites); }
  int64_t value_parameters() const { return colors_fixed ? 0 : product_of(heads, states(), states()); }
  int64_t field_parameters() const { return fields ? sites * states() : 0; }
  int64_t parameters() const { return map_parameters() + value_parameters() + field_parameters(); }
};

// Strengths of the penalties; `pairs` is that on the couplings themselves. The last two are on norms that are not squared.
struct Penalties {
  double couplings = 0, colors = 0, fields = 0, pairs = 0, norm_pairs = 0, norm_fields = 0;
  bool on_pairs() const { return pairs > 0 || norm_pairs > 0; }
};

}  // namespace atp
