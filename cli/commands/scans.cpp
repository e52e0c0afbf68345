// SPDX-License-Identifier: MIT
// attopotts scans: the models of many alignments against the deep mutational scans of their proteins, assay by assay.
#include "commands/commands.hpp"

#include "commands/contact_methods.hpp"
#include "commands/dms.hpp"
#include "commands/kept_run.hpp"
#include "commands/scan_assays.hpp"
#include "commands/site_weights.hpp"
#include "flags/help_pages.hpp"
#include "flags/pair_flags.hpp"
#include "flags/presets.hpp"
#include "flags/training_flags.hpp"
#include "flags/validators.hpp"
#include "report/chart.hpp"
#include "report/page.hpp"
#include "run/csv_table.hpp"
#include "run/memory.hpp"
#include "run/model_sequences.hpp"
#include "run/signals.hpp"
#include "run/training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cli {

namespace {

// Means over the 217 assays of substitutions of ProteinGym, as StructureDCA's authors state them (2026).
constexpr const char *kPublished =
    "published means over the 217 assays of ProteinGym: independent 0.359, EVmutation 0.395, StructureDCA 0.471, RSA 0.482, RSALOR 0.465";

const std::vector<std::string> kScanColumns = {"level",
                                               "name",
                                               "selection_type",
                                               "assays",
                                               "mutants",
                                               "left_out",
                                               "sites",
                                               "sequences",
                                               "effective",
                                               "structure",
                                               "auc",
                                               "outcome",
                                               "seconds",
                                               "spearman",
                                               "spearman_log_pseudolikelihood",
                                               "spearman_independent"};

struct ScansFlags {
  std::string reference, column = "DMS_score", picture, preset, csv = "-";
  std::vector<std::string> folders;
  bool resume = false, restart = false;
  TrainingFlags training;
  DataFlags data;
  CLI::App *app = nullptr;
  bool weighs = false;     // by flags, not by the preset
  bool criterion = false;  // of --set
};

// Every flag on which the rows depend, as it was given.
std::string settings_of_scans(const Session &session, const ScansFlags &flags) {
  static const std::vector<std::string> others = {"csv", "resume", "restart", "picture", "folder", "help", "help-all"};
  std::string text = fmt::format("scans, seed {}", session.seed);
  for (const CLI::Option *option : flags.app->get_options()) {
    const std::string name = option->get_single_name();
    if (option->count() == 0 || option->get_group() == kCommonGroup || std::find(others.begin(), others.end(), name) != others.end())
      continue;
    text += fmt::format(", {} {}", name, fmt::join(option->results(), " "));
  }
  return text;
}

// The alignment of an assay in the columns of its first sequence, with the numbers of the target.
class AssayData {
 public:
  AssayData(const Session &session, const ScansFlags &flags, const Assay &assay) {
    DataFlags input = flags.data;
    if (input.alphabet.empty()) input.alphabet = "protein";
    if (!assay.weights.empty() && !flags.weighs) {
      input.theta.reset();
      input.weight_rule.reset();
      input.weights.from = WeightSource::From::file;
      input.weights.text = assay.weights;
    } else if (!input.weighs_by_identity() && input.weights.from == WeightSource::From::data) {
      input.theta.emplace();
      input.theta->automatic = false;
      input.theta->value = 0.2;
    }
    DataFlags unprepared = input.as_they_are();
    unprepared.format = input.format;
    Alignment whole = read_data(session, "MSA_filename", assay.sequences, unprepared);
    input.focus = atp_alignment_name(whole.get(), 0);
    data = prepare(session, "MSA_filename", assay.sequences, std::move(whole), input, {});
    if (!assay.target.empty()) number_by_target(assay);
  }

  Alignment data;

