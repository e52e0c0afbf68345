// SPDX-License-Identifier: MIT
#include "base/team.hpp"
#include "math/linalg/blas.hpp"

#include <attopotts/version.h>

#include <cstring>

int atp_version_number(void) noexcept { return ATP_VERSION_NUMBER; }

const char *atp_version_string(void) noexcept { return ATP_VERSION_STRING; }

int atp_abi_version(void) noexcept { return ATP_ABI_VERSION; }

int atp_has_feature(const char *name) noexcept {
  if (name == nullptr) return 0;
  if (std::strcmp(name, "threads") == 0) return atp::kHasThreads ? 1 : 0;
  if (std::strcmp(name, "hdf5") == 0) return ATP_HAS_HDF5;
  if (std::strcmp(name, "zlib") == 0) return ATP_HAS_ZLIB;
  if (std::strcmp(name, "msgpack") == 0) return ATP_HAS_MSGPACK;
  if (std::strcmp(name, "io") == 0) return ATP_HAS_IO;
  if (std::strcmp(name, "blis") == 0 || std::strcmp(name, "lapack") == 0) return ATP_HAS_LINALG;
  return 0;
}

const char *atp_blas_description(void) noexcept { return atp::blas_description(); }
