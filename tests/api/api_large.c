/* SPDX-License-Identifier: MIT */
/* Files and arrays beyond 4 GiB. A machine of 32 bits refuses to hold them, with ATP_E_TOO_LARGE; sizes and places in files have 64 bits
 * everywhere. Files are sparse: they take no room on the disk. */
#include "folder.h"
#include "support.h"

#include <attopotts.h>
#include <attopotts/input.h>
#include <attopotts/io.h>

#include <fcntl.h>

#define SMALL_MACHINE (sizeof(size_t) < 8)
#define GIBI ((int64_t)1 << 30)

static atp_context *context;

/* A file of this size that begins with these bytes; the rest are holes. */
static void sparse(const char *name, const void *head, size_t n, int64_t size) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(head, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
  const int descriptor = open(name, O_WRONLY);
  assert_true(descriptor >= 0);
  if (ftruncate(descriptor, (off_t)size) != 0) {
    close(descriptor);
    skip_because("this file system has no files of 5 GiB");
  }
  close(descriptor);
}

static void sizes_of_files_have_64_bits(void **state) {
  (void)state;
  int64_t size = 0;
  char byte = 0;
  sparse("big", "x", 1, 4 * GIBI + 1);
  assert_int_equal(atp_file_size(context, "big", &size), ATP_OK);
  assert_true(size == 4 * GIBI + 1);
  /* As a size of 32 bits this were 1. */
  assert_int_equal(atp_file_read(context, "big", &byte, 1), ATP_E_READ);
  assert_int_equal(byte, 0);
  if (SMALL_MACHINE) assert_int_equal(atp_file_read(context, "big", &byte, 4 * GIBI + 1), ATP_E_TOO_LARGE);
  assert_int_equal(byte, 0);
  unlink("big");
}

/* Text, and bytes that a head announces: an array of NumPy and a model of plmc, each exactly as long as its head says. */
static void files_that_memory_cannot_hold(void **state) {
  (void)state;
  atp_model *model = NULL;
  atp_alignment *alignment = NULL;
  atp_input *input = NULL;
  if (!SMALL_MACHINE) skip_because("a machine of 64 bits reads files of this size");
  char head[128];
  memset(head, ' ', sizeof head);
  memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
  memcpy(head + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (536870913,), }", 65);
  head[127] = '\n';
  sparse("array.npy", head, sizeof head, 128 + 8 * (int64_t)536870913);
  assert_int_equal(atp_input_open(context, "array.npy", &input), ATP_E_TOO_LARGE);
  assert_null(input);
  unlink("array.npy");
  const int64_t L = 1600, q = 21;
  const int32_t plmc[2] = {(int32_t)L, (int32_t)q};
  sparse("model.plmc", plmc, sizeof plmc, 8 + 5 * L + 8 * L * q + L * (L - 1) / 2 * (8 + 8 * q * q));
  assert_int_equal(atp_model_read(context, "model.plmc", &model), ATP_E_TOO_LARGE);
  assert_null(model);
  unlink("model.plmc");
  /* Holes are zero bytes, which no text has: none among those that show the format. */
  static char text[1 << 16];
  memset(text, 'A', sizeof text);
  memcpy(text, ">a\n", 3);
  sparse("text.fasta", text, sizeof text, 5 * GIBI);
  assert_int_equal(atp_alignment_read(context, "text.fasta", NULL, NULL, &alignment), ATP_E_TOO_LARGE);
  assert_null(alignment);
  unlink("text.fasta");
}

/* Products of sizes that are 2^32 and a little more, of each object that is made from sizes. */
static void arrays_that_memory_cannot_hold(void **state) {
  (void)state;
  atp_model *model = NULL;
  atp_table *table = NULL;
  atp_alignment *alignment = NULL;
  if (!SMALL_MACHINE) skip_because("a machine of 64 bits makes arrays of this size, or has no memory for them");
  /* sites^2 colours^2 doubles: 2^32 bytes and more */
  assert_int_equal(atp_model_create_random(context, 1104, 21, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
  atp_model_destroy(model);
  model = NULL;
  const double number = 0;
  assert_int_equal(atp_model_create_dense_f64(context, 1104, 21, &number, NULL, &model), ATP_E_TOO_LARGE);
  assert_int_equal(atp_model_create_random(context, 65536, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model),
                   ATP_E_TOO_LARGE);
  assert_null(model);
  const uint8_t sequence[8] = {0};
  assert_int_equal(atp_alignment_create(context, sequence, (GIBI * 4 + 8) / 8, 8, 21, NULL, &alignment), ATP_E_TOO_LARGE);
  assert_null(alignment);
  const int64_t columns = atp_column_count(ATP_TABLE_TRAINING_LOG);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAINING_LOG, 4 * GIBI / 8 / columns + 1, &table), ATP_E_TOO_LARGE);
  assert_null(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_of_files_have_64_bits),
      cmocka_unit_test(files_that_memory_cannot_hold),
      cmocka_unit_test(arrays_that_memory_cannot_hold),
  };
  if (folder_enter() != 0 || atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  atp_context_destroy(context);
  return folder_leave() != 0 || failed != 0;
}
