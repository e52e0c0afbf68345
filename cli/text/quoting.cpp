// SPDX-License-Identifier: MIT
#include "text/quoting.hpp"

#include "text/utf8.hpp"

#include <fmt/format.h>

namespace cli {

std::string shell_word(const std::string &argument) {
  if (!argument.empty() &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == std::string::npos)
    return argument;
  std::string text = "'";
  for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return text + "'";
}

std::string json_string(const std::string &text) {
  std::string quoted_text = "\"";
  for (std::size_t k = 0; k < text.size();) {
    const Character c = character_at(text, k);
    if (!c.is_utf8 || c.is_control())
      quoted_text += fmt::format("\\u{:04x}", static_cast<uint32_t>(c.code));
    else if (c.code == '"' || c.code == '\\')
      quoted_text += {'\\', text[k]};
    else
      quoted_text += text.substr(k, c.length);
    k += c.length;
  }
  return quoted_text + "\"";
}

}  // namespace cli
