// SPDX-License-Identifier: MIT
// Reads values of flags from text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// Rows of a data set: FIRST:COUNT.
struct Rows {
  int64_t first = 0, count = -1;  // -1: to the end
  bool all() const { return first == 0 && count < 0; }
};

// Words, each with its value.
template <class T>
using Words = std::vector<std::pair<std::string, T>>;

template <class T>
std::vector<std::string> names_of(const Words<T> &words) {
  std::vector<std::string> names;
  for (const auto &word : words) names.push_back(word.first);
  return names;
}

// The word of a value; "" where no word has it.
template <class T>
std::string word_of(const Words<T> &words, const T &value) {
  for (const auto &[word, known] : words)
    if (known == value) return word;
  return "";
}

// A fraction, or the word auto.
struct AutoFraction {
  bool automatic = true;
  double value = 0;
};

// The read_ functions return "", or what is wrong: `is "x", expected a whole number >= 1`.
// A whole number in lowest..highest, written as 12000 or as 1e4.
std::string read_count(const std::string &text, int64_t lowest, int64_t highest, int64_t &value);
// A size in bytes: 500M, 2G, 1.5GiB or 65536.
std::string read_bytes(const std::string &text, int64_t &bytes);
// Whether the whole text is a number, also an infinite one.
bool is_number(const std::string &text);
// A finite number in lowest..highest.
std::string read_number(const std::string &text, double lowest, double highest, double &value);
// Seconds, or with a unit: 500ms, 90s, 10min, 10m, 2h, 1d.
std::string read_seconds(const std::string &text, double lowest, double highest, double &seconds);
// "0.5,1,2", or "LO:HI:COUNT" for evenly spaced numbers with both ends.
std::string read_list(const std::string &text, double lowest, double highest, std::vector<double> &values);
// What is wrong with a text that should be one of some words.
std::string not_one_of(const std::string &text, const std::vector<std::string> &words);

// The same for flags that a subcommand keeps as text; they fail with one line that begins with the flag.
int64_t parse_count(const std::string &flag, const std::string &text, int64_t lowest, int64_t highest);
double parse_number(const std::string &flag, const std::string &text, double lowest, double highest);
std::vector<double> parse_list(const std::string &flag, const std::string &text, double lowest, double highest);
// Returns the index of the word.
std::size_t parse_word(const std::string &flag, const std::string &text, const std::vector<std::string> &words);

}  // namespace cli
