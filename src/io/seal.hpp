// SPDX-License-Identifier: MIT
// The seal: bytes after the end of an HDF5 file that this library wrote. HDF5 does not read them. The seal
// tells the kind of the file, and its checksum proves that no byte has changed.
//
//     char magic[8] "attoseal" | char kind[16] | int64 bytes before | uint64 checksum of them, kind and size     little endian
//
// Programs that change a file through HDF5 remove the seal. Files without a seal are also read.
#pragma once

#include "alignment/text.hpp"
#include "io/file.hpp"

namespace atp {

struct Seal {
  static constexpr int64_t kBytes = 40;
  bool found = false;
  char bytes[kBytes] = {};
  char kind[17] = "";
  int64_t size = 0;
  uint64_t sum = 0;
};

void write_seal(OutputFile &file, const char *kind, const void *bytes, int64_t size);

Seal find_seal(InputFile &file);
Seal find_seal(const Text &image);
// Throws ATP_E_FORMAT if there is a seal that does not match the bytes before it.
void check_seal(InputFile &file, const char *label);
void check_seal(const Text &image);

}  // namespace atp
