// SPDX-License-Identifier: MIT
#include "io/alignment_files.hpp"

#include "alignment/rows.hpp"
#include "alignment/sequence_text.hpp"
#include "io/hdf5_files.hpp"
#include "io/packed_output.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <strings.h>

namespace atp {

namespace {

// The bytes of a file that is not packed, or was unpacked.
Alignment *from_unpacked(Context &context, const Text &text, const char *name, const char *alphabet, const Options &options,
                         bool unpacked) {
  const int64_t format = options.integer(ATP_OPT_FORMAT);
  const Content content = format == ATP_FORMAT_AUTO ? content_of(text.bytes) : Content::other;
  if (format == ATP_FORMAT_HDF5 || content == Content::hdf5) return alignment_from_hdf5(context, text, options.integer(ATP_OPT_COLORS));
  if (unpacked && content == Content::gzip) fail(ATP_E_FORMAT, "%s: packed by gzip twice, expected once", text.label);
  return alignment_from_text(context, text, name, alphabet, options);
}

}  // namespace

Alignment *read_alignment(const Source &source, const char *alphabet, const Options &options) {
  if (source.on_disk()) return read_alignment_hdf5(source.context(), source.path(), options.integer(ATP_OPT_COLORS));
  if (!source.whole() && source.content() == Content::gzip)
    fail(ATP_E_FORMAT, "%s: packed by gzip, and what is inside is neither text nor HDF5: it has zero bytes, expected sequences",
         source.label());
  if (source.content() == Content::npy)
    fail(ATP_E_FORMAT, "%s: an array of NumPy, expected sequences: numpy.savetxt(FILE, a, fmt='%%d') writes whole numbers as text",
         source.label());
  if (!source.whole() && options.integer(ATP_OPT_FORMAT) != ATP_FORMAT_AUTO) (void)source.loaded("sequences");
  return alignment_from_bytes(source.context(), source.text(), source.path(), alphabet, options);
}

Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options) {
  if (content_of(bytes.bytes) != Content::gzip) return from_unpacked(context, bytes, name, alphabet, options, false);
  const Unpacked unpacked(context, bytes, options.integer(ATP_OPT_MAX_UNPACKED));
  return from_unpacked(context, {unpacked.bytes(), bytes.label}, name, alphabet, options, true);
}

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path) {
  if (format == ATP_FORMAT_HDF5) return write_alignment_hdf5(context, alignment, path);
  const bool stockholm = format == ATP_FORMAT_STOCKHOLM, inserts = format == ATP_FORMAT_A2M || format == ATP_FORMAT_A3M;
  if (format != ATP_FORMAT_INTEGERS && alignment.alphabet[0] == 0)
    fail(ATP_E_CONFLICT, "%s: the alignment has no alphabet, which %s needs", ShownPath(path).text,
         stockholm                  ? "Stockholm"
         : format == ATP_FORMAT_A2M ? "A2M"
         : format == ATP_FORMAT_A3M ? "A3M"
                                    : "FASTA");
  if (inserts) require_match_symbols(alignment.alphabet);
  if (stockholm) require_stockholm_names(context, alignment);
  PackedOutput out(context, path);
  if (stockholm)
    put_stockholm(alignment, out);
  else if (format == ATP_FORMAT_INTEGERS)
    put_integers(alignment, out);
  else
    put_fasta(alignment, out);
  out.commit();
}

namespace {

constexpr int64_t kPiece = 1 << 16;

const char *find(const char *begin, const char *end, char c) {
  return begin == end ? nullptr : static_cast<const char *>(std::memchr(begin, c, static_cast<std::size_t>(end - begin)));
}

// A regular file of records, as find_fasta_rows() (alignment/rows.hpp) sees them: the first begins at the first byte that is not blank,
// each other one at a '>' after a line end.
class RecordFile {
 public:
  RecordFile(Context &context, const char *path)
      : path_(path), file_(path), memory_(context.allocator, Scratch::piece<char>(kPiece)), piece_(memory_.arena().take<char>(kPiece)) {
    const Span<const char> head(piece_.data(), file_.read_at(0, piece_.data(), kPiece));
    require_records(content_of(head));
    first_ = first_record(without_mark({head, ""})) - head.begin();
  }
  int64_t size() const { return file_.size(); }
  // The first record that begins in bytes from .. to - 1; `to` if none does.
  int64_t next_record(int64_t from, int64_t to) {
    if (from <= first_) return std::min(first_, to);
    for (int64_t place = from; place < to;) {  // with the byte before it
      const int64_t n = file_.read_at(place - 1, piece_.data(), std::min(kPiece, to - place + 1));
      const char *end = piece_.data() + n;
      for (const char *p = piece_.data() + 1; p < end && (p = find(p, end, '>')) != nullptr; ++p)
        if (is_line_end(p[-1])) return place - 1 + (p - piece_.data());
      if (n < 2) break;
      place += n - 1;
    }
    return to;
  }
  void read(int64_t begin, char *out, int64_t bytes) {
    if (file_.read_at(begin, out, bytes) != bytes)
      fail(ATP_E_READ, "%s: the file has become shorter while it was read", ShownPath(path_).text);
    if (const char *zero = find(out, out + bytes, '\0'); zero != nullptr)
      fail(ATP_E_FORMAT, "%s: a zero byte (NUL) at byte %lld, expected one alignment as text, to the end", ShownPath(path_).text,
           llong{begin + (zero - out)});
  }

