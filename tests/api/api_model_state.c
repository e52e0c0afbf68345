/* SPDX-License-Identifier: MIT */
/* Models as bytes: the same model comes back; anything else is refused, whatever is wrong with it. */
#include "api_support.h"
#include "little_endian.h"

enum { L = 3, Q = 4, MOST = 4096, HEAD = 32 };

static char good[MOST], bad[MOST], again[MOST];

/* Models of heads and dense ones, with and without fields, labels and an alphabet. */
static atp_model *make(atp_context *context, int which) {
  static const int64_t shape[] = {L, Q, 2}, numbers[] = {-3, 4, 1000};
  static double couplings[L * L * Q * Q], fields[L * Q];
  atp_model *heads, *model;
  double maps[2 * L * L], values[2 * Q * Q];
  for (int k = 0; k < 2 * L * L; ++k) maps[k] = k % (L * L) % (L + 1) == 0 ? 0 : 0.1 * k;
  for (int k = 0; k < 2 * Q * Q; ++k) values[k] = 1.0 / (k + 3);
  for (int k = 0; k < L * Q; ++k) fields[k] = k * k - 0.3;
  assert_int_equal(atp_model_create_heads(context, shape, maps, values, which & 1 ? fields : NULL, &heads), ATP_OK);
  model = heads;
  if (which & 2) {
    assert_int_equal(atp_model_couplings_f64(heads, couplings, L * L * Q * Q), ATP_OK);
    assert_int_equal(atp_model_create_dense_f64(context, L, Q, couplings, which & 1 ? fields : NULL, &model), ATP_OK);
    atp_model_destroy(heads);
  }
  if (which & 4) {
    assert_int_equal(atp_model_set_alphabet(model, "-AB%"), ATP_OK);
    assert_int_equal(atp_model_set_sites(model, numbers, L, which & 1 ? "A-B" : NULL), ATP_OK);
    assert_int_equal(atp_model_set_beta(model, 0.75), ATP_OK);
    if (which & 2) assert_int_equal(atp_model_set_columns(model, (const int64_t[]){1, 4, 5}, L, 7), ATP_OK);
  }
  return model;
}

/* Its state in `good`; the model is freed. */
static int64_t save(atp_context *context, int which) {
  atp_model *model = make(context, which);
  const int64_t size = atp_model_state_bytes(model);
  assert_true(size > 300 && size <= MOST);
  assert_int_equal(atp_model_save_state(model, good, size - 1), ATP_E_BUFFER);
  assert_int_equal(atp_model_save_state(model, good, size), ATP_OK);
  atp_model_destroy(model);
  return size;
}

static void the_same_model(void **state) {
  atp_context *context = *state;
  for (int which = 0; which < 8; ++which) {
    const int64_t size = save(context, which);
    atp_model *model = make(context, which), *back;
    memcpy(bad + 1, good, (size_t)size); /* bytes without alignment */
    assert_int_equal(atp_model_from_state(context, bad + 1, size, &back), ATP_OK);
    assert_int_equal(atp_model_sites(back), L);
    assert_int_equal(atp_model_colors(back), Q);
    assert_int_equal(atp_model_heads(back), which & 2 ? 0 : 2);
    assert_int_equal(atp_model_has_fields(back), which & 1);
    assert_true(atp_model_beta(back) == atp_model_beta(model));
    assert_string_equal(atp_model_alphabet(back), atp_model_alphabet(model));
    assert_string_equal(atp_model_site_residues(back), atp_model_site_residues(model));
    assert_memory_equal(atp_model_site_numbers_view(back), atp_model_site_numbers_view(model), L * sizeof(int64_t));
    assert_int_equal(atp_model_total_columns(back), which >= 6 ? 7 : L);
    assert_memory_equal(atp_model_columns_view(back), atp_model_columns_view(model), L * sizeof(int64_t));
    double couplings[2][L * L * Q * Q], fields[2][L * Q];
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(atp_model_couplings_f64(k ? back : model, couplings[k], L * L * Q * Q), ATP_OK);
      assert_int_equal(atp_model_fields(k ? back : model, fields[k], L * Q), ATP_OK);
    }
    assert_memory_equal(couplings[0], couplings[1], sizeof couplings[0]);
    assert_memory_equal(fields[0], fields[1], sizeof fields[0]);
    assert_int_equal(atp_model_state_bytes(back), size);
    assert_int_equal(atp_model_save_state(back, again, size), ATP_OK);
    assert_memory_equal(again, good, (size_t)size);
    atp_model_destroy(back);
    atp_model_destroy(model);
  }
}

