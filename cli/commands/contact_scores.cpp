// SPDX-License-Identifier: MIT
#include "commands/contact_scores.hpp"

#include "run/memory.hpp"
#include "run/signals.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cli {

namespace {

const Words<atp_score_gauge> kGauges = {{"zero-sum", ATP_SCORE_ZERO_SUM}, {"raw", ATP_SCORE_RAW}};

void require_sort(const SiteNames &sites, const ScoreFlags &flags) {
  if (!sites.listed.empty() && flags.by_norm && !*flags.by_norm)
    wrong_use("--sort is \"apc\" with couplings of a list of pairs, expected fn: the correction needs the scores of all pairs");
}

// Those of all pairs that are ranked, the best first.
std::vector<int64_t> ranked_pairs(const PairScores &scores, const PairRule &rule) {
  const int64_t L = scores.sites, most = L * (L - 1) / 2, numbers[] = {rule.separation, rule.border};
  std::vector<int64_t> pairs(static_cast<std::size_t>(2 * most));
  int64_t count = 0;
  check(atp_scores_rank(scores.values.data(), L, rule.numbers, numbers, pairs.data(), most, &count));
  pairs.resize(static_cast<std::size_t>(2 * count));
  return pairs;
}

// The same of a list.
std::vector<int64_t> ranked_of_list(const PairScores &scores, const PairRule &rule) {
  const std::vector<int64_t> &list = scores.listed;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < scores.values.size(); ++k)
    if (rule.keeps(list[2 * k], list[2 * k + 1])) kept.push_back(k);
  std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return scores.values[a] > scores.values[b]; });
  std::vector<int64_t> pairs;
  for (const std::size_t k : kept) pairs.insert(pairs.end(), {list[2 * k], list[2 * k + 1]});
  return pairs;
}

PairRule rule_of(const SiteNames &sites, const ScoreFlags &flags) {
  return {sites.numbers, flags.separation, border_of(flags.structure.paired, sites.border, sites.numbers, sites.count)};
}

// The norms of the pairs of a list, in the order of the list.
std::vector<double> listed_norms(const Session &session, const atp_model *model, atp_score_gauge gauge, int64_t gap, const PairScores &of) {
  const auto count = static_cast<int64_t>(of.listed.size() / 2);
  attopotts::Table table(session.context.get(), ATP_TABLE_CONTACTS, count);
  check(atp_model_contacts(session.context.get(), model, gauge, gap, 0, table.get()));
  std::vector<std::pair<int64_t, double>> norms;
  for (int64_t k = 0; k < count; ++k)
    norms.emplace_back(static_cast<int64_t>(table(k, ATP_CONTACTS_SITE_I)) * of.sites + static_cast<int64_t>(table(k, ATP_CONTACTS_SITE_J)),
                       table(k, ATP_CONTACTS_FN));
  std::sort(norms.begin(), norms.end());
  std::vector<double> values;
  for (const auto &[place, norm] : norms) values.push_back(norm);
  return values;
}

}  // namespace

SiteNames sites_of(const atp_model *model) {
  std::vector<int64_t> listed(static_cast<std::size_t>(2 * atp_model_pair_count(model)));
  if (!listed.empty()) check(atp_model_pairs(model, listed.data(), static_cast<int64_t>(listed.size())));
  return {atp_model_sites(model),
          atp_model_site_numbers_view(model),
          atp_model_site_residues(model),
          atp_model_total_columns(model),
          atp_model_columns_view(model),
          std::move(listed),
          border_of(model),
          atp_model_border(model),
          {}};
}

SiteNames sites_of(const atp_alignment *alignment) {
  return {atp_alignment_sites(alignment),
          atp_alignment_site_numbers_view(alignment),
          atp_alignment_site_residues(alignment),
          atp_alignment_total_columns(alignment),
          atp_alignment_columns_view(alignment),
          {},
          border_of(alignment),
          atp_alignment_border(alignment),
          {}};
}

