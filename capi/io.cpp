// SPDX-License-Identifier: MIT
#include "alignment_handle.hpp"
#include "model_handle.hpp"

#include "io/file.hpp"
#include "io/hdf5_files.hpp"
#include "io/read_write.hpp"

#include <attopotts/io.h>

using namespace atp;

atp_status atp_alignment_write(atp_context *context, const atp_alignment *alignment, atp_format format, const char *path) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(alignment, "alignment");
    require(path, "path");
    require_range(format, ATP_FORMAT_HDF5, ATP_FORMAT_INTEGERS, "format");
    write_alignment(*core(context), *core(alignment), format, path);
  });
}

atp_status atp_model_write(atp_context *context, const atp_model *model, const char *path) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(model, "model");
    require(path, "path");
    write_model_hdf5(*core(context), *core(model), path);
  });
}

atp_status atp_model_read(atp_context *context, const char *path, atp_model **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(core(context), [&] {
    require(context, "context");
    require(path, "path");
    require(out, "out");
    *out = handle(read_model(*core(context), path));
  });
}

atp_status atp_file_kind(atp_context *context, const char *path, const char **kind) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(path, "path");
    require(kind, "kind");
    *kind = file_kind(*core(context), path);
  });
}

atp_status atp_file_write(atp_context *context, const char *path, const void *bytes, int64_t size) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(path, "path");
    require(bytes, "bytes");
    if (size < 0) fail(ATP_E_VALUE, "size is %lld, must be >= 0", static_cast<long long>(size));
    OutputFile file(path);
    file.write(bytes, size);
    file.commit();
  });
}

atp_status atp_file_size(atp_context *context, const char *path, int64_t *size) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(path, "path");
    require(size, "size");
    *size = file_size(path);
  });
}

atp_status atp_file_read(atp_context *context, const char *path, void *bytes, int64_t size) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(path, "path");
    require(bytes, "bytes");
    read_file(path, bytes, size);
  });
}
