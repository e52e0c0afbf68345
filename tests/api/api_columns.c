/* SPDX-License-Identifier: MIT */
/* The columns that sites stand for: through subsets, models, samples and files, and back to the alignment with all columns. */
#include "api_support.h"

#include <unistd.h>

static const char *const kText = ">w\nAC-DAC\n>x\nAC-DDC\n>y\nCC-ADA\n>z\nDC-A-A\n";

static atp_alignment *parse(atp_context *context) {
  atp_alignment *made = NULL;
  assert_int_equal(atp_alignment_parse(context, kText, (int64_t)strlen(kText), "-ACD", NULL, &made), ATP_OK);
  return made;
}

static void assert_columns(const int64_t *columns, int64_t total, int64_t found, int64_t n, const int64_t *expected) {
  assert_int_equal(found, total);
  assert_memory_equal(columns, expected, (size_t)n * sizeof *expected);
}

/* The alignment without the column of gaps, the third. */
static atp_alignment *filtered(atp_context *context, const atp_alignment *all) {
  atp_options *options = NULL;
  atp_alignment *made = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_FILTER, &options), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MAX_GAPS_COLUMN, 0.5), ATP_OK);
  assert_int_equal(atp_alignment_filter(context, all, options, NULL, 0, &made), ATP_OK);
  atp_options_destroy(options);
  return made;
}

static void subsets(void **state) {
  atp_context *context = *state;
  atp_alignment *all = parse(context), *some = filtered(context, all), *focused, *selected;
  assert_columns(atp_alignment_columns_view(all), 6, atp_alignment_total_columns(all), 6, (const int64_t[]){0, 1, 2, 3, 4, 5});
  assert_columns(atp_alignment_columns_view(some), 6, atp_alignment_total_columns(some), 5, (const int64_t[]){0, 1, 3, 4, 5});
  /* z has a gap in the fifth column: a subset of a subset. */
  assert_int_equal(atp_alignment_focus(context, some, "z", &focused), ATP_OK);
  assert_columns(atp_alignment_columns_view(focused), 6, atp_alignment_total_columns(focused), 4, (const int64_t[]){0, 1, 3, 5});
  assert_int_equal(atp_alignment_select(context, focused, 1, 2, 1, &selected), ATP_OK);
  assert_columns(atp_alignment_columns_view(selected), 6, atp_alignment_total_columns(selected), 4, (const int64_t[]){0, 1, 3, 5});
  atp_alignment_destroy(selected);
  atp_alignment_destroy(focused);
  atp_alignment_destroy(some);
  atp_alignment_destroy(all);
}

/* A model learned from the filtered alignment, its copy, samples and files know the columns, and take them out of the whole alignment. */
static void models(void **state) {
  atp_context *context = *state;
  atp_alignment *all = parse(context), *some = filtered(context, all), *mapped, *samples, *again;
  const int64_t columns[] = {0, 1, 3, 4, 5};
  atp_options *options = NULL;
  atp_trainer *trainer;
  atp_model *model, *copy;
  atp_sampling *sampling;
  assert_int_equal(atp_trainer_create(context, some, NULL, &trainer), ATP_OK);
  assert_int_equal(atp_trainer_model(trainer, &model), ATP_OK);
  assert_int_equal(atp_model_copy(context, model, &copy), ATP_OK);
  assert_columns(atp_model_columns_view(model), 6, atp_model_total_columns(model), 5, columns);
  assert_columns(atp_model_columns_view(copy), 6, atp_model_total_columns(copy), 5, columns);

  assert_int_equal(atp_model_set_sites(model, (const int64_t[]){10, 20, 30, 40, 50}, 5, "ACDAC"), ATP_OK);
  assert_int_equal(atp_alignment_for_model(context, all, model, &mapped), ATP_OK);
  assert_memory_equal(atp_alignment_sequences_view(mapped), atp_alignment_sequences_view(some), 20);
  assert_columns(atp_alignment_columns_view(mapped), 6, atp_alignment_total_columns(mapped), 5, columns);
  assert_int_equal(atp_alignment_site_numbers_view(mapped)[4], 50);
  assert_string_equal(atp_alignment_site_residues(mapped), "ACDAC");
  assert_string_equal(atp_alignment_name(mapped, 3), "z");
  assert_string_equal(atp_alignment_alphabet(mapped), "-ACD");
  atp_alignment_destroy(mapped);

  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLING, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_THIN, 1), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 3, &sampling), ATP_OK);
  assert_int_equal(atp_sampling_run(sampling, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_alignment(sampling, &samples), ATP_OK);
  assert_columns(atp_alignment_columns_view(samples), 6, atp_alignment_total_columns(samples), 5, columns);
  assert_int_equal(atp_alignment_match(context, all, samples, &mapped), ATP_OK);
  assert_memory_equal(atp_alignment_sequences_view(mapped), atp_alignment_sequences_view(some), 20);
  atp_alignment_destroy(mapped);
  atp_sampling_destroy(sampling);
  atp_trainer_destroy(trainer);

  if (atp_has_feature("hdf5")) {
    char path[64];
    atp_model *read;
    snprintf(path, sizeof path, "api_columns_%d.h5", (int)getpid());
    assert_int_equal(atp_model_write(context, model, path), ATP_OK);
    assert_int_equal(atp_model_read(context, path, &read), ATP_OK);
    assert_columns(atp_model_columns_view(read), 6, atp_model_total_columns(read), 5, columns);
    assert_int_equal(atp_alignment_write(context, some, ATP_FORMAT_HDF5, path), ATP_OK);
    assert_int_equal(atp_alignment_read(context, path, NULL, NULL, &again), ATP_OK);
    assert_columns(atp_alignment_columns_view(again), 6, atp_alignment_total_columns(again), 5, columns);
    remove(path);
    atp_alignment_destroy(again);
    atp_model_destroy(read);
  }
  atp_options_destroy(options);
  atp_alignment_destroy(samples);
  atp_model_destroy(copy);
  atp_model_destroy(model);
  atp_alignment_destroy(some);
  atp_alignment_destroy(all);
}

