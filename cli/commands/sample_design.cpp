// SPDX-License-Identifier: MIT
#include "commands/sample_design.hpp"

#include "flags/validators.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "run/model_sequences.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kForgettingLadders = 64, kForgettingReads = 16;
// Sweeps before the first of the independent sequences: from the first number up to the last one, or as many as the walks have.
constexpr int64_t kFirstBurnIn = 256, kBurnInFactor = 8, kLongestBurnIn = 8192;

// The sites of a model by their numbers.
class NumberedSites {
 public:
  explicit NumberedSites(const atp_model *model) : numbers_(static_cast<std::size_t>(atp_model_sites(model))) {
    const int64_t *view = atp_model_site_numbers_view(model);
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = view == nullptr ? static_cast<int64_t>(i) + 1 : view[i];
  }
  int64_t number(int64_t site) const { return numbers_[static_cast<std::size_t>(site)]; }
  // Sites of "12" or "12-15": all of the model with numbers in this range; both ends must be sites.
  std::vector<int64_t> listed(const std::string &flag, const std::string &text) const {
    const std::size_t dash = text.find('-', 1);
    const int64_t first = site(flag, text.substr(0, dash)), last = dash == std::string::npos ? first : site(flag, text.substr(dash + 1));
    if (last < first) wrong_use("{} has \"{}\", expected the first site before the last", flag, printable(text));
    std::vector<int64_t> sites;
    for (int64_t i = first; i <= last; ++i) sites.push_back(i);
    return sites;
  }

 private:
  int64_t site(const std::string &flag, const std::string &text) const {
    int64_t number = 0;
    if (!read_count(text, -(int64_t{1} << 40), int64_t{1} << 40, number).empty())
      wrong_use("{} has \"{}\", expected the number of a site", flag, printable(text));
    const auto found = std::find(numbers_.begin(), numbers_.end(), number);
    if (found == numbers_.end())
      wrong_use("{} has site {}, expected a site of the model: {} sites with numbers {}..{}", flag, number, numbers_.size(),
                numbers_.front(), numbers_.back());
    return found - numbers_.begin();
  }
  std::vector<int64_t> numbers_;
};

std::vector<std::string> parts_of(const std::string &text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// Leaves a site only some of its colours.
void narrow(SamplingLimits &limits, int64_t site, int64_t colors, const std::vector<uint8_t> &allowed) {
  uint8_t *of_site = limits.allowed.data() + site * colors;
  for (int64_t c = 0; c < colors; ++c)
    if (std::find(allowed.begin(), allowed.end(), static_cast<uint8_t>(c)) == allowed.end()) of_site[c] = 0;
}

void read_starts(const Session &session, const DesignFlags &flags, const Model &model, Design &design) {
  const ModelSequences read = read_model_sequences(session, "--start", flags.start, DataFlags(), Rows(), model.get(), SequenceUse::rows);
  design.limits.starts = read.values;
  const int64_t L = model.sites();
  for (int64_t n = 0; n < read.count(); ++n) {
    const std::string name = atp_alignment_name(read.data.get(), n);
    design.names.push_back(name.empty() ? fmt::format("{}", n + 1) : name);
    for (int64_t i = 0; i < L; ++i)
      if (read.row(n)[i] == ATP_MISSING)
        wrong_use("--start {}: {} has a gap at site {}, expected one of the {} colours of the model, which has no gap", flags.start,
                  printable(design.names.back()), NumberedSites(model.get()).number(i), model.colors());
  }
}

void fix_sites(const DesignFlags &flags, const Model &model, Design &design) {
  const NumberedSites sites(model.get());
  const int64_t L = model.sites();
  const std::vector<uint8_t> &starts = design.limits.starts;
  if (starts.empty()) wrong_use("--fixed is \"{}\", expected --start FILE: the sites keep its colours", printable(flags.fixed));
  for (const std::string &part : parts_of(flags.fixed))
    for (const int64_t i : sites.listed("--fixed", part)) {
      const uint8_t color = starts[static_cast<std::size_t>(i)];
      for (std::size_t n = 1; n < design.names.size(); ++n)
        if (const uint8_t other = starts[n * static_cast<std::size_t>(L) + static_cast<std::size_t>(i)]; other != color)
          wrong_use("--fixed has site {}, where the sequences of --start differ: {} in {} and {} in {}, expected one colour",
                    sites.number(i), color_name(model.get(), color), printable(design.names[0]), color_name(model.get(), other),
                    printable(design.names[n]));
      narrow(design.limits, i, model.colors(), {color});
    }
}

void allow_colors(const DesignFlags &flags, const Model &model, Design &design) {
  const NumberedSites sites(model.get());
  const std::string alphabet = atp_model_alphabet(model.get());
  if (alphabet.empty())
    wrong_use("--allowed is \"{}\", expected --alphabet with symbols for the colours of the model", printable(flags.allowed));
  for (const std::string &part : parts_of(flags.allowed)) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || colon + 1 == part.size())
      wrong_use("--allowed has \"{}\", expected SITE:SYMBOLS, for example 12:ILV or 12-15:DE", printable(part));
    std::vector<uint8_t> colors;
    for (const char symbol : part.substr(colon + 1)) {
      const std::size_t color = alphabet.find(symbol);
      if (color == std::string::npos) wrong_use("--allowed has \"{}\", expected symbols of the model: {}", printable(part), alphabet);
      colors.push_back(static_cast<uint8_t>(color));
    }
    for (const int64_t i : sites.listed("--allowed", part.substr(0, colon))) {
      narrow(design.limits, i, model.colors(), colors);
      const auto from = design.limits.allowed.begin() + i * model.colors();
      if (std::count(from, from + model.colors(), 1) == 0)
        wrong_use("--allowed has \"{}\", expected one of the colours that {} leaves at site {}", printable(part),
                  flags.fixed.empty() ? "the list before it" : "--fixed", sites.number(i));
    }
  }
}

