// SPDX-License-Identifier: MIT
// Flags that many subcommands share: of input sequences, with the steps between reading and use (focus, rows, filters, weights), of tables
// and of checkpoints.
#include "run/files.hpp"
#include "flags/validators.hpp"
#include "run/checkpoint.hpp"
#include "run/csv_table.hpp"

#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

// Records which columns a focus keeps: those where its sequence has no gap.
void record_focus(const Alignment &data, const std::string &name, const Alignment &made, FocusColumns &focused) {
  const int64_t sequence = labelled("--focus", [&] { return data.find(name); });
  const int64_t width = data.sites();
  const uint8_t *colors = data.sequences().data() + sequence * width;
  focused.width = width;
  focused.columns.clear();
  for (int64_t i = 0; i < width; ++i)
    if (colors[i] != 0) focused.columns.push_back(i);
  focused.numbers = made.site_numbers().vector();
  focused.residues = made.site_residues();
}

// The columns that --focus chose in the first file.
Alignment same_columns(const Session &session, const Alignment &data, const FocusColumns &focused, const std::string &path) {
  const int64_t n = data.count(), kept = static_cast<int64_t>(focused.columns.size());
  const uint8_t *from = data.sequences().data();
  std::vector<uint8_t> values;
  values.reserve(static_cast<std::size_t>(n * kept));
  for (int64_t k = 0; k < n; ++k)
    for (int64_t column : focused.columns) values.push_back(from[k * focused.width + column]);
  std::vector<int64_t> columns;
  for (int64_t column : focused.columns) columns.push_back(atp_alignment_columns_view(data.get())[column]);
  Alignment made = labelled(path, [&] {
    Alignment selected(session.context, values, kept, data.colors(), data.weights());
    if (const std::string alphabet = data.alphabet(); !alphabet.empty()) selected.set_alphabet(alphabet);
    selected.set_sites(focused.numbers, focused.residues);
    return selected;
  });
  check(atp_alignment_set_columns(made.get(), columns.data(), kept, atp_alignment_total_columns(data.get())), path);
  session.say("{}: --focus keeps the {} columns as in the first file, of {}", path, kept, focused.width);
  return made;
}

Alignment focus(const Session &session, const Alignment &data, const DataFlags &flags, const std::string &path) {
  const std::string &name = flags.focus;
  Alignment made;
  const atp_status status = atp_alignment_focus(session.context.get(), data.get(), name.c_str(), out(made));
  if (status == ATP_E_VALUE) wrong_use("{}: --focus: {}", path, last_error(status));
  check(status, path);
  if (!flags.follows) record_focus(data, name, made, *flags.focused);
  return made;
}

Alignment filter(const Session &session, const Alignment &data, const DataFlags &flags, const std::string &path) {
  Options options(session.context, ATP_OWNER_FILTER);
  if (flags.max_gaps_sequence) options.set(ATP_OPT_MAX_GAPS_SEQUENCE, *flags.max_gaps_sequence);
  if (flags.max_gaps_column) options.set(ATP_OPT_MAX_GAPS_COLUMN, *flags.max_gaps_column);
  options.set(ATP_OPT_REMOVE_DUPLICATES, flags.remove_duplicates ? 1 : 0);
  return labelled(path, [&] { return data.filter(session.context, options); });
}

void weights_from_file(const Session &session, Alignment &data, const std::string &weights, const std::string &path) {
  const std::vector<double> numbers = read_numbers(session, "--weights", weights);
  const int64_t n = static_cast<int64_t>(numbers.size()), count = data.count();
  if (n != count) wrong_use("--weights {} has {} numbers, expected {}: one for each sequence in use of {}", weights, n, count, path);
  labelled("--weights " + weights, [&] { data.set_weights(numbers); });
}

const Words<atp_weight_rule> kWeightRules = {
    {"inclusive", ATP_WEIGHTS_INCLUSIVE}, {"strict", ATP_WEIGHTS_STRICT}, {"floor", ATP_WEIGHTS_FLOOR}, {"residues", ATP_WEIGHTS_RESIDUES}};

std::string read_weights(const std::string &text, WeightSource &weights) {
  using From = WeightSource::From;
  weights.text = text;
  weights.from = text == "none" ? From::none : text == "auto" ? From::automatic : is_number(text) ? From::theta : From::file;
  return weights.from == From::theta ? read_number(text, 0, 1, weights.theta) : "";
}

// Weigh by identity; returns the rule in words.
std::string weigh_by_identity(Alignment &data, const DataFlags &flags, const std::string &path) {
  double theta = flags.weights.theta;
  if (flags.theta) theta = flags.theta->value;
  if (flags.weights.from != WeightSource::From::theta && (!flags.theta || flags.theta->automatic))
    theta = labelled(path, [&] { return data.auto_theta(); });
  const atp_weight_rule rule = flags.weight_rule.value_or(ATP_WEIGHTS_INCLUSIVE);
  labelled(path, [&] { data.weigh(theta, rule); });
  return fmt::format("theta {:.6g}, {} rule", theta, word_of(kWeightRules, rule));
}

