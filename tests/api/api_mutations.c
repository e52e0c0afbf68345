/* SPDX-License-Identifier: MIT */
/* Mutants through the C API: scores of a small model by hand, independent sites by counting, agreement, and every status. */
#include "model_fixture.h"

static const uint8_t *const kWild = kSequences; /* 0, 1, 2 */

static void texts_and_scores(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  int64_t changes[12], count = -7;
  assert_int_equal(atp_mutations_parse(m, kWild, L, "A1C", changes, 4, &count), ATP_E_CONFLICT);
  assert_error(context, "the model has no alphabet");
  assert_int_equal(atp_model_set_alphabet(m, "-AC"), ATP_OK);
  assert_int_equal(atp_mutations_parse(m, kWild, L, "-1A/A2C:C3-\nC3A", changes, 4, &count), ATP_OK);
  assert_int_equal(count, 4);
  const int64_t expected[12] = {0, 0, 1, 0, 1, 2, 0, 2, 0, 1, 2, 1};
  assert_memory_equal(changes, expected, sizeof expected);
  double scores[6];
  assert_int_equal(atp_model_score_mutants(context, m, kWild, changes, 4, scores, 3), ATP_OK);
  const uint8_t mutants[3][L] = {{1, 2, 0}, {0, 1, 1}, {0, 1, 2}};
  for (int k = 0; k < 3; ++k) {
    assert_close(scores[2 * k + ATP_MUTANT_ENERGY], energy(mutants[k]) - energy(kWild), 1e-13, 1e-14);
    assert_close(scores[2 * k + ATP_MUTANT_LOG_PSEUDOLIKELIHOOD], log_pl(mutants[k], 1) - log_pl(kWild, 1), 1e-13, 1e-14);
  }

  count = -7;
  changes[0] = -7;
  assert_int_equal(atp_mutations_parse(m, kWild, L, "-1A\nC2A", changes, 4, &count), ATP_E_MISMATCH);
  assert_error(context, "line 2: \"C2A\": site 2 is A in the sequence, not C");
  assert_int_equal(atp_mutations_parse(m, kWild, L, "X2A", changes, 4, &count), ATP_E_FORMAT);
  assert_int_equal(atp_mutations_parse(m, kWild, L, "-1A/A2C", changes, 1, &count), ATP_E_BUFFER);
  assert_error(context, "capacity is 1, must be at least 2");
  assert_int_equal(atp_mutations_parse(m, kWild, L, "A2C", changes, 0, &count), ATP_E_VALUE);
  assert_int_equal(atp_mutations_parse(m, kWild, L + 1, "A2C", changes, 4, &count), ATP_E_SHAPE);
  const uint8_t wrong[L] = {0, Q, 1};
  assert_int_equal(atp_mutations_parse(m, wrong, L, "A2C", changes, 4, &count), ATP_E_ALPHABET);
  assert_true(count == -7 && changes[0] == -7);
  atp_model_destroy(m);
}

/* A letter in the other case stands for one that the alphabet lacks, and only then. */
static void letters_in_the_other_case(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  int64_t changes[3], count;
  assert_int_equal(atp_model_set_alphabet(m, "-AC"), ATP_OK);
  assert_int_equal(atp_mutations_parse(m, kWild, L, "a2c", changes, 1, &count), ATP_OK);
  assert_true(changes[1] == 1 && changes[2] == 2);
  assert_int_equal(atp_model_set_alphabet(m, "-aC"), ATP_OK);
  assert_int_equal(atp_mutations_parse(m, kWild, L, "A2c", changes, 1, &count), ATP_OK);
  assert_true(changes[1] == 1 && changes[2] == 2);
  assert_int_equal(atp_model_set_alphabet(m, "-Aa"), ATP_OK);
  assert_int_equal(atp_mutations_parse(m, kWild, L, "a2A", changes, 1, &count), ATP_E_MISMATCH);
  atp_model_destroy(m);
}

enum { LONG = 60 };

