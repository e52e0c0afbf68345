// SPDX-License-Identifier: MIT
// Resolves a path: to a file, through symbolic links, or to an open descriptor of this process.
#pragma once

#include <cstddef>

namespace atp {

inline constexpr std::size_t kPathSize = 4096;  // with the final zero

// The descriptor that a path names: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and links
// to them. -1 for other paths. It need not be open.
int named_descriptor(const char *path);

// Follows the symbolic links of the last component, also a dangling one. `out` receives the path of the file
// that exists or would be created. Returns 0, or the system's reason.
int follow_links(const char *path, char (&out)[kPathSize]);

}  // namespace atp
