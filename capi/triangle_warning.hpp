// SPDX-License-Identifier: MIT
// The warning about asymmetric couplings in samplers.
#pragma once

#include "base/context.hpp"
#include "potts/model.hpp"

namespace atp {

// Chains of asymmetric couplings are legal. They are wanted after asymmetric learning, and otherwise a mistake.
inline void warn_if_asymmetric(const Context &context, const Model &model, bool symmetric) {
  const bool dense = model.shape.dense();
  const int64_t q = model.colors();
  if (symmetric || (dense ? warn_of_triangle(context, "couplings of the model", model.couplings.data(), 1, model.sites(), q * q)
                          : warn_of_triangle(context, "maps of the model", model.maps.data(), model.shape.heads, model.sites(), 1)))
    return;
  context.message(ATP_LOG_WARNING,
                  "the couplings of the model are not symmetric: sweeps use each site's own couplings, and energies the symmetric part, "
                  "so that samples do not follow exp(-beta H)");
}

}  // namespace atp
