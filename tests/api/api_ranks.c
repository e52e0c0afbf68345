/* SPDX-License-Identifier: MIT */
/* Ranks: how a context joins them, and how a failure of one ends the call on all. Threads are the ranks. */
#include "support.h"
#include "thread_ranks.h"

#include <attopotts.h>

#include <stdio.h>

typedef struct findings {
  atp_status joined, status, second;
  int64_t rank, count;
  int flag;
  char bytes[8], text[512];
  double sent, received, calls, seconds;
} findings;

static void join(one_rank *self, void *user) {
  findings *f = user;
  f->joined = join_ranks(self);
  f->rank = atp_context_rank(self->context);
  f->count = atp_context_rank_count(self->context);
  snprintf(f->bytes, sizeof f->bytes, "rank %d", (int)self->rank);
  f->status = atp_context_broadcast(self->context, f->bytes, sizeof f->bytes, self->group->size - 1);
  f->flag = self->rank == 1 ? 5 : 0;
  f->second = atp_context_any(self->context, &f->flag);
  atp_context_traffic(self->context, ATP_TRAFFIC_SENT, &f->sent);
  atp_context_traffic(self->context, ATP_TRAFFIC_RECEIVED, &f->received);
  atp_context_traffic(self->context, ATP_TRAFFIC_CALLS, &f->calls);
  atp_context_traffic(self->context, ATP_TRAFFIC_SECONDS, &f->seconds);
}

static void ranks_know_each_other(void **state) {
  (void)state;
  for (int64_t size = 1; size <= 4; ++size) {
    findings all[MOST_RANKS];
    char expected[8] = "";
    memset(all, 0, sizeof all);
    snprintf(expected, sizeof expected, "rank %d", (int)size - 1);
    assert_int_equal(run_ranks(size, 1, 0, join, all, sizeof *all), 0);
    for (int64_t r = 0; r < size; ++r) {
      assert_int_equal(all[r].joined, ATP_OK);
      assert_int_equal(all[r].status, ATP_OK);
      assert_int_equal(all[r].second, ATP_OK);
      assert_int_equal(all[r].rank, r);
      assert_int_equal(all[r].count, size);
      assert_string_equal(all[r].bytes, expected);
      assert_int_equal(all[r].flag, size > 1);
      /* A broadcast of 8 bytes and a sum of one integer; each begins with a sum of one, and each call ends with one. */
      const double root = r == size - 1;
      assert_true(all[r].calls == (size == 1 ? 0 : 6));
      assert_true(all[r].sent == (size == 1 ? 0 : 5 * 8 + 8 * root));
      assert_true(all[r].received == (size == 1 ? 0 : 5 * 8 + 8 * (1 - root)));
      assert_true(size == 1 ? all[r].seconds == 0 : all[r].seconds > 0);
    }
  }
}

/* One rank passes a wrong argument; then all make a good call. */
static void one_wrong(one_rank *self, void *user) {
  findings *f = user;
  char bytes[8] = "";
  f->joined = join_ranks(self);
  f->status = atp_context_broadcast(self->context, bytes, self->rank == 1 ? -3 : 8, 0);
  atp_last_error(f->text, sizeof f->text);
  snprintf(f->bytes, sizeof f->bytes, "rank %d", (int)self->rank);
  f->second = atp_context_broadcast(self->context, f->bytes, sizeof f->bytes, 0);
}

static void failure_of_one_reaches_all(void **state) {
  (void)state;
  for (int64_t size = 2; size <= 4; ++size) {
    findings all[MOST_RANKS];
    memset(all, 0, sizeof all);
    assert_int_equal(run_ranks(size, 1, 0, one_wrong, all, sizeof *all), 0);
    for (int64_t r = 0; r < size; ++r) {
      assert_int_equal(all[r].status, r == 1 ? ATP_E_VALUE : ATP_E_RANK);
      if (r != 1) assert_non_null(strstr(all[r].text, "rank 1 on "));
      assert_non_null(strstr(all[r].text, "size is -3"));
      assert_int_equal(all[r].second, ATP_OK);
      assert_string_equal(all[r].bytes, "rank 0");
    }
  }
}

/* All ranks are wrong, and each has its own error. */
static void all_wrong(one_rank *self, void *user) {
  findings *f = user;
  char bytes[8] = "";
  f->joined = join_ranks(self);
  f->status = atp_context_broadcast(self->context, bytes, 8, 77);
  f->second = atp_context_any(self->context, &f->flag);
}

static void failure_of_all(void **state) {
  findings all[MOST_RANKS];
  (void)state;
  memset(all, 0, sizeof all);
  assert_int_equal(run_ranks(3, 1, 0, all_wrong, all, sizeof *all), 0);
  for (int64_t r = 0; r < 3; ++r) {
    assert_int_equal(all[r].status, ATP_E_VALUE);
    assert_int_equal(all[r].second, ATP_OK);
  }
}

