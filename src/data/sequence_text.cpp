// SPDX-License-Identifier: MIT
#include "data/sequence_text.hpp"

#include "data/integers.hpp"
#include "data/rows.hpp"
#include "data/sequences.hpp"

#include <algorithm>
#include <strings.h>

namespace atp {

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
  while (p < text.end() && (is_blank(*p) || is_line_end(*p))) ++p;
  const char *begin = p;
  while (p < text.end() && *p >= '0' && *p <= '9') ++p;
  const char *end = p;
  while (p < text.end() && is_blank(*p)) ++p;
  return end - begin > 3 && (p == text.end() || is_line_end(*p));
}

struct Reader {
  Context &context;
  const Text &text;
  const char *alphabet;
  const Options &options;

  Alignment *symbols(SequenceFormat format) const {
    if (alphabet == nullptr) fail(ATP_E_CONFLICT, "%s: alphabet is NULL, must be given for a file of symbols", text.label);
    return parse_sequences(context, text, format, alphabet_symbols(alphabet), static_cast<atp_unknown>(options.integer(ATP_OPT_UNKNOWN)));
  }
  Alignment *integers() const { return parse_integers(context, text, options.integer(ATP_OPT_COLORS)); }

  // A format that was asked for.
  Alignment *forced(atp_format format, const char *name) const {
    switch (format) {
      case ATP_FORMAT_FASTA: return symbols(SequenceFormat::fasta);
      case ATP_FORMAT_INTEGERS: return integers();
      case ATP_FORMAT_A2M:
      case ATP_FORMAT_A3M: return symbols(SequenceFormat::a2m);
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
    fail(ATP_E_FORMAT, "%s: neither text nor HDF5 (it begins with %s), expected sequences", text.label,
         Quoted(text.begin(), text.begin() + std::min<int64_t>(text.bytes.size(), 16)).text);
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
  return Reader{context, text, alphabet, options}.forced(static_cast<atp_format>(options.integer(ATP_OPT_FORMAT)), name);
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
