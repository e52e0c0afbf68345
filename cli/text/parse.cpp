// SPDX-License-Identifier: MIT
#include "text/parse.hpp"

#include "text/failure.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
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
  if (lowest == -highest) return fmt::format("of at most {:g} in magnitude", highest);
  if (highest >= 1e15) return fmt::format(">= {:g}", lowest);
  return fmt::format("in {:.10g}..{:.10g}", lowest, highest);
}

void require(const std::string &flag, const std::string &problem) {
  if (!problem.empty()) wrong_use("{} {}", flag, problem);
}

}  // namespace

bool is_number(const std::string &text) {
  char *end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

std::string read_count(const std::string &text, int64_t lowest, int64_t highest, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoll(text.c_str(), &end, 10);
  bool good = !text.empty() && !std::isspace(static_cast<unsigned char>(text[0])) && *end == '\0' && errno == 0;
  double real = 0;
  if (!good && to_number(text, real) && std::fabs(real) < 9e15 && real == std::floor(real)) {
    value = static_cast<int64_t>(real);
    good = true;
  }
  if (good && value >= lowest && value <= highest) return "";
  // A bound that nobody meets by chance is named only to those who are above it.
  const bool above = good ? value > highest : to_number(text, real) && real > static_cast<double>(highest);
  if (highest >= 1000000000000000 && !above) return fmt::format("is \"{}\", expected a whole number >= {}", text, lowest);
  return fmt::format("is \"{}\", expected a whole number in {}..{}", text, lowest, highest);
}

std::string read_bytes(const std::string &text, int64_t &bytes) {
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
  if (!good || !(size < 9e18) || (size > 0 && size < 1))
    return fmt::format("is \"{}\", expected a size like 500M, 2G, 1.5GiB or 65536", text);
  bytes = static_cast<int64_t>(size);
  return "";
}

std::string read_seconds(const std::string &text, double lowest, double highest, double &seconds) {
  static const std::vector<std::pair<std::string, double>> units = {{"ms", 1e-3}, {"s", 1},    {"min", 60},
                                                                    {"m", 60},    {"h", 3600}, {"d", 86400}};
  double unit = 1;
  std::string number = text;
  for (const auto &[name, factor] : units) {
    const bool ends = number.size() > name.size() && number.compare(number.size() - name.size(), name.size(), name) == 0;
    if (!ends) continue;
    number.erase(number.size() - name.size());
    unit = factor;
    break;
  }
  if (to_number(number, seconds) && (seconds *= unit) >= lowest && seconds <= highest) return "";
  return fmt::format("is \"{}\", expected a time {} seconds, like 30, 90s, 10min or 2h", text, range(lowest, highest));
}

std::string read_number(const std::string &text, double lowest, double highest, double &value) {
  if (to_number(text, value) && value >= lowest && value <= highest) return "";
  return fmt::format("is \"{}\", expected a number {}", text, range(lowest, highest));
}

std::string read_list(const std::string &text, double lowest, double highest, std::vector<double> &values) {
  std::vector<std::string> parts;
  const char separator = text.find(':') != std::string::npos ? ':' : ',';
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();
  if (parts.empty() || (separator == ':' && parts.size() != 3))
    return fmt::format("is \"{}\", expected a list \"0.5,1,2\" or \"LO:HI:COUNT\"", text);
  values.clear();
  const std::size_t numbers = separator == ',' ? parts.size() : 2;
  for (std::size_t k = 0; k < numbers; ++k) {
    double value = 0;
    const std::string problem = read_number(parts[k], lowest, highest, value);
    if (!problem.empty()) return problem;
    values.push_back(value);
  }
  if (separator == ',') return "";
  int64_t count = 0;
  const std::string problem = read_count(parts[2], 2, 1000000, count);
  if (!problem.empty()) return problem;
  const double low = values[0], high = values[1];
  values.clear();
  for (int64_t k = 0; k < count; ++k) values.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(count - 1));
  return "";
}

std::string not_one_of(const std::string &text, const std::vector<std::string> &words) {
  std::string expected;
  for (std::size_t k = 0; k < words.size(); ++k) expected += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  return fmt::format("is \"{}\", expected {}", text, expected);
}

int64_t parse_count(const std::string &flag, const std::string &text, int64_t lowest, int64_t highest) {
  int64_t value = 0;
  require(flag, read_count(text, lowest, highest, value));
  return value;
}

double parse_number(const std::string &flag, const std::string &text, double lowest, double highest) {
  double value = 0;
  require(flag, read_number(text, lowest, highest, value));
  return value;
}

std::vector<double> parse_list(const std::string &flag, const std::string &text, double lowest, double highest) {
  std::vector<double> values;
  require(flag, read_list(text, lowest, highest, values));
  return values;
}

std::size_t parse_word(const std::string &flag, const std::string &text, const std::vector<std::string> &words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) require(flag, not_one_of(text, words));
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace cli
