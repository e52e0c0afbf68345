// SPDX-License-Identifier: MIT
#include "report/html.hpp"

#include "support/session.hpp"
#include "support/utf8.hpp"

namespace cli {

std::string html_text(const std::string &text) {
  std::string safe;
  for (const char c : without_controls(text, "\xef\xbf\xbd")) {
    switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string script_string(const std::string &text) {
  std::string safe;
  for (const char c : json_string(text)) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace cli