// Set the weights as the flags say; returns a description for the message, "" where nothing was done.
std::string weigh(const Session &session, Alignment &data, const DataFlags &flags, const std::string &path) {
  using From = WeightSource::From;
  const WeightSource &weights = flags.weights;
  if (flags.weight_rule && !flags.weighs_by_identity())
    wrong_use("--weight-rule is \"{}\", expected only with weights by identity: --weights auto or a number, or --theta",
              word_of(kWeightRules, *flags.weight_rule));
  if (flags.theta && weights.from != From::data && weights.from != From::automatic)
    wrong_use("--theta is \"{}\" with --weights {}, expected only one of them",
              flags.theta->automatic ? "auto" : fmt::format("{}", flags.theta->value), weights.text);
  if (flags.weighs_by_identity()) return weigh_by_identity(data, flags, path);
  if (weights.from == From::data) return "";
  if (weights.from == From::none) {
    data.set_weights(std::vector<double>(static_cast<std::size_t>(data.count()), 1.0));
    return "no weights";
  }
  weights_from_file(session, data, weights.text, path);
  return "weights from " + weights.text;
}

void save_weights(const Session &session, const Alignment &data, const std::string &path) {
  std::string text;
  for (const double weight : data.weights()) text += fmt::format("{:.17g}\n", weight);
  write_text(session, path, text);
}

}  // namespace

void DataFlags::add(CLI::App *app) {
  static const std::vector<atp_format> formats = {ATP_FORMAT_AUTO,  ATP_FORMAT_FASTA,     ATP_FORMAT_A2M,
                                                  ATP_FORMAT_A3M,   ATP_FORMAT_STOCKHOLM, ATP_FORMAT_ALN,
                                                  ATP_FORMAT_NAMED, ATP_FORMAT_INTEGERS,  ATP_FORMAT_PAIRED};
  const auto shown = [](CLI::Option *option, const char *type) { return option->type_name(type)->group("Sequences"); };
  shown(app->add_option("--alphabet", alphabet, "symbols of the sequences: protein, rna, dna, or the symbols themselves, the gap first")
            ->check(alphabet_name()),
        "NAME");
  shown(add_choice(app, "--unknown", unknown, words_of_option<atp_unknown>(ATP_OWNER_ALIGNMENT, ATP_OPT_UNKNOWN),
                   "symbols outside the alphabet: gap (read as a gap), drop (leave out the sequence) or error"),
        "WHAT");
  shown(app->add_option("--colors", colors, "number of colours in files of integers; default: largest value plus one")
            ->transform(count(2, 255)),
        "Q");
  shown(add_choice(app, "--format", format, words_of_option(ATP_OWNER_ALIGNMENT, ATP_OPT_FORMAT, formats),
                   "format of the sequences: auto (detected from the content; default), fasta, a2m, a3m, stockholm, aln (PSICOV), gremlin, "
                   "integers, or paired (A3M of two proteins by ColabFold: its two alignments are joined row by row)"),
        "FORMAT");
  add_selection(app);
  add_weights(app);
}

void DataFlags::add_selection(CLI::App *app) {
  app->add_option("--focus", focus, "keep the columns where the sequence NAME has a residue, and number the sites by its residues")
      ->type_name("NAME")
      ->group("Sequences");
  app->add_option("--max-gaps-sequence", max_gaps_sequence, "leave out sequences whose fraction of gaps is larger than F")
      ->transform(fraction())
      ->type_name("F")
      ->group("Sequences");
  app->add_option("--max-gaps-column", max_gaps_column, "then leave out columns whose fraction of gaps is larger than F")
      ->transform(fraction())
      ->type_name("F")
      ->group("Sequences");
  app->add_flag("--remove-duplicates", remove_duplicates, "then leave out sequences that equal an earlier one")->group("Sequences");
}

void DataFlags::add_weights(CLI::App *app) {
  const auto check = [](std::string &text) {
    WeightSource unused;
    return read_weights(text, unused);
  };
  add_checked(app, "--weights",
              "weights of the sequences: none, auto (by sequence identity), a number (the same with this theta), or a file with one number "
              "per sequence; default: the weights in DATA, or 1",
              CLI::Validator(check, ""), [this](const std::string &text) { read_weights(text, weights); })
      ->check(input_file({"none", "auto"}))
      ->type_name("WHAT")
      ->group("Sequences");
  add_auto_fraction(app, "--theta", theta,
                    "weight = 1 / (number of sequences that differ in at most the fraction X of the columns); auto: X = min(0.5, 0.1216 / "
                    "mean identity)")
      ->type_name("X")
      ->group("Sequences");
  add_choice(app, "--weight-rule", weight_rule, kWeightRules,
             "sequences are similar with at most theta L differences (inclusive; default), fewer than theta L (strict), fewer than theta "
             "L rounded down (floor), or at most theta times the columns where both have a residue (residues)")
      ->type_name("RULE")
      ->group("Sequences");
  app->add_option("--save-weights", save_weights, "write the weights of the sequences in use, one number per line")
      ->check(output_file())
      ->type_name("FILE")
      ->group("Sequences");
}

bool DataFlags::weighs_by_identity() const {
  using From = WeightSource::From;
  return weights.from == From::automatic || weights.from == From::theta || (weights.from == From::data && theta);
}

