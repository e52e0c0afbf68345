/* SPDX-License-Identifier: MIT */
/* See inject.h. Preloaded, with ATP_FAULT_SERVER="IN OUT" (two descriptors), main() does not run at once: each line that comes in,
 *
 *     CALL CALLER AT HOW PERSISTS DISK_BYTES LAST EVERY FOLDER
 *
 * makes a child that runs main() in that folder with this fault, its streams in FOLDER.out and FOLDER.err; the line that goes out is
 *
 *     WAIT_STATUS FIRED OUTPUT LIVE WRITTEN UNTOUCHED SEEN(0,0) SEEN(0,1) ... PATH
 *
 * With AT = 0 and HOW = FAULT_KILL it is killed after PERSISTS microseconds. So the dynamic linker works once for thousands of runs.
 *
 * With LAST > 0 the child does not begin anew for each fault: at the calls AT, AT + EVERY, ... LAST it forks. The branch has the fault and
 * runs to its end; a line goes out; the folder is made as it was, a line comes in, and the child goes on without a fault. After LAST it
 * ends as a whole run, with a line of its own. That is right while neither files nor threads are in use: for the first UNTOUCHED calls of
 * malloc. */
#undef _FILE_OFFSET_BITS /* open and open64 are two names here */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* It defines functions that no header declares. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Entries of glibc, which allocate without dlsym(). */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static struct fault_control private_control = {.disk_bytes = -1}, *control = &private_control;
struct fault_control *fault_control(void) {
  return control;
}

/* ---- who calls ---- */

enum { MOST_RANGES = 256 };
static struct {
  uintptr_t begin, end;
  enum fault_caller who;
} ranges[MOST_RANGES];
static int range_count;

static enum fault_caller who_is(const char *name) {
  static const char *const own[] = {"libattopotts", "libfmt", "libstdc++"};
  if (name == NULL || *name == 0) return FAULT_OWN;
  for (size_t k = 0; k < sizeof own / sizeof *own; ++k)
    if (strstr(name, own[k]) != NULL) return FAULT_OWN;
  return strstr(name, "/libc.so") != NULL ? FAULT_LIBC : FAULT_THIRD;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size, (void)user;
  for (int k = 0; k < info->dlpi_phnum && range_count < MOST_RANGES; ++k) {
    if (info->dlpi_phdr[k].p_type != PT_LOAD || (info->dlpi_phdr[k].p_flags & PF_X) == 0) continue;
    ranges[range_count].begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    ranges[range_count].end = ranges[range_count].begin + info->dlpi_phdr[k].p_memsz;
    ranges[range_count++].who = who_is(info->dlpi_name);
  }
  return 0;
}

static enum fault_caller owner_of(const void *address) {
  const uintptr_t a = (uintptr_t)address;
  for (int k = 0; k < range_count; ++k)
    if (a >= ranges[k].begin && a < ranges[k].end) return ranges[k].who;
  return FAULT_THIRD;
}

/* The C library works for others: strdup() of HDF5 is HDF5's. */
static enum fault_caller caller_of(const void *address) {
  static __thread int busy;
  void *frames[24];
  const enum fault_caller direct = owner_of(address);
  if (direct != FAULT_LIBC || busy) return direct;
  busy = 1;
  enum fault_caller found = FAULT_LIBC;
  const int count = backtrace(frames, 24);
  int k = 0;
  while (k < count && frames[k] != address) ++k;
  while (k < count && owner_of(frames[k]) == FAULT_LIBC) ++k;
  if (k < count && owner_of(frames[k]) == FAULT_THIRD) found = FAULT_THIRD;
  busy = 0;
  return found;
}

/* ---- the real functions ---- */

static FILE *(*real_fopen)(const char *, const char *);
static size_t (*real_fwrite)(const void *, size_t, size_t, FILE *), (*real_fread)(void *, size_t, size_t, FILE *);
static int (*real_fflush)(FILE *), (*real_fclose)(FILE *);
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) _exit(99);
  return found;
}

__attribute__((constructor)) static void look_up(void) {
  if (real_fopen != NULL) return;
  *(void **)&real_fwrite = next("fwrite");
  *(void **)&real_fread = next("fread");
  *(void **)&real_fflush = next("fflush");
  *(void **)&real_fclose = next("fclose");
  *(void **)&real_pthread_create = next("pthread_create");
  dl_iterate_phdr(add_object, NULL);
  void *frame;
  backtrace(&frame, 1); /* loads what it needs */
  *(void **)&real_fopen = next("fopen");
}

/* ---- the decision ---- */

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); }

