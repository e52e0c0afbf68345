// SPDX-License-Identifier: MIT
#include "flags/pair_flags.hpp"

#include "run/files.hpp"
#include "run/memory.hpp"
#include "run/signals.hpp"
#include "run/training.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cli {

std::map<int64_t, int64_t> sites_by_number(const atp_alignment *data) {
  std::map<int64_t, int64_t> sites;
  const int64_t *numbers = atp_alignment_site_numbers_view(data);
  for (int64_t i = 0; i < atp_alignment_sites(data); ++i) sites[numbers[i]] = i;
  return sites;
}

namespace {

using Pairs = std::vector<int64_t>;

// The columns i and j: by their names, or where there are none in this order, as the lines `i j`.
std::array<std::size_t, 2> pair_columns(const std::string &place, const SideTable &table) {
  if (!table.columns.empty()) {
    const int64_t i = table.find({"i"}), j = table.find({"j"});
    if (i < 0 || j < 0)
      wrong_use("{} names its columns {}, expected i and j among them, or no names", place,
                printable(fmt::format("{}", fmt::join(table.columns, ", "))));
    return {static_cast<std::size_t>(i), static_cast<std::size_t>(j)};
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (const std::size_t n = table.rows[r].size(); n != 2)
      wrong_use(
          "{}: line {} has {} columns, expected 2: the numbers of two sites; other columns need a first line of names with i and j among "
          "them",
          place, table.lines[r], n);
  return {0, 1};
}

// 11, or 1.1e+01 as numpy.savetxt writes it.
int64_t site_number(const std::string &place, const std::string &cell) {
  constexpr int64_t most = int64_t{1} << 53;
  int64_t number = 0;
  if (!read_count(cell, -most, most, number).empty()) wrong_use("{} has \"{}\", expected the number of a site", place, printable(cell));
  return number;
}

Pairs read_pairs(const Session &session, const atp_alignment *data, const std::string &path) {
  const std::string name = "--pairs " + path;
  const SideTable table = read_side_table(session, "--pairs", path, ATP_CELLS_NUMBERS);
  const std::array<std::size_t, 2> columns = pair_columns(name, table);
  const std::map<int64_t, int64_t> sites = sites_by_number(data);
  std::map<std::pair<int64_t, int64_t>, int64_t> lines;
  Pairs pairs;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string place = fmt::format("{}: line {}", name, table.lines[r]);
    int64_t numbers[2], pair[2];
    for (int k = 0; k < 2; ++k) {
      numbers[k] = site_number(place, table.rows[r][columns[static_cast<std::size_t>(k)]]);
      const auto site = sites.find(numbers[k]);
      if (site == sites.end())
        wrong_use("{} has site {}, which DATA does not have, expected site numbers within {}..{}", place, numbers[k], sites.begin()->first,
                  sites.rbegin()->first);
      pair[k] = site->second;
    }
    if (pair[0] == pair[1]) wrong_use("{} pairs site {} with itself, expected two sites", place, numbers[0]);
    const auto [known, is_new] = lines.emplace(std::minmax(pair[0], pair[1]), table.lines[r]);
    if (!is_new) wrong_use("{} has the pair {} {} of line {} again, expected each pair once", place, numbers[0], numbers[1], known->second);
    pairs.insert(pairs.end(), {pair[0], pair[1]});
  }
  if (pairs.empty()) wrong_use("{} has no pairs, expected lines with the numbers of two sites", name);
  return pairs;
}

// Distances between all sites of DATA, NaN where they are not known.
std::vector<double> distances_of(const Session &session, const atp_alignment *data, const std::string &path) {
  require_pair_tables(session, atp_alignment_sites(data), sizeof(double));
  Distances read = read_distances(session, "--pairs-from", path,
                                  {atp_alignment_sites(data), atp_alignment_site_numbers_view(data), atp_alignment_total_columns(data),
                                   atp_alignment_columns_view(data)});
  session.say("--pairs-from: {} of the {} pairs in the file are pairs of sites of DATA", read.used, read.pairs);
  return std::move(read.values);
}

Pairs near_pairs(const std::vector<double> &distances, int64_t sites, double cutoff, const std::string &path) {
  Pairs pairs;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j)
      if (distances[static_cast<std::size_t>(i * sites + j)] < cutoff) pairs.insert(pairs.end(), {i, j});
  if (pairs.empty()) wrong_use("--pairs-from {} has no pair of sites of DATA below {:g}, expected at least one", path, cutoff);
  return pairs;
}

