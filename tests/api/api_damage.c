/* SPDX-License-Identifier: MIT */
/* Damage: files cut at every byte and changed at every byte, writes that run out of room, processes killed while they write.
   A reader gives a status or what was written, never anything else; a target is always one whole file. */
#include "support.h"

#include "folder.h"

#include <attopotts_io.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { N = 12, L = 7, Q = 3, kSeal = 40, kKills = 25, kLimits = 5 };

static int setup(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

static int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  folder_clear();
  return bytes != 0;
}

static atp_alignment *make_alignment(atp_context *context, int64_t n, int64_t sites, int shift) {
  uint8_t *s = malloc((size_t)(n * sites));
  for (int64_t k = 0; k < n * sites; ++k) s[k] = (uint8_t)((k * k / 3 + k + shift) % Q);
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_create(context, s, n, sites, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, "-xy"), ATP_OK);
  assert_int_equal(atp_alignment_set_origin(a, "damage"), ATP_OK);
  free(s);
  return a;
}

static atp_model *make_model(atp_context *context, int64_t sites, int64_t seed) {
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_random(context, sites, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, seed, &m), ATP_OK);
  return m;
}

static int same_alignment(const atp_alignment *a, const atp_alignment *b) {
  const size_t n = (size_t)atp_alignment_count(a), bytes = n * (size_t)atp_alignment_sites(a);
  return atp_alignment_count(b) == (int64_t)n && atp_alignment_sites(b) == atp_alignment_sites(a) &&
         atp_alignment_colors(b) == atp_alignment_colors(a) &&
         memcmp(atp_alignment_sequences_view(a), atp_alignment_sequences_view(b), bytes) == 0 &&
         memcmp(atp_alignment_weights_view(a), atp_alignment_weights_view(b), n * sizeof(double)) == 0 &&
         strcmp(atp_alignment_alphabet(a), atp_alignment_alphabet(b)) == 0 && strcmp(atp_alignment_origin(a), atp_alignment_origin(b)) == 0;
}

static int same_model(const atp_model *a, const atp_model *b) {
  double x[L * L + Q * Q], y[L * L + Q * Q];
  if (atp_model_sites(b) != L || atp_model_colors(b) != Q || atp_model_heads(b) != 1 || atp_model_beta(a) != atp_model_beta(b)) return 0;
  if (atp_model_maps(a, x, L * L) != ATP_OK || atp_model_maps(b, y, L * L) != ATP_OK) return 0;
  if (atp_model_values(a, x + L * L, Q * Q) != ATP_OK || atp_model_values(b, y + L * L, Q * Q) != ATP_OK) return 0;
  return memcmp(x, y, sizeof x) == 0;
}

/* Counts of the outcomes for damaged copies of a file. */
typedef struct tally {
  int refused, same;
} tally;

typedef struct subject {
  atp_context *context;
  const atp_alignment *alignment; /* either this */
  const atp_model *model;         /* or this */
} subject;

static void try_bytes(const subject *s, const char *bytes, size_t size, tally *t) {
  assert_int_equal(folder_put("damaged", bytes, size), 0);
  const char *kind = NULL;
  assert_int_equal(atp_file_kind(s->context, "damaged", &kind), ATP_OK);
  if (s->alignment != NULL) {
    atp_alignment *a = (atp_alignment *)(uintptr_t)64;
    if (atp_alignment_read(s->context, "damaged", NULL, NULL, &a) != ATP_OK) {
      assert_null(a);
      ++t->refused;
      return;
    }
    assert_true(same_alignment(s->alignment, a));
    atp_alignment_destroy(a);
  } else {
    atp_model *m = (atp_model *)(uintptr_t)64;
    if (atp_model_read(s->context, "damaged", &m) != ATP_OK) {
      assert_null(m);
      ++t->refused;
      return;
    }
    assert_true(same_model(s->model, m));
    atp_model_destroy(m);
  }
  ++t->same;
}

static char *load(atp_context *context, const char *path, int64_t *size) {
  assert_int_equal(atp_file_size(context, path, size), ATP_OK);
  char *bytes = malloc((size_t)*size);
  assert_int_equal(atp_file_read(context, path, bytes, *size), ATP_OK);
  return bytes;
}

