// SPDX-License-Identifier: MIT
#include "potts/mutation_text.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstddef>

namespace atp {

namespace {

constexpr const char *kSeparators = "/:,";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

char shown(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

// The beginning of a piece as messages show it.
struct Shown {
  char text[41] = "";
};

// A piece of the text.
struct Piece {
  const char *begin, *end;
  Shown show() const {
    Shown made;
    const std::ptrdiff_t n = std::min<std::ptrdiff_t>(end - begin, sizeof made.text - 1);
    std::transform(begin, begin + n, made.text, shown);
    return made;
  }
  void trim() {
    while (begin < end && is_blank(*begin)) ++begin;
    while (begin < end && is_blank(end[-1])) --end;
  }
};

class MutationParser {
 public:
  MutationParser(const Model &model, const uint8_t *sequence) : model_(model), sequence_(sequence) {}

  // Calls take(change) for each mutation of the text.
  template <class Take>
  void parse(const char *text, Take &&take) {
    for (line_ = 0; *text != 0; ++line_) {
      Piece line{text, text + std::strcspn(text, "\n")};
      text = *line.end == 0 ? line.end : line.end + 1;
      line.trim();
      parse_line(line, take);
    }
  }

 private:
  const Model &model_;
  const uint8_t *sequence_;
  int64_t line_ = 0;

  template <class Take>
  void parse_line(const Piece &line, Take &&take) {
    const char *at = line.begin;
    while (true) {
      Piece piece{at, at};
      while (piece.end < line.end && std::strchr(kSeparators, *piece.end) == nullptr) ++piece.end;
      at = piece.end;
      piece.trim();
      const Change change = change_of(piece);
      require_new(line, piece, change);
      take(change);
      if (at == line.end) return;
      ++at;
    }
  }

  // The pieces before this one are valid: they are read again, so that no list of sites is needed.
  void require_new(const Piece &line, const Piece &piece, const Change &change) const {
    for (const char *at = line.begin; at < piece.begin;) {
      Piece other{at, at};
      while (std::strchr(kSeparators, *other.end) == nullptr) ++other.end;
      at = other.end + 1;
      if (at > piece.begin) return;
      other.trim();
      if (change_of(other).site == change.site)
        fail(ATP_E_FORMAT, "line %lld: \"%s\": the mutant changes site %lld twice, must change each site once", number_of_line(),
             piece.show().text, static_cast<long long>(model_.labels.numbers()[change.site]));
    }
  }

  long long number_of_line() const { return static_cast<long long>(line_ + 1); }

  Change change_of(const Piece &piece) const {
    const auto bytes = piece.end - piece.begin;
    const bool deletion = bytes > 4 && std::strncmp(piece.end - 3, "del", 3) == 0 && is_digit(piece.end[-4]);
    const char *digits_end = piece.end - (deletion ? 3 : 1), *digits = piece.begin + 1;
    if (digits < digits_end && *digits == '-') ++digits;
    if (bytes < 3 || digits >= digits_end || digits_end - digits > 15 || !std::all_of(digits, digits_end, is_digit))
      fail(ATP_E_FORMAT, "line %lld: \"%s\" is not a mutation like A110D, with / : or , between several", number_of_line(),
           piece.show().text);
    const int64_t from = color_of(*piece.begin, piece), site = site_of(piece, digits, digits_end);
    require_wild_type(piece, site, from);
    return {line_, site, deletion ? gap_of(piece) : color_of(digits_end[0], piece)};
  }

  int64_t site_of(const Piece &piece, const char *digits, const char *end) const {
    int64_t number = 0;
    for (const char *p = digits; p < end; ++p) number = number * 10 + (*p - '0');
    if (digits - 1 > piece.begin && digits[-1] == '-') number = -number;  // the first letter may be a gap
    const Span<const int64_t> numbers = model_.labels.numbers();
    const int64_t *found = std::find(numbers.begin(), numbers.end(), number);
    if (found == numbers.end())
      fail(ATP_E_FORMAT, "line %lld: \"%s\": the model has no site %lld, its sites are within %lld..%lld", number_of_line(),
           piece.show().text, static_cast<long long>(number), static_cast<long long>(*std::min_element(numbers.begin(), numbers.end())),
           static_cast<long long>(*std::max_element(numbers.begin(), numbers.end())));
    return found - numbers.begin();
  }

  int64_t color_of(char symbol, const Piece &piece) const {
    const char *alphabet = model_.alphabet, *place = std::strchr(alphabet, symbol);
    if (symbol == '-' && gap_color(model_.alphabet) < 0) gap_of(piece);
    if (place == nullptr)
      fail(ATP_E_FORMAT, "line %lld: \"%s\": %c is not a symbol of the alphabet %s", number_of_line(), piece.show().text, shown(symbol),
           alphabet);
    return place - alphabet;
  }

  int64_t gap_of(const Piece &piece) const {
    const int64_t gap = gap_color(model_.alphabet);
    if (gap < 0)
      fail(ATP_E_FORMAT, "line %lld: \"%s\" is a deletion, but the model has no gap: it was learned with gaps as missing data",
           number_of_line(), piece.show().text);
    return gap;
  }

  void require_wild_type(const Piece &piece, int64_t site, int64_t from) const {
    const auto number = static_cast<long long>(model_.labels.numbers()[site]);
    if (sequence_[site] == kMissing)
      fail(ATP_E_MISMATCH, "line %lld: \"%s\": site %lld is missing in the sequence, the mutation has %c", number_of_line(),
           piece.show().text, number, model_.alphabet[from]);
    if (sequence_[site] != from)
      fail(ATP_E_MISMATCH, "line %lld: \"%s\": site %lld is %c in the sequence, not %c", number_of_line(), piece.show().text, number,
           model_.alphabet[sequence_[site]], model_.alphabet[from]);
  }
};

}  // namespace

int64_t parse_mutations(const Model &model, const uint8_t *sequence, const char *text, int64_t *changes, int64_t capacity) {
  if (model.alphabet[0] == 0) fail(ATP_E_CONFLICT, "the model has no alphabet, which mutations need");
  MutationParser parser(model, sequence);
  int64_t count = 0;
  parser.parse(text, [&](const Change &) { ++count; });
  if (count > capacity)
    fail(ATP_E_BUFFER, "capacity is %lld, must be at least %lld", static_cast<long long>(capacity), static_cast<long long>(count));
  parser.parse(text, [&](const Change &change) {
    *changes++ = change.mutant;
    *changes++ = change.site;
    *changes++ = change.color;
  });
  return count;
}

}  // namespace atp