/* A model of the alignment, from memory, a state and a file; the file of the alignment. */
static void model_keeps_border(atp_context *context, const atp_alignment *data) {
  static unsigned char state[4096];
  atp_model *model = NULL, *again = NULL;
  atp_alignment *read = NULL;
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, -1, &model), ATP_OK);
  assert_int_equal(atp_model_border(model), 4);
  const int64_t size = atp_model_state_bytes(model);
  assert_true(size <= (int64_t)sizeof state);
  assert_int_equal(atp_model_save_state(model, state, size), ATP_OK);
  assert_int_equal(atp_model_from_state(context, state, size, &again), ATP_OK);
  assert_int_equal(atp_model_border(again), 4);
  atp_model_destroy(again);
  if (atp_has_feature("hdf5")) {
    const char *path = "border.h5";
    assert_int_equal(atp_model_write(context, model, path), ATP_OK);
    assert_int_equal(atp_model_read(context, path, &again), ATP_OK);
    assert_int_equal(atp_model_border(again), 4);
    atp_model_destroy(again);
    assert_int_equal(atp_alignment_write(context, data, ATP_FORMAT_HDF5, path), ATP_OK);
    assert_int_equal(atp_alignment_read(context, path, NULL, NULL, &read), ATP_OK);
    assert_int_equal(atp_alignment_border(read), 4);
    atp_alignment_destroy(read);
    remove(path);
  }
  /* Numbers leave out pairs within a protein alone: 3 sites of each are left. */
  atp_table *table = NULL;
  double i = -1, j = -1;
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 15, &table), ATP_OK);
  assert_int_equal(atp_model_contacts(context, model, ATP_SCORE_RAW, -1, 1000, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 9);
  for (int64_t k = 0; k < 9; ++k) {
    assert_int_equal(atp_table_value(table, k, ATP_CONTACTS_SITE_I, &i), ATP_OK);
    assert_int_equal(atp_table_value(table, k, ATP_CONTACTS_SITE_J, &j), ATP_OK);
    assert_true(i < 3 && j >= 3);
  }
  atp_table_destroy(table);
  assert_int_equal(atp_model_set_columns(model, NULL, atp_model_sites(model), 0), ATP_OK);
  assert_int_equal(atp_model_border(model), 0);
  atp_model_destroy(model);
}

/* A complex of two proteins: the border counts columns, whatever is removed. */
static void two_proteins(void **state) {
  atp_context *context = *state;
  static const char text[] = ">w\nAC-D\n>x\nAC-D\n\0>v\nACDA\n>y\nC-ADca\n", wrong[] = ">w\nAC\n>x\nAC\n\0>v\nACD\n";
  const int64_t size = (int64_t)sizeof text - 1;
  atp_options *options = NULL;
  atp_alignment *whole = NULL, *some, *focused, *selected, *none = NULL;
  assert_int_equal(atp_alignment_parse(context, text, size, "-ACD", NULL, &whole), ATP_OK); /* the first part alone */
  assert_true(atp_alignment_sites(whole) == 4 && atp_alignment_border(whole) == 0);
  atp_alignment_destroy(whole);
  assert_int_equal(atp_options_create(context, ATP_OWNER_ALIGNMENT, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FORMAT, ATP_FORMAT_PAIRED), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FORMAT, ATP_FORMAT_PAIRED + 1), ATP_E_OPTION_RANGE);
  assert_int_equal(atp_alignment_parse(context, wrong, (int64_t)sizeof wrong - 1, "-ACD", options, &none), ATP_E_FORMAT);
  assert_null(none);
  assert_error(context, "the two alignments have 2 and 1 sequences");
  assert_int_equal(atp_alignment_parse(context, text, size, "-ACD", options, &whole), ATP_OK);
  assert_true(atp_alignment_count(whole) == 2 && atp_alignment_sites(whole) == 8 && atp_alignment_border(whole) == 4);
  assert_memory_equal(atp_alignment_sequences_view(whole), ((const uint8_t[]){1, 2, 0, 3, 1, 2, 3, 1, 1, 2, 0, 3, 2, 0, 1, 3}), 16);
  assert_int_equal(atp_alignment_site_numbers_view(whole)[4], 5);
  assert_string_equal(atp_alignment_name(whole, 1), "x");
  some = filtered(context, whole);
  assert_int_equal(atp_alignment_focus(context, whole, "x", &focused), ATP_OK);
  assert_int_equal(atp_alignment_select(context, focused, 1, 1, 1, &selected), ATP_OK);
  assert_columns(atp_alignment_columns_view(some), 8, atp_alignment_total_columns(some), 7, (const int64_t[]){0, 1, 3, 4, 5, 6, 7});
  assert_columns(atp_alignment_columns_view(selected), 8, atp_alignment_total_columns(selected), 6, (const int64_t[]){0, 1, 3, 4, 6, 7});
  assert_true(atp_alignment_border(some) == 4 && atp_alignment_border(focused) == 4 && atp_alignment_border(selected) == 4);
  assert_int_equal(atp_alignment_set_columns(some, (const int64_t[]){0, 1, 2, 3, 4, 5, 6}, 7, 6), ATP_E_VALUE);
  assert_int_equal(atp_alignment_border(some), 4);
  assert_int_equal(atp_alignment_set_columns(some, NULL, 7, 0), ATP_OK);
  assert_int_equal(atp_alignment_border(some), 0);
  model_keeps_border(context, focused);
  atp_alignment_destroy(selected);
  atp_alignment_destroy(focused);
  atp_alignment_destroy(some);
  atp_alignment_destroy(whole);
  atp_options_destroy(options);
}

