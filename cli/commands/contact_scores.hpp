// SPDX-License-Identifier: MIT
// Scores of pairs of sites, their ranking, and the precision of the best pairs as contacts.
#pragma once

#include "report/pair_scores.hpp"
#include "structures/structure_flags.hpp"
#include "run/files.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// The flags that decide how pairs are scored, and which of them are contacts.
struct ScoreFlags {
  int64_t separation = 1;
  std::optional<int64_t> top;
  atp_score_gauge gauge = ATP_SCORE_ZERO_SUM;
  std::optional<bool> includes_gap;  // in norms; default: no, if the alphabet begins with a gap
  bool corrected = true;
  std::optional<bool> by_norm;  // rank by the norm itself; default: only without correction
  std::string distances;
  StructureFlags structure;
  double cutoff = 8;
  atp_absent absent = ATP_ABSENT_EXCLUDED;
  void add(CLI::App *app);
  // Only those that decide which pairs are ranked, and which are contacts.
  void add_ranking(CLI::App *app);
  // Fails where flags contradict each other.
  void check_values(const CLI::App *app) const;
};

// Sites as tables name them; views of a model or an alignment.
struct SiteNames {
  int64_t count = 0;
  const int64_t *numbers = nullptr;
  std::string residues;
  int64_t total = 0;  // columns of the alignment before some were removed, and those that are left
  const int64_t *columns = nullptr;
  std::vector<int64_t> listed;  // [n][2]: the pairs that have couplings; empty: all
  int64_t border = 0;           // the sites of the first of two proteins, where the sequences know it
  int64_t border_columns = 0;   // the columns of the first of two proteins, where the sequences know it
  std::optional<int64_t> last;  // the last number of the first of two proteins, where it was given
  // The same, of the sites before `second`. Columns that were left out count, but those where a focus has no residue.
  int64_t last_of_first(int64_t second) const {
    if (last) return *last;
    const int64_t left_out = residues.empty() && border_columns > 0 ? border_columns - 1 - columns[second - 1] : 0;
    return numbers[second - 1] + left_out;
  }
  // The number of a site in its own protein: in the second one it counts from the end of the first.
  int64_t own_number(int64_t i, int64_t first_of_second) const {
    return numbers[i] - (i < first_of_second ? 0 : last_of_first(first_of_second));
  }
};
SiteNames sites_of(const atp_model *model);
SiteNames sites_of(const atp_alignment *alignment);

// Scores of all pairs, or of those of a list, before correction and ranking.
struct PairValues {
  std::string column = "fn", text;  // the name of their column; what they are, in words
  PairScores values;
};
// Frobenius norms of a model, of its list alone where it has one.
PairValues frobenius_values(const Session &session, const atp_model *model, const ScoreFlags &flags);
// The colour that norms leave out, -1: none. `gap`: that of the alphabet.
int64_t left_out_of_norms(const ScoreFlags &flags, int64_t gap);
// "without the gap -", "all colours".
std::string gap_text(int64_t gap, const std::string &alphabet);
// "Frobenius norm, zero-sum gauge, all colours".
std::string norm_text(const ScoreFlags &flags, int64_t gap, const std::string &alphabet);

// Scores of all pairs or of a list, and the ranked pairs.
inline constexpr double kScoresBytes = 24, kListedBytes = 120;  // for each i and j; for each pair of a list
struct Scores {
  int64_t sites = 0;
  std::string column = "fn", text;
  bool corrected = true, by_norm = false;
  int64_t border = 0;          // the sites of the first of two proteins; 0: one protein
  PairScores fn, apc;          // before and after correction; a list has no correction
  std::vector<int64_t> pairs;  // [n][2], ranked
  // The scores that rank the pairs.
  const PairScores &ranking() const { return by_norm ? fn : apc; }
  int64_t count() const { return static_cast<int64_t>(pairs.size() / 2); }
  int64_t first(int64_t k) const { return pairs[static_cast<std::size_t>(2 * k)]; }
  int64_t second(int64_t k) const { return pairs[static_cast<std::size_t>(2 * k + 1)]; }
  // "1", "2" or "1-2": the proteins of pair k.
  const char *proteins(int64_t k) const { return second(k) < border ? "1" : first(k) < border ? "1-2" : "2"; }
};

// Epistasis of log P (atp_model_epistatic_scores()), a mean over sequences [n][L] in the model's colours.
PairValues epistatic_values(const Session &session, const atp_model *model, const std::vector<uint8_t> &sequences, const ScoreFlags &flags);

Scores rank_values(const SiteNames &sites, PairValues values, const ScoreFlags &flags);
// Fails as rank_values() would, before there are values: --min-separation leaves no pair, or --sort needs other pairs.
void require_pairs(const SiteNames &sites, const ScoreFlags &flags);

// Warns if the ranking has no meaning: fewer than two columns of the data vary (`data` may be NULL), or the scores differ only by rounding.
void warn_of_rounding(const Session &session, const atp_alignment *data, const Scores *scores);

// Distances of pairs, and the precision of the ranked pairs.
struct Precision {
  std::vector<double> distances;        // [sites][sites], NaN: not known; empty: none
  std::vector<double> curve;            // precision of the first 1, 2, ... pairs that count
  std::vector<double> within, between;  // the same for pairs within a protein and between two; empty: one protein
  SiteDistances structure;              // where the distances are from; empty: a file of distances
  double cutoff = 8;
  bool exclude = true;
  int64_t sites = 0;
  double distance(int64_t i, int64_t j) const { return distances[static_cast<std::size_t>(i * sites + j)]; }
  bool counts(double distance) const { return !exclude || !std::isnan(distance); }
};
// The bytes for each i and j of the distances that the flags ask for, and of the curves; `paired`: of two proteins, also without --paired.
double precision_bytes(const ScoreFlags &flags, bool paired);

// Distances [sites][sites] of --distances.
std::vector<double> read_distances(const Session &session, const SiteNames &sites, const ScoreFlags &flags);
// With distances of a file, or of a structure where they are empty. Both empty: none are known.
Precision measure_precision(const ScoreFlags &flags, const Scores &s, std::vector<double> distances, SiteDistances structure);

// "P@L/5 (34) 0.9120, ...", or "only N pairs" where there are fewer; lines for pairs within and between proteins follow.
std::vector<std::string> precision_texts(const Precision &p, int64_t sites);
// One line with the settings of the scores.
std::string parameters(const Scores &s, int64_t separation);

// Fails where scores have no such errors: other methods than dense couplings by pseudo-likelihood, other objectives.
void require_errors_of(const atp_options *options);
// Fails where penalties are too small for errors of these sequences, or the memory is. The model may be untrained.
void require_errors_of(const Session &session, const atp_model *model, const atp_alignment *data, const atp_options *options);
// Of norms and of corrected scores, [2][L][L] (atp_model_score_errors()).
std::vector<double> score_errors(const Session &session, const atp_model *model, const atp_alignment *data, const atp_options *options,
                                 const ScoreFlags &flags);

}  // namespace cli
