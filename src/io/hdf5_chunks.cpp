// SPDX-License-Identifier: MIT
#include "io/hdf5_chunks.hpp"

#include "io/hdf5_tree2.hpp"

namespace atp {

namespace {

constexpr int kDeepest = 32;
constexpr const char *kTree = "tree of chunks";

// Chunk indexes that are arrays: fixed arrays, and extensible arrays along one axis that may grow.

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

}  // namespace

Hdf5Chunks::Hdf5Chunks(Hdf5Bytes &bytes, const char *name, const Hdf5Space &space, const Hdf5Layout &layout, bool filtered,
                       uint64_t chunk_bytes)
    : bytes_(bytes), name_(name), space_(space), layout_(layout), filtered_(filtered), chunk_bytes_(chunk_bytes) {
  for (int k = 0; k < space.rank; ++k) {
    chunks_[k] = (space.extent[k] + layout.chunk[k] - 1) / layout.chunk[k];
    count_ *= chunks_[k];
  }
}

void Hdf5Chunks::visit(Taker &taker) {
  if (layout_.place == kNoAddress || count_ > bytes_.end()) return;  // more chunks than bytes cannot all exist
  switch (layout_.index) {
    case Hdf5Layout::tree1: return visit_tree1(taker, layout_.place, -1);
    case Hdf5Layout::tree2: return visit_tree2(taker);
    default: return visit_numbers(taker);
  }
}

// The origin must be set. Skips chunks beyond the extents, which remain from larger ones.
void Hdf5Chunks::give(Taker &taker, Hdf5Chunk &chunk) {
  if (chunk.place == kNoAddress) return;
  chunk.number = 0;
  chunk.cut = false;
  for (int k = 0; k < space_.rank; ++k) {
    if (chunk.origin[k] % layout_.chunk[k] != 0) bytes_.fail_damaged(kTree, layout_.place);
    if (chunk.origin[k] >= space_.extent[k]) return;
    chunk.number = chunk.number * chunks_[k] + chunk.origin[k] / layout_.chunk[k];
    chunk.cut = chunk.cut || space_.extent[k] - chunk.origin[k] < layout_.chunk[k];
  }
  if (chunk.number < next_) bytes_.fail_damaged(kTree, layout_.place);
  next_ = chunk.number + 1;
  if (chunk.cut && layout_.whole_chunks_only) chunk.mask = ~uint64_t{0};
  if (!bytes_.inside(chunk.place, chunk.size) || chunk.size == 0) bytes_.fail_format("dataset '%s' has a chunk outside of the file", name_);
  taker.take(chunk);
}

void Hdf5Chunks::visit_tree1(Taker &taker, uint64_t address, int level) {
  const uint64_t offsets = static_cast<uint64_t>(bytes_.offset_bytes()), head = 8 + 2 * offsets,
                 key = 8 + 8 * static_cast<uint64_t>(space_.rank + 1);
  Hdf5Cursor in(bytes_, address, head, kTree);
  if (in.number(4) != 0x45455254 || in.small(1) != 1) in.fail_damaged();  // "TREE" of chunks
  const int found = in.small(1), entries = in.small(2);
  if (level < 0 ? found >= kDeepest : found != level) in.fail_damaged();
  Hdf5Cursor children(bytes_, address, head + static_cast<uint64_t>(entries) * (key + offsets), kTree);
  children.skip(head);
  for (int k = 0; k < entries; ++k) {
    Hdf5Chunk chunk;
    chunk.size = children.number(4);
    chunk.mask = children.number(4);
    for (int axis = 0; axis < space_.rank; ++axis) chunk.origin[axis] = children.number(8);
    children.skip(8);
    chunk.place = children.address();
    if (found > 0)
      visit_tree1(taker, chunk.place, found - 1);
    else
      give(taker, chunk);
  }
}

void Hdf5Chunks::visit_tree2(Taker &taker) {
  const Hdf5Tree2 tree(bytes_, layout_.place);
  const int fixed = bytes_.offset_bytes() + 8 * space_.rank, size_bytes = tree.record_bytes() - fixed - 4;
  const bool fits = filtered_ ? tree.type() == Hdf5Tree2::filtered_chunks && size_bytes >= 1 && size_bytes <= 8
                              : tree.type() == Hdf5Tree2::chunks && tree.record_bytes() == fixed;
  if (!fits) bytes_.fail_damaged(kTree, layout_.place);
  tree.each([&](Hdf5Cursor record) {
    Hdf5Chunk chunk;
    chunk.place = record.address();
    chunk.size = filtered_ ? record.number(size_bytes) : chunk_bytes_;
    chunk.mask = filtered_ ? record.number(4) : 0;
    for (int axis = 0; axis < space_.rank; ++axis) {
      const uint64_t scaled = record.number(8);
      if (scaled > (uint64_t{1} << 62) / layout_.chunk[axis]) bytes_.fail_damaged(kTree, layout_.place);
      chunk.origin[axis] = scaled * layout_.chunk[axis];
    }
    give(taker, chunk);
    return false;
  });
}

// For indexes that number chunks in the largest extents that the dataset may grow to. An axis without limit
// comes first there.
void Hdf5Chunks::visit_numbers(Taker &taker) {
  const auto visit_all = [&](auto &&entry_of) {
    uint64_t most[kHdf5Rank] = {}, place[kHdf5Rank] = {};
    int endless = -1;
    for (int k = 0; k < space_.rank; ++k) {
      if (space_.most[k] == kNoAddress) endless = k;
      most[k] = space_.most[k] == kNoAddress ? 0 : space_.most[k] / layout_.chunk[k] + (space_.most[k] % layout_.chunk[k] != 0 ? 1 : 0);
    }
    for (uint64_t n = 0; n < count_; ++n) {
      uint64_t rest = n, index = 0;
      for (int k = space_.rank - 1; k >= 0; --k) {
        place[k] = rest % chunks_[k];
        rest /= chunks_[k];
      }
      if (endless >= 0) index = place[endless];
      for (int k = 0; k < space_.rank; ++k)
        if (k != endless) index = index * most[k] + place[k];
      Hdf5Chunk chunk;
      for (int k = 0; k < space_.rank; ++k) chunk.origin[k] = place[k] * layout_.chunk[k];
      const Hdf5Entry entry = entry_of(index);
      chunk.place = entry.place;
      chunk.size = entry.size == 0 ? chunk_bytes_ : entry.size;
      chunk.mask = entry.mask;
      give(taker, chunk);
    }
  };
  switch (layout_.index) {
    case Hdf5Layout::single:
      return visit_all([&](uint64_t) {
        return layout_.single_filtered ? Hdf5Entry{layout_.place, layout_.size, layout_.single_mask} : Hdf5Entry{layout_.place, 0, 0};
      });
    case Hdf5Layout::implicit:
      return visit_all([&](uint64_t index) {
        return index > bytes_.end() / chunk_bytes_ ? Hdf5Entry() : Hdf5Entry{layout_.place + index * chunk_bytes_, 0, 0};
      });
    case Hdf5Layout::fixed_array: {
      Hdf5FixedArray array(bytes_, layout_.place);
      return visit_all([&](uint64_t index) { return array.at(index); });
    }
    default: {
      Hdf5ExtensibleArray array(bytes_, layout_.place);
      return visit_all([&](uint64_t index) { return array.at(index); });
    }
  }
}

}  // namespace atp
