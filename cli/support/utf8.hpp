// SPDX-License-Identifier: MIT
// Characters of UTF-8 in texts from outside, for example names of sequences and files.
#pragma once

#include <cstddef>
#include <string>

namespace cli {

// The bytes of the character of UTF-8 that begins at `place` with a byte above 127; 0 if there is none.
std::size_t utf8_length(const std::string &text, std::size_t place);

}  // namespace cli
