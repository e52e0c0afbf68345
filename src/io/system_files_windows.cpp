// SPDX-License-Identifier: MIT
// Names of files are in the code page of the process.
#include "io/system_files.hpp"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

namespace atp {

namespace {

constexpr int kAlways = _O_BINARY | _O_NOINHERIT;
constexpr int kMostTries = 100;
constexpr DWORD kPause = 10;  // milliseconds

int reason_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_NOT_SAME_DEVICE: return EXDEV;
    case ERROR_WRITE_PROTECT: return EROFS;
    default: return EIO;
  }
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

}  // namespace

const int kStale = ENOENT;

int open_to_read(const char *path) { return _open(path, _O_RDONLY | kAlways); }

int open_to_write(const char *path) { return _open(path, _O_WRONLY | kAlways); }

int open_new(const char *path) { return _open(path, _O_RDWR | _O_CREAT | _O_EXCL | kAlways, _S_IREAD | _S_IWRITE); }

void use_bytes(int descriptor) { _setmode(descriptor, _O_BINARY); }

int check_writes(int descriptor) { return handle_of(descriptor) == INVALID_HANDLE_VALUE ? EBADF : 0; }

bool wait_until_ready(int, bool) { return false; }  // descriptors block

int64_t read_at_place(int descriptor, void *out, std::size_t n, int64_t place) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(place);
  at.OffsetHigh = static_cast<DWORD>(place >> 32);
  LARGE_INTEGER before = {};
  const HANDLE file = handle_of(descriptor);
  // ReadFile moves the position.
  if (SetFilePointerEx(file, {}, &before, FILE_CURRENT) == 0) before.QuadPart = -1;
  DWORD done = 0;
  const BOOL good = ReadFile(file, out, static_cast<DWORD>(n), &done, &at);
  const DWORD error = good != 0 ? ERROR_SUCCESS : GetLastError();
  if (before.QuadPart >= 0) SetFilePointerEx(file, before, nullptr, FILE_BEGIN);
  if (error == ERROR_SUCCESS || error == ERROR_HANDLE_EOF) return done;
  errno = reason_of(error);
  return -1;
}

void keep_owner_and_mode(int, unsigned, unsigned, unsigned) {}  // a file takes both from its folder

int flush_to_disk(int descriptor) { return _commit(descriptor); }

// Virus scanners and indexers open new files for a moment, in which they cannot be renamed.
int replace_file(const char *from, const char *to) {
  for (int tries = 0;; ++tries) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) return 0;
    const int reason = reason_of(GetLastError());
    if (reason != EACCES || tries == kMostTries) {
      errno = reason;
      return -1;
    }
    Sleep(kPause);
  }
}

int flush_folder_of(const char *) { return 0; }  // MOVEFILE_WRITE_THROUGH has flushed the names

const char *last_separator(const char *path) {
  const char *last = nullptr;
  for (const char *at = path; *at != '\0'; ++at)
    if (*at == '/' || *at == '\\' || (*at == ':' && at == path + 1)) last = at;
  return last;
}

// No path names a descriptor. Symbolic links of files are rare here and need a right: a file that replaces one replaces the link.
int named_descriptor(const char *) { return -1; }

int follow_links(const char *path, char (&out)[kPathSize]) {
  if (std::strlen(path) >= sizeof out) return ENAMETOOLONG;
  std::strcpy(out, path);
  return 0;
}

}  // namespace atp
