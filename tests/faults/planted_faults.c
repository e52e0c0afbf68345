/* SPDX-License-Identifier: MIT */
/* A program that writes its input "in" to "out", beside it and renamed, as attopotts does; with the name of a fault it has that fault.
 * The tests of faults must find each. usage: planted_faults FAULT, "none" for none */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int planted(const char *fault, const char *name) { return strcmp(fault, name) == 0; }

static char *bytes;

static int fail(const char *fault, const char *what) {
  if (!planted(fault, "leak")) free(bytes);
  if (!planted(fault, "litter")) unlink("out.tmp");
  if (planted(fault, "silent")) return 1;
  fprintf(stderr, "attopotts: %s: %s\n", what, strerror(errno));
  if (planted(fault, "chatty")) fprintf(stderr, "attopotts: and more\n");
  return planted(fault, "status") ? 7 : 1;
}

static int put(const char *fault, int fd, const char *from, ssize_t n) {
  for (ssize_t done = 0; done < n;) {
    const ssize_t k = write(fd, from + done, (size_t)(n - done));
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return -1;
    done += planted(fault, "short") ? n : k;
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *fault = argc == 2 ? argv[1] : "";
  bytes = malloc(1 << 16);
  if (bytes == NULL) {
    if (planted(fault, "memory")) abort();
    return fail(fault, "memory");
  }
  const int in = open("in", O_RDONLY);
  if (in < 0) return fail(fault, "in");
  ssize_t n;
  do n = read(in, bytes, 1 << 16);
  while (n < 0 && errno == EINTR);
  if (n == 1) n += read(in, bytes + 1, (1 << 16) - 1); /* after a short read */
  close(in);
  if (n < 0) return fail(fault, "in");
  const int direct = planted(fault, "direct");
  const int out = open(direct ? "out" : "out.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0) return fail(fault, "out");
  const int halves = direct ? 2 : 1;
  for (int k = 0; k < halves; ++k)
    if (put(fault, out, bytes + k * (n / halves), n / halves) != 0) {
      if (planted(fault, "write")) break;
      close(out);
      return fail(fault, "out");
    }
  int status;
  do status = fsync(out);
  while (status != 0 && errno == EINTR);
  if (status != 0 && !planted(fault, "fsync")) {
    close(out);
    return fail(fault, "out");
  }
  if (close(out) != 0 && errno != EINTR && !planted(fault, "close")) return fail(fault, "out");
  if (!direct && rename("out.tmp", "out") != 0 && !planted(fault, "rename")) return fail(fault, "out");
  free(bytes);
  return 0;
}
