// SPDX-License-Identifier: MIT
// How many bytes this process can still have: the least of what the machine, its control groups and its resource limits leave.
#pragma once

#include <cstdint>

namespace atp {

inline constexpr int64_t kUnlimited = INT64_MAX;

// The least of
//   MemAvailable of /proc/meminfo;
//   Max address space - VmSize and Max data size - VmData, of /proc/self/limits and /proc/self/status;
//   memory.max and memory.high - (memory.current - inactive_file), of the process's control group and all above it (version 2);
//   memory.limit_in_bytes - (memory.usage_in_bytes - total_inactive_file), likewise (version 1).
// A file that is missing limits nothing; kUnlimited where nothing does. `root` stands in front of every path, so that tests can
// give a tree of their own. Allocates nothing; takes about 0.1 ms.
int64_t available_memory(const char *root = "");

}  // namespace atp
