// SPDX-License-Identifier: MIT
// Couplings of which only one triangle was filled: legal, and most often a mistake.
#pragma once

#include "base/context.hpp"

namespace atp {

// "i < j" or "j < i" if values[stack][sites][sites][block] are 0 for all pairs but those, and not 0 for some of them; NULL otherwise. Ends
// at the first two pairs that show that both triangles are filled.
template <class Real>
const char *one_triangle(const Real *values, int64_t stack, int64_t sites, int64_t block) {
  bool filled[2] = {};  // i > j, i < j
  for (int64_t h = 0; h < stack; ++h)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) {
        const Real *at = values + ((h * sites + i) * sites + j) * block;
        for (int64_t k = 0; i != j && !filled[i < j] && k < block; ++k) filled[i < j] = at[k] != 0;
        if (filled[0] && filled[1]) return nullptr;
      }
  return filled[1] ? "i < j" : filled[0] ? "j < i" : nullptr;
}

// Logs a warning if only one triangle is filled; returns whether it did.
template <class Real>
bool warn_of_triangle(const Context &context, const char *name, const Real *values, int64_t stack, int64_t sites, int64_t block) {
  const char *triangle = one_triangle(values, stack, sites, block);
  if (triangle == nullptr) return false;
  context.message(
      ATP_LOG_WARNING,
      "%s: only the pairs with %s are filled, the others are 0. Of each pair one site does not see the other, and energies have "
      "half of each coupling. Fill both triangles: C_ji(b, a) = C_ij(a, b)",
      name, triangle);
  return true;
}

}  // namespace atp
