// SPDX-License-Identifier: MIT
#include "structures/unpack.hpp"

#include "support/errors.hpp"
#include "support/memory.hpp"

#if ATP_HAS_ZLIB
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#endif

namespace cli {

#if ATP_HAS_ZLIB

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr double kLeastLimit = 1 << 30, kMostRatio = 100;

// Hands over the unpacked text in pieces.
template <class Sink>
void inflate_pieces(const std::string &bytes, const std::string &path, Sink &&sink) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream *)> owner(&stream, inflateEnd);
  std::string piece(kPiece, '\0');
  std::size_t taken = 0, unpacked = 0;
  int status = Z_OK;
  while (taken < bytes.size() || status == Z_OK) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // files of several members are their texts, one after the other
    const std::size_t given = std::min(bytes.size() - taken, kPiece);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += given - stream.avail_in;
    unpacked += kPiece - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      wrong_use("--structure {} is packed by gzip and damaged, or ends too early, after {} bytes of text", path, unpacked);
    sink(piece.data(), kPiece - stream.avail_out);
  }
}

}  // namespace

void unpack(std::string &bytes, const std::string &path, const StructureLimits &limits) {
  if (bytes.compare(0, 2, "\x1f\x8b") != 0) return;
  const auto packed = static_cast<double>(bytes.size());
  const double most = limits.unpacked > 0 ? static_cast<double>(limits.unpacked) : std::max(kLeastLimit, kMostRatio * packed);
  // The size first: a text that grows takes three times its size.
  double size = 0;
  inflate_pieces(bytes, path, [&](const char *, std::size_t more) {
    size += static_cast<double>(more);
    if (size > most)
      wrong_use("--structure {}: {} unpack to more than {}, the limit; expected one structure, or a larger --max-unpacked", path,
                memory_text(packed), memory_text(most));
    if (limits.memory >= 0 && size > limits.memory)
      wrong_use("--structure {}: {} unpack to more than the {} that the memory limit leaves; expected one structure, or a larger --memory",
                path, memory_text(packed), memory_text(limits.memory));
  });
  std::string text;
  text.reserve(static_cast<std::size_t>(size));
  inflate_pieces(bytes, path, [&](const char *piece, std::size_t more) { text.append(piece, more); });
  bytes = std::move(text);
}

#else

void unpack(std::string &bytes, const std::string &path, const StructureLimits &) {
  if (bytes.compare(0, 2, "\x1f\x8b") == 0)
    wrong_use("--structure {} is packed by gzip, and this build has no zlib; expected a file that is not packed", path);
}

#endif

}  // namespace cli
