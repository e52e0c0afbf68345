// SPDX-License-Identifier: MIT
// The flags of alignments, and what happens to sequences between the file and their use: focus, rows, filters, weights.
#include "support/files.hpp"
#include "support/signals.hpp"

#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

bool is_number(const std::string &text) {
  char *end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

double fraction(const std::string &flag, const std::string &text) { return parse_number(flag, text, 0, 1); }

Alignment focus(const Session &session, const atp_alignment *data, const std::string &name, const std::string &path) {
  Alignment made;
  const atp_status status = atp_alignment_focus(session.context.get(), data, name.c_str(), out(made));
  if (status == ATP_E_VALUE) {
    char text[512];
    atp_last_error(text, sizeof text);
    wrong_use("{}: --focus: {}", path, text);
  }
  check(status, path);
  return made;
}

Alignment filter(const Session &session, const atp_alignment *data, const DataFlags &flags, const std::string &path) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  if (!flags.max_gaps_sequence.empty())
    check(atp_options_set_f64(options.get(), ATP_OPT_MAX_GAPS_SEQUENCE, fraction("--max-gaps-sequence", flags.max_gaps_sequence)));
  if (!flags.max_gaps_column.empty())
    check(atp_options_set_f64(options.get(), ATP_OPT_MAX_GAPS_COLUMN, fraction("--max-gaps-column", flags.max_gaps_column)));
  check(atp_options_set_i64(options.get(), ATP_OPT_REMOVE_DUPLICATES, flags.remove_duplicates ? 1 : 0));
  Alignment made;
  check(atp_alignment_filter(session.context.get(), data, options.get(), nullptr, 0, out(made)), path);
  return made;
}

void weights_from_file(const Session &session, atp_alignment *data, const std::string &weights, const std::string &path) {
  const std::vector<double> numbers = read_numbers(session, "--weights", weights);
  const int64_t n = static_cast<int64_t>(numbers.size()), count = atp_alignment_count(data);
  if (n != count) wrong_use("--weights {} has {} numbers, expected {}: one for each sequence that is used of {}", weights, n, count, path);
  check(atp_alignment_set_weights(data, numbers.data(), n), "--weights " + weights);
}

// What was done, in words.
std::string weigh(const Session &session, atp_alignment *data, const DataFlags &flags, const std::string &path) {
  const std::string &what = flags.weights;
  if (!flags.weight_rule.empty() && !flags.weighs_by_identity())
    wrong_use("--weight-rule is \"{}\", expected only with weights by identity: --weights auto or a number, or --theta", flags.weight_rule);
  if (what.empty() && flags.theta.empty()) return "";
  if (what == "none") {
    if (!flags.theta.empty()) wrong_use("--theta is \"{}\" with --weights none, expected only one of them", flags.theta);
    const std::vector<double> ones(static_cast<std::size_t>(atp_alignment_count(data)), 1.0);
    check(atp_alignment_set_weights(data, ones.data(), static_cast<int64_t>(ones.size())));
    return "no weights";
  }
  if (!what.empty() && !flags.weighs_by_identity()) {
    if (!flags.theta.empty()) wrong_use("--theta is \"{}\" with --weights {}, expected only one of them", flags.theta, what);
    weights_from_file(session, data, what, path);
    return "weights from " + what;
  }
  if (is_number(what) && !flags.theta.empty())
    wrong_use("--theta is \"{}\" with --weights {}, expected only one of them", flags.theta, what);
  const std::string theta_text = !flags.theta.empty() ? flags.theta : is_number(what) ? what : "auto";
  double theta = 0;
  if (theta_text == "auto")
    check(atp_alignment_auto_theta(data, &theta), path);
  else
    theta = fraction(flags.theta.empty() ? "--weights" : "--theta", theta_text);
  static const atp_weight_rule rules[] = {ATP_WEIGHTS_INCLUSIVE, ATP_WEIGHTS_STRICT, ATP_WEIGHTS_FLOOR};
  const std::string rule = flags.weight_rule.empty() ? "inclusive" : flags.weight_rule;
  check(atp_alignment_weigh(data, theta, rules[parse_word("--weight-rule", rule, {"inclusive", "strict", "floor"})]), path);
  return fmt::format("theta {:.6g}, {} rule", theta, rule);
}

void scale_weights(atp_alignment *data, double scale) {
  const int64_t n = atp_alignment_count(data);
  std::vector<double> scaled(atp_alignment_weights_view(data), atp_alignment_weights_view(data) + n);
  for (double &w : scaled) w *= scale;
  check(atp_alignment_set_weights(data, scaled.data(), n), "--weight-scale");
}

void save_weights(const Session &session, const atp_alignment *data, const std::string &path) {
  std::string text;
  const double *w = atp_alignment_weights_view(data);
  for (int64_t k = 0; k < atp_alignment_count(data); ++k) text += fmt::format("{:.17g}\n", w[k]);
  write_text(session, path, text);
}

}  // namespace

