// SPDX-License-Identifier: MIT
#include "commands/dms_statistics.hpp"

#include "run/signals.hpp"

#include <cmath>
#include <utility>

namespace cli {

namespace {

const Words<atp_agreement> kMeasures = {
    {"spearman", ATP_AGREEMENT_SPEARMAN}, {"kendall", ATP_AGREEMENT_KENDALL}, {"auc", ATP_AGREEMENT_AUC}, {"recall", ATP_AGREEMENT_RECALL}};

// The rows of atp_mutants_agreement(), [rows][ATP_MEASURED_COLUMNS].
std::vector<double> rows_of_score(const Session &session, const std::vector<double> &scores, const std::vector<double> &effects,
                                  const std::vector<int64_t> &sizes, const AgreementFlags &flags) {
  return labelled("--dms", [&] {
    return attopotts::mutants_agreement(session.context, scores, effects, sizes, flags.threshold, flags.draws, session.seed).values();
  });
}

std::vector<double> negative(std::vector<double> values) {
  for (double &value : values) value = -value;
  return values;
}

}  // namespace

std::string value_text(const AgreementRow &row) {
  const std::string value = fmt::format("{:.4f}", row.value);
  return std::isnan(row.low) ? value : fmt::format("{} ({:.4f}..{:.4f})", value, row.low, row.high);
}

std::string group_text(const AgreementRow &row) {
  return row.group == "all" ? row.group : fmt::format("{} mutation{}", row.group, row.group == "1" ? "" : "s");
}

std::vector<AgreementRow> measure_agreement(const WildType &wild, const std::vector<int64_t> &sizes, const std::vector<double> &measured,
                                            const ScoredMutants &scored, const AgreementFlags &flags) {
  std::vector<std::pair<std::string, std::vector<double>>> scores = {{"energy", negative(scored.energy)},
                                                                     {"log_pseudolikelihood", scored.log_pseudolikelihood}};
  if (wild.independent != nullptr) scores.emplace_back("independent", scored.independent);
  const EndAtOnce nothing_to_save;
  std::vector<std::vector<double>> found;  // by score
  for (const auto &[name, values] : scores)
    found.push_back(rows_of_score(wild.session, values, flags.larger_is_worse ? negative(measured) : measured, sizes, flags));
  const std::size_t groups = found[0].size() / (kMeasures.size() * ATP_MEASURED_COLUMNS);
  std::vector<AgreementRow> rows;
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t s = 0; s < scores.size(); ++s)
      for (std::size_t m = 0; m < kMeasures.size(); ++m) {
        const double *row = found[s].data() + (group * kMeasures.size() + m) * ATP_MEASURED_COLUMNS;
        const auto mutations = static_cast<int64_t>(row[ATP_MEASURED_MUTATIONS]);
        rows.push_back({mutations == 0 ? "all" : cell(mutations), scores[s].first,
                        word_of(kMeasures, static_cast<atp_agreement>(row[ATP_MEASURED_MEASURE])),
                        static_cast<int64_t>(row[ATP_MEASURED_MUTANTS]), row[ATP_MEASURED_VALUE], row[ATP_MEASURED_LOW],
                        row[ATP_MEASURED_HIGH]});
      }
  return rows;
}

std::vector<std::string> agreement_notes(const Session &session, const AgreementFlags &flags) {
  const std::string better = flags.larger_is_worse ? "smaller" : "larger";
  return {fmt::format("{} measurements are better; energies enter with the opposite sign, so that agreement is positive", better),
          fmt::format("auc: of the mutants with a measurement {} than the median", better),
          "recall: fraction of the best tenth by measurement among as many best by score",
          fmt::format("low, high: 95 per cent interval by {} bootstrap draws of mutants, seed {}; mutants of one site are not independent, "
                      "true intervals may be wider",
                      flags.draws, session.seed)};
}

Table agreement_table(const Session &session, const std::vector<AgreementRow> &rows, const AgreementFlags &flags) {
  Table table(session, {"mutations", "mutants", "score", "measure", "value", "low", "high"});
  for (const std::string &note : agreement_notes(session, flags)) table.note(note);
  for (const AgreementRow &row : rows)
    table.row({row.group, cell(row.count), row.score, row.measure, cell(row.value), cell(row.low), cell(row.high)});
  return table;
}

}  // namespace cli
