/* SPDX-License-Identifier: MIT */
/** @file api_braw.c
 *  CCMpred's models in msgpack: files written here byte by byte, as CCMpred writes them, in float32 and float64; damage; round trips.
 */
#include "formats_support.h"

enum { BLOCK = PROTEIN * PROTEIN, FIELDS = PROTEIN - 1 };

static void put_byte(int value) {
  const unsigned char byte = (unsigned char)value;
  put(&byte, 1);
}

static void put_big(uint64_t value, int size) {
  for (int k = size - 1; k >= 0; --k) put_byte((int)(value >> 8 * k & 255));
}

static void put_key(const char *text) {
  put_byte(0xa0 + (int)strlen(text)); /* a text of less than 32 bytes */
  put(text, strlen(text));
}

static void put_real(double value, int single) {
  const float small = (float)value;
  uint32_t narrow;
  uint64_t wide;
  memcpy(&narrow, &small, sizeof narrow);
  memcpy(&wide, &value, sizeof wide);
  put_byte(single ? 0xca : 0xcb);
  put_big(single ? narrow : wide, single ? 4 : 8);
}

/* A file, and what differs from CCMpred's. */
typedef struct {
  int single;       /* float32 */
  int reversed;     /* keys in the opposite order, pairs i > j */
  int meta;         /* so many arrays in one another as the first value */
  int repeated;     /* the last pair is the first once more */
  int block, count; /* numbers of a pair, pairs */
  double at_3_7;    /* the coupling with this place in every pair */
  const char *format, *x;
} File;
static const File kFile = {.block = BLOCK, .count = PAIRS, .at_3_7 = -2, .format = "ccm-1", .x = "x"};

static void put_block(const File *file, int i, int j) {
  put_key(file->x);
  put_byte(0xdc); /* array 16 */
  put_big((uint64_t)file->block, 2);
  for (int k = 0; k < file->block; ++k) {
    const int s = k / PROTEIN % PROTEIN, t = k % PROTEIN;
    const double value = file->at_3_7 != -2 && s == 3 && t == 7 ? file->at_3_7
                         : i < j                                ? coupling_at(i, j, kCcmpred[s], kCcmpred[t])
                                                                : coupling_at(j, i, kCcmpred[t], kCcmpred[s]);
    put_real(value, file->single);
  }
}

static void put_pair(const File *file, int i, int j) {
  char key[16];
  snprintf(key, sizeof key, "%d/%d", i, j);
  put_key(key);
  put_byte(0x83);
  if (file->reversed) put_block(file, j, i);
  put_key("i");
  put_byte(file->reversed ? j : i);
  put_key("j");
  put_byte(file->reversed ? i : j);
  if (!file->reversed) put_block(file, i, j);
}

static void put_pairs(const File *file) {
  put_key("x_pair");
  put_byte(0xde); /* map 16 */
  put_big((uint64_t)file->count, 2);
  int n = 0;
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L && n < file->count; ++j, ++n)
      put_pair(file, file->repeated && n == PAIRS - 1 ? 0 : i, file->repeated && n == PAIRS - 1 ? 1 : j);
}

static void put_fields(const File *file) {
  put_key("x_single");
  put_byte(0xdd); /* array 32 */
  put_big(L * FIELDS, 4);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < FIELDS; ++a) put_real(field_at(i, kCcmpred[a]) - field_at(i, '-'), file->single);
}

static void put_file(const File *file) {
  used = 0;
  put_byte(file->meta ? 0x85 : 0x84);
  if (file->meta) {
    put_key("meta");
    for (int k = 0; k < file->meta; ++k) put_byte(0x91);
    put_byte(0xc0); /* nil */
  }
  if (file->reversed) {
    put_pairs(file);
    put_fields(file);
  }
  put_key("format");
  put_key(file->format);
  put_key("ncol");
  put_byte(0xd2); /* int 32 */
  put_big(L, 4);
  if (!file->reversed) {
    put_fields(file);
    put_pairs(file);
  }
}

static int without(atp_context *context) {
  if (atp_has_feature("msgpack")) return 0;
  put_file(&kFile);
  save("m.braw");
  assert_kind(context, "m.braw", "ccmpred-braw");
  atp_model *m = NULL;
  assert_int_equal(atp_model_read(context, "m.braw", &m), ATP_E_UNSUPPORTED);
  assert_error(context, "m.braw: packed by msgpack, and this build of the library has no msgpack");
  m = make_model(context, kProtein);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_BRAW, "ours.braw"), ATP_E_UNSUPPORTED);
  assert_error(context, "ours.braw: this build of the library has no msgpack");
  atp_model_destroy(m);
  return 1;
}

static void test_read(void **state) {
  atp_context *context = *state;
  if (without(context)) return;
  for (int k = 0; k < 8; ++k) {
    File file = kFile;
    file.single = k & 1;
    file.reversed = k & 2;
    file.meta = k & 4 ? 40 : 0;
    put_file(&file);
    save("m.braw");
    assert_kind(context, "m.braw", "ccmpred-braw");
    atp_model *m = NULL;
    assert_int_equal(atp_model_read_as(context, "m.braw", k & 1 ? ATP_MODEL_AUTO : ATP_MODEL_BRAW, NULL, &m), ATP_OK);
    assert_string_equal(atp_model_alphabet(m), kProtein);
    assert_numbers(m, kProtein, file.single ? 1e-7 : 1e-15, 1);
    atp_model_destroy(m);
  }
}

