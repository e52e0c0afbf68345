// SPDX-License-Identifier: MIT
#include "support/parse.hpp"

#include "support/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace cli {

namespace {

bool to_number(const std::string &text, double &value) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

std::string range(double lowest, double highest) {
  if (highest >= 1e15) return fmt::format(">= {:g}", lowest);
  return fmt::format("in {:.10g}..{:.10g}", lowest, highest);
}

}  // namespace

int64_t parse_count(const std::string &flag, const std::string &text, int64_t lowest, int64_t highest) {
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(begin, &end, 10);
  bool good = !text.empty() && !std::isspace(static_cast<unsigned char>(text[0])) && *end == '\0' && errno == 0;
  double real = 0;
  if (!good && to_number(text, real) && std::fabs(real) < 9e15 && real == std::floor(real)) {
    value = static_cast<long long>(real);
    good = true;
  }
  if (!good || value < lowest || value > highest)
    wrong_use("{} is \"{}\", expected a whole number {}", flag, text, range(static_cast<double>(lowest), static_cast<double>(highest)));
  return value;
}

int64_t parse_bytes(const std::string &flag, const std::string &text) {
  // Digits and a point alone: a number may also be hexadecimal or have an exponent, whose letters are not a unit.
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string unit = text.substr(digits), letters = "KMGT";
  double size = 0;
  bool good = digits > 0 && text[0] != '.' && to_number(text.substr(0, digits), size);
  if (!unit.empty()) {
    const std::size_t power = letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
    const std::string rest = unit.substr(power == std::string::npos ? 0 : 1);
    good = good && (rest.empty() || rest == "B" || (rest == "iB" && power != std::string::npos));
    if (power != std::string::npos) size *= std::pow(rest == "iB" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  if (!good || !(size < 9e18)) wrong_use("{} is \"{}\", expected a size like 500M, 2G, 1.5GiB or 65536", flag, text);
  return static_cast<int64_t>(size);
}

double parse_number(const std::string &flag, const std::string &text, double lowest, double highest) {
  double value = 0;
  if (!to_number(text, value) || value < lowest || value > highest)
    wrong_use("{} is \"{}\", expected a number {}", flag, text, range(lowest, highest));
  return value;
}

std::vector<double> parse_list(const std::string &flag, const std::string &text, double lowest, double highest) {
  std::vector<std::string> parts;
  const char separator = text.find(':') != std::string::npos ? ':' : ',';
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();
  if (parts.empty() || (separator == ':' && parts.size() != 3))
    wrong_use("{} is \"{}\", expected a list \"0.5,1,2\" or \"LO:HI:COUNT\"", flag, text);
  std::vector<double> values;
  if (separator == ',') {
    for (const std::string &part : parts) values.push_back(parse_number(flag, part, lowest, highest));
    return values;
  }
  const double low = parse_number(flag, parts[0], lowest, highest), high = parse_number(flag, parts[1], lowest, highest);
  const int64_t count = parse_count(flag, parts[2], 2, 1000000);
  for (int64_t k = 0; k < count; ++k) values.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(count - 1));
  return values;
}

std::size_t parse_word(const std::string &flag, const std::string &text, const std::vector<std::string> &words) {
  std::string expected;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == text) return k;
    expected += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  }
  wrong_use("{} is \"{}\", expected {}", flag, text, expected);
}

Rows parse_rows(const std::string &flag, const std::string &text) {
  Rows rows;
  if (text.empty()) return rows;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) wrong_use("{} is \"{}\", expected FIRST:COUNT, \"0:3000\" say", flag, text);
  rows.first = parse_count(flag, text.substr(0, colon), 0, INT64_MAX / 2);
  rows.count = parse_count(flag, text.substr(colon + 1), 1, INT64_MAX / 2);
  return rows;
}

void check_alphabet(const std::string &flag, const std::string &text) {
  if (text == "protein" || text == "rna" || text == "dna") return;
  bool good = text.size() >= 2;
  for (std::size_t k = 0; k < text.size(); ++k)
    good = good && text[k] > ' ' && text[k] < 127 && text[k] != '>' && text.find(text[k], k + 1) == std::string::npos;
  if (!good) wrong_use("{} is \"{}\", expected protein, rna, dna or different printable symbols, first the gap", flag, text);
}

void set_option(atp_options *options, atp_option key, const std::string &flag, const std::string &text) {
  double lowest = 0, highest = 0;
  int integer = 0;
  check(atp_option_bounds(key, &lowest, &highest, nullptr, &integer));
  // The precision has bounds and two values within them.
  if (key == ATP_OPT_PRECISION && text != "32" && text != "64") wrong_use("{} is \"{}\", expected 32 or 64", flag, text);
  if (integer != 0) {
    check(atp_options_set_i64(options, key, parse_count(flag, text, static_cast<int64_t>(lowest), static_cast<int64_t>(highest))), flag);
  } else {
    check(atp_options_set_f64(options, key, parse_number(flag, text, lowest, highest)), flag);
  }
}

}  // namespace cli
