// SPDX-License-Identifier: MIT
// FNV-1a, 64 bits. Detects damaged states and states of other objects.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atp {

inline constexpr uint64_t kChecksumStart = 0xcbf29ce484222325u;

inline uint64_t checksum(const void *bytes, std::size_t size, uint64_t state = kChecksumStart) {
  const unsigned char *p = static_cast<const unsigned char *>(bytes);
  for (std::size_t k = 0; k < size; ++k) state = (state ^ p[k]) * 0x100000001b3u;
  return state;
}

}  // namespace atp
