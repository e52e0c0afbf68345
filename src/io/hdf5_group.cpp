// SPDX-License-Identifier: MIT
#include "io/hdf5_group.hpp"

#include "io/hdf5_heap.hpp"
#include "io/hdf5_tree2.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr int kDeepest = 32;  // of trees
constexpr const char *kNames = "names of a group", *kTree = "tree of a group", *kSymbols = "symbol table";

// A group of the old format: a tree of symbol tables, with the names in a separate heap.
class SymbolTables {
 public:
  SymbolTables(Hdf5Bytes &bytes, Hdf5Cursor message, const char *name) : bytes_(bytes), name_(name), tree_(message.address()) {
    const uint64_t heap = message.address(), lengths = static_cast<uint64_t>(bytes.length_bytes());
    Hdf5Cursor in(bytes, heap, 8 + 2 * lengths + static_cast<uint64_t>(bytes.offset_bytes()), kNames);
    in.require("HEAP", 0);
    in.skip(3);
    const uint64_t size = in.length();
    in.skip(lengths);
    names_ = Hdf5Cursor(bytes, in.address(), size, kNames);
  }
  Hdf5Link find() { return visit(tree_, -1); }

 private:
  Hdf5Link visit(uint64_t address, int level) {
    Hdf5Cursor in(bytes_, address, 8 + 2 * static_cast<uint64_t>(bytes_.offset_bytes()), kTree);
    if (in.number(4) != 0x45455254 || in.small(1) != 0) in.fail_damaged();  // "TREE" of groups
    const int found = in.small(1), entries = in.small(2);
    if (level < 0 ? found >= kDeepest : found != level) in.fail_damaged();
    const uint64_t key = static_cast<uint64_t>(bytes_.length_bytes()), head = 8 + 2 * static_cast<uint64_t>(bytes_.offset_bytes());
    Hdf5Cursor children(bytes_, address, head + static_cast<uint64_t>(entries) * (key + static_cast<uint64_t>(bytes_.offset_bytes())),
                        kTree);
    children.skip(head);
    for (int k = 0; k < entries; ++k) {
      children.skip(key);
      const uint64_t child = children.address();
      const Hdf5Link link = found > 0 ? visit(child, found - 1) : look_into(child);
      if (link.kind != Hdf5Link::none) return link;
    }
    return {};
  }

  Hdf5Link look_into(uint64_t address) {
    const uint64_t entry = 2 * static_cast<uint64_t>(bytes_.offset_bytes()) + 24;
    Hdf5Cursor in(bytes_, address, 8, kSymbols);
    in.require("SNOD", 1);
    in.skip(1);
    const uint64_t count = in.number(2);
    in = Hdf5Cursor(bytes_, address, 8 + count * entry, kSymbols);
    in.skip(8);
    for (uint64_t k = 0; k < count; ++k) {
      const uint64_t name = in.address(), header = in.address(), cache = in.number(4);
      in.skip(20);
      if (!named(name)) continue;
      if (cache == 2) return {Hdf5Link::soft, kNoAddress};
      return {Hdf5Link::hard, header};
    }
    return {};
  }

  bool named(uint64_t place) const {
    Hdf5Cursor in = names_;
    const uint64_t bytes = std::strlen(name_) + 1;
    if (place >= in.left()) in.fail_damaged();
    in.skip(place);
    return in.left() >= bytes && same_text(in, bytes, name_);
  }

  Hdf5Bytes &bytes_;
  const char *name_;
  uint64_t tree_;
  Hdf5Cursor names_;
};

// The link of a message with this name; none for another name.
Hdf5Link decode_link(Hdf5Cursor in, const char *name) {
  const int version = in.small(1), flags = in.small(1);
  if (version != 1) in.bytes().fail_format("an HDF5 link of version %d: made by a newer HDF5?", version);
  const int kind = (flags & 0x08) != 0 ? in.small(1) : 0;
  if ((flags & 0x04) != 0) in.skip(8);  // order of creation
  if ((flags & 0x10) != 0) in.skip(1);  // character set
  const uint64_t bytes = in.number(1 << (flags & 3));
  const Hdf5Cursor text = in.sub(bytes);
  if (bytes != std::strlen(name) || !same_text(text, bytes, name)) return {};
  switch (kind) {
    case 0: return {Hdf5Link::hard, in.address()};
    case 1: return {Hdf5Link::soft, kNoAddress};
    case 64: return {Hdf5Link::external, kNoAddress};
    default: return {Hdf5Link::other, kNoAddress};
  }
}

// The heap, and the tree by names, of links or attributes that do not fit into the header.
struct Dense {
  uint64_t heap, tree;
};

Dense decode_dense(Hdf5Cursor in, int order_bytes) {
  if (const int version = in.small(1); version != 0) in.bytes().fail_format("an HDF5 index of version %d: made by a newer HDF5?", version);
  if ((in.small(1) & 1) != 0) in.skip(static_cast<uint64_t>(order_bytes));
  const uint64_t heap = in.address();
  return {heap, in.address()};
}

[[noreturn]] void fail_shared(const Hdf5Bytes &bytes) {
  bytes.fail_format("has attributes that are shared between objects, must have its own");
}

// Calls take(cursor) for each message until it returns true.
template <class Take>
bool each_dense(Hdf5Bytes &bytes, const Dense &dense, Hdf5Tree2::Type type, Take &&take) {
  if (dense.heap == kNoAddress || dense.tree == kNoAddress) return false;
  const Hdf5FractalHeap heap(bytes, dense.heap);
  const Hdf5Tree2 tree(bytes, dense.tree);
  if (tree.type() != type) bytes.fail_damaged(kTree, dense.tree);
  return tree.each([&](Hdf5Cursor record) {
    if (type == Hdf5Tree2::links) record.skip(4);  // hash of the name
    Hdf5FractalHeap::Object object;
    const Hdf5Cursor id = record.sub(std::min(record.left(), static_cast<uint64_t>(heap.id_bytes())));
    if (type == Hdf5Tree2::attributes && (record.small(1) & 2) != 0) fail_shared(bytes);
    if (!heap.find(id, object) || !take(object.body)) return false;
    heap.require_checksum(object);
    return true;
  });
}

}  // namespace

Hdf5Link find_link(Hdf5Bytes &bytes, uint64_t group, const char *name) {
  Hdf5Header header(bytes, group);
  Hdf5Message message;
  Hdf5Link found;
  while (found.kind == Hdf5Link::none && header.next(message)) {
    if (message.shared) continue;
    if (message.type == kLinkMessage) found = decode_link(message.body, name);
    if (message.type == kSymbolTableMessage) found = SymbolTables(bytes, message.body, name).find();
    if (message.type == kLinkInfoMessage)
      each_dense(bytes, decode_dense(message.body, 8), Hdf5Tree2::links,
                 [&](Hdf5Cursor link) { return (found = decode_link(link, name)).kind != Hdf5Link::none; });
  }
  return found;
}

bool find_attribute(Hdf5Bytes &bytes, uint64_t object, const char *name, Hdf5Attribute &attribute) {
  Hdf5Header header(bytes, object);
  Hdf5Message message;
  while (header.next(message)) {
    if (message.shared && message.type == kAttributeMessage) fail_shared(bytes);
    if (message.shared) continue;
    if (message.type == kAttributeMessage && decode_attribute(message.body, name, attribute)) return true;
    if (message.type == kAttributeInfoMessage && each_dense(bytes, decode_dense(message.body, 2), Hdf5Tree2::attributes,
                                                            [&](Hdf5Cursor body) { return decode_attribute(body, name, attribute); }))
      return true;
  }
  return false;
}

}  // namespace atp