// The first site at which a start is outside, with its own name.
void check_starts(const Design &design, const Model &model) {
  const NumberedSites sites(model.get());
  const int64_t L = model.sites(), q = model.colors();
  const SamplingLimits &limits = design.limits;
  for (std::size_t k = 0; k < limits.starts.size() && !limits.allowed.empty(); ++k) {
    const auto site = static_cast<int64_t>(k) % L;
    if (limits.allowed[static_cast<std::size_t>(site * q + limits.starts[k])] == 0)
      wrong_use("--start: {} has {} at site {}, expected a colour that --allowed has there",
                printable(design.names[k / static_cast<std::size_t>(L)]), color_name(model.get(), limits.starts[k]), sites.number(site));
  }
}

}  // namespace

void DesignFlags::add(CLI::App *app) {
  app->add_option("--start", start,
                  "sequences where chains start, in turn: with --protocol chain, or one for --max-mutations, --keep-gaps, --fixed")
      ->check(input_file())
      ->type_name("FILE");
  app->add_option("--fixed", fixed, "sites that keep the colour of --start, by their numbers: 12,15-20")->type_name("SITES");
  app->add_option("--allowed", allowed, "symbols that sites may have: 12:ILV,15-20:DE")->type_name("LIST");
  app->add_option("--max-mutations", max_mutations, "sequences differ from their start at no more than K sites")
      ->transform(count(1, 1 << 30))
      ->type_name("K");
  app->add_flag("--keep-gaps", keep_gaps, "gaps stay where --start has them, and come nowhere else");
  app->add_option("--trajectory", trajectory,
                  "walks of the chains as a table: chain, start, sweep, mutations from the start, energy, sequence; with --protocol chain; "
                  "--burn-in is then 0 and --thin 1 unless given")
      ->check(output_file())
      ->type_name("FILE");
  app->add_option("--forgetting", forgetting,
                  "overlap with --start against sweeps, the plateau of independent sequences, and the fitted time, as a table; defaults as "
                  "with --trajectory")
      ->check(output_file())
      ->type_name("FILE");
}

std::string DesignFlags::text() const {
  std::string text;
  for (const auto &[name, value] : {std::pair{"start", start}, {"fixed", fixed}, {"allowed", allowed}})
    if (!value.empty()) text += fmt::format(", {} {}", name, value);
  if (max_mutations) text += fmt::format(", at most {} mutations", *max_mutations);
  return text + (keep_gaps ? ", gaps kept" : "");
}

