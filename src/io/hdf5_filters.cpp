// SPDX-License-Identifier: MIT
#include "io/hdf5_filters.hpp"

#include <algorithm>
#include <cstring>

#if ATP_HAS_ZLIB
#include <zlib.h>
#endif

namespace atp {

namespace {

constexpr uint64_t kChecksumBytes = 4;

// Sums of 16-bit words, high byte first. A single last byte is a high one.
uint32_t fletcher32(const unsigned char *data, uint64_t bytes) {
  uint32_t first = 0, second = 0;
  const auto fold = [](uint32_t x) { return (x & 0xFFFF) + (x >> 16); };
  for (uint64_t words = bytes / 2; words > 0;) {
    uint64_t part = std::min<uint64_t>(words, 360);
    words -= part;
    for (; part > 0; --part, data += 2) {
      first += static_cast<uint32_t>(data[0]) << 8 | data[1];
      second += first;
    }
    first = fold(first);
    second = fold(second);
  }
  if (bytes % 2 != 0) {
    first = fold(first + (static_cast<uint32_t>(*data) << 8));
    second = fold(second + first);
  }
  return fold(second) << 16 | fold(first);
}

}  // namespace

Hdf5Unfilter::Hdf5Unfilter(Hdf5Bytes &bytes, const char *name, const Hdf5Filters &filters, uint64_t chunk_bytes, uint64_t largest)
    : bytes_(bytes),
      name_(name),
      filters_(filters),
      chunk_bytes_(chunk_bytes),
      room_(std::max(largest, chunk_bytes + kHdf5Filters * kChecksumBytes)),
      memory_(bytes.context().allocator, 2 * Scratch::piece<unsigned char>(static_cast<int64_t>(room_))) {
  Arena arena = memory_.arena();
  now_ = arena.take<unsigned char>(static_cast<int64_t>(room_));
  other_ = arena.take<unsigned char>(static_cast<int64_t>(room_));
}

const unsigned char *Hdf5Unfilter::unpack(uint64_t place, uint64_t size, uint64_t mask) {
  if (size > room_) fail_damaged();
  bytes_.data(place, now_.data(), size);
  size_ = size;
  for (int k = filters_.count - 1; k >= 0; --k) {
    if ((mask >> k & 1) != 0) continue;
    switch (filters_.id[k]) {
      case Hdf5Filters::deflate: inflate(); break;
      case Hdf5Filters::shuffle: unshuffle(filters_.width[k]); break;
      default: strip_checksum(); break;
    }
  }
  if (size_ != chunk_bytes_) fail_damaged();
  return now_.data();
}

void Hdf5Unfilter::turn(uint64_t size) {
  std::swap(now_, other_);
  size_ = size;
}

void Hdf5Unfilter::strip_checksum() {
  if (size_ < kChecksumBytes) fail_damaged();
  size_ -= kChecksumBytes;
  const unsigned char *stored = now_.data() + size_;
  const uint32_t sum = static_cast<uint32_t>(stored[0]) | static_cast<uint32_t>(stored[1]) << 8 | static_cast<uint32_t>(stored[2]) << 16 |
                       static_cast<uint32_t>(stored[3]) << 24;
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  if (sum != fletcher32(now_.data(), size_)) fail_damaged();
#else
  (void)sum;
  (void)fletcher32;
#endif
}

// Byte b of element k is at b * elements + k. Bytes after the last whole element stay in place.
void Hdf5Unfilter::unshuffle(uint64_t width) {
  if (width < 2 || width > size_) return;
  const uint64_t elements = size_ / width;
  for (uint64_t b = 0; b < width; ++b) {
    const unsigned char *from = now_.data() + b * elements;
    unsigned char *to = other_.data() + b;
    for (uint64_t k = 0; k < elements; ++k) to[k * width] = from[k];
  }
  std::memcpy(other_.data() + elements * width, now_.data() + elements * width, size_ - elements * width);
  turn(size_);
}

#if ATP_HAS_ZLIB

void Hdf5Unfilter::inflate() {
  constexpr uint64_t kMost = uint64_t{1} << 31;  // zlib counts in 32 bits, and HDF5 has chunks below 4 GiB
  z_stream z{};
  if (inflateInit(&z) != Z_OK) throw std::bad_alloc();
  z.next_in = now_.data();
  z.next_out = other_.data();
  uint64_t in_left = size_, out_left = chunk_bytes_ + kHdf5Filters * kChecksumBytes;
  int status = Z_OK;
  do {
    const uint64_t in = std::min(in_left, kMost), out = std::min(out_left, kMost);
    z.avail_in = static_cast<uInt>(in);
    z.avail_out = static_cast<uInt>(out);
    status = ::inflate(&z, Z_NO_FLUSH);
    in_left -= in - z.avail_in;
    out_left -= out - z.avail_out;
  } while (status == Z_OK && in_left > 0 && out_left > 0);
  const uint64_t made = chunk_bytes_ + kHdf5Filters * kChecksumBytes - out_left;
  inflateEnd(&z);
  if (status != Z_STREAM_END) fail_damaged();
  turn(made);
}

#else

void Hdf5Unfilter::inflate() {
  fail(ATP_E_UNSUPPORTED, "%s: dataset '%s' is packed by deflate, and this build of the library has no zlib", bytes_.label(), name_);
}

#endif

}  // namespace atp
