// SPDX-License-Identifier: MIT
#include "structures/unpack.hpp"

#include "support/errors.hpp"

#if ATP_HAS_ZLIB
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#endif

namespace cli {

#if ATP_HAS_ZLIB

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16, kMost = std::size_t{1} << 31;  // the largest structures known have a few hundred MB

}  // namespace

void unpack(std::string &bytes, const std::string &path) {
  if (bytes.compare(0, 2, "\x1f\x8b") != 0) return;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream *)> owner(&stream, inflateEnd);
  std::string text, piece(kPiece, '\0');
  std::size_t taken = 0;
  int status = Z_OK;
  while (taken < bytes.size() || status == Z_OK) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // files of several members are their texts, one after the other
    const std::size_t given = std::min(bytes.size() - taken, kPiece);
    stream.next_in = reinterpret_cast<Bytef *>(&bytes[taken]);
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += given - stream.avail_in;
    text.append(piece, 0, kPiece - stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END)
      wrong_use("--structure {} is packed by gzip and damaged, or ends too early, after {} bytes of text", path, text.size());
    if (text.size() > kMost) wrong_use("--structure {} has more than 2 GiB of text, expected one structure", path);
  }
  bytes = std::move(text);
}

#else

void unpack(std::string &bytes, const std::string &path) {
  if (bytes.compare(0, 2, "\x1f\x8b") == 0)
    wrong_use("--structure {} is packed by gzip, and this build has no zlib; expected a file that is not packed", path);
}

#endif

}  // namespace cli
