// SPDX-License-Identifier: MIT
// What mpirun and srun tell a process in its environment.
#pragma once

#include <cstdint>

namespace cli {

// The number of this process among those that were started together, and of those on this node. Without a launcher one process.
struct Launched {
  int64_t rank = 0, size = 1, local_size = 1;
};
Launched launched();

// The cores that each of `processes` on this machine can use, of the `own` that this one is allowed to use. A launcher that binds processes
// to cores leaves each its share already.
int64_t cores_of_rank(int64_t own, int64_t processes);

}  // namespace cli