/* The offset of a list of all sites of a random sequence with other numbers, against counts by plain loops. */
static void offset_of_numbers(void **state) {
  atp_context *context = *state;
  static const char letters[] = "-ACDEFGHIK";
  atp_model *m = NULL;
  assert_int_equal(atp_model_create_random(context, LONG, 10, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &m), ATP_OK);
  int64_t found[4] = {-7, -7, -7, -7};
  uint8_t wild[LONG];
  uint32_t seed = 5;
  for (int i = 0; i < LONG; ++i) wild[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 16) % 10;
  assert_int_equal(atp_mutations_offset(context, m, wild, LONG, "A1C", found), ATP_E_CONFLICT);
  assert_int_equal(atp_model_set_alphabet(m, letters), ATP_OK);
  assert_int_equal(atp_mutations_offset(context, m, wild, LONG - 1, "A1C", found), ATP_E_SHAPE);
  assert_true(found[0] == -7 && found[3] == -7);
  for (int shift = -70; shift <= 70; shift += 35) {
    char text[LONG * 20] = "mutant\n\n";
    int best = 0, now = 0;
    for (int i = 0; i < LONG; ++i) { /* two mutants of each residue, the second one in lower case; the last letter is wrong */
      const char a = letters[i == LONG - 1 ? (wild[i] + 1) % 10 : wild[i]], low = a == '-' ? a : (char)(a + 'a' - 'A');
      sprintf(text + strlen(text), "%c%dA:%c%dC\n", a, i + 1 - shift, low, i + 1 - shift);
    }
    for (int d = -2 * LONG; d <= 2 * LONG; ++d) {
      int fits = 0;
      for (int i = 0; i < LONG; ++i) {
        const int site = i - shift + d;
        fits += site >= 0 && site < LONG && wild[site] == (i == LONG - 1 ? (wild[i] + 1) % 10 : wild[i]);
      }
      if (fits > best) best = fits;
      if (d == 0) now = fits;
    }
    assert_int_equal(atp_mutations_offset(context, m, wild, LONG, text, found), ATP_OK);
    assert_int_equal(found[0], LONG);
    assert_int_equal(found[1], now);
    assert_int_equal(found[2], shift);
    assert_int_equal(found[3], best);
  }
  assert_int_equal(atp_mutations_offset(context, m, wild, LONG, "mutant\nX7A", found), ATP_OK);
  assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0 && found[3] == 0);
  atp_model_destroy(m);
}

static void wrong_changes(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  const struct {
    int64_t changes[6], n;
    const char *text;
  } bad[] = {
      {{0, 0, 1, 1, 0, 1}, 1, "changes[1][0] is 1, must be in 0..0"},     {{1, 0, 1, 0, 1, 1}, 2, "changes[1][0] is 0, must not be below"},
      {{0, 0, 1, 0, 3, 1}, 1, "changes[1][1] is 3, must be in 0..2"},     {{0, 0, 1, 0, 1, 3}, 1, "changes[1][2] is 3, must be in 0..2"},
      {{0, 1, 1, 0, 1, 2}, 1, "changes[1][1] is 1, the site of another"}, {{-1, 1, 1, 0, 1, 2}, 1, "changes[0][0] is -1"},
      {{0, -1, 1, 0, 1, 2}, 1, "changes[0][1] is -1, must be in 0..2"},
  };
  fill();
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    assert_int_equal(atp_model_score_mutants(context, m, kWild, bad[k].changes, 2, untouched, bad[k].n), ATP_E_VALUE);
    assert_error(context, bad[k].text);
  }
  const uint8_t wrong[L] = {0, Q, 1};
  assert_int_equal(atp_model_score_mutants(context, m, wrong, bad[0].changes, 1, untouched, 1), ATP_E_ALPHABET);
  assert_int_equal(atp_model_score_mutants(context, m, kWild, bad[0].changes, 0, untouched, 1), ATP_E_VALUE);
  assert_int_equal(atp_model_score_mutants(context, m, kWild, bad[0].changes, 1, untouched, 0), ATP_E_VALUE);
  assert_untouched();
  atp_model_destroy(m);
}