static void refuse(atp_context *context, int64_t size, atp_status expected, const char *text) {
  atp_model *model = (atp_model *)&good;
  const int64_t before = allocations(context);
  const atp_status status = atp_model_from_state(context, bad, size, &model);
  assert_null(model);
  if (status != expected) fail_msg("%s instead of %s for \"%s\"", atp_status_name(status), atp_status_name(expected), text);
  assert_error(context, text);
  if (strstr(text, "alphabet has symbols") == NULL && strstr(text, "residues[") == NULL) assert_true(allocations(context) <= before + 2);
}

static void damaged_bytes(void **state) {
  atp_context *context = *state;
  for (int which = 0; which < 8; ++which) {
    const int64_t size = save(context, which);
    for (int64_t n = 0; n < size; ++n) {
      atp_model *model;
      memcpy(bad, good, (size_t)size);
      assert_int_equal(atp_model_from_state(context, bad, n, &model), ATP_E_FORMAT); /* cut short */
      bad[n] = (char)(bad[n] ^ 0x10);
      const atp_status status = atp_model_from_state(context, bad, size, &model);
      assert_true(status == ATP_E_FORMAT || status == ATP_E_CHECKSUM || status == ATP_E_MISMATCH);
    }
    memcpy(bad, good, (size_t)size);
    refuse(context, size - 1, ATP_E_FORMAT, "cut short");
    refuse(context, size + 1, ATP_E_FORMAT, "cut short");
    refuse(context, -1, ATP_E_FORMAT, "has -1 bytes");
    bad[size - 20] = (char)(bad[size - 20] ^ 1);
    refuse(context, size, ATP_E_CHECKSUM, "damaged");
  }
}

/* FNV-1a, 64 bits. */
static uint64_t sum_of(const char *bytes, int64_t n) {
  uint64_t sum = 14695981039346656037u;
  for (int64_t k = 0; k < n; ++k) sum = (sum ^ (unsigned char)bytes[k]) * 1099511628211u;
  return sum;
}

/* `bad` = `good` with other bytes at an offset behind the header; the fingerprint of the shape and the checksum are right again. */
static void plant(int64_t size, int64_t offset, const void *bytes, size_t n) {
  memcpy(bad, good, (size_t)size);
  memcpy(bad + HEAD + offset, bytes, n);
  const uint64_t shape = sum_of(bad + HEAD, 40);
  copy_number(bad + 24, &shape, 8);
  const uint64_t sum = sum_of(bad, size - 8);
  copy_number(bad + size - 8, &sum, 8);
}

/* The same with one number. */
static void plant_number(int64_t size, int64_t offset, const void *number, size_t n) {
  char little[8];
  copy_number(little, number, n);
  plant(size, offset, little, n);
}

