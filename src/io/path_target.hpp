// SPDX-License-Identifier: MIT
// Where a path leads: to a file, through symbolic links, or to a descriptor that this process has open.
#pragma once

#include <cstddef>

namespace atp {

inline constexpr std::size_t kPathSize = 4096;  // with the final zero

// The descriptor that a path names: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and what is linked to them; -1 for
// other paths. It need not be open.
int named_descriptor(const char *path);

// Follow the symbolic links of the last component, one that leads nowhere too: `out` becomes the path of the file that is there or would be
// made. 0, or the system's reason.
int follow_links(const char *path, char (&out)[kPathSize]);

}  // namespace atp
