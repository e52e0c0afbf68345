// SPDX-License-Identifier: MIT
#include "commands/dms_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace cli {

namespace {

constexpr int64_t kSmallestGroup = 10;

const Words<atp_agreement> kMeasures = {
    {"spearman", ATP_AGREEMENT_SPEARMAN}, {"kendall", ATP_AGREEMENT_KENDALL}, {"auc", ATP_AGREEMENT_AUC}, {"recall", ATP_AGREEMENT_RECALL}};

// Mutants with a measurement, larger being better.
struct Group {
  std::string name;
  std::vector<std::size_t> members;
  std::vector<double> effects;
  double threshold = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

Group group_of(const std::string &name, const std::vector<int64_t> &sizes, int64_t size, const std::vector<double> &measured,
               const AgreementFlags &flags) {
  const double sign = flags.larger_is_worse ? -1 : 1;
  Group group;
  group.name = name;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    if (std::isnan(measured[k]) || (size != 0 && sizes[k] != size)) continue;
    group.members.push_back(k);
    group.effects.push_back(sign * measured[k]);
  }
  if (!group.effects.empty()) group.threshold = median(group.effects);
  return group;
}

std::vector<Group> groups_of(const std::vector<int64_t> &sizes, const std::vector<double> &measured, const AgreementFlags &flags) {
  std::vector<Group> groups = {group_of("all", sizes, 0, measured, flags)};
  std::set<int64_t> kinds;
  for (std::size_t k : groups[0].members) kinds.insert(sizes[k]);
  if (kinds.size() < 2) return groups;
  for (int64_t size : kinds) {
    Group group = group_of(cell(size), sizes, size, measured, flags);
    if (static_cast<int64_t>(group.members.size()) >= kSmallestGroup) groups.push_back(std::move(group));
  }
  return groups;
}

AgreementRow row_of(const Session &session, const Group &group, const std::vector<double> &scores, const std::string &score,
                    atp_agreement measure, const AgreementFlags &flags) {
  const auto n = static_cast<int64_t>(group.members.size());
  std::vector<double> x, y = group.effects;
  for (std::size_t k : group.members) x.push_back(scores[k]);
  if (measure == ATP_AGREEMENT_AUC)
    for (double &effect : y) effect = effect > group.threshold ? 1 : 0;
  const int64_t settings[] = {flags.draws, session.seed, std::max<int64_t>(1, n / 10)};
  double interval[3] = {};
  check(atp_agreement_interval(session.context.get(), measure, x.data(), y.data(), n, settings, interval), "--dms");
  return {group.name, score, word_of(kMeasures, measure), n, interval[0], interval[1], interval[2]};
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
  std::vector<AgreementRow> rows;
  for (const Group &group : groups_of(sizes, measured, flags)) {
    if (group.members.size() < 2)
      wrong_use("--dms has {} mutants with a measurement and a score, expected at least 2", group.members.size());
    for (const auto &[name, values] : scores)
      for (const auto &[word, measure] : kMeasures) {
        rows.push_back(row_of(wild.session, group, values, name, measure, flags));
        stop_if_interrupted();
      }
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
