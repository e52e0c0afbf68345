// SPDX-License-Identifier: MIT
// attopotts compare-methods: all methods that score pairs of sites, on one alignment.
#include "commands/commands.hpp"

#include "commands/contact_methods.hpp"
#include "run/csv_table.hpp"
#include "run/memory.hpp"
#include "run/training.hpp"
#include "commands/kept_run.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kDefaultHeads = 8;

struct CompareMethodsFlags {
  std::string input, csv = "-";
  std::vector<Method> methods = {Method::plm,        Method::asymmetric, Method::factored,
                                 Method::mean_field, Method::gaussian,   Method::mutual_information};
  std::optional<int64_t> heads;
  std::optional<double> pseudocount;
  int64_t bootstrap = 0;
  Rows rows;
  DataFlags data;
  TrainingFlags training;
  ScoreFlags scoring;
  const CLI::App *app = nullptr;
  std::vector<const CLI::Option *> of_training;
};

// One way to rank pairs, and how well it does.
constexpr std::size_t kNumbers = 4;  // precision at L/5, L/2 and L, overlap
struct Ranking {
  Method method;
  std::string score;
  bool corrected;
  double seconds = 0;
  Scores ranked;
  std::array<double, kNumbers> numbers{};
};

struct MethodRuns {
  Session &session;
  const CompareMethodsFlags &flags;
  SiteNames sites;
  std::vector<double> distances;  // empty: none
  bool converged = true;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

MethodFlags method_flags(const MethodRuns &runs, Method method, atp_pair_score score) {
  MethodFlags flags;
  flags.method = method;
  flags.score = score;
  flags.pseudocount = runs.flags.pseudocount;
  return flags;
}

// Both rankings of some values, with correction and without.
void add_rankings(const MethodRuns &runs, Method method, double seconds, const PairValues &values, std::vector<Ranking> &to) {
  for (const bool corrected : {true, false}) {
    ScoreFlags flags = runs.flags.scoring;
    flags.corrected = corrected;
    to.push_back({method, values.column, corrected, seconds, rank_values(runs.sites, values, flags), {}});
  }
}

Model learn(MethodRuns &runs, Method method, const atp_alignment *data) {
  Session &session = runs.session;
  TrainingFlags training = runs.flags.training;
  if (method == Method::factored) {  // penalties are those of dense couplings
    training.l2_couplings = training.l2_fields = std::nullopt;
    training.selection.couplings = training.selection.fields = false;
  } else {
    training.selection.heads = false;
  }
  const Options options = training_options(session, method, training, runs.flags.heads.value_or(kDefaultHeads));
  choose_by_data(session, training.selection, data, options.get());
  check_memory(session, data, options.get(), Start::random, {});
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data, options.get(), out(trainer)));
  EpochLog log;
  TrainingJob job;
  job.task = "compare-methods " + word_of(kMethods, method);
  const atp_outcome outcome = train(session, trainer.get(), job, log);
  stop_if_interrupted();
  if (outcome != ATP_OUTCOME_CONVERGED) {
    runs.converged = false;
    session.say("warning: not converged: {}: {} after {}{}", word_of(kMethods, method), atp_outcome_name(outcome),
                counted(trainer.epochs(), "epoch"), training_ways_out(outcome, training));
  }
  return trainer.model();
}

// The rankings of a method: both scores where there are two.
void run_method(MethodRuns &runs, Method method, const atp_alignment *data, std::vector<Ranking> &to) {
  const Session &session = runs.session;
  const CompareMethodsFlags &flags = runs.flags;
  const Stopwatch since_start;
  Model model;
  if (is_trained(method)) model = learn(runs, method, data);
  if (method == Method::mean_field)
    model = mean_field_model(session, data, method_flags(runs, method, ATP_PAIR_SCORE_FN), flags.training.precision);
  const double training = since_start.seconds();
  const bool gaps_missing = model && atp_model_colors(model.get()) != atp_alignment_colors(data);
  for (const atp_pair_score score : {ATP_PAIR_SCORE_FN, ATP_PAIR_SCORE_DI}) {
    // Couplings of factored attention without a penalty may be too large for direct information.
    const bool no_information = method == Method::mutual_information || method == Method::factored || gaps_missing;
    if (score == ATP_PAIR_SCORE_DI && no_information) continue;
    const Stopwatch since_model;
    const MethodFlags of = method_flags(runs, method, score);
    const PairValues values = has_model(method) ? model_values(session, model.get(), data, of, flags.scoring)
                                                : apply_method(session, data, of, flags.training.precision, flags.scoring).pairs;
    add_rankings(runs, method, training + since_model.seconds(), values, to);
  }
}

// The fraction of the best L pairs of one ranking that are among the best L of another.
double overlap(const Session &session, const Scores &a, const Scores &b) {
  double overlap = 0;
  check(atp_pairs_overlap(session.context.get(), a.pairs.data(), std::min(a.count(), a.sites), b.pairs.data(), std::min(b.count(), b.sites),
                          &overlap));
  return overlap;
}

