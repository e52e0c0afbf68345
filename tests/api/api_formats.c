/* SPDX-License-Identifier: MIT */
/* Models of CCMpred, adabmDCA and bmDCA: read from bytes that this program writes itself, after the tables of docs/formats.md; what the
 * library writes is taken apart in the same way. */
#include "formats_support.h"

static void put_real(double value) { put_text("%.20e\t", value); }

static void ccmpred_raw(void) {
  used = 0;
  for (int i = 0; i < L; ++i) {
    for (int s = 0; s < 20; ++s) put_real(field_at(i, kCcmpred[s]) - field_at(i, '-'));
    put_text("\n");
  }
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j) {
      put_text("# %d %d\n", i, j);
      for (int s = 0; s < 21; ++s) {
        for (int t = 0; t < 21; ++t) put_real(coupling_at(i, j, kCcmpred[s], kCcmpred[t]));
        put_text("\n");
      }
    }
}

static void test_ccmpred_raw(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kProtein), *back = NULL;
  for (int meta = 0; meta < 2; ++meta) {
    ccmpred_raw();
    if (meta) put_text("#>META> {\"version\": \"0.1\"}");
    save("c.raw");
    assert_kind(context, "c.raw", "ccmpred-raw");
    assert_int_equal(atp_model_read(context, "c.raw", &back), ATP_OK);
    assert_numbers(back, kProtein, 0, 1);
    assert_string_equal(atp_model_alphabet(back), kProtein);
    atp_model_destroy(back);
  }
  /* Ours is the same file, to the byte. */
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_non_null(strstr(last_log, "no field of the gap"));
  char *ours = malloc(sizeof bytes);
  load(context, "ours.raw");
  const size_t n = used;
  memcpy(ours, bytes, n);
  ccmpred_raw();
  assert_int_equal(used, n);
  assert_memory_equal(ours, bytes, n);
  free(ours);
  /* The other order of symbols, and no gap at all. */
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  atp_model_destroy(m);
  m = make_model(context, "VAC-DEFGHIKLMNPQRSTWY");
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_int_equal(atp_model_read(context, "ours.raw", &back), ATP_OK);
  assert_numbers(back, kProtein, 0, 1);
  atp_model_destroy(back);
  atp_model_destroy(m);
  m = make_model(context, kProtein + 1);
  last_log[0] = 0;
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "ours.raw"), ATP_OK);
  assert_non_null(strstr(last_log, "the model has no gap"));
  assert_int_equal(atp_model_read(context, "ours.raw", &back), ATP_OK);
  double f[L * PROTEIN], c[L * L * PROTEIN * PROTEIN];
  assert_int_equal(atp_model_fields(back, f, L * PROTEIN), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(back, c, L * L * PROTEIN * PROTEIN), ATP_OK);
  for (int i = 0; i < L; ++i) assert_true(f[i * PROTEIN] == 0 && f[i * PROTEIN + 5] == field_at(i, kProtein[5]));
  assert_true(c[PROTEIN * PROTEIN + 3] == 0 && c[PROTEIN * PROTEIN + 3 * PROTEIN] == 0);
  assert_true(c[PROTEIN * PROTEIN + 3 * PROTEIN + 4] == coupling_at(0, 1, kProtein[3], kProtein[4]));
  atp_model_destroy(back);
  atp_model_destroy(m);
  m = make_model(context, kAlphabet);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "no.raw"), ATP_E_CONFLICT);
  assert_error(context, "CCMpred's format is for the 21 symbols of proteins");
  atp_model_destroy(m);
}

/* Replace the first `from` after `after` by `to`, of any length. */
static void edit(const char *after, const char *from, const char *to) {
  bytes[used] = 0;
  char *place = strstr(strstr(bytes, after), from);
  assert_non_null(place);
  const size_t n = strlen(from), m = strlen(to), rest = used - (size_t)(place - bytes) - n;
  memmove(place + m, place + n, rest + 1);
  memcpy(place, to, m);
  used = used + m - n;
}

