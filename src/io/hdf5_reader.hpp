// SPDX-License-Identifier: MIT
// Checked reading of attributes of the root group and of datasets below it. Everything fails with ATP_E_FORMAT and the name of what is
// wrong.
//
// The files are decoded here, not by HDF5: version 1.10 of it reads and writes out of bounds, or leaves its bookkeeping open and complains
// at the end of the process, when a file without checksums is damaged (docs/decisions/hdf5.md).
#pragma once

#include "io/hdf5_data.hpp"

#include <optional>

namespace atp {

class Hdf5Reader {
 public:
  Hdf5Reader(Context &context, const char *path);
  Hdf5Reader(Context &context, const Text &image);

  bool has_attribute(const char *name) const;
  bool has_dataset(const char *name) const;
  int64_t integer(const char *name, int64_t lowest, int64_t highest) const;
  double real(const char *name, double largest) const;  // finite, at most so large in magnitude
  // "" where there is none. What does not fit fails, or is cut off.
  void text(const char *name, Span<char> out, bool cut) const;

  // Open a dataset of this rank; its extents are >= 1 and its data are all in the file.
  Hdf5Dataset reals(const char *name, int rank) const;
  Hdf5Dataset integers(const char *name, int rank) const;
  Hdf5Dataset texts(const char *name) const;  // rank 1
  void require_extent(const Hdf5Dataset &dataset, int axis, int64_t extent) const;

  // Finite, or ATP_E_NOT_FINITE, and at most so large in magnitude.
  void read_reals(const Hdf5Dataset &dataset, double largest, double *out) const;
  void read_colors(const Hdf5Dataset &dataset, int64_t colors, uint8_t *out) const;  // < colors
  void read_int64s(const Hdf5Dataset &dataset, int64_t *out) const;                  // the nearest one where they do not fit
  // Hand each string, without its padding, to sink(row, text, bytes), in their order. Strings of variable length together are at most as
  // long as the file.
  template <class Sink>
  void each_text(const Hdf5Dataset &dataset, Sink &&sink) const {
    struct Caller final : Texts {
      explicit Caller(Sink &s) : sink_(s) {}
      void take(int64_t row, const char *text, int64_t bytes) override { sink_(row, text, bytes); }
      Sink &sink_;
    } caller(sink);
    visit_texts(dataset, caller);
  }

  const char *label() const { return label_.text; }
  [[noreturn]] void fail_format(const char *format, ...) const __attribute__((format(printf, 2, 3)));

 private:
  class Texts {
   public:
    virtual void take(int64_t row, const char *text, int64_t bytes) = 0;

   protected:
    ~Texts() = default;
  };
  void visit_texts(const Hdf5Dataset &dataset, Texts &texts) const;
  Hdf5Dataset open(const char *name, int rank) const;
  Hdf5Attribute open_attribute(const char *name) const;

  ShownPath label_;
  std::optional<InputFile> file_;
  mutable Hdf5Bytes bytes_;  // what it keeps of the file changes
  uint64_t root_ = kNoAddress;
};

}  // namespace atp
