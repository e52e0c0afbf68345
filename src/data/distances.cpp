// SPDX-License-Identifier: MIT
#include "data/distances.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace atp {

namespace {

struct Token {
  const char *begin = nullptr, *end = nullptr;
};

constexpr int kMostColumns = 5;  // one more than is allowed

bool separates(char c) { return c == ' ' || c == '\t' || c == ','; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }

// Reads the tokens of a line up to a comment, at most kMostColumns of them, and moves p to the next line.
int read_line(const Text &text, const char *&p, Token *tokens) {
  int count = 0;
  bool comment = false;
  while (p < text.end() && !ends_line(*p)) {
    comment = comment || *p == '#';
    if (comment || separates(*p)) {
      ++p;
      continue;
    }
    const char *begin = p;
    while (p < text.end() && !separates(*p) && !ends_line(*p) && *p != '#') ++p;
    if (count < kMostColumns) tokens[count++] = {begin, p};
  }
  if (p < text.end()) p += *p == '\r' && p + 1 < text.end() && p[1] == '\n' ? 2 : 1;
  return count;
}

[[noreturn]] void refuse(const Text &text, const Token &token, const char *expected) {
  fail(ATP_E_FORMAT, "%s:%lld: %s, expected %s", text.label, static_cast<long long>(line_of(text, token.begin)),
       Quoted(token.begin, token.end).text, expected);
}

template <class Number>
Number number(const Text &text, const Token &token, const char *expected) {
  Number value{};
  const std::from_chars_result result = std::from_chars(token.begin, token.end, value);
  if (result.ec != std::errc() || result.ptr != token.end) refuse(text, token, expected);
  return value;
}

class Sites {
 public:
  Sites(const int64_t *numbers, int64_t count)
      : numbers_(numbers), count_(count), sorted_(numbers != nullptr && std::is_sorted(numbers, numbers + count)) {}
  // The index of a site number; -1 if there is none.
  int64_t find(int64_t number) const {
    if (numbers_ == nullptr) return number >= 1 && number <= count_ ? number - 1 : -1;
    const int64_t *end = numbers_ + count_;
    const int64_t *place = sorted_ ? std::lower_bound(numbers_, end, number) : std::find(numbers_, end, number);
    return place < end && *place == number ? place - numbers_ : -1;
  }

 private:
  const int64_t *numbers_;
  int64_t count_;
  bool sorted_;
};

}  // namespace

namespace {

constexpr const char *kSite = "a whole number, of a site", *kDistance = "a distance, a finite number >= 0";

// Calls sink(i, j, distance) for every line.
template <class Sink>
void read_lines(const Text &text, Sink &&sink) {
  int columns = 0;
  for (const char *p = text.begin(); p < text.end();) {
    Token tokens[kMostColumns];
    const int count = read_line(text, p, tokens);
    if (count == 0) continue;
    if ((count != 3 && count != 4) || (columns != 0 && count != columns))
      fail(ATP_E_FORMAT, "%s:%lld: %s%d columns, expected %s: i j d, or i j x d", text.label,
           static_cast<long long>(line_of(text, tokens[0].begin)), count == kMostColumns ? "at least " : "", count,
           columns == 0   ? "3 or 4"
           : columns == 3 ? "3 as before"
                          : "4 as before");
    columns = count;
    const int64_t i = number<int64_t>(text, tokens[0], kSite), j = number<int64_t>(text, tokens[1], kSite);
    const double distance = number<double>(text, tokens[count - 1], kDistance);
    if (!(distance >= 0) || std::isinf(distance)) refuse(text, tokens[count - 1], kDistance);
    sink(i, j, distance);
  }
}

}  // namespace

DistanceCount parse_distances(const Text &marked, const int64_t *numbers, int64_t sites, double *out) {
  const Text text = without_mark(marked);
  const Sites places(numbers, sites);
  // A first pass checks everything before anything is written.
  read_lines(text, [](int64_t, int64_t, double) {});
  std::fill_n(out, sites * sites, std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < sites; ++i) out[i * sites + i] = 0;
  DistanceCount found;
  read_lines(text, [&](int64_t i, int64_t j, double distance) {
    if (i == j) return;
    ++found.pairs;
    const int64_t a = places.find(i), b = places.find(j);
    if (a < 0 || b < 0) return;
    ++found.used;
    double &known = out[a * sites + b];
    if (std::isnan(known) || distance < known) known = out[b * sites + a] = distance;
  });
  return found;
}

}  // namespace atp
