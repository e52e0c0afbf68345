// SPDX-License-Identifier: MIT
// A file that is read once: opened, judged by its first bytes, and loaded through the same descriptor, so that pipes and sockets give what
// regular files give.
#pragma once

#include "data/text.hpp"
#include "io/file.hpp"
#include "io/foreign.hpp"

namespace atp {

class Source {
 public:
  // Opens and loads. Not loaded beyond their first bytes are: HDF5 in a regular file, which is read in pieces; saved states; and what
  // cannot be anything that is read, because text has no zero bytes. Throws ATP_E_OPEN, ATP_E_READ, ATP_E_FORMAT (a zero byte further on in
  // a text), ATP_E_MEMORY with the label and how much was asked for. `head`: the first bytes alone, for kind().
  enum class Extent { all, head };
  Source(Context &context, const char *path, Extent extent = Extent::all);
  ~Source() { allocator_.release(memory_, static_cast<std::size_t>(room_)); }
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  Context &context() const { return context_; }
  const char *path() const { return path_; }
  const char *label() const { return label_.text; }
  bool on_disk() const { return on_disk_; }
  bool whole() const { return whole_; }   // text() has all of the file
  int64_t size() const { return size_; }  // of the file; where a stream was not read to its end, what was read
  Text text() const { return {{static_cast<const char *>(memory_), used_}, label_.text}; }
  Span<const char> head() const;  // what tells the kind of a file
  // text() of a file that was loaded; throws ATP_E_FORMAT with what else it is and `expected` ("distances").
  Text loaded(const char *expected) const;

  Content content() const { return content_; }
  Foreign foreign() const;
  const char *kind() const;  // as atp_input_kind() says

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
