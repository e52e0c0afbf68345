// SPDX-License-Identifier: MIT
// A text file that gzip packs where its name ends in .gz.
#pragma once

#include "io/file.hpp"

#include <memory>

namespace atp {

class PackedOutput {
 public:
  // Throws as OutputFile, and ATP_E_UNSUPPORTED for .gz in a build without zlib.
  PackedOutput(Context &context, const char *path);
  ~PackedOutput();
  PackedOutput(const PackedOutput &) = delete;
  PackedOutput &operator=(const PackedOutput &) = delete;
  void put(const void *bytes, int64_t n);
  void put(char c) { put(&c, 1); }
  void commit();  // packs the rest, then as OutputFile

 private:
  struct Deflater;
  void pack(bool last);
  BufferedOutput file_;
  std::unique_ptr<Deflater> deflater_;  // none: not packed
};

}  // namespace atp
