// SPDX-License-Identifier: MIT
// Chunk indexes that are arrays: fixed arrays, and extensible arrays along one axis that may grow.
#pragma once

#include "io/hdf5_bytes.hpp"

namespace atp {

// A chunk, as stored in its index.
struct Hdf5Entry {
  uint64_t place = kNoAddress, size = 0;
  uint64_t mask = 0;  // filters that were not applied
};

class Hdf5ChunkArray {
 public:
  virtual Hdf5Entry at(uint64_t index) = 0;

 protected:
  explicit Hdf5ChunkArray(Hdf5Bytes &bytes) : bytes_(bytes) {}
  ~Hdf5ChunkArray() = default;
  Hdf5Entry decode(Hdf5Cursor in) const;
  // Entry k of an array of `count` entries and a checksum. The checksum is verified when the array differs
  // from the previous one.
  Hdf5Entry entry_of(uint64_t place, uint64_t head, uint64_t count, uint64_t k);
  void require_new(uint64_t place, uint64_t bytes);

  Hdf5Bytes &bytes_;
  bool filtered_ = false;
  uint64_t entry_bytes_ = 0;

 private:
  uint64_t verified_ = kNoAddress;
};

class Hdf5FixedArray final : public Hdf5ChunkArray {
 public:
  Hdf5FixedArray(Hdf5Bytes &bytes, uint64_t address);
  Hdf5Entry at(uint64_t index) override;

 private:
  uint64_t count_ = 0, page_ = 0, block_ = kNoAddress;
};

class Hdf5ExtensibleArray final : public Hdf5ChunkArray {
 public:
  Hdf5ExtensibleArray(Hdf5Bytes &bytes, uint64_t address);
  Hdf5Entry at(uint64_t index) override;

 private:
  uint64_t block_entries(int row) const { return least_ << (row + 1) / 2; }
  Hdf5Entry in_block(uint64_t block, uint64_t entries, uint64_t k, Hdf5Cursor page_bits);
  uint64_t offset_bytes_ = 0, first_ = 0, least_ = 0, page_ = 0, index_ = kNoAddress;
  uint64_t index_blocks_ = 0;  // addresses of data blocks in the index block
  int index_rows_ = 0, rows_ = 0;
  uint64_t verified_block_ = kNoAddress;  // of addresses
};

}  // namespace atp
