// SPDX-License-Identifier: MIT
// attopotts contacts: the pairs of sites with the strongest couplings.
#include "commands/commands.hpp"

#include "commands/contact_scores.hpp"
#include "figures/contact_map.hpp"
#include "figures/plots.hpp"
#include "support/kept_run.hpp"
#include "support/presets.hpp"
#include "support/csv_table.hpp"
#include "support/training.hpp"
#include "support/training_flags.hpp"
#include "support/training_start.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cli {

namespace {

struct ContactsFlags {
  bool factored = false;
  std::optional<int64_t> heads;
  Rows rows;
  DataFlags data;
  TrainingFlags training;
  CheckpointFlags checkpoint;
  std::string like;
  CLI::App *app = nullptr;
  std::vector<const CLI::Option *> of_sequences;  // the flags that need sequences
  std::string input, model_out, ppv, matrix, picture, csv = "-";
  ScoreFlags scoring;
};

// Options for dense couplings, or for heads with fields.
Options training_options(const Session &session, const ContactsFlags &flags) {
  if (!flags.factored) {
    needs(flags.app, "--heads", false, "with --family factored");
    return dense_options(session, flags.training);
  }
  for (const char *flag : {"--asymmetric", "--l2-scale"})
    if (!given(flags.app, flag).empty()) wrong_use("{} is given with --family factored, expected dense", flag);
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_FIELDS, 1));
  set_if_given(options.get(), ATP_OPT_HEADS, flags.heads);
  set_gaps(flags.training, options.get());
  set_common_options(flags.training, options.get());
  return options;
}

struct Source {
  Model model;
  std::string outcome;  // of training; "" where the model was read
  bool converged = true;
  SiteDistances distances;  // with --structure
};

// The structure is read, and aligned with the sites, before anything is learned.
SiteDistances distances_of(const Session &session, const ContactsFlags &flags, const std::optional<Structure> &structure,
                           const std::function<Sites()> &sites) {
  return structure ? measure_structure(session, flags.scoring.structure, *structure, sites()) : SiteDistances();
}

Source learn(const Session &session, const ContactsFlags &flags, InputFile input, const std::optional<Structure> &structure) {
  const Options options = training_options(session, flags);
  flags.checkpoint.check_values();
  Checkpoint checkpoint(session, "contacts", flags.checkpoint);
  const Alignment data = read_data(session, std::move(input), flags.data, flags.rows);
  if (atp_alignment_count(data.get()) == 1) wrong_use("INPUT {} leaves one sequence to learn from, expected at least 2", flags.input);
  Source source;
  source.distances = distances_of(session, flags, structure, [&] { return sites_of(session, flags.scoring.structure, data.get()); });
  int64_t family = 0, heads = 1;
  check(atp_options_get_i64(options.get(), ATP_OPT_FAMILY, &family));
  check(atp_options_get_i64(options.get(), ATP_OPT_HEADS, &heads));
  TrainingTask task{data.get(), options.get()};
  task.start = family == ATP_FAMILY_FACTORED && heads < kWideBelow ? Start::wide : Start::random;
  RunPlan plan;
  plan.checkpoint = checkpoint.wanted();
  plan.model = true;
  plan.written = !flags.model_out.empty();
  const std::string needed = check_memory(session, data.get(), options.get(), task.start, plan);
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data.get(), options.get(), out(trainer)));
  checkpoint.read();
  TrainingJob job;
  job.checkpoint_seconds = flags.checkpoint.interval;
  KeptRun kept(session, checkpoint, "");
  kept.messages.push_back(needed);
  const TrainingEnd end = train_kept(session, task, trainer.get(), job, kept);
  if (!end.stopped.empty()) end_interrupted(session, std::move(trainer), end, kept, {"--model-out", flags.model_out});
  check(atp_trainer_model(trainer.get(), out(source.model)));
  source.converged = end.outcome == ATP_OUTCOME_CONVERGED;
  source.outcome = fmt::format("{} after {} epochs", atp_outcome_name(end.outcome), atp_trainer_epochs(trainer.get()));
  trainer.reset();  // its memory may be needed to build the file
  session.say("{}{}{}", source.converged ? "" : "warning: not converged: ", source.outcome,
              end.outcome == ATP_OUTCOME_MAX_ITER
                  ? "; raise --epochs (a run with --checkpoint FILE goes on with --resume) or loosen --tolerance"
                  : "");
  if (!flags.model_out.empty()) write_model(session, source.model.get(), flags.model_out, "--model-out " + flags.model_out);
  if (!checkpoint.failure().empty()) session.say("warning: the last checkpoint could not be saved: {}", checkpoint.failure());
  return source;
}

