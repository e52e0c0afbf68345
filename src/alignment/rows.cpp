// SPDX-License-Identifier: MIT
#include "alignment/rows.hpp"

#include "base/error.hpp"
#include "alignment/name_table.hpp"

#include <cstdio>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kMaxWidth = int64_t{1} << 40;

const char *skip_blanks(const char *p, const char *end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

const char *skip_word(const char *p, const char *end) {
  while (p < end && !is_blank(*p)) ++p;
  return p;
}

// The first two words of a line, and the place where a third begins.
struct Words {
  Words(const char *p, const char *end) {
    first = skip_blanks(p, end);
    first_end = skip_word(first, end);
    second = skip_blanks(first_end, end);
    second_end = skip_word(second, end);
    third = skip_blanks(second_end, end);
    if (third == end) third = nullptr;
  }
  bool none() const { return first == first_end; }
  bool two() const { return second != second_end; }
  const char *first, *first_end, *second, *second_end, *third;
};

bool same(const char *a, const char *a_end, const char *b, const char *b_end) {
  return a_end - a == b_end - b && std::memcmp(a, b, static_cast<std::size_t>(a_end - a)) == 0;
}

bool is_word(const char *a, const char *a_end, const char *word) { return same(a, a_end, word, word + std::strlen(word)); }

bool starts(const char *p, const char *end, const char *word) {
  const std::size_t n = std::strlen(word);
  return static_cast<std::size_t>(end - p) >= n && std::memcmp(p, word, n) == 0;
}

// Records that HH-suite writes beside the sequences: secondary structure, accessibility, their residues, and the consensus.
bool is_annotation(const char *name, const char *end) {
  for (const char *other : {"ss_pred", "ss_conf", "ss_dssp", "sa_pred", "sa_conf", "sa_dssp", "aa_pred", "aa_dssp", "Consensus"})
    if (is_word(name, end, other)) return true;
  return false;
}

// Whether readers skip a line: it is empty, or a comment.
bool skipped(const Words &words, bool comments) { return words.none() || (comments && *words.first == '#'); }

}  // namespace

int64_t find_parts(const Text &text, Text (&parts)[2]) {
  int64_t count = 0;
  for (const char *begin = text.begin();;) {
    const char *zero =
        begin == text.end() ? nullptr : static_cast<const char *>(std::memchr(begin, 0, static_cast<std::size_t>(text.end() - begin)));
    if (zero != nullptr && !ends_part(text, zero)) fail_at(text, zero, "a zero byte (NUL), expected text to the end");
    const char *end = zero == nullptr ? text.end() : zero;
    if (count == 0 || (begin < end && !is_line_end(*begin))) {
      if (count < 2) parts[count] = {text.bytes.sub(begin - text.begin(), end - begin), text.label};
      ++count;
    }
    if (zero == nullptr) return count;
    begin = zero + 1;
  }
}

const char *first_record(const Text &text) {
  const char *p = text.begin();
  while (p < text.end() && (is_space(*p) || *p == '#')) p = *p == '#' ? end_of_line(text, p) : p + 1;
  return p;
}

void find_fasta_rows(const Text &text, SequenceRows &found) {
  const char *p = first_record(text);
  if (p == text.end()) fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
  if (*p != '>') fail_at(text, p, "%s, expected a FASTA header that begins with '>'", Quoted(p, p + 1).text);
  while (p < text.end()) {
    Row row{p, nullptr, nullptr, found.pieces.size(), 1};
    row.name = p = skip_blanks(p + 1, text.end());
    while (p < text.end() && static_cast<unsigned char>(*p) > ' ' && *p != 127) ++p;
    row.name_end = p;
    const char *body = p = end_of_line(text, p);
    for (;; ++p) {
      p = p == text.end() ? p : static_cast<const char *>(std::memchr(p, '>', static_cast<std::size_t>(text.end() - p)));
      if (p == nullptr) p = text.end();
      if (p == text.end() || is_line_end(p[-1])) break;
    }
    if (is_annotation(row.name, row.name_end)) {
      if (found.annotations++ == 0) found.annotation = row;
      continue;
    }
    found.pieces.push_back({body, p});
    found.rows.push_back(row);
  }
  if (found.count() == 0) fail(ATP_E_FORMAT, "%s: the alignment has annotations but no sequences", text.label);
}

