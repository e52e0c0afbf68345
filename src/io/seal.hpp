// SPDX-License-Identifier: MIT
// What follows the last byte of an HDF5 file that this library wrote. HDF5 does not look there; it tells what the file is and that no byte
// of it has changed.
//
//     char magic[8] "attoseal" | char kind[16] | int64 bytes before | uint64 checksum of them, kind and size     little endian
//
// Programs that change a file with HDF5 cut the seal off; files without one are read, too.
#pragma once

#include "data/text.hpp"
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
// Throw ATP_E_FORMAT where there is a seal and the bytes before it are not those that were sealed.
void check_seal(InputFile &file, const char *label);
void check_seal(const Text &image);

}  // namespace atp
