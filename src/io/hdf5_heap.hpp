// SPDX-License-Identifier: MIT
// Heaps: the fractal heap, which has the links and attributes of objects with many of them, and the global heap, which has strings of
// variable length.
#pragma once

#include "io/hdf5_bytes.hpp"

namespace atp {

class Hdf5FractalHeap {
 public:
  Hdf5FractalHeap(Hdf5Bytes &bytes, uint64_t address);
  struct Object {
    Hdf5Cursor body;
    uint64_t block, block_bytes;
  };
  int id_bytes() const { return id_bytes_; }
  // The object of an id; false where it is so large or so small that it lies elsewhere, as no message that is read does.
  bool find(Hdf5Cursor id, Object &object) const;
  void require_checksum(const Object &object) const;  // of the block that it lies in

 private:
  static constexpr int kDeepest = 16;
  uint64_t row_bytes(int row) const { return row == 0 ? start_bytes_ : start_bytes_ << (row - 1); }
  uint64_t row_begin(int row) const { return row == 0 ? 0 : width_ * start_bytes_ << (row - 1); }
  Object object_in(uint64_t block, uint64_t block_bytes, uint64_t offset, uint64_t size) const;
  uint64_t block_head() const { return 5 + static_cast<uint64_t>(bytes_.offset_bytes() + offset_bytes_); }

  Hdf5Bytes &bytes_;
  int id_bytes_ = 0, offset_bytes_ = 0, size_bytes_ = 0;  // of ids
  bool direct_sums_ = false;
  int direct_rows_ = 0, root_rows_ = 0, most_rows_ = 0;
  uint64_t width_ = 0, start_bytes_ = 0, root_ = kNoAddress;
};

class Hdf5Strings {
 public:
  explicit Hdf5Strings(Hdf5Bytes &bytes) : bytes_(bytes) {}
  // The bytes of object `index` of the collection at `address`.
  Hdf5Cursor find(uint64_t address, uint64_t index);

 private:
  bool next(uint64_t index, Hdf5Cursor &found);
  Hdf5Bytes &bytes_;
  uint64_t collection_ = kNoAddress;
  Hdf5Cursor rest_;  // objects of the collection that were not seen yet
};

}  // namespace atp
