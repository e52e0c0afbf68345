// SPDX-License-Identifier: MIT
// Text that comes from outside: names of sequences, chains and files, texts in models, messages of other libraries. One rule says which of
// its characters reach files and terminals.
#pragma once

#include <cstddef>
#include <string>

namespace cli {

// The character of a text that begins at a place.
struct Character {
  char32_t code = 0;       // 0xfffd for a byte that is no UTF-8
  std::size_t length = 1;  // in bytes
  bool is_utf8 = true;
  // Whether a terminal or an editor obeys it instead of showing it: control characters (codes 0..31 and 127..159, line ends among them),
  // and characters that end a line or change the direction of the text.
  bool is_control() const;
};
Character character_at(const std::string &text, std::size_t place);

// The text in one line: a question mark stands for each control character, and for each byte that is no UTF-8.
std::string printable(const std::string &text);

// The same with other texts in their place; `kept` lists control characters that stay.
std::string without_controls(const std::string &text, const std::string &replacement, const std::string &kept = "");

// Text as a word of a shell and as a string of JSON.

// Quotes an argument for a shell.
std::string shell_word(const std::string &argument);

// Returns the text as a JSON string, with quotes. Control characters are escaped; bytes that are no UTF-8 become the replacement character.
std::string json_string(const std::string &text);

}  // namespace cli
