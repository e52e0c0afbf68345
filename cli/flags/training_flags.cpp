// SPDX-License-Identifier: MIT
#include "flags/training_flags.hpp"

#include "flags/validators.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"

#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace cli {

void TrainingFlags::add(CLI::App *app, const std::string &initial_epochs) {
  static const Words<int64_t> precisions = {{"32", 32}, {"64", 64}};
  app->add_option("--epochs", epochs, "number of passes over the data, or largest number of L-BFGS iterations; default " + initial_epochs)
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_EPOCHS))
      ->type_name("N");
  app->add_option("--tolerance", tolerance,
                  "converged when |gradient| <= X max(1, |parameters|); default 1e-5, for dense couplings times N_eff sqrt(L)")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_TOLERANCE, 0))
      ->type_name("X");
  add_choice(app, "--precision", precision, precisions, "bits of a number in training: 32 (default) or 64")->type_name("BITS");
  add_or_auto(app, "--l2-couplings", l2_couplings, selection.couplings, ATP_OPT_L2_COUPLINGS,
              "penalty on dense couplings (default 0.2 (L - 1), autoregressive 0.01 N_eff) or on attention maps (default 0); auto: chosen "
              "by the data (of factored attention the option l2-pairs)")
      ->type_name("X");
  add_or_auto(app, "--l2-fields", l2_fields, selection.fields, ATP_OPT_L2_FIELDS,
              "penalty on the fields; default 0.01 with dense couplings, autoregressive 0.1, else 0; auto: chosen by the data")
      ->type_name("X");
  app->add_flag("--asymmetric", asymmetric,
                "dense couplings only: solve one problem per site, then average the couplings; needs less memory");
  add_choice(app, "--gaps", gaps, words_of_option<atp_gaps>(ATP_OWNER_TRAINER, ATP_OPT_GAPS),
             "gaps are a colour like the others (state; default) or missing data (ignore)")
      ->type_name("WHAT");
  selection.add(app);
}

void set_if_given(atp_options *options, atp_option key, std::optional<int64_t> value) {
  if (value) check(atp_options_set_i64(options, key, *value));
}

void set_if_given(atp_options *options, atp_option key, std::optional<double> value) {
  if (value) check(atp_options_set_f64(options, key, *value));
}

void set_common_options(const TrainingFlags &flags, atp_options *options) {
  set_if_given(options, ATP_OPT_EPOCHS, flags.epochs);
  set_if_given(options, ATP_OPT_PRECISION, flags.precision);
  set_if_given(options, ATP_OPT_TOLERANCE, flags.tolerance);
  set_if_given(options, ATP_OPT_L2_COUPLINGS, flags.l2_couplings);
  set_if_given(options, ATP_OPT_L2_FIELDS, flags.l2_fields);
}

void set_gaps(const TrainingFlags &flags, atp_options *options) {
  if (flags.gaps) check(atp_options_set_i64(options, ATP_OPT_GAPS, *flags.gaps));
}

void check_init_scale(const Settings &settings, atp_map map, bool colors_fixed) {
  if (settings.value(ATP_OPT_INIT_SCALE) != 0.0 || settings.value_in(ATP_OWNER_TRAINER, ATP_OPT_INITIAL) == double{ATP_INITIAL_XAVIER})
    return;
  // A and V are both 0, or Q and K: the gradient of each has the other as a factor.
  if (map == ATP_MAP_LOWRANK || (map == ATP_MAP_FREE && !colors_fixed))
    wrong_use("--set init-scale is 0, expected a number above 0: {} that are zero have no gradient and stay so",
              map == ATP_MAP_LOWRANK ? "Q and K of low-rank maps" : "maps and value matrices");
}

