// SPDX-License-Identifier: MIT
// Reads the bytes of an HDF5 file within their bounds. Every structure of the format is decoded through a
// cursor, and the size of the file limits the work of an operation. A damaged file therefore gives
// ATP_E_FORMAT, whatever its addresses and counts are.
#pragma once

#include "base/context.hpp"
#include "alignment/text.hpp"
#include "io/file.hpp"

#include <cstdarg>

namespace atp {

inline constexpr uint64_t kNoAddress = ~uint64_t{0};  // HDF5's undefined address

class Hdf5Bytes {
 public:
  // A file on disk, or one in memory; either must outlive this object.
  Hdf5Bytes(Context &context, InputFile &file, const char *label);
  Hdf5Bytes(Context &context, const Text &image);

  uint64_t end() const { return end_; }
  void set_end(uint64_t end) { end_ = end; }  // sets the end of the file according to the superblock
  void set_widths(int offset_bytes, int length_bytes) {
    offset_bytes_ = offset_bytes;
    length_bytes_ = length_bytes;
  }
  int offset_bytes() const { return offset_bytes_; }  // of an address
  int length_bytes() const { return length_bytes_; }  // of a size
  Context &context() const { return context_; }
  const char *label() const { return label_; }

  // Begins an operation. It may read at most 64 times the size of the file in structures, plus `more` bytes.
  void begin(uint64_t more = 0) {
    work_ = 0;
    more_ = more;
  }
  // Copy n bytes of structures, or of data, which do not count. Throw ATP_E_FORMAT if they are not all in the
  // file.
  void structure(uint64_t place, void *out, uint64_t n);
  void data(uint64_t place, void *out, uint64_t n);
  bool inside(uint64_t place, uint64_t n) const { return place <= end_ && n <= end_ - place; }
  // Throw unless the checksum (lookup3) of n bytes is right. It follows the bytes, or is inside at sum_place,
  // where it counts as zeros.
  void require_checksum(uint64_t place, uint64_t n, const char *what) { require_checksum(place, n, place + n, what); }
  void require_checksum(uint64_t place, uint64_t n, uint64_t sum_place, const char *what);

  [[noreturn]] void fail_format(const char *format, ...) const __attribute__((format(printf, 2, 3)));
  [[noreturn]] void fail_list(const char *format, va_list &arguments) const __attribute__((format(printf, 2, 0)));  // ends the list
  [[noreturn]] void fail_damaged(const char *what, uint64_t place) const;

 private:
  static constexpr int kWindows = 4;
  static constexpr int64_t kWindowBytes = 1 << 14;
  struct Window {
    uint64_t first = 0;
    int64_t size = 0;
  };
  const char *window_at(uint64_t place, int64_t *bytes);
  void work(uint64_t amount);

  Context &context_;
  InputFile *file_ = nullptr;
  Span<const char> image_;
  const char *label_;
  Scratch memory_;
  Span<char> window_bytes_;
  Window windows_[kWindows];
  int oldest_ = 0;
  uint64_t end_ = 0, work_ = 0, more_ = 0;
  int offset_bytes_ = 8, length_bytes_ = 8;
};

// Decodes little-endian numbers between two places of the file. Every read throws at the end.
class Hdf5Cursor {
 public:
  Hdf5Cursor() = default;
  Hdf5Cursor(Hdf5Bytes &bytes, uint64_t place, uint64_t size, const char *what);

  uint64_t number(int bytes);                                       // 1..8 bytes
  int small(int bytes) { return static_cast<int>(number(bytes)); }  // of at most 2 bytes
  uint64_t address();                                               // kNoAddress if there is none
  uint64_t length() { return number(bytes_->length_bytes()); }
  void copy(void *out, uint64_t n);
  void skip(uint64_t n);
  Hdf5Cursor sub(uint64_t n);           // a cursor over the next n bytes, which this one skips
  Hdf5Cursor after(uint64_t n) const {  // a cursor that begins after the next n bytes
    Hdf5Cursor rest = *this;
    rest.skip(n);
    return rest;
  }
  void require(const char *magic, int version);  // four letters and a version

  uint64_t place() const { return place_; }
  uint64_t left() const { return end_ - place_; }
  Hdf5Bytes &bytes() const { return *bytes_; }
  [[noreturn]] void fail_damaged() const { bytes_->fail_damaged(what_, begin_); }

 private:
  Hdf5Bytes *bytes_ = nullptr;
  uint64_t begin_ = 0, place_ = 0, end_ = 0;
  const char *what_ = "";
};

}  // namespace atp