static void damage(const subject *s) {
  int64_t size = 0;
  char *bytes = load(s->context, "whole", &size);
  tally cut = {0, 0}, changed = {0, 0}, whole = {0, 0};
  try_bytes(s, bytes, (size_t)size, &whole);
  assert_int_equal(whole.same, 1);
  for (int64_t k = 0; k < size; ++k) try_bytes(s, bytes, (size_t)k, &cut);
  assert_int_equal(cut.refused, size - kSeal); /* only what follows HDF5's last byte may be missing */
  for (int64_t k = 0; k < size; ++k) {
    const char old = bytes[k];
    bytes[k] = (char)(old ^ (1 << k % 8));
    try_bytes(s, bytes, (size_t)size, &changed);
    bytes[k] = old;
  }
  assert_int_equal(changed.refused, size - 8); /* without its magic there is no seal, and the rest is whole */
  free(bytes);
}

static void test_hdf5_alignment(void **state) {
  if (!atp_has_feature("hdf5")) skip_because("this build has no HDF5");
  atp_alignment *a = make_alignment(*state, N, L, 0);
  assert_int_equal(atp_alignment_write(*state, a, ATP_FORMAT_HDF5, "whole"), ATP_OK);
  const subject s = {*state, a, NULL};
  damage(&s);
  atp_alignment_destroy(a);
}

static void test_hdf5_model(void **state) {
  if (!atp_has_feature("hdf5")) skip_because("this build has no HDF5");
  atp_model *m = make_model(*state, L, 1);
  assert_int_equal(atp_model_write(*state, m, "whole"), ATP_OK);
  const subject s = {*state, NULL, m};
  damage(&s);
  atp_model_destroy(m);
}

/* A sampler's state: every cut and every changed byte is refused and leaves the sampler as it was. */
static void test_sampler_state(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, L, 1);
  atp_sampler *sampler = NULL;
  uint8_t before[16 * L], after[16 * L];
  assert_int_equal(atp_sampler_create(context, m, NULL, &sampler), ATP_OK);
  assert_int_equal(atp_sampler_start_random(sampler), ATP_OK);
  const int64_t size = atp_sampler_state_bytes(sampler);
  char *bytes = malloc((size_t)size);
  assert_int_equal(atp_sampler_save_state(sampler, bytes, size), ATP_OK);
  assert_int_equal(atp_sampler_states(sampler, 0, before, sizeof before), ATP_OK);
  for (int64_t k = 0; k < size; ++k) {
    char *exact = malloc((size_t)k + 1); /* AddressSanitizer sees a read past the end */
    memcpy(exact, bytes, (size_t)k);
    assert_int_not_equal(atp_sampler_load_state(sampler, exact, k), ATP_OK);
    free(exact);
    bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
    assert_int_not_equal(atp_sampler_load_state(sampler, bytes, size), ATP_OK);
    bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
  }
  assert_int_equal(atp_sampler_states(sampler, 0, after, sizeof after), ATP_OK);
  assert_memory_equal(before, after, sizeof before);
  assert_int_equal(atp_sampler_load_state(sampler, bytes, size), ATP_OK);
  free(bytes);
  atp_sampler_destroy(sampler);
  atp_model_destroy(m);
}

/* The writers that the tests below share; `version` 0 and 1 differ in every part. */
typedef enum writer { W_FASTA, W_INTEGERS, W_ALIGNMENT, W_MODEL, W_BYTES, W_IN_PLACE, W_COUNT } writer;
static const char *const kWriterNames[W_COUNT] = {"FASTA", "integers", "HDF5 alignment", "HDF5 model", "bytes", "in place (planted fault)"};

typedef struct material {
  atp_context *context;
  atp_alignment *alignment[2];
  atp_model *model[2];
  char *bytes[2];
  int64_t size;
} material;

static material make_material(atp_context *context) {
  material m = {context, {0}, {0}, {0}, 1 << 18};
  for (int v = 0; v < 2; ++v) {
    m.alignment[v] = make_alignment(context, 2000, 100, v);
    m.model[v] = make_model(context, 150, 1 + v);
    m.bytes[v] = malloc((size_t)m.size);
    memset(m.bytes[v], 'a' + v, (size_t)m.size);
  }
  return m;
}

static void free_material(material *m) {
  for (int v = 0; v < 2; ++v) {
    atp_alignment_destroy(m->alignment[v]);
    atp_model_destroy(m->model[v]);
    free(m->bytes[v]);
  }
}