static void doubles(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  const int64_t pairs[] = {2, 0, 0, 1}, same[] = {1, 1}, beyond[] = {0, 3};
  double energies[2 * Q * Q], lowest[12];
  int64_t best[48];
  assert_int_equal(atp_model_double_mutants(context, m, kWild, pairs, 2, energies, 2 * Q * Q), ATP_OK);
  for (int k = 0; k < 2 * Q * Q; ++k) {
    uint8_t mutant[L];
    memcpy(mutant, kWild, L);
    mutant[pairs[k / (Q * Q) * 2]] = (uint8_t)(k / Q % Q);
    mutant[pairs[k / (Q * Q) * 2 + 1]] = (uint8_t)(k % Q);
    assert_close(energies[k], energy(mutant) - energy(kWild), 1e-13, 1e-14);
  }
  /* All 3 * 2 * 2, in ascending order. */
  assert_int_equal(atp_model_best_doubles(context, m, kWild, -1, best, lowest, 12), ATP_OK);
  for (int k = 0; k < 12; ++k) {
    uint8_t mutant[L];
    memcpy(mutant, kWild, L);
    mutant[best[4 * k]] = (uint8_t)best[4 * k + 1];
    mutant[best[4 * k + 2]] = (uint8_t)best[4 * k + 3];
    assert_close(lowest[k], energy(mutant) - energy(kWild), 1e-13, 1e-14);
    assert_true(k == 0 || lowest[k - 1] <= lowest[k]);
  }
  fill();
  best[0] = -7;
  assert_int_equal(atp_model_double_mutants(context, m, kWild, same, 1, untouched, Q * Q), ATP_E_VALUE);
  assert_error(context, "pairs[0][1] is 1 as the other site of the pair");
  assert_int_equal(atp_model_double_mutants(context, m, kWild, beyond, 1, untouched, Q * Q), ATP_E_VALUE);
  assert_int_equal(atp_model_double_mutants(context, m, kWild, pairs, 0, untouched, 0), ATP_E_VALUE);
  assert_int_equal(atp_model_double_mutants(context, m, kWild, pairs, 2, untouched, Q * Q), ATP_E_SHAPE);
  assert_int_equal(atp_model_best_doubles(context, m, kWild, -1, best, untouched, 13), ATP_E_VALUE);
  assert_error(context, "k is 13, must be in 1..12");
  assert_int_equal(atp_model_best_doubles(context, m, kWild, -1, best, untouched, 0), ATP_E_VALUE);
  assert_int_equal(atp_model_best_doubles(context, m, kWild, -3, best, untouched, 1), ATP_E_VALUE);
  assert_int_equal(atp_model_best_doubles(context, m, kWild, Q, best, untouched, 1), ATP_E_VALUE);
  /* Without colour 0: one new colour at the second and third site, two at the first. */
  assert_int_equal(atp_model_best_doubles(context, m, kWild, 0, best, untouched, 6), ATP_E_VALUE);
  assert_error(context, "k is 6, must be in 1..5");
  assert_true(best[0] == -7);
  assert_untouched();
  assert_int_equal(atp_model_best_doubles(context, m, kWild, 0, best, lowest, 5), ATP_OK);
  for (int k = 0; k < 5; ++k) assert_true(best[4 * k + 1] != 0 && best[4 * k + 3] != 0);
  atp_model_destroy(m);
}