static void test_ccmpred_damage(void **state) {
  atp_context *context = *state;
  ccmpred_raw();
  edit("# 1 2", "e-", "x-");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:72: '");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 0 1");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: the pair 0 1 occurs twice");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 2 0");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: '0', expected a site j > i in 3..3");
  ccmpred_raw();
  edit("# 0 2", "# 0 2", "# 0 4");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:27: '4', expected a site j > i in 1..3");
  ccmpred_raw();
  edit("# 0 3", "\t", "\tnan\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_NOT_FINITE, "wrong:50: 'nan', expected a coupling, finite");
  ccmpred_raw();
  edit("# 0 3", "\t", "\t1\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:50: ");
  ccmpred_raw();
  edit("# 0 3", "\t", "\t1e101\t");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "at most 1e100 in magnitude");
  ccmpred_raw();
  used -= 3000;
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "");
  ccmpred_raw();
  put_text("# 0 1\n");
  refuse_model(context, ATP_MODEL_AUTO, ATP_E_FORMAT, "wrong:137: '#', expected the end after the last pair");
  used = 0;
  put_text("# 0 1\n");
  refuse_model(context, ATP_MODEL_CCMPRED, ATP_E_FORMAT, "0 lines before the first '# i j'");
  used = 0;
  for (int i = 0; i < 3000; ++i) put_text("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n");
  refuse_model(context, ATP_MODEL_CCMPRED, ATP_E_FORMAT, "too few for 4498500 pairs of 3000 sites: cut short?");
}

static void adabm(const char *alphabet, int integers) {
  const int q = (int)strlen(alphabet);
  used = 0;
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j)
      for (int a = 0; a < q; ++a)
        for (int b = 0; b < q; ++b) {
          if (integers)
            put_text("J %d %d %d %d %.17g\n", i, j, a, b, coupling_at(i, j, alphabet[a], alphabet[b]));
          else
            put_text("J %d %d %c %c %.17g\n", i, j, alphabet[a], alphabet[b], coupling_at(i, j, alphabet[a], alphabet[b]));
        }
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < q; ++a) {
      if (integers)
        put_text("h %d %d %.17g\n", i, a, field_at(i, alphabet[a]));
      else
        put_text("h %d %c %.17g\n", i, alphabet[a], field_at(i, alphabet[a]));
    }
}

static void test_adabm(void **state) {
  atp_context *context = *state;
  atp_model *m = NULL, *back = NULL;
  adabm("-ACGU", 0);
  save("params.dat");
  assert_kind(context, "params.dat", "adabm");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  assert_string_equal(atp_model_alphabet(m), "-ACGU");
  assert_numbers(m, "-ACGU", 0, 0);
  const atp_model_format formats[] = {ATP_MODEL_ADABM, ATP_MODEL_BMDCA};
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(atp_model_write_as(context, m, NULL, formats[k], "ours.dat"), ATP_OK);
    assert_kind(context, "ours.dat", k == 0 ? "adabm" : "bmdca");
    assert_int_equal(atp_model_read_as(context, "ours.dat", ATP_MODEL_AUTO, k == 0 ? NULL : "rna", &back), ATP_OK);
    assert_numbers(back, "-ACGU", 0, 0);
    assert_string_equal(atp_model_alphabet(back), "-ACGU");
    atp_model_destroy(back);
  }
  atp_model_destroy(m);
  /* Integers alone have no symbols; letters of our own need the alphabet. */
  adabm(kAlphabet, 1);
  save("params.dat");
  assert_kind(context, "params.dat", "bmdca");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  assert_string_equal(atp_model_alphabet(m), "");
  assert_numbers(m, kAlphabet, 0, 0);
  atp_model_destroy(m);
  adabm(kAlphabet, 0);
  save("params.dat");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_E_CONFLICT);
  assert_error(context, "params.dat: the symbols are '-xy', those of neither protein, rna nor dna: the alphabet must be given");
  assert_int_equal(atp_model_read_as(context, "params.dat", ATP_MODEL_ADABM, kAlphabet, &m), ATP_OK);
  assert_numbers(m, kAlphabet, 0, 0);
  atp_model_destroy(m);
  assert_int_equal(atp_model_read_as(context, "params.dat", ATP_MODEL_ADABM, "-xz", &m), ATP_E_ALPHABET);
  assert_error(context, "params.dat:3: 'y', expected a symbol of '-xz'");

  /* Couplings of pairs j > i, and those that are not there. */
  used = 0;
  put_text("# a comment\nJ 1 0 1 0 0.5\r\n\nJ 0 1 1 1 -1e-3\nh 0 0 +1\nh 0 1 2\nh 1 0 3\nh 1 1 4");
  save("params.dat");
  assert_int_equal(atp_model_read(context, "params.dat", &m), ATP_OK);
  double c[16], f[4];
  assert_int_equal(atp_model_couplings_f64(m, c, 16), ATP_OK);
  assert_int_equal(atp_model_fields(m, f, 4), ATP_OK);
  for (int k = 0; k < 16; ++k) assert_true(c[k] == (k == 5 || k == 10 ? 0.5 : k == 7 || k == 11 ? -1e-3 : 0));
  assert_true(f[0] == 1 && f[1] == 2 && f[2] == 3 && f[3] == 4);
  atp_model_destroy(m);
}

