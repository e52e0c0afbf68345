// SPDX-License-Identifier: MIT
#include "io/hdf5_heap.hpp"

#include "io/hdf5_tree2.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr const char *kHeap = "fractal heap", *kCollection = "heap of strings";

bool is_power(uint64_t x) { return x != 0 && (x & (x - 1)) == 0; }

int log2_of(uint64_t x) {
  int bits = 0;
  while (x >>= 1) ++bits;
  return bits;
}

}  // namespace

Hdf5FractalHeap::Hdf5FractalHeap(Hdf5Bytes &bytes, uint64_t address) : bytes_(bytes) {
  const uint64_t lengths = static_cast<uint64_t>(bytes.length_bytes()), offsets = static_cast<uint64_t>(bytes.offset_bytes());
  Hdf5Cursor in(bytes, address, 4 + 1 + 2 + 2 + 1 + 4 + 12 * lengths + 3 * offsets + 8, kHeap);
  in.require("FRHP", 0);
  id_bytes_ = in.small(2);
  if (in.small(2) != 0) bytes.fail_format("a fractal heap with filters, which is not read");
  direct_sums_ = (in.small(1) & 2) != 0;
  const uint64_t largest_object = in.number(4);
  in.skip(lengths + offsets + lengths + offsets);  // huge objects, free space
  in.skip(8 * lengths);                            // counts
  width_ = static_cast<uint64_t>(in.small(2));
  start_bytes_ = in.length();
  const uint64_t largest_block = in.length();
  const int heap_bits = in.small(2);
  in.skip(2);
  root_ = in.address();
  root_rows_ = in.small(2);
  bytes.require_checksum(address, in.place() - address, kHeap);
  if (!is_power(width_) || !is_power(start_bytes_) || !is_power(largest_block) || largest_block < start_bytes_ || heap_bits < 1 ||
      heap_bits > 46 || largest_block > uint64_t{1} << heap_bits || width_ > largest_block || id_bytes_ < 1)
    in.fail_damaged();
  direct_rows_ = log2_of(largest_block) - log2_of(start_bytes_) + 2;
  most_rows_ = std::max(1, heap_bits - log2_of(start_bytes_ * width_) + 1);
  offset_bytes_ = (heap_bits + 7) / 8;
  size_bytes_ = std::min((log2_of(largest_block) + 7) / 8, bytes_to_encode(largest_object));
  size_bytes_ = std::max(size_bytes_, 1);
}

Hdf5FractalHeap::Object Hdf5FractalHeap::object_in(uint64_t block, uint64_t block_bytes, uint64_t offset, uint64_t size) const {
  const Hdf5Cursor in(bytes_, block, block_bytes, kHeap);
  if (offset > block_bytes || size > block_bytes - offset) in.fail_damaged();
  Hdf5Cursor head = in;
  head.require("FHDB", 0);
  return {Hdf5Cursor(bytes_, block + offset, size, kHeap), block, block_bytes};
}

bool Hdf5FractalHeap::find(Hdf5Cursor id, Object &object) const {
  if ((id.small(1) & 0xF0) != 0) return false;
  uint64_t offset = id.number(offset_bytes_);
  const uint64_t size = id.number(size_bytes_);
  if (root_rows_ == 0) {
    object = object_in(root_, start_bytes_, offset, size);
    return true;
  }
  uint64_t block = root_;
  int rows = root_rows_;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const int row = offset < start_bytes_ * width_ ? 0 : log2_of(offset / (start_bytes_ * width_)) + 1;
    if (row >= rows || rows > most_rows_) id.fail_damaged();
    const uint64_t column = (offset - row_begin(row)) / row_bytes(row), entries = static_cast<uint64_t>(rows) * width_;
    const uint64_t entry_bytes = static_cast<uint64_t>(bytes_.offset_bytes());
    Hdf5Cursor in(bytes_, block, block_head() + entries * entry_bytes, kHeap);
    in.require("FHIB", 0);
    if (depth == 0) bytes_.require_checksum(block, block_head() + entries * entry_bytes, kHeap);
    in.skip(block_head() - 5 + (static_cast<uint64_t>(row) * width_ + column) * entry_bytes);
    block = in.address();
    offset -= row_begin(row) + column * row_bytes(row);
    if (row < direct_rows_) {
      object = object_in(block, row_bytes(row), offset, size);
      return true;
    }
    rows = log2_of(row_bytes(row)) - log2_of(start_bytes_ * width_) + 1;
  }
  id.fail_damaged();
}

void Hdf5FractalHeap::require_checksum(const Object &object) const {
  if (direct_sums_) bytes_.require_checksum(object.block, object.block_bytes, object.block + block_head(), kHeap);
}

bool Hdf5Strings::next(Hdf5Cursor &rest, Object &object) const {
  if (rest.left() < 8 + static_cast<uint64_t>(bytes_.length_bytes())) return false;
  object.place = rest.place();
  object.index = rest.number(2);
  rest.skip(6);
  const uint64_t size = rest.length();
  if (object.index == 0) return false;  // free space up to the end
  object.body = rest.sub(size);
  rest.skip(std::min(rest.left(), (8 - size % 8) % 8));
  return true;
}

bool Hdf5Strings::find_in(Hdf5Cursor &rest, uint64_t index, Hdf5Cursor &found) const {
  Object object;
  while (next(rest, object)) {
    if (object.index != index) continue;
    found = object.body;
    return true;
  }
  rest.skip(rest.left());
  return false;
}

Hdf5Cursor Hdf5Strings::objects(uint64_t address) const {
  const uint64_t head = 8 + static_cast<uint64_t>(bytes_.length_bytes());
  Hdf5Cursor in(bytes_, address, head, kCollection);
  in.require("GCOL", 1);
  in.skip(3);
  const uint64_t size = in.length();
  if (size < head) in.fail_damaged();
  return Hdf5Cursor(bytes_, address, size, kCollection).after(head);
}

uint64_t *Hdf5Strings::table_of(Collection &collection) {
  if (places_.size() == 0) places_.assign(static_cast<int64_t>(kOpen * kTable), 0);
  uint64_t *table = places_.data() + static_cast<uint64_t>(&collection - open_) * kTable;
  if (collection.has_table) return table;
  std::fill(table, table + kTable, uint64_t{0});
  Hdf5Cursor rest = objects(collection.address);
  for (Object object; next(rest, object);)
    if (object.index < kTable) table[object.index] = object.place;
  collection.has_table = true;
  return table;
}

Hdf5Cursor Hdf5Strings::find(uint64_t address, uint64_t index) {
  if (index == 0 || address == kNoAddress) bytes_.fail_damaged(kCollection, address);
  Hdf5Cursor found;
  Collection *collection = nullptr;
  for (Collection &open : open_)
    if (open.address == address) collection = &open;
  if (collection == nullptr) {
    collection = &open_[oldest_];
    oldest_ = (oldest_ + 1) % kOpen;
    *collection = {address, objects(address), false};
  }
  if (!collection->has_table && find_in(collection->rest, index, found)) return found;
  Hdf5Cursor rest = objects(address);
  if (index < kTable) {
    const uint64_t place = table_of(*collection)[index];
    if (place == 0) bytes_.fail_damaged(kCollection, address);
    rest = rest.after(place - rest.place());
  }
  if (!find_in(rest, index, found)) bytes_.fail_damaged(kCollection, address);
  return found;
}

}  // namespace atp
