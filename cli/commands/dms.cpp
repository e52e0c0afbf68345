// SPDX-License-Identifier: MIT
#include "commands/dms.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cli {

namespace {

SideTable read_measurements(const Session &session, const DmsFlags &flags) {
  SideTable table = read_side_table(session, flags.argument, flags.path, ATP_CELLS_NAMED);
  if (table.rows.empty()) wrong_use("{} {} has no row, expected a header line and a mutant on each line", flags.argument, flags.path);
  return table;
}

std::string list_of(const std::vector<std::string> &columns) {
  std::string text;
  for (const std::string &name : columns) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::size_t column_of(const SideTable &table, const std::string &flag, const std::string &name, const std::string &path) {
  const int64_t found = table.find({name});
  if (found < 0) wrong_use("{} is \"{}\", expected a column of {}: {}", flag, name, path, list_of(table.columns));
  return static_cast<std::size_t>(found);
}

std::size_t required_mutant_column(const SideTable &table, const DmsFlags &flags) {
  if (const int64_t found = mutant_column(table); found >= 0) return static_cast<std::size_t>(found);
  wrong_use("{} {} has the columns {}, expected one of them to be {}", flags.argument, flags.path, list_of(table.columns),
            fmt::join(mutant_columns(), ", "));
}

double measurement_in(const DmsFlags &flags, const std::string &text, int64_t line) {
  if (text.empty() || text == "NA" || text == "NaN" || text == "nan") return std::nan("");
  const double value = number_in(text);
  if (!std::isfinite(value))
    wrong_use("{} {}, line {}: {} is \"{}\", expected a number, with a point before its decimals", flags.argument, flags.path, line,
              flags.column, printable(text));
  return value;
}

// Leaves each mutant once. Its measurement is the mean over the rows that have it, as in ProteinGym (P. Notin et al., NeurIPS 2023).
void average_repeated(const WildType &wild, DmsScores &scores) {
  const MutantList all = std::move(scores.mutants);
  std::vector<int64_t> first(all.names.size());
  std::vector<double> average(first.size());
  check(atp_mutants_average(wild.session.context.get(), all.changes.data(), static_cast<int64_t>(all.changes.size() / 3),
                            scores.measured.data(), all.count(), first.data(), average.data()));
  scores.mutants = {};
  scores.measured.clear();
  const int64_t *change = all.changes.data();
  for (std::size_t k = 0; k < first.size(); change += 3 * all.sizes[k++]) {
    if (first[k] != static_cast<int64_t>(k)) {
      ++scores.repeated;
      continue;
    }
    for (int64_t m = 0; m < all.sizes[k]; ++m)
      scores.mutants.changes.insert(scores.mutants.changes.end(), {scores.mutants.count(), change[3 * m + 1], change[3 * m + 2]});
    scores.mutants.names.push_back(all.names[k]);
    scores.mutants.sizes.push_back(all.sizes[k]);
    scores.measured.push_back(average[k]);
  }
}

}  // namespace

DmsScores score_measured(const WildType &wild, const DmsFlags &flags) {
  require_alphabet(wild.model, flags.argument, flags.path);
  const SideTable table = read_measurements(wild.session, flags);
  const std::size_t measured = column_of(table, "--column", flags.column, flags.path), mutant = required_mutant_column(table, flags);
  std::vector<double> values;
  for (std::size_t k = 0; k < table.rows.size(); ++k) values.push_back(measurement_in(flags, table.rows[k][measured], table.lines[k]));
  DmsScores scores;
  for (const std::size_t row : add_mutants_of(wild, table, mutant, flags.skip_unscored, scores.mutants))
    scores.measured.push_back(values[row]);
  scores.skipped = std::move(scores.mutants.skipped);
  average_repeated(wild, scores);
  scores.scored = score_mutants(wild, scores.mutants.changes, scores.mutants.count());
  scores.agreement = measure_agreement(wild, scores.mutants.sizes, scores.measured, scores.scored, flags.agreement);
  return scores;
}

Table dms_table(const WildType &wild, const DmsFlags &flags, const DmsScores &scores) {
  Table table(wild.session, {"mutant", "mutations", "measured", "energy", "log_pseudolikelihood", "independent"});
  table.note(fmt::format("{} mutants of {}, measured: column {} of {}", scores.mutants.count(), wild.name, flags.column, flags.path));
  note_skipped(table, scores.skipped);
  if (scores.repeated > 0)
    table.note(fmt::format("{} rows have a mutant that an earlier row has: its measurement is the mean of all", scores.repeated));
  for (const std::string &note : agreement_notes(wild.session, flags.agreement)) table.note(note);
  for (const AgreementRow &row : scores.agreement)
    table.note(fmt::format("{} of {}, {} mutants ({}): {}", row.measure, row.score, row.count, group_text(row), value_text(row)));
  for (std::size_t k = 0; k < scores.measured.size(); ++k)
    table.row({scores.mutants.names[k], cell(scores.mutants.sizes[k]), cell(scores.measured[k]), cell(scores.scored.energy[k]),
               cell(scores.scored.log_pseudolikelihood[k]), cell(scores.scored.independent[k])});
  return table;
}

void DmsFlags::add(CLI::App *app) {
  const auto grouped = [&](CLI::Option *option, const char *type) {
    option->group("Measured effects");
    if (*type != '\0') option->type_name(type);
  };
  grouped(
      app->add_option("--dms", path, "table of measured mutants, as CSV or with tabs, semicolons or blanks; instead of all single mutants")
          ->check(input_file()),
      "FILE");
  grouped(app->add_option("--column", column, "its column of measurements"), "NAME");
  grouped(app->add_flag("--larger-is-worse", agreement.larger_is_worse, "smaller measurements are better, as for changes of stability"),
          "");
  grouped(app->add_flag("--skip-unscored", skip_unscored,
                        "leave out mutants with sites that the model lacks, or with symbols that are not in its alphabet"),
          "");
  grouped(app->add_option("--bootstrap", agreement.draws, "number of bootstrap draws for intervals; 0: none")
              ->transform(count(0, 1 << 24))
              ->capture_default_str(),
          "N");
  grouped(app->add_option("--statistics", statistics, "write the measures of agreement as a table")->check(output_file()), "FILE");
}

void DmsFlags::require_dms(const CLI::App *app) const {
  for (const char *flag : {"--column", "--larger-is-worse", "--bootstrap", "--statistics"}) needs(app, flag, !path.empty(), "with --dms");
  needs(app, "--skip-unscored", !path.empty() || !given(app, "--mutations").empty(), "with --dms or --mutations");
  if (!path.empty() && column.empty()) wrong_use("--dms is \"{}\" without --column, expected the name of its column of measurements", path);
}

}  // namespace cli