/* GREMLIN's text, of which this program writes what GREMLIN_CPP would: columns in its order, 0-based, six digits or all. */
static void gremlin(const char *states, int digits, int absent) {
  const int q = (int)strlen(states);
  used = 0;
  for (int i = 0; i < L; ++i) {
    put_text("V[%lld]", (long long)kNumbers[i] - 1);
    for (int a = 0; a < q; ++a) put_text(" %.*g", digits, field_at(i, states[a]));
    put_text("\n");
  }
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j) {
      if (j - i == absent) continue;
      put_text("W[%lld][%lld]", (long long)kNumbers[i] - 1, (long long)kNumbers[j] - 1);
      for (int a = 0; a < q; ++a)
        for (int b = 0; b < q; ++b) put_text(" %.*g", digits, coupling_at(i, j, states[a], states[b]));
      put_text("\n");
    }
}

static void test_gremlin(void **state) {
  atp_context *context = *state;
  const struct {
    const char *states, *alphabet, *given;
  } cases[] = {
      {kCcmpred, kProtein, NULL}, {"AUCG-", "-ACGU", NULL}, {"ATCG-", "-ACGT", "dna"}, {"01-", "-01", NULL}, {"01-", "1-0", "1-0"}};
  for (int k = 0; k < 5; ++k) {
    atp_model *m = NULL, *back = NULL;
    gremlin(cases[k].states, 17, 0);
    save("m.mrf");
    assert_kind(context, "m.mrf", "gremlin-mrf");
    assert_int_equal(atp_model_read_as(context, "m.mrf", k % 2 ? ATP_MODEL_AUTO : ATP_MODEL_GREMLIN, cases[k].given, &m), ATP_OK);
    assert_string_equal(atp_model_alphabet(m), cases[k].alphabet);
    assert_numbers(m, cases[k].alphabet, 0, 0);
    assert_memory_equal(atp_model_site_numbers_view(m), kNumbers, sizeof kNumbers);
    assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_GREMLIN, "ours.mrf"), ATP_OK);
    char first[64];
    load(context, "ours.mrf");
    snprintf(first, sizeof first, "V[11] %.6f", field_at(0, cases[k].states[0])); /* the beginning of all its digits */
    assert_int_equal(strncmp(bytes, first, strlen(first) - 1), 0);
    assert_int_equal(atp_model_read_as(context, "ours.mrf", ATP_MODEL_AUTO, cases[k].given, &back), ATP_OK);
    assert_numbers(back, cases[k].alphabet, 0, 0);
    assert_memory_equal(atp_model_site_numbers_view(back), kNumbers, sizeof kNumbers);
    atp_model_destroy(back);
    atp_model_destroy(m);
  }
  /* Six digits, and pairs that GREMLIN left out (-pair_i). */
  atp_model *m = NULL;
  double c[L * L * 9];
  gremlin("01-", 6, 2);
  save("m.mrf");
  assert_int_equal(atp_model_read(context, "m.mrf", &m), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(m, c, L * L * 9), ATP_OK);
  for (int i = 0; i < L; ++i)
    for (int j = i + 1; j < L; ++j)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          assert_close(c[((i * L + j) * 3 + a) * 3 + b], j - i == 2 ? 0 : coupling_at(i, j, "-01"[a], "-01"[b]), 1e-5, 1e-12);
  atp_model_destroy(m);
  /* A model without a gap, and one of other symbols. */
  last_log[0] = 0;
  m = make_model(context, "ACGU");
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_GREMLIN, "ours.mrf"), ATP_OK);
  assert_non_null(strstr(last_log, "the model has no gap"));
  atp_model_destroy(m);
  assert_int_equal(atp_model_read(context, "ours.mrf", &m), ATP_OK);
  assert_string_equal(atp_model_alphabet(m), "-ACGU");
  atp_model_destroy(m);
  m = make_model(context, "-xy");
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_GREMLIN, "ours.mrf"), ATP_E_CONFLICT);
  assert_error(context, "the alphabet '-xy', GREMLIN's format is for proteins, RNA, DNA and 0, 1");
  atp_model_destroy(m);
}

