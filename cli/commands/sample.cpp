// SPDX-License-Identifier: MIT
// attopotts sample: sequences from a random or stored Potts model.
#include "commands/commands.hpp"
#include "commands/sample_design.hpp"
#include "commands/sample_model.hpp"
#include "commands/sample_rungs.hpp"
#include "run/errors.hpp"
#include "run/files.hpp"
#include "run/model_tables.hpp"
#include "run/progress_display.hpp"
#include "run/sampling.hpp"
#include "flags/validators.hpp"
#include "run/session.hpp"
#include "run/signals.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>

namespace cli {

namespace {

// The model to sample from: a file, or a random model, of which couplings or colour matrix may come from files.
struct ModelFlags {
  std::string model, couplings, color_matrix, alphabet, lattice, size, fields;
  std::optional<int64_t> sites, colors;
  const CLI::App *app = nullptr;
  void add(CLI::App *command);
};

constexpr int64_t kMostSites = 1 << 16;

constexpr double kLargestNumber = 1e100;  // of a model

// Fails where a matrix has a number that no model may have.
void require_numbers(const std::string &flag, const std::string &path, const Matrix &matrix) {
  for (std::size_t k = 0; k < matrix.values.size(); ++k)
    if (std::fabs(matrix.values[k]) > kLargestNumber)
      wrong_use("{} {} has {:g} at row {}, column {}, expected at most {:g} in magnitude", flag, path, matrix.values[k],
                k / static_cast<std::size_t>(matrix.size), k % static_cast<std::size_t>(matrix.size), kLargestNumber);
}

// The size that a flag or a matrix file gives; both must agree.
int64_t size_of(const char *flag, std::optional<int64_t> given, const Matrix &matrix, int64_t highest) {
  if (given) return *given;
  if (matrix.size == 0) wrong_use("{} is missing, expected --model FILE or --sites, --colors, --couplings and --color-matrix", flag);
  if (matrix.size < 2 || matrix.size > highest)
    wrong_use("{} from the size of the matrix is {}, expected 2..{}", flag, matrix.size, highest);
  return matrix.size;
}

// couplings: the file of --couplings, or nothing.
Model random_model(const Session &session, const ModelFlags &flags, const InputFile &couplings) {
  const std::string couplings_name = flags.couplings.empty() ? "gaussian" : flags.couplings;
  const bool couplings_file = couplings_name != "gaussian" && couplings_name != "contacts";
  // With a J from a file the default colour matrix is the identity, which is not random.
  const std::string colors_name = !flags.color_matrix.empty() ? flags.color_matrix : couplings_file ? "identity" : "gaussian";
  const bool colors_file = colors_name != "gaussian" && colors_name != "identity" && colors_name != "ising";
  if (const std::vector<std::string> bonds = bond_words(); couplings_file && std::count(bonds.begin(), bonds.end(), couplings_name) > 0)
    wrong_use("--couplings is \"{}\", expected only with --lattice", couplings_name);
  Matrix maps, values;
  if (couplings_file) maps = symmetric_matrix_in(couplings, flags.sites.value_or(0));
  if (colors_file) values = read_symmetric_matrix(session, "--color-matrix", colors_name, flags.colors.value_or(0));
  require_numbers("--couplings", couplings_name, maps);
  require_numbers("--color-matrix", colors_name, values);
  const int64_t sites = size_of("--sites", flags.sites, maps, kMostSites), colors = size_of("--colors", flags.colors, values, 255);
  for (int64_t i = 0; i < maps.size; ++i)
    if (maps.values[static_cast<std::size_t>(i * (sites + 1))] != 0)
      wrong_use("--couplings {} has {:g} at row {}, column {}, expected a zero diagonal", couplings_name,
                maps.values[static_cast<std::size_t>(i * (sites + 1))], i, i);
  const auto source_text = [](const std::string &name, bool file) { return file ? "from " + name : name; };
  if (couplings_file || colors_file)
    session.say("{} sites, couplings J: {}; {} colours, colour matrix U: {}{}", sites, source_text(couplings_name, couplings_file), colors,
                source_text(colors_name, colors_file),
                couplings_file && flags.color_matrix.empty() ? " (the default with a file of J)" : "");
  Model model =
      Model::random(session.context, sites, colors, couplings_name == "contacts" ? ATP_COUPLINGS_CONTACTS : ATP_COUPLINGS_GAUSSIAN,
                    colors_name == "identity" ? ATP_COLOR_MATRIX_IDENTITY
                    : colors_name == "ising"  ? ATP_COLOR_MATRIX_ISING
                                              : ATP_COLOR_MATRIX_GAUSSIAN,
                    session.seed);
  if (!couplings_file && !colors_file) return model;
  return Model::heads(session.context, sites, colors, 1, couplings_file ? maps.values : model.maps(),
                      colors_file ? values.values : model.values());
}

// The model of --model. A matrix in a .npy file is a J without a U, which --couplings reads.
Model stored_model(const Session &session, const std::string &path, const std::string &alphabet) {
  const InputFile file = open_input(session, "--model", path);
  int64_t shape[ATP_ARRAY_DIMENSIONS], dimensions = 0;
  if (file.kind() == "npy" && atp_input_array_shape(file.handle.get(), shape, ATP_ARRAY_DIMENSIONS, &dimensions) == ATP_OK &&
      dimensions == 2)
    wrong_use(
        "--model {} is a matrix of {} x {}, expected a model. For couplings J_ij use --couplings {} --colors Q; for couplings C_ij(a, b) "
        "save an array of shape (L, L, q, q)",
        path, shape[0], shape[1], path);
  return read_model(session, file, alphabet);
}

void ModelFlags::add(CLI::App *command) {
  app = command;
  command->add_option("--model", model, "sample from the model in FILE instead of a random model")->check(input_file())->type_name("FILE");
  command->add_option("--sites", sites, "number of sites of a random model")->transform(count(2, kMostSites))->type_name("L");
  command->add_option("--colors", colors, "number of colours of a random model")->transform(count(2, 255))->type_name("Q");
  command
      ->add_option("--couplings", couplings,
                   fmt::format("couplings J_ij of a random model: gaussian (default), contacts (few pairs, positive), or a file with a "
                               "symmetric L x L matrix: {}; or a table i,j,J or i,j,a,b,J of pairs of sites (from 0). With --lattice: "
                               "ferromagnet (default), antiferromagnet, plus-minus or gaussian",
                               kNumbersText))
      ->check(input_file({"gaussian", "contacts", "ferromagnet", "antiferromagnet", "plus-minus"}))
      ->type_name("WHAT");
  command
      ->add_option("--color-matrix", color_matrix,
                   fmt::format("colour matrix U_ab: gaussian (default), identity (default with a file of --couplings and with --lattice), "
                               "ising (1 for a = b, -1 otherwise), or a file with a symmetric q x q matrix: {}",
                               kNumbersText))
      ->check(input_file({"gaussian", "identity", "ising"}))
      ->type_name("WHAT");
  command
      ->add_option(
          "--lattice", lattice,
          "a model on a lattice or random graph: square, cubic, triangular, bethe or erdos-renyi; --set boundary=open, --set degree=C")
      ->check(one_of(names_of(words_of_option<int64_t>(ATP_OWNER_LATTICE, ATP_OPT_LATTICE))))
      ->type_name("WHAT");
  command->add_option("--size", size, "extents of --lattice: 32 (sites of a random graph), 32x32 or 8x8x8")
      ->check(lattice_size())
      ->type_name("LxL");
  command->add_option("--fields", fields, fmt::format("fields b_i(a) of a model that is no --model, L x q numbers: {}", kNumbersText))
      ->check(input_file())
      ->type_name("FILE");
  command->add_option("--alphabet", alphabet, "symbols of the colours: protein, rna, dna, or q symbols. FASTA output needs an alphabet")
      ->check(alphabet_name())
      ->type_name("NAME");
}

Model make_model(const Session &session, const ModelFlags &flags) {
  Model model;
  if (!flags.model.empty()) {
    for (const char *flag : {"--sites", "--colors", "--couplings", "--color-matrix", "--lattice", "--fields"})
      if (const std::string value = given(flags.app, flag); !value.empty())
        wrong_use("{} is \"{}\" together with --model, expected only one of them", flag, value);
    model = stored_model(session, flags.model, flags.alphabet);
  } else if (const InputFile file = open_couplings(session, flags.couplings); !flags.lattice.empty() || is_model_table(file)) {
    model = model_of_list(session, file,
                          {flags.lattice, flags.size, flags.fields, flags.couplings, flags.color_matrix, flags.sites, flags.colors});
  } else {
    needs(flags.app, "--size", false, "with --lattice");
    model = random_model(session, flags, file);
    if (!flags.fields.empty()) model = with_fields(session, std::move(model), flags.fields);
  }
  if (!flags.alphabet.empty()) labelled("--alphabet", [&] { model.set_alphabet(flags.alphabet); });
  return model;
}

constexpr int64_t kMost = int64_t{1} << 40;
// Tests of replica exchange use the scatter of ladders, which needs two runs of at least two ladders each.
constexpr int64_t kFewestLadders = 4;

struct SampleFlags {
  ModelFlags source;
  atp_protocol protocol = ATP_PROTOCOL_EQUILIBRIUM;
  int64_t samples = 1000;
  std::optional<int64_t> chains, burn_in, thin;
  std::optional<double> beta, hamming;
  std::string model_out, output;
  std::optional<atp_format> format;
  CheckpointFlags checkpoint;
  DesignFlags design;
  RungFlags rungs;
};

SamplingPlan make_plan(const Settings &settings, const SampleFlags &flags) {
  const bool equilibrium = flags.protocol == ATP_PROTOCOL_EQUILIBRIUM;
  if (equilibrium && flags.chains && *flags.chains < kFewestLadders)
    wrong_use("--chains is \"{}\", expected a whole number >= {} with --protocol equilibrium", *flags.chains, kFewestLadders);
  for (const atp_option key : {ATP_OPT_TEMPERATURES, ATP_OPT_SWAP_INTERVAL})
    settings.needs(key, equilibrium, "with --protocol equilibrium");
  settings.needs(ATP_OPT_ANNEALING, !equilibrium, "with --protocol chain");
  settings.needs(ATP_OPT_BETA_HOT, equilibrium || settings.value(ATP_OPT_ANNEALING).value_or(0) > 0,
                 "with --protocol equilibrium, or with --set annealing");
  settings.needs(ATP_OPT_FIRST_CHAIN, !equilibrium, "with --protocol chain: the tests of equilibrium compare all chains");
  SamplingPlan plan;
  plan.protocol = flags.protocol;
  plan.samples = flags.samples;
  plan.chains = flags.chains.value_or(equilibrium ? plan.chains : 1);
  plan.burn_in = flags.burn_in.value_or(flags.design.walks() ? 0 : plan.burn_in);
  plan.thin = flags.thin.value_or(flags.design.walks() ? 1 : plan.thin);
  return plan;
}

// Every sweep of an autoregressive model draws independent sequences.
void plan_exact(const Session &session, const SampleFlags &flags, SamplingPlan &plan) {
  for (const atp_option key : {ATP_OPT_TEMPERATURES, ATP_OPT_BETA_HOT, ATP_OPT_SWAP_INTERVAL})
    session.settings.needs(key, false, "with a Potts model: that of --model is autoregressive");
  if (flags.hamming)
    wrong_use("--hamming is \"{}\" but the model {} is autoregressive, expected --beta: the search is by replica exchange", *flags.hamming,
              flags.source.model);
  plan.chains = flags.chains.value_or(0);
}

// Returns --beta, or the beta that gives --hamming, or the model's own beta.
double choose_beta(const Session &session, const SampleFlags &flags, const atp_model *model, SamplingCheckpoint &kept, int &status) {
  if (flags.hamming) {
    const double target = *flags.hamming;
    const std::vector<double> x = kept.numbers([&] {
      const TunedBeta found = tune_beta(session, model, target);
      return std::vector<double>{found.beta.value, found.beta.error, found.hamming.value, found.hamming.error, found.converged ? 1.0 : 0.0};
    });
    const TunedBeta tuned{{x[0], x[1]}, {x[2], x[3]}, x[4] != 0};
    session.say("beta {:.5f} +- {:.5f} for a mean Hamming distance of {:.4f} (measured there: {:.4f} +- {:.4f})", tuned.beta.value,
                tuned.beta.error, target, tuned.hamming.value, tuned.hamming.error);
    if (!tuned.converged) {
      session.say(
          "warning: the search for beta did not reach equilibrium; it ends with the best value so far; give another --hamming, or the "
          "--beta itself");
      status = kNotConverged;
    }
    return tuned.beta.value;
  }
  return flags.beta ? *flags.beta : atp_model_beta(model);
}

void report_exact(const Session &session, const SamplingReport &report, int64_t sites) {
  const auto per_site = static_cast<double>(sites);
  session.say("the model is autoregressive: every sequence is an independent sample, {} site updates/s",
              short_number(report.updates_per_second));
  session.say("mean Hamming distance {:.4f} +- {:.4f}", report.hamming.value, report.hamming.error);
  if (std::isfinite(report.entropy.value))
    session.say("entropy {:.4f} +- {:.4f} nats, {:.5f} +- {:.5f} per site", report.entropy.value, report.entropy.error,
                report.entropy.value / per_site, report.entropy.error / per_site);
}

void report_run(const Session &session, const SamplingPlan &plan, const SamplingReport &report) {
  if (plan.protocol == ATP_PROTOCOL_EQUILIBRIUM)
    session.say("replica exchange: {} ladders of {} betas from {:.4g} to {:.6g}, smallest exchange rate {:.2f}", plan.chains,
                report.temperatures, report.beta_hot, plan.beta, report.slowest_swap);
  session.say("burn-in {} sweeps, {} sweeps between samples, {} site updates/s", report.burn_in, report.thin,
              short_number(report.updates_per_second));
  if (report.hamming.error > 0)
    session.say("mean Hamming distance {:.4f} +- {:.4f} between independent chains", report.hamming.value, report.hamming.error);
  else
    session.say("mean Hamming distance {:.4f}", report.hamming.value);
  if (report.tau > 0) session.say("integrated autocorrelation time of the energy {:.1f} +- {:.1f} sweeps", report.tau, report.tau_error);
  if (report.bulk_ess > 0)
    session.say("effective sequences {:.0f} by the energy in the bulk, {:.0f} in the tails", report.bulk_ess, report.tail_ess);
  // R-hat of a constant is 1, also where nothing has moved.
  if (plan.protocol == ATP_PROTOCOL_CHAIN && report.hamming.value == 0 && report.rhat > 0)
    return session.say("warning: all sequences are equal: the chains did not leave their start, and R-hat cannot judge them");
  for (const auto &[name, rhat, limit] :
       {std::tuple{"the energy", report.rhat, report.rhat_limit}, std::tuple{"overlaps", report.overlap_rhat, report.overlap_rhat_limit}})
    if (rhat > 0 && std::isfinite(limit))
      session.say("R-hat of {} {:.4f}, {} {:.4f}", name, rhat, rhat <= limit ? "at most" : "above", limit);
    else if (rhat > 0)
      session.say("R-hat of {}: too few samples of each chain to judge it", name);
  if (plan.protocol == ATP_PROTOCOL_EQUILIBRIUM && report.equilibrated) session.say("in equilibrium: the tests found no difference");
}

// One line with everything on which the numbers of a run depend. The model enters through the energies of a few sequences.
std::string run_settings(const Session &session, const SampleFlags &flags, const SamplingPlan &plan, const atp_model *model) {
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model);
  constexpr int64_t kProbes = 4;
  std::vector<uint8_t> probes(static_cast<std::size_t>(kProbes * sites));
  for (int64_t k = 0; k < kProbes * sites; ++k) probes[static_cast<std::size_t>(k)] = static_cast<uint8_t>((k * k + k / 3) % colors);
  double energies[kProbes];
  check(atp_model_energies(model, probes.data(), kProbes, energies, kProbes));
  return fmt::format(
             "seed {}, {}, beta {}{}, {} samples, {} chains, burn-in {}, thin {}, model {} x {} with "
             "energies "
             "{:.17g} {:.17g} {:.17g} {:.17g}",
             session.seed, atp_option_word(ATP_OWNER_SAMPLING, ATP_OPT_PROTOCOL, flags.protocol),
             flags.beta      ? fmt::format("{}", *flags.beta)
             : flags.hamming ? ""
                             : fmt::format("{:.17g}", atp_model_beta(model)),
             flags.hamming ? fmt::format("for a distance of {}", *flags.hamming) : "", plan.samples, plan.chains, plan.burn_in, plan.thin,
             sites, colors, energies[0], energies[1], energies[2], energies[3]) +
         flags.design.text() + session.settings.text();
}

// Models of protein or RNA families.
bool of_a_family(const atp_model *model) {
  static const std::string kLetters[] = {"ACDEFGHIKLMNPQRSTVWY", "ACGU", "ACGT"};
  const std::string letters = atp_model_alphabet(model) + (atp_model_gap_color(model) == 0 ? 1 : 0);
  return std::find(std::begin(kLetters), std::end(kLetters), letters) != std::end(kLetters);
}

constexpr const char *kFamilyAdvice =
    "Samples of models that were learned from a family by pseudo-likelihood can have covariances C_ij that are too weak: in "
    "docs/results.md f_i of DHFR are nearly right and C_ij has a slope of 0.20. Compare your samples with the family "
    "(attopotts compare). For models to sample from: attopotts learn --family dense with --objective likelihood or autoregressive";

// --betas: several betas in one run, without sequences.
int run_rungs(Session &session, const SampleFlags &flags) {
  const Model model = make_model(session, flags.source);
  if (model.is_ordered()) wrong_use("--betas is given but the model of --model is autoregressive, expected a Potts model");
  const bool exchange = flags.protocol == ATP_PROTOCOL_EQUILIBRIUM;
  session.settings.needs(ATP_OPT_SWAP_INTERVAL, exchange, "with --protocol equilibrium");
  for (const atp_option key : {ATP_OPT_TEMPERATURES, ATP_OPT_BETA_HOT, ATP_OPT_ANNEALING, ATP_OPT_FIRST_CHAIN})
    session.settings.needs(key, false, "without --betas");
  return measure_rungs(session, flags.rungs, {exchange, flags.chains, flags.burn_in, flags.thin}, model);
}

int run_sample(Session &session, const SampleFlags &flags) {
  flags.rungs.check_use();
  if (flags.rungs.wanted()) return run_rungs(session, flags);
  if (flags.output.empty()) wrong_use("--output is missing, expected -o FILE for sequences, or --betas LIST");
  if (flags.beta && flags.hamming)
    wrong_use("--beta is \"{}\" and --hamming is \"{}\", expected only one of them", *flags.beta, *flags.hamming);
  if (flags.source.model.empty() && !flags.beta && !flags.hamming)
    wrong_use("--beta is missing, expected --beta B or --hamming D: only a model of --model has a beta of its own");
  SamplingPlan plan = make_plan(session.settings, flags);
  flags.checkpoint.check_values();
  const atp_format format = output_format(flags.output, flags.format);
  Checkpoint checkpoint(session, "sample", flags.checkpoint);
  Model model = make_model(session, flags.source);
  if (has_symbols(format) && *atp_model_alphabet(model.get()) == '\0')
    wrong_use("--output {} is FASTA, expected --alphabet with symbols for the {} colours", flags.output, atp_model_colors(model.get()));
  const bool exact = model.is_ordered();
  if (exact) plan_exact(session, flags, plan);
  const Design design = read_design(session, flags.design, model, plan.protocol);
  plan.limits = design.limits;
  if (!exact && plan.protocol == ATP_PROTOCOL_EQUILIBRIUM && atp_model_is_symmetric(model.get()) == 0)
    wrong_use("--protocol is equilibrium but the couplings of {} are not symmetric, expected --protocol chain", flags.source.model);

  int status = kDone;
  checkpoint.read();
  SamplingCheckpoint kept(session, checkpoint, flags.checkpoint.interval, run_settings(session, flags, plan, model.get()));
  if (!flags.source.model.empty() && !exact && of_a_family(model.get())) session.message(kFamilyAdvice);
  plan.beta = choose_beta(session, flags, model.get(), kept, status);
  if (const double hot = session.settings.value(ATP_OPT_BETA_HOT).value_or(0); hot >= plan.beta && plan.beta > 0)
    wrong_use("--set beta-hot is {:g}, expected less than the target beta {:g}", hot, plan.beta);
  labelled("--beta", [&] { model.set_beta(plan.beta); });
  const SamplingReport report = draw(session, model.get(), plan, &kept, [&](const SamplingRun &run, const SamplingReport &) {
    write_data(session, named_after_starts(session, run.alignment(), design, plan.chains).get(), format, flags.output);
    if (!flags.design.trajectory.empty()) write_trajectory(session, flags.design.trajectory, run, design, model);
    if (flags.design.forgetting.empty()) return;
    try {
      if (!write_forgetting(session, flags.design.forgetting, run, plan, model)) status = kNotConverged;
    } catch (const Failure &) {
      if (interrupted_anywhere()) kept.end_interrupted();  // the walks are kept
      throw;
    }
  });
  if (exact)
    report_exact(session, report, model.sites());
  else
    report_run(session, plan, report);
  if (!report.equilibrated) {
    session.say("to equilibrate: raise --burn-in, --chains or --set temperatures, or lower --beta");
    status = kNotConverged;
  }

  if (!flags.model_out.empty()) write_model(session, model.get(), flags.model_out, "--model-out " + flags.model_out);
  if (!checkpoint.failure().empty())
    failed("--output {} was written, but the last checkpoint could not be saved: {}", flags.output, checkpoint.failure());
  return status;
}

void add_sample(CLI::App *app, SampleFlags *flags) {
  flags->source.add(app);
  app->add_option("--beta", flags->beta, "inverse temperature; default with --model: the model's own beta")
      ->transform(number(0, 1e6))
      ->type_name("B");
  app->add_option("--hamming", flags->hamming, "choose beta such that equilibrium samples differ at the fraction D of the sites")
      ->transform(number(1e-6, 1))
      ->type_name("D");
  add_choice(app, "--protocol", flags->protocol, words_of_option<atp_protocol>(ATP_OWNER_SAMPLING, ATP_OPT_PROTOCOL),
             "equilibrium (replica exchange with convergence checks) or chain (independent Markov chains)")
      ->type_name("WHAT");
  app->add_option("--samples", flags->samples, "number of sequences")->transform(count(1, kMost))->type_name("M")->capture_default_str();
  app->add_option("--chains", flags->chains,
                  "number of replica-exchange ladders (default 64), or of chains (default 1, of an autoregressive model 1024)")
      ->transform(count(1, 1 << 24))
      ->type_name("N");
  app->add_option("--burn-in", flags->burn_in,
                  "sweeps before the first sample; default: until two runs agree, with --protocol chain as many as --thin")
      ->transform(count(0, kMost))
      ->type_name("S");
  app->add_option("--thin", flags->thin, "sweeps between two samples of a chain; default: until decorrelated, with --protocol chain 10000")
      ->transform(count(1, kMost))
      ->type_name("S");
  app->add_option("--model-out", flags->model_out, "write the model with its beta")->check(output_file())->type_name("FILE");
  app->add_option("-o,--output", flags->output, "output file of the sequences: .h5, .fasta or .txt; -: standard output")
      ->check(output_file())
      ->type_name("FILE");
  flags->checkpoint.add(app);
  flags->design.add(app);
  flags->rungs.add(app);
  static const std::vector<atp_format> formats = {ATP_FORMAT_HDF5, ATP_FORMAT_FASTA, ATP_FORMAT_INTEGERS};
  add_choice(app, "--to", flags->format, words_of_option(ATP_OWNER_ALIGNMENT, ATP_OPT_FORMAT, formats),
             "format of the output: hdf5, fasta or integers; default: from the file's name")
      ->type_name("FORMAT");
}

}  // namespace

const Command kSampleCommand = {
    "sample",
    "draw sequences from a random or stored model",
    kOfSequences,
    "attopotts sample --sites 20 --colors 20 --couplings gaussian --color-matrix gaussian --hamming 0.3 \\\n"
    "    --samples 6000 --chains 64 -o data.h5 --model-out truth.h5",
    "--model --sites --colors --couplings --color-matrix --lattice --size --alphabet --beta --hamming --protocol --samples --chains "
    "--burn-in --thin --betas --start --fixed --allowed --max-mutations --trajectory --model-out --output --checkpoint --resume",
    with_flags<SampleFlags, add_sample, run_sample>,
    {{ATP_OWNER_SAMPLING, ATP_OWNER_LATTICE}, "lattice size-x size-y size-z bonds color-matrix"},
    Keeps::state,
    kFamilyAdvice};

}  // namespace cli