namespace {

// Reads '#L1,L2' and a tab or blank at the beginning of a text; the number of widths, of which the first two are kept.
int64_t read_widths(const Text &text, int64_t (&widths)[2]) {
  const char *p = text.begin();
  if (p == text.end() || *p != '#') return 0;
  int64_t count = 0;
  do {
    int64_t width = 0;
    const char *digits = ++p;
    for (; p < text.end() && is_digit(*p) && width < kMaxWidth; ++p) width = 10 * width + (*p - '0');
    if (p == digits || width == 0) return 0;
    if (count < 2) widths[count] = width;
    ++count;
  } while (p < text.end() && *p == ',');
  return p < text.end() && is_blank(*p) ? count : 0;
}

// Says how often the names differ between the rows that are joined.
void report_partners(Context &context, const SequenceRows &first, const SequenceRows &second, const char *label) {
  int64_t others = 0;
  for (int64_t k = 0; k < first.count(); ++k) {
    const Row &a = first.rows[k], &b = second.rows[k];
    others += same(a.name, a.name_end, b.name, b.name_end) ? 0 : 1;
  }
  if (others > 0)
    context.message(
        ATP_LOG_INFO,
        "%s: rows of the two alignments were joined in their order; %lld of %lld have another name in the second, names are those "
        "of the first",
        label, llong{others}, llong{first.count()});
}

}  // namespace

void find_paired_rows(Context &context, const Text (&parts)[2], int64_t count, SequenceRows &found) {
  const char *label = parts[0].label;
  if (count > 2)
    fail(ATP_E_FORMAT, "%s: zero bytes (NUL) separate %lld alignments, expected two: the format paired is for two proteins", label,
         llong{count});
  find_fasta_rows(parts[0], found);
  if (count == 1) {
    const int64_t widths = read_widths(parts[0], found.widths);
    if (widths == 2) return;
    const Quoted first(parts[0].begin(), end_of_line(parts[0], parts[0].begin()));
    fail(ATP_E_FORMAT, "%s: one alignment%s%s, expected two with a zero byte (NUL) between them, or a first line '#L1,L2' and a tab", label,
         widths > 2 ? " of more than two proteins, its first line is " : "", widths > 2 ? first.text : "");
  }
  char second_label[320];
  std::snprintf(second_label, sizeof second_label, "%s, second alignment", label);
  SequenceRows second(context.allocator);
  find_fasta_rows({parts[1].bytes, second_label}, second);
  if (found.count() != second.count())
    fail(ATP_E_FORMAT, "%s: the two alignments have %lld and %lld sequences, expected equal numbers: row k of both is a pair", label,
         llong{found.count()}, llong{second.count()});
  report_partners(context, found, second, label);
  const int64_t rows = found.count();
  Growing<Piece> joined(context.allocator);
  for (int64_t k = 0; k < rows; ++k) {
    joined.push_back(found.pieces[found.rows[k].first_piece]);
    joined.push_back(second.pieces[second.rows[k].first_piece]);
    found.rows[k].first_piece = 2 * k;
    found.rows[k].pieces = 2;
  }
  found.pieces.assign(2 * rows, Piece{nullptr, nullptr});
  std::memcpy(found.pieces.data(), joined.data(), static_cast<std::size_t>(2 * rows) * sizeof(Piece));
  if (found.annotations == 0) found.annotation = second.annotation;
  found.annotations += second.annotations;
}

namespace {

// Adds the columns of a line '#=GC RF symbols', in which any symbol but a gap marks a match column.
void add_match_columns(const char *p, const char *end, SequenceRows &found) {
  for (; p < end; ++p)
    if (!is_blank(*p)) found.match.push_back(std::strchr(".-_~", *p) == nullptr ? 1 : 0);
}

bool is_reference(const Words &words) {
  return words.third != nullptr && is_word(words.first, words.first_end, "#=GC") && is_word(words.second, words.second_end, "RF");
}

}  // namespace