/* Whether something was written to a descriptor: what its close() says then matters. */
enum { MOST_FILES = 1024 };
static char dirty[MOST_FILES];
static void mark(int fd, int written) {
  if (fd >= 0 && fd < MOST_FILES) dirty[fd] = (char)written;
}
static int is_dirty(int fd) { return fd >= 0 && fd < MOST_FILES && dirty[fd]; }

static int is_output(enum fault_call call, int fd) {
  const long flags = fd < 0 ? -1 : syscall(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && (call != FAULT_CLOSE || is_dirty(fd));
}

static void note(enum fault_call call, const char *path, int fd, const void *from) {
  if (control->fired++ > 0) return;
  char link[64];
  if (getenv("ATP_FAULT_TRACE") != NULL) { /* for people who look for the cause */
    void *frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
  }
  control->fired_output = call == FAULT_RENAME || call == FAULT_LINK || is_output(call, fd);
  control->fired_from = (uintptr_t)from;
  memset(control->fired_path, 0, sizeof control->fired_path);
  if (path != NULL) {
    strncpy(control->fired_path, path, sizeof control->fired_path - 1);
  } else if (fd >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    syscall(SYS_readlink, link, control->fired_path, sizeof control->fired_path - 1);
  }
}

static int branch(long n);

/* Whether a branch would share a file, or miss a thread. What systems have under absolute names stays as it is. */
static int touches(enum fault_call call, const char *path) {
  return call == FAULT_OPEN ? path == NULL || *path != '/'
                            : call != FAULT_MALLOC && call != FAULT_READ && call != FAULT_CLOSE && call != FAULT_MMAP && call != FAULT_STAT;
}

static int is_chosen(enum fault_call call, enum fault_caller who, long n) {
  if (control->at <= 0 || control->call != (int)call || control->caller != (int)who || n < control->at) return 0;
  if (control->last > 0) return n <= control->last && (n - control->at) % control->every == 0 && branch(n);
  return n == control->at || control->persists;
}

/* 0: the call goes on; otherwise what happens instead. */
static int decide(enum fault_call call, const char *path, int fd, const void *from) {
  if (!control->on || fd == STDERR_FILENO) return 0;
  const int reason = errno;
  const enum fault_caller who = caller_of(from);
  const long n = ++control->seen[call][who];
  if (control->untouched < 0 && touches(call, path)) control->untouched = control->seen[FAULT_MALLOC][FAULT_OWN];
  int how = 0;
  if (is_chosen(call, who, n)) {
    note(call, path, fd, from);
    how = control->how;
    if (how == FAULT_KILL) die();
  }
  errno = reason;
  return how;
}

#define FROM __builtin_return_address(0)
#define DECIDE(call, path, fd) decide(FAULT_##call, path, fd, FROM)
/* Returns `failed`, or `hidden` where success is feigned. */
#define FAIL(how, failed, hidden)           \
  do {                                      \
    if ((how) == FAULT_HIDE) return hidden; \
    if ((how) > 0) {                        \
      errno = (how);                        \
      return failed;                        \
    }                                       \
  } while (0)

/* ---- memory ---- */

static void *counted(void *p, const void *from) {
  if (p != NULL && control->on && caller_of(from) == FAULT_OWN) ++control->live;
  return p;
}

void *malloc(size_t n) {
  const int how = DECIDE(MALLOC, NULL, -1);
  FAIL(how, NULL, NULL);
  return counted(__libc_malloc(n), FROM);
}
void *calloc(size_t n, size_t size) {
  const int how = DECIDE(MALLOC, NULL, -1);
  FAIL(how, NULL, NULL);
  return counted(__libc_calloc(n, size), FROM);
}
void *realloc(void *p, size_t n) {
  const int how = DECIDE(MALLOC, NULL, -1);
  FAIL(how, NULL, NULL);
  void *made = __libc_realloc(p, n);
  return p == NULL ? counted(made, FROM) : made;
}
static void *aligned(size_t alignment, size_t n, int how, const void *from) {
  FAIL(how, NULL, NULL);
  return counted(__libc_memalign(alignment, n), from);
}
void *aligned_alloc(size_t alignment, size_t n) { return aligned(alignment, n, DECIDE(MALLOC, NULL, -1), FROM); }
void *memalign(size_t alignment, size_t n) { return aligned(alignment, n, DECIDE(MALLOC, NULL, -1), FROM); }
int posix_memalign(void **out, size_t alignment, size_t n) {
  const int how = DECIDE(MALLOC, NULL, -1);
  if (how > 0) return how;
  void *made = counted(__libc_memalign(alignment, n), FROM);
  if (made == NULL) return ENOMEM;
  *out = made;
  return 0;
}
void free(void *p) {
  if (p != NULL && control->on && caller_of(FROM) == FAULT_OWN) --control->live;
  __libc_free(p);
}

static void *map(void *at, size_t n, int protection, int flags, int fd, off64_t place, int how) {
  FAIL(how, MAP_FAILED, MAP_FAILED);
  return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, place);
}
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t place) {
  return map(at, n, protection, flags, fd, place, DECIDE(MMAP, NULL, fd));
}
void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t place) {
  return map(at, n, protection, flags, fd, place, DECIDE(MMAP, NULL, fd));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *user) {
  const int how = DECIDE(THREAD, NULL, -1);
  if (how > 0) return how;
  look_up();
  return real_pthread_create(thread, attributes, begin, user);
}

