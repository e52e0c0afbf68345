/* SPDX-License-Identifier: MIT */
/* Model files of plmc: read from bytes that this program writes itself, after the tables of docs/formats.md; what the library writes is
 * taken apart in the same way. */
#include "formats_support.h"

static void put_pairs(void (*number)(double), int with_indices) {
  for (int k = with_indices ? 0 : 1; k < 2; ++k)
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j) {
        if (with_indices && k == 0) put_int(i + 1), put_int(j + 1);
        if (with_indices && k == 1) continue;
        for (int part = with_indices ? 0 : 1; part < 2; ++part)
          for (int a = 0; a < Q; ++a)
            for (int b = 0; b < Q; ++b) number(part == 0 ? 0.111 : coupling_at(i, j, kAlphabet[a], kAlphabet[b]));
      }
}

static void plmc_v2(void) {
  used = 0;
  put_int(L), put_int(Q), put_int(2), put_int(1), put_int(100);
  put_float(0.2), put_float(0.01), put_float(16), put_float(0), put_float(1.5);
  put(kAlphabet, Q);
  put_float(1), put_float(2), put_float(0);
  put("WxyZ", L);
  for (int i = 0; i < L; ++i) put_int((int32_t)kNumbers[i]);
  for (int k = 0; k < L * Q; ++k) put_float(0.25);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) put_float(field_at(i, kAlphabet[a]));
  for (int k = 0; k < PAIRS * Q * Q; ++k) put_float(0.125);
  put_pairs(put_float, 0);
  assert_int_equal(used, 40 + Q + 4 * 3 + L + 4 * L + 8 * L * Q + 4 * L * (L - 1) * Q * Q);
}

static void plmc_v1(void) {
  used = 0;
  put_int(L), put_int(Q);
  put("WxyZ", L);
  for (int i = 0; i < L; ++i) put_int((int32_t)kNumbers[i]);
  for (int k = 0; k < L * Q; ++k) put_float(0.25);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) put_float(field_at(i, kAlphabet[a]));
  put_pairs(put_float, 1);
}

static void assert_labels(const atp_model *m, const char *residues) {
  assert_memory_equal(atp_model_site_numbers_view(m), kNumbers, sizeof kNumbers);
  assert_string_equal(atp_model_site_residues(m), residues);
}

static void test_plmc_read(void **state) {
  atp_context *context = *state;
  atp_model *m = NULL;
  for (int version = 1; version <= 2; ++version) {
    version == 1 ? plmc_v1() : plmc_v2();
    save("p.model");
    assert_kind(context, "p.model", "plmc-model");
    assert_int_equal(
        version == 1 ? atp_model_read(context, "p.model", &m) : atp_model_read_as(context, "p.model", ATP_MODEL_PLMC, NULL, &m), ATP_OK);
    assert_numbers(m, kAlphabet, 1e-7, 0);
    assert_string_equal(atp_model_alphabet(m), version == 1 ? "" : kAlphabet);
    assert_labels(m, "WxyZ");
    atp_model_destroy(m);
  }
  /* Without a focus plmc repeats the gap. */
  plmc_v2();
  memset(bytes + 40 + Q + 12, '-', L);
  save("p.model");
  assert_int_equal(atp_model_read(context, "p.model", &m), ATP_OK);
  assert_labels(m, "");
  atp_model_destroy(m);
}

static void test_plmc_damage(void **state) {
  atp_context *context = *state;
  plmc_v2();
  const size_t whole = used;
  /* Every cut, in both ways of reading. */
  for (used = 1; used < whole; used += 1) {
    save("cut");
    atp_model *m = NULL;
    const atp_status status = atp_model_read_as(context, "cut", ATP_MODEL_PLMC, NULL, &m);
    assert_int_equal(status, ATP_E_FORMAT);
    assert_int_equal(atp_model_read(context, "cut", &m), ATP_E_FORMAT);
    assert_null(m);
  }
  used = whole - 3;
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "bytes, expected a plmc model of 603 (version 2, L = 4, q = 3, 3 sequences)");
  used = whole;
  const double nan = NAN;
  const float wrong = (float)nan;
  const size_t place = used - 4;
  char kept[4];
  memcpy(kept, bytes + place, 4);
  copy_number(bytes + place, &wrong, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_NOT_FINITE, "byte 599: a coupling is nan, must be finite");
  memcpy(bytes + place, kept, 4);
  bytes[41] = '-'; /* the alphabet is then "--y" */
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "byte 40: the alphabet, expected 3 different printable characters");
  plmc_v2();
  const int32_t huge = 2000000000, negative = -1;
  copy_number(bytes, &huge, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "L = 2000000000 and q = 3, expected a plmc model");
  plmc_v2();
  copy_number(bytes + 8, &negative, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "-1 and 1 sequences");
  plmc_v2();
  copy_number(bytes + 8, &huge, 4);
  copy_number(bytes + 12, &huge, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "4000000000 sequences");
  plmc_v1();
  const int32_t three = 3;
  copy_number(bytes + 8 + 5 * L + 8 * L * Q, &three, 4);
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "pair 3 2, expected 1 2");
  plmc_v2();
  bytes[40 + Q + 12] = ' ';
  refuse_model(context, ATP_MODEL_PLMC, ATP_E_FORMAT, "byte 55: focus residues[0] has the code 32");
}