Options dense_options(const Session &session, const TrainingFlags &flags) {
  Options options = options_of(session, ATP_OWNER_TRAINER);
  atp_options *o = options.get();
  check(atp_options_set_i64(o, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_options_set_i64(o, ATP_OPT_ASYMMETRIC, flags.asymmetric ? 1 : 0));
  set_gaps(flags, o);
  session.settings.needs(ATP_OPT_L2_SCALE, flags.l2_couplings || flags.l2_fields || flags.selection.wanted(),
                         "with --l2-couplings or --l2-fields: automatic penalties are absolute");
  set_common_options(flags, o);
  return options;
}

std::string training_ways_out(atp_outcome outcome, const TrainingFlags &flags, bool stochastic, const std::string &limit) {
  const std::string exact = flags.precision == 64 ? "" : "train with --precision 64 or ";
  return ways_out(atp_outcome_name(outcome),
                  {{ATP_OUTCOME_MAX_ITER, "raise " + limit + " or loosen --tolerance"},
                   {ATP_OUTCOME_STALLED, exact + "loosen --tolerance: no further descent was possible with these numbers"},
                   {ATP_OUTCOME_DIVERGED, stochastic ? "lower --rate" : exact + "raise the penalties"}});
}

Options copy_options(const Session &session, const atp_options *options, int owner) {
  const int from = atp_options_owner(options);
  Options copy;
  check(atp_options_create(session.context.get(), owner == 0 ? from : owner, out(copy)));
  for (int64_t k = 0; k < atp_option_count(from); ++k) {
    const auto key = static_cast<atp_option>(atp_option_at(from, k));
    int64_t integer = 0;
    double real = 0;
    if (atp_options_get_i64(options, key, &integer) == ATP_OK) {
      check(atp_options_set_i64(copy.get(), key, integer));
    } else {
      check(atp_options_get_f64(options, key, &real));
      check(atp_options_set_f64(copy.get(), key, real));
    }
  }
  return copy;
}

namespace {

template <class Number>
CLI::Option *add_number_or_auto(CLI::App *app, const std::string &name, std::optional<Number> &value, bool &chosen, atp_option key,
                                const std::string &description) {
  const CLI::Validator number = value_of(ATP_OWNER_TRAINER, key, std::is_same_v<Number, double> ? std::optional<double>(0) : std::nullopt);
  const auto read = [number](const std::string &text, std::string &exact) -> std::string {
    exact = text;
    const std::string problem = text == "auto" ? "" : number(exact);
    return problem.empty() ? "" : problem + ", or auto";
  };
  const auto validate = [read](const std::string &text) {
    std::string unused;
    return read(text, unused);
  };
  return add_checked(app, name, description, CLI::Validator(validate, ""), [&value, &chosen, read](const std::string &text) {
    std::string exact;
    read(text, exact);
    chosen = text == "auto";
    value.reset();
    if (!chosen) value = static_cast<Number>(std::strtold(exact.c_str(), nullptr));
  });
}

// The rows of the path.
class Path {
 public:
  explicit Path(const atp_table *table)
      : columns_(static_cast<std::size_t>(atp_table_columns(table))), rows_(static_cast<std::size_t>(atp_table_rows(table))) {
    numbers_.resize(columns_ * rows_);
    check(atp_table_values(table, numbers_.data(), static_cast<int64_t>(numbers_.size())));
  }
  std::size_t rows() const { return rows_; }
  double at(std::size_t row, std::size_t column) const { return numbers_[row * columns_ + column]; }
  std::size_t chosen() const {
    for (std::size_t row = 0; row < rows_; ++row)
      if (at(row, ATP_SELECTION_CHOSEN) != 0) return row;
    return 0;
  }
  void write(const Session &session, const std::string &path) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < columns_; ++k) names.emplace_back(atp_column_name(ATP_TABLE_SELECTION, static_cast<int>(k)));
    Table table(session, names);
    for (std::size_t row = 0; row < rows_; ++row) {
      std::vector<std::string> cells;
      for (std::size_t k = 0; k < columns_; ++k) cells.push_back(cell(at(row, k)));
      table.row(cells);
    }
    table.write(session, path);
  }

 private:
  std::size_t columns_, rows_;
  std::vector<double> numbers_;
};

