// SPDX-License-Identifier: MIT
// attopotts mutants: single mutants of one sequence, all double mutants, the mutants of a list, or those of a table of measurements.
#include "commands/commands.hpp"
#include "commands/dms.hpp"
#include "commands/double_mutants.hpp"
#include "commands/mutations.hpp"
#include "commands/site_weights.hpp"
#include "flags/presets.hpp"
#include "report/pages.hpp"
#include "run/csv_table.hpp"
#include "run/model_sequences.hpp"
#include "run/system.hpp"
#include "flags/validators.hpp"
#include "text/csv.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace cli {

namespace {

// Weighted frequencies of the model's colours, [L][q], without pseudocount, and atp_alignment_conservation(), [L]. If the model has no gap
// they are those of residues alone; NaN where a column has none.
struct SiteStatistics {
  std::vector<double> frequencies, conservation;
};

SiteStatistics site_statistics(const ModelSequences &data) {
  return {frequencies_of(data.data, data.gaps_missing), data.data.conservation(data.gaps_missing ? ATP_GAPS_IGNORE : ATP_GAPS_STATE)};
}

void write_mutant_matrix(const WildType &wild, const SiteStatistics &statistics, const std::string &path) {
  const int64_t sites = atp_model_sites(wild.model), colors = atp_model_colors(wild.model), gap = atp_model_gap_color(wild.model);
  const int64_t *numbers = atp_model_site_numbers_view(wild.model);
  // The energy of an autoregressive model is -log P, at its beta.
  const double beta = atp_model_is_ordered(wild.model) != 0 ? 1 : atp_model_beta(wild.model);
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

}  // namespace

namespace {

struct MutantsFlags {
  std::string model, data, sequence, mutations, independent, picture, report, matrix, csv = "-";
  std::optional<int64_t> row;
  std::optional<AutoFraction> pseudocount;
  DoublesFlags doubles;
  DmsFlags dms;
  SiteWeightFlags weights;
  std::string preset;
  DataFlags input;
  CLI::App *app = nullptr;
};

// The model of independent sites with the frequencies of --independent, or of DATA if it has several sequences; and a note about it.
struct Independent {
  Model model;
  SiteStatistics statistics;
  std::string note = "independent: empty, DATA has one sequence; --independent takes the frequencies of another file";
};

Independent independent_of(const Session &session, const MutantsFlags &flags, const atp_model *model, const ModelSequences &data) {
  ModelSequences other;
  if (!flags.independent.empty())
    other = read_model_sequences(session, "--independent", flags.independent, flags.input.for_test(), {}, model, SequenceUse::weighed_rows);
  const ModelSequences &from = flags.independent.empty() ? data : other;
  Independent made;
  if (flags.independent.empty() && from.count() < 2) {
    for (const char *flag : {"--pseudocount", "--matrix"})
      needs(flags.app, flag, false, "with --independent, or with several sequences in DATA");
    return made;
  }
  const AutoFraction asked = flags.pseudocount.value_or(AutoFraction());
  const double weight = atp_alignment_effective_count(from.data.get());
  check(atp_model_create_independent(session.context.get(), from.data.get(), from.gaps_missing ? ATP_GAPS_IGNORE : ATP_GAPS_STATE,
                                     asked.automatic ? -1 : asked.value, out(made.model)),
        "--pseudocount");
  made.statistics = site_statistics(from);
  made.note = fmt::format(
      "independent: log f(mutant) - log f(sequence), f the frequencies of the sites in {}: {} sequences, summed weight {:.6g}, "
      "pseudocount {}; positive: the mutant is more probable",
      flags.independent.empty() ? flags.data : flags.independent, from.count(), weight,
      asked.automatic ? "of one sequence of each colour" : fmt::format("{:.4g}", asked.value));
  return made;
}

void add_notes(Table &table, const WildType &wild, const std::string &of, bool listed) {
  table.note(of);
  note_energies(table, wild.model);
  table.note("log_pseudolikelihood: of the mutant less that of the sequence, in nats; positive: the mutant is more probable");
  if (listed && wild.missing_sites()) table.note("the model has no gap: missing sites enter no sum");
}

Table single_mutants(const WildType &wild, const std::string &note) {
  const int64_t sites = atp_model_sites(wild.model), colors = atp_model_colors(wild.model);
  const SingleScores scores = score_singles(wild);
  const int64_t *numbers = atp_model_site_numbers_view(wild.model);
  Table table(wild.session, {"site", "number", "from", "to", "energy", "log_pseudolikelihood", "independent"});
  add_notes(table, wild, "single mutants of " + wild.name, false);
  table.note(note);
  const int64_t missing = std::count(wild.sequence, wild.sequence + sites, static_cast<uint8_t>(ATP_MISSING));
  if (missing > 0)
    table.note(fmt::format("the model has no gap: {} sites are missing, \"from\" is empty, a mutant fills the site in", missing));
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t a = 0; a < colors; ++a) {
      if (a == wild.sequence[i]) continue;
      const auto at = static_cast<std::size_t>(i * colors + a);
      table.row({cell(i), cell(numbers[i]), wild.sequence[i] == ATP_MISSING ? "" : color_name(wild.model, wild.sequence[i]),
                 color_name(wild.model, a), cell(scores.energies[at]), cell(scores.values[at]), cell(scores.independent[at])});
    }
  return table;
}

Table listed_mutants(const WildType &wild, const MutantsFlags &flags, const std::string &note) {
  const std::string &path = flags.mutations;
  const MutantList list = read_mutants(wild, path, flags.dms.skip_unscored);
  const ScoredMutants scored = score_mutants(wild, list.changes, list.count());
  Table table(wild.session, {"mutant", "mutations", "energy", "log_pseudolikelihood", "independent"});
  add_notes(table, wild, fmt::format("{} mutants of {}, {}", list.count(), path, wild.name), true);
  note_skipped(table, list.skipped);
  say_skipped(wild.session, list.skipped);
  table.note(note);
  for (std::size_t k = 0; k < list.names.size(); ++k)
    table.row(
        {list.names[k], cell(list.sizes[k]), cell(scored.energy[k]), cell(scored.log_pseudolikelihood[k]), cell(scored.independent[k])});
  return table;
}

MutantMap map_of(const WildType &wild) {
  const int64_t sites = atp_model_sites(wild.model), colors = atp_model_colors(wild.model);
  MutantMap map;
  map.numbers.assign(atp_model_site_numbers_view(wild.model), atp_model_site_numbers_view(wild.model) + sites);
  map.scores = score_singles(wild).energies;
  for (double &score : map.scores) score = -score;
  for (int64_t a = 0; a < colors; ++a) map.symbols.push_back(color_name(wild.model, a));
  for (int64_t i = 0; i < sites; ++i) map.wild_type.push_back(wild.sequence[i] == ATP_MISSING ? -1 : wild.sequence[i]);
  return map;
}

MutantScatter scatter_of(const MutantsFlags &flags, const DmsScores &scores) {
  MutantScatter scatter;
  scatter.score = "score: -(H(mutant) - H(sequence))";
  scatter.measurement = flags.dms.column + (flags.dms.agreement.larger_is_worse ? " (larger is worse)" : "");
  scatter.names = scores.mutants.names;
  scatter.sizes = scores.mutants.sizes;
  scatter.scores = scores.scored.energy;
  for (double &score : scatter.scores) score = -score;
  scatter.measured = scores.measured;
  return scatter;
}

// Adds the numbers of measurements to the page.
Table write_measured(const WildType &wild, const MutantsFlags &flags, const std::string &note, MutantReport &report) {
  const DmsScores scores = score_measured(wild, flags.dms);
  Table table = dms_table(wild, flags.dms, scores);
  table.note(note);
  table.write(wild.session, flags.csv);
  say_skipped(wild.session, scores.skipped);
  if (scores.repeated > 0) wild.session.say("{} rows repeat a mutant: measurements of a mutant are averaged", scores.repeated);
  for (const AgreementRow &row : scores.agreement)
    if (row.measure == "spearman")
      wild.session.say("Spearman {}: {}, {} mutants ({})", value_text(row), row.score, row.count, group_text(row));
  const Table agreement = agreement_table(wild.session, scores.agreement, flags.dms.agreement);
  if (!flags.dms.statistics.empty()) agreement.write(wild.session, flags.dms.statistics);
  report.agreement = parse_table(agreement.text());
  for (const AgreementRow &row : scores.agreement)
    if (row.measure == "spearman" && row.group == "all")
      report.facts.push_back(
          {"Spearman's correlation", fmt::format("{}: {}, {} mutants ({})", value_text(row), row.score, row.count, group_text(row))});
  report.scatter = scatter_of(flags, scores);
  return table;
}

// The map of all single mutants, and measurements against scores.
void draw_mutants(const WildType &wild, const MutantsFlags &flags, const MutantReport &report) {
  std::vector<std::string> heading = {fmt::format("{}: mutants of {}", without_folder(flags.model), wild.name)};
  for (const Fact &fact : report.facts) heading.push_back(fact.name + " " + fact.value);
  std::vector<Drawing> drawings = {mutant_drawing(report.map)};
  if (report.scatter) drawings.push_back(chart_drawing(scatter_chart(*report.scatter)));
  write_picture(wild.session, flags.picture, heading, drawings);
}

// Picture and page of all single mutants; the page also has the table, if it was kept.
void show(const WildType &wild, const MutantsFlags &flags, const std::optional<Table> &table, MutantReport report) {
  if (flags.picture.empty() && flags.report.empty()) return;
  report.map = map_of(wild);
  draw_mutants(wild, flags, report);
  if (flags.report.empty()) return;
  report.model = without_folder(flags.model);
  report.wild_type = wild.name;
  report.facts.insert(report.facts.begin(),
                      {{"Model", report.model},
                       {"Sequence", fmt::format("{} of {}", wild.name, without_folder(flags.data))},
                       {"Sites and colours", fmt::format("{}, {}", atp_model_sites(wild.model), atp_model_colors(wild.model))}});
  if (table) report.table = parse_table(table->text());
  write_mutant_page(wild.session, flags.report, report);
}

void check_flags(const MutantsFlags &flags) {
  check_report(flags.report);
  flags.weights.check_values(flags.app);
  flags.dms.require_dms(flags.app);
  needs(flags.app, "--top", flags.doubles.wanted, "with --doubles");
  std::vector<std::string> kinds;
  if (!flags.mutations.empty()) kinds.emplace_back("--mutations");
  if (!flags.dms.path.empty()) kinds.emplace_back("--dms");
  if (flags.doubles.wanted) kinds.emplace_back("--doubles");
  if (kinds.size() > 1) wrong_use("{} and {} are both given, expected only one of them", kinds[0], kinds[1]);
  if (flags.row && !flags.sequence.empty())
    wrong_use("--row is \"{}\" and --sequence is \"{}\", expected only one of them", *flags.row, flags.sequence);
  check_picture(flags.picture);
}

// The model with the weights of its sites; the model itself where there are none.
Model weighed(const Session &session, Model model, const SiteWeights &weights) {
  if (!model || weights.values.empty()) return model;
  return weigh_sites(session, model.get(), weights);
}

int run_mutants(Session &session, MutantsFlags &flags) {
  apply_preset(session, flags.app, flags.preset);
  check_flags(flags);
  int64_t row = flags.row.value_or(0);
  Model model = read_model(session, "MODEL", flags.model, flags.input.alphabet);
  if (flags.matrix == "-" && flags.csv == "-")
    wrong_use("--matrix and --csv are both \"-\", expected a file for one of them: two tables do not go to one output");
  if (!flags.matrix.empty()) require_alphabet(model.get(), "--matrix", flags.matrix);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, {}, model.get(), SequenceUse::weighed_rows);
  if (!flags.sequence.empty()) check(atp_alignment_find(data.data.get(), flags.sequence.c_str(), &row), "--sequence in " + flags.data);
  if (row >= data.count()) wrong_use("--row is \"{}\", expected one of the {} sequences of {}, 0-based", row, data.count(), flags.data);
  Independent independent = independent_of(session, flags, model.get(), data);
  const std::string name = atp_alignment_name(data.data.get(), row);
  WildType wild{session, model.get(), nullptr, data.row(row), fmt::format("sequence {}{}", row, name.empty() ? "" : ", " + name)};
  const SiteWeights weights = site_weights(wild, flags.weights);
  if (!weights.note.empty()) session.notes.push_back(weights.note);
  model = weighed(session, std::move(model), weights);
  independent.model = weighed(session, std::move(independent.model), weights);
  wild.model = model.get();
  wild.independent = independent.model.get();
  MutantReport report;
  std::optional<Table> table;
  if (!flags.dms.path.empty()) {
    table = write_measured(wild, flags, independent.note, report);
  } else if (flags.doubles.wanted) {
    table = write_doubles(wild, flags.doubles, flags.csv);
  } else {
    table = flags.mutations.empty() ? single_mutants(wild, independent.note) : listed_mutants(wild, flags, independent.note);
    table->write(session, flags.csv);
  }
  if (!flags.matrix.empty()) write_mutant_matrix(wild, independent.statistics, flags.matrix);
  show(wild, flags, table, std::move(report));
  return kDone;
}

