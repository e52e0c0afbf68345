// SPDX-License-Identifier: MIT
#include "structures/strict_text.hpp"

#include "structures/residue_names.hpp"
#include "text/parse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace cli {

namespace {

// Places of fields in a line, from 0.
struct Field {
  const char *name;
  std::size_t place, size;
};
constexpr Field kResidue{"the residue's name", 17, 4}, kNumber{"the residue's number", 22, 4}, kBlank{"the gap before x", 27, 3};
constexpr Field kCoordinates[] = {{"x", 30, 8}, {"y", 38, 8}, {"z", 46, 8}};
constexpr Field kOccupancy{"the occupancy", 54, 6}, kFactor{"the B factor", 60, 6};
constexpr std::size_t kSecondLetter = 20;  // of the residue's name, or the first of a chain's

bool begins_with(const std::string &line, const std::string &record) {
  return line.size() >= record.size() && std::equal(record.begin(), record.end(), line.begin(),
                                                    [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); });
}

std::string trimmed(const std::string &line, const Field &field) {
  if (line.size() <= field.place) return "";
  const std::string text = line.substr(field.place, field.size);
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

void check_number(const std::string &line, const Field &field, double most) {
  const std::string text = trimmed(line, field);
  double value = 0;
  std::string problem = read_number(text, -most, most, value);
  // A number of strtod() may also be hexadecimal.
  if (problem.empty() && text.find_first_not_of("0123456789+-.eE") != std::string::npos) problem = "is \"" + text + "\", expected a number";
  if (!problem.empty())
    throw std::runtime_error(fmt::format("{} (columns {} to {}) {}", field.name, field.place + 1, field.place + field.size, problem));
}

// A whole number, or four letters and digits of hybrid-36.
void check_residue_number(const std::string &line) {
  const std::string text = trimmed(line, kNumber);
  const bool lettered = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text.size() == kNumber.size;
  int64_t number = 0;
  const bool good = lettered ? std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; })
                             : text.find_first_not_of("0123456789+-") == std::string::npos && read_count(text, -999, 9999, number).empty();
  if (!good) throw std::runtime_error(fmt::format("{} (columns 23 to 26) is \"{}\", expected a whole number", kNumber.name, text));
}

void check_atom(const std::string &line) {
  constexpr std::size_t kShortest = 54;
  if (line.size() < kShortest)
    throw std::runtime_error(fmt::format("has {} columns, expected at least {}: \"{}\"", line.size(), kShortest, line));
  check_residue_number(line);
  if (const std::string text = trimmed(line, kBlank); !text.empty())
    throw std::runtime_error(fmt::format("{} (columns 28 to 30) is \"{}\", expected blanks", kBlank.name, text));
  for (const Field &field : kCoordinates) check_number(line, field, kMostCoordinate);
  for (const Field &field : {kOccupancy, kFactor})
    if (!trimmed(line, field).empty()) check_number(line, field, kMostCoordinate);
}

struct Lines {
  explicit Lines(const std::string &whole) : text(whole) {}
  const std::string &text;
  std::size_t begin = 0, number = 0;
  std::string line;
  bool next() {
    if (begin >= text.size()) return false;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    line = text.substr(begin, end - begin);
    ++number;
    begin = end + 1;
    // What comes after END is not read.
    return !(begins_with(line, "END") && (line.size() == 3 || std::isspace(static_cast<unsigned char>(line[3])) != 0));
  }
  bool is_atom() const { return begins_with(line, "ATOM") || begins_with(line, "HETA"); }
  std::size_t place() const { return begin - 1 - line.size(); }
};

// Whether column 21 belongs to the names of residues, not to names of chains with two letters.
bool has_long_names(const std::string &text) {
  bool found = false;
  for (Lines lines(text); lines.next();) {
    if (!lines.is_atom() || lines.line.size() <= kSecondLetter || lines.line[kSecondLetter] == ' ') continue;
    const std::string name = trimmed(lines.line, kResidue);
    if (name.size() != kResidue.size || common_residue_name(name).empty()) return false;
    found = true;
  }
  return found;
}

}  // namespace

void check_pdb(std::string &text) {
  const bool long_names = has_long_names(text);
  for (Lines lines(text); lines.next();) {
    if (!lines.is_atom()) continue;
    try {
      check_atom(lines.line);
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(fmt::format("line {}: {}", lines.number, error.what()));
    }
    if (long_names && lines.line[kSecondLetter] != ' ')
      text.replace(lines.place() + kResidue.place, kResidue.size,
                   fmt::format("{:>3} ", common_residue_name(trimmed(lines.line, kResidue))));
    if (lines.line.size() >= kFactor.place && trimmed(lines.line, kOccupancy).empty())
      text.replace(lines.place() + kOccupancy.place, kOccupancy.size, "  1.00");
  }
}

}  // namespace cli
