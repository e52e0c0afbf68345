/* SPDX-License-Identifier: MIT */
/* atp_alignment_read_part(): the parts of a file are disjoint, complete and in order; what is not read in parts; training on parts. */
#include "api_support.h"
#include "counting.h"
#include "folder.h"
#include "thread_ranks.h"

#include <math.h>
#include <sys/stat.h>

#define SITES "ACGT"
#define ALPHABET "-ACGT"

static const char *const kAwkward[] = {
    ">a\nACGT\n>b\nTTTT\n>c\nGGGG\n>d\nCCCC\n",
    ">a\r\nAC\r\nGT\r\n>b two words\r\nTTTT\r\n>c\r\nGGGG\r\n",
    ">a\rACGT\r>b\rTTTT\r>c\rGG\rGG\r",
    ">a\nACGT\n>b\nTTTT\n>c\nGGGG",               /* no newline at the end */
    "\n\n  \n>a\n\nAC\n\nGT\n\n\n>b\nTTTT\n\n\n", /* empty lines */
    "  >a\nACGT\n>b\nTTTT\n",
    ">a >b\nACGT\n>>c> >\nTTTT\n> d>e\nGGGG\n>\nCCCC\n", /* '>' inside header lines */
    ">alone\nACGT\n",
    "#4\t1\r\n# a > b\n\n>a\nACGT\n>b\nTTTT\n", /* lines before the first record */
    "\xEF\xBB\xBF>mark\nACGT\n>b\nTTTT\n",
    ">long name that is longer than the others by far, because a part may end within it\nA\nC\nG\nT\n>b\nTTTT\n>c\nGGGG\n",
};

static void put(const char *name, const char *text, size_t size) { assert_int_equal(folder_put(name, text, size), 0); }

/* Reads all parts and compares them with the whole. Returns how many parts have records. */
static int64_t compare(atp_context *context, const char *name, int64_t parts, const atp_options *options) {
  atp_alignment *whole = NULL, *part = NULL;
  int64_t done = 0, filled = 0;
  assert_int_equal(atp_alignment_read(context, name, ALPHABET, options, &whole), ATP_OK);
  const int64_t sites = atp_alignment_sites(whole);
  for (int64_t k = 0; k < parts; ++k) {
    const atp_status status = atp_alignment_read_part(context, name, k, parts, ALPHABET, options, &part);
    if (status == ATP_E_VALUE) {
      assert_error(context, "no record begins in part");
      assert_null(part);
      continue;
    }
    assert_int_equal(status, ATP_OK);
    ++filled;
    assert_int_equal(atp_alignment_sites(part), sites);
    for (int64_t n = 0; n < atp_alignment_count(part); ++n, ++done) {
      assert_true(done < atp_alignment_count(whole));
      assert_string_equal(atp_alignment_name(part, n), atp_alignment_name(whole, done));
      assert_memory_equal(atp_alignment_sequences_view(part) + n * sites, atp_alignment_sequences_view(whole) + done * sites,
                          (size_t)sites);
    }
    atp_alignment_destroy(part);
  }
  assert_int_equal(done, atp_alignment_count(whole));
  atp_alignment_destroy(whole);
  return filled;
}

static void parts_are_the_whole(void **state) {
  atp_context *context = *state;
  for (size_t f = 0; f < sizeof kAwkward / sizeof *kAwkward; ++f) {
    put("f.fasta", kAwkward[f], strlen(kAwkward[f]));
    for (int64_t parts = 1; parts <= 7; ++parts) compare(context, "f.fasta", parts, NULL);
    /* A part for each byte, and more parts than bytes. */
    assert_true(compare(context, "f.fasta", (int64_t)strlen(kAwkward[f]), NULL) >= 1);
    compare(context, "f.fasta", 200, NULL);
  }
  put("f.fasta", kAwkward[0], strlen(kAwkward[0]));
  assert_int_equal(compare(context, "f.fasta", 4, NULL), 4);
}

