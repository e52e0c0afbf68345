// SPDX-License-Identifier: MIT
// Energy and log pseudo-likelihood differences of single mutants of a sequence, of mutants with several mutations, and scans of double
// mutants. All follow from the energies of single mutants and from the fields of the sequence. The formulas are with atp_model_mutants(),
// atp_model_score_mutants() and atp_model_double_mutants().
#pragma once

#include "base/team.hpp"
#include "potts/model.hpp"

#include <attopotts/mutations.h>

#include <array>

namespace atp {

// Elements of work space for single_mutants() with log pseudo-likelihoods, or of an autoregressive model. Otherwise it needs none.
constexpr int64_t mutants_scratch(int64_t sites, int64_t colors, int threads) {
  return sites * (colors + 1) + threads * colors * (colors + 1);
}

// H(mutant) - H(sequence), and the same difference of the log pseudo-likelihood (NULL: not computed), [L][q].
// Each site is one task, so the bits do not depend on the number of threads.
void single_mutants(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch, double *delta_energy,
                    double *delta_log_pseudolikelihood);

// Elements of work space of score_mutants().
constexpr int64_t score_scratch(int64_t sites, int64_t colors, int threads) { return 2 * sites * (colors + 1) + threads * colors; }

// Scores [n][2] of n mutants with changes [m][3], ascending by mutant: energy, log pseudo-likelihood. Each mutant is one task.
void score_mutants(const Model &model, const uint8_t *sequence, Span<const int64_t> changes, Threads threads, Span<double> scratch,
                   Span<double> scores);

// Elements of work space of double_mutants() and best_doubles().
int64_t doubles_scratch(const Model &model, int threads);

// Energies [n][q][q] of the double mutants at pairs [n][2].
void double_mutants(const Model &model, const uint8_t *sequence, Span<const int64_t> pairs, Threads threads, Span<double> scratch,
                    double *out);

// Energies [n] of double mutants [n][4] (a site, its new colour, another site, its new colour), and the energies less those of both single
// mutants; scratch: doubles_scratch().
void epistasis_of_doubles(const Model &model, const uint8_t *sequence, Span<const int64_t> doubles, Threads threads, Span<double> scratch,
                          double *delta_energy, double *epistasis);

// For each mutant the first with the same changes [m][3], and the mean of their measurements; see atp_mutants_average(). A mutant's changes
// are sorted in work space: sites and colours [m][2], their ends [mutants], an order of the mutants [mutants].
struct RepeatedMutants {
  Span<std::array<int64_t, 2>> sorted;
  Span<int64_t> ends, order;
};
void average_repeated(Span<const int64_t> changes, const double *measured, const RepeatedMutants &work, int64_t *first, double *average);

// A double mutant by its energy and its place in the order of sites, then colours.
struct DoubleMutant {
  double energy;
  int64_t place;
  bool operator<(const DoubleMutant &other) const { return energy != other.energy ? energy < other.energy : place < other.place; }
};

// The number of double mutants without a new colour `gap` (-1: with all).
int64_t count_doubles(const Model &model, const uint8_t *sequence, int64_t gap);

// Elements of work space, besides doubles_scratch(), of best_doubles().
int64_t doubles_heaps(const Model &model, int64_t k, int threads);
// The k lowest of them, ascending, into doubles [k][4] and energies [k]. The order is total, so the result does not depend on the number
// of threads.
void best_doubles(const Model &model, const uint8_t *sequence, int64_t gap, Threads threads, Span<double> scratch, Span<DoubleMutant> heaps,
                  int64_t *doubles, Span<double> energies);

// --- texts of mutants, one on each line: A110D, A110D/N146D, A110D:N146D or A110D,N146D. atp_mutations_parse() has the rules ---

// The next mutation of a row: its mutant, its site, its new colour.
struct Change {
  int64_t mutant, site, color;
};

// Reads the mutations of a text into changes [capacity][3] and returns their number. Nothing is written before the whole text is valid.
int64_t parse_mutations(const Model &model, const uint8_t *sequence, const char *text, int64_t *changes, int64_t capacity);

// How the numbers of a list of mutants fit those of the sites.
struct NumberOffset {
  int64_t residues = 0;             // that the list names, each number and letter once
  int64_t agreeing = 0;             // of them those that the sequence has
  int64_t offset = 0, fitting = 0;  // added to the numbers, it makes the most of them agree: so many
};

// See atp_mutations_offset().
NumberOffset find_number_offset(Context &context, const Model &model, const uint8_t *sequence, const char *text);

}  // namespace atp
