// SPDX-License-Identifier: MIT
#include "text/utf8.hpp"

#include <fmt/format.h>

namespace cli {

namespace {

constexpr char32_t kReplacement = 0xfffd;

// Bytes of the sequence that begins with this byte; 0 if none does.
std::size_t sequence_length(unsigned first) {
  if (first < 0x80) return 1;
  return first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

}  // namespace

bool Character::is_control() const {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

Character character_at(const std::string &text, std::size_t place) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const std::size_t length = sequence_length(byte(place));
  if (length == 1) return {byte(place), 1, true};
  char32_t code = byte(place) & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(place + k) >> 6 != 2) return {kReplacement, 1, false};
    code = code << 6 | (byte(place + k) & 0x3f);
  }
  // Longer than need be, halves of pairs, and numbers above the last character.
  const bool wrong = length == 0 || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) || (code >= 0xd800 && code < 0xe000) ||
                     code > 0x10ffff;
  return wrong ? Character{kReplacement, 1, false} : Character{code, length, true};
}

std::string without_controls(const std::string &text, const std::string &replacement, const std::string &kept) {
  std::string safe;
  for (std::size_t k = 0; k < text.size();) {
    const Character c = character_at(text, k);
    const bool shown = c.is_utf8 && (!c.is_control() || (c.length == 1 && kept.find(text[k]) != std::string::npos));
    safe += shown ? text.substr(k, c.length) : replacement;
    k += c.length;
  }
  return safe;
}

std::string printable(const std::string &text) { return without_controls(text, "?"); }

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
