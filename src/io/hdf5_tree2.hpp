// SPDX-License-Identifier: MIT
// B-trees of version 2: visits the records of a tree in order.
#pragma once

#include "io/hdf5_bytes.hpp"

namespace atp {

class Hdf5Tree2 {
 public:
  enum Type { links = 5, attributes = 8, chunks = 10, filtered_chunks = 11 };
  Hdf5Tree2(Hdf5Bytes &bytes, uint64_t address);
  int type() const { return type_; }
  int record_bytes() const { return record_bytes_; }

  // Calls sink(cursor) for each record until it returns true.
  template <class Sink>
  bool each(Sink &&sink) const {
    return records_ > 0 && visit(root_, records_, depth_, sink);
  }

 private:
  static constexpr int kDeepest = 16;
  struct Child {
    uint64_t address, records;
  };
  // The records of a node and, if it has some, its children.
  struct Node {
    Hdf5Cursor records, children;
  };
  Node open_node(uint64_t address, uint64_t records, int depth) const;
  Child next_child(Hdf5Cursor &children, int depth) const;

  template <class Sink>
  bool visit(uint64_t address, uint64_t records, int depth, Sink &sink) const {
    Node node = open_node(address, records, depth);
    for (uint64_t k = 0;; ++k) {
      if (depth > 0) {
        const Child child = next_child(node.children, depth);
        if (visit(child.address, child.records, depth - 1, sink)) return true;
      }
      if (k == records) return false;
      if (sink(node.records.sub(static_cast<uint64_t>(record_bytes_)))) return true;
    }
  }

  Hdf5Bytes &bytes_;
  int type_ = 0, record_bytes_ = 0, depth_ = 0;
  int count_bytes_ = 0;                 // of a child's number of records
  int total_bytes_[kDeepest + 1] = {};  // of the number of records below a child, by the depth of the child's parent
  uint64_t root_ = kNoAddress, records_ = 0;
};

// The number of bytes that encode numbers up to this one.
int bytes_to_encode(uint64_t largest);

}  // namespace atp
