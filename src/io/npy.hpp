// SPDX-License-Identifier: MIT
// Arrays of numbers in NumPy's .npy files, versions 1.0 to 3.0:
//     "\x93NUMPY" | version, 2 bytes | size of the header, 2 bytes (version 1) or 4 | header, a Python dictionary | numbers
// Nothing of the header is believed before it agrees with the size of the file.
#pragma once

#include "alignment/text.hpp"
#include "potts/model.hpp"

#include <attopotts/input.h>

namespace atp {

// The header as it is written, before any of it is compared with the file.
struct NpyHeader {
  static constexpr int kMostDimensions = ATP_ARRAY_DIMENSIONS;
  char order = 0, kind = 0;  // of 'descr'; the kind is f, i or u
  int64_t bytes = 0;
  bool fortran = false;
  int64_t dimensions = 0, extent[kMostDimensions] = {};
  int64_t count = 1, data = 0;  // numbers, and the place of the first
  int64_t size() const { return data + count * bytes; }
};

class NpyArray {
 public:
  // Reads the header of a file of `size` bytes, of which `file` has all, or the first ones. Throws ATP_E_FORMAT
  // for a damaged header, for types other than real and whole numbers, and if the size is not that of the header.
  NpyArray(const Text &file, int64_t size);

  int64_t dimensions() const { return header_.dimensions; }
  int64_t extent(int64_t k) const { return header_.extent[k]; }
  int64_t count() const { return header_.count; }
  // The numbers in C order, [count()]. They may be infinite or NaN. The file must be whole.
  void read(double *out) const;
  // "5 x 5", or "a single number".
  struct ShapeText {
    char text[200];
  };
  ShapeText shape_text() const;

 private:
  Text file_;
  NpyHeader header_;

  template <class Number>
  void read_as(double *out) const;
};

// The size of a .npy file with this beginning; 0 if its header cannot be read.
int64_t npy_size(Span<const char> head);

// A model from couplings C_ij(a, b), an array [L][L][q][q]: dense, without fields, beta = 1. Throws ATP_E_FORMAT, or ATP_E_NOT_FINITE.
Model *model_from_npy(Context &context, const Text &file, int64_t size);

}  // namespace atp
