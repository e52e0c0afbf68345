// SPDX-License-Identifier: MIT
// Colours of words, on terminals alone.
#pragma once

#include <string>

namespace cli {

enum class Color { red = 31, green = 32, yellow = 33 };

// The word in this colour if standard output is a terminal, and neither NO_COLOR (https://no-color.org) nor TERM=dumb is set.
std::string colored(const std::string &word, Color color);

}  // namespace cli