static void test_write(void **state) {
  atp_context *context = *state;
  if (without(context)) return;
  atp_model *m = make_model(context, kProtein), *back = NULL, *raw = NULL;
  last_log[0] = 0;
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_BRAW, "ours.braw"), ATP_OK);
  assert_non_null(strstr(last_log, "CCMpred's format has no field of the gap"));
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_int_equal(atp_model_read(context, "ours.braw", &back), ATP_OK);
  assert_int_equal(atp_model_read(context, "ours.raw", &raw), ATP_OK);
  assert_numbers(back, kProtein, 1e-15, 1);
  /* The same numbers as in the text, to the last bit. */
  static double one[L * L * BLOCK], two[L * L * BLOCK];
  assert_int_equal(atp_model_couplings_f64(back, one, L * L * BLOCK), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(raw, two, L * L * BLOCK), ATP_OK);
  assert_memory_equal(one, two, sizeof one);
  assert_int_equal(atp_model_fields(back, one, L * PROTEIN), ATP_OK);
  assert_int_equal(atp_model_fields(raw, two, L * PROTEIN), ATP_OK);
  assert_memory_equal(one, two, L * PROTEIN * sizeof *one);
  /* The bytes begin as CCMpred's do, and a second writing gives them again. */
  static const char kBegin[] =
      "\x84\xa6"
      "format"
      "\xa5"
      "ccm-1"
      "\xa4"
      "ncol"
      "\x04\xa8"
      "x_single"
      "\xdc\x00\x50\xcb";
  load(context, "ours.braw");
  assert_memory_equal(bytes, kBegin, sizeof kBegin - 1);
  assert_int_equal((int64_t)used, (int64_t)(sizeof kBegin - 2 + 9 * L * FIELDS + 8 + PAIRS * (4 + 1 + 3 + 3 + 5 + 9 * BLOCK)));
  static char first[sizeof bytes];
  const size_t size = used;
  memcpy(first, bytes, size);
  assert_int_equal(atp_model_write_as(context, back, NULL, ATP_MODEL_BRAW, "again.braw"), ATP_OK);
  load(context, "again.braw");
  assert_int_equal((int64_t)used, (int64_t)size);
  assert_memory_equal(bytes, first, size);
  atp_model_destroy(raw);
  atp_model_destroy(back);
  atp_model_destroy(m);
  m = make_model(context, kAlphabet);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_BRAW, "no.braw"), ATP_E_CONFLICT);
  assert_error(context, "CCMpred's format is for the 21 symbols of proteins");
  atp_model_destroy(m);
}

static void refuse(atp_context *context, File file, atp_status status, const char *text) {
  put_file(&file);
  refuse_model(context, ATP_MODEL_AUTO, status, text);
}

static void test_damage(void **state) {
  atp_context *context = *state;
  if (without(context)) return;
  File file = kFile;
  file.format = "ccm-2";
  refuse(context, file, ATP_E_FORMAT, "wrong: the format is 'ccm-2', expected 'ccm-1'");
  file = kFile;
  file.x = "y";
  refuse(context, file, ATP_E_FORMAT, "the key 'y' in pair 1 of x_pair, expected i, j and x");
  file = kFile;
  file.block = BLOCK - 1;
  refuse(context, file, ATP_E_FORMAT, "440 numbers x in pair 1 of x_pair, expected 441");
  file = kFile;
  file.count = PAIRS - 1;
  refuse(context, file, ATP_E_FORMAT, "5 pairs in x_pair, expected 6 of 4 sites");
  file = kFile;
  file.repeated = 1;
  refuse(context, file, ATP_E_FORMAT, "the pair 0 1 occurs twice");
  file = kFile;
  file.at_3_7 = NAN;
  refuse(context, file, ATP_E_NOT_FINITE, "nan in x_pair, expected numbers of at most 1e100");
  file.at_3_7 = 1e101;
  refuse(context, file, ATP_E_FORMAT, "1e+101 in x_pair, expected numbers of at most 1e100");
  file = kFile;
  file.meta = 2000;
  refuse(context, file, ATP_E_FORMAT, "more than 64 containers in one another");
  /* Every cut, and bytes behind. */
  put_file(&kFile);
  const size_t size = used;
  for (size_t n = 0; n < size; n += n < 500 ? 1 : 997) {
    put_file(&kFile);
    used = n;
    refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "");
  }
  put_file(&kFile);
  put_byte(0);
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "1 bytes after the end of the msgpack data");
  /* A few bytes that promise much; fuzz_braw limits what may be allocated. */
  used = 0;
  put_byte(0x84);
  put_key("ncol");
  put_byte(0xcd);
  put_big(65535, 2);
  put_key("x_single");
  put_byte(0xdd);
  put_big(65535 * FIELDS, 4);
  put_byte(0);
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "the msgpack data end too early");
  used = 0;
  put_key("format");
  refuse_model(context, ATP_MODEL_BRAW, ATP_E_FORMAT, "no map of msgpack, expected a model of CCMpred");
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_read), TEST(test_write), TEST(test_damage)};
  return run_in_folder(tests, sizeof tests / sizeof *tests);
}
