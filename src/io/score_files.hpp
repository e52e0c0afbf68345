// SPDX-License-Identifier: MIT
// Scores of pairs of sites as other tools write them; docs/formats.md has the layouts.
#pragma once

#include "base/context.hpp"
#include "labels/site_labels.hpp"
#include "data/text.hpp"

namespace atp {

enum class ScoreFormat { ccmpred, plmc };

// Scores of L sites and what these are called.
struct Scores {
  int64_t sites = 0;
  Span<double> scores;    // [L][L]
  Span<int64_t> numbers;  // [L]
  Span<char> residues;    // [L + 1]: "" where the file has none
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
// Fill all arrays; they are large enough for the sites that count_score_sites() said. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE.
void parse_scores(const Text &file, ScoreFormat format, Scores &out);

// scores [L][L]; plmc's format holds pairs i < j, the upper triangle, and the labels.
void write_scores(Context &context, const double *scores, const SiteLabels &labels, ScoreFormat format, const char *path);

}  // namespace atp
