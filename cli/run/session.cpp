// SPDX-License-Identifier: MIT
#include "run/session.hpp"

#include <fmt/format.h>

namespace cli {

void Session::message(const std::string &text) const {
  said.push_back(text);
  if (quiet) return;
  if (progress == ProgressMode::json)
    to_stderr(fmt::format("{{\"message\":{}}}\n", json_string(text)));
  else
    to_stderr(fmt::format("{}{}\n", progress == ProgressMode::bar ? "\r\x1b[K" : "", printable(text)));
}

}  // namespace cli
