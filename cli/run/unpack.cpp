// SPDX-License-Identifier: MIT
#include "run/unpack.hpp"

#include "run/errors.hpp"
#include "run/memory.hpp"

#if ATP_HAS_ZLIB
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#endif

namespace cli {

#if ATP_HAS_ZLIB

namespace {

constexpr std::size_t kUnpackedPiece = std::size_t{1} << 16;
constexpr double kLeastLimit = 1 << 30, kMostRatio = 100;

// Hands over the unpacked text in pieces.
template <class Sink>
void inflate_pieces(const std::string &bytes, const std::string &what, Sink &&sink) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream *)> owner(&stream, inflateEnd);
  std::string piece(kUnpackedPiece, '\0');
  std::size_t taken = 0, unpacked = 0;
  int status = Z_OK;
  while (taken < bytes.size() || status == Z_OK) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // files of several members are their texts, one after the other
    const std::size_t given = std::min(bytes.size() - taken, kUnpackedPiece);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = static_cast<uInt>(kUnpackedPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += given - stream.avail_in;
    unpacked += kUnpackedPiece - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      wrong_use("{} is packed by gzip and damaged, or ends too early, after {} bytes of text", what, unpacked);
    sink(piece.data(), kUnpackedPiece - stream.avail_out);
  }
}

}  // namespace

void unpack(std::string &bytes, const std::string &what, const UnpackLimits &limits) {
  if (bytes.compare(0, 2, "\x1f\x8b") != 0) return;
  const auto packed = static_cast<double>(bytes.size());
  const double most = limits.unpacked > 0 ? static_cast<double>(limits.unpacked) : std::max(kLeastLimit, kMostRatio * packed);
  // The size first: a text that grows takes three times its size.
  double size = 0;
  inflate_pieces(bytes, what, [&](const char *, std::size_t more) {
    size += static_cast<double>(more);
    if (size > most)
      wrong_use("{}: {} unpack to more than {}, the limit; expected a file that is not packed, or for structures a larger --max-unpacked",
                what, memory_text(packed), memory_text(most));
    if (limits.memory >= 0 && size > limits.memory)
      wrong_use("{}: {} unpack to more than the {} that the memory limit leaves; expected a smaller file, or a larger --memory", what,
                memory_text(packed), memory_text(limits.memory));
  });
  std::string text;
  text.reserve(static_cast<std::size_t>(size));
  inflate_pieces(bytes, what, [&](const char *piece, std::size_t more) { text.append(piece, more); });
  bytes = std::move(text);
}

#else

void unpack(std::string &bytes, const std::string &what, const UnpackLimits &) {
  if (bytes.compare(0, 2, "\x1f\x8b") == 0)
    wrong_use("{} is packed by gzip, and this build has no zlib; expected a file that is not packed", what);
}

#endif

}  // namespace cli