static atp_status write_version(const material *m, writer w, int version, const char *path) {
  switch (w) {
    case W_FASTA: return atp_alignment_write(m->context, m->alignment[version], ATP_FORMAT_FASTA, path);
    case W_INTEGERS: return atp_alignment_write(m->context, m->alignment[version], ATP_FORMAT_INTEGERS, path);
    case W_ALIGNMENT: return atp_alignment_write(m->context, m->alignment[version], ATP_FORMAT_HDF5, path);
    case W_MODEL: return atp_model_write(m->context, m->model[version], path);
    case W_BYTES: return atp_file_write(m->context, path, m->bytes[version], m->size);
    default: break;
  }
  /* A naive program opens the target itself. */
  FILE *file = fopen(path, "wb");
  if (file == NULL) return ATP_E_OPEN;
  for (int64_t k = 0; k < m->size; k += 4096) fwrite(m->bytes[version] + k, 1, 4096, file);
  return fclose(file) == 0 ? ATP_OK : ATP_E_WRITE;
}

static int available(writer w) { return (w != W_ALIGNMENT && w != W_MODEL) || atp_has_feature("hdf5"); }

static int same_bytes(const char *path, const char *other) {
  FILE *a = fopen(path, "rb"), *b = fopen(other, "rb");
  int same = a != NULL && b != NULL;
  while (same) {
    char x[4096], y[4096];
    const size_t n = fread(x, 1, sizeof x, a), k = fread(y, 1, sizeof y, b);
    same = n == k && memcmp(x, y, n) == 0;
    if (n < sizeof x) break;
  }
  if (a != NULL) fclose(a);
  if (b != NULL) fclose(b);
  return same;
}

/* A limit on the size of files does what a full disk does: writes fail in the middle. In a child process, whose clean end is part of the
 * test. */
static void test_no_room(void **state) {
  material m = make_material(*state);
  for (writer w = 0; w < W_IN_PLACE; ++w) {
    if (!available(w)) continue;
    assert_int_equal(write_version(&m, w, 0, "target"), ATP_OK);
    assert_int_equal(write_version(&m, w, 0, "copy"), ATP_OK);
    struct stat info;
    assert_int_equal(stat("target", &info), 0);
    for (int part = 0; part < kLimits; ++part) {
      const rlim_t limit = part == 0 ? 0 : (rlim_t)(info.st_size * part / kLimits);
      fflush(NULL);
      const pid_t child = fork();
      assert_true(child >= 0);
      if (child == 0) {
        const struct rlimit room = {limit, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &room) != 0) _exit(90);
        const atp_status status = write_version(&m, w, 1, "target");
        char text[512];
        atp_context_error(m.context, text, sizeof text);
        const int named = strncmp(text, "target: writing failed, what was there before is unchanged: ", 60) == 0;
        atp_context_destroy(NULL);
        exit(status == ATP_E_WRITE && named ? 0 : 91); /* with the handlers of libraries */
      }
      int result = -1;
      assert_int_equal(waitpid(child, &result, 0), child);
      if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        fail_msg("%s, limit %lld: result %x", kWriterNames[w], (long long)limit, (unsigned)result);
      assert_true(same_bytes("target", "copy"));
      assert_int_equal(folder_entries(), 2);
    }
    folder_clear();
  }
  free_material(&m);
}

static unsigned lcg(unsigned *x) { return *x = *x * 1664525u + 1013904223u; }

/* Kill a process that writes the two versions in turn; return how often the target was neither of them. */
static int kill_often(const material *m, writer w, int kills) {
  unsigned random = 12345;
  int torn = 0;
  assert_int_equal(write_version(m, w, 0, "version0"), ATP_OK);
  assert_int_equal(write_version(m, w, 1, "version1"), ATP_OK);
  assert_int_equal(write_version(m, w, 0, "target"), ATP_OK);
  for (int k = 0; k < kills; ++k) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      for (int version = 1;; version = !version)
        if (write_version(m, w, version, "target") != ATP_OK) _exit(1);
    const struct timespec pause = {0, 500000 + (long)(lcg(&random) >> 8) % 8000000};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
    if (!same_bytes("target", "version0") && !same_bytes("target", "version1")) ++torn;
  }
  folder_clear();
  return torn;
}

static void test_killed(void **state) {
  material m = make_material(*state);
  const int planted = kill_often(&m, W_IN_PLACE, kKills);
  print_message("%s: torn %d times of %d\n", kWriterNames[W_IN_PLACE], planted, kKills);
  assert_true(planted > 0); /* the test sees torn files */
  for (writer w = 0; w < W_IN_PLACE; ++w)
    if (available(w)) assert_int_equal(kill_often(&m, w, kKills), 0);
  free_material(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_hdf5_alignment), TEST(test_hdf5_model), TEST(test_sampler_state), TEST(test_no_room),
                                     TEST(test_killed)};
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
