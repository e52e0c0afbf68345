// SPDX-License-Identifier: MIT
#include "data/fasta.hpp"

#include <cstdio>

namespace atp {

namespace {

constexpr int16_t kSkipped = -2, kUnknown = -1;

// What each byte of a sequence line stands for.
struct Table {
  explicit Table(const char *symbols) {
    for (int16_t &c : color) c = kUnknown;
    for (const char blank : {' ', '\t', '\n', '\r'}) set(blank, kSkipped);
    bool lower = false;
    for (int16_t a = 0; symbols[a] != 0; ++a) {
      set(symbols[a], a);
      lower = lower || (symbols[a] >= 'a' && symbols[a] <= 'z');
    }
    if (!lower)
      for (char c = 'a'; c <= 'z'; ++c) set(c, (*this)[static_cast<char>(c - 'a' + 'A')]);
    if ((*this)['.'] == kUnknown) set('.', (*this)['-']);
  }
  int16_t operator[](char c) const { return color[static_cast<unsigned char>(c)]; }
  void set(char c, int16_t value) { color[static_cast<unsigned char>(c)] = value; }
  int16_t color[256];
};

struct Record {
  const char *header = nullptr;                     // its '>'
  const char *name = nullptr, *name_end = nullptr;  // up to the first blank
  const char *body = nullptr, *end = nullptr;       // the lines of the sequence
};

// The records one after the other; line ends are LF, CR LF or CR.
class Records {
 public:
  explicit Records(const Text &text) : text_(text), place_(text.begin()) {
    while (place_ < text.end() && (*place_ == ' ' || *place_ == '\t' || line_end(*place_))) ++place_;
    if (place_ == text.end()) fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
    if (*place_ != '>')
      fail(ATP_E_FORMAT, "%s:%lld: %s, expected a FASTA header that begins with '>'", text.label,
           static_cast<long long>(line_of(text, place_)), Quoted(place_, place_ + 1).text);
  }
  bool next(Record &record) {
    if (place_ == text_.end()) return false;
    record.header = place_;
    const char *p = place_ + 1;
    while (p < text_.end() && (*p == ' ' || *p == '\t')) ++p;
    record.name = p;
    while (p < text_.end() && static_cast<unsigned char>(*p) > ' ' && *p != 127) ++p;
    record.name_end = p;
    while (p < text_.end() && !line_end(*p)) ++p;
    record.body = p;
    for (;; ++p) {
      p = p == text_.end() ? p : static_cast<const char *>(std::memchr(p, '>', static_cast<std::size_t>(text_.end() - p)));
      if (p == nullptr) p = text_.end();
      if (p == text_.end() || line_end(p[-1])) break;
    }
    record.end = place_ = p;
    return true;
  }