std::vector<Ranking> run_all(MethodRuns &runs, const atp_alignment *data) {
  std::vector<Ranking> all;
  for (const Method method : runs.flags.methods) run_method(runs, method, data, all);
  const auto reference =
      std::find_if(all.begin(), all.end(), [](const Ranking &r) { return r.method == Method::plm && r.score == "fn" && r.corrected; });
  const int64_t L = runs.sites.count;
  for (Ranking &ranking : all) {
    const Precision precision = measure_precision(runs.flags.scoring, ranking.ranked, runs.distances, {});
    const int64_t points[] = {L / 5, L / 2, L};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto n = static_cast<std::size_t>(std::max<int64_t>(1, points[k]));
      ranking.numbers[k] = n <= precision.curve.size() ? precision.curve[n - 1] : std::nan("");
    }
    ranking.numbers[3] = reference == all.end() ? std::nan("") : overlap(runs.session, ranking.ranked, reference->ranked);
  }
  return all;
}

// Standard errors from bootstrap samples of the sequences, [rankings][numbers]; NaN without them.
std::vector<double> bootstrap_errors(MethodRuns &runs, atp_alignment *data, std::size_t rankings) {
  const int64_t N = atp_alignment_count(data), B = runs.flags.bootstrap, numbers = static_cast<int64_t>(rankings * kNumbers);
  std::vector<double> found(static_cast<std::size_t>(numbers), std::nan(""));
  if (B == 0) return found;
  const double *view = atp_alignment_weights_view(data);
  const std::vector<double> weights(view, view + N);
  std::vector<double> drawn(weights.size()), values, errors(found.size() * ATP_BOOTSTRAP_COLUMNS);
  for (int64_t b = 0; b < B; ++b) {
    check(atp_alignment_set_weights(data, weights.data(), N));
    check(atp_alignment_resample(data, runs.session.seed, b, drawn.data(), N));
    check(atp_alignment_set_weights(data, drawn.data(), N));
    for (const Ranking &ranking : run_all(runs, data)) values.insert(values.end(), ranking.numbers.begin(), ranking.numbers.end());
    runs.session.say("bootstrap sample {} of {}", b + 1, B);
  }
  check(atp_bootstrap_errors(runs.session.context.get(), values.data(), B, numbers, errors.data()));
  for (std::size_t k = 0; k < found.size(); ++k) found[k] = errors[k * ATP_BOOTSTRAP_COLUMNS + ATP_BOOTSTRAP_ERROR];
  return found;
}

// Fails where flags or values of --set are for other methods than those of --method.
void check_methods(const Settings &settings, const CompareMethodsFlags &flags) {
  const auto any = [&](const auto &is) { return std::any_of(flags.methods.begin(), flags.methods.end(), is); };
  const bool trained = any(is_trained), inverse = any([](Method m) { return m == Method::mean_field || m == Method::gaussian; });
  needs(flags.app, "--asymmetric", false, "as a method, in --method");
  needs(flags.app, "--heads", any([](Method m) { return m == Method::factored; }), "with factored in --method");
  needs(flags.app, "--path", false, "with learn or contacts");
  // Penalties are those of dense couplings; direct information and counts have pseudocounts.
  const bool dense = any([](Method m) { return m == Method::plm || m == Method::asymmetric; });
  for (const char *flag : {"--l2-couplings", "--l2-fields"}) needs(flags.app, flag, dense, "with plm or asymmetric in --method");
  needs(flags.app, "--pseudocount", any([](Method m) { return m != Method::factored; }), "with a method other than factored in --method");
  const SelectionFlags &selection = flags.training.selection;
  needs(flags.app, "--l2-fields", !selection.fields || selection.couplings, "with --l2-couplings auto");
  for (const CLI::Option *option : flags.of_training)
    needs(flags.app, option->get_name(), trained, "with a method that trains in --method");
  needs(flags.app, "--precision", trained || inverse, "with a method that trains or inverts in --method");
  if (!trained)
    settings.require_owners({ATP_OWNER_ALIGNMENT}, "compare-methods without a method that trains");
  else if (!selection.wanted())
    settings.require_owners({ATP_OWNER_TRAINER, ATP_OWNER_ALIGNMENT}, "compare-methods without --l2-couplings auto");
}