/* Records that are longer than what is read at once, and than a part. */
static void long_records(void **state) {
  atp_context *context = *state;
  enum { LONG = 150001, RECORDS = 5 };
  char *text = malloc((size_t)RECORDS * (LONG + 10)), *p = text;
  uint32_t seed = 3;
  for (int r = 0; r < RECORDS; ++r) {
    p += sprintf(p, ">r%d\n", r);
    for (int k = 0; k < LONG; ++k) *p++ = SITES[(seed = seed * 1664525u + 1013904223u) >> 30];
    *p++ = '\n';
  }
  put("long.fasta", text, (size_t)(p - text));
  for (int64_t parts = 1; parts <= 7; ++parts) compare(context, "long.fasta", parts, NULL);
  compare(context, "long.fasta", 23, NULL);
  /* Every place of a record within the pieces of 64 KiB. */
  for (int shift = -2; shift <= 2; ++shift) {
    const int symbols = 65536 - 4 + shift;
    p = text;
    for (int r = 0; r < 3; ++r) {
      p += sprintf(p, ">r\n");
      for (int k = 0; k < symbols; ++k) *p++ = SITES[(k + r) % 4];
      *p++ = '\n';
    }
    put("long.fasta", text, (size_t)(p - text));
    for (int64_t parts = 1; parts <= 4; ++parts) compare(context, "long.fasta", parts, NULL);
  }
  free(text);
}

static void insert_columns(void **state) {
  atp_context *context = *state;
  static const char a3m[] = ">a\nACGT\n>b\nAcgCGT\n>c\nTTTT\n>d\nAACaA\n", dots[] = ">a\nACGT\n>b\nAC.T\n";
  atp_alignment *a = NULL;
  atp_options *options = NULL;
  put("f.a3m", a3m, sizeof a3m - 1);
  put("f.fasta", a3m, sizeof a3m - 1);
  put("dots.fasta", dots, sizeof dots - 1);
  for (int64_t parts = 1; parts <= 7; ++parts) compare(context, "f.a3m", parts, NULL);
  /* The first part would be FASTA, the second A3M. */
  assert_int_equal(atp_alignment_read_part(context, "f.fasta", 0, 4, ALPHABET, NULL, &a), ATP_OK);
  atp_alignment_destroy(a);
  assert_int_equal(atp_alignment_read_part(context, "f.fasta", 1, 4, ALPHABET, NULL, &a), ATP_E_FORMAT);
  assert_error(context, "symbol 'c' in a part of a file: set the option format");
  assert_int_equal(atp_alignment_read_part(context, "dots.fasta", 1, 2, ALPHABET, NULL, &a), ATP_E_FORMAT);
  assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FORMAT, ATP_FORMAT_A3M), ATP_OK);
  for (int64_t parts = 1; parts <= 7; ++parts) compare(context, "f.fasta", parts, options);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FORMAT, ATP_FORMAT_FASTA), ATP_OK);
  for (int64_t parts = 1; parts <= 3; ++parts) compare(context, "dots.fasta", parts, options);
  for (int format = ATP_FORMAT_AUTO + 1; format <= ATP_FORMAT_NAMED; ++format) {
    if (format == ATP_FORMAT_FASTA || format == ATP_FORMAT_A2M || format == ATP_FORMAT_A3M) continue;
    if (atp_options_set_i64(options, ATP_OPT_FORMAT, format) != ATP_OK) continue;
    assert_int_equal(atp_alignment_read_part(context, "f.fasta", 0, 2, ALPHABET, options, &a), ATP_E_VALUE);
    assert_error(context, "other files are not read in parts");
  }
  atp_options_destroy(options);
}