 private:
  static bool line_end(char c) { return c == '\n' || c == '\r'; }
  const Text text_;
  const char *place_;
};

struct Counts {
  int64_t sequences = 0, dropped = 0, sites = 0, name_bytes = 0;
  int64_t known = 0, unknown = 0;
  int64_t unknown_of[256] = {};
  const char *first_unknown = nullptr;
};

[[noreturn]] void fail_symbol(atp_status status, const Text &text, const char *place, const Record &record, const char *symbols,
                              const char *what) {
  fail(status, "%s:%lld: symbol %s of sequence %s is not in the alphabet %.100s%s", text.label,
       static_cast<long long>(line_of(text, place)), Quoted(place, place + 1).text, Quoted(record.name, record.name_end).text, symbols,
       what);
}

Counts count(const Text &text, const Table &table, const char *symbols, atp_unknown policy) {
  Counts counts;
  Record record, offender;
  for (Records records(text); records.next(record); ++counts.sequences) {
    int64_t known = 0, unknown = 0;
    for (const char *p = record.body; p < record.end; ++p) {
      const int16_t color = table[*p];
      if (color >= 0) {
        ++known;
      } else if (color == kUnknown) {
        if (policy == ATP_UNKNOWN_ERROR) fail_symbol(ATP_E_ALPHABET, text, p, record, symbols, "");
        if (counts.first_unknown == nullptr) {
          counts.first_unknown = p;
          offender = record;
        }
        ++unknown;
        ++counts.unknown_of[static_cast<unsigned char>(*p)];
      }
    }
    const int64_t length = known + unknown;
    if (counts.sequences == 0) counts.sites = length;
    if (length != counts.sites || length < 2) {
      const long long line = static_cast<long long>(line_of(text, record.header));
      const Quoted name(record.name, record.name_end);
      if (length < 2)
        fail(ATP_E_FORMAT, "%s:%lld: sequence %s has %lld symbols, needs at least 2", text.label, line, name.text,
             static_cast<long long>(length));
      fail(ATP_E_FORMAT, "%s:%lld: sequence %s has %lld symbols, expected %lld as in the first one", text.label, line, name.text,
           static_cast<long long>(length), static_cast<long long>(counts.sites));
    }
    counts.known += known;
    counts.unknown += unknown;
    if (unknown > 0 && policy == ATP_UNKNOWN_DROP)
      ++counts.dropped;
    else
      counts.name_bytes += record.name_end - record.name + 1;
  }
  if (counts.dropped == counts.sequences)
    fail_symbol(ATP_E_FORMAT, text, counts.first_unknown, offender, symbols, ": no sequence is left, every one has such symbols");
  if (counts.known == 0)
    fail_symbol(ATP_E_FORMAT, text, counts.first_unknown, offender, symbols,
                ": none of the file's symbols is, so it must be another alphabet");
  return counts;
}

// "'X' 7, 'B' 4, ...": the most frequent first, at most eight.
void list_unknown(const Counts &counts, char *out, std::size_t size) {
  bool listed[256] = {};
  std::size_t used = 0;
  for (int k = 0; k < 9; ++k) {
    int best = -1;
    for (int c = 0; c < 256; ++c)
      if (!listed[c] && counts.unknown_of[c] > 0 && (best < 0 || counts.unknown_of[c] > counts.unknown_of[best])) best = c;
    if (best < 0) return;
    listed[best] = true;
    char symbol[8];
    std::snprintf(symbol, sizeof symbol, best > ' ' && best < 127 ? "'%c'" : "\\x%02x", static_cast<unsigned>(best));
    const int n = k == 8 ? std::snprintf(out + used, size - used, ", ...")
                         : std::snprintf(out + used, size - used, "%s%s %lld", k == 0 ? "" : ", ", symbol,
                                         static_cast<long long>(counts.unknown_of[best]));
    used += static_cast<std::size_t>(n);
    if (used >= size) return;
  }
}

void report(const Context &context, const Text &text, const Counts &counts, const char *symbols) {
  if (counts.unknown == 0) return;
  char list[240] = "";
  list_unknown(counts, list, sizeof list);
  if (counts.dropped > 0)
    context.message(counts.dropped * 10 > counts.sequences ? ATP_LOG_WARNING : ATP_LOG_INFO,
                    "%s: %lld of %lld sequences were dropped because of symbols that are not in the alphabet: %s", text.label,
                    static_cast<long long>(counts.dropped), static_cast<long long>(counts.sequences), list);
  else
    context.message(counts.unknown * 10 > counts.known ? ATP_LOG_WARNING : ATP_LOG_INFO,
                    "%s: %lld of %lld symbols are not in the alphabet and were taken for '%c': %s", text.label,
                    static_cast<long long>(counts.unknown), static_cast<long long>(counts.known + counts.unknown), symbols[0], list);
}

// Fills row by row; a sequence that is dropped leaves its row to the next one.
void fill(Alignment &alignment, const Text &text, const Table &table, atp_unknown policy) {
  int64_t row = 0, place = 0;
  Record record;
  for (Records records(text); row < alignment.count() && records.next(record);) {
    uint8_t *out = alignment.sequences.data() + row * alignment.sites();
    bool dropped = false;
    for (const char *p = record.body; p < record.end; ++p) {
      const int16_t color = table[*p];
      if (color == kSkipped) continue;
      dropped = dropped || (color == kUnknown && policy == ATP_UNKNOWN_DROP);
      *out++ = static_cast<uint8_t>(color < 0 ? 0 : color);
    }
    if (dropped) continue;
    if (alignment.has_names()) {
      alignment.name_offsets[row] = place;
      const std::size_t bytes = static_cast<std::size_t>(record.name_end - record.name);
      std::memcpy(alignment.names.data() + place, record.name, bytes);
      place += static_cast<int64_t>(bytes) + 1;  // the block is zero
    }
    ++row;
  }
}

}  // namespace

Alignment *parse_fasta(Context &context, const Text &marked, const char *symbols, atp_unknown policy) {
  const Text text = without_mark(marked);
  const int64_t colors = check_symbols(symbols, "alphabet");
  if (colors < 2) fail(ATP_E_ALPHABET, "alphabet has %lld symbols, must have at least 2", static_cast<long long>(colors));
  const Table table(symbols);
  const Counts counts = count(text, table, symbols, policy);
  const int64_t kept = counts.sequences - counts.dropped;
  const AlignmentShape shape{kept, counts.sites, colors, counts.name_bytes == kept ? 0 : counts.name_bytes};
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, shape);
  fill(*made, text, table, policy);
  for (double &w : made->weights) w = 1;
  set_alphabet(made->alphabet, symbols, colors, "alphabet");
  report(context, text, counts, symbols);
  return made;
}

}  // namespace atp
