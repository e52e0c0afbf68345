// SPDX-License-Identifier: MIT
#include "io/packed_output.hpp"

#include "base/error.hpp"
#include "io/foreign.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#if ATP_HAS_ZLIB
#include <zlib.h>
#endif

namespace atp {

namespace {

bool named_gz(const char *path) {
  const std::size_t n = std::strlen(path);
  return n > 3 && std::strcmp(path + n - 3, ".gz") == 0;
}

}  // namespace

#if ATP_HAS_ZLIB

// zlib's stream: what waits to be packed, and a piece of what is packed. gzip's header has no time, so that equal texts make equal files.
struct PackedOutput::Deflater {
  static constexpr int64_t kPiece = 1 << 16;
  explicit Deflater() {
    constexpr int kGzip = 15 + 16, kMemory = 8;  // the largest window, gzip's header and checksum; zlib's default
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater &) = delete;
  Deflater &operator=(const Deflater &) = delete;
  z_stream stream{};
  int64_t used = 0;
  Bytef in[kPiece], out[kPiece];
};

PackedOutput::PackedOutput(Context &context, const char *path) : file_(context, path) {
  if (named_gz(path)) deflater_ = std::make_unique<Deflater>();
}

void PackedOutput::put(const void *bytes, int64_t n) {
  if (!deflater_) return file_.put(bytes, n);
  for (const char *from = static_cast<const char *>(bytes); n > 0;) {
    const int64_t piece = std::min(n, Deflater::kPiece - deflater_->used);
    std::memcpy(deflater_->in + deflater_->used, from, static_cast<std::size_t>(piece));
    deflater_->used += piece;
    from += piece;
    n -= piece;
    if (deflater_->used == Deflater::kPiece) pack(false);
  }
}

void PackedOutput::pack(bool last) {
  z_stream &z = deflater_->stream;
  z.next_in = deflater_->in;
  z.avail_in = static_cast<uInt>(deflater_->used);
  do {
    z.next_out = deflater_->out;
    z.avail_out = static_cast<uInt>(Deflater::kPiece);
    deflate(&z, last ? Z_FINISH : Z_NO_FLUSH);
    file_.put(deflater_->out, Deflater::kPiece - static_cast<int64_t>(z.avail_out));
  } while (z.avail_out == 0);
  deflater_->used = 0;
}

#else

struct PackedOutput::Deflater {};

PackedOutput::PackedOutput(Context &context, const char *path) : file_(context, path) {
  if (named_gz(path))
    fail(ATP_E_UNSUPPORTED, "%s: packed by gzip, and this build of the library has no zlib; expected a name without .gz",
         ShownPath(path).text);
}

void PackedOutput::put(const void *bytes, int64_t n) { file_.put(bytes, n); }

void PackedOutput::pack(bool) {}

#endif

PackedOutput::~PackedOutput() = default;

void PackedOutput::commit() {
  if (deflater_) pack(true);
  file_.commit();
}

}  // namespace atp