/* Against energies of whole sequences; a mutation to the wild type's colour has none. */
static void epistasis(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  int64_t best[48], wrong[4];
  double lowest[12], energies[12], found[12];
  assert_int_equal(atp_model_best_doubles(context, m, kWild, -1, best, lowest, 12), ATP_OK);
  assert_int_equal(atp_model_epistasis(context, m, kWild, best, 12, energies, found), ATP_OK);
  for (int k = 0; k < 12; ++k) {
    uint8_t one[L], other[L];
    memcpy(one, kWild, L);
    memcpy(other, kWild, L);
    one[best[4 * k]] = (uint8_t)best[4 * k + 1];
    other[best[4 * k + 2]] = (uint8_t)best[4 * k + 3];
    assert_true(energies[k] == lowest[k]);
    assert_close(found[k], lowest[k] - (energy(one) - energy(kWild)) - (energy(other) - energy(kWild)), 1e-13, 1e-13);
  }
  const int64_t own[4] = {0, kWild[0], 1, 0};
  assert_int_equal(atp_model_epistasis(context, m, kWild, own, 1, energies, found), ATP_OK);
  assert_true(found[0] == 0);
  fill();
  const struct {
    int64_t double_mutant[4];
    const char *text;
  } bad[] = {{{L, 0, 1, 0}, "doubles[0][0] is 3, must be in 0..2"},
             {{0, Q, 1, 0}, "doubles[0][1] is 3, must be in 0..2"},
             {{1, 0, 1, 1}, "doubles[0][2] is 1, the first site of the mutant, must be another one"},
             {{1, 0, 2, -1}, "doubles[0][3] is -1, must be in 0..2"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    memcpy(wrong, bad[k].double_mutant, sizeof wrong);
    assert_int_equal(atp_model_epistasis(context, m, kWild, wrong, 1, untouched, untouched + 1), ATP_E_VALUE);
    assert_error(context, bad[k].text);
  }
  assert_int_equal(atp_model_epistasis(context, m, kWild, best, 0, untouched, untouched + 1), ATP_E_VALUE);
  assert_untouched();
  atp_model_destroy(m);
}

/* Against loops over all pairs of sites. */
static void count_of_doubles(void **state) {
  atp_context *context = *state;
  atp_model *m = make(context);
  for (int64_t gap = -1; gap < Q; ++gap) {
    uint8_t wild[L] = {0, 1, ATP_MISSING};
    int64_t expected = 0, count = -7;
    for (int i = 0; i < L; ++i)
      for (int j = i + 1; j < L; ++j)
        for (int a = 0; a < Q; ++a)
          for (int b = 0; b < Q; ++b) expected += a != wild[i] && b != wild[j] && a != gap && b != gap;
    assert_int_equal(atp_model_count_doubles(m, wild, gap, &count), ATP_OK);
    assert_int_equal(count, expected);
  }
  int64_t count = -7;
  assert_int_equal(atp_model_count_doubles(m, kWild, ATP_GAP_AUTO, &count), ATP_OK); /* its alphabet begins with the gap, or it has none */
  count = -7;
  assert_int_equal(atp_model_count_doubles(m, kWild, Q, &count), ATP_E_VALUE);
  assert_int_equal(atp_model_count_doubles(m, kWild, -3, &count), ATP_E_VALUE);
  assert_true(count == -7);
  atp_model_destroy(m);
}

/* Mutants 0, 3 and 5 are the same, 3 in another order and 5 not measured; 2 and 4 are the wild type; 6 has one mutation of mutant 0. */
static void repeated_mutants(void **state) {
  atp_context *context = *state;
  enum { MUTANTS = 7 };
  const int64_t changes[] = {0, 4, 1, 0, 7, 2, 1, 4, 2, 3, 7, 2, 3, 4, 1, 5, 4, 1, 5, 7, 2, 6, 4, 1};
  const double measured[MUTANTS] = {1, 2, 3, 2.5, NAN, NAN, NAN};
  const int64_t expected[MUTANTS] = {0, 1, 2, 0, 2, 0, 6};
  const double averages[MUTANTS] = {1.75, 2, 3, 1.75, 3, 1.75, NAN};
  int64_t first[MUTANTS];
  double average[MUTANTS];
  assert_int_equal(atp_mutants_average(context, changes, 8, measured, MUTANTS, first, average), ATP_OK);
  for (int k = 0; k < MUTANTS; ++k) {
    assert_int_equal(first[k], expected[k]);
    assert_true(average[k] == averages[k] || (isnan(average[k]) && isnan(averages[k])));
  }
  first[0] = -7;
  average[0] = -7;
  assert_int_equal(atp_mutants_average(context, changes, 8, measured, 6, first, average), ATP_E_VALUE);
  assert_error(context, "changes[7][0] is 6, must be in 0..5");
  const int64_t backwards[] = {1, 4, 1, 0, 4, 1};
  assert_int_equal(atp_mutants_average(context, backwards, 2, measured, MUTANTS, first, average), ATP_E_VALUE);
  assert_error(context, "changes[1][0] is 0, must not be below the mutant before, 1");
  assert_int_equal(atp_mutants_average(context, changes, 0, measured, MUTANTS, first, average), ATP_E_VALUE);
  assert_int_equal(atp_mutants_average(context, changes, 8, measured, 0, first, average), ATP_E_VALUE);
  assert_true(first[0] == -7 && average[0] == -7);
}

/* Weights of sites against the formulas: the gauge by means over colours, written down again. */
static void site_weights(void **state) {
  static const double kWeighing[L] = {0.5, 2, 0}, kOnes[L] = {1, 1, 1}, kNegative[L] = {1, -0.5, 1}, kUnknown[L] = {1, 1, NAN};
  atp_context *context = *state;
  atp_model *m = make(context), *weighed = NULL, *same = NULL;
  double h[L][Q], c[L][L][Q][Q], fields[L * Q], couplings[DENSE];
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) {
      h[i][a] = kFields[i * Q + a] - (kFields[i * Q] + kFields[i * Q + 1] + kFields[i * Q + 2]) / Q;
      for (int j = 0; j < L; ++j) {
        double all = 0, own = 0, columns[Q] = {0};
        for (int b = 0; i != j && b < Q * Q; ++b) all += coupling(i, j, b / Q, b % Q) / (Q * Q);
        for (int b = 0; i != j && b < Q; ++b) {
          own += coupling(i, j, a, b) / Q;
          for (int d = 0; d < Q; ++d) columns[b] += coupling(i, j, d, b) / Q;
        }
        h[i][a] += own - all;
        for (int b = 0; b < Q; ++b) c[i][j][a][b] = i == j ? 0 : coupling(i, j, a, b) - own - columns[b] + all;
      }
    }
  assert_int_equal(atp_model_weigh_sites(context, m, kWeighing, L, &weighed), ATP_OK);
  assert_int_equal(atp_model_fields(weighed, fields, L * Q), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(weighed, couplings, DENSE), ATP_OK);
  for (int i = 0; i < L; ++i)
    for (int a = 0; a < Q; ++a) {
      assert_close(fields[i * Q + a], kWeighing[i] * h[i][a], 1e-13, 1e-14);
      for (int j = 0; j < L; ++j)
        for (int b = 0; b < Q; ++b)
          assert_close(couplings[((i * L + j) * Q + a) * Q + b], c[i][j][a][b] * (kWeighing[i] + kWeighing[j]) / 2, 1e-13, 1e-14);
    }
  /* With weights of 1 scores of mutants are as before. */
  const int64_t changes[9] = {0, 0, 1, 0, 2, 0, 1, 1, 2};
  double before[4], after[4];
  assert_int_equal(atp_model_weigh_sites(context, m, kOnes, L, &same), ATP_OK);
  assert_int_equal(atp_model_score_mutants(context, m, kWild, changes, 3, before, 2), ATP_OK);
  assert_int_equal(atp_model_score_mutants(context, same, kWild, changes, 3, after, 2), ATP_OK);
  for (int k = 0; k < 4; ++k) assert_close(after[k], before[k], 1e-13, 1e-14);
  atp_model_destroy(same);
  same = NULL;
  assert_int_equal(atp_model_weigh_sites(context, m, kWeighing, L - 1, &same), ATP_E_SHAPE);
  assert_int_equal(atp_model_weigh_sites(context, m, kNegative, L, &same), ATP_E_VALUE);
  assert_error(context, "weights[1] is -0.5, must be in 0..");
  assert_int_equal(atp_model_weigh_sites(context, m, kUnknown, L, &same), ATP_E_NOT_FINITE);
  assert_null(same);
  atp_model_destroy(weighed);
  atp_model_destroy(m);
}

