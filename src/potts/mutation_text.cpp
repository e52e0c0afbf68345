// SPDX-License-Identifier: MIT
// Texts of mutants: A110D, A110D/N146D, A110D:N146D or A110D,N146D. atp_mutations_parse() has the rules.

#include "potts/mutants.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

// The parts of A110D, A110- or A110del, before a model says which of them it has.
struct WrittenMutation {
  bool valid = false, deletion = false;
  char from = 0, to = 0;
  int64_t number = 0;
};

WrittenMutation read_mutation(const Piece &piece) {
  WrittenMutation read;
  const auto bytes = piece.end - piece.begin;
  read.deletion = bytes > 4 && std::strncmp(piece.end - 3, "del", 3) == 0 && is_digit(piece.end[-4]);
  const char *end = piece.end - (read.deletion ? 3 : 1), *digits = piece.begin + 1;
  const bool negative = digits < end && *digits == '-';  // the first letter may be a gap
  if (negative) ++digits;
  read.valid = bytes >= 3 && digits < end && end - digits <= 15 && std::all_of(digits, end, is_digit);
  if (!read.valid) return read;
  for (const char *p = digits; p < end; ++p) read.number = read.number * 10 + (*p - '0');
  if (negative) read.number = -read.number;
  read.from = *piece.begin;
  read.to = *end;
  return read;
}

// The colour of a letter, -1: none. An alphabet without it may have it in the other case.
int64_t color_of_letter(const char *alphabet, char letter) {
  const char *place = std::strchr(alphabet, letter);
  if (place == nullptr && letter >= 'a' && letter <= 'z') place = std::strchr(alphabet, letter - 'a' + 'A');
  if (place == nullptr && letter >= 'A' && letter <= 'Z') place = std::strchr(alphabet, letter - 'A' + 'a');
  return place == nullptr ? -1 : place - alphabet;
}

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
    const WrittenMutation written = read_mutation(piece);
    if (!written.valid)
      fail(ATP_E_FORMAT, "line %lld: \"%s\" is not a mutation like A110D, with / : or , between several", number_of_line(),
           piece.show().text);
    const int64_t from = color_of(written.from, piece), site = site_of(piece, written.number);
    require_wild_type(piece, site, from);
    return {line_, site, written.deletion ? gap_of(piece) : color_of(written.to, piece)};
  }

  int64_t site_of(const Piece &piece, int64_t number) const {
    const Span<const int64_t> numbers = model_.labels.numbers();
    const int64_t *found = std::find(numbers.begin(), numbers.end(), number);
    if (found == numbers.end())
      fail(ATP_E_FORMAT, "line %lld: \"%s\": the model has no site %lld, its sites are within %lld..%lld", number_of_line(),
           piece.show().text, static_cast<long long>(number), static_cast<long long>(*std::min_element(numbers.begin(), numbers.end())),
           static_cast<long long>(*std::max_element(numbers.begin(), numbers.end())));
    return found - numbers.begin();
  }

  int64_t color_of(char symbol, const Piece &piece) const {
    const int64_t color = color_of_letter(model_.alphabet, symbol);
    if (symbol == '-' && gap_color(model_.alphabet) < 0) gap_of(piece);
    if (color < 0)
      fail(ATP_E_FORMAT, "line %lld: \"%s\": %c is not a symbol of the alphabet %s", number_of_line(), piece.show().text, shown(symbol),
           model_.alphabet);
    return color;
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

namespace {

constexpr int64_t kMostVotes = int64_t{1} << 24;

// A residue that a list of mutants names: the number of its site, and its colour.
using NamedResidue = std::array<int64_t, 2>;

// Calls take(residue) for each mutation with a letter of the alphabet; others are passed over.
template <class Take>
void for_residues(const char *alphabet, const char *text, Take &&take) {
  for (const char *at = text; *at != 0;) {
    Piece piece{at, at + std::strcspn(at, "/:,\n")};
    at = *piece.end == 0 ? piece.end : piece.end + 1;
    piece.trim();
    const WrittenMutation read = read_mutation(piece);
    const int64_t color = read.valid ? color_of_letter(alphabet, read.from) : -1;
    if (color >= 0) take(NamedResidue{read.number, color});
  }
}

// Puts the differences of the numbers of the sites with this colour to `number` into `out`; returns how many there are.
int64_t differences(const Model &model, const uint8_t *sequence, const NamedResidue &residue, int64_t *out) {
  int64_t count = 0;
  const Span<const int64_t> numbers = model.labels.numbers();
  for (int64_t i = 0; i < model.sites(); ++i)
    if (sequence[i] == residue[1]) out[count++] = numbers[i] - residue[0];
  return count;
}

// The difference that most votes have, of these the smallest, and of two of one size the positive one.
NumberOffset most_frequent(Span<int64_t> votes) {
  NumberOffset best;
  std::sort(votes.begin(), votes.end());
  for (const int64_t *first = votes.begin(); first < votes.end();) {
    const int64_t *last = std::upper_bound(first, static_cast<const int64_t *>(votes.end()), *first);
    const int64_t n = last - first, offset = *first, size = std::abs(offset), least = std::abs(best.offset);
    if (offset == 0) best.agreeing = n;
    if (n > best.fitting || (n == best.fitting && (size < least || (size == least && offset > best.offset)))) {
      best.offset = offset;
      best.fitting = n;
    }
    first = last;
  }
  return best;
}

}  // namespace

NumberOffset find_number_offset(Context &context, const Model &model, const uint8_t *sequence, const char *text) {
  if (model.alphabet[0] == 0) fail(ATP_E_CONFLICT, "the model has no alphabet, which mutations need");
  int64_t count = 0;
  for_residues(model.alphabet, text, [&](const NamedResidue &) { ++count; });
  if (count == 0) return {};
  const Scratch named(context.allocator, Scratch::piece<NamedResidue>(count));
  const Span<NamedResidue> residues = named.arena().take<NamedResidue>(count);
  int64_t at = 0;
  for_residues(model.alphabet, text, [&](const NamedResidue &residue) { residues[at++] = residue; });
  std::sort(residues.begin(), residues.end());
  count = std::min<int64_t>(std::unique(residues.begin(), residues.end()) - residues.begin(), kMostVotes / model.sites());
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(count * model.sites()));
  const Span<int64_t> votes = memory.arena().take<int64_t>(count * model.sites());
  int64_t used = 0;
  for (int64_t k = 0; k < count; ++k) used += differences(model, sequence, residues[k], votes.data() + used);
  NumberOffset found = most_frequent(votes.sub(0, used));
  found.residues = count;
  return found;
}

}  // namespace atp
