// SPDX-License-Identifier: MIT
// attopotts contacts: the pairs of sites with the strongest couplings.
#include "commands/commands.hpp"

#include "commands/contact_methods.hpp"
#include "report/contact_map.hpp"
#include "commands/kept_run.hpp"
#include "run/memory.hpp"
#include "run/model_sequences.hpp"
#include "flags/pair_flags.hpp"
#include "flags/presets.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"
#include "run/csv_table.hpp"
#include "run/training.hpp"
#include "flags/training_flags.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cli {

namespace {

struct ContactsFlags {
  MethodFlags method;
  std::optional<int64_t> heads;
  Rows rows, epistasis_rows;
  DataFlags data;
  TrainingFlags training;
  CheckpointFlags checkpoint;
  PairFlags pairs;
  std::string like;
  CLI::App *app = nullptr;
  std::vector<const CLI::Option *> of_sequences;  // the flags that need sequences
  std::vector<const CLI::Option *> of_training;   // those of them that need training
  std::string epistasis;                          // sequences whose mutants score the pairs of a model
  std::string input, model_out, ppv, matrix, picture, report, csv = "-";
  std::vector<std::string> scripts;
  ScoreFlags scoring;
  bool errors = false;
};

struct Source {
  Model model;          // none with methods that make none
  Alignment data;       // none where the model was read
  std::string outcome;  // of training; "" where there was none
  bool converged = true;
  PairValues pairs;
  std::vector<double> errors;     // of --errors: [2][L][L] of the scores and of the corrected ones
  std::vector<double> distances;  // of --distances
  std::optional<Structure> structure;
  SiteDistances structure_distances;
  int64_t border = 0;             // of two proteins, as the chains of the structure show it
  std::optional<int64_t> paired;  // --paired
  SiteNames sites() const {
    SiteNames names = model ? sites_of(model.get()) : sites_of(data.get());
    if (names.border == 0) names.border = border;
    names.last = paired;
    return names;
  }
};

// Fails where the tables of all pairs, or of a list, do not fit: scores, distances and the largest of the texts that are made one after the
// other.
void require_tables(const Session &session, const ContactsFlags &flags, int64_t sites, std::size_t list, const char *fewer) {
  constexpr double kRow = 120, kJsonRow = 400, kCell = 34, kCurveRow = 80, kGridRow = 60;  // bytes of texts, copies included
  const double cells = static_cast<double>(sites) * static_cast<double>(sites);
  const bool squares = list == 0 || !flags.matrix.empty() || precision_bytes(flags.scoring, false) > 0 || !flags.epistasis.empty() ||
                       flags.method.wants_information();
  if (!squares) return require_memory(session, kListedBytes * static_cast<double>(list), "the pairs of the list");
  const auto share = [&](double rows, double bytes) { return std::min(rows, cells / 2) / cells * bytes; };
  const double row = is_json(session, flags.csv) ? kJsonRow : kRow;
  const auto needed = [&](double rows) {
    double text = share(rows, row);
    if (!flags.ppv.empty()) text = std::max(text, share(cells, is_json(session, flags.ppv) ? kJsonRow : kCurveRow));
    if (!flags.matrix.empty()) text = std::max(text, kCell);
    if (!flags.picture.empty() || !flags.report.empty()) text = std::max(text, kGridRow);
    return kScoresBytes + precision_bytes(flags.scoring, flags.data.format == ATP_FORMAT_PAIRED) + text;
  };
  const double available = available_memory(session), listed = static_cast<double>(flags.scoring.top.value_or(sites * sites));
  const bool top_helps = !flags.scoring.top && needed(static_cast<double>(sites)) * cells <= available;
  require_pair_tables(session, sites, needed(listed), top_helps ? "fewer rows with --top N" : fewer);
}

// What can fail for these sites fails before anything is learned: --min-separation leaves no pairs, or the distances are not of the sites.
void prepare_pairs(const Session &session, const ScoreFlags &flags, const SiteNames &sites, Source &source) {
  require_pairs(sites, flags);
  if (!flags.distances.empty()) source.distances = read_distances(session, sites, flags);
}

Source read_sequences(const Session &session, const ContactsFlags &flags, InputFile input, const std::optional<Structure> &structure) {
  Source source;
  source.data = read_data(session, std::move(input), flags.data, flags.rows);
  const StructureFlags &of = flags.scoring.structure;
  const std::size_t listed = flags.pairs.wanted() ? 1 : 0;  // at least: how many is not known yet
  require_tables(session, flags, atp_alignment_sites(source.data.get()), listed, kFewerSites);
  prepare_pairs(session, flags.scoring, sites_of(source.data.get()), source);
  if (structure) source.structure_distances = measure_structure(session, of, *structure, sites_of(session, of, source.data.get()));
  return source;
}

Source learn(Session &session, const ContactsFlags &flags, InputFile input, const std::optional<Structure> &structure) {
  const Options options = training_options(session, flags.method.method, flags.training, flags.heads);
  flags.pairs.check_values(flags.app, flags.method.method != Method::factored);
  flags.training.selection.check_values(flags.app, options.get());
  if (flags.errors) require_errors_of(options.get());
  flags.checkpoint.check_values();
  Checkpoint checkpoint(session, "contacts", flags.checkpoint);
  Source source = read_sequences(session, flags, std::move(input), structure);
  const Alignment &data = source.data;
  if (atp_alignment_count(data.get()) == 1) wrong_use("INPUT {} leaves one sequence to learn from, expected at least 2", flags.input);
  PairFlags chosen = flags.pairs;
  chosen.cutoff = flags.scoring.cutoff;
  chosen.structure = [&](const Session &of, const atp_alignment *sequences, const std::string &path) {
    return structure_for_pairs(of, flags.scoring.structure, sequences, path);
  };
  const std::vector<int64_t> pairs = chosen.choose(session, data.get(), options.get());
  choose_by_data(session, flags.training.selection, data.get(), options.get(), pairs);
  int64_t family = 0, heads = 1;
  check(atp_options_get_i64(options.get(), ATP_OPT_FAMILY, &family));
  check(atp_options_get_i64(options.get(), ATP_OPT_HEADS, &heads));
  TrainingTask task;
  task.data = data.get();
  task.options = options.get();
  task.start = family == ATP_FAMILY_FACTORED && heads < kWideBelow ? Start::wide : Start::random;
  SiteNames learned = source.sites();
  learned.listed = pairs;
  if (flags.errors && !pairs.empty()) wrong_use("--errors is given with couplings of some pairs, expected couplings of all");
  if (!pairs.empty()) {
    require_tables(session, flags, learned.count, pairs.size() / 2, kFewerSites);
    require_pairs(learned, flags.scoring);
  }
  RunPlan plan;
  plan.pairs = &pairs;
  plan.checkpoint = checkpoint.wanted();
  plan.model = true;
  plan.written = !flags.model_out.empty();
  const std::string needed = check_memory(session, data.get(), options.get(), task.start, plan);
  Trainer trainer = make_trainer(session, data.get(), options.get(), pairs);
  if (flags.errors) require_errors_of(session, trainer.model().get(), data.get(), options.get());
  checkpoint.read();
  TrainingJob job;
  job.checkpoint_seconds = flags.checkpoint.interval;
  KeptRun kept(session, checkpoint, "");
  kept.messages.push_back(needed);
  const TrainingEnd end = train_kept(session, task, trainer, job, kept);
  if (!end.stopped.empty()) end_interrupted(session, std::move(trainer), end, kept, {"--model-out", flags.model_out});
  source.model = trainer.model();
  source.converged = end.outcome == ATP_OUTCOME_CONVERGED;
  source.outcome = fmt::format("{} after {}", atp_outcome_name(end.outcome), counted(trainer.epochs(), "epoch"));
  trainer = Trainer();  // its memory may be needed to build the file
  session.say("{}{}{}{}", source.converged ? "" : "warning: not converged: ", source.outcome,
              source.converged ? "" : "; the pairs are those of the model so far" + training_ways_out(end.outcome, flags.training),
              end.outcome == ATP_OUTCOME_MAX_ITER ? "; a run with --checkpoint FILE goes on with --resume" : "");
  if (!flags.model_out.empty()) write_model(session, source.model.get(), flags.model_out, "--model-out " + flags.model_out);
  if (!checkpoint.failure().empty()) session.say("warning: the last checkpoint could not be saved: {}", checkpoint.failure());
  if (flags.errors) source.errors = score_errors(session, source.model.get(), data.get(), options.get(), flags.scoring);
  return source;
}

// A method without training.
Source make(const Session &session, const ContactsFlags &flags, InputFile input, const std::optional<Structure> &structure) {
  for (const CLI::Option *option : flags.of_training)
    if (option->count() > 0)
      wrong_use("{} is given with --method {}, expected a method with training", option->get_name(),
                word_of(kMethods, flags.method.method));
  needs(flags.app, "--model-out", has_model(flags.method.method), "with a method that makes a model");
  needs(flags.app, "--precision", flags.method.method != Method::mutual_information, "with a method that trains or inverts");
  Source source = read_sequences(session, flags, std::move(input), structure);
  MethodResult result =
      apply_method(session, source.data.get(), flags.method, flags.training.precision, flags.scoring, !flags.model_out.empty());
  source.model = std::move(result.model);
  source.pairs = std::move(result.pairs);
  if (!flags.model_out.empty()) write_model(session, source.model.get(), flags.model_out, "--model-out " + flags.model_out);
  return source;
}

PairValues values_by_epistasis(const Session &session, const ContactsFlags &flags, const atp_model *model) {
  const ModelSequences sequences =
      read_model_sequences(session, "--epistasis", flags.epistasis, flags.data.for_test(), flags.epistasis_rows, model);
  return epistatic_values(session, model, sequences.values, flags.scoring);
}

Source source_of(Session &session, const ContactsFlags &flags, InputFile input) {
  const bool read = is_model(input);
  if (read) {
    std::vector<const CLI::Option *> refused = flags.of_sequences;
    if (input.kind() == "adabm") refused.erase(std::find(refused.begin(), refused.end(), flags.app->get_option("--alphabet")));
    refuse_for_model(refused, flags.input);
  }
  if (read || !is_trained(flags.method.method))
    session.settings.require_owners({ATP_OWNER_ALIGNMENT},
                                    read ? "contacts of a model" : "contacts --method " + word_of(kMethods, flags.method.method));
  else if (!flags.training.selection.wanted())
    session.settings.require_owners({ATP_OWNER_TRAINER, ATP_OWNER_ALIGNMENT}, "contacts without --l2-couplings auto or --heads auto");
  flags.method.check_values(flags.app, !read);
  if (flags.errors && flags.scoring.gauge != ATP_SCORE_ZERO_SUM) wrong_use("--errors is given with --gauge raw, expected zero-sum");
  needs(flags.app, "--epistasis", read, "with a model as INPUT");
  needs(flags.app, "--epistasis-rows", !flags.epistasis.empty(), "with --epistasis");
  needs(flags.app, "--gauge", flags.epistasis.empty(), "without --epistasis, which does not depend on the gauge");
  const StructureFlags &of = flags.scoring.structure;
  std::optional<Structure> structure;
  if (!of.file.empty()) structure = read_structure(session, of);
  Source source;
  if (!read && !is_trained(flags.method.method)) {
    source = make(session, flags, std::move(input), structure);
  } else if (read) {
    source.model = read_model(session, input, flags.data.alphabet);
    const SiteNames sites = sites_of(source.model.get());
    require_tables(session, flags, sites.count, sites.listed.size() / 2, "a model of fewer sites takes less");
    prepare_pairs(session, flags.scoring, sites, source);
    if (structure) source.structure_distances = measure_structure(session, of, *structure, sites_of(session, of, source.model.get()));
  } else {
    source = learn(session, flags, std::move(input), structure);
  }
  if (read || is_trained(flags.method.method)) {
    const EndAtOnce trained;
    source.pairs = flags.epistasis.empty() ? model_values(session, source.model.get(), source.data.get(), flags.method, flags.scoring)
                                           : values_by_epistasis(session, flags, source.model.get());
  }
  source.structure = std::move(structure);
  return source;
}

void write_matrix(const Session &session, const std::string &path, const Scores &s) {
  std::string text;
  if (session.comments)
    text = csv_note(fmt::format("attopotts {}", atp_version_string())) + csv_note("command: " + session.command_line) +
           csv_note(fmt::format("{}, {} x {}", s.by_norm ? s.column : "apc", s.sites, s.sites));
  for (int64_t i = 0; i < s.sites; ++i)
    for (int64_t j = 0; j < s.sites; ++j) text += fmt::format("{:.10g}{}", s.ranking().at(i, j), j + 1 < s.sites ? ' ' : '\n');
  write_text(session, path, text);
}

void note_precision(Table &table, const Precision &j, const Scores &s) {
  for (const std::string &text : precision_texts(j, s.sites)) table.note("precision: " + text);
}

void write_curve(const Session &session, const std::string &path, const Scores &s, const Precision &j, const int64_t *numbers,
                 const std::string &what) {
  Table table(session, {"pairs", "precision", "i", "j", "distance"});
  table.note(what);
  table.note(fmt::format("contacts: distance < {:g} angstrom; pairs of unknown distance {}", j.cutoff,
                         j.exclude ? "are left out" : "are no contacts"));
  note_precision(table, j, s);
  std::size_t at = 0;
  for (int64_t k = 0; k < s.count(); ++k) {
    const double distance = j.distance(s.first(k), s.second(k));
    if (!j.counts(distance)) continue;
    table.row(
        {cell(static_cast<int64_t>(at + 1)), cell(j.curve[at]), cell(numbers[s.first(k)]), cell(numbers[s.second(k)]), cell(distance)});
    ++at;
  }
  table.write(session, path);
}

std::string score_name(const Scores &s) {
  return s.column == "fn"          ? "Frobenius norm"
         : s.column == "epistasis" ? "epistasis"
         : s.column == "di"        ? "direct information"
                                   : "mutual information";
}

// How many pairs between two proteins a map marks: they seldom are among the best of all.
int64_t best_between(int64_t sites) { return std::max<int64_t>(1, sites / 5); }

// The best pairs, and of two proteins the best between them.
void mark_pairs(const Scores &s, int64_t marked, ContactMap &map) {
  int64_t between = 0;
  for (int64_t k = 0; k < s.count(); ++k) {
    const bool is_between = s.first(k) < s.border && s.second(k) >= s.border;
    between += is_between ? 1 : 0;
    if (k >= marked && !(is_between && between <= best_between(s.sites))) continue;
    map.pairs.insert(map.pairs.end(), {s.first(k), s.second(k)});
    map.ranks.push_back(k + 1);
  }
}

// The map of picture and page, with `marked` pairs.
ContactMap map_of(const ContactsFlags &flags, const SiteNames &sites, const Scores &s, const Precision &j, int64_t marked) {
  ContactMap map;
  mark_pairs(s, marked, map);
  map.heading = {fmt::format("{}: {} sites, the {} best pairs{}", without_folder(flags.input), s.sites, marked,
                             s.border > 0 ? fmt::format(" and the {} best between proteins", best_between(s.sites)) : ""),
                 parameters(s, flags.scoring.separation)};
  if (!j.distances.empty())
    for (const std::string &text : precision_texts(j, s.sites)) map.heading.push_back(text);
  map.score = fmt::format("score ({}{})", score_name(s), s.by_norm ? "" : ", corrected");
  map.sites = s.sites;
  map.separation = flags.scoring.separation;
  map.numbers = sites.numbers;
  map.residues = sites.residues;
  map.scores = s.ranking();
  map.distances = j.distances;
  map.cutoff = j.cutoff;
  map.border = s.border;
  for (int64_t i = 0; s.border > 0 && i < s.sites; ++i) map.own_numbers.push_back(sites.own_number(i, s.border));
  if (map.residues.empty() && !j.structure.empty())
    for (int64_t i = 0; i < s.sites; ++i) map.residues += j.structure.letter(i).empty() ? "-" : j.structure.letter(i);
  map.structure = j.structure;
  return map;
}

// The ranked pairs as rows of tables, with a distance for each pair where distances are known.
class PairRows {
 public:
  PairRows(const SiteNames &sites, const Scores &s, const Precision &j, const std::vector<double> &errors)
      : sites_(sites), scores_(s), precision_(j), errors_(errors) {}
  std::vector<std::string> columns() const {
    std::vector<std::string> columns = {"i", "j", "residue_i", "residue_j", scores_.column};  // then, where they are known:
    if (scores_.corrected) columns.emplace_back("apc");
    if (!errors_.empty()) columns.insert(columns.end(), {"error", "z"});
    if (!precision_.distances.empty()) columns.emplace_back("distance");
    if (!precision_.structure.empty()) columns.emplace_back("chains");
    if (scores_.border > 0) columns.insert(columns.end(), {"proteins", "own_i", "own_j"});
    return columns;
  }
  // Returns the row of the pair with this place in the ranking, from 0.
  std::vector<std::string> cells(int64_t k) const {
    const int64_t i = scores_.first(k), j = scores_.second(k);
    std::vector<std::string> cells = {cell(sites_.numbers[i]), cell(sites_.numbers[j]), residue(i), residue(j), cell(scores_.fn.at(i, j))};
    if (scores_.corrected) cells.push_back(cell(scores_.apc.at(i, j)));
    if (!errors_.empty()) {  // of the score that ranks
      const double error = errors_[static_cast<std::size_t>(((scores_.by_norm ? 0 : scores_.sites) + i) * scores_.sites + j)];
      cells.insert(cells.end(), {cell(error), cell(error > 0 ? scores_.ranking().at(i, j) / error : std::nan(""))});
    }
    if (!precision_.distances.empty()) cells.push_back(cell(precision_.distance(i, j)));
    if (!precision_.structure.empty()) cells.push_back(precision_.structure.chains(i, j));
    if (scores_.border > 0)
      cells.insert(cells.end(),
                   {scores_.proteins(k), cell(sites_.own_number(i, scores_.border)), cell(sites_.own_number(j, scores_.border))});
    return cells;
  }