void find_stockholm_rows(Context &context, const Text &text, SequenceRows &found) {
  struct Part {
    int64_t row;
    Piece piece;
  };
  Growing<Part> parts(context.allocator);
  Growing<int64_t> last_block(context.allocator);
  NameTable names(context.allocator);
  int64_t block = 0;
  bool begun = false, ended = false, in_block = false;
  for (const char *p = text.begin(); p < text.end(); p = next_line(text, p)) {
    const char *end = end_of_line(text, p);
    const Words words(p, end);
    if (words.none()) {
      block += in_block ? 1 : 0;
      in_block = false;
      continue;
    }
    if (!begun) {
      if (!starts(words.first, end, "# STOCKHOLM"))
        fail_at(text, p, "%s, expected the first line of a Stockholm file, '# STOCKHOLM 1.0'", Quoted(words.first, end).text);
      begun = true;
      continue;
    }
    if (ended)
      fail_at(text, p, "%s after the '//' that ends the alignment, expected one alignment per file", Quoted(words.first, end).text);
    if (*words.first == '#') {
      if (is_reference(words)) add_match_columns(words.third, end, found);
      continue;
    }
    if (words.first_end - words.first == 2 && starts(words.first, end, "//") && !words.two()) {
      ended = true;
      continue;
    }
    if (!words.two() || words.third != nullptr) fail_at(text, p, "%s, expected a name, blanks and symbols", Quoted(words.first, end).text);
    in_block = true;
    int64_t row = names.find_or_add(words.first, words.first_end - words.first, [&](int64_t k) {
      return same(found.rows[k].name, found.rows[k].name_end, words.first, words.first_end);
    });
    if (row < 0) {
      row = found.count();
      found.rows.push_back({p, words.first, words.first_end, 0, 0});
      last_block.push_back(-1);
    }
    if (last_block[row] == block)
      fail_at(text, p, "sequence %s occurs twice in a block, expected different names", Quoted(words.first, words.first_end).text);
    last_block[row] = block;
    parts.push_back({row, {words.second, words.second_end}});
    ++found.rows[row].pieces;
  }
  if (!begun) fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
  if (!ended)
    fail_at(text, text.end(), "the file ends without '//', expected it at the end of a Stockholm file: the file may be truncated");
  if (found.count() == 0) fail(ATP_E_FORMAT, "%s: the alignment has no sequences", text.label);
  int64_t place = 0;
  for (int64_t r = 0; r < found.count(); ++r) {
    found.rows[r].first_piece = place;
    place += found.rows[r].pieces;
    last_block[r] = found.rows[r].first_piece;
  }
  found.pieces.assign(place, Piece{nullptr, nullptr});
  for (int64_t k = 0; k < parts.size(); ++k) found.pieces[last_block[parts[k].row]++] = parts[k].piece;
}

bool lines_have_names(const Text &text, const char *symbols) {
  const bool comments = std::strchr(symbols, '#') == nullptr;
  for (const char *p = text.begin(); p < text.end(); p = next_line(text, p)) {
    const Words words(p, end_of_line(text, p));
    if (!skipped(words, comments)) return words.two();
  }
  return false;
}

void find_line_rows(const Text &text, bool named, const char *symbols, SequenceRows &found) {
  const bool comments = std::strchr(symbols, '#') == nullptr;
  for (const char *p = text.begin(); p < text.end(); p = next_line(text, p)) {
    const char *end = end_of_line(text, p);
    const Words words(p, end);
    if (skipped(words, comments)) continue;
    if (named ? !words.two() || words.third != nullptr : words.two())
      fail_at(text, p, "%s, expected %s", Quoted(words.first, end).text,
              named ? "a name, blanks and symbols" : "the symbols of a sequence without blanks");
    Row row{p, words.first, named ? words.first_end : words.first, found.pieces.size(), 1};
    found.pieces.push_back(named ? Piece{words.second, words.second_end} : Piece{words.first, words.first_end});
    found.rows.push_back(row);
  }
  if (found.count() == 0) fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
}

}  // namespace atp
