/* SPDX-License-Identifier: MIT */
/** @file inject.h
 *  Calls of the C library that fail when told to. inject.c is preloaded into a program, or compiled into a test.
 *
 *  Only calls between the begin and the end of main() count, and only of one kind of callers at a time:
 *  - FAULT_OWN: the program, libattopotts*, libfmt and libstdc++ (operator new is a call of malloc by libstdc++);
 *  - FAULT_LIBC: the C library itself, for example fopen() that needs a buffer;
 *  - FAULT_THIRD: all others: HDF5, BLIS, LAPACK, zlib, the dynamic linker.
 *  Standard error never fails: it is where the program says what is wrong. */
#ifndef ATTOPOTTS_TESTS_INJECT_H
#define ATTOPOTTS_TESTS_INJECT_H

#include <stdatomic.h>
#include <stdint.h>

enum fault_call {
  FAULT_MALLOC, /* malloc, calloc, realloc, aligned_alloc, posix_memalign; operator new */
  FAULT_OPEN,   /* open, openat, fopen */
  FAULT_READ,   /* read, pread, fread */
  FAULT_WRITE,  /* write, pwrite, writev, fwrite, fflush */
  FAULT_FSYNC,  /* fsync, fdatasync */
  FAULT_RENAME, /* rename */
  FAULT_CLOSE,  /* close, fclose; the descriptor is closed all the same, as Linux does */
  FAULT_MMAP,
  FAULT_THREAD,   /* pthread_create */
  FAULT_TRUNCATE, /* ftruncate */
  FAULT_LINK,     /* link, symlink */
  FAULT_UNLINK,   /* unlink, remove */
  FAULT_STAT,     /* stat, fstat, lstat */
  FAULT_CALLS
};
enum fault_caller { FAULT_OWN, FAULT_LIBC, FAULT_THIRD, FAULT_CALLERS };
/* What happens, beside a number of errno. */
enum fault_how {
  FAULT_SHORT = -1, /* read, write: one byte only */
  FAULT_KILL = -2,  /* SIGKILL before the call */
  FAULT_CUT = -3,   /* write: half of the bytes, then SIGKILL */
  FAULT_HIDE = -4   /* planted: nothing is done, and success is reported */
};

struct fault_control {
  volatile int on;      /* main() runs; the compiler thinks that malloc() does not look */
  int call, caller;     /* what fails */
  long at;              /* which call, 1 the first; 0: none */
  int how;              /* errno > 0, or a fault_how */
  int persists;         /* all later ones fail, too */
  long last, every;     /* last > 0: calls at, at + every, ..., last fail, each in a branch of the run: see inject.c */
  long untouched;       /* calls of malloc by own callers before the first call that touches a file of the run; -1: there was none */
  long long disk_bytes; /* >= 0: this many bytes can be written to files, then ENOSPC; the last write is short */
  atomic_llong written;
  atomic_long seen[FAULT_CALLS][FAULT_CALLERS];
  atomic_long live; /* blocks that own callers hold */
  atomic_int fired; /* how many calls failed */
  int fired_output; /* the first of them was on a file that is open for writing */
  uintptr_t fired_from;
  char fired_path[256]; /* of the file, where it is known */
};

/* Never NULL. */
struct fault_control *fault_control(void);

#endif
