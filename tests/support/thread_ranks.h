/* SPDX-License-Identifier: MIT */
/* Threads as ranks: each thread has a context of its own, and they reach each other through memory.
 * For tests of atp_context_set_ranks(). */
#ifndef THREAD_RANKS_H
#define THREAD_RANKS_H

#include <attopotts/ranks.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8 };

/* Numbers of ranks and threads that tests run through. Sanitizers take several times as long: with them ranks have two threads, and there
 * are four, or with AddressSanitizer three, whose shares differ in size, and four. */
#if defined(__SANITIZE_THREAD__)
enum { FROM_RANKS = 4, FROM_THREADS = 2 };
#elif defined(__SANITIZE_ADDRESS__)
enum { FROM_RANKS = 3, FROM_THREADS = 2 };
#else
enum { FROM_RANKS = 1, FROM_THREADS = 1 };
#endif
enum { TO_RANKS = 4, TO_THREADS = 2 };

/* What the ranks of one run share. */
typedef struct rank_group {
  int64_t size, arrived, round;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  void *place[MOST_RANKS]; /* the array of each rank in the operation at hand */
  int64_t fail_at;         /* the callback with this number fails on all ranks; 0: none does */
} rank_group;

typedef struct one_rank {
  rank_group *group;
  int64_t rank;
  int64_t calls;
  atp_context *context;
  void (*body)(struct one_rank *self, void *user);
  void *user;
} one_rank;

static void ranks_wait(rank_group *g) {
  pthread_mutex_lock(&g->lock);
  const int64_t round = g->round;
  if (++g->arrived == g->size) {
    g->arrived = 0;
    ++g->round;
    pthread_cond_broadcast(&g->moved);
  } else {
    while (g->round == round) pthread_cond_wait(&g->moved, &g->lock);
  }
  pthread_mutex_unlock(&g->lock);
}

static int ranks_fail(one_rank *self) { return ++self->calls == self->group->fail_at ? 17 : 0; }

static int thread_gather(void *bytes, const int64_t *ends, void *user) {
  one_rank *self = user;
  rank_group *g = self->group;
  if (ranks_fail(self)) return 17;
  g->place[self->rank] = bytes;
  ranks_wait(g);
  for (int64_t r = 0; r < g->size; ++r) {
    const int64_t first = r == 0 ? 0 : ends[r - 1];
    if (r != self->rank && ends[r] > first) memcpy((char *)bytes + first, (const char *)g->place[r] + first, (size_t)(ends[r] - first));
  }
  ranks_wait(g);
  return 0;
}

static int thread_sum(int64_t *values, int64_t count, void *user) {
  one_rank *self = user;
  rank_group *g = self->group;
  if (ranks_fail(self)) return 17;
  int64_t *all = malloc((size_t)count * sizeof *all);
  g->place[self->rank] = values;
  ranks_wait(g);
  for (int64_t k = 0; k < count; ++k) {
    all[k] = 0;
    for (int64_t r = 0; r < g->size; ++r) all[k] += ((const int64_t *)g->place[r])[k];
  }
  ranks_wait(g);
  memcpy(values, all, (size_t)count * sizeof *all);
  free(all);
  return 0;
}

static int thread_broadcast(void *bytes, int64_t count, int64_t root, void *user) {
  one_rank *self = user;
  rank_group *g = self->group;
  if (ranks_fail(self)) return 17;
  g->place[self->rank] = bytes;
  ranks_wait(g);
  if (self->rank != root) memcpy(bytes, g->place[root], (size_t)count);
  ranks_wait(g);
  return 0;
}

/* Adds the numbers of all ranks up, in the order of the ranks: a reduction as hosts bring one to atp_trainer_set_reduction(). */
static inline void ranks_add(one_rank *self, double *values, int64_t count) {
  rank_group *g = self->group;
  double *sums = calloc((size_t)count, sizeof *sums);
  g->place[self->rank] = values;
  ranks_wait(g);
  for (int64_t r = 0; r < g->size; ++r)
    for (int64_t k = 0; k < count; ++k) sums[k] += ((const double *)g->place[r])[k];
  ranks_wait(g);
  memcpy(values, sums, (size_t)count * sizeof *sums);
  free(sums);
}

/* The ranks of a thread, for atp_context_set_ranks(). */
static atp_ranks ranks_of(one_rank *self) {
  atp_ranks ranks;
  memset(&ranks, 0, sizeof ranks);
  ranks.struct_bytes = sizeof ranks;
  ranks.rank = self->rank;
  ranks.size = self->group->size;
  ranks.user = self;
  ranks.gather = thread_gather;
  ranks.sum = thread_sum;
  ranks.broadcast = thread_broadcast;
  return ranks;
}

static void *run_rank(void *user) {
  one_rank *self = user;
  self->body(self, self->user);
  return NULL;
}

/* Runs body(rank, user) on `size` threads, each a rank with a context of `threads` threads. users: one for each rank, `stride` bytes apart.
 * fail_at: see rank_group. Returns 0, or the status of a context that could not be made. */
static int run_ranks(int64_t size, int64_t threads, int64_t fail_at, void (*body)(one_rank *, void *), void *users, size_t stride) {
  rank_group group;
  one_rank ranks[MOST_RANKS];
  pthread_t ids[MOST_RANKS];
  int status = 0;
  memset(&group, 0, sizeof group);
  group.size = size;
  pthread_mutex_init(&group.lock, NULL);
  pthread_cond_init(&group.moved, NULL);
  for (int64_t r = 0; r < size; ++r) {
    memset(&ranks[r], 0, sizeof ranks[r]);
    ranks[r].group = &group;
    ranks[r].rank = r;
    ranks[r].body = body;
    ranks[r].user = (char *)users + (size_t)r * stride;
    if (!status) status = atp_context_create(NULL, NULL, NULL, &ranks[r].context);
    if (!status) status = atp_context_set_threads(ranks[r].context, threads);
  }
  group.fail_at = fail_at;
  for (int64_t r = 0; r < size && !status; ++r) pthread_create(&ids[r], NULL, run_rank, &ranks[r]);
  for (int64_t r = 0; r < size && !status; ++r) pthread_join(ids[r], NULL);
  for (int64_t r = 0; r < size; ++r) atp_context_destroy(ranks[r].context);
  pthread_cond_destroy(&group.moved);
  pthread_mutex_destroy(&group.lock);
  return status;
}

/* Makes the context of a rank one of its group. */
static inline atp_status join_ranks(one_rank *self) {
  const atp_ranks ranks = ranks_of(self);
  return atp_context_set_ranks(self->context, &ranks);
}

#endif