/* ---- files ---- */

static int opened(int folder, const char *path, int flags, int mode, int how) {
  FAIL(how, -1, -1);
  const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
  mark(fd, 0);
  return fd;
}
#define OPEN(name, folder, ...)                                       \
  int name(__VA_ARGS__ const char *path, int flags, ...) {            \
    va_list rest;                                                     \
    va_start(rest, flags);                                            \
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;  \
    va_end(rest);                                                     \
    return opened(folder, path, flags, mode, DECIDE(OPEN, path, -1)); \
  }
#define COMMA ,
OPEN(open, AT_FDCWD, )
OPEN(open64, AT_FDCWD, )
OPEN(openat, folder, int folder COMMA)
OPEN(openat64, folder, int folder COMMA)
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0, DECIDE(OPEN, path, -1)); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0, DECIDE(OPEN, path, -1)); }

static FILE *opened_stream(const char *path, const char *mode, int how) {
  FAIL(how, NULL, NULL);
  look_up();
  return real_fopen(path, mode);
}
FILE *fopen(const char *path, const char *mode) { return opened_stream(path, mode, DECIDE(OPEN, path, -1)); }
FILE *fopen64(const char *path, const char *mode) { return opened_stream(path, mode, DECIDE(OPEN, path, -1)); }

static ssize_t got(int fd, void *bytes, size_t n, off64_t place, int how) {
  FAIL(how, -1, 0);
  if (how == FAULT_SHORT && n > 1) n = 1;
  return place < 0 ? syscall(SYS_read, fd, bytes, n) : syscall(SYS_pread64, fd, bytes, n, place);
}
ssize_t read(int fd, void *bytes, size_t n) { return got(fd, bytes, n, -1, DECIDE(READ, NULL, fd)); }
ssize_t pread(int fd, void *bytes, size_t n, off_t place) { return got(fd, bytes, n, place, DECIDE(READ, NULL, fd)); }
ssize_t pread64(int fd, void *bytes, size_t n, off64_t place) { return got(fd, bytes, n, place, DECIDE(READ, NULL, fd)); }
ssize_t __read_chk(int fd, void *bytes, size_t n, size_t room) { return got(fd, bytes, n < room ? n : room, -1, DECIDE(READ, NULL, fd)); }
ssize_t __pread64_chk(int fd, void *bytes, size_t n, off64_t place, size_t room) {
  return got(fd, bytes, n < room ? n : room, place, DECIDE(READ, NULL, fd));
}
size_t fread(void *bytes, size_t size, size_t n, FILE *file) {
  const int how = DECIDE(READ, NULL, fileno(file));
  FAIL(how, 0, 0);
  look_up();
  return real_fread(bytes, size, n, file);
}

