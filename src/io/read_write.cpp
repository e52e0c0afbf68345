// SPDX-License-Identifier: MIT
#include "io/read_write.hpp"

#include "alignment/sequence_text.hpp"
#include "io/file.hpp"
#include "io/gzip.hpp"
#include "io/hdf5_files.hpp"

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
  if (format == ATP_FORMAT_FASTA && alignment.alphabet[0] == 0)
    fail(ATP_E_CONFLICT, "%s: the alignment has no alphabet, which FASTA needs", ShownPath(path).text);
  OutputFile file(path);
  BufferedOutput out(context, file);
  if (format == ATP_FORMAT_FASTA)
    put_fasta(alignment, out);
  else
    put_integers(alignment, out);
  out.flush();
  file.commit();
}

}  // namespace atp
