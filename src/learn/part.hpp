// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace atp {

// A named piece of a parameter vector.
struct Part {
  char name[32];
  int64_t offset, size;
};

}  // namespace atp
