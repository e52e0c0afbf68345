// SPDX-License-Identifier: MIT
#include "io/source.hpp"

#if ATP_HAS_ZLIB

#include "io/foreign.hpp"

#include <zlib.h>

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kLargestPiece = int64_t{1} << 30;  // zlib counts bytes in 32 bits
constexpr int64_t kLook = int64_t{1} << 17;          // bytes unpacked between two checks: zlib reads them again, from a near cache
constexpr int kGzip = 15 + 16;                       // the largest window, gzip's header and checksum
constexpr int64_t kRatio = 100, kLeast = int64_t{1} << 30;

int64_t limit_of(int64_t most, int64_t packed) { return most > 0 ? most : packed > kLeast / kRatio ? kRatio * packed : kLeast; }

struct Inflater {
  explicit Inflater() {
    stream.zalloc = nullptr;
    stream.zfree = nullptr;
    stream.next_in = nullptr;
    stream.avail_in = 0;
    if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;
  z_stream stream{};
};

Bytef *input(const char *p) { return reinterpret_cast<Bytef *>(const_cast<char *>(p)); }

}  // namespace

Unpacked::Unpacked(Context &context, const Text &packed, int64_t most) : memory_(context.allocator) {
  const int64_t limit = limit_of(most, packed.bytes.size());
  memory_.reserve(std::min(std::max<int64_t>(4 * packed.bytes.size(), 1 << 12), limit + 1));
  unpack(packed, limit);
}

// Text has no zero bytes; HDF5 and msgpack have.
void Unpacked::check_piece(const Text &packed, int64_t first) const {
  const Span<const char> all = bytes();
  if (first == all.size() || is_braw(all)) return;
  const Content content = content_of(all.sub(0, std::min<int64_t>(all.size(), 1 << 12)));
  if (content == Content::hdf5) return;
  const char *zero = zero_byte({all, packed.label}, all.data() + first, content == Content::fasta);
  if (zero != nullptr && content == Content::gzip) fail(ATP_E_FORMAT, "%s: packed by gzip twice, expected once", packed.label);
  if (zero != nullptr)
    fail(ATP_E_FORMAT, "%s: a zero byte (NUL) at byte %lld of what the gzip data unpack to, expected text to the end", packed.label,
         llong{zero - all.data()});
}

void Unpacked::unpack(const Text &packed, int64_t most) {
  Inflater inflater;
  z_stream &z = inflater.stream;
  const char *p = packed.begin();
  for (;;) {
    if (memory_.size() == memory_.room()) memory_.reserve(std::min(2 * memory_.room(), most + 1));
    const int64_t in = std::min<int64_t>(packed.end() - p, kLargestPiece), before = memory_.size(),
                  out = std::min(memory_.room() - before, kLook);
    z.next_in = input(p);
    z.avail_in = static_cast<uInt>(in);
    z.next_out = reinterpret_cast<Bytef *>(memory_.end());
    z.avail_out = static_cast<uInt>(out);
    const int status = inflate(&z, Z_NO_FLUSH);
    p += in - static_cast<int64_t>(z.avail_in);
    memory_.extend(out - static_cast<int64_t>(z.avail_out));
    check_piece(packed, before);
    if (memory_.size() > most)
      fail(ATP_E_TOO_LARGE, "%s: %lld bytes of gzip data unpack to more than %lld, the limit (option max-unpacked sets another)",
           packed.label, llong{packed.bytes.size()}, llong{most});
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      // Tape blocks are padded with zeros.
      const char *rest = p;
      while (rest < packed.end() && *rest == 0) ++rest;
      if (rest == packed.end()) return;
      if (packed.end() - p < 2 || p[0] != '\x1f' || p[1] != '\x8b')
        fail(ATP_E_FORMAT, "%s: %lld bytes after the end of the gzip data at byte %lld, expected none", packed.label,
             llong{packed.end() - p}, llong{p - packed.begin()});
      inflateReset(&z);
      continue;
    }
    if (status != Z_OK && status != Z_BUF_ERROR)
      fail(ATP_E_FORMAT, "%s: the gzip data are damaged at byte %lld of %lld (%s), %lld bytes were unpacked", packed.label,
           llong{p - packed.begin()}, llong{packed.bytes.size()}, z.msg == nullptr ? "no text" : z.msg, llong{memory_.size()});
    if (p == packed.end() && z.avail_out > 0)
      fail(ATP_E_FORMAT, "%s: the gzip data end too early, after %lld bytes (%lld unpacked): the file has been cut", packed.label,
           llong{packed.bytes.size()}, llong{memory_.size()});
  }
}

int64_t unpack_head(Span<const char> packed, char *out, int64_t size) {
  Inflater inflater;
  z_stream &z = inflater.stream;
  z.next_in = input(packed.data());
  z.avail_in = static_cast<uInt>(std::min(packed.size(), kLargestPiece));
  z.next_out = reinterpret_cast<Bytef *>(out);
  z.avail_out = static_cast<uInt>(size);
  inflate(&z, Z_SYNC_FLUSH);
  return size - static_cast<int64_t>(z.avail_out);
}

}  // namespace atp

#else

namespace atp {

Unpacked::Unpacked(Context &context, const Text &packed, int64_t) : memory_(context.allocator) {
  fail(ATP_E_UNSUPPORTED, "%s: packed by gzip, and this build of the library has no zlib; expected the unpacked file", packed.label);
}

int64_t unpack_head(Span<const char>, char *, int64_t) { return 0; }

}  // namespace atp

#endif
