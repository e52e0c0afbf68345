// SPDX-License-Identifier: MIT
// The superblock, and the messages of object headers, of versions 1 and 2.
#pragma once

#include "io/hdf5_bytes.hpp"

namespace atp {

// Checks the superblock, sets widths and end of the file, and returns the address of the root group's header.
uint64_t open_superblock(Hdf5Bytes &bytes);

enum Hdf5MessageType {
  kDataspaceMessage = 0x01,
  kLinkInfoMessage = 0x02,
  kDatatypeMessage = 0x03,
  kLinkMessage = 0x06,
  kExternalMessage = 0x07,
  kLayoutMessage = 0x08,
  kFilterMessage = 0x0B,
  kAttributeMessage = 0x0C,
  kContinuationMessage = 0x10,
  kSymbolTableMessage = 0x11,
  kAttributeInfoMessage = 0x15,
};

struct Hdf5Message {
  int type = 0;
  bool shared = false;  // the body has the address of the message
  Hdf5Cursor body;
};

// Visits the messages of an object, including its continuation blocks.
class Hdf5Header {
 public:
  Hdf5Header(Hdf5Bytes &bytes, uint64_t address);
  bool next(Hdf5Message &message);

 private:
  static constexpr int kPending = 64;
  struct Block {
    uint64_t place, size;
  };
  void begin_version_1(uint64_t address);
  void begin_version_2(uint64_t address);
  void continue_at(Hdf5Cursor body);
  void enter(const Block &block);

  Hdf5Bytes &bytes_;
  Hdf5Cursor block_;
  Block pending_[kPending];
  int pending_count_ = 0, version_ = 1;
  uint64_t message_head_ = 8;
};

}  // namespace atp
