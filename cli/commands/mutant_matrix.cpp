// SPDX-License-Identifier: MIT
#include "commands/mutant_matrix.hpp"

#include "text/csv.hpp"

namespace cli {

SiteStatistics site_statistics(const ModelSequences &data) {
  SiteStatistics made;
  made.frequencies = frequencies_without(data.data.get(), data.gaps_missing ? 1 : 0);
  made.conservation.resize(static_cast<std::size_t>(atp_alignment_sites(data.data.get())));
  check(atp_alignment_conservation(data.data.get(), data.gaps_missing ? ATP_GAPS_IGNORE : ATP_GAPS_STATE, made.conservation.data(),
                                   static_cast<int64_t>(made.conservation.size())));
  return made;
}

void write_mutant_matrix(const WildType &wild, const SiteStatistics &statistics, const std::string &path) {
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
                      conserved = cell(statistics.conservation[static_cast<std::size_t>(i)]);
    for (int64_t a = 0; a < colors; ++a) {
      if (a == wild.sequence[i] || a == gap) continue;
      const auto at = static_cast<std::size_t>(i * colors + a);
      const std::string to = color_name(wild.model, a);
      text += csv_line({from + cell(numbers[i]) + to, cell(numbers[i]), from, to, cell(statistics.frequencies[at]), conserved,
                        cell(-beta * scores.energies[at]), cell(scores.independent[at])});
    }
  }
  write_text(wild.session, path, text);
  if (without > 0) wild.session.say("--matrix {}: {} sites are left out, the sequence has no residue there", path, without);
}

}  // namespace cli
