// SPDX-License-Identifier: MIT
#include "structures/strict_text.hpp"

#include "text/parse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>

namespace cli {

namespace {

// States of protonation and of bonds, and states of phosphates.
const std::map<std::string, std::string> kAminoAcids = {
    {"HID", "HIS"},  {"HIE", "HIS"},  {"HIP", "HIS"},  {"HSC", "HIS"},  {"HSD", "HIS"},  {"HSE", "HIS"},  {"HSP", "HIS"},  {"HISA", "HIS"},
    {"HISB", "HIS"}, {"HISD", "HIS"}, {"HISE", "HIS"}, {"HISH", "HIS"}, {"HIS1", "HIS"}, {"HIS2", "HIS"}, {"CYX", "CYS"},  {"CYM", "CYS"},
    {"CYN", "CYS"},  {"CYSH", "CYS"}, {"CYS1", "CYS"}, {"CYS2", "CYS"}, {"ASH", "ASP"},  {"ASPH", "ASP"}, {"ASPP", "ASP"}, {"GLH", "GLU"},
    {"GLUH", "GLU"}, {"GLUP", "GLU"}, {"LYN", "LYS"},  {"LYP", "LYS"},  {"LSN", "LYS"},  {"LYSH", "LYS"}, {"LYSN", "LYS"}, {"ARN", "ARG"},
    {"ARGN", "ARG"}, {"TYM", "TYR"},  {"S1P", "SEP"},  {"T1P", "TPO"},  {"Y1P", "PTR"}};
const std::string kStandard = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ";
const std::map<std::string, char> kBases = {{"ADE", 'A'}, {"CYT", 'C'}, {"GUA", 'G'}, {"THY", 'T'}, {"URA", 'U'}, {"URI", 'U'}};

// N or C before an amino acid: a residue at that end of a chain.
std::string amino_acid(const std::string &name) {
  if (const auto found = kAminoAcids.find(name); found != kAminoAcids.end()) return found->second;
  if (name.size() != 4 || (name[0] != 'N' && name[0] != 'C')) return "";
  const std::string rest = name.substr(1);
  return kStandard.find(rest + " ") != std::string::npos ? rest : amino_acid(rest);
}

// R or D for the sugar, the base, and 5, 3 or N for an end of the chain or a nucleoside.
std::string nucleotide(std::string name) {
  const bool sugar = name[0] == 'R' || name[0] == 'D';
  const bool deoxy = name[0] == 'D';
  if (sugar) name.erase(0, 1);
  char base = 0;
  if (const auto found = kBases.find(name); found != kBases.end()) {
    base = found->second;
  } else {
    const bool end = name.size() == 2 && std::string("53N").find(name[1]) != std::string::npos;
    if (std::string("ACGTU").find(name[0]) != std::string::npos && (end || (name.size() == 1 && sugar))) base = name[0];
  }
  if (base == 0) return "";
  return (deoxy || base == 'T' ? "D" : "") + std::string(1, base);
}

}  // namespace

std::string common_residue_name(const std::string &name) {
  if (name.empty()) return "";
  std::string common = amino_acid(name);
  if (common.empty()) common = nucleotide(name);
  return common == name ? "" : common;
}

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