static void refusals(void **state) {
  atp_context *context = *state;
  atp_alignment *a = (atp_alignment *)(uintptr_t)64;
  static const struct {
    const char *content, *text;
    size_t size;
  } wrong[] = {
      {"\x1f\x8b\x08\x00\x00\x00", "packed by gzip, which can be read from its beginning alone", 6},
      {"\x89HDF\r\n\x1a\n", "HDF5, expected FASTA, A2M or A3M", 8},
      {"# STOCKHOLM 1.0\na ACGT\n//\n", "a Stockholm file, expected FASTA", 26},
      {"0 1 2\n1 1 1\n", "whole numbers, expected FASTA", 12},
      {"ACGT\nACGT\n", "no '>' at the beginning, expected FASTA", 10},
      {"", "the file is empty", 0},
      {"# c\n#>a\n", "no text of sequences, expected FASTA", 8},
      {">a\nAC\0T\n", "", 8},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    put("f", wrong[k].content, wrong[k].size);
    assert_int_equal(atp_alignment_read_part(context, "f", 0, 1, ALPHABET, NULL, &a), ATP_E_FORMAT);
    assert_error(context, wrong[k].text);
    assert_null(a);
  }
  put("f", ">a\nACGT\n>b\nACNT\n>c\nACGT\n>d\nACG\n", 31);
  assert_int_equal(atp_alignment_read_part(context, "f", 3, 4, ALPHABET, NULL, &a), ATP_OK); /* its own number of sites */
  assert_int_equal(atp_alignment_sites(a), 3);
  atp_alignment_destroy(a);
  assert_int_equal(atp_alignment_read_part(context, "f", 1, 2, ALPHABET, NULL, &a), ATP_E_FORMAT);
  assert_error(context, "f, from byte 16:3: "); /* where the part begins, and the line in it */
  assert_int_equal(atp_alignment_read_part(context, "f", 0, 2, NULL, NULL, &a), ATP_E_CONFLICT);
  assert_int_equal(atp_alignment_read_part(context, "f", -1, 2, ALPHABET, NULL, &a), ATP_E_VALUE);
  assert_int_equal(atp_alignment_read_part(context, "f", 2, 2, ALPHABET, NULL, &a), ATP_E_VALUE);
  assert_int_equal(atp_alignment_read_part(context, "f", 0, 0, ALPHABET, NULL, &a), ATP_E_VALUE);
  assert_int_equal(atp_alignment_read_part(context, "f", 0, INT64_MAX, ALPHABET, NULL, &a), ATP_E_VALUE);
  assert_int_equal(atp_alignment_read_part(context, "absent", 0, 2, ALPHABET, NULL, &a), ATP_E_OPEN);
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(atp_alignment_read_part(context, "pipe", 0, 2, ALPHABET, NULL, &a), ATP_E_OPEN);
  assert_error(context, "not a regular file, parts of it cannot be read");
}

/* A file of equal records. */
static void put_many(const char *name, int records, int sites) {
  char *text = malloc((size_t)records * (size_t)(sites + 20)), *p = text;
  uint32_t seed = 7;
  for (int r = 0; r < records; ++r) {
    p += sprintf(p, ">s%d\n", r);
    for (int k = 0; k < sites; ++k) {
      seed = seed * 1664525u + 1013904223u;
      *p = k > 0 && seed >> 31 ? p[-1] : SITES[seed >> 29 & 3];
      ++p;
    }
    *p++ = '\n';
  }
  put(name, text, (size_t)(p - text));
  free(text);
}

/* The bytes that this process has read; -1 where the system does not say. */
static long long bytes_read(void) {
  long long bytes = -1;
  FILE *file = fopen("/proc/self/io", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "rchar: %lld", &bytes) != 1) bytes = -1;
  fclose(file);
  return bytes;
}

/* The allocator of counting.h, and the most bytes at a time. */
struct peak {
  struct counter counter;
  int64_t most;
};

static void *peak_alloc(size_t bytes, size_t alignment, void *user) {
  struct peak *p = user;
  void *memory = counting_alloc(bytes, alignment, &p->counter);
  if (p->counter.bytes > p->most) p->most = p->counter.bytes;
  return memory;
}

static void peak_free(void *memory, size_t bytes, void *user) { counting_free(memory, bytes, &((struct peak *)user)->counter); }

/* The most memory of the context while a part was read. */
static int64_t memory_of(int64_t part, int64_t parts) {
  struct peak peak = {{0}, 0};
  atp_context *context = NULL;
  atp_alignment *a = NULL;
  assert_int_equal(atp_context_create(peak_alloc, peak_free, &peak, &context), ATP_OK);
  assert_int_equal(atp_alignment_read_part(context, "many.fasta", part, parts, SITES, NULL, &a), ATP_OK);
  atp_alignment_destroy(a);
  atp_context_destroy(context);
  assert_int_equal(peak.counter.live, 0);
  return peak.most;
}

