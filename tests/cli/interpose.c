/* SPDX-License-Identifier: MIT */
/* Preloaded into the program: notes the calls that decide what a power failure leaves, in their order, in the file that ATP_CALLS names.
 *
 *     create FD PATH | open FD PATH | write FD | fsync FD | close FD | rename FROM TO | unlink PATH
 *
 * Only files that were opened by path are noted: standard streams, pipes and sockets are not. */
#undef _FILE_OFFSET_BITS /* open and open64 are two names here */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 1024 };
static char known[MOST]; /* descriptors of files */

static void note(const char *format, ...) {
  static int log = -2;
  const int reason = errno;
  if (log == -2) {
    const char *path = getenv("ATP_CALLS");
    log = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  if (log >= 0) {
    char line[8400];
    va_list rest;
    va_start(rest, format);
    const int n = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    if (n > 0 && n < (int)sizeof line) (void)!syscall(SYS_write, log, line, (size_t)n);
  }
  errno = reason;
}

static int noted_open(const char *path, int flags, int mode) {
  const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (descriptor >= 0 && descriptor < MOST && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_DIRECTORY) != 0)) {
    known[descriptor] = 1;
    note("%s %d %s\n", (flags & O_CREAT) != 0 ? "create" : "open", descriptor, path);
  }
  return descriptor;
}

#define OPEN(name)                                                   \
  int name(const char *path, int flags, ...) {                       \
    va_list rest;                                                    \
    va_start(rest, flags);                                           \
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0; \
    va_end(rest);                                                    \
    return noted_open(path, flags, mode);                            \
  }
OPEN(open)
OPEN(open64)

static int is_known(int descriptor) { return descriptor >= 0 && descriptor < MOST && known[descriptor]; }

ssize_t write(int descriptor, const void *bytes, size_t n) {
  if (is_known(descriptor)) note("write %d\n", descriptor);
  return syscall(SYS_write, descriptor, bytes, n);
}

int fsync(int descriptor) {
  const int status = (int)syscall(SYS_fsync, descriptor);
  if (status == 0) note("fsync %d\n", descriptor);
  return status;
}

int close(int descriptor) {
  if (is_known(descriptor)) {
    note("close %d\n", descriptor);
    known[descriptor] = 0;
  }
  return (int)syscall(SYS_close, descriptor);
}

int rename(const char *from, const char *to) {
  const int status = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (status == 0) note("rename %s %s\n", from, to);
  return status;
}

int unlink(const char *path) {
  note("unlink %s\n", path);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
