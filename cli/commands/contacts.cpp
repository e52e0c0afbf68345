// SPDX-License-Identifier: MIT
// attopotts contacts: the pairs of sites that couple most.
#include "commands/commands.hpp"

#include "figures/contact_map.hpp"
#include "figures/plots.hpp"
#include "support/model_sequences.hpp"
#include "support/presets.hpp"
#include "support/table.hpp"
#include "support/training.hpp"
#include "support/training_flags.hpp"
#include "support/training_start.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr double kLeastCutoff = 1e-6, kMostCutoff = 1e6;

struct ContactsFlags {
  std::string family, heads, rows, model_out;
  DataFlags data;
  TrainingFlags training;
  std::string like;
  CLI::App *app = nullptr;
  std::vector<const CLI::Option *> of_sequences;  // the flags that need sequences
  std::string input, separation = "1", top, distances, cutoff = "8", absent = "exclude", gauge = "zero-sum";
  std::string ppv, matrix, picture, csv = "-";
  bool include_gap = false, exclude_gap = false;
};

struct Scores {
  int64_t sites = 0, gap = -1;
  std::string gauge, alphabet;
  std::vector<double> fn, apc;  // [sites][sites]
  std::vector<int64_t> pairs;   // [n][2], ranked
  int64_t count() const { return static_cast<int64_t>(pairs.size() / 2); }
  std::size_t place(int64_t k) const { return static_cast<std::size_t>(first(k) * sites + second(k)); }
  int64_t first(int64_t k) const { return pairs[static_cast<std::size_t>(2 * k)]; }
  int64_t second(int64_t k) const { return pairs[static_cast<std::size_t>(2 * k + 1)]; }
};

// Whether a file is a model, of this library or of another tool; else it should be sequences.
bool is_model(const InputFile &input) {
  const std::string kind = input.kind();
  if (kind == "state") wrong_use("INPUT {} is a checkpoint, expected a model or sequences", input.path);
  if (kind == "plmc-couplings" || kind == "ccmpred-matrix") wrong_use("INPUT {} holds scores, expected a model or sequences", input.path);
  return kind == "model" || kind == "plmc-model" || kind == "ccmpred-raw" || kind == "adabm" || kind == "bmdca";
}

// Dense couplings, or heads with fields.
Options training_options(const Session &session, const ContactsFlags &flags) {
  const bool dense = flags.family.empty() || parse_word("--family", flags.family, {"dense", "factored"}) == 0;
  if (dense) {
    if (!flags.heads.empty()) wrong_use("--heads is \"{}\", expected only with --family factored", flags.heads);
    return dense_options(session, flags.training);
  }
  for (const auto &[flag, given] : {std::pair("--asymmetric", flags.training.asymmetric), {"--l2-scale", !flags.training.l2_scale.empty()}})
    if (given) wrong_use("{} is given with --family factored, expected dense", flag);
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_FIELDS, 1));
  set_if_given(options.get(), ATP_OPT_HEADS, "--heads", flags.heads);
  set_gaps(flags.training, options.get());
  set_common_options(flags.training, options.get());
  return options;
}

struct Source {
  Model model;
  std::string outcome;  // of training; "" where the model was read
  bool converged = true;
};

Source learn(const Session &session, const ContactsFlags &flags, InputFile input) {
  const Options options = training_options(session, flags);
  const Alignment data = read_data(session, std::move(input), flags.data, parse_rows("--rows", flags.rows));
  if (atp_alignment_count(data.get()) == 1) wrong_use("INPUT {} leaves one sequence to learn from, expected at least 2", flags.input);
  int64_t family = 0, heads = 1;
  check(atp_options_get_i64(options.get(), ATP_OPT_FAMILY, &family));
  check(atp_options_get_i64(options.get(), ATP_OPT_HEADS, &heads));
  const Start start = family == ATP_FAMILY_FACTORED && heads < kWideBelow ? Start::wide : Start::random;
  RunPlan plan;
  plan.model = true;
  plan.written = !flags.model_out.empty();
  session.message(check_memory(session, data.get(), options.get(), start, plan));
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data.get(), options.get(), out(trainer)));
  if (start == Start::wide &&
      wide_start(session, make_wide(session, data.get(), options.get()).get(), trainer.get()) == ATP_OUTCOME_CANCELLED)
    throw Failure(kInterrupted, "interrupted; nothing was kept");
  TrainingJob job;
  job.epochs = epochs_of(options.get(), data.get());
  EpochLog log;
  const atp_outcome outcome = train(session, trainer.get(), job, log);
  if (outcome == ATP_OUTCOME_CANCELLED) throw Failure(kInterrupted, "interrupted; nothing was kept");
  Source source;
  check(atp_trainer_model(trainer.get(), out(source.model)));
  source.converged = outcome == ATP_OUTCOME_CONVERGED;
  source.outcome = fmt::format("{} after {} epochs", atp_outcome_name(outcome), atp_trainer_epochs(trainer.get()));
  trainer.reset();  // its memory may be needed to put the file together
  session.say("{}{}", source.converged ? "" : "warning: not converged: ", source.outcome);
  if (!flags.model_out.empty())
    check(atp_model_write(session.context.get(), source.model.get(), flags.model_out.c_str()), "--model-out " + flags.model_out);
  return source;
}

