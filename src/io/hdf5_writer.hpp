// SPDX-License-Identifier: MIT
// Writes HDF5 files through the HDF5 library.
#pragma once

#include "base/error.hpp"
#include "io/file.hpp"

#include <hdf5.h>

#include <utility>

namespace atp {

// A handle with the function that closes it.
class Hid {
 public:
  using Close = herr_t (*)(hid_t);
  Hid() = default;
  Hid(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hid(Hid &&other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hid &operator=(Hid &&other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hid() {
    if (id_ >= 0) close_(id_);
  }
  bool ok() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  // Closes the handle now. Returns whether that worked.
  bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Suppresses HDF5's messages during its lifetime, then restores the user's setting.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5 &) = delete;
  QuietHdf5 &operator=(const QuietHdf5 &) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void *data_ = nullptr;
};

inline constexpr int kMaxRank = 4;

// A file of attributes of the root group and checksummed datasets below it.
//
// The file is composed in memory of the context and then written through OutputFile. HDF5 1.10 does not survive a failed write: on a full
// disk its cleanup crashes at the end of the process. It therefore never writes to the disk itself.
class Hdf5Writer {
 public:
  // expected_bytes: estimated size of the datasets; more memory is taken if needed.
  Hdf5Writer(Context &context, const char *path, int64_t expected_bytes);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer &) = delete;
  Hdf5Writer &operator=(const Hdf5Writer &) = delete;

  void integer(const char *name, int64_t value);
  void real(const char *name, double value);
  void text(const char *name, const char *value);  // "" is omitted
  void reals(const char *name, int rank, const hsize_t *extent, const double *values);
  void int64s(const char *name, int rank, const hsize_t *extent, const int64_t *values);
  void bytes(const char *name, int rank, const hsize_t *extent, const uint8_t *values);  // compressed if HDF5 can
  // A column of strings of at most `width` bytes; text_of(row) gives each string.
  template <class TextOf>
  void texts(const char *name, int64_t rows, int64_t width, TextOf &&text_of);
  void commit(const char *kind);

 private:
  struct Image {
    Allocator *allocator = nullptr;
    void *memory = nullptr;
    std::size_t room = 0;
    static void *resize(void *memory, std::size_t size, H5FD_file_image_op_t, void *image);
  };
  Hid create(const char *name, hid_t type, int rank, const hsize_t *extent, bool compress);
  void put(hid_t dataset, hid_t type, const void *values);
  void put_rows(hid_t dataset, hid_t type, int64_t first, int64_t rows, const void *values);
  void attribute(const char *name, hid_t file_type, hid_t memory_type, const void *value);
  Hid text_type(int64_t width) const;
  [[noreturn]] void fail_hdf5(const char *what, const char *name) const;

  Context &context_;
  const char *path_;
  OutputFile output_;
  QuietHdf5 quiet_;
  Image image_;
  Hid file_;
};

template <class TextOf>
void Hdf5Writer::texts(const char *name, int64_t rows, int64_t width, TextOf &&text_of) {
  const hsize_t extent[1] = {static_cast<hsize_t>(rows)};
  const Hid type = text_type(width);
  const Hid dataset = create(name, type, 1, extent, true);
  const int64_t block = width > (1 << 20) ? 1 : (1 << 20) / width;
  const Scratch memory(context_.allocator, Scratch::piece<char>(block * width));
  const Span<char> buffer = memory.arena().take<char>(block, width);
  for (int64_t first = 0; first < rows; first += block) {
    const int64_t n = rows - first < block ? rows - first : block;
    for (int64_t k = 0; k < n; ++k) std::strncpy(buffer.data() + k * width, text_of(first + k), static_cast<std::size_t>(width));
    put_rows(dataset, type, first, n, buffer.data());
  }
}

}  // namespace atp
