// SPDX-License-Identifier: MIT
// Heaps. The fractal heap stores links and attributes of objects that have many of them. The global heap stores
// strings of variable length.
#pragma once

#include "alignment/growing.hpp"
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
  // Finds the object of an id. Returns false if it is so large or so small that it is stored elsewhere; no
  // message that is read here is.
  bool find(Hdf5Cursor id, Object &object) const;
  void require_checksum(const Object &object) const;  // of the block that contains it

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
  explicit Hdf5Strings(Hdf5Bytes &bytes) : bytes_(bytes), places_(bytes.context().allocator) {}
  // The bytes of object `index` of the collection at `address`.
  Hdf5Cursor find(uint64_t address, uint64_t index);

 private:
  // HDF5 fills up to 16 collections at a time. Strings that were written one after the other are in order in
  // each collection, so the search continues where it stopped. The first string that is out of order makes a
  // table of its collection.
  static constexpr int kOpen = 32;
  static constexpr uint64_t kTable = 4096;  // HDF5 makes collections of at most 64 KiB, except for longer strings
  struct Collection {
    uint64_t address = kNoAddress;
    Hdf5Cursor rest;  // objects that were not yet visited
    bool has_table = false;
  };
  struct Object {
    uint64_t index = 0, place = 0;
    Hdf5Cursor body;
  };
  bool next(Hdf5Cursor &rest, Object &object) const;
  bool find_in(Hdf5Cursor &rest, uint64_t index, Hdf5Cursor &found) const;
  Hdf5Cursor objects(uint64_t address) const;
  uint64_t *table_of(Collection &collection);

  Hdf5Bytes &bytes_;
  Collection open_[kOpen];
  Growing<uint64_t> places_;  // tables of the open collections: where an object is, by its index
  int oldest_ = 0;
};

}  // namespace atp