Design read_design(const Session &session, const DesignFlags &flags, const Model &model, atp_protocol protocol) {
  const bool chain = protocol == ATP_PROTOCOL_CHAIN, keeps = flags.keep_gaps || session.settings.has(ATP_OPT_KEPT_COLOR),
             of_start = flags.max_mutations || keeps;
  for (const auto &[flag, path] : {std::pair{"--trajectory", flags.trajectory}, {"--forgetting", flags.forgetting}})
    if (!path.empty() && (!chain || model.is_ordered()))
      wrong_use("{} is {}, expected --protocol chain and a Potts model: replica exchange and autoregressive models have no walks", flag,
                path);
  if (!flags.forgetting.empty() && atp_model_is_symmetric(model.get()) == 0)
    wrong_use("--forgetting is {} but the couplings of the model are not symmetric, expected a model with an equilibrium to compare with",
              flags.forgetting);
  if (flags.start.empty() && (of_start || !flags.forgetting.empty()))
    wrong_use("--start is missing, expected a file with {}",
              of_start ? "the sequence to stay near" : "the sequences that --forgetting compares with");
  Design design;
  if (!flags.start.empty()) read_starts(session, flags, model, design);
  if (!flags.start.empty() && !chain && !of_start && flags.fixed.empty())
    wrong_use(
        "--start is {} with --protocol equilibrium, expected --protocol chain, or --max-mutations, --keep-gaps or --fixed: samples in "
        "equilibrium do not depend on a start",
        flags.start);
  if (of_start && (!chain || !flags.forgetting.empty()) && design.names.size() != 1)
    wrong_use("--start {} has {} sequences, expected 1: sequences near different starts have no common equilibrium", flags.start,
              design.names.size());
  const auto L = static_cast<std::size_t>(model.sites()), q = static_cast<std::size_t>(model.colors());
  if (!flags.fixed.empty() || !flags.allowed.empty()) design.limits.allowed.assign(L * q, 1);
  if (!flags.fixed.empty()) fix_sites(flags, model, design);
  if (!flags.allowed.empty()) allow_colors(flags, model, design);
  design.limits.max_mutations = flags.max_mutations.value_or(0);
  if (keeps)
    design.limits.kept_color =
        flags.keep_gaps ? atp_model_gap_color(model.get()) : static_cast<int64_t>(session.settings.value(ATP_OPT_KEPT_COLOR).value_or(-1));
  if (flags.keep_gaps && design.limits.kept_color < 0) wrong_use("--keep-gaps is given, expected a model with a gap");
  const auto is_free = [&](std::size_t i) {
    const auto from = design.limits.allowed.begin() + static_cast<std::ptrdiff_t>(i * q);
    return std::count(from, from + static_cast<std::ptrdiff_t>(q), 1) > 1;
  };
  bool any_free = design.limits.allowed.empty();
  for (std::size_t i = 0; i < L && !any_free; ++i) any_free = is_free(i);
  if (!any_free) wrong_use("--fixed and --allowed leave every site one colour, expected a site with several");
  // Equilibrium and autoregressive models take of a start only what these flags say.
  if ((!chain && !of_start) || model.is_ordered()) design.limits.starts.clear();
  check_starts(design, model);
  return design;
}

Alignment named_after_starts(const Session &session, Alignment drawn, const Design &design, int64_t chains) {
  if (design.limits.starts.empty()) return drawn;
  const auto first = static_cast<std::size_t>(session.settings.value(ATP_OPT_FIRST_CHAIN).value_or(0));
  std::vector<std::string> names(static_cast<std::size_t>(drawn.count()));
  for (std::size_t m = 0; m < names.size(); ++m) {
    const std::size_t chain = first + m % static_cast<std::size_t>(chains);
    names[m] = fmt::format("{}/sample_{}", design.names[chain % design.names.size()], m + 1);
  }
  return labelled("--start", [&] { return drawn.rename(session.context, names); });
}

void write_trajectory(const Session &session, const std::string &path, const SamplingRun &run, const Design &design, const Model &model) {
  const std::vector<double> rows = run.trajectory().values();
  const std::vector<uint8_t> sequences = run.sequences();
  const auto L = static_cast<std::size_t>(model.sites());
  const bool symbols = *atp_model_alphabet(model.get()) != '\0';
  Table table(session, {"chain", "start", "sweep", "mutations", "energy", "sequence"});
  for (std::size_t m = 0; m * ATP_TRAJECTORY_COLUMNS < rows.size(); ++m) {
    const double *row = rows.data() + m * ATP_TRAJECTORY_COLUMNS;
    const auto chain = static_cast<std::size_t>(row[ATP_TRAJECTORY_CHAIN]);
    std::string sequence;
    for (std::size_t i = 0; i < L; ++i) sequence += (symbols || i == 0 ? "" : " ") + color_name(model.get(), sequences[m * L + i]);
    table.row({cell(row[ATP_TRAJECTORY_CHAIN]), design.names.empty() ? "" : design.names[chain % design.names.size()],
               cell(row[ATP_TRAJECTORY_SWEEP]), cell(row[ATP_TRAJECTORY_MUTATIONS]), cell(row[ATP_TRAJECTORY_ENERGY]), sequence});
  }
  table.write(session, path);
}

