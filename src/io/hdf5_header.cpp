// SPDX-License-Identifier: MIT
#include "io/hdf5_header.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr uint64_t kSignatureBytes = 8;
constexpr const char *kSuperblock = "superblock", *kHeader = "object header";

void set_widths(Hdf5Bytes &bytes, Hdf5Cursor &in) {
  const int offsets = in.small(1), lengths = in.small(1);
  for (const int width : {offsets, lengths})
    if (width != 2 && width != 4 && width != 8) bytes.fail_format("HDF5 addresses of %d bytes, must have 2, 4 or 8", width);
  bytes.set_widths(offsets, lengths);
}

void set_end(Hdf5Bytes &bytes, uint64_t base, uint64_t end) {
  if (base != 0) bytes.fail_format("the HDF5 data begin at byte %llu, must begin at 0", static_cast<unsigned long long>(base));
  if (end > bytes.end())
    bytes.fail_format("cut short: the file has %llu bytes, HDF5 wrote %llu", static_cast<unsigned long long>(bytes.end()),
                      static_cast<unsigned long long>(end));
  bytes.set_end(end);
}

// Versions 0 and 1: no checksum.
uint64_t old_superblock(Hdf5Bytes &bytes, Hdf5Cursor in, int version) {
  in.skip(4);  // versions of other structures
  set_widths(bytes, in);
  in.skip(1 + 2 + 2 + 4);
  if (version == 1) in.skip(4);
  const uint64_t base = in.address();
  in.address();  // free space
  const uint64_t end = in.address();
  in.address();  // driver
  set_end(bytes, base, end);
  in.address();  // name of the root group
  return in.address();
}

uint64_t new_superblock(Hdf5Bytes &bytes, Hdf5Cursor in, int version) {
  set_widths(bytes, in);
  const bool being_written = (in.small(1) & 1) != 0;
  const uint64_t base = in.address();
  in.address();  // extension
  const uint64_t end = in.address(), root = in.address();
  bytes.require_checksum(0, in.place(), kSuperblock);
  if (version == 3 && being_written) bytes.fail_format("another program has it open for writing, or did not close it");
  set_end(bytes, base, end);
  return root;
}

}  // namespace

uint64_t open_superblock(Hdf5Bytes &bytes) {
  char signature[kSignatureBytes];
  Hdf5Cursor in(bytes, 0, bytes.end(), kSuperblock);
  in.copy(signature, sizeof signature);
  if (std::memcmp(signature, "\x89HDF\r\n\x1a\n", sizeof signature) != 0) bytes.fail_format("not an HDF5 file");
  const int version = in.small(1);
  if (version > 3) bytes.fail_format("cannot be opened: its superblock has version %d, expected 0..3 (made by a newer HDF5?)", version);
  return version < 2 ? old_superblock(bytes, in, version) : new_superblock(bytes, in, version);
}

Hdf5Header::Hdf5Header(Hdf5Bytes &bytes, uint64_t address) : bytes_(bytes) {
  char magic[4];
  Hdf5Cursor in(bytes, address, sizeof magic, kHeader);
  in.copy(magic, sizeof magic);
  if (std::memcmp(magic, "OHDR", sizeof magic) == 0)
    begin_version_2(address);
  else
    begin_version_1(address);
}

void Hdf5Header::begin_version_1(uint64_t address) {
  Hdf5Cursor in(bytes_, address, 16, kHeader);
  const int version = in.small(1);
  if (version != 1) in.fail_damaged();
  in.skip(1 + 2 + 4);
  const uint64_t size = in.number(4);
  enter({address + 16, size});
}

void Hdf5Header::begin_version_2(uint64_t address) {
  version_ = 2;
  Hdf5Cursor in(bytes_, address, bytes_.end() - address, kHeader);
  in.require("OHDR", 2);
  const int flags = in.small(1);
  if ((flags & 0x20) != 0) in.skip(16);  // times
  if ((flags & 0x10) != 0) in.skip(4);   // when attributes become dense
  const uint64_t size = in.number(1 << (flags & 3));
  message_head_ = (flags & 0x04) != 0 ? 6 : 4;
  if (size > in.left()) in.fail_damaged();
  bytes_.require_checksum(address, in.place() - address + size, kHeader);
  enter({in.place(), size});
}

void Hdf5Header::enter(const Block &block) { block_ = Hdf5Cursor(bytes_, block.place, block.size, kHeader); }

void Hdf5Header::continue_at(Hdf5Cursor body) {
  Block block{body.address(), body.length()};
  if (version_ == 2) {
    if (block.size < 8 || !bytes_.inside(block.place, block.size)) body.fail_damaged();
    Hdf5Cursor in(bytes_, block.place, 4, kHeader);
    char magic[4];
    in.copy(magic, sizeof magic);
    if (std::memcmp(magic, "OCHK", sizeof magic) != 0) in.fail_damaged();
    bytes_.require_checksum(block.place, block.size - 4, kHeader);
    block = {block.place + 4, block.size - 8};
  }
  if (pending_count_ == kPending) bytes_.fail_format("an HDF5 object header is in more than %d pieces", kPending);
  pending_[pending_count_++] = block;
}

bool Hdf5Header::next(Hdf5Message &message) {
  for (;;) {
    while (block_.left() < message_head_) {
      if (pending_count_ == 0) return false;
      const Block block = pending_[0];
      std::copy(pending_ + 1, pending_ + pending_count_, pending_);
      --pending_count_;
      enter(block);
    }
    message.type = block_.small(version_ == 1 ? 2 : 1);
    const uint64_t size = block_.number(2);
    message.shared = (block_.small(1) & 2) != 0;
    block_.skip(version_ == 1 ? 3 : message_head_ - 4);
    message.body = block_.sub(size);
    if (message.type != kContinuationMessage) return true;
    continue_at(message.body);
  }
}

}  // namespace atp
