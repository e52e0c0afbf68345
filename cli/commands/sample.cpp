// SPDX-License-Identifier: MIT
// attopotts sample: sequences from a random or stored Potts model.
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/model_source.hpp"
#include "support/progress_display.hpp"
#include "support/sampling.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kMost = int64_t{1} << 40;

struct SampleFlags {
  ModelFlags source;
  std::string beta, hamming, protocol = "equilibrium", samples = "1000", chains, burn_in, thin, temperatures, beta_hot;
  std::string model_out, output, format;
  CheckpointFlags checkpoint;
};

SamplingPlan make_plan(const SampleFlags &flags) {
  SamplingPlan plan;
  plan.protocol = parse_word("--protocol", flags.protocol, {"equilibrium", "chain"}) == 0 ? Protocol::equilibrium : Protocol::chain;
  const bool equilibrium = plan.protocol == Protocol::equilibrium;
  plan.samples = parse_count("--samples", flags.samples, 1, kMost);
  // Replica exchange is judged by the scatter of ladders: two runs of at least two.
  plan.chains = flags.chains.empty() ? (equilibrium ? 64 : 1) : parse_count("--chains", flags.chains, equilibrium ? 4 : 1, 1 << 24);
  if (!flags.burn_in.empty()) plan.burn_in = parse_count("--burn-in", flags.burn_in, 0, kMost);
  if (!flags.thin.empty()) plan.thin = parse_count("--thin", flags.thin, 1, kMost);
  if (!equilibrium) {
    if (!flags.temperatures.empty()) wrong_use("--temperatures is \"{}\" with --protocol chain, expected equilibrium", flags.temperatures);
    if (!flags.beta_hot.empty()) wrong_use("--beta-hot is \"{}\" with --protocol chain, expected equilibrium", flags.beta_hot);
  }
  if (!flags.temperatures.empty()) plan.temperatures = parse_count("--temperatures", flags.temperatures, 1, 1024);
  if (!flags.beta_hot.empty()) plan.beta_hot = parse_number("--beta-hot", flags.beta_hot, 1e-12, 1e6);
  return plan;
}

// The beta of the flags, or the model's own.
double choose_beta(const Session &session, const SampleFlags &flags, const atp_model *model, SamplingStore &store, int &status) {
  if (!flags.hamming.empty()) {
    const double target = parse_number("--hamming", flags.hamming, 1e-6, 1);
    const std::vector<double> x = store.numbers([&] {
      const TunedBeta found = tune_beta(session, model, target);
      return std::vector<double>{found.beta.value, found.beta.error, found.hamming.value, found.hamming.error, found.converged ? 1.0 : 0.0};
    });
    const TunedBeta tuned{{x[0], x[1]}, {x[2], x[3]}, x[4] != 0};
    session.say("beta {:.5f} +- {:.5f} for a mean Hamming distance of {:.4f} (measured there: {:.4f} +- {:.4f})", tuned.beta.value,
                tuned.beta.error, target, tuned.hamming.value, tuned.hamming.error);
    if (!tuned.converged) {
      session.say("warning: beta was not found in equilibrium; it is the best known");
      status = kNotConverged;
    }
    return tuned.beta.value;
  }
  return flags.beta.empty() ? atp_model_beta(model) : parse_number("--beta", flags.beta, 0, 1e6);
}

void report_run(const Session &session, const SamplingPlan &plan, const SamplingReport &report) {
  if (plan.protocol == Protocol::equilibrium)
    session.say("replica exchange: {} ladders of {} betas from {:.4g} to {:.6g}, smallest exchange rate {:.2f}", plan.chains,
                report.temperatures, report.beta_hot, plan.beta, report.slowest_swap);
  session.say("burn-in {} sweeps, {} sweeps between samples, {} site updates/s", report.burn_in, report.thin,
              short_number(report.updates_per_second));
  if (report.hamming.error > 0)
    session.say("mean Hamming distance {:.4f} +- {:.4f} between independent chains", report.hamming.value, report.hamming.error);
  else
    session.say("mean Hamming distance {:.4f}", report.hamming.value);
  if (report.tau > 0) session.say("integrated autocorrelation time of the energy {:.1f} +- {:.1f} sweeps", report.tau, report.tau_error);
  if (report.rhat > 0) session.say("split R-hat of the energy {:.4f}", report.rhat);
  if (!report.equilibrated) session.say("warning: not equilibrated: {}", report.why);
}

// What the numbers of a run depend on. The model is told by the energies of a few sequences.
std::string settings_of(const Session &session, const SampleFlags &flags, const SamplingPlan &plan, const atp_model *model) {
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model);
  constexpr int64_t kProbes = 4;
  std::vector<uint8_t> probes(static_cast<std::size_t>(kProbes * sites));
  for (int64_t k = 0; k < kProbes * sites; ++k) probes[static_cast<std::size_t>(k)] = static_cast<uint8_t>((k * k + k / 3) % colors);
  double energies[kProbes];
  check(atp_model_energies(model, probes.data(), kProbes, energies));
  return fmt::format(
      "seed {}, {}, beta {}{}, {} samples, {} chains, burn-in {}, thin {}, {} temperatures from {:.17g}, model {} x {} with energies "
      "{:.17g} {:.17g} {:.17g} {:.17g}",
      session.seed, flags.protocol,
      flags.beta.empty() && flags.hamming.empty() ? fmt::format("{:.17g}", atp_model_beta(model)) : flags.beta,
      flags.hamming.empty() ? "" : "for a distance of " + flags.hamming, plan.samples, plan.chains, plan.burn_in, plan.thin,
      plan.temperatures, plan.beta_hot, sites, colors, energies[0], energies[1], energies[2], energies[3]);
}

