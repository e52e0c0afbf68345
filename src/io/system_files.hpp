// SPDX-License-Identifier: MIT
// What differs between operating systems in the use of files: how paths are resolved, how files are opened, flushed and replaced. All names
// are of descriptors with the functions of POSIX, which Windows has, too. system_files_posix.cpp and system_files_windows.cpp implement it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atp {

// Descriptors that child processes do not inherit, in binary mode. They return -1 with the reason in errno.
int open_to_read(const char *path);   // connects to a socket, and duplicates a descriptor of this process that cannot be opened again
int open_to_write(const char *path);  // a file that exists and is not regular
int open_new(const char *path);       // to read and write; fails with EEXIST if there is such a file

extern const int kStale;  // the reason for errno where a link leads to a file that has lost its name

// A standard stream, in binary mode.
void use_bytes(int descriptor);
// Whether a descriptor can be written to. Returns 0 or the system's reason.
int check_writes(int descriptor);
// Call this after an operation on a non-blocking descriptor failed: waits until it is ready. Returns false if the operation failed for
// another reason.
bool wait_until_ready(int descriptor, bool to_write);
// Like pread: does not move the position of later reads. Only for regular files.
int64_t read_at_place(int descriptor, void *out, std::size_t n, int64_t place);

// Gives a new file the owner, the group and the mode of an old one, as far as the system allows.
void keep_owner_and_mode(int descriptor, unsigned owner, unsigned group, unsigned mode);
// The bytes of a file are on the disk when it returns 0.
int flush_to_disk(int descriptor);
// Renames a closed file over another one, which may exist.
int replace_file(const char *from, const char *to);
// The names in the folder of a file are on the disk when it returns 0.
int flush_folder_of(const char *path);

// The last separator of a path between folder and file; nullptr if there is none.
const char *last_separator(const char *path);

inline constexpr std::size_t kPathSize = 4096;  // with the final zero

// The descriptor that a path names: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and links
// to them. -1 for other paths. It need not be open.
int named_descriptor(const char *path);

// Follows the symbolic links of the last component, also a dangling one. `out` receives the path of the file
// that exists or would be created. Returns 0, or the system's reason.
int follow_links(const char *path, char (&out)[kPathSize]);

}  // namespace atp
