// SPDX-License-Identifier: MIT
// Texts packed by gzip.
#pragma once

#include <cstdint>
#include <string>

namespace cli {

struct UnpackLimits {
  int64_t unpacked = 0;  // largest size in bytes; 0: 100 times the packed size, at least 1 GiB
  double memory = -1;    // bytes that may be taken; negative: no limit
};

// Unpacks what gzip has packed, in place; other bytes stay as they are. Fails with status 2 for a damaged file, above a limit and without
// zlib; `what` begins the message.
void unpack(std::string &bytes, const std::string &what, const UnpackLimits &limits);

}  // namespace cli
