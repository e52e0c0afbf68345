/* SPDX-License-Identifier: MIT */
/* Files that are opened once: kind and contents of an input, from regular files, pipes and sockets. */
#include "api_support.h"

#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

static int setup(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

static int teardown(void **state) {
  int64_t bytes = -1;
  atp_context_memory(*state, NULL, &bytes);
  atp_context_destroy(*state);
  folder_clear();
  if (bytes != 0) print_error("%lld bytes are left\n", (long long)bytes);
  return bytes != 0;
}

/* A thread that writes bytes to a descriptor in small pieces and closes it. */
struct feed {
  int descriptor;
  const char *path; /* a pipe to open first, or a socket to accept on */
  int listens;
  const char *bytes;
  size_t size;
};

static void *feed(void *argument) {
  const struct feed *f = argument;
  int descriptor = f->descriptor;
  if (f->path != NULL) descriptor = open(f->path, O_WRONLY);
  if (f->listens) descriptor = accept(f->descriptor, NULL, NULL);
  for (size_t done = 0; done < f->size;) {
    const size_t piece = f->size - done < 1000 ? f->size - done : 1000;
    const ssize_t n = write(descriptor, f->bytes + done, piece);
    if (n <= 0) break;
    done += (size_t)n;
  }
  close(descriptor);
  return NULL;
}

enum { ROWS = 4096, SITES = 63 };

/* More bytes than any buffer of a pipe or of the head holds. */
static char *many_rows(size_t *size) {
  char *text = malloc(ROWS * (SITES + 1)), *p = text;
  for (int n = 0; n < ROWS; ++n) {
    for (int i = 0; i < SITES; ++i) *p++ = "ACGU"[(n * 7 + i * i + n / 3) % 4];
    *p++ = '\n';
  }
  *size = (size_t)(p - text);
  return text;
}

static void assert_all_rows(const atp_alignment *a, const char *text) {
  assert_int_equal(atp_alignment_count(a), ROWS);
  assert_int_equal(atp_alignment_sites(a), SITES);
  const char *symbols = atp_alignment_alphabet(a);
  for (int64_t k = 0; k < ROWS * SITES; ++k)
    if (symbols[atp_alignment_sequences_view(a)[k]] != text[k + k / SITES]) fail_msg("symbol %d", (int)k);
}

/* The same bytes by a regular file, a named pipe, a socket, /dev/fd of a pipe and of a socket: the same alignment. */
static void test_every_way_in(void **state) {
  atp_context *context = *state;
  size_t size = 0;
  char *text = many_rows(&size);
  assert_int_equal(folder_put("regular", text, size), 0);
  assert_int_equal(mkfifo("fifo", 0600), 0);
  for (int way = 0; way < 5; ++way) {
    struct feed f = {-1, NULL, 0, text, size};
    char path[64] = "regular";
    int ends[2] = {-1, -1};
    pthread_t writer;
    if (way == 1) {
      f.path = "fifo";
      strcpy(path, "fifo");
    } else if (way == 2) {
      struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
      f.descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
      assert_int_equal(bind(f.descriptor, (struct sockaddr *)&address, sizeof address), 0);
      assert_int_equal(listen(f.descriptor, 1), 0);
      f.listens = 1;
      strcpy(path, "socket");
    } else if (way >= 3) {
      if (way == 4 && access("/dev/fd", X_OK) != 0) continue;
      assert_int_equal(way == 3 ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      f.descriptor = ends[1];
      snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    }
    if (way > 0) assert_int_equal(pthread_create(&writer, NULL, feed, &f), 0);
    atp_input *input = NULL;
    atp_alignment *a = NULL, *b = NULL;
    const atp_status status = atp_input_open(context, path, &input);
    if (way > 0) pthread_join(writer, NULL);
    assert_int_equal(status, ATP_OK);
    assert_string_equal(atp_input_kind(input), "unknown");
    assert_int_equal(atp_input_size(input), size);
    assert_memory_equal(atp_input_bytes_view(input), text, size);
    assert_int_equal(atp_input_alignment(input, "rna", NULL, &a), ATP_OK);
    assert_int_equal(atp_input_alignment(input, "rna", NULL, &b), ATP_OK); /* and once more */
    atp_input_destroy(input);
    assert_all_rows(a, text);
    assert_all_rows(b, text);
    atp_alignment_destroy(a);
    atp_alignment_destroy(b);
    if (way == 2) close(f.descriptor);
    if (ends[0] >= 0) close(ends[0]);
  }
  free(text);
}

/* Through a pipe, models and scores of every format are what they are in a file. */
static void test_models_through_a_pipe(void **state) {
  atp_context *context = *state;
  atp_model *m = NULL, *back = NULL;
  atp_alignment *a = NULL;
  uint8_t rows[3 * 12];
  for (int k = 0; k < 36; ++k) rows[k] = (uint8_t)(k * k % 21);
  double energy[3], again[3];
  assert_int_equal(atp_alignment_create(context, rows, 3, 12, 21, NULL, &a), ATP_OK);
  assert_int_equal(atp_model_create_random(context, 12, 21, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &m), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, "protein"), ATP_OK);
  assert_int_equal(atp_model_energies(m, rows, 3, energy, 3), ATP_OK);
  const struct {
    atp_model_format format;
    const char *kind;
  } formats[] = {{ATP_MODEL_PLMC, "plmc-model"},
                 {ATP_MODEL_CCMPRED, "ccmpred-raw"},
                 {ATP_MODEL_ADABM, "adabm"},
                 {ATP_MODEL_BMDCA, "bmdca"},
                 {ATP_MODEL_HDF5, "model"}};
  for (int k = 0; k < (atp_has_feature("hdf5") ? 5 : 4); ++k) {
    int64_t size = 0;
    assert_int_equal(atp_model_write_as(context, m, a, formats[k].format, "model"), ATP_OK);
    assert_int_equal(atp_file_size(context, "model", &size), ATP_OK);
    char *bytes = malloc((size_t)size);
    assert_int_equal(atp_file_read(context, "model", bytes, size), ATP_OK);
    for (int piped = 0; piped < 2; ++piped) {
      int ends[2];
      char path[64] = "model";
      pthread_t writer;
      assert_int_equal(pipe(ends), 0);
      struct feed f = {ends[1], NULL, 0, bytes, (size_t)size};
      if (piped) {
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        assert_int_equal(pthread_create(&writer, NULL, feed, &f), 0);
      }
      atp_input *input = NULL;
      assert_int_equal(atp_input_open(context, path, &input), ATP_OK);
      if (piped) pthread_join(writer, NULL);
      close(ends[0]);
      if (!piped) close(ends[1]);
      assert_string_equal(atp_input_kind(input), formats[k].kind);
      assert_int_equal(atp_input_model(input, ATP_MODEL_AUTO, NULL, &back), ATP_OK);
      atp_input_destroy(input);
      assert_int_equal(atp_model_energies(back, rows, 3, again, 3), ATP_OK);
      for (int n = 0; n < 3; ++n) assert_close(again[n] - again[0], energy[n] - energy[0], 1e-4, 1e-4);
      atp_model_destroy(back);
    }
    free(bytes);
  }
  double scores[4] = {0, 0.5, 0.5, 0}, read[4];
  int64_t sites = 0;
  atp_input *input = NULL;
  assert_int_equal(atp_scores_write(context, scores, 2, NULL, NULL, ATP_SCORES_CCMPRED, "scores"), ATP_OK);
  assert_int_equal(atp_input_open(context, "scores", &input), ATP_OK);
  assert_string_equal(atp_input_kind(input), "ccmpred-matrix");
  assert_int_equal(atp_input_scores_sites(input, &sites), ATP_OK);
  assert_int_equal(sites, 2);
  assert_int_equal(atp_input_scores(input, read, 4, NULL, NULL), ATP_OK);
  assert_memory_equal(read, scores, sizeof scores);
  memset(read, 0x5A, sizeof read);
  assert_int_equal(atp_input_scores(input, read, 5, NULL, NULL), ATP_E_SHAPE);
  for (size_t k = 0; k < sizeof read; ++k) assert_int_equal(((unsigned char *)read)[k], 0x5A);
  assert_int_equal(atp_input_model(input, ATP_MODEL_AUTO, NULL, &back), ATP_E_FORMAT);
  assert_null(back);
  atp_input_destroy(input);
  atp_model_destroy(m);
  atp_alignment_destroy(a);
}

/* Files of no readable format are not read beyond their head: a sparse file of 64 GB, /dev/zero. */
static void test_judged_by_the_head(void **state) {
  atp_context *context = *state;
  static const char *const paths[] = {"sparse", "/dev/zero"};
  const int sparse = open("sparse", O_CREAT | O_WRONLY, 0600);
  assert_true(sparse >= 0);
  const int made = ftruncate(sparse, (off_t)64 << 30);
  close(sparse);
  for (int k = made == 0 ? 0 : 1; k < 2; ++k) {
    atp_input *input = NULL;
    atp_alignment *a = NULL;
    atp_model *m = NULL;
    double out[4] = {42, 42, 42, 42};
    int64_t bytes = 0;
    if (access(paths[k], R_OK) != 0) continue;
    assert_int_equal(atp_input_open(context, paths[k], &input), ATP_OK);
    assert_int_equal(atp_context_memory(context, NULL, &bytes), ATP_OK);
    assert_true(bytes < 200000);
    assert_string_equal(atp_input_kind(input), "unknown");
    assert_null(atp_input_bytes_view(input));
    assert_int_equal(atp_input_size(input), 0);
    assert_int_equal(atp_input_alignment(input, "rna", NULL, &a), ATP_E_FORMAT);
    assert_error(context, "neither text nor HDF5");
    assert_int_equal(atp_input_model(input, ATP_MODEL_AUTO, NULL, &m), ATP_E_FORMAT);
    assert_error(context, "beginning with L = 0 and q = 0");
    atp_input_destroy(input);
    assert_int_equal(atp_distances_read(context, paths[k], NULL, 2, out, 4, NULL), ATP_E_FORMAT);
    assert_error(context, "no text, it has zero bytes, expected distances");
    assert_true(out[0] == 42 && out[3] == 42);
  }
  /* Text that turns into zeros. */
  char *text = calloc(1, 300000);
  atp_alignment *a = NULL;
  memset(text, 'A', 200000);
  memcpy(text, ">a\n", 3);
  assert_int_equal(folder_put("turns", text, 300000), 0);
  free(text);
  assert_int_equal(atp_alignment_read(context, "turns", "rna", NULL, &a), ATP_E_FORMAT);
  assert_error(context, "turns: a zero byte (NUL) at byte 200000, expected text to the end");
}

static void test_statuses(void **state) {
  atp_context *context = *state;
  atp_input *input = (atp_input *)(uintptr_t)64;
  const char *kind = "untouched";
  char bytes[4] = "abc";
  int replaced = -1;
  assert_int_equal(atp_input_open(context, "absent", &input), ATP_E_OPEN);
  assert_null(input);
  assert_error(context, "absent: cannot open for reading: No such file or directory");
  assert_int_equal(atp_input_open(context, ".", &input), ATP_E_OPEN);
  assert_int_equal(folder_put("state", "attostat", 8), 0);
  assert_int_equal(atp_input_open(context, "state", &input), ATP_OK);
  assert_string_equal(atp_input_kind(input), "state");
  atp_input_destroy(input);
  /* Pipes are not touched by those who ask beforehand: neither of these calls waits for a writer. */
  assert_int_equal(mkfifo("fifo", 0600), 0);
  assert_int_equal(atp_file_kind(context, "fifo", &kind), ATP_E_OPEN);
  assert_string_equal(kind, "untouched");
  assert_error(context, "fifo: not a regular file");
  int64_t size = -7;
  assert_int_equal(atp_file_size(context, "fifo", &size), ATP_E_OPEN);
  assert_int_equal(size, -7);
  assert_int_equal(atp_file_writable("fifo", &replaced), ATP_OK);
  assert_int_equal(replaced, 0);
  /* A pipe with more bytes than were asked for is no such file, and the outputs stay. */
  int ends[2];
  char path[64];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "12345", 5), 5);
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  assert_int_equal(atp_file_read(context, path, bytes, 3), ATP_E_READ);
  assert_error(context, "has at least 4 bytes, expected 3");
  assert_string_equal(bytes, "abc");
  close(ends[0]);
  /* Too few of them. */
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "12", 2), 2);
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  assert_int_equal(atp_file_read(context, path, bytes, 3), ATP_E_READ);
  assert_string_equal(bytes, "abc");
  close(ends[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_every_way_in),
      TEST(test_models_through_a_pipe),
      TEST(test_judged_by_the_head),
      TEST(test_statuses),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
