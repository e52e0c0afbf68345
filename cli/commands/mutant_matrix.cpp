// SPDX-License-Identifier: MIT
#include "commands/mutant_matrix.hpp"

#include "support/csv.hpp"

#include <cmath>

namespace cli {

namespace {

// 1 - entropy / log(number of colours): 0 where all colours are equally frequent, 1 where one has all.
double conservation(const double *frequencies, int64_t colors) {
  double entropy = 0;
  for (int64_t a = 0; a < colors; ++a)
    if (!(frequencies[a] <= 0)) entropy -= frequencies[a] * std::log(frequencies[a]);  // a NaN stays one
  return 1 - entropy / std::log(static_cast<double>(colors));
}

}  // namespace

std::vector<double> model_frequencies(const ModelSequences &data, const atp_model *model) {
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model), gap = data.gaps_missing ? 1 : 0;
  std::vector<double> all(static_cast<std::size_t>(sites * (colors + gap)));
  check(atp_alignment_frequencies(data.data.get(), 0, all.data(), static_cast<int64_t>(all.size())));
  if (gap == 0) return all;
  std::vector<double> made;
  for (int64_t i = 0; i < sites; ++i) {
    const double *column = all.data() + i * (colors + 1);
    double residues = 0;
    for (int64_t a = 1; a <= colors; ++a) residues += column[a];
    for (int64_t a = 1; a <= colors; ++a) made.push_back(residues > 0 ? column[a] / residues : std::nan(""));
  }
  return made;
}

void write_mutant_matrix(const WildType &wild, const std::vector<double> &frequencies, const std::string &path) {
  const int64_t sites = atp_model_sites(wild.model), colors = atp_model_colors(wild.model), gap = atp_model_gap_color(wild.model);
  const int64_t *numbers = atp_model_site_numbers_view(wild.model);
  const double beta = atp_model_beta(wild.model);
  const SingleScores scores = score_singles(wild);
  int64_t without = 0;
  std::string text =
      csv_line({"mutant", "pos", "wt", "subs", "frequency", "column_conservation", "prediction_epistatic", "prediction_independent"});
  for (int64_t i = 0; i < sites; ++i) {
    if (wild.sequence[i] == ATP_MISSING || wild.sequence[i] == gap) {
      ++without;
      continue;
    }
    const std::string from = color_name(wild.model, wild.sequence[i]),
                      conserved = cell(conservation(frequencies.data() + i * colors, colors));
    for (int64_t a = 0; a < colors; ++a) {
      if (a == wild.sequence[i] || a == gap) continue;
      const auto at = static_cast<std::size_t>(i * colors + a);
      const std::string to = color_name(wild.model, a);
      text += csv_line({from + cell(numbers[i]) + to, cell(numbers[i]), from, to, cell(frequencies[at]), conserved,
                        cell(-beta * scores.energies[at]), cell(scores.independent[at])});
    }
  }
  write_text(wild.session, path, text);
  if (without > 0) wild.session.say("--matrix {}: {} sites are left out, the sequence has no residue there", path, without);
}

}  // namespace cli
