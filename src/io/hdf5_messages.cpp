// SPDX-License-Identifier: MIT
#include "io/hdf5_messages.hpp"

#include <cstring>

namespace atp {

namespace {

constexpr int kLargestRank = 32;

// Properties of IEEE 754 numbers; a type must match them.
struct RealFormat {
  int bits, exponent_place, exponent_bits, mantissa_bits, bias;
};
constexpr RealFormat kReal32 = {32, 23, 8, 23, 127}, kReal64 = {64, 52, 11, 52, 1023};

bool is_real(Hdf5Cursor in, int sign_place, const RealFormat &f) {
  const int offset = in.small(2), precision = in.small(2), exponent_place = in.small(1), exponent_bits = in.small(1),
            mantissa_place = in.small(1), mantissa_bits = in.small(1);
  const uint64_t bias = in.number(4);
  return offset == 0 && precision == f.bits && exponent_place == f.exponent_place && exponent_bits == f.exponent_bits &&
         mantissa_place == 0 && mantissa_bits == f.mantissa_bits && bias == static_cast<uint64_t>(f.bias) && sign_place == f.bits - 1;
}

// Versions 1 and 2: every dimension has 4 bytes.
Hdf5Layout old_layout(Hdf5Cursor in) {
  Hdf5Layout layout;
  const int rank = in.small(1), kind = in.small(1);
  in.skip(5);
  if (kind != 0) layout.place = in.address();
  if (kind == 2) {
    if (rank < 2 || rank > kHdf5Rank + 1) in.bytes().fail_format("HDF5 chunks of %d dimensions, must have 1..%d", rank - 1, kHdf5Rank);
    layout.kind = Hdf5Layout::chunked;
    layout.rank = rank - 1;
    for (int k = 0; k < layout.rank; ++k) layout.chunk[k] = in.number(4);
    return layout;
  }
  in.skip(4 * static_cast<uint64_t>(rank));
  if (kind == 1) layout.kind = Hdf5Layout::contiguous;
  if (kind != 0) return layout;
  layout.kind = Hdf5Layout::compact;
  layout.size = in.number(4);
  layout.place = in.place();
  in.skip(layout.size);
  return layout;
}

void decode_index(Hdf5Cursor in, Hdf5Layout &layout, int flags) {
  const int index = in.small(1);
  switch (index) {
    case 1:
      layout.index = Hdf5Layout::single;
      layout.single_filtered = (flags & 2) != 0;
      if (layout.single_filtered) {
        layout.size = in.length();
        layout.single_mask = in.number(4);
      }
      break;
    case 2: layout.index = Hdf5Layout::implicit; break;
    case 3:
      layout.index = Hdf5Layout::fixed_array;
      in.skip(1);
      break;
    case 4:
      layout.index = Hdf5Layout::extensible_array;
      in.skip(5);
      break;
    case 5:
      layout.index = Hdf5Layout::tree2;
      in.skip(6);
      break;
    default: in.bytes().fail_format("an HDF5 index of chunks of kind %d, expected 1..5: made by a newer HDF5?", index);
  }
  layout.place = in.address();
}

void decode_chunks(Hdf5Cursor in, Hdf5Layout &layout, int version) {
  layout.kind = Hdf5Layout::chunked;
  const int flags = version > 3 ? in.small(1) : 0, rank = in.small(1);
  if (rank < 2 || rank > kHdf5Rank + 1) in.bytes().fail_format("HDF5 chunks of %d dimensions, must have 1..%d", rank - 1, kHdf5Rank);
  layout.rank = rank - 1;
  layout.whole_chunks_only = (flags & 1) != 0;
  int width = 4;
  if (version == 3) {
    layout.place = in.address();
  } else {
    width = in.small(1);
    if (width < 1 || width > 8) in.fail_damaged();
  }
  for (int k = 0; k < rank; ++k) {
    const uint64_t extent = in.number(width);  // the last one is the size of an element
    if (k < layout.rank) layout.chunk[k] = extent;
  }
  if (version > 3) decode_index(in, layout, flags);
}

}  // namespace

bool Hdf5Space::one_value() const {
  if (none || rank > kHdf5Rank) return false;
  for (int k = 0; k < rank; ++k)
    if (extent[k] != 1) return false;
  return true;
}

bool same_text(Hdf5Cursor in, uint64_t n, const char *text) {
  const std::size_t size = std::strlen(text);
  char found[64];
  if (n < size || n > size + 8 || n > sizeof found || in.left() < n) return false;  // version 1 pads names to multiples of 8
  in.copy(found, n);
  for (std::size_t k = size; k < n; ++k)
    if (found[k] != 0) return false;
  return std::memcmp(found, text, size) == 0;
}

Hdf5Type decode_type(Hdf5Cursor in) {
  Hdf5Type type;
  const int head = in.small(1), bits = in.small(2);
  in.skip(1);
  type.size = static_cast<int64_t>(in.number(4));
  switch (head & 0x0F) {
    case 0: {
      const int offset = in.small(2), precision = in.small(2);
      type.big_endian = (bits & 1) != 0;
      type.is_signed = (bits & 8) != 0;
      const bool known = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
      if (known && offset == 0 && precision == 8 * type.size) type.kind = Hdf5Type::integer;
      break;
    }
    case 1:
      type.big_endian = (bits & 1) != 0;
      if ((bits & 0x70) == 0x20 &&
          ((type.size == 4 && is_real(in, bits >> 8, kReal32)) || (type.size == 8 && is_real(in, bits >> 8, kReal64))))
        type.kind = Hdf5Type::real;
      break;
    case 3:
      type.blank_padded = (bits & 0x0F) == 2;
      if (type.size > 0) type.kind = Hdf5Type::text;
      break;
    case 9:
      // A length, and the address and number of the string in a heap.
      if ((bits & 0x0F) == 1 && type.size == 8 + in.bytes().offset_bytes()) type.kind = Hdf5Type::long_text;
      break;
    default: break;
  }
  return type;
}

Hdf5Space decode_space(Hdf5Cursor in) {
  Hdf5Space space;
  const int version = in.small(1);
  space.rank = in.small(1);
  const int flags = in.small(1);
  if (version != 1 && version != 2) in.bytes().fail_format("an HDF5 dataspace of version %d: made by a newer HDF5?", version);
  if (space.rank > kLargestRank) in.fail_damaged();
  if (version == 1)
    in.skip(5);
  else
    space.none = in.small(1) == 2;
  if (space.rank > kHdf5Rank) return space;
  for (int k = 0; k < space.rank; ++k) space.most[k] = space.extent[k] = in.length();
  if ((flags & 1) == 0) return space;
  const int width = in.bytes().length_bytes();
  for (int k = 0; k < space.rank; ++k) {
    space.most[k] = in.length();
    if (width < 8 && space.most[k] == (uint64_t{1} << 8 * width) - 1) space.most[k] = kNoAddress;
  }
  return space;
}

Hdf5Layout decode_layout(Hdf5Cursor in) {
  const int version = in.small(1);
  if (version == 1 || version == 2) return old_layout(in);
  if (version < 3 || version > 5)
    in.bytes().fail_format("a dataset's layout has version %d, expected 1..5: made by a newer HDF5?", version);
  Hdf5Layout layout;
  switch (in.small(1)) {
    case 0:
      layout.kind = Hdf5Layout::compact;
      layout.size = in.number(2);
      layout.place = in.place();
      in.skip(layout.size);
      break;
    case 1:
      layout.kind = Hdf5Layout::contiguous;
      layout.place = in.address();
      layout.size = in.length();
      break;
    case 2: decode_chunks(in, layout, version); break;
    default: break;
  }
  return layout;
}

Hdf5Filters decode_filters(Hdf5Cursor in, const char *name) {
  Hdf5Filters filters;
  const int version = in.small(1), count = in.small(1);
  if (version != 1 && version != 2) in.bytes().fail_format("HDF5 filters of version %d: made by a newer HDF5?", version);
  if (version == 1) in.skip(6);
  bool deflated = false;
  for (int k = 0; k < count; ++k) {
    const int id = in.small(2);
    const bool named = version == 1 || id >= 256;
    const uint64_t name_bytes = named ? in.number(2) : 0;
    in.skip(2);  // flags
    const uint64_t values = in.number(2);
    in.skip(version == 1 ? (name_bytes + 7) / 8 * 8 : name_bytes);
    const bool known = id == Hdf5Filters::fletcher32 || id == Hdf5Filters::shuffle || (id == Hdf5Filters::deflate && !deflated);
    if (!known)
      in.bytes().fail_format(
          "dataset '%s' has the filter %d, must have none but deflate (compression=\"gzip\" of h5py), shuffle and fletcher32", name, id);
    if (k == kHdf5Filters) in.bytes().fail_format("dataset '%s' has %d filters, must have at most %d", name, count, kHdf5Filters);
    deflated = deflated || id == Hdf5Filters::deflate;
    filters.id[k] = id;
    filters.width[k] = values > 0 ? in.number(4) : 1;
    in.skip(values > 0 ? 4 * (values - 1) : 0);
    if (version == 1 && values % 2 != 0) in.skip(4);
    filters.count = k + 1;
  }
  return filters;
}

bool decode_attribute(Hdf5Cursor in, const char *name, Hdf5Attribute &attribute) {
  const int version = in.small(1), flags = in.small(1);
  if (version < 1 || version > 3) in.bytes().fail_format("an HDF5 attribute of version %d: made by a newer HDF5?", version);
  const uint64_t name_bytes = in.number(2), type_bytes = in.number(2), space_bytes = in.number(2);
  if (version == 3) in.skip(1);  // character set
  const auto padded = [version](uint64_t n) { return version == 1 ? (n + 7) / 8 * 8 : n; };
  const Hdf5Cursor name_place = in.sub(padded(name_bytes));
  if (!same_text(name_place, name_bytes, name)) return false;
  if (version > 1 && (flags & 3) != 0) in.bytes().fail_format("attribute '%s' has a named type, must have one of its own", name);
  attribute.type = decode_type(in.sub(padded(type_bytes)));
  attribute.space = decode_space(in.sub(padded(space_bytes)));
  attribute.data = in;
  return true;
}

}  // namespace atp
