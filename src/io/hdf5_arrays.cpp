// SPDX-License-Identifier: MIT
#include "io/hdf5_arrays.hpp"

namespace atp {

namespace {

constexpr const char *kFixed = "fixed array of chunks", *kExtensible = "extensible array of chunks", *kEntries = "list of chunks";
constexpr uint64_t kBlockHead = 6;  // magic, version, whether filtered

int log2_of(uint64_t x) {
  int bits = 0;
  while (x >>= 1) ++bits;
  return bits;
}

// Bit k; bit 0 is the highest bit of the first byte.
bool has_bit(Hdf5Cursor bits, uint64_t k) {
  bits.skip(k / 8);
  return (bits.small(1) & 0x80 >> k % 8) != 0;
}

}  // namespace

Hdf5Entry Hdf5ChunkArray::decode(Hdf5Cursor in) const {
  Hdf5Entry entry;
  entry.place = in.address();
  if (!filtered_) return entry;
  entry.size = in.number(static_cast<int>(entry_bytes_) - bytes_.offset_bytes() - 4);
  entry.mask = in.number(4);
  return entry;
}

void Hdf5ChunkArray::require_new(uint64_t place, uint64_t bytes) {
  if (verified_ == place) return;
  bytes_.require_checksum(place, bytes, kEntries);
  verified_ = place;
}

Hdf5Entry Hdf5ChunkArray::entry_of(uint64_t place, uint64_t head, uint64_t count, uint64_t k) {
  if (count > bytes_.end()) bytes_.fail_damaged(kEntries, place);
  require_new(place, head + count * entry_bytes_);
  return decode(Hdf5Cursor(bytes_, place + head + k * entry_bytes_, entry_bytes_, kEntries));
}

Hdf5FixedArray::Hdf5FixedArray(Hdf5Bytes &bytes, uint64_t address) : Hdf5ChunkArray(bytes) {
  const uint64_t size = 8 + static_cast<uint64_t>(bytes.length_bytes() + bytes.offset_bytes());
  Hdf5Cursor in(bytes, address, size, kFixed);
  in.require("FAHD", 0);
  bytes.require_checksum(address, size, kFixed);
  filtered_ = in.small(1) == 1;
  entry_bytes_ = in.number(1);
  const int page_bits = in.small(1);
  count_ = in.length();
  block_ = in.address();
  const uint64_t least = static_cast<uint64_t>(bytes.offset_bytes()), most = least + 12;
  if (page_bits > 30 || (filtered_ ? entry_bytes_ < least + 5 || entry_bytes_ > most : entry_bytes_ != least)) in.fail_damaged();
  page_ = uint64_t{1} << page_bits;
}

Hdf5Entry Hdf5FixedArray::at(uint64_t index) {
  if (index >= count_ || block_ == kNoAddress) return Hdf5Entry();
  const uint64_t head = kBlockHead + static_cast<uint64_t>(bytes_.offset_bytes());
  Hdf5Cursor in(bytes_, block_, head, kFixed);
  in.require("FADB", 0);
  if (count_ <= page_) return entry_of(block_, head, count_, index);
  if (count_ > bytes_.end()) in.fail_damaged();
  // The entries are in pages. A bitmap tells which pages are written.
  const uint64_t pages = (count_ + page_ - 1) / page_, page = index / page_, map = (pages + 7) / 8;
  if (!has_bit(Hdf5Cursor(bytes_, block_ + head, map, kFixed), page)) return Hdf5Entry();
  const uint64_t in_page = page + 1 < pages ? page_ : count_ - page * page_;
  return entry_of(block_ + head + map + 4 + page * (page_ * entry_bytes_ + 4), 0, in_page, index % page_);
}

Hdf5ExtensibleArray::Hdf5ExtensibleArray(Hdf5Bytes &bytes, uint64_t address) : Hdf5ChunkArray(bytes) {
  const uint64_t size = 12 + 6 * static_cast<uint64_t>(bytes.length_bytes()) + static_cast<uint64_t>(bytes.offset_bytes());
  Hdf5Cursor in(bytes, address, size, kExtensible);
  in.require("EAHD", 0);
  bytes.require_checksum(address, size, kExtensible);
  filtered_ = in.small(1) == 1;
  entry_bytes_ = in.number(1);
  const int count_bits = in.small(1);
  first_ = in.number(1);
  least_ = in.number(1);
  const uint64_t pointers = in.number(1);
  const int page_bits = in.small(1);
  in.skip(6 * static_cast<uint64_t>(bytes.length_bytes()));
  index_ = in.address();
  const uint64_t least = static_cast<uint64_t>(bytes.offset_bytes()), most = least + 12;
  const bool powers = least_ != 0 && (least_ & (least_ - 1)) == 0 && pointers > 1 && (pointers & (pointers - 1)) == 0;
  if (!powers || count_bits > 60 || page_bits > 30 || log2_of(least_) > count_bits ||
      (filtered_ ? entry_bytes_ < least + 5 || entry_bytes_ > most : entry_bytes_ != least))
    in.fail_damaged();
  page_ = uint64_t{1} << page_bits;
  offset_bytes_ = static_cast<uint64_t>(count_bits + 7) / 8;
  rows_ = 1 + count_bits - log2_of(least_);
  index_rows_ = 2 * log2_of(pointers);
  index_blocks_ = 2 * (pointers - 1);
  if (index_rows_ > rows_) in.fail_damaged();
}

// The index block holds the first entries. Blocks of entries follow; their size doubles every second row. The
// index block has the addresses of the first rows of blocks; for each other row there is a block of addresses.
Hdf5Entry Hdf5ExtensibleArray::at(uint64_t index) {
  if (index_ == kNoAddress) return Hdf5Entry();
  const uint64_t address = static_cast<uint64_t>(bytes_.offset_bytes()), head = kBlockHead + address;
  const uint64_t index_bytes = head + first_ * entry_bytes_ + (index_blocks_ + static_cast<uint64_t>(rows_ - index_rows_)) * address;
  Hdf5Cursor in(bytes_, index_, index_bytes, kExtensible);
  in.require("EAIB", 0);
  if (verified_block_ == kNoAddress) {
    bytes_.require_checksum(index_, index_bytes, kExtensible);
    verified_block_ = index_;
  }
  in.skip(head - 5);
  if (index < first_) {
    in.skip(index * entry_bytes_);
    return decode(in);
  }
  in.skip(first_ * entry_bytes_);
  index -= first_;
  const int row = log2_of(index / least_ + 1);
  if (row >= rows_) return Hdf5Entry();
  // Rows before this one have 2^row - 1 times `least_` entries.
  const uint64_t in_row = index - least_ * ((uint64_t{1} << row) - 1), entries = block_entries(row), block = in_row / entries;
  if (row < index_rows_) {
    if (entries > page_) in.fail_damaged();
    uint64_t before = 0;
    for (int k = 0; k < row; ++k) before += uint64_t{1} << k / 2;
    in.skip((before + block) * address);
    return in_block(in.address(), entries, in_row % entries, Hdf5Cursor());
  }
  in.skip((index_blocks_ + static_cast<uint64_t>(row - index_rows_)) * address);
  const uint64_t super = in.address(), blocks = uint64_t{1} << row / 2, pages = entries > page_ ? entries / page_ : 0,
                 map = (pages + 7) / 8;
  if (super == kNoAddress) return Hdf5Entry();
  if (blocks > bytes_.end() || pages > bytes_.end()) in.fail_damaged();
  const uint64_t super_bytes = head + offset_bytes_ + blocks * (map + address);
  Hdf5Cursor maps(bytes_, super, super_bytes, kExtensible);
  maps.require("EASB", 0);
  if (verified_block_ != super) bytes_.require_checksum(super, super_bytes, kExtensible);
  verified_block_ = super;
  maps.skip(head - 5 + offset_bytes_ + block * map);
  const Hdf5Cursor page_bits = maps.sub(map);
  maps.skip((blocks - 1 - block) * map + block * address);
  return in_block(maps.address(), entries, in_row % entries, page_bits);
}

Hdf5Entry Hdf5ExtensibleArray::in_block(uint64_t block, uint64_t entries, uint64_t k, Hdf5Cursor page_bits) {
  if (block == kNoAddress) return Hdf5Entry();
  const uint64_t head = kBlockHead + static_cast<uint64_t>(bytes_.offset_bytes()) + offset_bytes_;
  Hdf5Cursor(bytes_, block, head, kExtensible).require("EADB", 0);
  if (entries <= page_) return entry_of(block, head, entries, k);
  const uint64_t page = k / page_;
  if (!has_bit(page_bits, page)) return Hdf5Entry();
  return entry_of(block + head + 4 + page * (page_ * entry_bytes_ + 4), 0, page_, k % page_);
}

}  // namespace atp