static void wrong_columns(void **state) {
  atp_context *context = *state;
  atp_alignment *all = parse(context), *some = filtered(context, all), *none = NULL, *same;
  atp_model *model;
  assert_int_equal(atp_model_create_independent(context, some, ATP_GAPS_STATE, -1, &model), ATP_OK);
  const struct {
    int64_t columns[5], n, total;
    atp_status status;
    const char *text;
  } bad[] = {
      {{0, 1, 2, 3, 4}, 4, 6, ATP_E_SHAPE, "n is 4, must be 5"},
      {{0, 1, 2, 3, 4}, 5, 4, ATP_E_VALUE, "total is 4, must be in 5.."},
      {{0, 1, 2, 3, 6}, 5, 6, ATP_E_VALUE, "columns[4] is 6, must be in 0..5 and above the one before"},
      {{0, 1, 1, 3, 4}, 5, 6, ATP_E_VALUE, "columns[2] is 1, must be in 0..5 and above the one before"},
      {{-1, 1, 2, 3, 4}, 5, 6, ATP_E_VALUE, "columns[0] is -1"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    assert_int_equal(atp_model_set_columns(model, bad[k].columns, bad[k].n, bad[k].total), bad[k].status);
    assert_error(context, bad[k].text);
    assert_int_equal(atp_alignment_set_columns(some, bad[k].columns, bad[k].n, bad[k].total), bad[k].status);
    assert_columns(atp_model_columns_view(model), 6, atp_model_total_columns(model), 5, (const int64_t[]){0, 1, 3, 4, 5});
  }
  assert_int_equal(atp_model_set_columns(model, bad[3].columns, 5, 6), ATP_E_VALUE);
  assert_counted(context, "columns(3) is 2, must be in 1..6");

  /* A column that was removed; another total; as many sites, without any column removed. */
  assert_int_equal(atp_model_set_columns(model, (const int64_t[]){0, 1, 2, 3, 4}, 5, 6), ATP_OK);
  assert_int_equal(atp_alignment_for_model(context, some, model, &none), ATP_E_SHAPE);
  assert_null(none);
  assert_error(context, "source lacks the column of site 2 (number 4): column 2 of 6 was removed from it");
  assert_int_equal(atp_model_set_columns(model, (const int64_t[]){0, 1, 2, 3, 4}, 5, 7), ATP_OK);
  assert_int_equal(atp_alignment_for_model(context, all, model, &none), ATP_E_SHAPE);
  assert_error(context, "source has 6 sites, must have 5, or 7 as the alignment that the model was learned from");
  assert_int_equal(atp_alignment_set_columns(some, NULL, 5, 0), ATP_OK);
  assert_int_equal(atp_alignment_for_model(context, some, model, &same), ATP_OK);
  assert_memory_equal(atp_alignment_sequences_view(same), atp_alignment_sequences_view(some), 20);
  atp_alignment_destroy(same);
  assert_int_equal(atp_model_set_columns(model, NULL, 5, 0), ATP_OK);
  assert_int_equal(atp_alignment_for_model(context, all, model, &none), ATP_E_SHAPE);
  assert_error(context, "source has 6 sites, must have 5");
  atp_model_destroy(model);
  atp_alignment_destroy(some);
  atp_alignment_destroy(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

static const struct CMUnitTest tests[] = {TEST(subsets), TEST(models), TEST(two_proteins), TEST(wrong_columns)};
ATP_TEST_MAIN(tests)