Source source_of(const Session &session, const ContactsFlags &flags, InputFile input) {
  std::optional<Structure> structure;
  if (!flags.scoring.structure.file.empty()) structure = read_structure(session, flags.scoring.structure);
  if (!is_model(input)) return learn(session, flags, std::move(input), structure);
  refuse_for_model(flags.of_sequences, flags.input);
  Source source;
  source.model = read_model(session, input);
  source.distances =
      distances_of(session, flags, structure, [&] { return sites_of(session, flags.scoring.structure, source.model.get()); });
  return source;
}

void write_matrix(const Session &session, const std::string &path, const Scores &s) {
  std::string text = fmt::format("# attopotts {}\n# command: {}\n# {}, {} x {}\n", atp_version_string(), session.command_line,
                                 s.by_norm ? "fn" : "apc", s.sites, s.sites);
  for (int64_t i = 0; i < s.sites; ++i)
    for (int64_t j = 0; j < s.sites; ++j)
      text += fmt::format("{:.10g}{}", s.ranking()[static_cast<std::size_t>(i * s.sites + j)], j + 1 < s.sites ? ' ' : '\n');
  write_text(session, path, text);
}

void note_precision(Table &table, const Precision &j, const Scores &s) {
  for (const std::string &text : precision_texts(j, s.sites)) table.note("precision: " + text);
}

