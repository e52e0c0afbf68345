// SPDX-License-Identifier: MIT
// Numbers in the byte orders and widths of HDF5 files.
#pragma once

#include "io/hdf5_messages.hpp"

namespace atp {

// The nearest signed 64-bit integer.
int64_t integer_of(const unsigned char *raw, const Hdf5Type &type);
double real_of(const unsigned char *raw, const Hdf5Type &type);
void reals_of(const unsigned char *raw, const Hdf5Type &type, int64_t count, double *out);

// A string of variable length: its bytes, and its number in the heap at an address.
struct LongText {
  uint64_t bytes, address, index;
};
LongText long_text_of(const unsigned char *raw, int offset_bytes);

}  // namespace atp