static void planted_numbers(void **state) {
  atp_context *context = *state;
  enum {
    BETA = 40,
    SYMBOLS = 48,
    MAPS = 304,
    VALUES = MAPS + 2 * 8 * L * L,
    FIELDS = VALUES + 2 * 8 * Q * Q,
    NUMBERS = FIELDS + 8 * L * Q
  };
  static const struct {
    int offset;
    int64_t value;
    const char *text;
  } whole[] = {{0, 1, "number of sites is 1, must be in 2..1048576"},
               {0, INT64_MAX, "number of sites"},
               {0, 65536, "which its shape does not fill"},
               {0, 65537, "65537 sites without a list of pairs, at most 65536"},
               {8, 256, "number of colours is 256, must be in 2..255"},
               {8, 5, "alphabet has 4 symbols"},
               {16, INT64_MIN, "number of heads"},
               {16, -1, "which its shape does not fill"},
               {16, -4, "the state has 4 pairs of 3 sites"},
               {16, 1 << 20, "which its shape does not fill"},
               {16, 0, "which its shape does not fill"},
               {24, 2, "mark of fields"},
               {24, 0, "which its shape does not fill"},
               {32, -1, "mark of residues"},
               {NUMBERS, INT64_MIN, "the state's numbers[0]"}};
  static const struct {
    int offset;
    double value;
    const char *text;
  } reals[] = {{BETA, -1, "the state's beta is -1"},
               {BETA, NAN, "beta"},
               {BETA, INFINITY, "beta"},
               {MAPS, 1, "couple site 0 to itself"},
               {MAPS + 8, NAN, "maps"},
               {MAPS + 8 * (2 * L * L - 1), 1, "couple site 2 to itself"},
               {VALUES, 2e100, "values"},
               {FIELDS - 8, -NAN, "values"},
               {FIELDS, INFINITY, "fields"},
               {NUMBERS - 8, -2e100, "fields"}};
  const int64_t size = save(context, 5);
  for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k) {
    plant_number(size, whole[k].offset, &whole[k].value, 8);
    refuse(context, size, ATP_E_FORMAT, whole[k].text);
  }
  for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
    plant_number(size, reals[k].offset, &reals[k].value, 8);
    refuse(context, size, ATP_E_FORMAT, reals[k].text);
  }
  plant(size, SYMBOLS, "-AAB", 4);
  refuse(context, size, ATP_E_FORMAT, "occurs twice");
  plant(size, SYMBOLS + 9, "x", 1);
  refuse(context, size, ATP_E_FORMAT, "characters after its end");
  plant(size, SYMBOLS + 3, "", 1);
  refuse(context, size, ATP_E_FORMAT, "alphabet has 3 symbols");
  plant(size, NUMBERS + 8 * L, "A\nB", 3);
  refuse(context, size, ATP_E_FORMAT, "the state's residues[1]");
  plant(size, NUMBERS + 8 * L, "", 1);
  refuse(context, size, ATP_E_FORMAT, "residues");
  memset(again, 'a', 256);
  plant(size, SYMBOLS, again, 256);
  refuse(context, size, ATP_E_FORMAT, "does not end");
}

static void planted_dense_couplings(void **state) {
  atp_context *context = *state;
  const int64_t size = save(context, 2);
  const double one = 1, bad_number = NAN;
  plant_number(size, 304 + 8 * (Q * Q * (L + 1) + 5), &one, 8); /* C_11(1, 1) */
  refuse(context, size, ATP_E_FORMAT, "couple site 1 to itself");
  plant_number(size, 304 + 8 * Q * Q, &bad_number, 8);
  refuse(context, size, ATP_E_FORMAT, "couplings");
}

static void states_of_others(void **state) {
  atp_context *context = *state;
  const int64_t size = save(context, 0);
  uint32_t kind = 1, version = 2;
  plant_number(size, 8 - HEAD, &kind, 4);
  refuse(context, size, ATP_E_MISMATCH, "not one of a model");
  plant_number(size, 12 - HEAD, &version, 4);
  refuse(context, size, ATP_E_FORMAT, "of version 2");
  memset(bad, 0, 64);
  refuse(context, 64, ATP_E_FORMAT, "wrong magic");
}

/* Parameters may be any finite numbers; a state that nobody could read is not written. */
static void learned_numbers(void **state) {
  atp_context *context = *state;
  const uint8_t sequences[2 * L] = {0, 1, 2, 1, 2, 3};
  atp_alignment *data;
  atp_trainer *trainer;
  atp_model *model;
  assert_int_equal(atp_alignment_create(context, sequences, 2, L, Q, NULL, &data), ATP_OK);
  assert_int_equal(atp_trainer_create(context, data, NULL, &trainer), ATP_OK);
  const int64_t count = atp_trainer_parameter_count(trainer);
  double *parameters = calloc((size_t)count, sizeof *parameters);
  for (int64_t k = 0; k < count; ++k) parameters[k] = 1e150;
  assert_int_equal(atp_trainer_set_parameters(trainer, parameters, count), ATP_OK);
  assert_int_equal(atp_trainer_model(trainer, &model), ATP_OK);
  memset(bad, 7, sizeof bad);
  assert_int_equal(atp_model_save_state(model, bad, MOST), ATP_E_VALUE);
  assert_error(context, "the model has the number 1e+150, must be at most 1e100 in magnitude");
  for (int k = 0; k < MOST; ++k) assert_int_equal(bad[k], 7);
  free(parameters);
  atp_model_destroy(model);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(learned_numbers, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(the_same_model, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(damaged_bytes, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(planted_numbers, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(planted_dense_couplings, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(states_of_others, context_setup, context_teardown),
};

ATP_TEST_MAIN(tests)