Path run_selection(const Session &session, const SelectionFlags &flags, const atp_alignment *data, const atp_options *options,
                   const std::vector<int64_t> &pairs, int64_t criterion) {
  const Options with = copy_options(session, options, ATP_OWNER_SELECTION);
  atp_options *o = with.get();
  session.settings.apply(o);
  check(atp_options_set_i64(o, ATP_OPT_CRITERION, criterion));
  check(atp_options_set_i64(o, ATP_OPT_SELECT, flags.heads ? ATP_SELECT_HEADS : ATP_SELECT_COUPLINGS));
  check(atp_options_set_i64(o, ATP_OPT_SELECT_FIELDS, flags.fields ? 1 : 0));
  int64_t rows = 0;
  check(atp_options_get_i64(o, ATP_OPT_STRENGTHS, &rows));
  ResultTable table;
  check(atp_table_create(session.context.get(), ATP_TABLE_SELECTION, rows, out(table)));
  const EndAtOnce nothing_to_save;
  Progress progress(session, "select", "fits");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  if (pairs.empty())
    check(atp_select_penalty(session.context.get(), data, o, table.get(), Progress::callback, &progress, &outcome), "auto");
  else
    check(
        atp_select_penalty_pairs(data, o, pairs.data(), static_cast<int64_t>(pairs.size() / 2), table.get(), Progress::callback, &progress),
        "auto");
  if (atp_table_rows(table.get()) == 0) stop_if_interrupted();
  if (outcome == ATP_OUTCOME_MAX_ITER)
    session.say("warning: the held-out loss still falls at the weakest penalty that was tried; a weaker one may be better");
  return Path(table.get());
}

void set_choice(const SelectionFlags &flags, const Path &path, std::size_t row, atp_options *options) {
  const bool dense = path.at(row, ATP_SELECTION_HEADS) == 0;
  if (flags.heads) check(atp_options_set_i64(options, ATP_OPT_HEADS, static_cast<int64_t>(path.at(row, ATP_SELECTION_HEADS))));
  if (flags.couplings)
    check(atp_options_set_f64(options, dense ? ATP_OPT_L2_COUPLINGS : ATP_OPT_L2_PAIRS, path.at(row, ATP_SELECTION_L2_COUPLINGS)));
  if (const double fields = path.at(row, ATP_SELECTION_L2_FIELDS); !std::isnan(fields))
    check(atp_options_set_f64(options, ATP_OPT_L2_FIELDS, fields));
  if (dense) check(atp_options_set_i64(options, ATP_OPT_L2_SCALE, ATP_L2_ABSOLUTE));
}

// The choice in one line.
std::string text_of(const SelectionFlags &flags, bool changes, const Path &path, std::size_t row) {
  const bool dense = path.at(row, ATP_SELECTION_HEADS) == 0;
  std::string text = "chosen by the data:";
  if (flags.heads) text += fmt::format(" heads {:g}", path.at(row, ATP_SELECTION_HEADS));
  if (flags.couplings) text += fmt::format(" l2-{} {:.6g}", dense ? "couplings" : "pairs", path.at(row, ATP_SELECTION_L2_COUPLINGS));
  if (flags.fields) text += fmt::format(" l2-fields {:.6g}", path.at(row, ATP_SELECTION_L2_FIELDS));
  text +=
      fmt::format("; held-out loss {:.4f} +- {:.4f} nats per site, site-independent model {:.4f}", path.at(row, ATP_SELECTION_HELDOUT_LOSS),
                  path.at(row, ATP_SELECTION_STANDARD_ERROR), path.at(row, ATP_SELECTION_INDEPENDENT_LOSS));
  if (changes)
    text += fmt::format("; of substitutions {:.4f} +- {:.4f}, site-independent model {:.4f}", path.at(row, ATP_SELECTION_SUBSTITUTION_LOSS),
                        path.at(row, ATP_SELECTION_SUBSTITUTION_ERROR), path.at(row, ATP_SELECTION_INDEPENDENT_SUBSTITUTION_LOSS));
  return text + fmt::format("; {}, cost {:.0f} gradients of all sequences", counted(static_cast<int64_t>(path.rows()), "step"),
                            path.at(path.rows() - 1, ATP_SELECTION_COST));
}

