// SPDX-License-Identifier: MIT
// Windows has no files that tell limits: the system itself does.
#include "base/available_memory.hpp"

#include "base/system.hpp"

namespace atp {

int64_t available_memory(const char *) {
  const int64_t left = free_memory();
  return left >= 0 ? left : kUnlimited;
}

}  // namespace atp