void DataFlags::add(CLI::App *app) {
  const auto text = [app](const char *name, std::string &value, const char *description, const char *type) {
    return app->add_option(name, value, description)->type_name(type)->group("Sequences");
  };
  text("--alphabet", alphabet, "of files of symbols: protein, rna, dna, or the symbols themselves, first the gap", "NAME");
  text("--unknown", unknown, "what happens to a symbol outside the alphabet: gap, drop (the sequence) or error", "WHAT")
      ->capture_default_str();
  text("--colors", colors, "number of colours of integer files; default: the largest value plus one", "Q");
  if (app->get_option_no_throw("--format") == nullptr)
    text("--format", format, "auto, fasta, a2m, a3m, stockholm, aln (PSICOV), gremlin or integers, whatever the file looks like", "FORMAT");
  else
    text((format_flag = "--input-format").c_str(), format,
         "auto, fasta, a2m, a3m, stockholm, aln (PSICOV), gremlin or integers, whatever the file looks like", "FORMAT");
  text("--max-unpacked", max_unpacked,
       "bytes that a file packed by gzip may unpack to, 4G say; default: a hundred times its size, 1G at least", "SIZE");
  text("--focus", focus, "keep the columns where this sequence has a residue, and number the sites by it", "NAME");
  text("--max-gaps-sequence", max_gaps_sequence, "leave out sequences with a larger fraction of gaps", "F");
  text("--max-gaps-column", max_gaps_column, "then leave out columns with a larger fraction of gaps", "F");
  app->add_flag("--remove-duplicates", remove_duplicates, "then leave out sequences equal to an earlier one")->group("Sequences");
  text(
      "--weights", weights,
      "of sequences: none, auto (by identity, theta chosen from the data unless --theta is given), a number (theta), or a file of a number "
      "per sequence; default: those of the file, or 1",
      "WHAT");
  text("--theta", theta, "weigh by 1 / (sequences that differ in at most this fraction of columns); auto: min(0.5, 0.1216 / mean identity)",
       "X");
  text("--weight-rule", weight_rule, "inclusive (default: at most theta L), strict (less) or floor (less than theta L rounded down)",
       "RULE");
  text("--weight-scale", weight_scale, "multiply all weights", "X");
  text("--save-weights", save_weights, "a number per sequence that is used", "FILE");
}

bool DataFlags::weighs_by_identity() const { return weights == "auto" || is_number(weights) || (weights.empty() && !theta.empty()); }

bool DataFlags::prepares() const {
  return !focus.empty() || !max_gaps_sequence.empty() || !max_gaps_column.empty() || remove_duplicates || !weights.empty() ||
         !theta.empty() || !weight_rule.empty() || !weight_scale.empty() || !save_weights.empty();
}

DataFlags DataFlags::for_test() const {
  DataFlags other = *this;
  if (!other.max_gaps_column.empty())
    wrong_use("--max-gaps-column is \"{}\" with other sequences beside DATA, expected DATA alone: columns must be the same in both",
              max_gaps_column);
  if (!other.weighs_by_identity()) other.weights.clear();
  other.save_weights.clear();
  return other;
}

DataFlags DataFlags::as_they_are() const {
  DataFlags other;
  other.alphabet = alphabet;
  other.unknown = unknown;
  other.colors = colors;
  other.max_unpacked = max_unpacked;
  return other;
}

void DataFlags::require_all_rows() const {
  const std::pair<const char *, bool> given[] = {{"--max-gaps-sequence", !max_gaps_sequence.empty()},
                                                 {"--remove-duplicates", remove_duplicates},
                                                 {"--weights", !weights.empty()},
                                                 {"--theta", !theta.empty()},
                                                 {"--weight-rule", !weight_rule.empty()},
                                                 {"--weight-scale", !weight_scale.empty()},
                                                 {"--save-weights", !save_weights.empty()}};
  for (const auto &[flag, is_given] : given)
    if (is_given) wrong_use("{} is given, expected none of the flags that choose or weigh sequences: every sequence has its row", flag);
  if (unknown == "drop") wrong_use("--unknown is \"drop\", expected gap or error: every sequence has its row");
}

Alignment prepare(const Session &session, const std::string &label, const std::string &path, Alignment data, const DataFlags &flags,
                  const Rows &rows) {
  const int64_t read = atp_alignment_count(data.get());
  check_writable("--save-weights", flags.save_weights);
  if (!flags.focus.empty()) data = focus(session, data.get(), flags.focus, path);
  if (!rows.all()) {
    const int64_t n = atp_alignment_count(data.get());
    if (rows.first >= n || rows.count > n - rows.first)
      wrong_use("{} {}: rows {}:{} asked for, expected rows within its {} sequences", label, path, rows.first, rows.count, n);
    Alignment part;
    check(atp_alignment_select(session.context.get(), data.get(), rows.first, rows.count, 1, out(part)), path);
    data = std::move(part);
  }
  if (!flags.prepares()) return data;
  if (!flags.max_gaps_sequence.empty() || !flags.max_gaps_column.empty() || flags.remove_duplicates)
    data = filter(session, data.get(), flags, path);
  const std::string done = weigh(session, data.get(), flags, path);
  if (!flags.weight_scale.empty()) scale_weights(data.get(), parse_number("--weight-scale", flags.weight_scale, 1e-12, 1e12));
  if (!flags.save_weights.empty()) {
    const FinishFirst finish_first;
    save_weights(session, data.get(), flags.save_weights);
  }
  const int64_t *numbers = atp_alignment_site_numbers_view(data.get()), sites = atp_alignment_sites(data.get());
  session.say("{}: {} of {} sequences, {} sites{}, effective number {:.1f}{}", path, atp_alignment_count(data.get()), read, sites,
              flags.focus.empty() ? "" : fmt::format(" (residues {}..{} of {})", numbers[0], numbers[sites - 1], flags.focus),
              atp_alignment_effective_count(data.get()), done.empty() ? "" : " (" + done + ")");
  return data;
}

}  // namespace cli
