// SPDX-License-Identifier: MIT
#include "io/hdf5_writer.hpp"

#include "alignment/text.hpp"
#include "io/seal.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kOverhead = 1 << 16;    // for everything that is not data
constexpr hsize_t kChunkBytes = 1 << 20;  // HDF5's chunk cache holds one
constexpr unsigned kCompression = 1;      // bytes of sequences: higher levels cost time and save little
constexpr int64_t kEndOfFilePlace = 28;   // in a superblock of version 2 or 3: the size of the file, little endian

int64_t end_of_file(const unsigned char *superblock) {
  int64_t end = 0;
  for (int k = 7; k >= 0; --k) end = end << 8 | superblock[kEndOfFilePlace + k];
  return end;
}

}  // namespace

void *Hdf5Writer::Image::resize(void *, std::size_t size, H5FD_file_image_op_t, void *user) {
  Image *image = static_cast<Image *>(user);
  if (size <= image->room) return image->memory;
  try {
    const std::size_t room = std::max(size, 2 * image->room);
    void *larger = image->allocator->allocate(room);
    if (image->memory != nullptr) std::memcpy(larger, image->memory, image->room);
    image->allocator->release(image->memory, image->room);
    image->memory = larger;
    image->room = room;
    return larger;
  } catch (const Error &) {
    return nullptr;
  }
}

Hdf5Writer::Hdf5Writer(Context &context, const char *path, int64_t expected_bytes) : context_(context), path_(path), output_(path) {
  (void)output_.temporary();  // throws if the target is not a regular file
  image_.allocator = &context.allocator;
  image_.room = memory_size(sum_of(expected_bytes, expected_bytes / 64, kOverhead));
  image_.memory = context.allocator.allocate(image_.room);
  // The image must persist after HDF5 has closed its file.
  H5FD_file_image_callbacks_t callbacks = {};
  callbacks.image_malloc = [](std::size_t size, H5FD_file_image_op_t op, void *image) { return Image::resize(nullptr, size, op, image); };
  callbacks.image_realloc = Image::resize;
  callbacks.image_memcpy = [](void *to, const void *from, std::size_t size, H5FD_file_image_op_t, void *) {
    return std::memcpy(to, from, size);
  };
  callbacks.image_free = [](void *, H5FD_file_image_op_t, void *) -> herr_t { return 0; };
  callbacks.udata_copy = [](void *image) { return image; };
  callbacks.udata_free = [](void *) -> herr_t { return 0; };
  callbacks.udata = &image_;
  const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // The format of HDF5 1.10 has checksums of everything but the data, which get a filter for that. Without
  // time stamps the same data give the same bytes.
  bool ok = access.ok() && creation.ok() && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
            H5Pset_fapl_core(access, image_.room, false) >= 0 && H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
            H5Pset_obj_track_times(creation, false) >= 0;
  if (ok) file_ = Hid(H5Fcreate(path, H5F_ACC_TRUNC, creation, access), H5Fclose);
  if (!file_.ok()) {
    context.allocator.release(image_.memory, image_.room);
    image_.memory = nullptr;
    fail_hdf5("a file in memory", "");
  }
}

Hdf5Writer::~Hdf5Writer() {
  if (file_.ok()) file_.close();
  context_.allocator.release(image_.memory, image_.room);
}

void Hdf5Writer::fail_hdf5(const char *what, const char *name) const {
  fail(ATP_E_WRITE, "%s: HDF5 could not make %s %s", ShownPath(path_).text, what, name);
}

