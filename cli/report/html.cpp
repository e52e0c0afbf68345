// SPDX-License-Identifier: MIT
#include "report/html.hpp"

#include "support/session.hpp"
#include "support/utf8.hpp"

namespace cli {

std::string html_text(const std::string &text) {
  static const std::string replacement = "\xef\xbf\xbd";
  std::string safe;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if (c >= 0x80) {
      const std::size_t length = utf8_length(text, k);
      safe += length == 0 ? replacement : text.substr(k, length);
      k += length == 0 ? 0 : length - 1;
      continue;
    }
    switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += (c < ' ' && c != '\n' && c != '\t') || c == 127 ? replacement : std::string(1, text[k]);
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
