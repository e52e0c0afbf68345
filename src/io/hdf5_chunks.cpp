// SPDX-License-Identifier: MIT
#include "io/hdf5_chunks.hpp"

#include "io/hdf5_arrays.hpp"
#include "io/hdf5_tree2.hpp"

namespace atp {

namespace {

constexpr int kDeepest = 32;
constexpr const char *kTree = "tree of chunks";

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