void Hdf5Writer::attribute(const char *name, hid_t file_type, hid_t memory_type, const void *value) {
  const Hid space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hid attribute(H5Acreate2(file_, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok() || H5Awrite(attribute, memory_type, value) < 0) fail_hdf5("the attribute", name);
}

void Hdf5Writer::integer(const char *name, int64_t value) { attribute(name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value); }

void Hdf5Writer::real(const char *name, double value) { attribute(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value); }

void Hdf5Writer::text(const char *name, const char *value) {
  if (value[0] == 0) return;
  const Hid type = text_type(static_cast<int64_t>(std::strlen(value)));
  attribute(name, type, type, value);
}

Hid Hdf5Writer::text_type(int64_t width) const {
  Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (!type.ok() || H5Tset_size(type, static_cast<std::size_t>(width)) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
      H5Tset_cset(type, H5T_CSET_UTF8) < 0)
    fail_hdf5("a string type", "");
  return type;
}

Hid Hdf5Writer::create(const char *name, hid_t type, int rank, const hsize_t *extent, bool compress) {
  // Chunks hold as many whole rows of the last axes as fit. An axis that must be divided is divided evenly,
  // because the part of the last chunk beyond the dataset is also written.
  hsize_t chunk[kMaxRank], bytes = H5Tget_size(type);
  for (int k = rank - 1; k >= 0; --k) {
    const hsize_t most = std::max<hsize_t>(1, kChunkBytes / std::min(bytes, kChunkBytes));
    const hsize_t cuts = std::max<hsize_t>(1, (extent[k] + most - 1) / most);
    chunk[k] = std::max<hsize_t>(1, (extent[k] + cuts - 1) / cuts);
    bytes *= chunk[k];
  }
  const Hid space(H5Screate_simple(rank, extent, nullptr), H5Sclose), properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  bool ok = space.ok() && properties.ok() && H5Pset_chunk(properties, rank, chunk) >= 0 &&
            H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_obj_track_times(properties, false) >= 0;
  if (ok && compress && ATP_HAS_ZLIB && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) ok = H5Pset_deflate(properties, kCompression) >= 0;
  ok = ok && H5Pset_fletcher32(properties) >= 0;
  if (!ok) fail_hdf5("the properties of", name);
  Hid dataset(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) fail_hdf5("the dataset", name);
  return dataset;
}

void Hdf5Writer::put(hid_t dataset, hid_t type, const void *values) {
  if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) fail_hdf5("the values of", "a dataset");
}

void Hdf5Writer::put_rows(hid_t dataset, hid_t type, int64_t first, int64_t rows, const void *values) {
  const hsize_t start[1] = {static_cast<hsize_t>(first)}, count[1] = {static_cast<hsize_t>(rows)};
  const Hid place(H5Dget_space(dataset), H5Sclose), memory(H5Screate_simple(1, count, nullptr), H5Sclose);
  if (!place.ok() || !memory.ok() || H5Sselect_hyperslab(place, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dwrite(dataset, type, memory, place, H5P_DEFAULT, values) < 0)
    fail_hdf5("the values of", "a dataset");
}

void Hdf5Writer::reals(const char *name, int rank, const hsize_t *extent, const double *values) {
  put(create(name, H5T_IEEE_F64LE, rank, extent, false), H5T_NATIVE_DOUBLE, values);
}

void Hdf5Writer::int64s(const char *name, int rank, const hsize_t *extent, const int64_t *values) {
  put(create(name, H5T_STD_I64LE, rank, extent, false), H5T_NATIVE_INT64, values);
}

void Hdf5Writer::bytes(const char *name, int rank, const hsize_t *extent, const uint8_t *values) {
  put(create(name, H5T_STD_U8LE, rank, extent, true), H5T_NATIVE_UINT8, values);
}

void Hdf5Writer::commit(const char *kind) {
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0 || !file_.close()) fail_hdf5("the file", "");
  const unsigned char *image = static_cast<const unsigned char *>(image_.memory);
  const int64_t size = end_of_file(image);
  if ((image[8] != 2 && image[8] != 3) || size <= 0 || size > static_cast<int64_t>(image_.room))
    fail(ATP_E_INTERNAL, "HDF5 made a superblock of version %d for %lld bytes", image[8], llong{size});
  output_.write(image, size);
  write_seal(output_, kind, image, size);
  output_.commit();
}

}  // namespace atp