int run_compare_methods(Session &session, const CompareMethodsFlags &flags) {
  flags.scoring.check_values(flags.app);
  check_methods(session.settings, flags);
  const Alignment data = read_data(session, "FILE", flags.input, flags.data, flags.rows);
  if (atp_alignment_count(data.get()) == 1) wrong_use("FILE {} leaves one sequence, expected at least 2", flags.input);
  warn_of_rounding(session, data.get(), nullptr);
  // Each ranking keeps its scores; another one is made from the values of its method.
  const auto rankings = static_cast<double>(4 * flags.methods.size() + 1);
  require_pair_tables(session, atp_alignment_sites(data.get()),
                      kScoresBytes * rankings + precision_bytes(flags.scoring, flags.data.format == ATP_FORMAT_PAIRED));
  MethodRuns runs{session, flags, sites_of(data.get()), {}};
  require_pairs(runs.sites, flags.scoring);
  const StructureFlags &structure = flags.scoring.structure;
  if (!flags.scoring.distances.empty()) runs.distances = read_distances(session, runs.sites, flags.scoring);
  if (!structure.file.empty()) {
    SiteDistances measured =
        measure_structure(session, structure, read_structure(session, structure), sites_of(session, structure, data.get()));
    if (runs.sites.border == 0) runs.sites.border = measured.border;
    runs.distances = std::move(measured.values);
  }
  Table table(session, {"method", "score", "correction", "seconds", "precision_L5", "precision_L5_se", "precision_L2", "precision_L2_se",
                        "precision_L", "precision_L_se", "overlap", "overlap_se"});
  table.note(fmt::format("{} sequences of summed weight {:.6g}, {} sites, {} colours; separation >= {}", atp_alignment_count(data.get()),
                         atp_alignment_effective_count(data.get()), runs.sites.count, atp_alignment_colors(data.get()),
                         flags.scoring.separation));
  if (flags.bootstrap > 0)
    table.note(fmt::format("_se: standard deviations over {} of the sequences", counted(flags.bootstrap, "bootstrap sample")));
  const std::vector<Ranking> all = run_all(runs, data.get());
  const std::vector<double> errors = bootstrap_errors(runs, data.get(), all.size());
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<std::string> cells = {word_of(kMethods, all[r].method), all[r].score, all[r].corrected ? "apc" : "none",
                                      cell(all[r].seconds)};
    for (std::size_t k = 0; k < kNumbers; ++k) {
      cells.push_back(cell(all[r].numbers[k]));
      cells.push_back(cell(errors[r * kNumbers + k]));
    }
    table.row(cells);
  }
  if (!runs.converged) table.note("not all methods converged: see the warnings");
  table.write(session, flags.csv);
  return runs.converged ? kDone : kNotConverged;
}

// --method: words with commas.
void add_methods(CLI::App *app, std::vector<Method> &methods) {
  const auto parse = [](const std::string &text, std::vector<Method> &to) {
    to.clear();
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      const std::string word = text.substr(start, end - start);
      const auto known = std::find_if(kMethods.begin(), kMethods.end(), [&](const auto &m) { return m.first == word; });
      if (known == kMethods.end() || std::find(to.begin(), to.end(), known->second) != to.end()) return false;
      to.push_back(known->second);
      start = end + 1;
    }
    return true;
  };
  const CLI::Validator valid(
      [parse](std::string &text) {
        std::vector<Method> found;
        return parse(text, found) ? std::string()
                                  : "is \"" + text + "\", expected different words of " +
                                        fmt::format("{}", fmt::join(names_of(kMethods), ", ")) + ", with commas between";
      },
      "");
  add_checked(app, "--method", "the methods, with commas between; default: all", valid, [&methods, parse](const std::string &text) {
    parse(text, methods);
  })->type_name("LIST");
}

void add_compare_methods(CLI::App *app, CompareMethodsFlags *flags) {
  flags->app = app;
  app->add_option("FILE", flags->input, "the sequences; -: standard input")->check(input_file())->required();
  add_methods(app, flags->methods);
  app->add_option("--bootstrap", flags->bootstrap,
                  "standard errors from B samples of the sequences, drawn with replacement; each costs as much as the table. 0: none")
      ->transform(count(0, 100000))
      ->type_name("B")
      ->capture_default_str();
  app->add_option("--pseudocount", flags->pseudocount,
                  "share of the uniform distribution in the frequencies, above 0; default 0.5, with gaussian 0.8, with mi 0")
      ->transform(value_of(ATP_OWNER_GAUSSIAN, ATP_OPT_PSEUDOCOUNT, 1e-6))
      ->type_name("C");
  add_heads(app, flags->heads, flags->training.selection, std::to_string(kDefaultHeads));
  flags->scoring.add_ranking(app);
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  add_csv(app, flags->csv);
  const std::size_t training = app->get_options().size();
  flags->training.add(app);
  for (std::size_t k = training; k < app->get_options().size(); ++k)
    if (app->get_options()[k]->get_name() != "--precision") flags->of_training.push_back(app->get_options()[k]);
  flags->data.add(app);
}

}  // namespace

const Command kCompareMethodsCommand = {
    "compare-methods",
    "compare methods that score pairs of sites, with and without training, on one alignment",
    kOfModels,
    "attopotts compare-methods family.fasta --alphabet protein --theta 0.2 --min-separation 6 --structure 1abc.pdb --bootstrap 10",
    "--method --bootstrap --min-separation --distances --cutoff --structure --chains --csv --rows --epochs --alphabet "
    "--theta --focus",
    with_flags<CompareMethodsFlags, add_compare_methods, run_compare_methods>,
    {{ATP_OWNER_TRAINER, ATP_OWNER_SELECTION, ATP_OWNER_ALIGNMENT}, kNotOfMethods}};

}  // namespace cli