int64_t left_out_of_norms(const ScoreFlags &flags, int64_t gap) { return !flags.includes_gap ? gap : *flags.includes_gap ? -1 : 0; }

std::string gap_text(int64_t gap, const std::string &alphabet) {
  return gap < 0 ? "all colours" : alphabet.empty() ? "without colour 0" : "without the gap " + alphabet.substr(0, 1);
}

std::string norm_text(const ScoreFlags &flags, int64_t gap, const std::string &alphabet) {
  return fmt::format("Frobenius norm, {} gauge, {}", word_of(kGauges, flags.gauge), gap_text(gap, alphabet));
}

PairValues frobenius_values(const Session &session, const atp_model *model, const ScoreFlags &flags) {
  const int64_t L = atp_model_sites(model);
  const std::string alphabet = atp_model_alphabet(model);
  const int64_t gap = left_out_of_norms(flags, atp_model_gap_color(model));
  PairValues pairs;
  pairs.text = norm_text(flags, gap, alphabet);
  pairs.values = {L, sites_of(model).listed, {}};
  if (pairs.values.listed.empty()) {
    pairs.values.values.resize(static_cast<std::size_t>(L * L));
    check(atp_model_frobenius(session.context.get(), model, flags.gauge, gap, pairs.values.values.data(), L * L));
  } else {
    pairs.values.values = listed_norms(session, model, flags.gauge, gap, pairs.values);
  }
  return pairs;
}

PairValues epistatic_values(const Session &session, const atp_model *model, const std::vector<uint8_t> &sequences,
                            const ScoreFlags &flags) {
  const int64_t L = atp_model_sites(model), n = static_cast<int64_t>(sequences.size()) / L;
  const int64_t gap = left_out_of_norms(flags, atp_model_gap_color(model));
  PairValues pairs;
  pairs.column = "epistasis";
  pairs.text = fmt::format("Frobenius norm of the epistasis of log P, mean over {}, zero-sum gauge, {}", counted(n, "sequence"),
                           gap_text(gap, atp_model_alphabet(model)));
  std::vector<double> scores(static_cast<std::size_t>(L * L));
  check(atp_model_epistatic_scores(session.context.get(), model, sequences.data(), n, gap, scores.data(), L * L), "--epistasis");
  pairs.values = {L, {}, std::move(scores)};
  const std::vector<int64_t> listed = sites_of(model).listed;
  if (!listed.empty()) pairs.values = pairs.values.only(listed);
  return pairs;
}

Scores rank_values(const SiteNames &sites, PairValues values, const ScoreFlags &flags) {
  Scores s;
  s.sites = sites.count;
  s.column = values.column;
  s.text = values.text;
  s.fn = std::move(values.values);
  const bool restricted = !s.fn.listed.empty();  // the correction would take the zeros of all other pairs for scores
  require_sort(sites, flags);
  s.corrected = flags.corrected && !restricted;
  s.by_norm = flags.by_norm.value_or(!s.corrected);
  if (!restricted) {
    const auto size = static_cast<int64_t>(s.fn.values.size());
    s.apc = {s.sites, {}, std::vector<double>(s.fn.values.size())};
    check(atp_scores_apc(s.fn.values.data(), s.sites, s.apc.values.data(), size));
  }
  const PairRule rule = rule_of(sites, flags);
  s.border = rule.border;
  s.pairs = restricted ? ranked_of_list(s.ranking(), rule) : ranked_pairs(s.ranking(), rule);
  return s;
}

void require_pairs(const SiteNames &sites, const ScoreFlags &flags) {
  require_sort(sites, flags);
  const PairRule rule = rule_of(sites, flags);
  const std::vector<int64_t> &list = sites.listed;
  for (std::size_t k = 0; k < list.size(); k += 2)
    if (rule.keeps(list[k], list[k + 1])) return;
  for (int64_t i = 0; list.empty() && i < sites.count; ++i)
    for (int64_t j = i + 1; j < sites.count; ++j)
      if (rule.keeps(i, j)) return;
  wrong_use("--min-separation is \"{}\", expected one that leaves pairs among the {} sites", flags.separation, sites.count);
}