 private:
  // Numbers the sites by the target that most residues agree with.
  void number_by_target(const Assay &assay) {
    const int64_t sites = data.sites(), length = static_cast<int64_t>(assay.target.size());
    const std::string residues = atp_alignment_site_residues(data.get());
    const int64_t *numbers = atp_alignment_site_numbers_view(data.get());
    const auto agreeing = [&](int64_t offset) {
      int64_t count = 0;
      for (int64_t i = 0; i < sites; ++i) {
        const int64_t place = numbers[i] + offset - 1;
        count += place >= 0 && place < length && assay.target[static_cast<std::size_t>(place)] == residues[static_cast<std::size_t>(i)];
      }
      return count;
    };
    int64_t best = 0;
    for (int64_t offset = 1 - numbers[sites - 1]; offset <= length - numbers[0]; ++offset)
      if (agreeing(offset) > agreeing(best)) best = offset;
    if (10 * agreeing(best) < 9 * sites)
      wrong_use("{}: {} of {} residues of the first sequence of {} are those of target_seq, expected at least 9 of 10", assay.name,
                agreeing(best), sites, assay.sequences);
    std::vector<int64_t> shifted(numbers, numbers + sites);
    for (int64_t &number : shifted) number += best;
    check(atp_alignment_set_sites(data.get(), shifted.data(), sites, residues.c_str()));
  }
};

struct ScanModel {
  Model model;
  std::string outcome;
};

// The contacts of the structure of an assay; all pairs where there is none.
std::vector<int64_t> pairs_of(const Session &session, const Assay &assay, const atp_alignment *data, const atp_options *options) {
  StructureFlags structure;
  structure.atoms = AtomChoice::side_chain;
  PairFlags pairs;
  pairs.from = assay.structure;
  pairs.structure = [&structure](const Session &of, const atp_alignment *sequences, const std::string &path) {
    return structure_for_pairs(of, structure, sequences, path);
  };
  return pairs.choose(session, data, options);
}

ScanModel learn_scan(Session &session, const ScansFlags &flags, const Assay &assay, const atp_alignment *data) {
  const Options options = training_options(session, Method::plm, flags.training, {});
  const std::vector<int64_t> pairs = pairs_of(session, assay, data, options.get());
  std::optional<atp_criterion> criterion;  // with pairs as the preset of learn --pairs-from, unless --set has one
  if (!pairs.empty() && !flags.criterion) criterion = ATP_CRITERION_PSEUDOLIKELIHOOD;
  choose_by_data(session, flags.training.selection, data, options.get(), pairs, criterion);
  RunPlan plan;
  plan.pairs = &pairs;
  check_memory(session, data, options.get(), Start::random, plan);
  Trainer trainer = make_trainer(session, data, options.get(), pairs);
  EpochLog log;
  TrainingJob job;
  job.task = "scans " + assay.name;
  const atp_outcome outcome = train(session, trainer.get(), job, log);
  stop_if_interrupted();
  return {trainer.model(), atp_outcome_name(outcome)};
}

// Measurements and scores of an assay.
DmsScores score_assay(const Session &session, const ScansFlags &flags, const Assay &assay, const Alignment &data, const atp_model *model) {
  const bool gaps_missing = atp_model_colors(model) != atp_alignment_colors(data.get());
  const uint8_t *first = atp_alignment_sequences_view(data.get());
  std::vector<uint8_t> sequence(first, first + data.sites());  // the focus has no gap
  for (uint8_t &color : sequence) color = static_cast<uint8_t>(color - (gaps_missing ? 1 : 0));
  const Model independent = attopotts::independent_model(session.context, data, gaps_missing ? ATP_GAPS_IGNORE : ATP_GAPS_STATE);
  WildType wild{session, model, independent.get(), sequence.data(), assay.name};
  Model weighed, weighed_independent;
  if (!assay.structure.empty()) {
    SiteWeightFlags accessibility;
    accessibility.by_accessibility = true;
    accessibility.structure.file = assay.structure;
    accessibility.structure.copies = Copies::none;
    const SiteWeights weights = site_weights(wild, accessibility);
    weighed = weigh_sites(session, model, weights);
    weighed_independent = weigh_sites(session, independent.get(), weights);
    wild.model = weighed.get();
    wild.independent = weighed_independent.get();
  }
  DmsFlags dms;
  dms.argument = "DMS_filename";
  dms.path = assay.effects;
  dms.column = flags.column;
  dms.skip_unscored = true;
  dms.agreement.draws = 0;
  dms.agreement.threshold = assay.cutoff;
  return score_measured(wild, dms);
}

double agreement_in(const DmsScores &scores, const std::string &score, const std::string &measure) {
  for (const AgreementRow &row : scores.agreement)
    if (row.group == "all" && row.score == score && row.measure == measure) return row.value;
  return std::nan("");
}

std::vector<std::string> run_assay(Session &session, const ScansFlags &flags, Assay assay) {
  if (flags.preset.empty())
    assay.structure.clear();
  else if (!assay.missing.empty())
    session.say("{}: the structure {} is in no folder: all pairs, sites without weights", assay.name, printable(assay.missing));
  const auto begin = std::chrono::steady_clock::now();
  AssayData input(session, flags, assay);
  const ScanModel learned = learn_scan(session, flags, assay, input.data.get());
  const DmsScores scores = score_assay(session, flags, assay, input.data, learned.model.get());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {"assay",
          assay.name,
          assay.type,
          "1",
          cell(scores.mutants.count()),
          cell(static_cast<int64_t>(scores.skipped.size())),
          cell(input.data.sites()),
          cell(input.data.count()),
          cell(input.data.effective_count()),
          without_folder(assay.structure),
          cell(agreement_in(scores, "energy", "auc")),
          learned.outcome,
          fmt::format("{:.2f}", seconds),
          cell(agreement_in(scores, "energy", "spearman")),
          cell(agreement_in(scores, "log_pseudolikelihood", "spearman")),
          cell(agreement_in(scores, "independent", "spearman"))};
}

std::vector<std::string> row_of(const MeanScore &mean) {
  return {mean.type == "all" ? "all" : "type",
          mean.type,
          mean.type,
          cell(mean.assays),
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          cell(mean.energy),
          "",
          cell(mean.independent)};
}

// The correlation of each assay against that by independent sites, and in ascending order.
std::vector<Chart> scan_charts(const StoredTable &table, const std::vector<MeanScore> &means) {
  Chart against, sorted;
  against.title = "Spearman: model against independent sites";
  against.x_label = "independent sites";
  against.y_label = "model";
  sorted.title = "Spearman by assay, ascending in each type";
  sorted.x_label = "assay";
  sorted.y_label = "model";
  int color = 0;
  for (const MeanScore &mean : means) {
    if (mean.type == "all") continue;
    const std::string name = fmt::format("{}: mean {:.3f}, {}", mean.type, mean.energy, counted(mean.assays, "assay"));
    const std::vector<std::pair<std::string, std::string>> where = {{"level", "assay"}, {"selection_type", mean.type}};
    ChartSeries points = series_of(table, {"spearman_independent", "spearman", "", where}, name, Look::points, color);
    ChartSeries ranks = points;
    std::sort(ranks.y.begin(), ranks.y.end());
    for (std::size_t k = 0; k < ranks.x.size(); ++k) ranks.x[k] = static_cast<double>(k + 1);
    add_series(against, std::move(points));
    add_series(sorted, std::move(ranks));
    color = (color + 1) % kSeriesColors;
  }
  add_level(sorted, fmt::format("mean over types {:.3f}", means.back().energy), means.back().energy, 4);
  return {against, sorted};
}

int finish_scans(const Session &session, const ScansFlags &flags, GrowingTable &table, const std::vector<AssayScore> &scores,
                 bool converged) {
  const std::vector<MeanScore> means = mean_scores(scores);
  for (const MeanScore &mean : means) table.row(row_of(mean));
  const std::vector<std::string> notes = {
      "spearman: of -(H(mutant) - H(target)) and the measurements; means: over the assays of a protein, then over proteins, then over "
      "types",
      kPublished, fmt::format("outcome: {}", converged ? "converged" : "not all models converged")};
  table.finish(notes);
  for (const MeanScore &mean : means)
    session.say("Spearman {:.4f}, independent sites {:.4f}: {}, {}", mean.energy, mean.independent,
                mean.type == "all" ? "mean over types of selection" : mean.type, counted(mean.assays, "assay"));
  session.say("{}", kPublished);
  if (!flags.picture.empty())
    write_picture(session, flags.picture,
                  {fmt::format("Deep mutational scans: {}", counted(static_cast<int64_t>(scores.size()), "assay")), kPublished},
                  scan_charts(parse_table(table.table(notes).text()), means));
  return converged ? kDone : kNotConverged;
}

int run_scans(Session &session, ScansFlags &flags) {
  flags.weighs = flags.data.weighs_by_identity() || flags.data.weights.from != WeightSource::From::data;
  flags.criterion = session.settings.has(ATP_OPT_CRITERION);
  apply_preset(session, flags.app, flags.preset);
  check_picture(flags.picture);
  if (flags.resume && flags.restart) wrong_use("--resume and --restart are both given, expected only one of them");
  const std::vector<Assay> assays = read_assays(session, flags.reference, flags.folders);
  const Options checked = training_options(session, Method::plm, flags.training, {});
  flags.training.selection.check_values(flags.app, checked.get());
  GrowingTable table(session, flags.csv, kScanColumns, 2, settings_of_scans(session, flags),
                     flags.resume    ? Earlier::resume
                     : flags.restart ? Earlier::restart
                                     : Earlier::refuse);
  std::vector<AssayScore> scores;
  std::vector<std::vector<std::string>> keys;
  for (const Assay &assay : assays) {
    keys.push_back({"assay", assay.name});
    scores.push_back({assay.protein, assay.type, std::nan(""), std::nan("")});
  }
  for (const MeanScore &mean : mean_scores(scores)) keys.push_back({mean.type == "all" ? "all" : "type", mean.type});
  table.order(keys);
  bool converged = true;
  for (std::size_t k = 0; k < assays.size(); ++k) {
    const std::vector<std::string> *stored = table.stored(keys[k]);
    const std::vector<std::string> row = stored != nullptr ? *stored : run_assay(session, flags, assays[k]);
    table.row(row);
    table.save();
    const std::size_t last = row.size() - 1;
    scores[k].energy = number_in(row[last - 2]);
    scores[k].independent = number_in(row[last]);
    converged = converged && row[last - 4] == atp_outcome_name(ATP_OUTCOME_CONVERGED);
    session.say("{} of {}: {}: Spearman {:.4f}, independent sites {:.4f}{}", k + 1, assays.size(), assays[k].name, scores[k].energy,
                scores[k].independent, stored != nullptr ? " (from the table)" : "");
  }
  return finish_scans(session, flags, table, scores, converged);
}

void add_scans(CLI::App *app, ScansFlags *flags) {
  flags->app = app;
  app->add_option(
         "REFERENCE", flags->reference,
         "table of the assays, as ProteinGym's DMS_substitutions.csv: columns DMS_id and MSA_filename; also DMS_filename, target_seq, "
         "weight_file_name, UniProt_ID, coarse_selection_type and DMS_binarization_cutoff are read, with --preset mutations also "
         "pdb_file or structure: couplings are then those of its contacts, and sites count with 1 - their relative solvent accessibility")
      ->check(input_file())
      ->required();
  app->add_option("--folder", flags->folders,
                  "folder of the files that the table names, in it or in the folders within; may be repeated; default: that of the table")
      ->check(output_folder())
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--column", flags->column, "column of measurements; larger is better")->type_name("NAME")->capture_default_str();
  add_csv(app, flags->csv, ". A file is rewritten after each assay");
  add_picture(app, flags->picture, "the correlations of all assays");
  app->add_flag("--resume", flags->resume, "keep the assays of an interrupted run of the same command in --csv FILE, and compute the rest");
  app->add_flag("--restart", flags->restart, "start again and overwrite the unfinished run in --csv FILE");
  add_purpose(app, flags->preset);
  flags->training.add(app);
  flags->data.add(app);
}

}  // namespace

const Command kScansCommand = {"scans",
                               "compare models with many deep mutational scans in ProteinGym's layout, assay by assay",
                               kOfModels,
                               "attopotts scans DMS_substitutions.csv --folder data --preset mutations --csv scans.csv --picture scans.svg",
                               "--folder --column --preset --csv --picture --resume --restart --l2-couplings --l2-fields --gaps --epochs "
                               "--theta --weights --max-gaps-column",
                               with_flags<ScansFlags, add_scans, run_scans>,
                               {{ATP_OWNER_TRAINER, ATP_OWNER_SELECTION, ATP_OWNER_ALIGNMENT}, kNotOfMethods}};

}  // namespace cli
