// SPDX-License-Identifier: MIT
// attopotts learn: a model from sequences.
#include "commands/commands.hpp"

#include "commands/contact_methods.hpp"
#include "commands/learn_flags.hpp"
#include "report/pages.hpp"
#include "commands/kept_run.hpp"
#include "flags/presets.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"
#include "run/sampling.hpp"
#include "run/training.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cli {

namespace {

void check_fixed_colors(const atp_model *source, const atp_alignment *data, const atp_options *options, const std::string &path) {
  int64_t heads = 1, gaps = ATP_GAPS_STATE;
  check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
  check(atp_options_get_i64(options, ATP_OPT_GAPS, &gaps));
  const int64_t colors = atp_alignment_colors(data) - (gaps == ATP_GAPS_IGNORE ? 1 : 0);
  if (atp_model_heads(source) != heads || atp_model_colors(source) != colors)
    wrong_use("--colors-from {} has {} heads and {} colours, expected {} and {}", path, atp_model_heads(source), atp_model_colors(source),
              heads, colors);
}

void fix_colors(const atp_model *source, atp_trainer *trainer, const std::string &path) {
  const int64_t heads = atp_model_heads(source), colors = atp_model_colors(source);
  std::vector<double> values(static_cast<std::size_t>(heads * colors * colors));
  check(atp_model_values(source, values.data(), static_cast<int64_t>(values.size())));
  check(atp_trainer_set_values(trainer, values.data(), static_cast<int64_t>(values.size())), "--colors-from " + path);
}

// The inputs of a run.
struct Inputs {
  Model truth, colors, start;
  Alignment data, test, chains, tested;
  std::vector<double> adjustments;  // of the tested sequences
  std::vector<int64_t> order;       // of --order FILE
};

void check_outputs(const LearnFlags &flags) {
  check_report(flags.report);
  check_picture(flags.picture);
  if (!flags.chains_out.empty()) output_format(flags.chains_out, std::nullopt);
  if (flags.output.empty()) return;
  const std::size_t n = flags.output.size();
  if (flags.output == "-" || (n > 4 && flags.output.compare(n - 4, 4, ".txt") == 0))
    wrong_use("--output is \"{}\", expected the name of an HDF5 file, for example model.h5", flags.output);
}

// Sequences in the columns and with the symbols of the training data, as they are.
Alignment read_like_data(const Session &session, const LearnFlags &flags, const Inputs &in, const std::string &flag,
                         const std::string &path) {
  DataFlags input = flags.input.as_they_are();
  if (!input.colors) input.colors = atp_alignment_colors(in.data.get());
  if (input.alphabet.empty()) input.alphabet = atp_alignment_alphabet(in.data.get());
  return read_data(session, flag, path, input);
}

// The sequences of --reintegrate and their numbers.
void read_tested(const Session &session, const LearnFlags &flags, Inputs &in) {
  in.tested = read_like_data(session, flags, in, "--reintegrate", flags.reintegrate);
  const auto count = static_cast<std::size_t>(atp_alignment_count(in.tested.get()));
  in.adjustments.assign(count, 1.0);
  if (flags.adjustments.empty()) return;
  in.adjustments = read_numbers(session, "--adjustments", flags.adjustments);
  if (in.adjustments.size() != count)
    wrong_use("--adjustments {} has {} numbers, expected {}: one for each sequence of --reintegrate {}", flags.adjustments,
              in.adjustments.size(), count, flags.reintegrate);
}

// The model of --start-model; empty: independent sites.
Model start_of(const Session &session, const LearnFlags &flags, const atp_alignment *data) {
  if (flags.start_model.empty() || flags.start_model == kIndependentStart) return {};
  if (flags.start_model == kMeanFieldStart) return mean_field_model(session, data, {}, {});
  return read_model(session, "--start-model", flags.start_model, flags.input.alphabet);
}

Inputs read_inputs(const Session &session, const LearnFlags &flags, const atp_options *options) {
  Inputs in;
  if (!flags.truth.empty()) in.truth = read_model(session, "--truth", flags.truth);
  if (!flags.colors_from.empty()) in.colors = read_model(session, "--colors-from", flags.colors_from);
  const atp_model *like = in.truth ? in.truth.get() : in.colors.get();
  DataFlags test_input = flags.test.empty() ? flags.input : flags.input.for_test();
  if (flags.test_split) {
    TrainingAndTest sets = read_split(session, open_input(session, "DATA", flags.data), flags.input, flags.rows, like, *flags.test_split);
    in.data = std::move(sets.training);
    in.test = std::move(sets.test);
  } else {
    in.data = read_data(session, "DATA", flags.data, flags.input, flags.rows, like);
  }
  if (atp_alignment_count(in.data.get()) == 1) wrong_use("DATA {} leaves one sequence to learn from, expected at least 2", flags.data);
  if (!flags.test.empty()) {
    if (!test_input.colors) test_input.colors = atp_alignment_colors(in.data.get());
    in.test = read_data(session, "--test", flags.test, test_input, flags.test_rows, like);
  }
  in.start = start_of(session, flags, in.data.get());
  if (!flags.start_chains.empty()) in.chains = read_like_data(session, flags, in, "--start-chains", flags.start_chains);
  if (!flags.chains_out.empty() && has_symbols(output_format(flags.chains_out, std::nullopt)) &&
      *atp_alignment_alphabet(in.data.get()) == '\0')
    wrong_use("--chains-out {} is FASTA, expected --alphabet with symbols for the {} colours", flags.chains_out,
              atp_alignment_colors(in.data.get()));
  if (!flags.reintegrate.empty()) read_tested(session, flags, in);
  in.order = read_order(session, flags, in.data.get());
  if (in.colors) check_fixed_colors(in.colors.get(), in.data.get(), options, flags.colors_from);
  return in;
}

Trainer make_learner(const Session &session, const LearnFlags &flags, const Inputs &in, const atp_options *options,
                     const std::vector<int64_t> &pairs) {
  Trainer trainer = make_trainer(session, in.data.get(), options, pairs);
  set_order(trainer.get(), in.order);
  if (in.colors) fix_colors(in.colors.get(), trainer.get(), flags.colors_from);
  if (in.tested)
    check(atp_trainer_reintegrate(trainer.get(), in.tested.get(), in.adjustments.data(), static_cast<int64_t>(in.adjustments.size()),
                                  flags.reintegrate_strength.value_or(0)),
          "--reintegrate " + flags.reintegrate);
  if (in.start) check(atp_trainer_start_model(trainer.get(), in.start.get()), "--start-model " + flags.start_model);
  if (in.chains) check(atp_trainer_start_chains(trainer.get(), in.chains.get()), "--start-chains " + flags.start_chains);
  if (in.test) check(atp_trainer_set_test(trainer.get(), in.test.get()), flags.test_split ? "--test-split" : "--test " + flags.test);
  if (in.truth) check(atp_trainer_set_truth(trainer.get(), in.truth.get()), "--truth " + flags.truth);
  return trainer;
}

// Of --start-model and --start-chains.
std::vector<RunStart> starts_of(const LearnFlags &flags, const Inputs &in) {
  std::string model = "none", chains = "none";
  if (in.start) {
    std::string bytes(static_cast<std::size_t>(atp_model_state_bytes(in.start.get())), '\0');
    check(atp_model_save_state(in.start.get(), bytes.data(), static_cast<int64_t>(bytes.size())));
    model = checksum_text(bytes);
  }
  if (in.chains) {
    const auto *colors = reinterpret_cast<const char *>(atp_alignment_sequences_view(in.chains.get()));
    chains = checksum_text({colors, static_cast<std::size_t>(in.chains.count() * in.chains.sites())});
  }
  return {{"--start-model", !flags.start_model.empty(), model}, {"--start-chains", !flags.start_chains.empty(), chains}};
}

// With --keep best, gives the trainer the parameters of the best epoch.
void set_best(atp_trainer *trainer, const KeptRun &kept) {
  if (!kept.best.empty())
    check(atp_trainer_set_parameters(trainer, kept.best.data(), static_cast<int64_t>(kept.best.size())), "--keep best");
}

void write_learned(const Session &session, Trainer trainer, const LearnFlags &flags, const KeptRun &kept, int64_t epochs) {
  if (flags.output.empty()) return;
  const Checkpoint &checkpoint = kept.checkpoint();
  const EpochRow *best = flags.keep_best ? best_row(kept.log) : nullptr;
  Model model;
  check(atp_trainer_model(trainer.get(), out(model)));
  trainer = Trainer();  // its memory is needed to build the file
  if (best != nullptr && !kept.best.empty())
    check(atp_model_set_origin(
        model.get(), fmt::format("attopotts {}: epoch {} of {}, the lowest test loss", atp_version_string(), best->epoch, epochs).c_str()));
  try {
    write_model(session, model.get(), flags.output, "--output " + flags.output);
  } catch (const Failure &failure) {
    if (!checkpoint.wanted()) throw;
    throw Failure(failure.status(), fmt::format("{}; {}", failure.what(), checkpoint.kept()));
  }
}

void write_chains(const Session &session, const atp_trainer *trainer, const LearnFlags &flags) {
  if (flags.chains_out.empty()) return;
  Alignment chains;
  check(atp_trainer_chains(trainer, out(chains)));
  write_data(session, chains.get(), output_format(flags.chains_out, std::nullopt), flags.chains_out);
}

void say_result(const Session &session, const LearnFlags &flags, const KeptRun &kept) {
  const EpochLog &log = kept.log;
  if (log.empty()) return;
  const EpochRow *best = best_row(log);
  const EpochRow &written = flags.keep_best && best != nullptr ? *best : log.back();
  if (std::isfinite(log.back().test_loss)) session.say("test loss {:.6f}", log.back().test_loss);
  if (best != nullptr) {
    session.say("lowest test loss {:.6f} after epoch {}{}", best->test_loss, best->epoch,
                flags.keep_best && !flags.output.empty() ? fmt::format("; {} has the model of that epoch{}", flags.output,
                                                                       flags.is_likelihood() ? ", which fresh chains did not verify" : "")
                                                         : "");
    const char *what = !flags.output.empty() ? "model" : !flags.maps.empty() ? "maps" : nullptr;
    const bool has_advice = what != nullptr && !flags.keep_best;
    if (const std::string text = overfitting_text(log); !text.empty())
      session.say("warning: overfitting: {}{}", text, has_advice ? fmt::format("; --keep best writes the {} of the best epoch", what) : "");
  }
  if (std::isfinite(written.optimal_loss)) session.say("optimal loss {:.6f}", written.optimal_loss);
  if (std::isfinite(written.coupling_error))
    session.say("coupling error {:.6g}{}", written.coupling_error, flags.keep_best ? " of that model" : "");
}

void draw_losses(const Session &session, const LearnFlags &flags, const EpochLog &log, atp_outcome outcome) {
  if (flags.picture.empty()) return;
  const char *ended = atp_outcome_name(outcome);
  write_picture(session, flags.picture,
                {fmt::format("Training of {}: {}", flags.output.empty() ? without_folder(flags.data) : flags.output, ended)},
                training_charts(parse_table(log_table(session, log, ended).text())));
}

// --maps: the couplings of the true model, and the learned maps.
void write_maps(const Session &session, const LearnFlags &flags, const Inputs &in, atp_trainer *trainer, bool has_model) {
  if (flags.maps.empty()) return;
  const int64_t sites = atp_alignment_sites(in.data.get());
  std::vector<std::string> columns = {"i", "j", "coupling"};
  std::vector<std::vector<double>> all = {map_like(session, in.truth.get(), in.truth.get())};
  if (has_model) {
    Model learned;
    check(atp_trainer_model(trainer, out(learned)));
    all.push_back(map_like(session, learned.get(), in.truth.get()));
  } else {
    const int64_t count = atp_trainer_map_count(trainer), size = sites * sites;
    std::vector<double> maps(static_cast<std::size_t>(count * size));
    check(atp_trainer_maps(trainer, in.test.get(), maps.data(), count * size));
    for (int64_t k = 0; k < count; ++k) all.emplace_back(maps.begin() + k * size, maps.begin() + (k + 1) * size);
  }
  for (std::size_t k = 1; k < all.size(); ++k) columns.push_back(fmt::format("map_{}", k));
  Table table(session, columns);
  table.note(
      "coupling: beta J_ij, the diagonal left out; factored attention and a free or softmax map at dial 0: A_ij in its units; others: "
      "attention of the blocks, averaged over the test sequences");
  for (int64_t k = 0; k < sites * sites; ++k) {
    if (k / sites == k % sites) continue;
    std::vector<std::string> row = {cell(k / sites), cell(k % sites)};
    for (const auto &map : all) row.push_back(cell(map[static_cast<std::size_t>(k)]));
    table.row(row);
  }
  table.write(session, flags.maps);
}

// The exit status, and what to do where the run did not converge.
int end_of(const Session &session, const LearnFlags &flags, const Choice &choice, const TrainingEnd &end) {
  const atp_outcome outcome = end.outcome;
  const bool steps_alone = outcome == ATP_OUTCOME_MAX_ITER && flags.target == 1;  // nothing else was asked for
  if (flags.is_likelihood() && outcome != ATP_OUTCOME_CONVERGED && !steps_alone) {
    session.say("warning: not converged ({}): {}", atp_outcome_name(outcome),
                outcome == ATP_OUTCOME_DIVERGED ? "lower --rate"
                                                : "raise --epochs, lower --rate where the last pearson_random or "
                                                  "pearson_natural of --log are far below pearson, or lower --target");
    return kNotConverged;
  }
  const bool lbfgs = choice.lbfgs || end.polished;
  // SGD and Adam have a fixed number of epochs, not a stopping test.
  if (outcome == ATP_OUTCOME_CONVERGED || (outcome == ATP_OUTCOME_MAX_ITER && !lbfgs)) return kDone;
  const std::string limit = end.polished ? "--polish" : "--epochs", written = flags.output.empty() ? "" : "; the model was written anyway";
  std::string goes_on;
  if (outcome == ATP_OUTCOME_MAX_ITER && !flags.training.asymmetric)
    goes_on = fmt::format("; {} with a larger {} and --resume{}",
                          flags.checkpoint.path.empty() ? "a run with --checkpoint FILE goes on" : "the same command", limit,
                          flags.checkpoint.path.empty() ? "" : " goes on");
  session.say("warning: not converged ({}){}{}{}", atp_outcome_name(outcome), written,
              training_ways_out(outcome, flags.training, !lbfgs, limit), goes_on);
  return kNotConverged;
}

// The page of --report: what was learned from what, and the rows of the log.
void report_training(const Session &session, const LearnFlags &flags, const Inputs &in, const KeptRun &kept, atp_outcome outcome) {
  if (flags.report.empty()) return;
  const atp_alignment *data = in.data.get();
  TrainingReport report{without_folder(flags.data),
                        atp_outcome_name(outcome),
                        {},
                        parse_table(log_table(session, kept.log, atp_outcome_name(outcome)).text())};
  report.facts = {
      {"Sequences",
       fmt::format("{}, {} of summed weight {:.6g}", report.data, atp_alignment_count(data), atp_alignment_effective_count(data))},
      {"Sites and colours", fmt::format("{}, {}", atp_alignment_sites(data), atp_alignment_colors(data))},
      {"Family", flags.is_dense()                     ? "dense couplings"
                 : flags.family == ATP_FAMILY_ENCODER ? "transformer encoder"
                 : flags.family == ATP_FAMILY_DIAL    ? "attention layer with a dial"
                                                      : "factored attention"},
      {"Model", flags.output.empty() ? "none: the family has no couplings" : flags.output},
      {"Outcome", fmt::format("{} after {} epochs or iterations", report.outcome, kept.log.empty() ? 0 : kept.log.back().epoch)}};
  write_training_page(session, flags.report, report);
}

// Settings that presets of factored attention compute from the data: penalties of a sum over sites or of a mean, and 1000 steps. Returns
// a line on them.
std::string scale_preset(const Session &session, const LearnFlags &flags, const atp_alignment *data, atp_options *options) {
  constexpr double kPenalty = 0.001, kNorm = 0.01;
  constexpr int64_t kSteps = 1000;
  if (flags.like != "attentiondca" && flags.like != "mogwai") return "";
  std::string text = "like " + flags.like + ", by the data:";
  const auto set = [&](atp_option key, double value, bool given) {
    if (given) return;
    check(atp_options_set_f64(options, key, value));
    text += fmt::format(" {} {:.4g}", atp_option_name(key), value);
  };
  const double sites = static_cast<double>(atp_alignment_sites(data)), count = static_cast<double>(atp_alignment_count(data));
  const Settings &settings = session.settings;
  if (flags.like == "attentiondca") {
    set(ATP_OPT_L2_PAIRS, kPenalty / sites, settings.has(ATP_OPT_L2_PAIRS));
    return text;
  }
  const int64_t colors = atp_alignment_colors(data) - (flags.training.gaps == ATP_GAPS_IGNORE ? 1 : 0);
  set(ATP_OPT_NORM_PAIRS, kNorm * (sites - 1) * static_cast<double>(colors - 1) / count, settings.has(ATP_OPT_NORM_PAIRS));
  set(ATP_OPT_NORM_FIELDS, kNorm / count, settings.has(ATP_OPT_NORM_FIELDS));
  const double batches = std::ceil(count / static_cast<double>(flags.batch.value_or(1)));
  set(ATP_OPT_EPOCHS, std::ceil(static_cast<double>(kSteps) / batches), flags.training.epochs || flags.optimizer != ATP_OPTIMIZER_ADAM);
  return text;
}

// Fails where flags contradict each other or the options.
void check_learn(const Session &session, const LearnFlags &flags, const atp_options *options) {
  flags.pairs.check_values(flags.app, flags.is_dense());
  flags.structure.check_values(flags.app);
  needs(flags.app, "--cutoff", !flags.pairs.from.empty(), "with --pairs-from");
  const SelectionFlags &selection = flags.training.selection;
  if (!selection.wanted())
    session.settings.require_owners({ATP_OWNER_TRAINER, ATP_OWNER_ALIGNMENT, ATP_OWNER_SPLIT},
                                    "learn without --l2-couplings auto or --heads auto");
  if (!flags.test_split)
    session.settings.require_owners({ATP_OWNER_TRAINER, ATP_OWNER_ALIGNMENT, ATP_OWNER_SELECTION}, "learn without --test-split");
  selection.check_values(flags.app, options);
  needs(flags.app, "--test-split", flags.test.empty(), "without --test");
  needs(flags.app, "--test-rows", !flags.test.empty(), "with --test");
  needs(flags.app, "--keep", flags.has_test(), "with --test or --test-split");
  needs(flags.app, "--maps", flags.has_test() && !flags.truth.empty(), "with --test and --truth");
  needs(flags.app, "--maps", flags.heads.value_or(1) == 1 && !selection.heads, "with one head");
  session.settings.needs(ATP_OPT_SYMMETRIZED, flags.maps.empty(), "without --maps");
  flags.checkpoint.check_values();
  check_outputs(flags);
}

// How the training ended, with the losses of the last parameters.
void say_end(const Session &session, const LearnFlags &flags, const TrainingEnd &end, double loss, double objective) {
  const char *outcome = atp_outcome_name(end.outcome), *step = flags.training.asymmetric ? "site" : "iteration";
  if (flags.is_likelihood())
    session.say("{} after {}; pseudo-likelihood loss {:.6f} nats per site", outcome, counted(end.epochs, "step"), loss);
  else if (flags.is_dense())
    session.say("{} after {}; training loss {:.6f} nats per site, objective {:.10g}", outcome, counted(end.epochs, step), loss, objective);
  else
    session.say("{} after {}; training loss {:.6f} nats per site", outcome, counted(end.epochs, "epoch"), loss);
}

int run_learn(Session &session, LearnFlags &flags) {
  if (!flags.like.empty() && !flags.preset.empty())
    wrong_use("--like is \"{}\" and --preset is \"{}\", expected only one of them", flags.like, flags.preset);
  if (!flags.like.empty() && flags.is_likelihood())
    wrong_use("--like is \"{}\" with --objective likelihood, expected no --like: its penalties are those of a sum over sequences",
              flags.like);
  apply_preset(session, flags.app, flags.preset.empty() ? flags.like : flags.preset);
  Choice choice = make_options(session, flags);
  check_learn(session, flags, choice.options.get());
  flags.pairs.structure = [&flags](const Session &of, const atp_alignment *sequences, const std::string &path) {
    return structure_for_pairs(of, flags.structure, sequences, path);
  };
  const SelectionFlags &selection = flags.training.selection;
  TrainingJob job;
  job.checkpoint_seconds = flags.checkpoint.interval;
  Checkpoint checkpoint(session, "learn", flags.checkpoint);
  auto before = std::make_unique<EndAtOnce>(flags.checkpoint.resume
                                                ? fmt::format("interrupted before training continued; {} is unchanged", checkpoint.path())
                                                : "interrupted before training began; nothing was kept");
  const Inputs in = read_inputs(session, flags, choice.options.get());
  const std::string by_data = scale_preset(session, flags, in.data.get(), choice.options.get());
  const std::vector<int64_t> pairs = flags.pairs.choose(session, in.data.get(), choice.options.get());
  const int64_t heads = choose_by_data(session, selection, in.data.get(), choice.options.get(), pairs);
  if (selection.heads) {
    flags.heads = heads;
    choice.start = make_options(session, flags).start;
  }
  RunPlan plan;
  plan.checkpoint = checkpoint.wanted();
  plan.model = choice.has_model;
  plan.written = !flags.output.empty();
  plan.pairs = &pairs;
  const std::string needed = check_memory(session, in.data.get(), choice.options.get(), choice.start, plan);
  Trainer trainer = make_learner(session, flags, in, choice.options.get(), pairs);
  checkpoint.read();
  before.reset();
  KeptRun kept(session, checkpoint, flags.log);
  kept.starts = starts_of(flags, in);
  kept.messages.push_back(needed);
  if (!by_data.empty()) kept.messages.push_back(by_data);
  const TrainingTask task{in.data.get(), choice.options.get(),
                          choice.start,  flags.keep_best,
                          flags.polish,  [&](const atp_options *options) { return make_learner(session, flags, in, options, pairs); },
                          in.order};
  const TrainingEnd end = train_kept(session, task, trainer, job, kept);
  const atp_outcome outcome = end.outcome;
  kept.finish_log(atp_outcome_name(outcome));
  if (!end.stopped.empty()) {
    set_best(trainer.get(), kept);
    end_interrupted(session, std::move(trainer), end, kept, {"--output", flags.output});
  }
  write_chains(session, trainer.get(), flags);
  double loss = 0, objective = 0;
  check(atp_trainer_gradient(trainer.get(), &loss, &objective, nullptr, 0));
  set_best(trainer.get(), kept);
  write_maps(session, flags, in, trainer.get(), choice.has_model);
  write_learned(session, std::move(trainer), flags, kept, end.epochs);
  say_end(session, flags, end, loss, objective);
  say_result(session, flags, kept);
  if (!kept.failure().empty() && flags.output.empty()) failed("the training ended, but {}", kept.failure());
  if (!kept.failure().empty()) failed("--output {} was written, but {}", flags.output, kept.failure());
  const int status = end_of(session, flags, choice, end);
  draw_losses(session, flags, kept.log, outcome);  // what fails from here leaves the model and the log
  report_training(session, flags, in, kept, outcome);
  return status;
}

void add_learn(CLI::App *app, LearnFlags *flags) {
  flags->app = app;
  app->add_option("DATA", flags->data, "training sequences, in HDF5, as an alignment or as integers; -: standard input")
      ->check(input_file())
      ->required();
  app->add_option("-o,--output", flags->output,
                  "output file of the model, HDF5; after Ctrl-C the model so far. Networks have none: --checkpoint keeps their state")
      ->check(output_file())
      ->type_name("MODEL");
  add_model_flags(app, *flags);
  add_optimizer_flags(app, *flags);
  add_rows(app, "--rows", flags->rows, "learn only from COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--test", flags->test, "held-out sequences; adds test_loss to the log")->check(input_file())->type_name("DATA");
  add_rows(app, "--test-rows", flags->test_rows, "use only COUNT sequences of --test, starting at FIRST");
  add_test_split(app, flags->test_split);
  static const Words<bool> kept = {{"last", false}, {"best", true}};
  add_choice(app, "--keep", flags->keep_best, kept,
             "write the model, or the maps of a network, of the last epoch or of the one with the lowest test loss")
      ->type_name("WHICH");
  app->add_option("--truth", flags->truth, "model that generated the data; adds optimal_loss and coupling_error to the log")
      ->check(input_file())
      ->type_name("MODEL");
  app->add_option("--log", flags->log, "write a CSV table with one row per epoch")->check(output_file())->type_name("FILE");
  app->add_option("--maps", flags->maps,
                  "with --test or --test-split, and --truth: write a CSV table of the couplings and of the learned maps")
      ->check(output_file())
      ->type_name("FILE");
  add_picture(app, flags->picture, "the losses and the convergence against epochs");
  add_report(app, flags->report);
  flags->checkpoint.add(app);
  flags->training.add(app, "200, of factored attention with lbfgs 2000");
  add_like(app, flags->like);
  add_purpose(app, flags->preset);
  flags->pairs.add(app, true);
  flags->structure.add_choices(app);
  flags->input.add(app);
}

}  // namespace

const Command kLearnCommand = {
    "learn",
    "learn from sequences: factored attention, dense couplings of every pair of sites, a transformer encoder",
    kOfModels,
    "attopotts learn data.h5 -o learned.h5 --rows 0:3000 --test data.h5 --test-rows 3000:3000 \\\n"
    "    --truth truth.h5 --epochs 1000 --log learn.csv\n"
    "  attopotts learn family.fasta -o model.h5 --family dense --alphabet protein --theta 0.2\n"
    "  attopotts learn data.h5 --family encoder --set blocks=3 --epochs 2000 --rate 0.03 --set momentum=0.9 \\\n"
    "    --test data.h5 --test-rows 3000:3000 --log encoder.csv",
    "--output --family --heads --fields --l2-couplings --l2-fields --like --preset --optimizer --objective --order --rate --batch --epochs "
    "--rows --test --truth --log --report --checkpoint --resume --alphabet --theta --gaps --focus",
    with_flags<LearnFlags, add_learn, run_learn>,
    {{ATP_OWNER_TRAINER, ATP_OWNER_SELECTION, ATP_OWNER_ALIGNMENT, ATP_OWNER_SPLIT},
     "colors-fixed select select-fields identity",
     "chains"},
    Keeps::state};

}  // namespace cli
