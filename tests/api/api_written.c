/* SPDX-License-Identifier: MIT */
/* Alignments written in each format and read back, plain and packed by gzip, and what formats refuse. */
#include "api_support.h"

#include "folder.h"

#include <attopotts_io.h>

#include <string.h>

static atp_alignment *sequences(atp_context *context, const char *text, const char *alphabet) {
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_parse(context, text, (int64_t)strlen(text), alphabet, NULL, &a), ATP_OK);
  return a;
}

static void expect_equal(const atp_alignment *a, const atp_alignment *b, int whole_names) {
  const int64_t n = atp_alignment_count(a), sites = atp_alignment_sites(a);
  assert_int_equal(atp_alignment_count(b), n);
  assert_int_equal(atp_alignment_sites(b), sites);
  assert_memory_equal(atp_alignment_sequences_view(a), atp_alignment_sequences_view(b), (size_t)(n * sites));
  for (int64_t k = 0; k < n; ++k) {
    const char *name = atp_alignment_name(a, k), *found = atp_alignment_name(b, k);
    const size_t size = whole_names ? strlen(name) : strcspn(name, " ");
    assert_int_equal(strlen(found), size);
    assert_memory_equal(found, name, size);
  }
}

static void round_trips(void **state) {
  atp_context *context = *state;
  static const struct {
    atp_format format;
    const char *name, *packed;
    int whole_names;
  } cases[] = {{ATP_FORMAT_FASTA, "x.fasta", "x.fasta.gz", 1},
               {ATP_FORMAT_A2M, "x.a2m", "x.a2m.gz", 1},
               {ATP_FORMAT_A3M, "x.a3m", "x.a3m.gz", 1},
               {ATP_FORMAT_STOCKHOLM, "x.sto", "x.sto.gz", 0}};
  static char text[70000 * 8]; /* more than a piece of the packer */
  char *end = text;
  for (int n = 0; n < 6; ++n) {
    end += sprintf(end, n == 2 ? ">long_name_%d/10-42 of a \"protein\", described\n" : ">n%d\n", n);
    for (int i = 0; i < 70000; ++i) *end++ = "-ACDEFGHIKLMNPQRSTVWY"[(i * (n + 3) + i / 7 + n) % 21];
    *end++ = '\n';
  }
  *end = 0;
  atp_alignment *a = sequences(context, text, "protein"), *b = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    assert_int_equal(atp_alignment_write(context, a, cases[k].format, cases[k].name), ATP_OK);
    assert_int_equal(atp_alignment_read(context, cases[k].name, "protein", NULL, &b), ATP_OK);
    expect_equal(a, b, cases[k].whole_names);
    atp_alignment_destroy(b);
    const atp_status status = atp_alignment_write(context, a, cases[k].format, cases[k].packed);
    if (status == ATP_E_UNSUPPORTED) continue;
    assert_int_equal(status, ATP_OK);
    char head[3] = "";
    FILE *file = fopen(cases[k].packed, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, 2, file), 2);
    fclose(file);
    assert_string_equal(head, "\x1f\x8b");
    assert_int_equal(atp_alignment_read(context, cases[k].packed, "protein", NULL, &b), ATP_OK);
    expect_equal(a, b, cases[k].whole_names);
    atp_alignment_destroy(b);
  }
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_ALN, "x.aln"), ATP_E_VALUE);
  atp_alignment_destroy(a);
}

static void refused(void **state) {
  atp_context *context = *state;
  atp_alignment *a = sequences(context, ">a\nAxC\n>b\nxAC\n", "xAC");
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_A2M, "r.a2m"), ATP_E_CONFLICT);
  assert_error(context, "x, which is an insert column in A2M and A3M");
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_FASTA, "r.fasta"), ATP_OK);
  atp_alignment_destroy(a);
  a = sequences(context, ">same one\nAC\n>same two\nCA\n", "-AC");
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_STOCKHOLM, "r.sto"), ATP_E_VALUE);
  assert_error(context, "sequences 0 and 1 have the same name");
  atp_alignment_destroy(a);
  a = sequences(context, ">#x\nAC\n>b\nCA\n", "-AC");
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_STOCKHOLM, "r.sto"), ATP_E_VALUE);
  assert_error(context, "which is none in Stockholm");
  atp_alignment_destroy(a);
  static const uint8_t colors[4] = {0, 1, 1, 0};
  assert_int_equal(atp_alignment_create(context, colors, 2, 2, 2, NULL, &a), ATP_OK);
  assert_int_equal(atp_alignment_write(context, a, ATP_FORMAT_STOCKHOLM, "r.sto"), ATP_E_CONFLICT);
  assert_error(context, "has no alphabet, which Stockholm needs");
  atp_alignment_destroy(a);
  FILE *file = fopen("r.sto", "rb");
  assert_null(file);
}

static int enter(void **state) {
  (void)state;
  return folder_enter();
}
static int leave(void **state) {
  (void)state;
  return folder_leave();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(round_trips, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(refused, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, enter, leave) != 0;
}
