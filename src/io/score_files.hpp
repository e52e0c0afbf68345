// SPDX-License-Identifier: MIT
// Scores of pairs of sites in formats of other tools; docs/formats.md has the layouts.
#pragma once

#include "base/context.hpp"
#include "alignment/site_labels.hpp"
#include "alignment/text.hpp"
#include "io/fields.hpp"

namespace atp {

enum class ScoreFormat { ccmpred, plmc, evcouplings };

// Whether the first word of a file is the line of names of EVcouplings' CSV, i,A_i,j,A_j,fn,cn, with any further ones.
bool is_evcouplings_header(const Field &word);

// Scores of L sites, and the site labels.
struct Scores {
  int64_t sites = 0;
  Span<double> scores;    // [L][L]
  Span<int64_t> numbers;  // [L]
  Span<char> residues;    // [L + 1]; "" if the file has none
};

// Memory for the scores of a file.
class ScoreTable {
 public:
  ScoreTable(Context &context, int64_t sites);
  const Scores &get() const { return scores_; }

 private:
  Scratch memory_;
  Scores scores_;
};

// The number of sites of a file, from its first line (ccmpred) or its number of lines (the others). Throws ATP_E_FORMAT.
int64_t count_score_sites(const Text &file, ScoreFormat format);
// Fills all arrays; they must be large enough for count_score_sites() sites. Throws ATP_E_FORMAT with the line, or ATP_E_NOT_FINITE.
void parse_scores(const Text &file, ScoreFormat format, Scores &out);

// scores [L][L]. The lists of plmc and EVcouplings store pairs i < j, the upper triangle, and the labels.
void write_scores(Context &context, const double *scores, const SiteLabels &labels, ScoreFormat format, const char *path);

}  // namespace atp
