// SPDX-License-Identifier: MIT
// HDF5 files of attributes of the root group and checksummed datasets below it.
//
// The file is composed in memory of the context and then written through OutputFile. HDF5 1.10 does not survive
// a failed write: on a full disk its cleanup crashes at the end of the process. It therefore never writes to
// the disk itself.
#pragma once

#include "io/file.hpp"
#include "io/hdf5_handle.hpp"

namespace atp {

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
