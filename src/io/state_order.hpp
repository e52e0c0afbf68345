// SPDX-License-Identifier: MIT
// The order of the symbols of a file against that of an alphabet.
#pragma once

#include "alignment/alphabet.hpp"

#include <cstdint>
#include <cstring>

namespace atp {

// The colour of each symbol of a file; -1 if the alphabet ("": none) lacks it.
struct StateOrder {
  StateOrder(const char *symbols, const char *alphabet) : states(static_cast<int64_t>(std::strlen(symbols))) {
    for (int64_t s = 0; s < states; ++s) {
      const char *found = alphabet[0] == 0 ? nullptr : std::strchr(alphabet, symbols[s]);
      color[s] = found == nullptr ? -1 : found - alphabet;
      known += found == nullptr ? 0 : 1;
    }
  }
  // Whether the alphabet has all these symbols and no others.
  bool same(const char *alphabet) const { return known == states && static_cast<int64_t>(std::strlen(alphabet)) == states; }
  // The same, but for the last symbol, the gap.
  bool gapless(const char *alphabet) const {
    return known == states - 1 && color[states - 1] < 0 && static_cast<int64_t>(std::strlen(alphabet)) == states - 1;
  }

  int64_t states, known = 0;
  int64_t color[kMaxSymbols];
};

}  // namespace atp
