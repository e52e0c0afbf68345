/* SPDX-License-Identifier: MIT */
/* Saved states that tests/data keeps: a run that goes on from one of them has the bits of one that was never interrupted; where the
 * mathematics library is another one, its numbers (saved_results.h). */
#include "api_support.h"
#include "saved_results.h"

#include <stdbool.h>

#define FOLDER ATP_TEST_DATA "/states-0.1/"

static saved_record recorded(const char *name) {
  char found[64];
  saved_record r = {0};
  FILE *file = fopen(FOLDER "continued.txt", "r");
  assert_non_null(file);
  int seen = 0;
  while (!seen && fscanf(file, "%63s", found) == 1) {
    if (fscanf(file, "%llx", &r.hash) != 1) break;
    seen = strcmp(found, name) == 0;
    if (strcmp(found, "libm") == 0) continue;
    if (fscanf(file, "%llx %lf", &r.sequences, &r.norm) != 2) break;
    for (int j = 0; j < SAVED_SUMS; ++j) seen = fscanf(file, "%lf", &r.sums[j]) == 1 && seen;
  }
  fclose(file);
  if (!seen) fail_msg("continued.txt has no line for %s", name);
  return r;
}

/* Where the mathematics library gives the recorded numbers. glibc on x86-64 with fused multiply-add does, and must be found to. */
static bool same_libm(void) {
  const bool same = saved_libm() == recorded("libm").hash;
#if defined(__x86_64__) && defined(__GLIBC__)
  if (__builtin_cpu_supports("fma") && getenv("GLIBC_TUNABLES") == NULL) assert_true(same);
#endif
  return same;
}

/* How far numbers may be off with another mathematics library, relative to the norm. Samplers take all but acceptances of exchanges from
 * kernels of our own: their sequences stay the same. A loss in float64 whose last bit differs may move a step, and so round a parameter in
 * float32 to its neighbour. */
static double tolerance(const saved_case *which) { return which->kind == SAVED_SAMPLER || strstr(which->name, "64") != NULL ? 1e-9 : 1e-6; }

static bool agree(const saved_case *which, const saved_record *r, const saved_record *expected) {
  return r->sequences == expected->sequences && saved_distance(r, expected) <= tolerance(which);
}

static saved_record went_on(saved_subject *s) {
  saved_run(s, SAVED_MORE);
  const saved_result result = saved_result_of(s);
  const saved_record r = saved_record_of(&result);
  free(result.reals);
  return r;
}

static void states_of_0_1_go_on(void **unused) {
  static char state[SAVED_BIGGEST];
  (void)unused;
  const bool bits = same_libm();
  print_message("the mathematics library gives %s numbers\n", bits ? "the recorded" : "other");
  for (int k = 0; k < SAVED_CASES; ++k) {
    const saved_case *which = &saved_cases[k];
    const int64_t size = saved_read(FOLDER, which->name, state);
    saved_subject s = saved_create(which);
    assert_int_equal(saved_bytes(&s), size);
    if (saved_load(&s, state, size) != ATP_OK) {
      char text[512];
      atp_context_error(s.context, text, sizeof text);
      fail_msg("%s: %s", which->name, text);
    }
    const saved_record expected = recorded(which->name), r = went_on(&s);
    if (bits && r.hash != expected.hash) fail_msg("%s went on to %016llx, must be %016llx", which->name, r.hash, expected.hash);
    if (!agree(which, &r, &expected))
      fail_msg("%s went on to sequences %016llx, must be %016llx, and numbers %.3g off", which->name, r.sequences, expected.sequences,
               saved_distance(&r, &expected));
    saved_destroy(&s);
    /* The state matters: a start without it ends elsewhere. */
    s = saved_create(which);
    const saved_record other = went_on(&s);
    assert_true(other.hash != expected.hash && !agree(which, &other, &expected));
    saved_destroy(&s);
  }
}

/* One number off by twice the tolerance is seen, whichever it is; so is one other color. */
static void another_number_is_seen(void **unused) {
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    const saved_case *which = &saved_cases[k];
    saved_subject s = saved_create(which);
    saved_result result = saved_result_of(&s);
    const saved_record expected = saved_record_of(&result);
    for (int64_t n = 0; n < result.count; ++n) {
      const double kept = result.reals[n];
      result.reals[n] += 2 * tolerance(which) * expected.norm;
      const saved_record r = saved_record_of(&result);
      assert_false(agree(which, &r, &expected));
      result.reals[n] = kept;
    }
    for (size_t n = 0; n < result.sequence_bytes; ++n) {
      result.sequences[n] ^= 1;
      const saved_record r = saved_record_of(&result);
      assert_false(agree(which, &r, &expected));
      result.sequences[n] ^= 1;
    }
    free(result.reals);
    saved_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_of_0_1_go_on),
      cmocka_unit_test(another_number_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
