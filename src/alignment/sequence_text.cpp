// SPDX-License-Identifier: MIT
#include "alignment/sequence_text.hpp"

#include "alignment/name_table.hpp"

#include "alignment/rows.hpp"

#include <algorithm>
#include <strings.h>

namespace atp {

namespace {

constexpr int kLargest = 254;

[[noreturn]] void fail_number(const Text &text, const char *begin, const char *end) {
  fail_at(text, begin, "%s, expected a whole number in 0..%d (a FASTA file begins with '>')", Quoted(begin, end).text, kLargest);
}

// Reads the number at p and moves p behind it.
int number(const Text &text, const char *&p) {
  const char *begin = p;
  int value = 0;
  for (; p < text.end() && is_digit(*p); ++p) value = std::min(value * 10 + (*p - '0'), kLargest + 1);
  const bool ends = p == text.end() || is_space(*p) || *p == ',';
  if (p > begin && ends && value <= kLargest) return value;
  while (p < text.end() && !is_space(*p) && *p != ',') ++p;
  fail_number(text, begin, p);
}

// Calls sink(value) for every number of a line and moves p to the next line. Returns their count, 0 for an empty or comment line.
template <class Sink>
int64_t read_line(const Text &text, const char *&p, Sink &&sink) {
  const auto skip_blanks = [&] {
    while (p < text.end() && is_blank(*p)) ++p;
  };
  skip_blanks();
  if (p < text.end() && *p == '#')
    while (p < text.end() && !is_line_end(*p)) ++p;
  int64_t n = 0;
  while (p < text.end() && !is_line_end(*p)) {
    sink(number(text, p));
    ++n;
    skip_blanks();
    if (p < text.end() && *p == ',') {
      const char *comma = p++;
      skip_blanks();
      if (p == text.end() || is_line_end(*p) || *p == ',')
        fail_at(text, comma, "nothing after a comma, expected a whole number in 0..%d", kLargest);
    }
  }
  p = next_line(text, p);
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
        fail(ATP_E_ALPHABET, "%s:%lld: number %d, must be below the %lld colours", text.label, line_of(text, begin), value, llong{colors});
    });
    if (n == 0) continue;
    if (shape.count == 0) shape.sites = n;
    if (n != shape.sites || n < 2)
      fail_at(text, begin, "%lld numbers, expected %s%lld", llong{n}, n < 2 ? "at least " : "as many as before, ",
              llong{n < 2 ? 2 : shape.sites});
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

namespace {

bool ends_with(const char *name, int64_t size, const char *end) {
  const int64_t n = static_cast<int64_t>(std::strlen(end));
  return size >= n && strncasecmp(name + size - n, end, static_cast<std::size_t>(n)) == 0;
}

// The format of symbols that a name tells, where the content leaves a choice.
SequenceFormat format_of_name(const char *name, SequenceFormat otherwise) {
  int64_t size = static_cast<int64_t>(std::strlen(name));
  if (ends_with(name, size, ".gz")) size -= 3;
  if (otherwise != SequenceFormat::records) return otherwise;
  return ends_with(name, size, ".a2m") || ends_with(name, size, ".a3m") ? SequenceFormat::a2m : otherwise;
}

// Whether the first line is one word of several digits, which is no row of numbers but may be a sequence of digits.
bool one_word_of_digits(const Text &text) {
  const char *p = text.begin();
  while (p < text.end() && is_space(*p)) ++p;
  const char *begin = p;
  while (p < text.end() && is_digit(*p)) ++p;
  const char *end = p;
  while (p < text.end() && is_blank(*p)) ++p;
  return end - begin > 3 && (p == text.end() || is_line_end(*p));
}

const char *word_of(atp_format format) {
  switch (format) {
    case ATP_FORMAT_HDF5: return "HDF5";
    case ATP_FORMAT_FASTA: return "FASTA";
    case ATP_FORMAT_INTEGERS: return "whole numbers";
    case ATP_FORMAT_A2M: return "A2M";
    case ATP_FORMAT_A3M: return "A3M";
    case ATP_FORMAT_STOCKHOLM: return "Stockholm";
    case ATP_FORMAT_ALN: return "one sequence per line";
    case ATP_FORMAT_NAMED: return "a name and a sequence per line";
    case ATP_FORMAT_PAIRED: return "A3M of two proteins";
    default: return "automatic";
  }
}

// What a file is by its content if that is not the format that was asked for; nullptr where the content leaves it open.
const char *other_content(Content content, atp_format format) {
  switch (content) {
    case Content::hdf5: return "HDF5";
    case Content::npy: return "an array of NumPy";
    case Content::state: return "the saved state of a sampler or trainer";
    case Content::gzip: return "packed by gzip";
    case Content::fasta: return "FASTA, A2M or A3M";
    case Content::stockholm: return format == ATP_FORMAT_STOCKHOLM ? nullptr : "Stockholm";
    case Content::integers: return format == ATP_FORMAT_INTEGERS ? nullptr : "whole numbers";
    case Content::lines: return format == ATP_FORMAT_ALN || format == ATP_FORMAT_NAMED ? nullptr : "lines of text without '>'";
    default: return nullptr;
  }
}

bool is_records(atp_format format) {
  return format == ATP_FORMAT_FASTA || format == ATP_FORMAT_A2M || format == ATP_FORMAT_A3M || format == ATP_FORMAT_PAIRED;
}

// Replaces the message of a reader where the file is in a format that is not read, and completes it where another format was asked for.
void fail_with_content(const Error &e, const Text &text, atp_format format) {
  if (const char *unread = unread_format(text.bytes); unread != nullptr)
    fail(ATP_E_FORMAT, "%s: %s, expected FASTA, A2M, A3M, Stockholm, one sequence per line or whole numbers, also packed by gzip",
         text.label, unread);
  const Content content = content_of(text.bytes);
  const char *other =
      format == ATP_FORMAT_AUTO || (content == Content::fasta && is_records(format)) ? nullptr : other_content(content, format);
  if (other != nullptr && e.status() == ATP_E_FORMAT)
    fail(ATP_E_FORMAT, "%s; the format asked for is %s, the content is %s", e.what(), word_of(format), other);
}

struct Reader {
  Context &context;
  const Text &text;
  const char *alphabet;
  const Options &options;

