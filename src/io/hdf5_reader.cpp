// SPDX-License-Identifier: MIT
#include "io/hdf5_reader.hpp"

#include "io/seal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kVersionPlace = 8;     // of the superblock's version, behind the signature
constexpr int64_t kTextRoom = 4096;      // longer string attributes are refused
constexpr double kDeflateFactor = 1032;  // deflate makes data at most so much smaller
constexpr double kSmallChunk = 1 << 20;  // chunks may be larger than their dataset up to here

bool is_one_of(hid_t type, std::initializer_list<hid_t> allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [type](hid_t t) { return H5Tequal(type, t) > 0; });
}

bool is_real(hid_t type) { return is_one_of(type, {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE}); }

bool is_integer(hid_t type) {
  return is_one_of(
      type, {H5T_STD_U8LE, H5T_STD_U8BE, H5T_STD_I8LE, H5T_STD_I8BE, H5T_STD_U16LE, H5T_STD_U16BE, H5T_STD_I16LE, H5T_STD_I16BE,
             H5T_STD_U32LE, H5T_STD_U32BE, H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_U64LE, H5T_STD_U64BE, H5T_STD_I64LE, H5T_STD_I64BE});
}

}  // namespace

Hdf5Reader::Hdf5Reader(const char *path) : label_(path) {
  InputFile file(path);
  check_seal(file, label());
  char version = 0;
  check_format(file.read_at(kVersionPlace, &version, 1) == 1 ? version : 0);
  const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);  // file systems without locks, and files that somebody else reads
#endif
  file_ = Hid(H5Fopen(path, H5F_ACC_RDONLY, access), H5Fclose);
  finish_open();
}

Hdf5Reader::Hdf5Reader(const Text &image) : label_(image.label) {
  check_seal(image);
  check_format(image.bytes.size() > kVersionPlace ? image.bytes[kVersionPlace] : 0);
  const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, 1 << 16, false);
  // HDF5 copies the bytes, as the argument does not say.
  H5Pset_file_image(access, const_cast<char *>(image.bytes.data()), static_cast<std::size_t>(image.bytes.size()));
  file_ = Hid(H5Fopen("image", H5F_ACC_RDONLY, access), H5Fclose);
  finish_open();
}

// Older superblocks go with metadata without checksums, in which HDF5 1.10 writes past its buffers when they are damaged.
void Hdf5Reader::check_format(int superblock) const {
  if (superblock < 2)
    fail_format("written in the old format of HDF5, without checksums: write it in that of 1.8 or later (in Python: libver='latest')");
}

void Hdf5Reader::finish_open() {
  hsize_t size = 0;
  if (!file_.ok() || H5Fget_filesize(file_, &size) < 0) fail_format("HDF5 cannot open it: cut short or damaged");
  size_ = static_cast<int64_t>(size);
}

void Hdf5Reader::fail_format(const char *format, ...) const {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(ATP_E_FORMAT, "%s: %s", label_.text, text);
}

bool Hdf5Reader::has_attribute(const char *name) const { return H5Aexists(file_, name) > 0; }