 private:
  // Of the focus, else of the structure.
  std::string residue(int64_t i) const {
    if (!sites_.residues.empty()) return sites_.residues.substr(static_cast<std::size_t>(i), 1);
    return precision_.structure.empty() ? "" : precision_.structure.letter(i);
  }
  const SiteNames &sites_;
  const Scores &scores_;
  const Precision &precision_;
  const std::vector<double> &errors_;
};

void write_pairs(const Session &session, const ContactsFlags &flags, const Source &source, const Scores &s, const Precision &j) {
  const SiteNames sites = source.sites();
  const PairRows pairs(sites, s, j, source.errors);
  Table table(session, pairs.columns());
  table.note(parameters(s, flags.scoring.separation));
  if (!source.outcome.empty()) table.note("training: " + source.outcome);
  if (!j.distances.empty()) {
    table.note("distance: in angstrom");
    note_precision(table, j, s);
    for (const std::string &text : precision_texts(j, s.sites)) session.say("{}", text);
  }
  const int64_t rows = std::min(s.count(), flags.scoring.top.value_or(s.count()));
  for (int64_t k = 0; k < rows; ++k) table.row(pairs.cells(k));
  table.write(session, flags.csv);
}

// How many sequences the scores are made of, "" for those of a model.
std::string weights_text(const ContactsFlags &flags, const Source &source) {
  if (!source.data) return "";
  const std::string &weighed = *flags.data.weighing;
  return fmt::format("N_eff {:.1f} of {} sequences, {}", atp_alignment_effective_count(source.data.get()),
                     atp_alignment_count(source.data.get()), weighed.empty() ? "weights of the file, or 1" : weighed);
}

// Picture, page and scripts.
void show(const Session &session, const ContactsFlags &flags, const Source &source, const Scores &s, const Precision &j) {
  if (flags.picture.empty() && flags.report.empty() && flags.scripts.empty()) return;
  const SiteNames sites = source.sites();
  const ContactMap map = map_of(flags, sites, s, j, std::min(s.count(), flags.scoring.top.value_or(s.sites)));
  write_picture(session, flags.picture, map.heading, std::vector<Drawing>{contact_drawing(map)});
  for (const std::string &path : flags.scripts)
    write_text(session, path, contact_script(session, ends_with(path, ".pml") ? Viewer::pymol : Viewer::chimerax, map, *source.structure));
  if (flags.report.empty()) return;
  const PairRows pairs(sites, s, j, source.errors);
  ContactReport report{without_folder(flags.input),
                       parameters(s, flags.scoring.separation),
                       source.outcome,
                       weights_text(flags, source),
                       {},
                       j.curve,
                       j.within,
                       j.between,
                       pairs.columns(),
                       {}};
  if (!j.distances.empty()) report.precision = precision_texts(j, s.sites);
  for (const int64_t rank : map.ranks) report.cells.push_back(pairs.cells(rank - 1));
  write_contact_page(session, flags.report, map, report);
}

int run_contacts(Session &session, const ContactsFlags &flags) {
  check_report(flags.report);
  InputFile input = open_input(session, "INPUT", flags.input);
  if (!flags.like.empty())
    apply_preset(session, flags.app, flags.like, is_model(input) ? flags.of_sequences : std::vector<const CLI::Option *>());
  flags.scoring.check_values(flags.app);
  if (!flags.ppv.empty() && flags.scoring.distances.empty() && flags.scoring.structure.file.empty())
    wrong_use("--ppv is \"{}\" without --distances or --structure, expected one of them", flags.ppv);
  needs(flags.app, "--script", !flags.scoring.structure.file.empty(), "with --structure");
  for (const std::string &path : flags.scripts)
    if (!ends_with(path, ".pml") && !ends_with(path, ".cxc"))
      wrong_use("--script is \"{}\", expected the name of a file that ends in .pml (PyMOL) or .cxc (ChimeraX)", path);
  check_picture(flags.picture);
  Source source = source_of(session, flags, std::move(input));
  const EndAtOnce trained;
  source.border = source.structure_distances.border;
  source.paired = flags.scoring.structure.paired;
  const SiteNames sites = source.sites();
  const int64_t *numbers = sites.numbers;
  const Scores s = rank_values(sites, std::move(source.pairs), flags.scoring);
  warn_of_rounding(session, source.data.get(), &s);
  const Precision j = measure_precision(flags.scoring, s, std::move(source.distances), std::move(source.structure_distances));
  write_pairs(session, flags, source, s, j);
  if (!flags.ppv.empty()) write_curve(session, flags.ppv, s, j, numbers, parameters(s, flags.scoring.separation));
  if (!flags.matrix.empty()) write_matrix(session, flags.matrix, s);
  show(session, flags, source, s, j);
  return source.converged ? kDone : kNotConverged;
}

void add_output_flags(CLI::App *app, ContactsFlags &flags) {
  app->add_option("--ppv", flags.ppv, "write the precision of the first 1, 2, ... pairs")->check(output_file())->type_name("FILE");
  app->add_option("--matrix", flags.matrix, "write the scores that rank the pairs as a matrix of numbers")
      ->check(output_file())
      ->type_name("FILE");
  add_picture(app, flags.picture, "the contact map");
  app->add_option("--script", flags.scripts,
                  "write a script that shows the --top pairs on the structure (default: one per site): .pml of PyMOL or .cxc of ChimeraX; "
                  "may be repeated")
      ->check(output_file())
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  add_report(app, flags.report);
  add_csv(app, flags.csv);
}

void add_contacts(CLI::App *app, ContactsFlags *flags) {
  flags->app = app;
  app->add_option("INPUT", flags->input,
                  "a model, or sequences from which a model is learned first, or other scores computed; -: standard input")
      ->check(input_file())
      ->required();
  flags->scoring.add(app);
  add_output_flags(app, *flags);
  app->add_option("--epistasis", flags->epistasis,
                  "score the pairs of a model by the epistasis of log P, a mean over the sequences of DATA: for autoregressive models")
      ->check(input_file())
      ->type_name("DATA");
  add_rows(app, "--epistasis-rows", flags->epistasis_rows, "use only COUNT sequences of --epistasis, starting at FIRST (0-based)");
  add_like(app, flags->like);
  const std::vector<CLI::Option *> before = app->get_options();
  flags->method.add(app);
  add_heads(app, flags->heads, flags->training.selection, "1");
  app->add_flag(
      "--errors", flags->errors,
      "columns error and z: the standard error of the score that ranks, of dense couplings by pseudo-likelihood, and their ratio. "
      "The time grows as the third power of the sequences");
  add_rows(app, "--rows", flags->rows, "learn only from COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--model-out", flags->model_out, "write the learned model; after Ctrl-C the model so far")
      ->check(output_file())
      ->type_name("FILE");
  const std::size_t training = app->get_options().size();
  flags->checkpoint.add(app);
  flags->training.add(app);
  flags->pairs.add(app, false);
  flags->of_training = {app->get_option("--heads"), app->get_option("--errors")};
  for (std::size_t k = training; k < app->get_options().size(); ++k)
    if (app->get_options()[k]->get_name() != "--precision") flags->of_training.push_back(app->get_options()[k]);
  flags->data.add(app);
  for (const CLI::Option *option : app->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end()) flags->of_sequences.push_back(option);
}

}  // namespace

const Command kContactsCommand = {
    "contacts",
    "rank pairs of sites by their couplings, and compare the best with known contacts",
    kOfModels,
    "attopotts contacts family.fasta --alphabet protein --min-separation 6 --distances structure.txt --picture map.svg",
    "--min-separation --distances --cutoff --structure --chains --top --like --method --l2-couplings --l2-fields --gaps "
    "--epochs --ppv --picture --report --csv --model-out --checkpoint --resume --rows --alphabet --theta --focus "
    "--max-gaps-column",
    with_flags<ContactsFlags, add_contacts, run_contacts>,
    {{ATP_OWNER_TRAINER, ATP_OWNER_SELECTION, ATP_OWNER_ALIGNMENT}, kNotOfMethods},
    Keeps::state};

}  // namespace cli
