// SPDX-License-Identifier: MIT
// Undoes the filters of chunks: deflate, shuffle, fletcher32.
#pragma once

#include "io/hdf5_messages.hpp"

namespace atp {

class Hdf5Unfilter {
 public:
  // For chunks that unpack to chunk_bytes, from at most `largest` bytes in the file.
  Hdf5Unfilter(Hdf5Bytes &bytes, const char *name, const Hdf5Filters &filters, uint64_t chunk_bytes, uint64_t largest);
  // The unpacked bytes of the chunk, valid until the next call. Throws ATP_E_FORMAT if they are not
  // chunk_bytes.
  const unsigned char *unpack(uint64_t place, uint64_t size, uint64_t mask);

 private:
  void inflate();
  void unshuffle(uint64_t width);
  void strip_checksum();
  void turn(uint64_t size);  // the other buffer receives the result
  [[noreturn]] void fail_damaged() const { bytes_.fail_format("dataset '%s' is damaged", name_); }

  Hdf5Bytes &bytes_;
  const char *name_;
  const Hdf5Filters &filters_;
  uint64_t chunk_bytes_, room_;
  Scratch memory_;
  Span<unsigned char> now_, other_;
  uint64_t size_ = 0;
};

}  // namespace atp