Source source_of(const Session &session, const ContactsFlags &flags, InputFile input) {
  if (!is_model(input)) return learn(session, flags, std::move(input));
  for (const CLI::Option *option : flags.of_sequences)
    if (option->count() > 0) wrong_use("{} is given but INPUT {} is a model, expected sequences", option->get_name(), flags.input);
  Source source;
  check(atp_input_model(input.handle.get(), ATP_MODEL_AUTO, nullptr, out(source.model)), "INPUT " + flags.input);
  return source;
}

Scores score(const Session &session, const atp_model *model, const ContactsFlags &flags, int64_t separation) {
  Scores s;
  const int64_t L = s.sites = atp_model_sites(model), size = L * L;
  static const atp_score_gauge gauges[] = {ATP_SCORE_ZERO_SUM, ATP_SCORE_RAW};
  s.gauge = flags.gauge;
  s.alphabet = atp_model_alphabet(model);
  s.gap = flags.include_gap ? -1 : flags.exclude_gap ? 0 : gap_color(model);
  s.fn.resize(static_cast<std::size_t>(size));
  s.apc.resize(static_cast<std::size_t>(size));
  check(atp_model_frobenius(session.context.get(), model, gauges[parse_word("--gauge", flags.gauge, {"zero-sum", "raw"})], s.gap,
                            s.fn.data(), size));
  check(atp_scores_apc(s.fn.data(), L, s.apc.data(), size));
  const int64_t most = L * (L - 1) / 2;
  s.pairs.resize(static_cast<std::size_t>(2 * most));
  int64_t count = 0;
  check(atp_scores_rank(s.apc.data(), L, atp_model_site_numbers_view(model), separation, s.pairs.data(), most, &count));
  s.pairs.resize(static_cast<std::size_t>(2 * count));
  if (count == 0) wrong_use("--min-separation is \"{}\", expected one that leaves pairs among the {} sites", flags.separation, L);
  return s;
}

// What a list of distances says about ranked pairs.
struct Judgement {
  std::vector<double> distances;  // [sites][sites], NaN: not known; empty: none
  std::vector<double> curve;      // precision of the first 1, 2, ... pairs that count
  double cutoff = 8;
  bool exclude = true;
  bool counts(double distance) const { return !exclude || !std::isnan(distance); }
};

Judgement judge(const Session &session, const atp_model *model, const ContactsFlags &flags, const Scores &s) {
  Judgement j;
  j.cutoff = parse_number("--cutoff", flags.cutoff, kLeastCutoff, kMostCutoff);
  j.exclude = parse_word("--absent", flags.absent, {"exclude", "count"}) == 0;
  if (flags.distances.empty()) return j;
  const int64_t L = s.sites;
  int64_t lines = 0, used = 0, counted = 0;
  j.distances.resize(static_cast<std::size_t>(L * L));
  const int64_t *numbers = atp_model_site_numbers_view(model);
  claim("--distances", flags.distances);
  check(atp_distances_read(session.context.get(), flags.distances.c_str(), numbers, L, j.distances.data(), L * L, &lines, &used),
        "--distances " + flags.distances);
  if (used == 0)
    wrong_use("--distances {} has {} pairs and none of two sites of the model, expected site numbers within {}..{}", flags.distances, lines,
              *std::min_element(numbers, numbers + L), *std::max_element(numbers, numbers + L));
  session.say("distances: {} of {} pairs are pairs of sites", used, lines);
  j.curve.resize(static_cast<std::size_t>(s.count()));
  check(atp_pairs_precision(s.pairs.data(), s.count(), j.distances.data(), L, j.cutoff,
                            j.exclude ? ATP_ABSENT_EXCLUDED : ATP_ABSENT_COUNTED, j.curve.data(), &counted));
  j.curve.resize(static_cast<std::size_t>(counted));
  if (j.exclude && std::all_of(j.distances.begin(), j.distances.end(), [&](double d) { return std::isnan(d) || d < j.cutoff; }))
    session.say("warning: all distances are below {:g}, so that nothing can be wrong; if the file lists contacts alone: --absent count",
                j.cutoff);
  return j;
}

