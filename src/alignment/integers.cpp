// SPDX-License-Identifier: MIT
#include "alignment/integers.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int kLargest = 254;

bool blank(char c) { return c == ' ' || c == '\t'; }
bool line_end(char c) { return c == '\n' || c == '\r'; }

[[noreturn]] void fail_number(const Text &text, const char *begin, const char *end) {
  fail(ATP_E_FORMAT, "%s:%lld: %s, expected a whole number in 0..%d (a FASTA file begins with '>')", text.label,
       static_cast<long long>(line_of(text, begin)), Quoted(begin, end).text, kLargest);
}

// Reads the number at p and moves p behind it.
int number(const Text &text, const char *&p) {
  const char *begin = p;
  int value = 0;
  for (; p < text.end() && *p >= '0' && *p <= '9'; ++p) value = std::min(value * 10 + (*p - '0'), kLargest + 1);
  const bool ends = p == text.end() || blank(*p) || line_end(*p) || *p == ',';
  if (p > begin && ends && value <= kLargest) return value;
  while (p < text.end() && !blank(*p) && !line_end(*p) && *p != ',') ++p;
  fail_number(text, begin, p);
}

// Calls sink(value) for every number of a line and moves p to the next line. Returns their count, 0 for an
// empty or comment line.
template <class Sink>
int64_t read_line(const Text &text, const char *&p, Sink &&sink) {
  const auto skip_blanks = [&] {
    while (p < text.end() && blank(*p)) ++p;
  };
  const auto skip_line_end = [&] {
    if (p == text.end()) return;
    p += *p == '\r' && p + 1 < text.end() && p[1] == '\n' ? 2 : 1;
  };
  skip_blanks();
  if (p < text.end() && *p == '#')
    while (p < text.end() && !line_end(*p)) ++p;
  int64_t n = 0;
  while (p < text.end() && !line_end(*p)) {
    sink(number(text, p));
    ++n;
    skip_blanks();
    if (p < text.end() && *p == ',') {
      const char *comma = p++;
      skip_blanks();
      if (p == text.end() || line_end(*p) || *p == ',')
        fail(ATP_E_FORMAT, "%s:%lld: nothing after a comma, expected a whole number in 0..%d", text.label,
             static_cast<long long>(line_of(text, comma)), kLargest);
    }
  }
  skip_line_end();
  return n;
}

}  // namespace

Alignment *parse_integers(Context &context, const Text &marked, int64_t colors) {
  const Text text = without_mark(marked);
  AlignmentShape shape;
  int largest = 0;
  for (const char *p = text.begin(); p < text.end();) {
    const char *begin = p;
    const int64_t n = read_line(text, p, [&](int value) {
      largest = std::max(largest, value);
      if (colors > 0 && value >= colors)
        fail(ATP_E_ALPHABET, "%s:%lld: number %d, must be below the %lld colours", text.label, static_cast<long long>(line_of(text, begin)),
             value, static_cast<long long>(colors));
    });
    if (n == 0) continue;
    if (shape.count == 0) shape.sites = n;
    if (n != shape.sites || n < 2)
      fail(ATP_E_FORMAT, "%s:%lld: %lld numbers, expected %s%lld", text.label, static_cast<long long>(line_of(text, begin)),
           static_cast<long long>(n), n < 2 ? "at least " : "as many as before, ", static_cast<long long>(n < 2 ? 2 : shape.sites));
    ++shape.count;
  }
  if (shape.count == 0) fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
  shape.colors = colors > 0 ? colors : std::max(2, largest + 1);
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, shape);
  uint8_t *out = made->own_sequences.data();
  for (const char *p = text.begin(); p < text.end();) read_line(text, p, [&](int value) { *out++ = static_cast<uint8_t>(value); });
  for (double &w : made->weights) w = 1;
  return made;
}

}  // namespace atp