 private:
  void require_records(Content content) const {
    const ShownPath shown(path_);
    if (content == Content::fasta) return;
    if (content == Content::gzip)
      fail(ATP_E_FORMAT, "%s: packed by gzip, which can be read from its beginning alone: unpack the file before it is read in parts",
           shown.text);
    const char *what = content == Content::empty       ? "the file is empty"
                       : content == Content::hdf5      ? "HDF5"
                       : content == Content::stockholm ? "a Stockholm file"
                       : content == Content::integers  ? "whole numbers"
                       : content == Content::lines     ? "no '>' at the beginning"
                                                       : "no text of sequences";
    fail(ATP_E_FORMAT, "%s: %s, expected FASTA, A2M or A3M: other files are not read in parts", shown.text, what);
  }

  const char *path_;
  InputFile file_;
  Scratch memory_;
  Span<char> piece_;
  int64_t first_ = 0;
};

// Whether the format is one of insert columns without a look at the content.
bool named_a2m(const char *path) {
  const std::size_t n = std::strlen(path);
  return n >= 4 && (strcasecmp(path + n - 4, ".a2m") == 0 || strcasecmp(path + n - 4, ".a3m") == 0);
}

// Lower case and '.' are insert columns in A2M and A3M, and symbols in FASTA. All records together can show which it is, some cannot.
void require_no_inserts(const Text &text, const char *symbols) {
  for (const char *c = symbols; *c != 0; ++c)
    if (*c >= 'a' && *c <= 'z') return;
  const bool dots = std::strchr(symbols, '.') == nullptr;
  bool header = true;
  for (const char *p = text.begin(); p < text.end(); ++p) {
    if (p == text.begin() || is_line_end(p[-1])) header = *p == '>';
    if (header || !((*p >= 'a' && *p <= 'z') || (*p == '.' && dots))) continue;
    fail(ATP_E_FORMAT, "%s: symbol %s in a part of a file: set the option format to fasta, a2m or a3m, which tells what it means",
         text.label, Quoted(p, p + 1).text);
  }
}

}  // namespace

Alignment *read_sequence_part(Context &context, const char *path, int64_t part, int64_t parts, const char *alphabet,
                              const Options &options) {
  const int64_t format = options.integer(ATP_OPT_FORMAT);
  if (format != ATP_FORMAT_AUTO && format != ATP_FORMAT_FASTA && format != ATP_FORMAT_A2M && format != ATP_FORMAT_A3M)
    fail(ATP_E_VALUE, "option format is %lld, must be automatic, FASTA, A2M or A3M: other files are not read in parts", llong{format});
  require_regular(path, "parts of it cannot be read");
  RecordFile file(context, path);
  const auto bound = [&](int64_t k) { return file.size() / parts * k + file.size() % parts * k / parts; };  // floor(size * k / parts)
  const int64_t begin = file.next_record(bound(part), bound(part + 1));
  if (begin == bound(part + 1))
    fail(ATP_E_VALUE, "%s: no record begins in part %lld of %lld: take fewer parts", ShownPath(path).text, llong{part}, llong{parts});
  const int64_t bytes = file.next_record(bound(part + 1), file.size()) - begin;
  const Scratch memory(context.allocator, Scratch::piece<char>(bytes));
  const Span<char> read = memory.arena().take<char>(bytes);
  file.read(begin, read.data(), bytes);
  char label[320];
  std::snprintf(label, sizeof label, "%s, from byte %lld", ShownPath(path).text, llong{begin});
  const Text text{{read.data(), bytes}, label};
  if (format == ATP_FORMAT_AUTO && alphabet != nullptr && !named_a2m(path)) require_no_inserts(text, alphabet_symbols(alphabet));
  return alignment_from_text(context, text, path, alphabet, options);
}

}  // namespace atp
