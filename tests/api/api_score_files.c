/* SPDX-License-Identifier: MIT */
/* Scores of pairs in files of other tools: read from bytes that this program writes itself, after the tables of docs/formats.md; what the
 * library writes is taken apart in the same way. */
#include "formats_support.h"

static double score_at(int i, int j) { return i == j ? 0 : round(1e6 * sin(1 + i * j + i + j)) / 1e6; }

static void test_scores(void **state) {
  atp_context *context = *state;
  double scores[L * L], back[L * L];
  int64_t sites = 0, numbers[L];
  char residues[L + 1];
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) scores[i * L + j] = score_at(i, j);
  used = 0;
  for (int k = 0; k < L * L; ++k) put_text("%.20e\t%s", scores[k], k % L == L - 1 ? "\n" : "");
  put_text("#>META> {}");
  save("c.mat");
  assert_kind(context, "c.mat", "ccmpred-matrix");
  assert_int_equal(atp_scores_sites(context, "c.mat", &sites), ATP_OK);
  assert_int_equal(sites, L);
  assert_int_equal(atp_scores_read(context, "c.mat", back, L * L, numbers, residues), ATP_OK);
  assert_memory_equal(back, scores, sizeof scores);
  assert_true(numbers[0] == 1 && numbers[L - 1] == L);
  assert_string_equal(residues, "");
  assert_int_equal(atp_scores_write(context, scores, L, NULL, NULL, ATP_SCORES_CCMPRED, "ours.mat"), ATP_OK);
  const size_t n = used - 10;
  char *expected = malloc(sizeof bytes);
  memcpy(expected, bytes, n);
  load(context, "ours.mat");
  assert_int_equal(used, n);
  assert_memory_equal(bytes, expected, n);

  for (int focus = 0; focus < 2; ++focus) {
    used = 0;
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j) {
        if (focus)
          put_text("%lld %c %lld %c 0 %f\n", (long long)kNumbers[i], "WxyZ"[i], (long long)kNumbers[j], "WxyZ"[j], scores[i * L + j]);
        else
          put_text("%d - %d - 0 %f\n", i + 1, j + 1, scores[i * L + j]);
      }
    save("p.couplings");
    assert_kind(context, "p.couplings", "plmc-couplings");
    memcpy(expected, bytes, used);
    const size_t size = used;
    assert_int_equal(atp_scores_sites(context, "p.couplings", &sites), ATP_OK);
    assert_int_equal(sites, L);
    assert_int_equal(atp_scores_read(context, "p.couplings", back, L * L, numbers, residues), ATP_OK);
    assert_memory_equal(back, scores, sizeof scores);
    assert_string_equal(residues, focus ? "WxyZ" : "");
    for (int i = 0; i < L; ++i) assert_int_equal(numbers[i], focus ? kNumbers[i] : i + 1);
    assert_int_equal(atp_scores_write(context, scores, L, numbers, residues, ATP_SCORES_PLMC, "ours.couplings"), ATP_OK);
    load(context, "ours.couplings");
    assert_int_equal(used, size);
    assert_memory_equal(bytes, expected, size);
  }
  free(expected);
}

/* EVcouplings' CSV: written with the best pair first and all digits; read in any order, also with the columns that its pipeline adds. */
static void test_evcouplings(void **state) {
  atp_context *context = *state;
  double scores[L * L], back[L * L];
  int64_t sites = 0, numbers[L];
  char residues[L + 1], *line = bytes;
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) scores[i * L + j] = i == j ? 0 : sin(1 + i * j + i + j) / 3;
  assert_int_equal(atp_scores_write(context, scores, L, kNumbers, "WxyZ", ATP_SCORES_EVCOUPLINGS, "ours.csv"), ATP_OK);
  assert_kind(context, "ours.csv", "evcouplings-scores");
  load(context, "ours.csv");
  bytes[used] = 0;
  double last = INFINITY;
  int seen = 0;
  assert_int_equal(strncmp(line, "i,A_i,j,A_j,fn,cn\n", 18), 0);
  for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1, ++seen) {
    long long i = 0, j = 0;
    char a = 0, b = 0;
    double fn = -1, cn = 0;
    int x = 0, y = 0;
    assert_int_equal(sscanf(line, "%lld,%c,%lld,%c,%lf,%lf\n", &i, &a, &j, &b, &fn, &cn), 6);
    while (kNumbers[x] != i) ++x;
    while (kNumbers[y] != j) ++y;
    assert_true(x < y && a == "WxyZ"[x] && b == "WxyZ"[y] && fn == 0 && cn == scores[x * L + y] && cn <= last);
    last = cn;
  }
  assert_int_equal(seen, PAIRS);
  assert_int_equal(atp_scores_sites(context, "ours.csv", &sites), ATP_OK);
  assert_int_equal(sites, L);
  assert_int_equal(atp_scores_read(context, "ours.csv", back, L * L, numbers, residues), ATP_OK);
  assert_memory_equal(back, scores, sizeof scores);
  assert_memory_equal(numbers, kNumbers, sizeof numbers);
  assert_string_equal(residues, "WxyZ");
  const char *pipeline =
      "i,A_i,j,A_j,fn,cn,segment_i,segment_j,probability,score\n2,A,5,C,0,0.75,A,A,0.99,0.7\n2,A,9,D,0,-0.5,A,A,,\n"
      "5,C,9,D,0.25,0.125,A_1,B_1,0.5,1\n";
  assert_int_equal(folder_put("theirs.csv", pipeline, strlen(pipeline)), 0);
  assert_int_equal(atp_scores_read(context, "theirs.csv", back, 9, numbers, residues), ATP_OK);
  assert_true(back[1] == 0.75 && back[3] == 0.75 && back[2] == -0.5 && back[7] == 0.125);
  assert_true(numbers[1] == 5 && numbers[2] == 9);
  assert_string_equal(residues, "ACD");
}

