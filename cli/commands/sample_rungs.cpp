// SPDX-License-Identifier: MIT
#include "commands/sample_rungs.hpp"

#include "flags/validators.hpp"
#include "report/page.hpp"
#include "run/errors.hpp"
#include "run/memory.hpp"
#include "run/model_sequences.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kChainsOfBeta = 16, kRungThin = 4, kMostReads = int64_t{1} << 24;
constexpr int64_t kNoExchange = 1000000000;  // sweeps between exchanges

SamplerRun make_sampler(const Session &session, const RungFlags &flags, const RungPlan &plan, const Model &model) {
  Options options(session.context, ATP_OWNER_SAMPLER);
  const auto rungs = static_cast<int64_t>(flags.betas.size());
  const double interval = session.settings.value(ATP_OPT_SWAP_INTERVAL).value_or(1);
  options.set(ATP_OPT_SEED, session.seed);
  options.set(ATP_OPT_TEMPERATURES, rungs);
  options.set(ATP_OPT_CHAINS, plan.chains.value_or(kChainsOfBeta));
  options.set(ATP_OPT_SWAP_INTERVAL, plan.exchange ? static_cast<int64_t>(interval) : kNoExchange);
  Model warm;  // a sampler of one rung has the beta of its model, one of several some ladder at first
  check(atp_model_copy(session.context.get(), model.get(), out(warm)));
  warm.set_beta(rungs > 1 ? 1 : flags.betas.front());
  SamplerRun sampler = labelled("--betas", [&] { return SamplerRun(session.context, warm, options); });
  labelled("--betas", [&] { sampler.set_betas(flags.betas); });
  return sampler;
}

// P(o) of at most as many rungs as there are colours, from the first to the last.
Chart overlap_chart(const ResultTable &overlaps, int64_t rungs) {
  Chart chart;
  chart.title = "Distribution of overlaps";
  chart.x_label = "overlap of two chains";
  chart.y_label = "density";
  chart.from_zero = true;
  const int64_t bins = overlaps.rows() / rungs, shown = std::min<int64_t>(rungs, kSeriesColors);
  for (int64_t n = 0; n < shown; ++n) {
    const int64_t rung = shown > 1 ? n * (rungs - 1) / (shown - 1) : 0;
    ChartSeries series{
        fmt::format("beta {:.4g}", overlaps(rung * bins, ATP_OVERLAPS_BETA)), Look::line, static_cast<int>(n), {}, {}, {}, {}};
    for (int64_t b = rung * bins; b < (rung + 1) * bins; ++b) {
      series.x.push_back(overlaps(b, ATP_OVERLAPS_OVERLAP));
      series.y.push_back(overlaps(b, ATP_OVERLAPS_DENSITY));
    }
    add_series(chart, std::move(series));
  }
  return chart;
}

ChartSeries against_beta(const ResultTable &rungs, const char *name, int column, int color) {
  ChartSeries series{name, Look::line, color, {}, {}, {}, {}};
  for (int64_t k = 0; k < rungs.rows(); ++k) {
    series.x.push_back(rungs(k, ATP_RUNGS_BETA));
    series.y.push_back(rungs(k, column));
    series.error.push_back(rungs(k, column + 1));
  }
  return series;
}

std::vector<Chart> rung_charts(const ResultTable &rungs, const ResultTable &overlaps) {
  Chart heat, cumulants;
  heat.title = "Specific heat";
  heat.y_label = "beta^2 Var(H) / L";
  heat.from_zero = true;
  cumulants.title = "Binder cumulants";
  cumulants.y_label = "1 - <x^4> / (3 <x^2>^2)";
  for (Chart *chart : {&heat, &cumulants}) chart->x_label = "beta";
  add_series(heat, against_beta(rungs, "specific heat", ATP_RUNGS_SPECIFIC_HEAT, 0));
  add_series(cumulants, against_beta(rungs, "magnetisation", ATP_RUNGS_MAGNETISATION_BINDER, 0));
  add_series(cumulants, against_beta(rungs, "overlap", ATP_RUNGS_OVERLAP_BINDER, 1));
  return {overlap_chart(overlaps, rungs.rows()), heat, cumulants};
}

// One verdict for all rungs.
int judge_rungs(const Session &session, const ResultTable &found) {
  int64_t apart = 0, few = 0;
  for (int64_t k = 0; k < found.rows(); ++k) {
    if (found(k, ATP_RUNGS_OUTCOME) == double{ATP_OUTCOME_CONVERGED}) continue;
    ++(found(k, ATP_RUNGS_RHAT) <= found(k, ATP_RUNGS_RHAT_LIMIT) ? few : apart);
  }
  if (apart > 0)
    session.say(
        "not in equilibrium: on {} of {} rungs chains disagree (rhat above rhat_limit): raise --burn-in, or put betas between and "
        "above where chains forget",
        apart, found.rows());
  if (few > 0)
    session.say(
        "errors are not to be relied on: {} of {} rungs are worth fewer than 400 independent read-outs: raise --reads, --thin or "
        "--chains",
        few, found.rows());
  if (apart + few > 0) return kNotConverged;
  session.say("in equilibrium: chains agree on all {} rungs, which are worth 400 independent read-outs or more", found.rows());
  return kDone;
}

}  // namespace