void write_curve(const Session &session, const std::string &path, const Scores &s, const Precision &j, const int64_t *numbers,
                 const std::string &what) {
  Table table(session, {"pairs", "precision", "i", "j", "distance"});
  table.note(what);
  table.note(
      fmt::format("contacts: distance < {:g}; pairs of unknown distance {}", j.cutoff, j.exclude ? "are left out" : "are no contacts"));
  note_precision(table, j, s);
  std::size_t at = 0;
  for (int64_t k = 0; k < s.count(); ++k) {
    const double distance = j.distances[s.place(k)];
    if (!j.counts(distance)) continue;
    table.row(
        {cell(static_cast<int64_t>(at + 1)), cell(j.curve[at]), cell(numbers[s.first(k)]), cell(numbers[s.second(k)]), cell(distance)});
    ++at;
  }
  table.write(session, path);
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

void draw(const Session &session, const ContactsFlags &flags, const Scores &s, const Precision &j, const int64_t *numbers,
          int64_t separation, int64_t marked) {
  ContactMap map;
  const std::size_t slash = flags.input.rfind('/');
  mark_pairs(s, marked, map);
  map.title = fmt::format(
      "{}: {} sites, the {} best pairs{}\\n{}", plot_text(flags.input.substr(slash == std::string::npos ? 0 : slash + 1)), s.sites, marked,
      s.border > 0 ? fmt::format(" and the {} best between proteins", best_between(s.sites)) : "", plot_text(parameters(s, separation)));
  if (!j.distances.empty())
    for (const std::string &text : precision_texts(j, s.sites)) map.title += "\\n" + plot_text(text);
  map.score = s.by_norm ? "score (Frobenius norm)" : "score (Frobenius norm, corrected)";
  map.sites = s.sites;
  map.separation = separation;
  map.numbers = numbers;
  map.scores = s.ranking();
  map.distances = j.distances;
  map.cutoff = j.cutoff;
  map.border = s.border;
  map.structure = j.structure;
  if (!draw_contact_map(session, flags.picture, map))
    session.say("gnuplot could not draw the picture; {}/contact_map.gp is its script", flags.picture);
}

// The ranked table, with a distance for each pair where distances are known.
void write_pairs(const Session &session, const ContactsFlags &flags, const Source &source, const Scores &s, const Precision &j) {
  const int64_t *numbers = atp_model_site_numbers_view(source.model.get());
  const std::string residues = atp_model_site_residues(source.model.get());
  std::vector<std::string> columns = {"i", "j", "residue_i", "residue_j", "fn"};
  if (s.corrected) columns.emplace_back("apc");
  if (!j.distances.empty()) columns.emplace_back("distance");
  if (!j.structure.empty()) columns.emplace_back("chains");
  if (s.border > 0) columns.emplace_back("proteins");
  Table table(session, columns);
  table.note(parameters(s, flags.scoring.separation));
  if (!source.outcome.empty()) table.note("training: " + source.outcome);
  if (!j.distances.empty()) {
    note_precision(table, j, s);
    for (const std::string &text : precision_texts(j, s.sites)) session.say("{}", text);
  }
  const auto residue = [&](int64_t i) { return residues.empty() ? std::string() : residues.substr(static_cast<std::size_t>(i), 1); };
  const int64_t rows = std::min(s.count(), flags.scoring.top.value_or(s.count()));
  for (int64_t k = 0; k < rows; ++k) {
    std::vector<std::string> cells = {cell(numbers[s.first(k)]), cell(numbers[s.second(k)]), residue(s.first(k)), residue(s.second(k)),
                                      cell(s.fn[s.place(k)])};
    if (s.corrected) cells.push_back(cell(s.apc[s.place(k)]));
    if (!j.distances.empty()) cells.push_back(cell(j.distances[s.place(k)]));
    if (!j.structure.empty()) cells.push_back(j.structure.chains(s.first(k), s.second(k)));
    if (s.border > 0) cells.emplace_back(s.proteins(k));
    table.row(cells);
  }
  table.write(session, flags.csv);
}

int run_contacts(Session &session, const ContactsFlags &flags) {
  for (const auto &[flag, path] : {std::pair<const char *, const std::string &>{"--csv", flags.csv},
                                   {"--ppv", flags.ppv},
                                   {"--matrix", flags.matrix},
                                   {"--model-out", flags.model_out}})
    check_writable(flag, path);
  InputFile input = open_input(session, "INPUT", flags.input);
  if (!flags.like.empty())
    apply_preset(session, flags.app, flags.like, is_model(input) ? flags.of_sequences : std::vector<const CLI::Option *>());
  flags.scoring.check_values(flags.app);
  if (!flags.ppv.empty() && flags.scoring.distances.empty() && flags.scoring.structure.file.empty())
    wrong_use("--ppv is \"{}\" without --distances or --structure, expected one of them", flags.ppv);
  if (!flags.picture.empty()) {
    make_directory("--picture", flags.picture);
    check_writable("--picture", flags.picture + "/contact_map.csv");
  }
  const Source source = source_of(session, flags, std::move(input));
  const int64_t *numbers = atp_model_site_numbers_view(source.model.get());
  const Scores s = score(session, source.model.get(), flags.scoring);
  const Precision j = measure_precision(session, source.model.get(), flags.scoring, s, source.distances);
  write_pairs(session, flags, source, s, j);
  if (!flags.ppv.empty()) write_curve(session, flags.ppv, s, j, numbers, parameters(s, flags.scoring.separation));
  if (!flags.matrix.empty()) write_matrix(session, flags.matrix, s);
  if (!flags.picture.empty())
    draw(session, flags, s, j, numbers, flags.scoring.separation, std::min(s.count(), flags.scoring.top.value_or(s.sites)));
  return source.converged ? kDone : kNotConverged;
}

void add_output_flags(CLI::App *app, ContactsFlags &flags) {
  app->add_option("--ppv", flags.ppv, "write the precision of the first 1, 2, ... pairs")->type_name("FILE");
  app->add_option("--matrix", flags.matrix, "write the scores that rank the pairs as a matrix of numbers")->type_name("FILE");
  app->add_option("--picture", flags.picture, "write the contact map: SVG, PNG, table and gnuplot script")->type_name("DIR");
  app->add_option("--csv", flags.csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
}

}  // namespace

void add_contacts(Program &program) {
  auto flags = std::make_shared<ContactsFlags>();
  CLI::App *app =
      program.add("contacts", "rank pairs of sites by their couplings, and compare the best with known contacts",
                  "attopotts contacts family.fasta --alphabet protein --min-separation 6 --distances structure.txt --picture map",
                  [flags](Session &session) { return run_contacts(session, *flags); });
  flags->app = app;
  app->add_option("INPUT", flags->input, "a model, or sequences from which a model is learned first; -: standard input")->required();
  flags->scoring.add(app);
  add_output_flags(app, *flags);
  add_like(app, flags->like);
  const std::vector<CLI::Option *> before = app->get_options();
  static const Words<bool> families = {{"dense", false}, {"factored", true}};
  add_choice(app, "--family", flags->factored, families, "model to learn: dense couplings, or factored attention with fields")
      ->type_name("WHAT");
  app->add_option("--heads", flags->heads, "number of attention heads with --family factored; default 1")
      ->transform(value_of(ATP_OPT_HEADS))
      ->type_name("H");
  add_rows(app, "--rows", flags->rows, "learn only from COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--model-out", flags->model_out, "write the learned model; after Ctrl-C the model so far")->type_name("FILE");
  flags->checkpoint.add(app);
  flags->training.add(app);
  flags->data.add(app);
  for (const CLI::Option *option : app->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end()) flags->of_sequences.push_back(option);
}

}  // namespace cli