/* A rank whose own file cannot be read. */
static void give_up(one_rank *self, void *user) {
  findings *f = user;
  f->joined = join_ranks(self);
  f->flag = 7;
  f->status = self->rank == 2 ? atp_context_fail(self->context, "data.aln cannot be opened") : atp_context_any(self->context, &f->flag);
  atp_last_error(f->text, sizeof f->text);
  f->count = f->flag;
  f->second = atp_context_any(self->context, &f->flag);
}

static void a_rank_gives_up(void **state) {
  findings all[MOST_RANKS];
  (void)state;
  memset(all, 0, sizeof all);
  assert_int_equal(run_ranks(4, 1, 0, give_up, all, sizeof *all), 0);
  for (int64_t r = 0; r < 4; ++r) {
    assert_int_equal(all[r].status, r == 2 ? ATP_OK : ATP_E_RANK);
    assert_int_equal(all[r].count, 7); /* untouched where the call failed */
    if (r != 2) assert_non_null(strstr(all[r].text, "data.aln cannot be opened"));
    assert_int_equal(all[r].second, ATP_OK);
  }
}

static void callback_that_fails(void **state) {
  (void)state;
  /* The first two calls are those of atp_context_set_ranks(). */
  for (int64_t at = 1; at <= 6; ++at) {
    findings all[MOST_RANKS];
    memset(all, 0, sizeof all);
    assert_int_equal(run_ranks(3, 1, at, join, all, sizeof *all), 0);
    for (int64_t r = 0; r < 3; ++r) {
      assert_int_equal(all[r].joined, at <= 2 ? ATP_E_RANK : ATP_OK);
      if (at > 2 && at <= 5) assert_int_equal(all[r].status, ATP_E_RANK);
      if (at > 2) assert_int_equal(all[r].second, ATP_E_RANK);
    }
  }
}

/* Two ranks with the same number, and sizes that differ. */
static void misfits(one_rank *self, void *user) {
  findings *f = user;
  atp_ranks ranks = ranks_of(self);
  if (f->flag == 1) ranks.rank = 0;
  if (f->flag == 2) ranks.size = 3 + self->rank;
  f->joined = atp_context_set_ranks(self->context, &ranks);
  f->count = atp_context_rank_count(self->context);
}

static void ranks_that_do_not_fit(void **state) {
  (void)state;
  for (int how = 1; how <= 2; ++how) {
    findings all[MOST_RANKS];
    memset(all, 0, sizeof all);
    for (int64_t r = 0; r < 3; ++r) all[r].flag = how;
    assert_int_equal(run_ranks(3, 1, 0, misfits, all, sizeof *all), 0);
    for (int64_t r = 0; r < 3; ++r) {
      assert_int_equal(all[r].joined, ATP_E_MISMATCH);
      assert_int_equal(all[r].count, 1);
    }
  }
}

static void arguments(void **state) {
  atp_context *context = NULL;
  rank_group group;
  one_rank self;
  double value = -1;
  (void)state;
  memset(&group, 0, sizeof group);
  memset(&self, 0, sizeof self);
  group.size = 2;
  self.group = &group;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  atp_ranks ranks = ranks_of(&self);
  ranks.struct_bytes = 8;
  assert_int_equal(atp_context_set_ranks(context, &ranks), ATP_E_VALUE);
  ranks = ranks_of(&self);
  ranks.rank = 2;
  assert_int_equal(atp_context_set_ranks(context, &ranks), ATP_E_VALUE);
  ranks = ranks_of(&self);
  ranks.size = 0;
  assert_int_equal(atp_context_set_ranks(context, &ranks), ATP_E_VALUE);
  ranks = ranks_of(&self);
  ranks.sum = NULL;
  assert_int_equal(atp_context_set_ranks(context, &ranks), ATP_E_NULL);
  assert_int_equal(atp_context_rank_count(context), 1);
  assert_int_equal(atp_context_traffic(context, (atp_traffic)9, &value), ATP_E_VALUE);
  assert_true(value == -1);
  /* One rank needs no callbacks. */
  memset(&ranks, 0, sizeof ranks);
  ranks.struct_bytes = sizeof ranks;
  ranks.size = 1;
  assert_int_equal(atp_context_set_ranks(context, &ranks), ATP_OK);
  assert_int_equal(atp_context_set_ranks(context, NULL), ATP_OK);
  assert_int_equal(atp_context_rank_count(NULL), 0);
  assert_int_equal(atp_context_rank(NULL), 0);
  assert_int_equal(atp_context_fail(context, "nobody hears this"), ATP_OK);
  atp_context_destroy(context);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_know_each_other),
    cmocka_unit_test(failure_of_one_reaches_all),
    cmocka_unit_test(failure_of_all),
    cmocka_unit_test(a_rank_gives_up),
    cmocka_unit_test(callback_that_fails),
    cmocka_unit_test(ranks_that_do_not_fit),
    cmocka_unit_test(arguments),
};

ATP_TEST_MAIN(tests)