/* With a list of pairs: blocks of the list are weighed as those of all pairs are, and no others are there. */
static void site_weights_of_pairs(void **state) {
  static const double kWeighing[L] = {0.5, 2, 0.25};
  static const int64_t kListed[4] = {0, 2, 1, 2};
  atp_context *context = *state;
  atp_model *m = make(context), *kept = NULL, *gauged = NULL, *all = NULL, *listed = NULL;
  double expected[DENSE], found[DENSE], fields[L * Q], weighed[L * Q];
  assert_int_equal(atp_model_keep_pairs(context, m, kListed, 2, &kept), ATP_OK);
  assert_int_equal(atp_model_gauge(context, kept, ATP_GAUGE_ZERO_SUM, &gauged), ATP_OK);
  assert_int_equal(atp_model_weigh_sites(context, m, kWeighing, L, &all), ATP_OK);
  assert_int_equal(atp_model_weigh_sites(context, kept, kWeighing, L, &listed), ATP_OK);
  assert_int_equal(atp_model_pair_count(listed), 2);
  assert_int_equal(atp_model_couplings_f64(all, expected, DENSE), ATP_OK);
  assert_int_equal(atp_model_couplings_f64(listed, found, DENSE), ATP_OK);
  for (int k = 0; k < DENSE; ++k) {
    const int i = k / (L * Q * Q), j = k / (Q * Q) % L;
    assert_close(found[k], i == 2 || j == 2 ? expected[k] : 0, 1e-13, 1e-14);
  }
  assert_int_equal(atp_model_fields(gauged, fields, L * Q), ATP_OK);
  assert_int_equal(atp_model_fields(listed, weighed, L * Q), ATP_OK);
  for (int k = 0; k < L * Q; ++k) assert_close(weighed[k], kWeighing[k / Q] * fields[k], 1e-13, 1e-14);
  atp_model_destroy(listed);
  atp_model_destroy(all);
  atp_model_destroy(gauged);
  atp_model_destroy(kept);
  atp_model_destroy(m);
}

