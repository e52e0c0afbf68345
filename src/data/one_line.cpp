// SPDX-License-Identifier: MIT
#include "data/one_line.hpp"

#include "base/error.hpp"

namespace atp {

void check_one_line(const char *text, int64_t bytes, const char *what) {
  for (int64_t k = 0; k < bytes; ++k) {
    const unsigned char c = static_cast<unsigned char>(text[k]);
    if (c < ' ' || c == 127)
      fail(ATP_E_VALUE, "%s: byte %lld has the code %d, must be one line without control characters", what, static_cast<long long>(k), c);
  }
}

}  // namespace atp
