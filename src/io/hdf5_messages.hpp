// SPDX-License-Identifier: MIT
// Decodes the messages of object headers about types, extents, places and filters of data.
#pragma once

#include "io/hdf5_header.hpp"

namespace atp {

inline constexpr int kHdf5Rank = 4;     // largest rank of the datasets that are read
inline constexpr int kHdf5Filters = 8;  // largest number of filters of a dataset

struct Hdf5Type {
  enum Kind { other, integer, real, text, long_text };  // long_text: strings of variable length
  Kind kind = other;
  bool is_signed = false, big_endian = false, blank_padded = false;
  int64_t size = 0;  // bytes of an element
};

struct Hdf5Space {
  int rank = 0;
  bool none = false;                // a null dataspace, which has not even one element
  uint64_t extent[kHdf5Rank] = {};  // of a rank that is read
  uint64_t most[kHdf5Rank] = {};    // maximum extents; kNoAddress: unlimited
  bool one_value() const;
};

struct Hdf5Layout {
  enum Kind { other, compact, contiguous, chunked };
  enum Index { tree1, single, implicit, fixed_array, extensible_array, tree2 };
  Kind kind = other;
  Index index = tree1;
  uint64_t place = kNoAddress, size = kNoAddress;  // of the data; of the index, whose size is not known; kNoAddress: as the type has it
  int rank = 0;                                    // of a chunk
  uint64_t chunk[kHdf5Rank] = {};
  bool whole_chunks_only = false;  // chunks that extend beyond the dataset are not filtered
  uint64_t single_mask = 0;        // of a single chunk: filters that were not applied
  bool single_filtered = false;
};

struct Hdf5Filters {
  enum Kind { deflate = 1, shuffle = 2, fletcher32 = 3 };
  int count = 0;
  int id[kHdf5Filters] = {};
  uint64_t width[kHdf5Filters] = {};  // size of an element for shuffle
};

Hdf5Type decode_type(Hdf5Cursor in);
Hdf5Space decode_space(Hdf5Cursor in);
Hdf5Layout decode_layout(Hdf5Cursor in);
// Throws ATP_E_FORMAT with the dataset's name for filters other than these three, and for two deflates, so that
// unpacked data have a limit.
Hdf5Filters decode_filters(Hdf5Cursor in, const char *name);

// Compares an attribute's name with this one, then decodes its parts. Returns false for another name.
struct Hdf5Attribute {
  Hdf5Type type;
  Hdf5Space space;
  Hdf5Cursor data;
};
bool decode_attribute(Hdf5Cursor in, const char *name, Hdf5Attribute &attribute);

// Whether the next n bytes are this text, with or without a final zero.
bool same_text(Hdf5Cursor in, uint64_t n, const char *text);

}  // namespace atp