static float float_at(size_t place) {
  float value;
  copy_number(&value, bytes + place, 4);
  return value;
}
static int32_t int_at(size_t place) {
  int32_t value;
  copy_number(&value, bytes + place, 4);
  return value;
}

/* Frequencies by their definition. */
static double frequency(int i, int a, int j, int b) {
  double sum = 0, total = 0;
  for (int n = 0; n < N; ++n) {
    total += kWeights[n];
    if (kSequences[n * L + i] == a && kSequences[n * L + j] == b) sum += kWeights[n];
  }
  return sum / total;
}

static void test_plmc_write(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kAlphabet), *back = NULL;
  atp_alignment *a = make_alignment(context);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_error(context, "alignment is NULL");
  assert_int_equal(folder_entries(), 0);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_OK);
  assert_int_equal(folder_entries(), 1);
  load(context, "p.model");
  assert_int_equal(used, 40 + Q + 4 * N + L + 4 * L + 8 * L * Q + 4 * L * (L - 1) * Q * Q);
  assert_true(int_at(0) == L && int_at(4) == Q && int_at(8) == N && int_at(12) == 0 && int_at(16) == -1);
  for (int k = 0; k < 4; ++k) assert_true(float_at(20 + 4 * (size_t)k) == -1);
  assert_true(float_at(36) == 3.875f);
  assert_memory_equal(bytes + 40, kAlphabet, Q);
  size_t place = 40 + Q;
  for (int n = 0; n < N; ++n, place += 4) assert_true(float_at(place) == (float)(1 / kWeights[n]));
  assert_memory_equal(bytes + place, "WxyZ", L);
  place += L;
  for (int i = 0; i < L; ++i, place += 4) assert_int_equal(int_at(place), kNumbers[i]);
  for (int i = 0; i < L; ++i)
    for (int c = 0; c < Q; ++c, place += 4) assert_close(float_at(place), frequency(i, c, i, c), 1e-7, 1e-7);
  for (int i = 0; i < L; ++i)
    for (int c = 0; c < Q; ++c, place += 4) assert_true(float_at(place) == (float)field_at(i, kAlphabet[c]));
  for (int part = 0; part < 2; ++part)
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j)
        for (int c = 0; c < Q; ++c)
          for (int d = 0; d < Q; ++d, place += 4)
            assert_close(float_at(place), part == 0 ? frequency(i, c, j, d) : coupling_at(i, j, kAlphabet[c], kAlphabet[d]), 1e-7, 1e-7);
  assert_int_equal(place, used);
  assert_int_equal(atp_model_read(context, "p.model", &back), ATP_OK);
  assert_numbers(back, kAlphabet, 1e-7, 0);
  assert_labels(back, "WxyZ");
  atp_model_destroy(back);

  /* Gaps ignored: the model has the colours but the first, frequencies are those among residues. */
  atp_model *without = make_model(context, "xy");
  assert_int_equal(atp_model_set_sites(without, NULL, L, NULL), ATP_OK);
  assert_int_equal(atp_model_write_as(context, without, a, ATP_MODEL_PLMC, "p.model"), ATP_OK);
  load(context, "p.model");
  assert_int_equal(int_at(4), 2);
  assert_memory_equal(bytes + 42 + 4 * N, "----", L);
  const double x = frequency(1, 1, 1, 1), y = frequency(1, 2, 1, 2);
  place = 42 + 4 * N + 5 * L + 2 * 4;
  assert_close(float_at(place), x / (x + y), 1e-6, 1e-6);
  assert_close(float_at(place + 4), y / (x + y), 1e-6, 1e-6);
  assert_int_equal(atp_model_read(context, "p.model", &back), ATP_OK);
  assert_numbers(back, "xy", 1e-7, 0);
  atp_model_destroy(back);

  /* Models that cannot be written. */
  assert_int_equal(atp_alignment_set_alphabet(a, "-yx"), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_error(context, "the alignment has the alphabet '-yx', the model '-xy'");
  assert_int_equal(atp_model_set_alphabet(m, ""), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_CONFLICT);
  assert_int_equal(atp_model_set_alphabet(m, kAlphabet), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(a, kAlphabet), ATP_OK);
  const int64_t far[L] = {1, 2, 3, 5000000000};
  assert_int_equal(atp_model_set_sites(m, far, L, NULL), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_VALUE);
  assert_error(context, "the number of a site is 5000000000");
  assert_int_equal(atp_model_set_sites(m, NULL, L, NULL), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 1e60), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, a, ATP_MODEL_PLMC, "p.model"), ATP_E_VALUE);
  atp_alignment *other = NULL;
  assert_int_equal(atp_alignment_create(context, kSequences, L, N, Q, NULL, &other), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, other, ATP_MODEL_PLMC, "p.model"), ATP_E_SHAPE);
  assert_int_equal(folder_entries(), 1); /* the good one, no temporary */
  atp_alignment_destroy(other);
  atp_alignment_destroy(a);
  atp_model_destroy(without);
  atp_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_plmc_read),
      TEST(test_plmc_damage),
      TEST(test_plmc_write),
  };
  return run_in_folder(tests, sizeof tests / sizeof *tests);
}