static void memory_and_reading_are_those_of_the_part(void **state) {
  (void)state;
  put_many("many.fasta", 20000, 100);
  const int64_t whole = memory_of(0, 1);
  assert_true(whole > 20000 * 200);
  const long long before = bytes_read();
  assert_true(memory_of(5, 8) < whole / 6);
  const long long after = bytes_read();
  assert_true(memory_of(63, 64) < whole / 16);
  if (before < 0) return;
  assert_true(after - before > 20000 * 105 / 8);
  assert_true(after - before < 20000 * 110 / 8 + 4 * 65536);
}

enum { LENGTH = 8, FIELDS = LENGTH * 4, PARAMETERS = FIELDS + LENGTH * (LENGTH - 1) / 2 * 16 };

typedef struct learned {
  one_rank *self;
  int64_t parts, count;
  atp_status status;
  double first_loss, loss, parameters[PARAMETERS];
} learned;

static int sum_up(double *values, int64_t count, void *user) {
  ranks_add(((learned *)user)->self, values, count);
  return 0;
}

/* Each thread is a process that reads its part and learns with the others. */
static void learn(one_rank *self, void *user) {
  learned *l = user;
  atp_alignment *data = NULL;
  atp_options *options = NULL;
  atp_trainer *trainer = NULL;
  (void)join_ranks;
  l->self = self; /* of no ranks: the callback alone joins the threads */
  l->status = atp_alignment_read_part(self->context, "many.fasta", self->rank, l->parts, SITES, NULL, &data);
  atp_options_create(self->context, ATP_OWNER_TRAINER, &options);
  atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  atp_options_set_i64(options, ATP_OPT_PRECISION, 64);
  atp_options_set_i64(options, ATP_OPT_EPOCHS, 400);
  atp_options_set_f64(options, ATP_OPT_TOLERANCE, 1e-9);
  atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 1);
  atp_options_set_f64(options, ATP_OPT_L2_FIELDS, 1);
  atp_options_set_i64(options, ATP_OPT_L2_SCALE, ATP_L2_ABSOLUTE);
  if (l->status == ATP_OK) l->status = atp_trainer_create(self->context, data, options, &trainer);
  if (l->status == ATP_OK && l->parts > 1) l->status = atp_trainer_set_reduction(trainer, sum_up, l);
  if (l->status == ATP_OK) l->status = atp_trainer_gradient(trainer, &l->first_loss, NULL, NULL, 0);
  if (l->status == ATP_OK) l->status = atp_trainer_run(trainer, INT64_MAX, NULL, NULL, NULL);
  if (l->status == ATP_OK) l->status = atp_trainer_gradient(trainer, &l->loss, NULL, NULL, 0);
  if (l->status == ATP_OK) l->status = atp_trainer_parameters(trainer, l->parameters, PARAMETERS);
  l->count = atp_alignment_count(data);
  atp_trainer_destroy(trainer);
  atp_options_destroy(options);
  atp_alignment_destroy(data);
}

static void parts_learn_what_the_whole_learns(void **state) {
  (void)state;
  static learned whole, part[3];
  put_many("many.fasta", 301, LENGTH);
  memset(&whole, 0, sizeof whole);
  whole.parts = 1;
  assert_int_equal(run_ranks(1, 1, 0, learn, &whole, sizeof whole), 0);
  assert_int_equal(whole.status, ATP_OK);
  for (int k = 0; k < 3; ++k) part[k].parts = 3;
  assert_int_equal(run_ranks(3, 1, 0, learn, part, sizeof *part), 0);
  assert_int_equal(part[0].count + part[1].count + part[2].count, 301);
  double largest = 0;
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(part[k].status, ATP_OK);
    assert_true(part[k].count > 90);
    assert_close(part[k].first_loss, whole.first_loss, 1e-13, 0);
    assert_close(part[k].loss, whole.loss, 1e-9, 0);
    assert_memory_equal(part[k].parameters, part[0].parameters, sizeof part[k].parameters);
    for (int j = 0; j < PARAMETERS; ++j) {
      assert_close(part[k].parameters[j], whole.parameters[j], 0, 1e-8);
      if (fabs(whole.parameters[j]) > largest) largest = fabs(whole.parameters[j]);
    }
  }
  assert_true(largest > 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(parts_are_the_whole, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(long_records, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(insert_columns, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(refusals, context_setup, context_teardown),
      cmocka_unit_test(memory_and_reading_are_those_of_the_part),
      cmocka_unit_test(parts_learn_what_the_whole_learns),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
