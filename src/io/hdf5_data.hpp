// SPDX-License-Identifier: MIT
// Reads the elements of a dataset in the file's representation, and numbers in the byte orders and widths of HDF5 files.
#pragma once

#include "io/hdf5_chunks.hpp"
#include "io/hdf5_messages.hpp"

namespace atp {

struct Hdf5Dataset {
  const char *name = "";
  bool found = false;
  Hdf5Type type;
  Hdf5Space space;
  Hdf5Layout layout;
  Hdf5Filters filters;
  int rank = 0;
  int64_t extent[kHdf5Rank] = {};
  int64_t elements = 1;
  uint64_t largest_chunk = 0;  // bytes in the file
};

// Throws ATP_E_FORMAT unless all elements are in the file; sets largest_chunk.
void check_storage(Hdf5Bytes &bytes, Hdf5Dataset &dataset);

// Receives count consecutive elements, beginning with number `first`.
class Hdf5Elements {
 public:
  virtual void take(int64_t first, int64_t count, const unsigned char *raw) = 0;

 protected:
  ~Hdf5Elements() = default;
};
// Passes every element once; in ascending order along one axis.
void each_element(Hdf5Bytes &bytes, const Hdf5Dataset &dataset, Hdf5Elements &elements);

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