bool DataFlags::prepares() const {
  return !focus.empty() || max_gaps_sequence || max_gaps_column || remove_duplicates || weights.from != WeightSource::From::data || theta ||
         weight_rule || !save_weights.empty();
}

DataFlags DataFlags::for_test() const {
  DataFlags other = *this;
  other.follows = true;
  if (other.max_gaps_column)
    wrong_use("--max-gaps-column is \"{}\" with a second set of sequences, expected DATA alone: both must have the same columns",
              *max_gaps_column);
  if (!other.weighs_by_identity()) other.weights = {};
  other.save_weights.clear();
  return other;
}

DataFlags DataFlags::as_they_are() const {
  DataFlags other;
  other.follows = true;
  other.focused = focused;
  other.alphabet = alphabet;
  other.unknown = unknown;
  other.colors = colors;
  return other;
}

DataFlags DataFlags::before_split() const {
  DataFlags other = *this;
  other.save_weights.clear();
  if (!weighs_by_identity()) return other;
  other.weights = {};
  other.theta.reset();
  other.weight_rule.reset();
  return other;
}

DataFlags DataFlags::after_split() const {
  DataFlags other;
  other.save_weights = save_weights;
  if (!weighs_by_identity()) return other;
  other.weights = weights;
  other.theta = theta;
  other.weight_rule = weight_rule;
  return other;
}

void DataFlags::require_all_rows(bool weighed) const {
  const std::pair<const char *, bool> given[] = {{"--max-gaps-sequence", max_gaps_sequence.has_value()},
                                                 {"--remove-duplicates", remove_duplicates},
                                                 {"--weights", !weighed && weights.from != WeightSource::From::data},
                                                 {"--theta", !weighed && theta.has_value()},
                                                 {"--weight-rule", !weighed && weight_rule.has_value()},
                                                 {"--save-weights", !weighed && !save_weights.empty()}};
  for (const auto &[flag, is_given] : given)
    if (is_given)
      wrong_use("{} is given, expected no flag that selects{} sequences: {}", flag, weighed ? "" : " or weighs",
                weighed ? "rows are counted in the file" : "the table has one row per sequence");
  if (unknown == ATP_UNKNOWN_DROP) wrong_use("--unknown is \"drop\", expected gap or error: the table has one row per sequence");
}

std::string DataFlags::focus_hint(int64_t expected_sites) const {
  if (focus.empty() || focused->width != expected_sites) return "";
  return " (without --focus it has as many: a model learned without --focus takes sequences without it)";
}

Alignment prepare(const Session &session, const std::string &label, const std::string &path, Alignment data, const DataFlags &flags,
                  const Rows &rows) {
  const int64_t read = data.count();
  const FocusColumns &focused = *flags.focused;
  const int64_t width = data.sites(), kept = static_cast<int64_t>(focused.columns.size());
  if (flags.follows && focused.width > 0 && width == focused.width && kept < width)
    data = same_columns(session, data, focused, path);
  else if (!flags.focus.empty() && !(flags.follows && width == kept))
    data = focus(session, data, flags, path);
  if (!rows.all()) {
    const int64_t n = data.count();
    if (rows.first >= n || rows.count > n - rows.first)
      wrong_use("{} {}: rows {}:{} were requested, expected rows within its {} sequences", label, path, rows.first, rows.count, n);
    data = labelled(path, [&] { return data.select(session.context, rows.first, rows.count); });
  }
  if (!flags.prepares()) return data;
  if (flags.max_gaps_sequence || flags.max_gaps_column || flags.remove_duplicates) data = filter(session, data, flags, path);
  const std::string done = *flags.weighing = weigh(session, data, flags, path);
  if (!flags.save_weights.empty()) save_weights(session, data, flags.save_weights);
  const auto numbers = data.site_numbers();
  session.say("{}: {} of {} sequences, {} sites{}, effective number {:.1f}{}", path, data.count(), read, data.sites(),
              flags.focus.empty() ? "" : fmt::format(" (residues {}..{} of {})", numbers[0], numbers[numbers.size() - 1], flags.focus),
              data.effective_count(), done.empty() ? "" : " (" + done + ")");
  return data;
}

void add_csv(CLI::App *app, std::string &path, const std::string &more) {
  app->add_option("--csv", path, "output file of the table; -: standard output" + more)
      ->check(output_file())
      ->type_name("FILE")
      ->capture_default_str();
}

void CheckpointFlags::add(CLI::App *app) {
  app->add_option("--checkpoint", path, "save the state of the run in FILE at intervals and at the end; FILE.lock marks it as in use")
      ->check(output_file())
      ->type_name("FILE");
  app->add_option("--checkpoint-interval", interval, "time between checkpoints: seconds, or 500ms, 10min, 2h")
      ->transform(duration(0, 1e9))
      ->type_name("TIME")
      ->capture_default_str();
  app->add_flag("--resume", resume, "continue the run in --checkpoint; the result is the same as without the interruption");
  app->add_flag("--restart", restart, "start again and overwrite the run in --checkpoint");
}

}  // namespace cli