/* f of the first site: weights 1, 0.5, 2 and 0 of the colours 0, 2, 1, 0. */
static void independent_sites(void **state) {
  atp_context *context = *state;
  atp_alignment *data;
  atp_model *m = NULL;
  double fields[L * Q];
  assert_int_equal(atp_alignment_create(context, kSequences, N, L, Q, kWeights, &data), ATP_OK);
  assert_int_equal(atp_alignment_set_alphabet(data, "-AC"), ATP_OK);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, 0.3, &m), ATP_OK);
  assert_int_equal(atp_model_fields(m, fields, L * Q), ATP_OK);
  const double counts[] = {1, 2, 0.5};
  for (int a = 0; a < Q; ++a) assert_close(fields[a], log(0.7 * counts[a] / 3.5 + 0.1), 1e-14, 0);
  assert_int_equal(atp_model_is_symmetric(m), 1);
  atp_model_destroy(m);
  /* The automatic pseudocount is one sequence of each colour. */
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, -1, &m), ATP_OK);
  assert_int_equal(atp_model_fields(m, fields, L * Q), ATP_OK);
  for (int a = 0; a < Q; ++a) assert_close(fields[a], log((counts[a] + 1) / (3.5 + Q)), 1e-14, 0);
  atp_model_destroy(m);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_IGNORE, 0.5, &m), ATP_OK);
  assert_int_equal(atp_model_colors(m), Q - 1);
  assert_string_equal(atp_model_alphabet(m), "AC");
  assert_int_equal(atp_model_fields(m, fields, L * (Q - 1)), ATP_OK);
  assert_close(fields[0], log(0.5 * 2 / 2.5 + 0.25), 1e-14, 0);
  assert_close(fields[1], log(0.5 * 0.5 / 2.5 + 0.25), 1e-14, 0);
  atp_model_destroy(m);
  m = NULL;
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, 1.5, &m), ATP_E_VALUE);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, NAN, &m), ATP_E_NOT_FINITE);
  assert_int_equal(atp_model_create_independent(context, data, (atp_gaps)0, 0.5, &m), ATP_E_VALUE);
  atp_alignment_destroy(data);
  const uint8_t two[] = {0, 0, 0, 1};
  assert_int_equal(atp_alignment_create(context, two, 2, 2, 2, NULL, &data), ATP_OK);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_IGNORE, 0.5, &m), ATP_E_VALUE);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, 0, &m), ATP_E_VALUE);
  assert_error(context, "pseudocount is 0 and colour 1 of 0..1 has the frequency 0 at site 0 (number 1), must be above 0");
  assert_counted(context, "pseudocount is 0 and colour 2 of 1..2 has the frequency 0 at site 1 (number 1), must be above 0");
  assert_null(m);
  atp_alignment_destroy(data);
}

