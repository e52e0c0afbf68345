// SPDX-License-Identifier: MIT
// Commands that stand in a table as text.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cli {

// Splits a command into words as a shell does, without expansion: '...', "..." and \ quote; $, * and ~ mean themselves. Returns "", or what
// is wrong: `has a quote ' without an end`.
std::string read_words(const std::string &command, std::vector<std::string> &words);

// Replaces each {name} in a word by its value; {{ and }} are braces. Returns "", or what is wrong.
std::string fill_places(std::string &word, const std::map<std::string, std::string> &values);

}  // namespace cli