/* How many of n bytes the disk has room for, -1: none, with errno. Pipes and terminals are no disk. */
static ssize_t room_for(int fd, size_t n) {
  struct stat info;
  if (!control->on || control->disk_bytes < 0 || fd == STDERR_FILENO || syscall(SYS_fstat, fd, &info) != 0 || !S_ISREG(info.st_mode))
    return (ssize_t)n;
  const long long left = control->disk_bytes - control->written;
  const ssize_t k = left >= (long long)n ? (ssize_t)n : (ssize_t)left;
  control->written += k;
  if (k < (ssize_t)n) note(FAULT_WRITE, NULL, fd, NULL);
  if (k > 0 || n == 0) return k;
  errno = ENOSPC;
  return -1;
}
static ssize_t put(int fd, const void *bytes, size_t n, off64_t place, int how) {
  mark(fd, 1);
  FAIL(how, -1, (ssize_t)n);
  const ssize_t room = room_for(fd, n);
  if (room < 0) return -1;
  n = (size_t)room;
  if (how == FAULT_SHORT && n > 1) n = 1;
  if (how == FAULT_CUT) n = n / 2;
  const ssize_t done = place < 0 ? syscall(SYS_write, fd, bytes, n) : syscall(SYS_pwrite64, fd, bytes, n, place);
  if (how == FAULT_CUT) die();
  return done;
}
ssize_t write(int fd, const void *bytes, size_t n) { return put(fd, bytes, n, -1, DECIDE(WRITE, NULL, fd)); }
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t place) { return put(fd, bytes, n, place, DECIDE(WRITE, NULL, fd)); }
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t place) { return put(fd, bytes, n, place, DECIDE(WRITE, NULL, fd)); }
ssize_t writev(int fd, const struct iovec *pieces, int count) {
  const int how = DECIDE(WRITE, NULL, fd);
  FAIL(how, -1, -1);
  return syscall(SYS_writev, fd, pieces, how == FAULT_SHORT || how == FAULT_CUT ? 1 : count);
}
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file) {
  const int how = DECIDE(WRITE, NULL, fileno(file));
  mark(fileno(file), 1);
  FAIL(how, 0, n);
  if (size > 0 && n > 0) {
    const ssize_t room = room_for(fileno(file), size * n);
    if (room < (ssize_t)(size * n)) {
      if (room > 0) real_fwrite(bytes, 1, (size_t)room, file);
      errno = ENOSPC;
      return room < 0 ? 0 : (size_t)room / size;
    }
  }
  look_up();
  return real_fwrite(bytes, size, n, file);
}
int fflush(FILE *file) {
  look_up();
  const int how = file == NULL ? 0 : DECIDE(WRITE, NULL, fileno(file));
  FAIL(how, EOF, 0);
  return real_fflush(file);
}

static int done_or(int how, long system_call, long a, long b) {
  FAIL(how, -1, 0);
  return (int)syscall(system_call, a, b, 0);
}
int fsync(int fd) { return done_or(DECIDE(FSYNC, NULL, fd), SYS_fsync, fd, 0); }
int fdatasync(int fd) { return done_or(DECIDE(FSYNC, NULL, fd), SYS_fdatasync, fd, 0); }
int rename(const char *from, const char *to) { return done_or(DECIDE(RENAME, to, -1), SYS_rename, (long)from, (long)to); }
int link(const char *from, const char *to) { return done_or(DECIDE(LINK, to, -1), SYS_link, (long)from, (long)to); }
int symlink(const char *from, const char *to) { return done_or(DECIDE(LINK, to, -1), SYS_symlink, (long)from, (long)to); }
int unlink(const char *path) { return done_or(DECIDE(UNLINK, path, -1), SYS_unlink, (long)path, 0); }
int remove(const char *path) {
  const int how = DECIDE(UNLINK, path, -1);
  FAIL(how, -1, 0);
  return syscall(SYS_unlink, path) == 0 || syscall(SYS_rmdir, path) == 0 ? 0 : -1;
}
int ftruncate(int fd, off_t n) { return done_or(DECIDE(TRUNCATE, NULL, fd), SYS_ftruncate, fd, n); }
int ftruncate64(int fd, off64_t n) { return done_or(DECIDE(TRUNCATE, NULL, fd), SYS_ftruncate, fd, n); }

/* Linux closes the descriptor whatever close() returns. */
int close(int fd) {
  const int how = DECIDE(CLOSE, NULL, fd);
  const int status = (int)syscall(SYS_close, fd);
  FAIL(how, -1, 0);
  return status;
}
int fclose(FILE *file) {
  look_up();
  const int how = DECIDE(CLOSE, NULL, fileno(file));
  const int status = real_fclose(file);
  FAIL(how, EOF, 0);
  return status;
}

#if defined(__x86_64__)
int fstat(int fd, struct stat *out) { return done_or(DECIDE(STAT, NULL, fd), SYS_fstat, fd, (long)out); }
int fstat64(int fd, struct stat64 *out) { return done_or(DECIDE(STAT, NULL, fd), SYS_fstat, fd, (long)out); }
int stat(const char *path, struct stat *out) { return done_or(DECIDE(STAT, path, -1), SYS_stat, (long)path, (long)out); }
int stat64(const char *path, struct stat64 *out) { return done_or(DECIDE(STAT, path, -1), SYS_stat, (long)path, (long)out); }
int lstat(const char *path, struct stat *out) { return done_or(DECIDE(STAT, path, -1), SYS_lstat, (long)path, (long)out); }
int lstat64(const char *path, struct stat64 *out) { return done_or(DECIDE(STAT, path, -1), SYS_lstat, (long)path, (long)out); }
#endif

