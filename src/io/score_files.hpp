// SPDX-License-Identifier: MIT
// Scores of pairs of sites in formats of other tools; docs/formats.md has the layouts.
#pragma once

#include "base/context.hpp"
#include "labels/site_labels.hpp"
#include "data/text.hpp"

namespace atp {

enum class ScoreFormat { ccmpred, plmc };

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

// The number of sites of a file, from its first line (ccmpred) or its number of lines (plmc). Throws ATP_E_FORMAT.
int64_t count_score_sites(const Text &file, ScoreFormat format);
// Fills all arrays; they must be large enough for count_score_sites() sites. Throws ATP_E_FORMAT with the line,
// or ATP_E_NOT_FINITE.
void parse_scores(const Text &file, ScoreFormat format, Scores &out);

// scores [L][L]. plmc's format stores pairs i < j, the upper triangle, and the labels.
void write_scores(Context &context, const double *scores, const SiteLabels &labels, ScoreFormat format, const char *path);

}  // namespace atp
