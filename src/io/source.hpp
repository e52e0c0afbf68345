// SPDX-License-Identifier: MIT
// A file that is read once. It is opened, its first bytes give the format, and the same descriptor loads it.
// Pipes and sockets therefore work like regular files.
#pragma once

#include "alignment/text.hpp"
#include "io/file.hpp"
#include "io/foreign.hpp"

namespace atp {

class Source {
 public:
  // Opens and loads. Three kinds are loaded only up to their first bytes: HDF5 in a regular file, which is
  // read in pieces; saved states; and files of no readable format, because text has no zero bytes. Throws
  // ATP_E_OPEN, ATP_E_READ, ATP_E_FORMAT (a zero byte further on in a text) or ATP_E_MEMORY, with the label
  // and the requested size. `head`: loads only the first bytes, for kind().
  enum class Extent { all, head };
  Source(Context &context, const char *path, Extent extent = Extent::all);
  ~Source() { allocator_.release(memory_, static_cast<std::size_t>(room_)); }
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  Context &context() const { return context_; }
  const char *path() const { return path_; }
  const char *label() const { return label_.text; }
  bool on_disk() const { return on_disk_; }
  bool whole() const { return whole_; }   // text() has the whole file
  int64_t size() const { return size_; }  // of the file; for a stream that was not read to its end, the bytes read
  Text text() const { return {{static_cast<const char *>(memory_), used_}, label_.text}; }
  Span<const char> head() const;  // the first bytes, which give the format
  // text() of a loaded file. Otherwise throws ATP_E_FORMAT with the detected format and `expected`
  // ("distances").
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
  void grow(int64_t room);

  Context &context_;
  Allocator &allocator_;
  char path_[kPathSize];
  ShownPath label_;
  bool on_disk_ = false, whole_ = false;
  Content content_ = Content::empty;
  void *memory_ = nullptr;
  int64_t size_ = 0, used_ = 0, room_ = 0;
};

}  // namespace atp
