// SPDX-License-Identifier: MIT
#include "support/utf8.hpp"

namespace cli {

std::size_t utf8_length(const std::string &text, std::size_t place) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(place);
  const std::size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < length; ++k)
    if (byte(place + k) >> 6 != 2) return 0;
  // Longer than need be, halves of pairs, and numbers above the last character.
  const unsigned second = byte(place + 1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                     (first == 0xf4 && second >= 0x90);
  return wrong ? 0 : length;
}

}  // namespace cli