void warn_of_rounding(const Session &session, const atp_alignment *data, const Scores *scores) {
  if (data != nullptr) {
    double numbers[ATP_SUMMARY_NUMBERS];
    check(atp_alignment_summary(data, numbers, ATP_SUMMARY_NUMBERS));
    if (numbers[ATP_SUMMARY_VARYING] < 2)
      return session.say("warning: {}, so that no pair of sites has a correlation: pairs are ranked by rounding",
                         numbers[ATP_SUMMARY_VARYING] == 0 ? "all sequences are equal" : "the sequences differ at one site alone");
  }
  if (scores == nullptr || scores->count() < 2) return;
  constexpr double kRounding = 1e-4;  // what a training leaves of differences between equal pairs
  double largest = 0, low = HUGE_VAL, high = -HUGE_VAL;
  for (int64_t k = 0; k < scores->count(); ++k) {
    const int64_t i = scores->first(k), j = scores->second(k);
    const double score = scores->ranking().at(i, j);
    largest = std::fmax(largest, std::fabs(scores->fn.at(i, j)));
    low = std::fmin(low, score);
    high = std::fmax(high, score);
  }
  if (high - low <= kRounding * largest)
    session.say("warning: the scores differ by {:.2g} of {:.2g}, as little as by rounding: the order of the pairs says nothing", high - low,
                largest);
}

std::vector<double> read_distances(const Session &session, const SiteNames &sites, const ScoreFlags &flags) {
  const int64_t L = sites.count, *numbers = sites.numbers;
  Distances read = read_distances(session, "--distances", flags.distances, {L, numbers, sites.total, sites.columns});
  if (read.used == 0)
    wrong_use("--distances {} has {} pairs and none of two sites of the model, expected site numbers within {}..{}", flags.distances,
              read.pairs, *std::min_element(numbers, numbers + L), *std::max_element(numbers, numbers + L));
  session.say("distances: {} of the {} pairs in the file are pairs of sites of the model", read.used, read.pairs);
  const std::vector<double> &distances = read.values;
  if (flags.absent == ATP_ABSENT_EXCLUDED &&
      std::all_of(distances.begin(), distances.end(), [&](double d) { return std::isnan(d) || d < flags.cutoff; }))
    session.say("warning: all distances are below {:g}, so the precision is always 1; if the file lists only contacts, use --absent count",
                flags.cutoff);
  return std::move(read.values);
}

namespace {

// Of the ranked pairs, or of those among them.
std::vector<double> curve_of(const std::vector<int64_t> &pairs, const Precision &j, int64_t sites) {
  const auto count = static_cast<int64_t>(pairs.size() / 2);
  std::vector<double> curve(static_cast<std::size_t>(count));
  if (count > 0)
    check(atp_pairs_precision(pairs.data(), count, j.distances.data(), sites, j.cutoff,
                              j.exclude ? ATP_ABSENT_EXCLUDED : ATP_ABSENT_COUNTED, curve.data()));
  curve.erase(std::find_if(curve.begin(), curve.end(), [](double precision) { return std::isnan(precision); }), curve.end());
  return curve;
}

}  // namespace

double precision_bytes(const ScoreFlags &flags, bool paired) {
  constexpr double kDistance = 8, kCurve = 4, kGroups = 12;  // of half of the cells; a group has its pairs, too
  const bool structure = !flags.structure.file.empty();
  if (!structure && flags.distances.empty()) return 0;
  return kDistance + kCurve + (structure ? kStructureBytes : 0) + (paired || flags.structure.paired ? kGroups : 0);
}

