// SPDX-License-Identifier: MIT
// A file that is read once. It is opened, its first bytes give the format, and the same descriptor loads it. Pipes and sockets therefore
// work like regular files. Files that gzip packed are unpacked through zlib; a build without zlib throws ATP_E_UNSUPPORTED.
#pragma once

#include "alignment/growing.hpp"
#include "alignment/text.hpp"
#include "io/file.hpp"

#include <optional>

namespace atp {

enum class Foreign;

class Source {
 public:
  // Opens and loads. Three kinds are loaded only up to their first bytes: HDF5 in a regular file, which is read in pieces; saved states;
  // and files of no readable format, because text has no zero bytes. Throws ATP_E_OPEN, ATP_E_READ, ATP_E_FORMAT (a zero byte further on in
  // a text) or ATP_E_MEMORY, with the label and the requested size. `head`: loads only the first bytes, for kind().
  enum class Extent { all, head };
  Source(Context &context, const char *path, Extent extent = Extent::all);
  Context &context() const { return context_; }
  const char *path() const { return path_; }
  const char *label() const { return label_.text; }
  bool on_disk() const { return on_disk_; }
  bool whole() const { return whole_; }   // text() has the whole file
  int64_t size() const { return size_; }  // of the file; for a stream that was not read to its end, the bytes read
  Text text() const { return {{memory_.data(), memory_.size()}, label_.text}; }
  Span<const char> head() const;  // the first bytes, which give the format
  // text() of a loaded file. Otherwise throws ATP_E_FORMAT with the detected format and `expected` ("distances").
  Text loaded(const char *expected) const;

  Content content() const { return content_; }
  Foreign foreign() const;
  const char *kind() const;  // as atp_input_kind() returns

 private:
  const char *hdf5_content() const;
  void load(InputFile &file, Extent extent);
  int64_t most_bytes(const InputFile &file) const;
  void read_more(InputFile &file, int64_t most, bool text);
  void require_no_zero(const char *begin, int64_t n) const;

  Context &context_;
  char path_[kPathSize];
  ShownPath label_;
  bool on_disk_ = false, whole_ = false;
  Content content_ = Content::empty;
  Growing<char> memory_;
  int64_t size_ = 0;
};

// The unpacked bytes of all members of a gzip file, in memory of the context. `most` limits their number; 0 means a hundred times the
// packed size, but at least 1 GiB (deflate packs zeros a thousandfold). Throws ATP_E_TOO_LARGE above the limit. Throws ATP_E_FORMAT with
// the label for truncated or damaged data (checksums), bytes after a member that are not gzip, and zero bytes in a text.
class Unpacked {
 public:
  Unpacked(Context &context, const Text &packed, int64_t most);
  Span<const char> bytes() const { return {memory_.data(), memory_.size()}; }

 private:
  void unpack(const Text &packed, int64_t most);
  void check_piece(const Text &packed, int64_t first) const;
  Growing<char> memory_;
};

// Unpacks at most `size` bytes from the start of a gzip file. Returns their number, 0 if it cannot be unpacked.
int64_t unpack_head(Span<const char> packed, char *out, int64_t size);

// The text of a loaded file, unpacked if gzip packed it. Throws as Source::loaded() and Unpacked.
class LoadedText {
 public:
  LoadedText(const Source &source, const char *expected);
  Text get() const { return text_; }

 private:
  std::optional<Unpacked> unpacked_;
  Text text_;
};

}  // namespace atp