// "P@L/5 (34 pairs) 0.912, ..."; fewer pairs than that say so.
std::string precision_text(const Judgement &j, int64_t sites) {
  std::string text;
  const std::pair<const char *, int64_t> points[] = {{"L/5", sites / 5}, {"L/2", sites / 2}, {"L", sites}};
  for (const auto &[name, pairs] : points) {
    const auto n = static_cast<std::size_t>(std::max<int64_t>(1, pairs));
    text += fmt::format("{}P@{} ({}) ", text.empty() ? "" : ", ", name, n);
    text += n <= j.curve.size() ? fmt::format("{:.4f}", j.curve[n - 1]) : fmt::format("only {} pairs", j.curve.size());
  }
  return text;
}

std::string parameters(const Scores &s, int64_t separation) {
  const std::string gap = s.gap < 0            ? "all colours"
                          : s.alphabet.empty() ? "without colour 0"
                                               : "without the gap " + s.alphabet.substr(0, 1);
  return fmt::format("Frobenius norm, {} gauge, {}, average product correction, separation >= {}", s.gauge, gap, separation);
}

void write_matrix(const Session &session, const std::string &path, const Scores &s) {
  std::string text =
      fmt::format("# attopotts {}\n# command: {}\n# apc, {} x {}\n", atp_version_string(), session.command_line, s.sites, s.sites);
  for (int64_t i = 0; i < s.sites; ++i)
    for (int64_t j = 0; j < s.sites; ++j)
      text += fmt::format("{:.10g}{}", s.apc[static_cast<std::size_t>(i * s.sites + j)], j + 1 < s.sites ? ' ' : '\n');
  write_text(session, path, text);
}

void write_curve(const Session &session, const std::string &path, const Scores &s, const Judgement &j, const int64_t *numbers,
                 const std::string &what) {
  Table table(session, {"pairs", "precision", "i", "j", "distance"});
  table.note(what);
  table.note(
      fmt::format("contacts: distance < {:g}; pairs of unknown distance {}", j.cutoff, j.exclude ? "are left out" : "are no contacts"));
  table.note("precision: " + precision_text(j, s.sites));
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

void draw(const Session &session, const ContactsFlags &flags, const Scores &s, const Judgement &j, const int64_t *numbers,
          int64_t separation, int64_t marked) {
  ContactMap map;
  const std::size_t slash = flags.input.rfind('/');
  map.title = fmt::format("{}: {} sites, the {} best pairs\\n{}", plot_text(flags.input.substr(slash == std::string::npos ? 0 : slash + 1)),
                          s.sites, marked, plot_text(parameters(s, separation)));
  if (!j.distances.empty()) map.title += "\\n" + plot_text(precision_text(j, s.sites));
  map.score = "score (Frobenius norm, corrected)";
  map.sites = s.sites;
  map.separation = separation;
  map.numbers = numbers;
  map.scores = s.apc;
  map.pairs.assign(s.pairs.begin(), s.pairs.begin() + 2 * marked);
  map.distances = j.distances;
  map.cutoff = j.cutoff;
  if (!draw_contact_map(session, flags.picture, map))
    session.say("gnuplot could not be run: {}/contact_map.gp draws the picture where it is there", flags.picture);
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
  if (flags.include_gap && flags.exclude_gap) wrong_use("--include-gap and --exclude-gap are both given, expected only one of them");
  if (!flags.ppv.empty() && flags.distances.empty()) wrong_use("--ppv is \"{}\" without --distances, expected both", flags.ppv);
  const int64_t separation = parse_count("--min-separation", flags.separation, 1, INT64_MAX / 2);
  const int64_t top = flags.top.empty() ? INT64_MAX : parse_count("--top", flags.top, 1, INT64_MAX / 2);
  if (!flags.picture.empty()) {
    make_directory("--picture", flags.picture);
    check_writable("--picture", flags.picture + "/contact_map.csv");
  }
  parse_word("--gauge", flags.gauge, {"zero-sum", "raw"});
  parse_word("--absent", flags.absent, {"exclude", "count"});
  parse_number("--cutoff", flags.cutoff, kLeastCutoff, kMostCutoff);
  const Source source = source_of(session, flags, std::move(input));
  const Model &model = source.model;
  const int64_t *numbers = atp_model_site_numbers_view(model.get());
  const std::string residues = atp_model_site_residues(model.get());
  const Scores s = score(session, model.get(), flags, separation);
  const Judgement j = judge(session, model.get(), flags, s);
  const std::string what = parameters(s, separation);

  std::vector<std::string> columns = {"i", "j", "residue_i", "residue_j", "fn", "apc"};
  if (!j.distances.empty()) columns.emplace_back("distance");
  Table table(session, columns);
  table.note(what);
  if (!source.outcome.empty()) table.note("training: " + source.outcome);
  if (!j.distances.empty()) {
    table.note("precision: " + precision_text(j, s.sites));
    session.say("{}", precision_text(j, s.sites));
  }
  const auto residue = [&](int64_t i) { return residues.empty() ? std::string() : residues.substr(static_cast<std::size_t>(i), 1); };
  const int64_t rows = std::min(s.count(), top);
  for (int64_t k = 0; k < rows; ++k) {
    std::vector<std::string> cells = {cell(numbers[s.first(k)]), cell(numbers[s.second(k)]), residue(s.first(k)),
                                      residue(s.second(k)),      cell(s.fn[s.place(k)]),     cell(s.apc[s.place(k)])};
    if (!j.distances.empty()) cells.push_back(cell(j.distances[s.place(k)]));
    table.row(cells);
  }
  table.write(session, flags.csv);
  if (!flags.ppv.empty()) write_curve(session, flags.ppv, s, j, numbers, what);
  if (!flags.matrix.empty()) write_matrix(session, flags.matrix, s);
  if (!flags.picture.empty()) draw(session, flags, s, j, numbers, separation, std::min(s.count(), flags.top.empty() ? s.sites : top));
  return source.converged ? kDone : kNotConverged;
}

}  // namespace

