// SPDX-License-Identifier: MIT
#include "io/read_write.hpp"

#include "data/integers.hpp"
#include "data/one_line.hpp"
#include "data/rows.hpp"
#include "data/sequences.hpp"
#include "io/file.hpp"
#include "io/gzip.hpp"
#include "io/hdf5_files.hpp"

#include <algorithm>
#include <cstdio>
#include <strings.h>

namespace atp {

namespace {

bool ends_with(const char *name, int64_t size, const char *end) {
  const int64_t n = static_cast<int64_t>(std::strlen(end));
  return size >= n && strncasecmp(name + size - n, end, static_cast<std::size_t>(n)) == 0;
}

// The symbol format that a file name suggests, if the content is ambiguous.
SequenceFormat format_of_name(const char *name, SequenceFormat otherwise) {
  int64_t size = static_cast<int64_t>(std::strlen(name));
  if (ends_with(name, size, ".gz")) size -= 3;
  if (otherwise != SequenceFormat::records) return otherwise;
  return ends_with(name, size, ".a2m") || ends_with(name, size, ".a3m") ? SequenceFormat::a2m : otherwise;
}

// Whether the first line is one word of several digits. Such a line is not a row of numbers, but may be a
// sequence of digits.
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

  // Reads a format that the caller requested.
  Alignment *forced(atp_format format, const char *name) const {
    switch (format) {
      case ATP_FORMAT_FASTA: return symbols(SequenceFormat::fasta);
      case ATP_FORMAT_INTEGERS: return integers();
      case ATP_FORMAT_A2M:
      case ATP_FORMAT_A3M: return symbols(SequenceFormat::a2m);
      case ATP_FORMAT_STOCKHOLM: return symbols(SequenceFormat::stockholm);
      case ATP_FORMAT_ALN: return symbols(SequenceFormat::aln);
      case ATP_FORMAT_NAMED: return symbols(SequenceFormat::named);
      case ATP_FORMAT_HDF5: return alignment_from_hdf5(context, text);
      default: return found(name);
    }
  }
  Alignment *found(const char *name) const {
    switch (content_of(text.bytes)) {
      case Content::empty: fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
      case Content::hdf5: return alignment_from_hdf5(context, text);
      case Content::gzip: fail(ATP_E_FORMAT, "%s: packed by gzip twice, expected once", text.label);
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

void write_fasta(const Alignment &alignment, BufferedOutput &out) {
  for (int64_t n = 0; n < alignment.count(); ++n) {
    char number[32];
    const char *name = alignment.name(n);
    if (name[0] == 0) {
      std::snprintf(number, sizeof number, "sequence%lld", static_cast<long long>(n));
      name = number;
    }
    check_one_line(name, static_cast<int64_t>(std::strlen(name)), "the name of a sequence");
    out.put('>');
    out.put(name, static_cast<int64_t>(std::strlen(name)));
    out.put('\n');
    const uint8_t *s = alignment.sequence(n);
    for (int64_t i = 0; i < alignment.sites(); ++i) out.put(alignment.alphabet[s[i]]);
    out.put('\n');
  }
}

void write_integers(const Alignment &alignment, BufferedOutput &out) {
  char text[256][4];
  int64_t digits[256];
  for (int k = 0; k < 255; ++k) digits[k] = std::snprintf(text[k], sizeof text[k], "%d", k);
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const uint8_t *s = alignment.sequence(n);
    for (int64_t i = 0; i < alignment.sites(); ++i) {
      if (i > 0) out.put(' ');
      out.put(text[s[i]], digits[s[i]]);
    }
    out.put('\n');
  }
}

}  // namespace

Alignment *read_alignment(const Source &source, const char *alphabet, const Options &options) {
  if (source.on_disk()) return read_alignment_hdf5(source.context(), source.path());
  if (!source.whole() && source.content() == Content::gzip)
    fail(ATP_E_FORMAT, "%s: packed by gzip, and what is inside is neither text nor HDF5: it has zero bytes, expected sequences",
         source.label());
  if (!source.whole() && options.integer(ATP_OPT_FORMAT) != ATP_FORMAT_AUTO) (void)source.loaded("sequences");
  return alignment_from_bytes(source.context(), source.text(), source.path(), alphabet, options);
}

Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options) {
  const atp_format format = static_cast<atp_format>(options.integer(ATP_OPT_FORMAT));
  if (content_of(bytes.bytes) != Content::gzip) return Reader{context, bytes, alphabet, options}.forced(format, name);
  const Unpacked unpacked(context, bytes, options.integer(ATP_OPT_MAX_UNPACKED));
  const Text text{unpacked.bytes(), bytes.label};
  return Reader{context, text, alphabet, options}.forced(format, name);
}

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path) {
  if (format == ATP_FORMAT_HDF5) return write_alignment_hdf5(context, alignment, path);
  if (format == ATP_FORMAT_FASTA && alignment.alphabet[0] == 0)
    fail(ATP_E_CONFLICT, "%s: the alignment has no alphabet, which FASTA needs", ShownPath(path).text);
  OutputFile file(path);
  BufferedOutput out(context, file);
  if (format == ATP_FORMAT_FASTA)
    write_fasta(alignment, out);
  else
    write_integers(alignment, out);
  out.flush();
  file.commit();
}

}  // namespace atp
