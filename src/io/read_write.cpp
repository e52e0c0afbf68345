// SPDX-License-Identifier: MIT
#include "io/read_write.hpp"

#include "data/fasta.hpp"
#include "data/integers.hpp"
#include "io/file.hpp"
#include "io/hdf5_files.hpp"
#include "io/seal.hpp"

#include <algorithm>
#include <cstdio>

namespace atp {

namespace {

constexpr int64_t kHead = 1 << 16;  // bytes that tell what a file is

Content head_content(Context &context, InputFile &file) {
  const Scratch memory(context.allocator, Scratch::piece<char>(kHead));
  const Span<char> head = memory.arena().take<char>(kHead);
  return content_of(head.sub(0, file.regular() ? file.read_at(0, head.data(), kHead) : file.read(head.data(), kHead)));
}

// Whether HDF5 can open the file itself.
bool is_hdf5_on_disk(Context &context, InputFile &file, const char *path) {
  return file.regular() && !is_standard_stream(path) && head_content(context, file) == Content::hdf5;
}

Alignment *parse_alignment(Context &context, const Text &text, const char *alphabet, const Options &options) {
  switch (content_of(text.bytes)) {
    case Content::empty: fail(ATP_E_FORMAT, "%s: the file is empty, expected sequences", text.label);
    case Content::hdf5: return alignment_from_hdf5(context, text);
    case Content::gzip: fail(ATP_E_FORMAT, "%s: compressed by gzip, expected the unpacked file", text.label);
    case Content::state: fail(ATP_E_FORMAT, "%s: the saved state of a sampler or trainer, expected sequences", text.label);
    case Content::fasta: {
      if (alphabet == nullptr) fail(ATP_E_CONFLICT, "%s: alphabet is NULL, must be given for a FASTA file", text.label);
      const atp_unknown policy = static_cast<atp_unknown>(options.integer(ATP_OPT_UNKNOWN));
      return parse_fasta(context, text, alphabet_symbols(alphabet), policy);
    }
    default: return parse_integers(context, text, options.integer(ATP_OPT_COLORS));
  }
}

void write_fasta(const Alignment &alignment, BufferedOutput &out) {
  for (int64_t n = 0; n < alignment.count(); ++n) {
    char number[32];
    const char *name = alignment.name(n);
    if (name[0] == 0) {
      std::snprintf(number, sizeof number, "sequence%lld", static_cast<long long>(n));
      name = number;
    }
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

Alignment *read_alignment(Context &context, const char *path, const char *alphabet, const Options &options) {
  const ShownPath label(is_standard_stream(path) ? "standard input" : path);
  InputFile file(path);
  if (is_hdf5_on_disk(context, file, path)) return read_alignment_hdf5(context, path);
  const FileBytes bytes(context, file);
  return parse_alignment(context, {bytes.bytes(), label.text}, alphabet, options);
}

Model *read_model(Context &context, const char *path) {
  const ShownPath label(is_standard_stream(path) ? "standard input" : path);
  InputFile file(path);
  if (is_hdf5_on_disk(context, file, path)) return read_model_hdf5(context, path);
  const FileBytes bytes(context, file);
  if (content_of(bytes.bytes()) != Content::hdf5) fail(ATP_E_FORMAT, "%s: not an HDF5 file, expected a model", label.text);
  return model_from_hdf5(context, {bytes.bytes(), label.text});
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

const char *file_kind(Context &context, const char *path) {
  if (is_standard_stream(path)) fail(ATP_E_OPEN, "standard input: cannot be asked for its kind before it is read");
  InputFile file(path);
  switch (head_content(context, file)) {
    case Content::hdf5: {
      const Seal seal = find_seal(file);
      for (const char *kind : {"model", "alignment"})
        if (seal.found && std::strcmp(seal.kind, kind) == 0) return kind;
      return hdf5_kind(path);
    }
    case Content::fasta: return "fasta";
    case Content::integers: return "integers";
    case Content::state: return "state";
    default: return "unknown";
  }
}

}  // namespace atp