/* ---- main() as a server of runs ---- */

/* Time stands still in a served run: two runs then leave the same bytes. */
static int serving;
int clock_gettime(clockid_t clock, struct timespec *out) {
  const int status = (int)syscall(SYS_clock_gettime, clock, out);
  if (serving && status == 0) out->tv_sec = 1000000000, out->tv_nsec = 0;
  return status;
}

static int (*real_main)(int, char **, char **);

static void redirect(const char *folder, const char *suffix, int to) {
  char path[640];
  snprintf(path, sizeof path, "%s%s", folder, suffix);
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  syscall(SYS_dup3, fd, to, 0);
  syscall(SYS_close, fd);
}

static int read_line(int fd, char *line, int size) {
  int n = 0;
  while (n + 1 < size && syscall(SYS_read, fd, line + n, 1) == 1 && line[n] != '\n') ++n;
  line[n] = 0;
  return n;
}

static void answer(int out, int status) {
  char line[4096];
  int n = snprintf(line, sizeof line, "%d %d %d %ld %lld %ld", status, control->fired, control->fired_output, (long)control->live,
                   (long long)control->written, control->untouched);
  for (int k = 0; k < FAULT_CALLS * FAULT_CALLERS; ++k)
    n += snprintf(line + n, sizeof line - (size_t)n, " %ld", (long)control->seen[k / FAULT_CALLERS][k % FAULT_CALLERS]);
  n += snprintf(line + n, sizeof line - (size_t)n, " %s\n", control->fired_path);
  if (syscall(SYS_write, out, line, n) != n) _exit(98);
}

/* The run that is served: its folder, and the descriptors of lines. */
static struct {
  char folder[512];
  int in, out;
} served;

enum { PATIENCE = 300 }; /* seconds; a run that hangs ends by a signal */

static void enter(void) {
  redirect(served.folder, ".out", STDOUT_FILENO), redirect(served.folder, ".err", STDERR_FILENO);
  if (syscall(SYS_chdir, served.folder) != 0) _exit(95);
  alarm(PATIENCE);
}

/* 1 in the branch, 0 in the run that goes on. */
static int branch(long n) {
  struct fault_control before;
  memcpy(&before, control, sizeof before);
  const pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE);
    control->at = n;
    control->last = 0;
    return 1;
  }
  int status = -1;
  char line[16];
  if (child < 0 || waitpid(child, &status, 0) != child) _exit(94);
  answer(served.out, status);
  if (read_line(served.in, line, sizeof line) <= 0) _exit(94);
  memcpy(control, &before, sizeof before);
  enter();
  return 0;
}

/* Reads what is asked for. False: there is nothing more. */
static int next_run(void) {
  char line[1024];
  if (read_line(served.in, line, sizeof line) <= 0) return 0;
  memset(control, 0, sizeof *control);
  control->untouched = -1;
  if (sscanf(line, "%d %d %ld %d %d %lld %ld %ld %511s", &control->call, &control->caller, &control->at, &control->how, &control->persists,
             &control->disk_bytes, &control->last, &control->every, served.folder) != 9 ||
      control->every < 1)
    _exit(96);
  return 1;
}

static int serve(int argc, char **argv, char **environment) {
  control = (struct fault_control *)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (control == MAP_FAILED) _exit(97);
  while (next_run()) {
    const long kill_after = control->at == 0 && control->how == FAULT_KILL ? control->persists : 0; /* microseconds */
    const int branches = control->last > 0;
    const pid_t child = fork();
    if (child == 0) {
      unsetenv("ATP_FAULT_SERVER"); /* programs that it starts run as usual */
      if (!branches) syscall(SYS_close, served.in), syscall(SYS_close, served.out);
      enter();
      serving = control->on = 1;
      const int status = real_main(argc, argv, environment);
      control->on = 0;
      return status;
    }
    int status = -1;
    if (child > 0 && kill_after > 0) {
      usleep((useconds_t)kill_after);
      kill(child, SIGKILL);
      control->fired = 1;
    }
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(94);
    answer(served.out, status);
  }
  _exit(0);
}

static int main_of_faults(int argc, char **argv, char **environment) {
  const char *server = getenv("ATP_FAULT_SERVER");
  if (server != NULL && sscanf(server, "%d %d", &served.in, &served.out) == 2) return serve(argc, argv, environment);
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*begin)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&start = next("__libc_start_main");
  real_main = begin;
  return start(main_of_faults, argc, argv, init, fini, rtld_fini, stack_end);
}
