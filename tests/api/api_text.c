/* SPDX-License-Identifier: MIT */
/* Alignments from and to text in memory. This program links the core alone. */
#include "api_support.h"

static atp_alignment *parse(atp_context *context, const char *text, const char *alphabet) {
  atp_alignment *made = NULL;
  assert_int_equal(atp_alignment_parse(context, text, (int64_t)strlen(text), alphabet, NULL, &made), ATP_OK);
  return made;
}

static void assert_text(const atp_alignment *alignment, atp_format format, const char *expected) {
  const int64_t bytes = (int64_t)strlen(expected);
  char text[256];
  int64_t needed = -1;
  assert_int_equal(atp_alignment_format(alignment, format, NULL, 0, &needed), ATP_OK);
  assert_int_equal(needed, bytes);
  memset(text, '?', sizeof text);
  assert_int_equal(atp_alignment_format(alignment, format, text, bytes, &needed), ATP_OK);
  assert_memory_equal(text, expected, (size_t)bytes);
  assert_int_equal(text[bytes], '?');
}

static void test_round_trip(void **state) {
  static const char fasta[] = ">a\nAC-A\n>b/3-6\nCCA-\n", integers[] = "1 2 0 1\n2 2 1 0\n";
  atp_alignment *a = parse(*state, fasta, "-AC");
  assert_int_equal(atp_alignment_count(a), 2);
  assert_string_equal(atp_alignment_name(a, 1), "b/3-6");
  assert_text(a, ATP_FORMAT_FASTA, fasta);
  assert_text(a, ATP_FORMAT_INTEGERS, integers);
  atp_alignment *b = parse(*state, integers, NULL);
  assert_int_equal(atp_alignment_colors(b), 3);
  assert_text(b, ATP_FORMAT_INTEGERS, integers);
  int64_t needed = 0;
  assert_int_equal(atp_alignment_format(b, ATP_FORMAT_FASTA, NULL, 0, &needed), ATP_E_CONFLICT);
  atp_alignment_destroy(a);
  atp_alignment_destroy(b);
}

static void test_formats(void **state) {
  static const char *const texts[] = {">x\nACca-\n>y\nAC..A\n", "# STOCKHOLM 1.0\nx AC-\ny ACA\n//\n", "AC-\nACA\n", "x AC-\ny ACA\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    atp_alignment *a = parse(*state, texts[k], "-AC");
    assert_int_equal(atp_alignment_sites(a), 3);
    assert_text(a, ATP_FORMAT_INTEGERS, "1 2 0\n1 2 1\n");
    atp_alignment_destroy(a);
  }
}

/* Names of alphabets, in any case. */
static void test_names_of_alphabets(void **state) {
  static const char *const names[][2] = {{"rna", "-ACGU"}, {"RNA", "-ACGU"}, {"Dna", "-ACGT"}, {"PROTEIN", "-ACDEFGHIKLMNPQRSTVWY"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    atp_alignment *a = parse(*state, ">x\nAC\n", names[k][0]);
    assert_string_equal(atp_alignment_alphabet(a), names[k][1]);
    atp_alignment_destroy(a);
  }
}

static void test_refused(void **state) {
  static const struct {
    const char *text, *alphabet, *says;
    atp_status status;
  } cases[] = {
      {"", "-AC", "text: the file is empty", ATP_E_FORMAT},
      {">x\nAC\n>y\nA\n", "-AC", "text:", ATP_E_FORMAT},
      {">x\nAC\n", NULL, "alphabet is NULL", ATP_E_CONFLICT},
      {"\x89HDF\r\n\x1a\n", "-AC", "HDF5, expected sequences as text", ATP_E_FORMAT},
      {"\x1f\x8b\x08", "-AC", "packed by gzip, expected sequences as text", ATP_E_FORMAT},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    atp_alignment *a = NULL;
    assert_int_equal(atp_alignment_parse(*state, cases[k].text, (int64_t)strlen(cases[k].text), cases[k].alphabet, NULL, &a),
                     cases[k].status);
    assert_null(a);
    assert_error(*state, cases[k].says);
  }
  atp_alignment *a = NULL;
  assert_int_equal(atp_alignment_parse(*state, "0 1\n", -1, NULL, NULL, &a), ATP_E_VALUE);
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(*state, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FORMAT, ATP_FORMAT_HDF5), ATP_OK);
  assert_int_equal(atp_alignment_parse(*state, "0 1\n", 4, NULL, options, &a), ATP_E_VALUE);
  atp_options_destroy(options);
}

static void test_small_buffer(void **state) {
  atp_alignment *a = parse(*state, "0 1\n1 0\n", NULL);
  char text[8] = "???????";
  int64_t needed = 0;
  assert_int_equal(atp_alignment_format(a, ATP_FORMAT_INTEGERS, text, 7, &needed), ATP_E_BUFFER);
  assert_int_equal(needed, 8);
  assert_string_equal(text, "???????");
  assert_int_equal(atp_alignment_format(a, ATP_FORMAT_HDF5, text, 8, &needed), ATP_E_VALUE);
  assert_int_equal(atp_alignment_format(a, ATP_FORMAT_A2M, text, 8, &needed), ATP_E_VALUE);
  atp_alignment_destroy(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_formats, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_names_of_alphabets, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(test_small_buffer, context_setup, context_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
