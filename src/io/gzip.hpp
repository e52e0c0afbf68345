// SPDX-License-Identifier: MIT
// Files packed by gzip, through zlib; a build without it answers ATP_E_UNSUPPORTED.
#pragma once

#include "base/context.hpp"
#include "data/text.hpp"

namespace atp {

// The unpacked bytes of all members of a gzip file, in memory of the context; at most `most` of them, or where that is 0 a hundred times
// the packed ones and 1 GiB at least (deflate packs zeros a thousandfold). Throws ATP_E_TOO_LARGE where there are more, ATP_E_FORMAT with
// the label: cut short, damaged (checksums), bytes that are not gzip after a member, zero bytes in a text.
class Unpacked {
 public:
  Unpacked(Context &context, const Text &packed, int64_t most);
  ~Unpacked() { allocator_.release(memory_, static_cast<std::size_t>(room_)); }
  Unpacked(const Unpacked &) = delete;
  Unpacked &operator=(const Unpacked &) = delete;
  Span<const char> bytes() const { return {static_cast<const char *>(memory_), size_}; }

 private:
  void unpack(const Text &packed, int64_t most);
  void check_piece(const Text &packed, int64_t first) const;
  void grow(int64_t room);
  Allocator &allocator_;
  void *memory_ = nullptr;
  int64_t size_ = 0, room_ = 0;
};

// The first bytes of what a piece of a gzip file holds, at most `size`; 0 where it cannot be unpacked.
int64_t unpack_head(Span<const char> packed, char *out, int64_t size);

}  // namespace atp
