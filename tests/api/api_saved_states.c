/* SPDX-License-Identifier: MIT */
/* Saved states of earlier versions, kept in tests/data: they load for ever, and a run that goes on from them has the bits of one that
 * was never interrupted. */
#include "api_support.h"
#include "saved_states.h"

#define FOLDER ATP_TEST_DATA "/states-0.1/"

enum { BIGGEST = 1 << 16 };

static int64_t read_state(const char *name, char *state) {
  char path[1024];
  snprintf(path, sizeof path, FOLDER "%s.state", name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail_msg("%s cannot be opened", path);
  const size_t size = fread(state, 1, BIGGEST, file);
  fclose(file);
  assert_true(size > 40 && size < BIGGEST);
  return (int64_t)size;
}

static uint64_t recorded(const char *name) {
  char found[64];
  unsigned long long hash = 0;
  FILE *file = fopen(FOLDER "continued.txt", "r");
  assert_non_null(file);
  int seen = 0;
  while (!seen && fscanf(file, "%63s %llx", found, &hash) == 2) seen = strcmp(found, name) == 0;
  fclose(file);
  if (!seen) fail_msg("continued.txt has no line for %s", name);
  return hash;
}

static void states_of_0_1_go_on_with_the_same_bits(void **unused) {
  static char state[BIGGEST];
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    const int64_t size = read_state(saved_cases[k].name, state);
    saved_subject s = saved_create(&saved_cases[k]);
    /* States of samplers had no key when these were saved. */
    assert_int_equal(saved_bytes(&s), size + (saved_cases[k].kind == SAVED_SAMPLER ? 80 : 0));
    if (saved_load(&s, state, size) != ATP_OK) {
      char text[512];
      atp_context_error(s.context, text, sizeof text);
      fail_msg("%s: %s", saved_cases[k].name, text);
    }
    saved_run(&s, SAVED_MORE);
    const uint64_t hash = saved_hash(&s), expected = recorded(saved_cases[k].name);
    if (hash != expected)
      fail_msg("%s went on to %016llx, must be %016llx", saved_cases[k].name, (unsigned long long)hash, (unsigned long long)expected);
    saved_destroy(&s);
    /* The state matters: a start without it ends elsewhere. */
    s = saved_create(&saved_cases[k]);
    saved_run(&s, SAVED_MORE);
    assert_true(saved_hash(&s) != expected);
    saved_destroy(&s);
  }
}

static void swap_bytes(char *x, int size) {
  for (int k = 0; k < size / 2; ++k) {
    const char kept = x[k];
    x[k] = x[size - 1 - k];
    x[size - 1 - k] = kept;
  }
}

/* As a big-endian machine wrote it before states were little-endian everywhere: magic[8], uint32 kind, uint32 version, int64 bytes,
 * uint64 fingerprint. */
static void the_other_byte_order_is_told(void **unused) {
  static char state[BIGGEST];
  (void)unused;
  for (int k = 0; k < SAVED_CASES; ++k) {
    const int64_t size = read_state(saved_cases[k].name, state);
    swap_bytes(state + 8, 4);
    swap_bytes(state + 12, 4);
    swap_bytes(state + 16, 8);
    swap_bytes(state + 24, 8);
    saved_subject s = saved_create(&saved_cases[k]);
    assert_int_equal(saved_load(&s, state, size), ATP_E_FORMAT);
    assert_error(s.context, "the state was saved by version 0.1 on a big-endian machine");
    assert_int_equal(saved_steps(&s), 0);
    saved_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_of_0_1_go_on_with_the_same_bits),
      cmocka_unit_test(the_other_byte_order_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
