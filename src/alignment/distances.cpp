// SPDX-License-Identifier: MIT
#include "alignment/distances.hpp"

#include "base/error.hpp"
#include "base/parse_real.hpp"
#include "base/symmetric.hpp"

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

constexpr const char *kSite = "a whole number, of a site", *kDistance = "a distance, a finite number >= 0";
constexpr double kMostNumber = 9007199254740992.0;  // 2^53, the largest number of a site

bool is_site(double number) { return std::fabs(number) <= kMostNumber && number == std::floor(number); }

bool is_whole(const Token &token, const std::from_chars_result &result) { return result.ec == std::errc() && result.ptr == token.end; }
bool parse(const Token &token, int64_t &value) { return is_whole(token, std::from_chars(token.begin, token.end, value)); }
bool parse(const Token &token, double &value) { return is_whole(token, parse_real(token.begin, token.end, value)); }

// The number of a site, "11" or "1.1e+01" as numpy.savetxt writes it.
int64_t site(const Text &text, const Token &token) {
  int64_t whole = 0;
  if (parse(token, whole)) return whole;
  double real = 0;
  if (!parse(token, real) || !is_site(real)) refuse(text, token, kSite);
  return static_cast<int64_t>(real);
}

double distance_in(const Text &text, const Token &token) {
  double value = 0;
  if (!parse(token, value) || !(value >= 0) || std::isinf(value)) refuse(text, token, kDistance);
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
    const int64_t i = site(text, tokens[0]), j = site(text, tokens[1]);
    sink(i, j, distance_in(text, tokens[count - 1]));
  }
}

// Calls sink(i, j, distance) for every row of an array.
template <class Sink>
void read_rows(const DistanceRows &rows, Sink &&sink) {
  for (int64_t n = 0; n < rows.count; ++n) {
    const double *row = rows.numbers + n * rows.columns, distance = row[rows.columns - 1];
    const auto refuse_row = [&](double found, const char *expected) {
      fail(ATP_E_FORMAT, "%s: row %lld has %g, expected %s", rows.label, static_cast<long long>(n), found, expected);
    };
    for (int k = 0; k < 2; ++k)
      if (!is_site(row[k])) refuse_row(row[k], kSite);
    if (!(distance >= 0) || std::isinf(distance)) refuse_row(distance, kDistance);
    sink(static_cast<int64_t>(row[0]), static_cast<int64_t>(row[1]), distance);
  }
}

// Fills the matrix from read(sink), which calls sink(i, j, distance).
template <class Read>
DistanceCount fill(const Sites &places, int64_t sites, double *out, Read &&read) {
  // A first pass checks everything before anything is written.
  read([](int64_t, int64_t, double) {});
  std::fill_n(out, sites * sites, std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < sites; ++i) out[i * sites + i] = 0;
  DistanceCount found;
  read([&](int64_t i, int64_t j, double distance) {
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

}  // namespace

DistanceCount parse_distances(const Text &marked, const int64_t *numbers, int64_t sites, double *out) {
  const Text text = without_mark(marked);
  return fill(Sites(numbers, sites), sites, out, [&](auto &&sink) { read_lines(text, sink); });
}

DistanceCount distances_of_rows(const DistanceRows &rows, const int64_t *numbers, int64_t sites, double *out) {
  return fill(Sites(numbers, sites), sites, out, [&](auto &&sink) { read_rows(rows, sink); });
}

DistanceCount distances_of_matrix(const double *matrix, const char *label, int64_t sites, double *out) {
  require_symmetric(matrix, sites, label, Symmetric::distances, kOfFile);
  return fill(Sites(nullptr, sites), sites, out, [&](auto &&sink) {
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < i; ++j) {
        const double d = std::fmin(matrix[i * sites + j], matrix[j * sites + i]);
        const double larger = std::fmax(matrix[i * sites + j], matrix[j * sites + i]);
        if (d < 0 || std::isinf(larger))
          fail(ATP_E_FORMAT, "%s: row %lld, column %lld has %g, expected a finite number >= 0, or NaN for an unknown distance", label,
               static_cast<long long>(i), static_cast<long long>(j), d < 0 ? d : larger);
        if (!std::isnan(d)) sink(j + 1, i + 1, d);
      }
  });
}

}  // namespace atp