Precision measure_precision(const ScoreFlags &flags, const Scores &s, std::vector<double> distances, SiteDistances structure) {
  Precision j;
  j.sites = s.sites;
  j.cutoff = flags.cutoff;
  j.exclude = flags.absent == ATP_ABSENT_EXCLUDED;
  j.structure = std::move(structure);
  j.distances = distances.empty() ? j.structure.values : std::move(distances);
  if (j.distances.empty()) return j;
  j.curve = curve_of(s.pairs, j, s.sites);
  if (s.border > 0) {
    std::vector<int64_t> within, between;
    for (int64_t k = 0; k < s.count(); ++k) {
      std::vector<int64_t> &group = s.first(k) < s.border && s.second(k) >= s.border ? between : within;
      group.insert(group.end(), {s.first(k), s.second(k)});
    }
    j.within = curve_of(within, j, s.sites);
    j.between = curve_of(between, j, s.sites);
  }
  return j;
}

namespace {

std::string precision_text(const std::vector<double> &curve, int64_t sites) {
  std::string text;
  const std::pair<const char *, int64_t> points[] = {{"L/5", sites / 5}, {"L/2", sites / 2}, {"L", sites}};
  for (const auto &[name, pairs] : points) {
    const auto n = static_cast<std::size_t>(std::max<int64_t>(1, pairs));
    text += fmt::format("{}P@{} ({}) ", text.empty() ? "" : ", ", name, n);
    text += n <= curve.size() ? fmt::format("{:.4f}", curve[n - 1]) : fmt::format("only {} pairs", curve.size());
  }
  return text;
}

}  // namespace

std::vector<std::string> precision_texts(const Precision &p, int64_t sites) {
  std::vector<std::string> texts = {precision_text(p.curve, sites)};
  if (!p.within.empty()) texts.push_back("within proteins: " + precision_text(p.within, sites));
  if (!p.between.empty()) texts.push_back("between proteins: " + precision_text(p.between, sites));
  return texts;
}

std::string parameters(const Scores &s, int64_t separation) {
  return fmt::format("{}, {}, separation >= {}", s.text,
                     !s.corrected ? "no correction"
                     : s.by_norm  ? "average product correction, ranked without it"
                                  : "average product correction",
                     separation);
}

void ScoreFlags::check_values(const CLI::App *app) const {
  structure.check_values(app);
  if (!structure.file.empty() && !distances.empty()) wrong_use("--structure and --distances are both given, expected only one of them");
  if (!structure.file.empty() && absent == ATP_ABSENT_COUNTED)
    wrong_use("--absent is \"count\" with --structure, which does not show some residues; expected exclude");
}

void ScoreFlags::add_ranking(CLI::App *app) {
  static const Words<atp_absent> absents = {{"exclude", ATP_ABSENT_EXCLUDED}, {"count", ATP_ABSENT_COUNTED}};
  app->add_option("--min-separation", separation, "leave out pairs whose site numbers differ by less than N")
      ->transform(count(1))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--distances", distances,
                  fmt::format("distances: rows `i j d` or `i j x d` with site numbers, or an L x L matrix in .npy; adds a column, and the "
                              "precision at L/5, L/2 and L. Rows: {}",
                              kNumbersText))
      ->check(input_file())
      ->type_name("FILE");
  app->add_option("--cutoff", cutoff, "a pair with a distance smaller than D, in angstrom, is a contact")
      ->transform(number(1e-6, 1e6))
      ->type_name("D")
      ->capture_default_str();
  structure.add(app);
  add_choice(app, "--absent", absent, absents, "pairs of unknown distance: exclude them, or count them as no contacts")->type_name("WHAT");
}

void ScoreFlags::add(CLI::App *app) {
  static const Words<bool> orders = {{"apc", false}, {"fn", true}};
  add_ranking(app);
  app->add_option("--top", top, "show only the N best pairs; default: all in the table, L in the picture")
      ->transform(count(1))
      ->type_name("N");
  add_choice(app, "--gauge", gauge, kGauges, "gauge of the couplings before their norm is taken: zero-sum or raw")->type_name("GAUGE");
  add_choice(
      app, "--sort", by_norm, orders,
      "rank pairs by apc (score with average product correction; default) or fn (the score itself). Norms are of beta times the couplings")
      ->type_name("SCORE");
  static const Words<bool> of_gaps = {{"include", true}, {"exclude", false}};
  add_choice(app, "--norm-gap", includes_gap, of_gaps,
             "include the first colour in the norms, or exclude it; default: excluded if the alphabet begins with a gap: - . _ or ~")
      ->type_name("WHAT");
}

