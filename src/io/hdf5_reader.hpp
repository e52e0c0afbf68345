// SPDX-License-Identifier: MIT
// Checked reading of attributes of the root group and of datasets below it. Everything fails with ATP_E_FORMAT and the name of what is
// wrong.
#pragma once

#include "base/context.hpp"
#include "data/text.hpp"
#include "io/hdf5_handle.hpp"

namespace atp {

struct Hdf5Dataset {
  Hid id;
  const char *name = "";
  int rank = 0;
  int64_t extent[kMaxRank] = {};
  int64_t elements = 1;
  int64_t width = 0;  // bytes of a string
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const char *path);
  explicit Hdf5Reader(const Text &image);

  bool has_attribute(const char *name) const;
  bool has_dataset(const char *name) const;
  int64_t integer(const char *name, int64_t lowest, int64_t highest) const;
  double real(const char *name) const;  // finite
  // A string of fixed length; "" where there is none. What does not fit fails, or is cut off.
  void text(const char *name, Span<char> out, bool cut) const;

  // Open a dataset of this rank; its extents are >= 1 and its data are all in the file.
  Hdf5Dataset reals(const char *name, int rank) const;
  Hdf5Dataset integers(const char *name, int rank) const;
  Hdf5Dataset texts(const char *name) const;  // rank 1, fixed length
  void require_extent(const Hdf5Dataset &dataset, int axis, int64_t extent) const;

  void read_reals(const Hdf5Dataset &dataset, double *out) const;                                      // finite, or ATP_E_NOT_FINITE
  void read_colors(Context &context, const Hdf5Dataset &dataset, int64_t colors, uint8_t *out) const;  // < colors
  void read_int64s(const Hdf5Dataset &dataset, int64_t *out) const;
  void read_texts(const Hdf5Dataset &dataset, int64_t first, int64_t rows, char *out) const;           // rows * width bytes

  const char *label() const { return label_.text; }
  [[noreturn]] void fail_format(const char *format, ...) const __attribute__((format(printf, 2, 3)));

 private:
  Hdf5Dataset open(const char *name, int rank) const;
  void check_storage(const Hdf5Dataset &dataset, int64_t element_bytes) const;
  void check_format(int superblock) const;
  void finish_open();
  Hid open_attribute(const char *name) const;

  ShownPath label_;
  QuietHdf5 quiet_;
  Hid file_;
  int64_t size_ = 0;  // of the file
};

}  // namespace atp
