// SPDX-License-Identifier: MIT
// Checked reading of attributes of the root group and of datasets below it. All errors are ATP_E_FORMAT with
// the name of the wrong part.
//
// This code decodes the files, not HDF5. If a file without checksums is damaged, HDF5 1.10 reads and writes out
// of bounds, or leaves its bookkeeping open and reports errors at the end of the process
// (docs/decisions/hdf5.md).
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
  double real(const char *name, double largest) const;  // finite, at most `largest` in magnitude
  // "" if there is none. A text that does not fit throws or is truncated.
  void text(const char *name, Span<char> out, bool cut) const;

  // Opens a dataset of this rank. Its extents are >= 1, and all its data are in the file.
  Hdf5Dataset reals(const char *name, int rank) const;
  Hdf5Dataset integers(const char *name, int rank) const;
  Hdf5Dataset texts(const char *name) const;  // rank 1
  void require_extent(const Hdf5Dataset &dataset, int axis, int64_t extent) const;

  // Throws ATP_E_NOT_FINITE unless finite; at most `largest` in magnitude.
  void read_reals(const Hdf5Dataset &dataset, double largest, double *out) const;
  void read_colors(const Hdf5Dataset &dataset, int64_t colors, uint8_t *out) const;  // < colors
  void read_int64s(const Hdf5Dataset &dataset, int64_t *out) const;                  // the nearest one if a value does not fit
  // Calls sink(row, text, bytes) for each string, without its padding, in order. Strings of variable length
  // have together at most the length of the file.
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
  // The header of a dataset; kNoAddress if there is none. Throws for a link that is no hard link.
  uint64_t find(const char *name) const;
  Hdf5Dataset open(const char *name, int rank) const;
  Hdf5Attribute open_attribute(const char *name) const;

  ShownPath label_;
  std::optional<InputFile> file_;
  mutable Hdf5Bytes bytes_;  // what it keeps of the file changes
  uint64_t root_ = kNoAddress;
};

}  // namespace atp