void add_contacts(Program &program) {
  auto flags = std::make_shared<ContactsFlags>();
  CLI::App *app =
      program.add("contacts", "pairs of sites ranked by their couplings, and how many of the best are contacts",
                  "attopotts contacts family.fasta --alphabet protein --min-separation 6 --distances structure.txt --picture map",
                  [flags](Session &session) { return run_contacts(session, *flags); });
  const auto text = [app](const char *name, std::string &value, const char *description, const char *type) {
    return app->add_option(name, value, description)->type_name(type);
  };
  app->add_option("INPUT", flags->input, "a model, or sequences, which are then learned from; -: standard input")->required();
  text("--min-separation", flags->separation, "leave out pairs whose site numbers differ by less", "N")->capture_default_str();
  text("--top", flags->top, "so many of the best pairs in the table and on the picture (all; picture: L)", "N");
  text("--gauge", flags->gauge, "of the couplings: zero-sum or raw", "GAUGE")->capture_default_str();
  app->add_flag("--include-gap", flags->include_gap, "the first colour counts; default: not where the alphabet begins with - . _ or ~");
  app->add_flag("--exclude-gap", flags->exclude_gap, "the first colour does not count, whatever it is called");
  text("--distances", flags->distances, "lines `i j d` or `i j x d` by site numbers: adds a column, and precision at L/5, L/2 and L",
       "FILE");
  text("--cutoff", flags->cutoff, "contacts are pairs with a smaller distance", "D")->capture_default_str();
  text("--absent", flags->absent, "pairs of unknown distance: exclude, or count as no contacts", "WHAT")->capture_default_str();
  text("--ppv", flags->ppv, "the precision after 1, 2, ... pairs", "FILE");
  text("--matrix", flags->matrix, "the corrected scores as a matrix of numbers", "FILE");
  text("--picture", flags->picture, "the contact map, SVG and PNG with table and gnuplot script", "DIR");
  text("--csv", flags->csv, "where the table goes; -: standard output", "FILE")->capture_default_str();
  flags->app = app;
  add_like(app, flags->like);
  const std::vector<CLI::Option *> before = app->get_options();
  text("--family", flags->family, "of sequences: dense couplings (default) or factored attention with fields", "WHAT");
  text("--heads", flags->heads, "of --family factored (1)", "H");
  text("--rows", flags->rows, "learn from COUNT sequences from FIRST (0-based) on", "FIRST:COUNT");
  text("--model-out", flags->model_out, "keep the model that was learned", "FILE");
  flags->training.add(app);
  flags->data.add(app);
  for (const CLI::Option *option : app->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end()) flags->of_sequences.push_back(option);
}

}  // namespace cli