// Standard errors of the scores.

namespace {

int64_t integer_of(const atp_options *options, atp_option key) {
  int64_t value = 0;
  check(atp_options_get_i64(options, key, &value));
  return value;
}

double real_of(const atp_options *options, atp_option key) {
  double value = 0;
  check(atp_options_get_f64(options, key, &value));
  return value;
}

// The penalties as they were applied: automatic ones are absolute, others have a scale (atp_l2_scale).
struct Penalties {
  double couplings, fields;
};

Penalties penalties_of(const atp_model *model, const atp_alignment *data, const atp_options *options) {
  const double others = static_cast<double>(atp_model_sites(model) - 1), colors = static_cast<double>(atp_model_colors(model) - 1);
  const auto scale = static_cast<atp_l2_scale>(integer_of(options, ATP_OPT_L2_SCALE));
  const double weight = scale == ATP_L2_WEIGHT ? atp_alignment_effective_count(data) : 1;
  const double pairs = scale == ATP_L2_SITES ? others : scale == ATP_L2_SITES_COLORS ? others * colors : weight;
  const double couplings = real_of(options, ATP_OPT_L2_COUPLINGS), fields = real_of(options, ATP_OPT_L2_FIELDS);
  return {couplings < 0 ? 0.2 * others : pairs * couplings, fields < 0 ? 0.01 : weight * fields};
}

}  // namespace

void require_errors_of(const atp_options *options) {
  if (atp_has_feature("lapack") == 0) wrong_use("--errors is given, and this build has no BLIS and LAPACK, which errors need");
  const int64_t objective = integer_of(options, ATP_OPT_OBJECTIVE);
  if (integer_of(options, ATP_OPT_FAMILY) != ATP_FAMILY_DENSE || (objective != 0 && objective != ATP_OBJECTIVE_PSEUDOLIKELIHOOD))
    wrong_use("--errors is given, expected dense couplings by pseudo-likelihood: errors are those of these alone");
}

void require_errors_of(const Session &session, const atp_model *model, const atp_alignment *data, const atp_options *options) {
  constexpr double kLeast = 1e-6;  // of atp_model_score_errors()
  const Penalties penalties = penalties_of(model, data, options);
  if (std::min(penalties.couplings, penalties.fields) < kLeast)
    wrong_use("--errors is given with penalties of {} on couplings and {} on fields, expected {} or more", penalties.couplings,
              penalties.fields, kLeast);
  const int64_t sequences = atp_alignment_count(data);
  int64_t bytes = 0;
  check(atp_model_score_errors_bytes(session.context.get(), model, sequences, &bytes));
  require_memory(session, static_cast<double>(bytes), fmt::format("--errors of {} sequences (fewer with --rows)", sequences));
}

std::vector<double> score_errors(const Session &session, const atp_model *model, const atp_alignment *data, const atp_options *options,
                                 const ScoreFlags &flags) {
  const int64_t sites = atp_model_sites(model), sequences = atp_alignment_count(data);
  const Penalties penalties = penalties_of(model, data, options);
  const Options bag = Options(session.context, ATP_OWNER_ASYMPTOTICS)
                          .set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE})
                          .set(ATP_OPT_L2_COUPLINGS, penalties.couplings)
                          .set(ATP_OPT_L2_FIELDS, penalties.fields);
  session.say("errors of scores: {} sequences, {} sites", sequences, sites);
  std::vector<double> errors(static_cast<std::size_t>(2 * sites * sites));
  const EndAtOnce at_once("the errors of the scores were not computed");
  check(atp_model_score_errors(session.context.get(), model, data, bag.get(), left_out_of_norms(flags, atp_model_gap_color(model)),
                               errors.data(), 2 * sites * sites));
  return errors;
}

}  // namespace cli
