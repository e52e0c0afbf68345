// SPDX-License-Identifier: MIT
// The memory that this process can still get: the smallest limit of the machine, its control groups and its
// resource limits.
#pragma once

#include <cstdint>

namespace atp {

inline constexpr int64_t kUnlimited = INT64_MAX;

// The smallest of
//   MemAvailable of /proc/meminfo;
//   Max address space - VmSize and Max data size - VmData, of /proc/self/limits and /proc/self/status;
//   memory.max and memory.high - (memory.current - inactive_file), of the process's control group and all above it (version 2);
//   memory.limit_in_bytes - (memory.usage_in_bytes - total_inactive_file), likewise (version 1).
// A missing file sets no limit. Returns kUnlimited if nothing sets one. Tests pass their own tree as `root`,
// which is put before every path. Allocates nothing; takes about 0.1 ms.
int64_t available_memory(const char *root = "");

}  // namespace atp