static void refuse_scores(atp_context *context, const char *text, atp_status status, const char *error) {
  double scores[16];
  for (int k = 0; k < 16; ++k) scores[k] = -7;
  assert_int_equal(folder_put("wrong", text, strlen(text)), 0);
  assert_int_equal(atp_scores_read(context, "wrong", scores, 9, NULL, NULL), status);
  assert_error(context, error);
  for (int k = 0; k < 16; ++k) assert_true(scores[k] == -7);
}

static void test_scores_damage(void **state) {
  atp_context *context = *state;
  refuse_scores(context, "", ATP_E_FORMAT, "wrong: no scores of pairs");
  refuse_scores(context, ">a\nACD\n", ATP_E_FORMAT, "wrong: no scores of pairs");
  refuse_scores(context, "0 0.5 1\n0.5 0 1\n", ATP_E_FORMAT, "too few for 3 rows of 3 numbers");
  refuse_scores(context, "0 0.5 1\n0.5 0 1.000\n", ATP_E_FORMAT, "wrong:2: 2 rows, expected 3");
  refuse_scores(context, "0 0.5 1\n0.5 0\n0 0 0\n", ATP_E_FORMAT, "wrong:2: the line ends, expected a score");
  refuse_scores(context, "0 0.5 1\n0.5 0 0 0\n0 0 0\n", ATP_E_FORMAT, "wrong:2: '0', expected the end of the line");
  refuse_scores(context, "0 0.5 1\n0.5 0 x\n0 0 0\n", ATP_E_FORMAT, "wrong:2: 'x', expected a score");
  refuse_scores(context, "0 0.5 1\n0.5 0 nan\n0 0 0\n", ATP_E_NOT_FINITE, "wrong:2: 'nan', expected a score, finite");
  refuse_scores(context, "0 0.5 1\n0.5 0 0\n0 0 0\n0 0 0\n", ATP_E_FORMAT, "wrong:4: a row too many, expected 3");
  refuse_scores(context, "0 0.5\n0.5 0\n", ATP_E_SHAPE, "size is 9, must be 4");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n", ATP_E_FORMAT, "2 lines, expected L (L - 1) / 2");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n1 - 2 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: the pair 1 2 occurs twice");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n1 - 4 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: the file has the pairs of 3 sites");
  refuse_scores(context, "1 - 2 - 0 0.5\n1 - 3 - 0 0.5\n3 - 3 - 0 0.5\n", ATP_E_FORMAT, "wrong:3: both sites are 3");
  refuse_scores(context, "1 A 2 C 0 0.5\n1 A 3 D 0 0.5\n2 D 3 D 0 0.5\n", ATP_E_FORMAT, "wrong:3: site 2 is 'D' here and 'C' before");
  refuse_scores(context, "1 A 2 C 0 0.5\n1 A 3 D 0 0.5\n2 C 3 D 0\n", ATP_E_FORMAT, "wrong:3: the line ends, expected a score");
  refuse_scores(context, "i,A_i,j,A_j,fn,cn\n1,A,2,C,0,0.5\n1,A,3,D,0,x\n2,C,3,D,0,1\n", ATP_E_FORMAT, "wrong:3: 'x', expected a score");
  refuse_scores(context, "i,A_i,j,A_j,fn,cn\n1,A,2,C,0,0.5\n1,A,3,D,0,1\n", ATP_E_FORMAT, "2 lines, expected L (L - 1) / 2");
  refuse_scores(context, "i,A_i,j,A_j,fn,cn\n", ATP_E_FORMAT, "0 lines, expected L (L - 1) / 2");
  refuse_scores(context, "i,A_i,j,A_j,fn\n1,A,2,C,0\n", ATP_E_FORMAT, "wrong: no scores of pairs");
  double scores[9] = {0};
  assert_int_equal(atp_scores_write(context, scores, 1, NULL, NULL, ATP_SCORES_PLMC, "x"), ATP_E_VALUE);
  assert_int_equal(atp_scores_write(context, scores, 3, NULL, NULL, (atp_score_format)4, "x"), ATP_E_VALUE);
  assert_int_equal(atp_scores_write(context, scores, 3, NULL, "AB", ATP_SCORES_PLMC, "x"), ATP_E_SHAPE);
  scores[5] = INFINITY;
  assert_int_equal(atp_scores_write(context, scores, 3, NULL, NULL, ATP_SCORES_PLMC, "x"), ATP_E_NOT_FINITE);
  assert_int_equal(atp_scores_sites(context, "absent", &(int64_t){0}), ATP_E_OPEN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_scores),
      TEST(test_evcouplings),
      TEST(test_scores_damage),
  };
  return run_in_folder(tests, sizeof tests / sizeof *tests);
}
