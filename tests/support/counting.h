/* SPDX-License-Identifier: MIT */
/** @file counting.h
 *  The allocator of tests: it counts, checks what it is given back, and fails when told to. Its user is a struct counter, or NULL. */
#ifndef ATTOPOTTS_TESTS_COUNTING_H
#define ATTOPOTTS_TESTS_COUNTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct counter {
  int64_t calls, live, bytes;
  size_t largest;  /* most bytes of a call */
  int64_t fail_at; /* the call that returns NULL, counted as `calls`; 0: none */
  int64_t last;    /* calls after this one return NULL; 0: none does */
  size_t misalign; /* bytes that addresses are off by */
  int bad;         /* what the library did wrong: a strange alignment, another size at release */
};

struct counting_head {
  void *base;
  size_t bytes;
};

static inline void *counting_alloc(size_t bytes, size_t alignment, void *user) {
  struct counter nobody, *c = user == NULL ? &nobody : (struct counter *)user;
  memset(&nobody, 0, sizeof nobody);
  if (++c->calls == c->fail_at || (c->last != 0 && c->calls > c->last)) return NULL;
  if (alignment < 64 || (alignment & (alignment - 1)) != 0) ++c->bad;
  char *base = (char *)malloc(bytes + 2 * alignment + sizeof(struct counting_head) + 64);
  if (base == NULL) return NULL;
  char *p = base + sizeof(struct counting_head);
  p += (alignment - (uintptr_t)p % alignment) % alignment + c->misalign;
  memset(p, 0xC3, bytes); /* fresh memory is not zero */
  const struct counting_head head = {base, bytes};
  memcpy(p - sizeof head, &head, sizeof head);
  if (bytes > c->largest) c->largest = bytes;
  ++c->live;
  c->bytes += (int64_t)bytes;
  return p;
}

static inline void counting_free(void *memory, size_t bytes, void *user) {
  struct counter *c = (struct counter *)user;
  struct counting_head head;
  memcpy(&head, (char *)memory - sizeof head, sizeof head);
  if (c != NULL) {
    if (head.bytes != bytes) ++c->bad;
    --c->live;
    c->bytes -= (int64_t)bytes;
  }
  free(head.base);
}

#endif