// Soft and external links could lead anywhere: only hard ones count.
bool Hdf5Reader::has_dataset(const char *name) const {
  H5L_info_t info;
  return H5Lexists(file_, name, H5P_DEFAULT) > 0 && H5Lget_info(file_, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

Hid Hdf5Reader::open_attribute(const char *name) const {
  Hid attribute(has_attribute(name) ? H5Aopen(file_, name, H5P_DEFAULT) : H5I_INVALID_HID, H5Aclose);
  if (!attribute.ok()) fail_format("attribute '%s' is missing", name);
  const Hid space(H5Aget_space(attribute), H5Sclose);
  if (!space.ok() || H5Sget_simple_extent_npoints(space) != 1) fail_format("attribute '%s' must be one value", name);
  return attribute;
}

int64_t Hdf5Reader::integer(const char *name, int64_t lowest, int64_t highest) const {
  const Hid attribute = open_attribute(name), type(H5Aget_type(attribute), H5Tclose);
  int64_t value = 0;
  if (!type.ok() || !is_integer(type) || H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0)
    fail_format("attribute '%s' must be an integer", name);
  if (value < lowest || value > highest)
    fail_format("attribute '%s' is %lld, must be in %lld..%lld", name, static_cast<long long>(value), static_cast<long long>(lowest),
                static_cast<long long>(highest));
  return value;
}

double Hdf5Reader::real(const char *name) const {
  const Hid attribute = open_attribute(name), type(H5Aget_type(attribute), H5Tclose);
  double value = 0;
  if (!type.ok() || !is_real(type) || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
    fail_format("attribute '%s' must be a real number", name);
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s: attribute '%s' is %g, must be finite", label(), name, value);
  return value;
}

void Hdf5Reader::text(const char *name, Span<char> out, bool cut) const {
  out[0] = 0;
  if (!has_attribute(name)) return;
  const Hid attribute = open_attribute(name), type(H5Aget_type(attribute), H5Tclose);
  // Strings of variable length lie in a heap in which HDF5 1.10 may search for ever when it is damaged.
  if (!type.ok() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    fail_format("attribute '%s' must be a string of fixed length", name);
  const std::size_t width = H5Tget_size(type);
  char value[kTextRoom];
  if (width > sizeof value || H5Aread(attribute, type, value) < 0)
    fail_format("attribute '%s' cannot be read or has over %lld bytes", name, static_cast<long long>(kTextRoom));
  std::size_t size = strnlen(value, width);
  if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
    while (size > 0 && value[size - 1] == ' ') --size;
  if (static_cast<int64_t>(size) >= out.size()) {
    if (!cut) fail_format("attribute '%s' has %zu bytes, at most %lld are allowed", name, size, static_cast<long long>(out.size() - 1));
    size = static_cast<std::size_t>(out.size() - 1);
  }
  std::memcpy(out.data(), value, size);
  out[static_cast<int64_t>(size)] = 0;
}

Hdf5Dataset Hdf5Reader::open(const char *name, int rank) const {
  Hdf5Dataset dataset;
  dataset.name = name;
  if (has_dataset(name)) dataset.id = Hid(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose);
  if (!dataset.id.ok()) fail_format("dataset '%s' is missing", name);
  const Hid space(H5Dget_space(dataset.id), H5Sclose);
  dataset.rank = H5Sget_simple_extent_ndims(space);
  if (dataset.rank != rank) fail_format("dataset '%s' has %d dimensions, must have %d", name, dataset.rank, rank);
  hsize_t extent[kMaxRank] = {};
  if (H5Sget_simple_extent_dims(space, extent, nullptr) != rank) fail_format("dataset '%s' has no extents", name);
  constexpr int64_t largest = int64_t{1} << 48;
  for (int k = 0; k < rank; ++k) {
    if (extent[k] < 1 || extent[k] > static_cast<hsize_t>(largest / dataset.elements))
      fail_format("dataset '%s' has extent %llu, must be positive and fit the file", name, static_cast<unsigned long long>(extent[k]));
    dataset.extent[k] = static_cast<int64_t>(extent[k]);
    dataset.elements *= dataset.extent[k];
  }
  return dataset;
}

// A header may lie about extents and chunks: what a read would allocate must be in proportion to the bytes that the file has.
void Hdf5Reader::check_storage(const Hdf5Dataset &dataset, int64_t element_bytes) const {
  const Hid properties(H5Dget_create_plist(dataset.id), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (!properties.ok() || (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) ||
      H5Pget_external_count(properties) != 0)
    fail_format("dataset '%s' keeps its data outside of the file", dataset.name);
  double factor = 1;
  for (int k = 0, filters = H5Pget_nfilters(properties); k < filters; ++k) {
    unsigned flags = 0, filter_config = 0;
    std::size_t count = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(k), &flags, &count, nullptr, 0, nullptr, &filter_config);
    const bool known = filter == H5Z_FILTER_FLETCHER32 || filter == H5Z_FILTER_SHUFFLE || (filter == H5Z_FILTER_DEFLATE && factor == 1);
    if (!known)
      fail_format("dataset '%s' has the filter %d, must have none but deflate, shuffle and fletcher32", dataset.name,
                  static_cast<int>(filter));
    if (filter == H5Z_FILTER_DEFLATE) factor = kDeflateFactor;
  }
  const double bytes = static_cast<double>(dataset.elements) * static_cast<double>(element_bytes);
  const double stored = static_cast<double>(H5Dget_storage_size(dataset.id));
  if (layout == H5D_CHUNKED) {
    hsize_t chunk[kMaxRank] = {};
    if (H5Pget_chunk(properties, kMaxRank, chunk) != dataset.rank) fail_format("dataset '%s' has chunks of another rank", dataset.name);
    double chunk_bytes = static_cast<double>(element_bytes);
    for (int k = 0; k < dataset.rank; ++k) chunk_bytes *= static_cast<double>(chunk[k]);
    if (chunk_bytes > std::max(bytes, kSmallChunk)) fail_format("dataset '%s' has chunks larger than itself", dataset.name);
  }
  if (stored > static_cast<double>(size_) || bytes > stored * factor)
    fail_format("dataset '%s' needs %.0f bytes, the file has %.0f for it", dataset.name, bytes, stored);
}

Hdf5Dataset Hdf5Reader::reals(const char *name, int rank) const {
  Hdf5Dataset dataset = open(name, rank);
  const Hid type(H5Dget_type(dataset.id), H5Tclose);
  if (!type.ok() || !is_real(type)) fail_format("dataset '%s' must hold real numbers (IEEE, 32 or 64 bits)", name);
  check_storage(dataset, static_cast<int64_t>(H5Tget_size(type)));
  return dataset;
}

Hdf5Dataset Hdf5Reader::integers(const char *name, int rank) const {
  Hdf5Dataset dataset = open(name, rank);
  const Hid type(H5Dget_type(dataset.id), H5Tclose);
  if (!type.ok() || !is_integer(type)) fail_format("dataset '%s' must hold integers", name);
  check_storage(dataset, static_cast<int64_t>(H5Tget_size(type)));
  return dataset;
}

Hdf5Dataset Hdf5Reader::texts(const char *name) const {
  Hdf5Dataset dataset = open(name, 1);
  const Hid type(H5Dget_type(dataset.id), H5Tclose);
  if (!type.ok() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    fail_format("dataset '%s' must hold strings of fixed length", name);
  dataset.width = static_cast<int64_t>(H5Tget_size(type));
  if (dataset.width < 1 || static_cast<double>(dataset.width) > static_cast<double>(size_) * kDeflateFactor)
    fail_format("dataset '%s' has strings of %lld bytes", name, static_cast<long long>(dataset.width));
  check_storage(dataset, dataset.width);
  return dataset;
}

void Hdf5Reader::require_extent(const Hdf5Dataset &dataset, int axis, int64_t extent) const {
  if (dataset.extent[axis] != extent)
    fail_format("dataset '%s' has extent %lld in dimension %d, must have %lld", dataset.name, static_cast<long long>(dataset.extent[axis]),
                axis, static_cast<long long>(extent));
}

void Hdf5Reader::read_reals(const Hdf5Dataset &dataset, double *out) const {
  if (H5Dread(dataset.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) fail_format("dataset '%s' is damaged", dataset.name);
  for (int64_t k = 0; k < dataset.elements; ++k)
    if (!std::isfinite(out[k]))
      fail(ATP_E_NOT_FINITE, "%s: element %lld of dataset '%s' is %g, must be finite", label(), static_cast<long long>(k), dataset.name,
           out[k]);
}

void Hdf5Reader::read_colors(Context &context, const Hdf5Dataset &dataset, int64_t colors, uint8_t *out) const {
  const auto check = [&](int64_t k, int value) {
    if (value < 0 || value >= colors)
      fail_format("element %lld of dataset '%s' is %d, must be in 0..%lld", static_cast<long long>(k), dataset.name, value,
                  static_cast<long long>(colors - 1));
  };
  const Hid type(H5Dget_type(dataset.id), H5Tclose);
  if (H5Tequal(type, H5T_STD_U8LE) > 0) {
    if (H5Dread(dataset.id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) fail_format("dataset '%s' is damaged", dataset.name);
    for (int64_t k = 0; k < dataset.elements; ++k) check(k, out[k]);
    return;
  }
  // HDF5 maps what does not fit to the nearest number that does: 16 bits let us see it.
  const Scratch memory(context.allocator, Scratch::piece<int16_t>(dataset.elements));
  const Span<int16_t> wide = memory.arena().take<int16_t>(dataset.elements);
  if (H5Dread(dataset.id, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    fail_format("dataset '%s' is damaged", dataset.name);
  for (int64_t k = 0; k < dataset.elements; ++k) {
    check(k, wide[k]);
    out[k] = static_cast<uint8_t>(wide[k]);
  }
}

void Hdf5Reader::read_int64s(const Hdf5Dataset &dataset, int64_t *out) const {
  if (H5Dread(dataset.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) fail_format("dataset '%s' is damaged", dataset.name);
}

void Hdf5Reader::read_texts(const Hdf5Dataset &dataset, int64_t first, int64_t rows, char *out) const {
  const hsize_t start[1] = {static_cast<hsize_t>(first)}, count[1] = {static_cast<hsize_t>(rows)};
  const Hid type(H5Dget_type(dataset.id), H5Tclose), place(H5Dget_space(dataset.id), H5Sclose),
      memory(H5Screate_simple(1, count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(place, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dread(dataset.id, type, memory, place, H5P_DEFAULT, out) < 0)
    fail_format("dataset '%s' is damaged", dataset.name);
}

}  // namespace atp
