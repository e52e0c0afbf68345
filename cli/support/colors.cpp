// SPDX-License-Identifier: MIT
#include "support/colors.hpp"

#include "support/system.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace cli {

namespace {

bool has_value(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool shows_colors() {
  const char *terminal = std::getenv("TERM");
  return !has_value("NO_COLOR") && terminal != nullptr && std::strcmp(terminal, "dumb") != 0 && is_terminal(1);
}

}  // namespace

std::string colored(const std::string &word, Color color) {
  return shows_colors() ? fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(color), word) : word;
}

}  // namespace cli