// The best k L pairs by the corrected Frobenius norm of couplings of all pairs.
Pairs best_pairs(const Session &session, const atp_alignment *data, const atp_options *options, double times) {
  const EndAtOnce nothing_to_save;
  RunPlan plan;
  plan.model = true;
  constexpr double kTables = 3 * sizeof(double);  // norms, scores and the ranked half
  require_pair_tables(session, atp_alignment_sites(data), kTables);
  require_memory(session, forecast_memory(session, data, options, plan).more, "--pairs: trainer and model of all pairs");
  Trainer trainer = make_trainer(session, data, options, {});
  TrainingJob job;
  job.task = "first pass";
  EpochLog log;
  const atp_outcome outcome = train(session, trainer.get(), job, log);
  Model model;
  check(atp_trainer_model(trainer.get(), out(model)));
  trainer = Trainer();
  const int64_t L = atp_model_sites(model.get()), all = L * (L - 1) / 2;
  const int64_t wanted = std::clamp<int64_t>(std::llround(times * static_cast<double>(L)), 1, all);
  std::vector<double> norms(static_cast<std::size_t>(L * L)), scores(norms.size());
  check(atp_model_frobenius(session.context.get(), model.get(), ATP_SCORE_ZERO_SUM, atp_model_gap_color(model.get()), norms.data(), L * L));
  check(atp_scores_apc(norms.data(), L, scores.data(), L * L));
  Pairs pairs(static_cast<std::size_t>(2 * all));
  int64_t count = 0;
  const int64_t rule[] = {1, 0};
  check(atp_scores_rank(scores.data(), L, atp_model_site_numbers_view(model.get()), rule, pairs.data(), all, &count));
  pairs.resize(static_cast<std::size_t>(2 * std::min(wanted, count)));
  session.say("first pass: {} after {}{}", atp_outcome_name(outcome), counted(log.empty() ? 0 : log.back().epoch, "epoch"),
              ways_out(atp_outcome_name(outcome), {{ATP_OUTCOME_MAX_ITER, "raise --epochs or loosen --tolerance"},
                                                   {ATP_OUTCOME_STALLED, "loosen --tolerance"},
                                                   {ATP_OUTCOME_DIVERGED, "raise the penalties"}}));
  return pairs;
}

}  // namespace

void PairFlags::add(CLI::App *app, bool own_cutoff) {
  const auto read = [](const std::string &text, double &times) {
    return is_number(text) ? read_number(text, 1e-3, 1e5, times) : std::string();
  };
  const auto check = [read](const std::string &text) {
    double unused = 0;
    return read(text, unused);
  };
  const auto store = [this, read](const std::string &text) {
    double times = 0;
    list = is_number(text) ? "" : text;
    top.reset();
    if (list.empty() && read(text, times).empty()) top = times;
  };
  add_checked(
      app, "--pairs",
      "dense couplings only: couple only the pairs of sites in this file: two site numbers a line, or a table with columns i and j. "
      "A number K: only the best K L pairs of a first pass with all pairs",
      CLI::Validator(check, ""), store)
      ->check(input_file({"0"}))
      ->type_name("FILE");
  app->add_option(
         "--pairs-from", from,
         "dense couplings only: couple only the pairs of sites with a distance below --cutoff; the file is as for --distances, or a "
         "structure (.pdb, .ent, .cif, .mmcif, also with .gz)")
      ->check(input_file())
      ->type_name("FILE");
  if (own_cutoff)
    app->add_option("--cutoff", cutoff,
                    fmt::format("with --pairs-from: pairs with a distance smaller than D; default {:g}", kContactCutoff))
        ->transform(number(1e-6, 1e6))
        ->type_name("D");
}

void PairFlags::check_values(const CLI::App *app, bool dense) const {
  std::string before;
  for (const char *flag : {"--pairs", "--pairs-from"}) {
    needs(app, flag, dense, "with --family dense");
    if (given(app, flag).empty()) continue;
    if (!before.empty()) wrong_use("{} and {} are both given, expected only one of them", before, flag);
    before = flag;
  }
}

std::vector<int64_t> PairFlags::choose(const Session &session, const atp_alignment *data, const atp_options *options) const {
  if (!wanted()) return {};
  const int64_t L = atp_alignment_sites(data);
  Pairs pairs;
  if (!list.empty()) pairs = read_pairs(session, data, list);
  if (!from.empty()) {
    const std::optional<std::vector<double>> measured = structure ? structure(session, data, from) : std::nullopt;
    pairs = near_pairs(measured ? *measured : distances_of(session, data, from), L, cutoff.value_or(kContactCutoff), from);
  }
  if (top) pairs = best_pairs(session, data, options, *top);
  session.say("couplings of {} of the {} pairs of sites", pairs.size() / 2, L * (L - 1) / 2);
  return pairs;
}

Trainer make_trainer(const Session &session, const atp_alignment *data, const atp_options *options, const std::vector<int64_t> &pairs) {
  Trainer trainer;
  atp_context *context = session.context.get();
  const int64_t n = static_cast<int64_t>(pairs.size() / 2);
  check(n == 0 ? atp_trainer_create(context, data, options, out(trainer))
               : atp_trainer_create_pairs(context, data, options, pairs.data(), n, out(trainer)));
  return trainer;
}

}  // namespace cli