static void agreement(void **state) {
  atp_context *context = *state;
  const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 1, 4, 3, 5}, bad[] = {1, NAN, 2, 3, 4};
  const int64_t settings[] = {100, 3, 2}, none[] = {0, 3, 2};
  const int64_t wrong[][3] = {{-1, 1, 1}, {10, -1, 1}, {1 << 25, 1, 1}, {1, 1, 0}, {1, 1, 6}};
  /* Ranks differ by 1, 1, 1, 1, 0; two of ten pairs are discordant; all are positive; 5 of {4, 5} is in {3, 5}. */
  const double expected[] = {1 - 6.0 * 4 / (5 * 24), 0.6, NAN, 0.5};
  double interval[3], again[3];
  for (int k = 0; k < 4; ++k) {
    const atp_agreement measure = (atp_agreement)(ATP_AGREEMENT_SPEARMAN + k);
    assert_int_equal(atp_agreement_interval(context, measure, x, y, 5, settings, interval), ATP_OK);
    assert_int_equal(atp_agreement_interval(context, measure, x, y, 5, none, again), ATP_OK);
    assert_true(isnan(again[1]) && isnan(again[2]));
    if (isnan(expected[k])) {
      assert_true(isnan(interval[0]) && isnan(interval[1]) && isnan(interval[2]));
      continue;
    }
    assert_close(interval[0], expected[k], 1e-14, 0);
    assert_true(again[0] == interval[0] && interval[1] <= interval[0] && interval[0] <= interval[2] && interval[1] < interval[2]);
    assert_int_equal(atp_context_set_threads(context, 3), ATP_OK);
    assert_int_equal(atp_agreement_interval(context, measure, x, y, 5, settings, again), ATP_OK);
    assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
    assert_memory_equal(again, interval, sizeof interval);
  }
  fill();
  for (int k = 0; k < 5; ++k)
    assert_int_equal(atp_agreement_interval(context, ATP_AGREEMENT_RECALL, x, y, 5, wrong[k], untouched), ATP_E_VALUE);
  assert_error(context, "top is 6, must be in 1..5");
  assert_int_equal(atp_agreement_interval(context, (atp_agreement)0, x, y, 5, settings, untouched), ATP_E_VALUE);
  assert_int_equal(atp_agreement_interval(context, (atp_agreement)5, x, y, 5, settings, untouched), ATP_E_VALUE);
  assert_int_equal(atp_agreement_interval(context, ATP_AGREEMENT_AUC, x, y, 1, settings, untouched), ATP_E_VALUE);
  assert_int_equal(atp_agreement_interval(context, ATP_AGREEMENT_AUC, bad, y, 5, settings, untouched), ATP_E_NOT_FINITE);
  assert_int_equal(atp_agreement_interval(context, ATP_AGREEMENT_AUC, x, bad, 5, settings, untouched), ATP_E_NOT_FINITE);
  assert_untouched();
}

/* 30 mutants, 12 with one mutation, 15 with two, 3 with three; one measurement is missing. Spearman by Pearson's formula of ranks without
   ties, AUC and recall by counting. */
enum { MANY = 30 };

static double rank_in(const double *values, const int *members, int n, int k) {
  int below = 0;
  for (int m = 0; m < n; ++m) below += values[members[m]] < values[members[k]];
  return below;
}

static void assert_group(const atp_table *table, int64_t row, const double *scores, const double *measured, const int *members, int n,
                         double threshold) {
  double sums[3] = {0}, pairs = 0, better = 0, discordant = 0, found = 0, value;
  const int top = n / 10 > 1 ? n / 10 : 1;
  for (int k = 0; k < n; ++k) {
    const double x = rank_in(scores, members, n, k) - 0.5 * (n - 1), y = rank_in(measured, members, n, k) - 0.5 * (n - 1);
    sums[0] += x * x;
    sums[1] += y * y;
    sums[2] += x * y;
    found += x + 0.5 * (n - 1) >= n - top && y + 0.5 * (n - 1) >= n - top;
    for (int m = 0; m < n; ++m) {
      const double dx = scores[members[k]] - scores[members[m]], dy = measured[members[k]] - measured[members[m]];
      discordant += dx > 0 && dy < 0;
      if (!(measured[members[k]] > threshold) || measured[members[m]] > threshold) continue;
      pairs += 1;
      better += dx > 0;
    }
  }
  const double expected[] = {sums[2] / sqrt(sums[0] * sums[1]), 1 - 4 * discordant / (n * (n - 1.0)), better / pairs, found / top};
  for (int m = 0; m < 4; ++m) {
    assert_int_equal(atp_table_value(table, row + m, ATP_MEASURED_MEASURE, &value), ATP_OK);
    assert_true(value == ATP_AGREEMENT_SPEARMAN + m);
    assert_int_equal(atp_table_value(table, row + m, ATP_MEASURED_MUTANTS, &value), ATP_OK);
    assert_true(value == n);
    assert_int_equal(atp_table_value(table, row + m, ATP_MEASURED_VALUE, &value), ATP_OK);
    assert_close(value, expected[m], 1e-13, 1e-14);
  }
}