static void test_gremlin_damage(void **state) {
  atp_context *context = *state;
  const struct {
    const char *text;
    atp_status status;
    const char *error;
  } cases[] = {
      {"V[0] 1 2 3\n", ATP_E_FORMAT, "wrong: 1 lines V[i], expected 2"},
      {"V[0] 1 2 3\nV[1] 1 2\n", ATP_E_FORMAT, "wrong:2: the line ends, expected a field"},
      {"V[0] 1 2 3\nV[1] 1 2 3 4\n", ATP_E_FORMAT, "wrong:2: '4', expected the end of the line"},
      {"V[0] 1 2 3\nV[0] 1 2 3\n", ATP_E_FORMAT, "wrong:2: V[0], expected sites in ascending order"},
      {"V[0] 1 2 3 4\nV[1] 1 2 3 4\n", ATP_E_FORMAT, "wrong: 4 numbers in a line V[i], expected 21"},
      {"V[0] 1 2 nan\nV[1] 1 2 3\n", ATP_E_NOT_FINITE, "wrong:1: 'nan'"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nX[0] 1\n", ATP_E_FORMAT, "wrong:3: 'X[0]', expected V[i] or W[i][j]"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nW[0] 1\n", ATP_E_FORMAT, "wrong:3: 'W[0]', expected V[i] or W[i][j]"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nW[0][3] 1\n", ATP_E_FORMAT, "wrong:3: site 3 has no line V[3]"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nW[4][4] 1\n", ATP_E_FORMAT, "wrong:3: both sites are 4"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nW[0][4] 1 2 3 4 5 6 7 8\n", ATP_E_FORMAT, "wrong:3: the line ends, expected a coupling"},
      {"V[0] 1 2 3\nV[4] 1 2 3\nW[0][4] 1 2 3 4 5 6 7 8 9\nW[4][0] 1 2 3 4 5 6 7 8 9\n", ATP_E_FORMAT, "wrong:4: this pair occurs"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    used = 0;
    put(cases[k].text, strlen(cases[k].text));
    refuse_model(context, ATP_MODEL_AUTO, cases[k].status, cases[k].error);
  }
  atp_model *m = NULL;
  used = 0;
  put_text("V[0] 1 2 3\nV[4] 1 2 3\n");
  save("m.mrf");
  assert_int_equal(atp_model_read_as(context, "m.mrf", ATP_MODEL_AUTO, "-xy", &m), ATP_E_CONFLICT);
  assert_error(context, "GREMLIN has no such alphabet '-xy'");
}

static void refuse_text(atp_context *context, const char *text, atp_status status, const char *error) {
  used = 0;
  put(text, strlen(text));
  refuse_model(context, ATP_MODEL_BMDCA, status, error);
}

static void test_adabm_damage(void **state) {
  atp_context *context = *state;
#define FIELDS "h 0 0 1\nh 0 1 2\nh 1 0 3\nh 1 1 4\n"
  refuse_text(context, FIELDS "K 1 1 4\n", ATP_E_FORMAT, "wrong:5: 'K', expected a line 'J i j a b value' or 'h i a value'");
  refuse_text(context, FIELDS "J 0 1 0 0 0.1\nJ 1 0 0 0 0.1\n", ATP_E_FORMAT, "wrong:6: this coupling of sites 1 and 0 occurs twice");
  refuse_text(context, FIELDS "h 1 1 4\n", ATP_E_FORMAT, "5 lines 'h i a value', expected 4");
  refuse_text(context, "h 0 0 1\nh 0 0 2\nh 1 0 3\nh 1 1 4\n", ATP_E_FORMAT, "wrong:2: this field of site 0 occurs twice");
  refuse_text(context, "h 0 0 1\nh 0 1 2\nh 1 0 3\n", ATP_E_FORMAT, "3 lines 'h i a value', expected 4");
  refuse_text(context, FIELDS "J 1 1 0 0 4\n", ATP_E_FORMAT, "wrong:5: site 1 is coupled to itself");
  refuse_text(context, FIELDS "J 0 1 0 0\n", ATP_E_FORMAT, "wrong:5: the line ends, expected a value");
  refuse_text(context, FIELDS "J 0 1 0 0 1 1\n", ATP_E_FORMAT, "wrong:5: '1', expected the end of the line after the value");
  refuse_text(context, FIELDS "J 0 1 0 0 1.5.2\n", ATP_E_FORMAT, "wrong:5: '1.5.2', expected a value, a number");
  refuse_text(context, FIELDS "J 0 1 0 0 inf\n", ATP_E_NOT_FINITE, "wrong:5: 'inf', expected a value, finite");
  refuse_text(context, FIELDS "J 0 -1 0 0 1\n", ATP_E_FORMAT, "wrong:5: '-1', expected a site j in 0..65535");
  refuse_text(context, FIELDS "J 65535 65534 254 254 1\n", ATP_E_FORMAT, "4 lines 'h i a value', expected 16711680");
  refuse_text(context, FIELDS "J 0 1 255 0 1\n", ATP_E_FORMAT, "wrong:5: '255', expected a colour in 0..254");
  refuse_text(context, "J 0 1 1 0 1\n", ATP_E_FORMAT, "0 lines 'h i a value' for 2 sites and 2 colours");
  refuse_text(context, "h 0 0 1\nh 0 1 1\n", ATP_E_FORMAT, "for 1 sites and 2 colours");
  refuse_text(context, "", ATP_E_FORMAT, "0 lines 'h i a value'");
}

/* Heads, beta and couplings that are not symmetric: energies of sequences stay those of beta * H, to the precision of each format. */
static void test_energies(void **state) {
  atp_context *context = *state;
  double maps[L * L], values[Q * Q], fields[L * Q], before[N], after[N];
  for (int k = 0; k < L * L; ++k) maps[k] = k % (L + 1) == 0 ? 0 : sin(1 + k);
  for (int k = 0; k < Q * Q; ++k) values[k] = cos(2 + k);
  for (int k = 0; k < L * Q; ++k) fields[k] = sin(30 + k);
  atp_model *m = NULL, *back = NULL;
  atp_alignment *a = make_alignment(context);
  assert_int_equal(atp_model_create_heads(context, (const int64_t[]){L, Q, 1}, maps, values, fields, &m), ATP_OK);
  assert_int_equal(atp_model_set_alphabet(m, kAlphabet), ATP_OK);
  assert_int_equal(atp_model_set_beta(m, 1.75), ATP_OK);
  assert_int_equal(atp_model_energies(m, kSequences, N, before, N), ATP_OK);
  const struct {
    atp_model_format format;
    double tolerance;
  } formats[] = {{ATP_MODEL_PLMC, 1e-6}, {ATP_MODEL_ADABM, 1e-14}, {ATP_MODEL_BMDCA, 1e-14}};
  for (size_t k = 0; k < sizeof formats / sizeof *formats; ++k) {
    last_log[0] = 0;
    assert_int_equal(atp_model_write_as(context, m, a, formats[k].format, "file"), ATP_OK);
    assert_non_null(strstr(last_log, "the couplings are not symmetric"));
    assert_int_equal(atp_model_read_as(context, "file", ATP_MODEL_AUTO, kAlphabet, &back), ATP_OK);
    assert_true(atp_model_beta(back) == 1);
    assert_int_equal(atp_model_energies(back, kSequences, N, after, N), ATP_OK);
    for (int n = 0; n < N; ++n) assert_close(after[n], 1.75 * before[n], formats[k].tolerance, formats[k].tolerance);
    atp_model_destroy(back);
  }
  atp_model_destroy(m);
  /* CCMpred: differences of energies. */
  m = make_model(context, kProtein);
  assert_int_equal(atp_model_energies(m, kSequences, N, before, N), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_CCMPRED, "file"), ATP_OK);
  assert_int_equal(atp_model_read(context, "file", &back), ATP_OK);
  assert_int_equal(atp_model_energies(back, kSequences, N, after, N), ATP_OK);
  double shift = 0;
  for (int i = 0; i < L; ++i) shift += field_at(i, '-');
  for (int n = 0; n < N; ++n) assert_close(after[n] - before[n], shift, 1e-13, 1e-13);
  atp_model_destroy(back);
  atp_model_destroy(m);
  atp_alignment_destroy(a);
}

static void test_statuses(void **state) {
  atp_context *context = *state;
  atp_model *m = make_model(context, kAlphabet), *none = (atp_model *)(uintptr_t)64;
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_AUTO, "x"), ATP_E_VALUE);
  assert_int_equal(atp_model_write_as(context, m, NULL, (atp_model_format)8, "x"), ATP_E_VALUE);
  assert_int_equal(atp_model_read_as(context, "x", (atp_model_format)8, NULL, &none), ATP_E_VALUE);
  assert_null(none);
  assert_int_equal(atp_model_set_alphabet(m, ""), ATP_OK);
  assert_int_equal(atp_model_write_as(context, m, NULL, ATP_MODEL_ADABM, "x"), ATP_E_CONFLICT);
  assert_int_equal(folder_entries(), 0);
  atp_model_destroy(m);
  /* Texts that are none of them. */
  const char *texts[] = {"0 1 2\n0 0 1\n", "hello\n", "J\n", "# 0 1\n", "1.5\n", "0.1,0.2\n"};
  const char *kinds[] = {"integers", "unknown", "unknown", "unknown", "ccmpred-matrix", "unknown"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    assert_int_equal(folder_put("text", texts[k], strlen(texts[k])), 0);
    assert_kind(context, "text", kinds[k]);
    assert_int_equal(atp_model_read(context, "text", &none), ATP_E_FORMAT);
    assert_null(none);
  }
  /* A matrix of 20 sites begins as a raw model does. */
  used = 0;
  for (int k = 0; k < 400; ++k) put_text("%.20e\t%s", 0.5, k % 20 == 19 ? "\n" : "");
  save("c.mat");
  assert_kind(context, "c.mat", "ccmpred-matrix");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_ccmpred_raw),    TEST(test_ccmpred_damage), TEST(test_adabm),    TEST(test_gremlin),
      TEST(test_gremlin_damage), TEST(test_adabm_damage),   TEST(test_energies), TEST(test_statuses),
  };
  return run_in_folder(tests, sizeof tests / sizeof *tests);
}