int run_sample(Session &session, const SampleFlags &flags) {
  if (!flags.beta.empty() && !flags.hamming.empty())
    wrong_use("--beta is \"{}\" and --hamming is \"{}\", expected only one of them", flags.beta, flags.hamming);
  if (flags.source.model.empty() && flags.beta.empty() && flags.hamming.empty())
    wrong_use("--beta is missing, expected --beta B or --hamming D with a random model");
  SamplingPlan plan = make_plan(flags);
  if (!flags.beta.empty()) parse_number("--beta", flags.beta, 0, 1e6);
  if (!flags.hamming.empty()) parse_number("--hamming", flags.hamming, 1e-6, 1);
  const double interval = flags.checkpoint.check_values();
  const atp_format format = output_format(flags.output, flags.format);
  check_writable("--output", flags.output);
  check_writable("--model-out", flags.model_out);
  Checkpoint checkpoint(session, "sample", flags.checkpoint);
  const Model model = make_model(session, flags.source);
  if (format == ATP_FORMAT_FASTA && *atp_model_alphabet(model.get()) == '\0')
    wrong_use("--output {} is FASTA, expected --alphabet with symbols for the {} colours", flags.output, atp_model_colors(model.get()));
  if (plan.protocol == Protocol::equilibrium && atp_model_is_symmetric(model.get()) == 0)
    wrong_use("--protocol is equilibrium but the couplings of {} are not symmetric, expected --protocol chain", flags.source.model);

  int status = kDone;
  checkpoint.read();
  SamplingStore store(session, checkpoint, interval, settings_of(session, flags, plan, model.get()));
  plan.beta = choose_beta(session, flags, model.get(), store, status);
  if (plan.beta_hot >= plan.beta && plan.beta > 0)
    wrong_use("--beta-hot is {:g}, expected less than the target beta {:g}", plan.beta_hot, plan.beta);
  check(atp_model_set_beta(model.get(), plan.beta), "--beta");
  const SamplingReport report = draw(session, model.get(), plan, store);
  report_run(session, plan, report);
  if (!report.equilibrated) status = kNotConverged;

  Alignment data;
  check(atp_alignment_create(session.context.get(), report.sequences.data(), plan.samples, atp_model_sites(model.get()),
                             atp_model_colors(model.get()), nullptr, out(data)));
  if (*atp_model_alphabet(model.get()) != '\0') check(atp_alignment_set_alphabet(data.get(), atp_model_alphabet(model.get())));
  check(atp_alignment_set_sites(data.get(), atp_model_site_numbers_view(model.get()), atp_model_sites(model.get()),
                                atp_model_site_residues(model.get())));
  check(atp_alignment_set_origin(data.get(), (std::string("attopotts ") + atp_version_string() + " " + report.origin).c_str()));
  write_data(session, data.get(), format, flags.output);
  if (!flags.model_out.empty())
    check(atp_model_write(session.context.get(), model.get(), flags.model_out.c_str()), "--model-out " + flags.model_out);
  if (!checkpoint.failure().empty())
    failed("--output {} was written, but the last checkpoint could not be saved: {}", flags.output, checkpoint.failure());
  return status;
}

}  // namespace

void add_sample(Program &program) {
  auto flags = std::make_shared<SampleFlags>();
  CLI::App *app = program.add("sample", "sequences from a random or stored Potts model",
                              "attopotts sample --sites 20 --colors 20 --couplings gaussian --color-matrix gaussian --hamming 0.3 \\\n"
                              "    --samples 6000 --chains 64 -o data.h5 --model-out truth.h5",
                              [flags](Session &session) { return run_sample(session, *flags); });
  flags->source.add(app);
  app->add_option("--beta", flags->beta, "inverse temperature; default with --model: the model's own")->type_name("B");
  app->add_option("--hamming", flags->hamming, "choose beta so that equilibrium samples differ at this fraction of the sites")
      ->type_name("D");
  app->add_option("--protocol", flags->protocol, "equilibrium (replica exchange, checked) or chain (each chain for itself)")
      ->type_name("WHAT")
      ->capture_default_str();
  app->add_option("--samples", flags->samples, "number of sequences")->type_name("M")->capture_default_str();
  app->add_option("--chains", flags->chains, "ladders of equilibrium (default 64) or chains (default 1)")->type_name("N");
  app->add_option("--burn-in", flags->burn_in, "sweeps before the first sample; default: until two runs agree (chain: as --thin)")
      ->type_name("S");
  app->add_option("--thin", flags->thin, "sweeps between samples of a chain; default: until decorrelated (chain: 10000)")->type_name("S");
  app->add_option("--temperatures", flags->temperatures, "rungs of the replica-exchange ladder; default: as many as needed")
      ->type_name("K");
  app->add_option("--beta-hot", flags->beta_hot, "smallest beta of the ladder; default: a tenth of beta")->type_name("B");
  app->add_option("--model-out", flags->model_out, "write the model with its beta")->type_name("FILE");
  app->add_option("-o,--output", flags->output, "the sequences: .h5, .fasta or .txt; -: standard output")->type_name("FILE")->required();
  flags->checkpoint.add(app);
  app->add_option("--format", flags->format, "of the output whatever its name: hdf5, fasta or integers")->type_name("FORMAT");
}

}  // namespace cli