static void agreement_of_groups(void **state) {
  atp_context *context = *state;
  double scores[MANY], measured[MANY], threshold, low, value;
  int64_t mutations[MANY];
  const int64_t settings[] = {50, 3, 0}, none[] = {0, 3, 0}, wrong[][3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};
  int members[3][MANY], n[3] = {0};
  atp_table *table = NULL, *other = NULL, *small = NULL;
  for (int k = 0; k < MANY; ++k) {
    scores[k] = (k * 7) % 31;
    measured[k] = k == 4 ? NAN : (k * 11) % 31 + 0.237 * scores[k];
    mutations[k] = k < 12 ? 1 : k < 27 ? 2 : 3;
    if (k == 4) continue;
    members[0][n[0]++] = k;
    if (k < 27) members[mutations[k]][n[mutations[k]]++] = k;
  }
  assert_int_equal(atp_table_create(context, ATP_TABLE_MEASURED, 16, &table), ATP_OK);
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, settings, 14, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 12);
  for (int g = 0; g < 3; ++g) {
    assert_group(table, 4 * g, scores, measured, members[g], n[g], 14);
    assert_int_equal(atp_table_value(table, 4 * g, ATP_MEASURED_MUTATIONS, &value), ATP_OK);
    assert_true(value == g);
    assert_int_equal(atp_table_value(table, 4 * g, ATP_MEASURED_VALUE, &value), ATP_OK);
    assert_int_equal(atp_table_value(table, 4 * g, ATP_MEASURED_LOW, &low), ATP_OK);
    assert_true(low < value);
  }
  /* The threshold is the median of the group: of 29 different numbers the 15th. */
  assert_int_equal(atp_table_clear(table), ATP_OK);
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, NAN, table), ATP_OK);
  threshold = NAN;
  for (int k = 0; k < n[0]; ++k)
    if (rank_in(measured, members[0], n[0], k) == 14) threshold = measured[members[0][k]];
  assert_group(table, 0, scores, measured, members[0], n[0], threshold);
  assert_int_equal(atp_table_value(table, 0, ATP_MEASURED_LOW, &low), ATP_OK);
  assert_true(isnan(low));
  /* One kind of mutants is one group. */
  assert_int_equal(atp_table_clear(table), ATP_OK);
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, 12, none, NAN, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 4);
  for (int k = 0; k < 3; ++k) assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, wrong[k], 14, table), ATP_E_VALUE);
  assert_error(context, "top is -1");
  assert_int_equal(atp_mutants_agreement(scores, measured + 4, mutations, 2, none, 14, table), ATP_E_VALUE);
  assert_error(context, "1 mutants are measured, must be at least 2");
  scores[0] = INFINITY;
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, 14, table), ATP_E_NOT_FINITE);
  scores[0] = 0;
  mutations[3] = 0;
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, 14, table), ATP_E_VALUE);
  assert_error(context, "mutations[3] is 0, must be >= 1");
  mutations[3] = 1;
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, INFINITY, table), ATP_E_NOT_FINITE);
  assert_int_equal(atp_table_rows(table), 4);
  assert_int_equal(atp_table_create(context, ATP_TABLE_WEIGHTS, 16, &other), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_MEASURED, 11, &small), ATP_OK);
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, 14, other), ATP_E_CONFLICT);
  assert_int_equal(atp_mutants_agreement(scores, measured, mutations, MANY, none, 14, small), ATP_E_BUFFER);
  assert_int_equal(atp_table_rows(small), 0);
  atp_table_destroy(small);
  atp_table_destroy(other);
  atp_table_destroy(table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

static const struct CMUnitTest tests[] = {TEST(texts_and_scores),
                                          TEST(letters_in_the_other_case),
                                          TEST(offset_of_numbers),
                                          TEST(wrong_changes),
                                          TEST(doubles),
                                          TEST(count_of_doubles),
                                          TEST(epistasis),
                                          TEST(repeated_mutants),
                                          TEST(site_weights),
                                          TEST(site_weights_of_pairs),
                                          TEST(independent_sites),
                                          TEST(agreement),
                                          TEST(agreement_of_groups)};
ATP_TEST_MAIN(tests)