void RungFlags::add(CLI::App *command) {
  app = command;
  add_list(command, "--betas", betas, 0, 1e6,
           "measure several betas in one run instead of drawing sequences: thermodynamics of each, exchanging between neighbours unless "
           "--protocol chain; a first beta of 0 gives log Z; tables: --rungs, --overlaps");
  command
      ->add_option("--rungs", rungs, "table of --betas: energy, specific heat, magnetisation, overlaps, log Z, entropy, R-hat, with errors")
      ->check(output_file())
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--overlaps", overlaps, "distribution of the overlaps of two chains at each of --betas")
      ->check(output_file())
      ->type_name("FILE");
  command->add_option("--reads", reads, "read-outs of each chain of --betas")
      ->transform(count(16, kMostReads))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--reference", reference,
                   "magnetisation of --betas by the first sequence of a file, too: a ground state, a pattern, a wild type")
      ->check(input_file())
      ->type_name("FILE");
  add_picture(command, picture, "distribution of overlaps, specific heat and Binder cumulants of --betas");
}

void RungFlags::check_use() const {
  for (const char *flag : {"--rungs", "--overlaps", "--reads", "--reference", "--picture"}) needs(app, flag, wanted(), "with --betas");
  if (!wanted()) return;
  for (const char *flag : {"--beta", "--hamming", "--samples", "--output", "--model-out", "--checkpoint", "--resume", "--start", "--fixed",
                           "--allowed", "--max-mutations", "--keep-gaps", "--trajectory", "--forgetting"})
    if (const std::string value = given(app, flag); !value.empty())
      wrong_use("{} is \"{}\" together with --betas, which measures and draws no sequences; expected only one of them", flag, value);
  for (std::size_t k = 1; k < betas.size(); ++k)
    if (betas[k] <= betas[k - 1]) wrong_use("--betas has {:g} after {:g}, expected increasing numbers", betas[k], betas[k - 1]);
  check_picture(picture);
}

std::vector<uint8_t> read_reference(const Session &session, const std::string &path, const Model &model) {
  if (path.empty()) return {};
  ModelSequences read = read_model_sequences(session, "--reference", path, DataFlags(), Rows(), model.get(), SequenceUse::rows);
  read.values.resize(static_cast<std::size_t>(model.sites()));
  return read.values;
}

Table table_of_rungs(const Session &session, const ResultTable &found) {
  const bool has_outcome = found.kind() == ATP_TABLE_RUNGS;
  Table table(session, found.names());
  for (int64_t k = 0; k < found.rows(); ++k) {
    std::vector<std::string> cells;
    for (int column = 0; column < found.columns(); ++column)
      cells.push_back(has_outcome && column == ATP_RUNGS_OUTCOME ? atp_outcome_name(static_cast<int>(found(k, column)))
                                                                 : cell(found(k, column)));
    table.row(cells);
  }
  return table;
}

int measure_rungs(const Session &session, const RungFlags &flags, const RungPlan &plan, const Model &model) {
  const int64_t thin = plan.thin.value_or(kRungThin), burn_in = plan.burn_in.value_or(thin * flags.reads);
  const auto rungs = static_cast<int64_t>(flags.betas.size());
  const double numbers = static_cast<double>(plan.chains.value_or(kChainsOfBeta)) * static_cast<double>(flags.reads);
  require_memory(session, numbers * ((flags.reference.empty() ? 18 : 22) * static_cast<double>(rungs) + 56), "the read-outs");
  SamplerRun sampler = make_sampler(session, flags, plan, model);
  set_reference(sampler, read_reference(session, flags.reference, model));
  {
    Progress progress(session, "burn-in", "sweeps");
    check(atp_sampler_sweep(sampler.get(), burn_in, Progress::callback, &progress, nullptr));
  }
  stop_if_interrupted();
  const int64_t sites = model.sites(), width = 1 + sites / 128;
  const ResultTable found(session.context, ATP_TABLE_RUNGS, rungs);
  const ResultTable overlaps(session.context, ATP_TABLE_OVERLAPS, rungs * ((sites + width) / width));
  {
    Progress progress(session, "measure", "sweeps");
    labelled("--chains", [&] {
      check(atp_sampler_measure(sampler.get(), flags.reads, thin, found.get(), overlaps.get(), Progress::callback, &progress));
    });
  }
  stop_if_interrupted();
  table_of_rungs(session, found).write(session, flags.rungs);
  if (!flags.overlaps.empty()) table_of_rungs(session, overlaps).write(session, flags.overlaps);
  write_picture(session, flags.picture, {fmt::format("{} sites, {} colours, {} rungs", sites, model.colors(), rungs)},
                rung_charts(found, overlaps));
  return judge_rungs(session, found);
}

}  // namespace cli
