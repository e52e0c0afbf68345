// SPDX-License-Identifier: MIT
#include "io/hdf5_tree2.hpp"

namespace atp {

namespace {

constexpr const char *kTree = "B-tree";
constexpr uint64_t kNodeHead = 6, kNodeFrame = kNodeHead + 4;  // magic, version and type; and the checksum
constexpr uint64_t kHuge = uint64_t{1} << 60;

}  // namespace

int bytes_to_encode(uint64_t largest) {
  int bytes = 1;
  while (bytes < 8 && largest >> 8 * bytes != 0) ++bytes;
  return bytes;
}

Hdf5Tree2::Hdf5Tree2(Hdf5Bytes &bytes, uint64_t address) : bytes_(bytes) {
  const uint64_t head =
      4 + 1 + 1 + 4 + 2 + 2 + 1 + 1 + static_cast<uint64_t>(bytes.offset_bytes()) + 2 + static_cast<uint64_t>(bytes.length_bytes());
  Hdf5Cursor in(bytes, address, head, kTree);
  in.require("BTHD", 0);
  bytes.require_checksum(address, head, kTree);
  type_ = in.small(1);
  const uint64_t node_bytes = in.number(4);
  record_bytes_ = in.small(2);
  depth_ = in.small(2);
  in.skip(2);  // percentages at which nodes split and merge
  root_ = in.address();
  records_ = in.number(2);
  if (depth_ > kDeepest || record_bytes_ < 1 || node_bytes < kNodeFrame + static_cast<uint64_t>(record_bytes_)) in.fail_damaged();
  // The widths of counts follow from the number of records that fit into nodes.
  const uint64_t record = static_cast<uint64_t>(record_bytes_), leaf = (node_bytes - kNodeFrame) / record;
  count_bytes_ = bytes_to_encode(leaf);
  uint64_t below = leaf;
  for (int depth = 1; depth <= depth_; ++depth) {
    total_bytes_[depth] = depth > 1 ? bytes_to_encode(below) : 0;
    const uint64_t pointer = static_cast<uint64_t>(bytes.offset_bytes() + count_bytes_ + total_bytes_[depth]);
    if (node_bytes < kNodeFrame + pointer) in.fail_damaged();
    const uint64_t most = (node_bytes - kNodeFrame - pointer) / (record + pointer);
    below = below > kHuge / (most + 1) ? kHuge : (most + 1) * below + most;
  }
}

Hdf5Tree2::Node Hdf5Tree2::open_node(uint64_t address, uint64_t records, int depth) const {
  const uint64_t record = static_cast<uint64_t>(record_bytes_);
  const uint64_t pointer = depth > 0 ? static_cast<uint64_t>(bytes_.offset_bytes() + count_bytes_ + total_bytes_[depth]) : 0;
  const uint64_t body = records * record + (depth > 0 ? (records + 1) * pointer : 0);
  if (records > bytes_.end()) bytes_.fail_damaged(kTree, address);
  Hdf5Cursor in(bytes_, address, kNodeHead + body, kTree);
  in.require(depth > 0 ? "BTIN" : "BTLF", 0);
  if (in.small(1) != type_) in.fail_damaged();
  bytes_.require_checksum(address, kNodeHead + body, kTree);
  const Hdf5Cursor of_records = in.sub(records * record);
  return {of_records, in};
}

Hdf5Tree2::Child Hdf5Tree2::next_child(Hdf5Cursor &children, int depth) const {
  const Child child{children.address(), children.number(count_bytes_)};
  children.skip(static_cast<uint64_t>(total_bytes_[depth]));
  return child;
}

}  // namespace atp
