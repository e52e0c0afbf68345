// SPDX-License-Identifier: MIT
#include "support/command_words.hpp"

#include "support/suggestions.hpp"

#include <fmt/format.h>

#include <cstring>

namespace cli {

namespace {

// Reads the quoted text that begins at `at`, and moves `at` to the quote that ends it. False if there is none.
bool read_quoted(const std::string &command, std::size_t &at, std::string &word) {
  const char quote = command[at];
  for (++at; at < command.size() && command[at] != quote; ++at) {
    const bool escapes =
        quote == '"' && command[at] == '\\' && at + 1 < command.size() && std::strchr("\"\\$`", command[at + 1]) != nullptr;
    word += command[escapes ? ++at : at];
  }
  return at < command.size();
}

}  // namespace

std::string read_words(const std::string &command, std::vector<std::string> &words) {
  words.clear();
  std::string word;
  bool inside = false;  // a word may be empty: ''
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (std::strchr(" \t\r\n", c) != nullptr) {
      if (inside) words.push_back(word);
      inside = false;
      word.clear();
      continue;
    }
    if (std::strchr("<>|;&", c) != nullptr)
      return fmt::format("has {} outside of quotes, expected one command; what it prints goes to files in --logs", c);
    inside = true;
    if (c == '\'' || c == '"') {
      if (!read_quoted(command, at, word)) return fmt::format("has a quote {} without an end", c);
    } else if (c == '\\') {
      if (++at == command.size()) return "ends with \\, expected a character after it";
      word += command[at];
    } else {
      word += c;
    }
  }
  if (inside) words.push_back(word);
  return "";
}

std::string fill_places(std::string &word, const std::map<std::string, std::string> &values) {
  std::string filled;
  for (std::size_t at = 0; at < word.size(); ++at) {
    const char c = word[at];
    if (c != '{' && c != '}') {
      filled += c;
    } else if (at + 1 < word.size() && word[at + 1] == c) {
      filled += word[at++];
    } else {
      const std::size_t end = c == '{' ? word.find('}', at) : std::string::npos;
      if (end == std::string::npos) return fmt::format("has {} alone, expected {{COLUMN}}, or {}{} for the character", c, c, c);
      const std::string name = word.substr(at + 1, end - at - 1);
      const auto value = values.find(name);
      if (value == values.end()) {
        std::vector<std::string> names;
        for (const auto &known : values) names.push_back(known.first);
        return fmt::format("has {{{}}}, expected a column: {}{}", name, fmt::join(names, ", "), did_you_mean(name, names));
      }
      filled += value->second;
      at = end;
    }
  }
  word = filled;
  return "";
}

}  // namespace cli