  Alignment *symbols(SequenceFormat format) const {
    if (alphabet == nullptr) fail(ATP_E_CONFLICT, "%s: alphabet is NULL, must be given for a file of symbols", text.label);
    require_symbols();
    return parse_sequences(context, text, format, alphabet_symbols(alphabet), static_cast<atp_unknown>(options.integer(ATP_OPT_UNKNOWN)));
  }
  // Files of other formats may look like sequences: what begins with a symbol of the alphabet is read as such.
  void require_symbols() const {
    const Text unmarked = without_mark(text);
    const char *first = unmarked.begin();
    while (first < text.end() && is_space(*first)) ++first;
    if (first < text.end() && std::strchr(alphabet_symbols(alphabet), *first) == nullptr && unread_format(unmarked.bytes) != nullptr)
      fail(ATP_E_FORMAT, "%s: no sequences", text.label);
  }
  Alignment *integers() const { return parse_integers(context, text, options.integer(ATP_OPT_COLORS)); }

  // A format that was asked for.
  Alignment *forced(atp_format format, const char *name) const {
    switch (format) {
      case ATP_FORMAT_FASTA: return symbols(SequenceFormat::fasta);
      case ATP_FORMAT_INTEGERS: return integers();
      case ATP_FORMAT_A2M:
      case ATP_FORMAT_A3M: return symbols(SequenceFormat::a2m);
      case ATP_FORMAT_PAIRED: return symbols(SequenceFormat::paired);
      case ATP_FORMAT_STOCKHOLM: return symbols(SequenceFormat::stockholm);
      case ATP_FORMAT_ALN: return symbols(SequenceFormat::aln);
      case ATP_FORMAT_NAMED: return symbols(SequenceFormat::named);
      case ATP_FORMAT_HDF5: fail(ATP_E_VALUE, "option format is HDF5, must be one of text, or automatic");
      default: return found(name);
    }
  }
  Alignment *found(const char *name) const {
    switch (content_of(text.bytes)) {
      case Content::empty: fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
      case Content::hdf5: fail(ATP_E_FORMAT, "%s: HDF5, expected sequences as text", text.label);
      case Content::gzip: fail(ATP_E_FORMAT, "%s: packed by gzip, expected sequences as text", text.label);
      case Content::npy: fail(ATP_E_FORMAT, "%s: an array of NumPy, expected sequences as text", text.label);
      case Content::state: fail(ATP_E_FORMAT, "%s: the saved state of a sampler or trainer, expected sequences", text.label);
      case Content::fasta: return symbols(format_of_name(name, SequenceFormat::records));
      case Content::stockholm: return symbols(SequenceFormat::stockholm);
      case Content::lines: return symbols(SequenceFormat::lines);
      case Content::integers: return alphabet != nullptr && one_word_of_digits(text) ? symbols(SequenceFormat::lines) : integers();
      case Content::other: return integers();
      case Content::binary: break;
    }
    fail_binary();
  }
  [[noreturn]] void fail_binary() const {
    const char *p = text.begin();
    while (p < text.end() && !is_control(*p)) ++p;
    char shown[32] = "is zero (NUL)";
    if (p < text.end() && *p != 0) std::snprintf(shown, sizeof shown, "has the code %d", static_cast<unsigned char>(*p));
    fail(ATP_E_FORMAT, "%s: neither text nor HDF5 (it begins with %s; byte %lld %s), expected sequences", text.label,
         Quoted(text.begin(), text.begin() + std::min<int64_t>(text.bytes.size(), 16)).text, llong{p - text.begin()}, shown);
  }
};

// Memory of a caller; what does not fit is counted alone.
struct TextBuffer {
  char *text;
  int64_t room, used = 0;
  void put(const void *bytes, int64_t n) {
    if (used + n <= room) std::memcpy(text + used, bytes, static_cast<std::size_t>(n));
    used += n;
  }
  void put(char c) { put(&c, 1); }
};

}  // namespace

Alignment *alignment_from_text(Context &context, const Text &text, const char *name, const char *alphabet, const Options &options) {
  const auto format = static_cast<atp_format>(options.integer(ATP_OPT_FORMAT));
  try {
    return Reader{context, text, alphabet, options}.forced(format, name);
  } catch (const Error &e) {
    if (e.status() == ATP_E_FORMAT || e.status() == ATP_E_CONFLICT || e.status() == ATP_E_ALPHABET) fail_with_content(e, text, format);
    throw;
  }
}

void require_match_symbols(const char *alphabet) {
  for (const char *c = alphabet; *c != 0; ++c)
    if ((*c >= 'a' && *c <= 'z') || *c == '.')
      fail(ATP_E_CONFLICT, "the alphabet %s has %c, which is an insert column in A2M and A3M, expected upper case and a gap -", alphabet,
           *c);
}

void require_stockholm_names(Context &context, const Alignment &alignment) {
  NameTable names(context.allocator);
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const WrittenName name(alignment, n);
    const int64_t size = name.word();
    if (size == 0 || name.text()[0] == '#' || (size == 2 && std::strncmp(name.text(), "//", 2) == 0))
      fail(ATP_E_VALUE, "sequence %lld has the name \"%.40s\", which is none in Stockholm", llong{n}, name.text());
    const int64_t same = names.find_or_add(name.text(), size, [&](int64_t k) {
      const WrittenName other(alignment, k);
      return other.word() == size && std::memcmp(other.text(), name.text(), static_cast<std::size_t>(size)) == 0;
    });
    if (same >= 0)
      fail(ATP_E_VALUE, "sequences %lld and %lld have the same name, \"%.40s\", expected different first words for Stockholm", llong{same},
           llong{n}, name.text());
  }
}

int64_t text_of(const Alignment &alignment, bool fasta, char *text, int64_t room) {
  TextBuffer out{text, room};
  if (fasta)
    put_fasta(alignment, out);
  else
    put_integers(alignment, out);
  return out.used;
}

}  // namespace atp