namespace {

// Independent sequences by replica exchange, with longer burn-ins until its tests find no difference. Stores the last burn-in.
SamplingReport draw_independent(const Session &session, const SamplingPlan &walks, const Model &model, int64_t &burn_in) {
  SamplingPlan plan = walks;
  plan.protocol = ATP_PROTOCOL_EQUILIBRIUM;
  plan.chains = kForgettingLadders;
  plan.samples = kForgettingReads * plan.chains;
  plan.thin = 0;
  plan.own_settings = true;
  if (plan.limits.max_mutations == 0 && plan.limits.kept_color < 0) plan.limits.starts.clear();
  const int64_t rounds = (walks.samples + walks.chains - 1) / walks.chains;
  const int64_t longest = std::max(kLongestBurnIn, walks.burn_in + walks.thin * rounds);
  session.say("the plateau: {} independent sequences by replica exchange", plan.samples);
  for (burn_in = kFirstBurnIn;; burn_in = std::min(kBurnInFactor * burn_in, longest)) {
    plan.burn_in = burn_in;
    SamplingReport drawn = draw(session, model.get(), plan);
    if (drawn.equilibrated || burn_in == longest) return drawn;
  }
}

}  // namespace

namespace {

std::string forgotten_after(double sweeps, double error) {
  if (sweeps < 1) return "less than 1";
  return std::isnan(error) ? fmt::format("{:.4g}", sweeps) : fmt::format("{:.4g} +- {:.2g}", sweeps, error);
}

}  // namespace

bool write_forgetting(const Session &session, const std::string &path, const SamplingRun &run, const SamplingPlan &plan,
                      const Model &model) {
  int64_t burn_in = 0;
  const SamplingReport drawn = draw_independent(session, plan, model, burn_in);
  const std::vector<uint8_t> sequences = drawn.data.sequences().vector();
  const ResultTable found = run.forgetting(sequences);
  const std::vector<double> rows = found.values();
  std::vector<std::string> names;
  for (int k = 0; k < ATP_FORGETTING_COLUMNS; ++k) names.emplace_back(atp_column_name(ATP_TABLE_FORGETTING, k));
  Table table(session, names);
  for (std::size_t r = 0; r < rows.size(); r += ATP_FORGETTING_COLUMNS) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < ATP_FORGETTING_COLUMNS; ++c) cells.push_back(cell(rows[r + c]));
    table.row(cells);
  }
  table.write(session, path);
  const double *last = rows.data() + rows.size() - ATP_FORGETTING_COLUMNS;
  const std::string exponent =
      std::isnan(last[ATP_FORGETTING_EXPONENT_ERROR])
          ? ""
          : fmt::format(" (exponent {:.3f} +- {:.3f})", last[ATP_FORGETTING_EXPONENT], last[ATP_FORGETTING_EXPONENT_ERROR]);
  if (std::isfinite(last[ATP_FORGETTING_TIME]))
    session.say(
        "the start is forgotten after {} sweeps: then 1/e of the excess of the overlap over {:.4f} +- {:.4f} of "
        "independent sequences is left{}",
        forgotten_after(last[ATP_FORGETTING_TIME], last[ATP_FORGETTING_TIME_ERROR]), last[ATP_FORGETTING_PLATEAU],
        last[ATP_FORGETTING_PLATEAU_ERROR], exponent);
  else
    session.say(
        "the start is not forgotten after {:.0f} sweeps: the overlap is {:.4f} +- {:.4f}, that of independent sequences {:.4f} +- "
        "{:.4f}; raise --thin or --samples",
        last[ATP_FORGETTING_SWEEP], last[ATP_FORGETTING_OVERLAP], last[ATP_FORGETTING_OVERLAP_ERROR], last[ATP_FORGETTING_PLATEAU],
        last[ATP_FORGETTING_PLATEAU_ERROR]);
  if (!drawn.equilibrated)
    session.say("warning: the plateau was not reached in {} sweeps of replica exchange, which longer walks raise (--samples): {}", burn_in,
                drawn.why);
  return drawn.equilibrated;
}

}  // namespace cli
