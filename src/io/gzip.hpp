// SPDX-License-Identifier: MIT
// Reads files compressed by gzip, through zlib. A build without zlib throws ATP_E_UNSUPPORTED.
#pragma once

#include "base/context.hpp"
#include "alignment/text.hpp"

namespace atp {

// The unpacked bytes of all members of a gzip file, in memory of the context. `most` limits their number; 0
// means a hundred times the packed size, but at least 1 GiB (deflate packs zeros a thousandfold). Throws
// ATP_E_TOO_LARGE above the limit. Throws ATP_E_FORMAT with the label for truncated or damaged data
// (checksums), bytes after a member that are not gzip, and zero bytes in a text.
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

// Unpacks at most `size` bytes from the start of a gzip file. Returns their number, 0 if it cannot be unpacked.
int64_t unpack_head(Span<const char> packed, char *out, int64_t size);

}  // namespace atp