void add_scan_flags(CLI::App *app, MutantsFlags &flags) {
  app->add_option("--mutations", flags.mutations,
                  "file with a mutant on each line instead of all single mutants: A110D, or several mutations at once as A110D/N146D, "
                  "A110D:N146D or A110D,N146D; A110- or A110del deletes; numbers are the model's site numbers; -: standard input")
      ->check(input_file())
      ->type_name("FILE");
  app->add_flag("--doubles", flags.doubles.wanted, "all double mutants instead of all single mutants");
  app->add_option("--top", flags.doubles.top, "with --doubles: only the N mutants with the lowest energies")
      ->transform(count(1))
      ->type_name("N");
  app->add_option("--independent", flags.independent,
                  "sequences that give the frequencies of the score by independent sites; default: DATA, if it has several")
      ->check(input_file())
      ->type_name("DATA");
  add_auto_fraction(app, "--pseudocount", flags.pseudocount,
                    "share of the uniform distribution in these frequencies, 0..1; auto: one sequence more of each colour")
      ->type_name("C")
      ->default_str("auto");
  add_picture(app, flags.picture, "the heat map of all single mutants, with --dms also measurements against scores");
  add_report(app, flags.report);
}

void add_mutants(CLI::App *app, MutantsFlags *flags) {
  flags->app = app;
  app->add_option("MODEL", flags->model, "the model")->check(input_file())->required();
  app->add_option("DATA", flags->data, "file with the sequence to mutate; if the model has no gap, gaps are missing sites")
      ->check(input_file())
      ->required();
  app->add_option("--row", flags->row, "number of the sequence, 0-based; default 0")->transform(count(0))->type_name("N");
  app->add_option("--sequence", flags->sequence, "name of the sequence")->type_name("NAME");
  add_scan_flags(app, *flags);
  flags->dms.add(app);
  flags->weights.add(app);
  add_purpose(app, flags->preset);
  app->add_option("--matrix", flags->matrix, "write all single mutants as EVcouplings' mutation matrix, CSV; -: standard output")
      ->check(output_file())
      ->type_name("FILE");
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kMutantsCommand = {
    "mutants",
    "compute scores of mutants of a sequence, and compare them with measured effects",
    kOfModels,
    "attopotts mutants model.h5 family.fasta --sequence DYR_ECOLI --csv mutants.csv",
    "--row --sequence --mutations --doubles --top --independent --dms --column --larger-is-worse --statistics --picture "
    "--report --matrix --csv --alphabet --theta --preset --structure --rsa --site-weights",
    with_flags<MutantsFlags, add_mutants, run_mutants>,
    {{ATP_OWNER_ALIGNMENT}}};

}  // namespace cli