// Returns "", or a sentence that couplings do not help.
std::string warning_of(bool by_changes, const Path &path, std::size_t row) {
  if (by_changes) {
    const double changes = path.at(row, ATP_SELECTION_SUBSTITUTION_LOSS) - path.at(row, ATP_SELECTION_INDEPENDENT_SUBSTITUTION_LOSS);
    if (changes < 0) return "";
    return fmt::format(
        "warning: on held-out substitutions the model is no better than the site-independent one: the loss differs by {:+.4f} nats; for "
        "effects of mutations its couplings add nothing",
        changes);
  }
  const double excess = path.at(row, ATP_SELECTION_EXCESS), error = path.at(row, ATP_SELECTION_EXCESS_ERROR);
  if (excess + error < 0) return "";
  return fmt::format(
      "warning: on held-out sequences the model is no better than the site-independent one: the loss differs by {:+.4f} +- {:.4f} nats per "
      "site; do not trust its couplings",
      excess, error);
}

}  // namespace

CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<double> &value, bool &chosen, atp_option key,
                         const std::string &description) {
  return add_number_or_auto(app, name, value, chosen, key, description);
}

CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<int64_t> &value, bool &chosen, atp_option key,
                         const std::string &description) {
  return add_number_or_auto(app, name, value, chosen, key, description);
}

void SelectionFlags::add(CLI::App *app) {
  app->add_option("--path", path, "with auto: write the held-out losses of all strengths")->check(output_file())->type_name("FILE");
}

void SelectionFlags::check_values(const CLI::App *app, const atp_options *options) const {
  needs(app, "--path", wanted(), "with --l2-couplings auto or --heads auto");
  // The best pairs are those of a first pass that needs its penalties.
  double times = 0;
  if (wanted() && CLI::detail::lexical_cast(given(app, "--pairs"), times))
    wrong_use("--pairs is \"{}\" with penalties that are auto, expected a file of pairs, or --pairs-from", given(app, "--pairs"));
  needs(app, "--l2-fields", !fields || wanted(), "with --l2-couplings auto or --heads auto");
  if (couplings && heads) wrong_use("--l2-couplings and --heads are both \"auto\", expected one of them");
  int64_t optimizer = 0, fixed = 0;
  check(atp_options_get_i64(options, ATP_OPT_OPTIMIZER, &optimizer));
  check(atp_options_get_i64(options, ATP_OPT_COLORS_FIXED, &fixed));
  if (wanted() && optimizer != 0 && optimizer != ATP_OPTIMIZER_LBFGS)
    wrong_use("{} is \"auto\", expected --optimizer lbfgs", heads ? "--heads" : "--l2-couplings");
  if (wanted() && fixed != 0) wrong_use("{} is \"auto\", expected no --colors-from", heads ? "--heads" : "--l2-couplings");
}

int64_t choose_by_data(Session &session, const SelectionFlags &flags, const atp_alignment *data, atp_options *options,
                       const std::vector<int64_t> &pairs, std::optional<atp_criterion> criterion) {
  if (!flags.wanted()) return 0;
  const auto chosen =
      criterion ? int64_t{*criterion} : static_cast<int64_t>(session.settings.value_in(ATP_OWNER_SELECTION, ATP_OPT_CRITERION));
  const Path path = run_selection(session, flags, data, options, pairs, chosen);
  const std::size_t row = path.chosen();
  set_choice(flags, path, row, options);
  const bool changes = chosen == ATP_CRITERION_SUBSTITUTIONS;
  const std::string text = text_of(flags, changes, path, row), warning = warning_of(changes, path, row);
  for (const std::string &line : {text, warning}) {
    if (line.empty()) continue;
    session.message(line);
    session.notes.push_back(line);
  }
  if (!flags.path.empty()) path.write(session, flags.path);
  return static_cast<int64_t>(path.at(row, ATP_SELECTION_HEADS));
}

}  // namespace cli
