// SPDX-License-Identifier: MIT
// attopotts learn: a model from sequences.
#include "commands/commands.hpp"

#include "support/attention_flags.hpp"
#include "support/checkpoint.hpp"
#include "support/files.hpp"
#include "support/kept_run.hpp"
#include "support/presets.hpp"
#include "support/signals.hpp"
#include "support/training.hpp"
#include "support/training_flags.hpp"
#include "support/training_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cli {

namespace {

struct LearnFlags {
  std::string data, output, family = "factored";
  std::string heads, map, rank, colors_from, objective;
  std::string optimizer, rate, momentum, batch, init_scale, start;
  std::string l2_colors;
  std::string rows, test, test_rows, truth, log;
  bool fields = false;
  CheckpointFlags checkpoint;
  DataFlags input;
  TrainingFlags training;
  AttentionFlags attention;
  std::string like;
  CLI::App *app = nullptr;
};

// A flag that belongs to another flag's value.
void needs(const std::string &flag, const std::string &value, bool met, const std::string &condition) {
  if (!value.empty() && !met) wrong_use("{} is \"{}\", expected only {}", flag, value, condition);
}

struct Choice {
  Options options;
  bool lbfgs = true;
  Start start = Start::random;
  bool dense = false;
};

// Flags that belong to factored attention.
void refuse_factored(const LearnFlags &flags) {
  const std::pair<const char *, const std::string *> texts[] = {{"--heads", &flags.heads},
                                                                {"--map", &flags.map},
                                                                {"--rank", &flags.rank},
                                                                {"--colors-from", &flags.colors_from},
                                                                {"--rate", &flags.rate},
                                                                {"--batch", &flags.batch},
                                                                {"--momentum", &flags.momentum},
                                                                {"--l2-colors", &flags.l2_colors},
                                                                {"--start", &flags.start},
                                                                {"--init-scale", &flags.init_scale},
                                                                {"--attention-convention", &flags.attention.convention},
                                                                {"--diagonal", &flags.attention.diagonal},
                                                                {"--scores", &flags.attention.scores},
                                                                {"--l2-pairs", &flags.attention.l2_pairs}};
  for (const auto &[flag, value] : texts) needs(flag, *value, false, "with --family factored");
  needs("--symmetrize", flags.attention.symmetrize ? "yes" : "", false, "with --family factored");
  if (!flags.optimizer.empty() && flags.optimizer != "lbfgs") needs("--optimizer", flags.optimizer, false, "with --family factored");
  if (!flags.objective.empty() && flags.objective != "pseudolikelihood")
    needs("--objective", flags.objective, false, "with --family factored");
}

Choice make_options(const Session &session, LearnFlags &flags) {
  Choice choice;
  choice.dense = parse_word("--family", flags.family, {"factored", "dense"}) == 1;
  if (choice.dense) {
    refuse_factored(flags);
    choice.options = dense_options(session, flags.training);
    return choice;
  }
  flags.attention.fill_in(flags.map, flags.heads, flags.rank, flags.training.gaps, flags.fields);
  const TrainingFlags &training = flags.training;
  needs("--asymmetric", training.asymmetric ? "yes" : "", false, "with --family dense");
  needs("--l2-scale", training.l2_scale, false, "with --family dense");
  check(atp_options_create(session.context.get(), out(choice.options)));
  atp_options *o = choice.options.get();
  static const atp_map maps[] = {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK};
  const atp_map map = flags.map.empty() ? ATP_MAP_FREE : maps[parse_word("--map", flags.map, {"free", "softmax", "lowrank"})];
  static const atp_objective objectives[] = {ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_OBJECTIVE_MLM};
  const atp_objective objective = flags.objective.empty()
                                      ? ATP_OBJECTIVE_PSEUDOLIKELIHOOD
                                      : objectives[parse_word("--objective", flags.objective, {"pseudolikelihood", "mlm"})];
  static const atp_optimizer optimizers[] = {ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM};
  const atp_optimizer optimizer = !flags.optimizer.empty()
                                      ? optimizers[parse_word("--optimizer", flags.optimizer, {"lbfgs", "sgd", "adam"})]
                                  : objective == ATP_OBJECTIVE_MLM ? ATP_OPTIMIZER_SGD
                                                                   : ATP_OPTIMIZER_LBFGS;
  choice.lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  if (choice.lbfgs && objective == ATP_OBJECTIVE_MLM) wrong_use("--optimizer is \"lbfgs\" with --objective mlm, expected sgd or adam");
  needs("--rank", flags.rank, map == ATP_MAP_LOWRANK, "with --map lowrank");
  needs("--rate", flags.rate, !choice.lbfgs, "with --optimizer sgd or adam");
  needs("--batch", flags.batch, !choice.lbfgs, "with --optimizer sgd or adam");
  needs("--momentum", flags.momentum, optimizer == ATP_OPTIMIZER_SGD, "with --optimizer sgd");
  needs("--history", training.history, choice.lbfgs, "with --optimizer lbfgs");
  needs("--l2-fields", training.l2_fields, flags.fields, "with --fields");
  needs("--l2-colors", flags.l2_colors, flags.colors_from.empty(), "without --colors-from");
  check(atp_options_set_i64(o, ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(o, ATP_OPT_MAP, map));
  check(atp_options_set_i64(o, ATP_OPT_OBJECTIVE, objective));
  check(atp_options_set_i64(o, ATP_OPT_OPTIMIZER, optimizer));
  check(atp_options_set_i64(o, ATP_OPT_FIELDS, flags.fields ? 1 : 0));
  check(atp_options_set_i64(o, ATP_OPT_COLORS_FIXED, flags.colors_from.empty() ? 0 : 1));
  flags.attention.set(o, map);
  set_gaps(training, o);
  set_if_given(o, ATP_OPT_HEADS, "--heads", flags.heads);
  set_if_given(o, ATP_OPT_RANK, "--rank", flags.rank);
  set_if_given(o, ATP_OPT_RATE, "--rate", flags.rate);
  set_if_given(o, ATP_OPT_MOMENTUM, "--momentum", flags.momentum);
  set_if_given(o, ATP_OPT_BATCH, "--batch", flags.batch);
  set_if_given(o, ATP_OPT_INIT_SCALE, "--init-scale", flags.init_scale);
  set_if_given(o, ATP_OPT_L2_COLORS, "--l2-colors", flags.l2_colors);
  set_common_options(training, o);
  int64_t heads = 1;
  check(atp_options_get_i64(o, ATP_OPT_HEADS, &heads));
  const bool bilinear = map == ATP_MAP_FREE && flags.colors_from.empty() && !flags.attention.symmetrize;
  static const Start starts[] = {Start::random, Start::wide};
  choice.start = !flags.start.empty()                             ? starts[parse_word("--start", flags.start, {"random", "wide"})]
                 : choice.lbfgs && bilinear && heads < kWideBelow ? Start::wide
                                                                  : Start::random;
  if (choice.start == Start::wide && !bilinear)
    wrong_use("--start is \"wide\", expected random with --map {} or --colors-from or --symmetrize", flags.map);
  if (choice.start == Start::wide && heads == kMostHeads) wrong_use("--start is \"wide\", expected random with {} heads", heads);
  return choice;
}

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

// What a run reads.
struct Inputs {
  Model truth, colors;
  Alignment data, test;
};

void check_outputs(const LearnFlags &flags) {
  check_writable("--output", flags.output);
  check_writable("--log", flags.log);
  const std::size_t n = flags.output.size();
  if (flags.output == "-" || (n > 4 && flags.output.compare(n - 4, 4, ".txt") == 0))
    wrong_use("--output is \"{}\", expected the name of an HDF5 file, model.h5 say", flags.output);
}

Inputs read_inputs(const Session &session, const LearnFlags &flags, const atp_options *options) {
  const Rows rows = parse_rows("--rows", flags.rows), test_rows = parse_rows("--test-rows", flags.test_rows);
  Inputs in;
  if (!flags.truth.empty()) in.truth = read_model(session, "--truth", flags.truth);
  if (!flags.colors_from.empty()) in.colors = read_model(session, "--colors-from", flags.colors_from);
  const atp_model *like = in.truth ? in.truth.get() : in.colors.get();
  DataFlags test_input = flags.test.empty() ? flags.input : flags.input.for_test();
  in.data = read_data(session, "DATA", flags.data, flags.input, rows, like);
  if (atp_alignment_count(in.data.get()) == 1) wrong_use("DATA {} leaves one sequence to learn from, expected at least 2", flags.data);
  if (!flags.test.empty()) {
    if (test_input.colors.empty()) test_input.colors = fmt::format("{}", atp_alignment_colors(in.data.get()));
    in.test = read_data(session, "--test", flags.test, test_input, test_rows, like);
  }
  if (in.colors) check_fixed_colors(in.colors.get(), in.data.get(), options, flags.colors_from);
  return in;
}

Trainer make_trainer(const Session &session, const LearnFlags &flags, const Inputs &in, const atp_options *options) {
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), in.data.get(), options, out(trainer)));
  if (in.colors) fix_colors(in.colors.get(), trainer.get(), flags.colors_from);
  if (in.test) check(atp_trainer_set_test(trainer.get(), in.test.get()), "--test " + flags.test);
  if (in.truth) check(atp_trainer_set_truth(trainer.get(), in.truth.get()), "--truth " + flags.truth);
  return trainer;
}

// The wide start, where there is one, and the training, from the beginning or from the checkpoint. Gives what interrupted it, or "".
std::string train_kept(const Session &session, const Choice &choice, const Inputs &in, atp_trainer *trainer, TrainingJob job, KeptRun &kept,
                       atp_outcome *outcome) {
  const Checkpoint &checkpoint = kept.checkpoint();
  if (!checkpoint.resumed()) kept.announce();
  const bool resumed_wide = checkpoint.resumed() && checkpoint.phase() == kWidePhase;
  if (resumed_wide && choice.start != Start::wide)
    wrong_use("--checkpoint {} is of a wide start, expected --start wide", checkpoint.path());
  if (resumed_wide || (choice.start == Start::wide && !checkpoint.resumed())) {
    const Trainer wide = make_wide(session, in.data.get(), choice.options.get());
    if (resumed_wide) kept.load(wide.get());
    TrainingJob start;
    start.checkpoint_seconds = job.checkpoint_seconds;
    if (checkpoint.wanted()) start.save = [&] { kept.save(wide.get(), kWidePhase); };
    *outcome = wide_start(session, wide.get(), trainer, start);
    if (*outcome == ATP_OUTCOME_CANCELLED) return fmt::format("after iteration {} of the wide start", atp_trainer_epochs(wide.get()));
  } else if (checkpoint.resumed()) {
    kept.load(trainer);
  }
  if (checkpoint.wanted()) job.save = [&] { kept.save(trainer, kTrainingPhase); };
  *outcome = train(session, trainer, job, kept.log);
  return *outcome == ATP_OUTCOME_CANCELLED ? fmt::format("after epoch {}", atp_trainer_epochs(trainer)) : "";
}

void write_learned(const Session &session, Trainer trainer, const LearnFlags &flags, const Checkpoint &checkpoint) {
  Model model;
  check(atp_trainer_model(trainer.get(), out(model)));
  trainer.reset();  // its memory is needed to put the file together
  try {
    check(atp_model_write(session.context.get(), model.get(), flags.output.c_str()), "--output " + flags.output);
  } catch (const Failure &failure) {
    if (!checkpoint.wanted()) throw;
    throw Failure(failure.status(), fmt::format("{}; {}", failure.what(), checkpoint.kept()));
  }
}

void say_result(const Session &session, const EpochLog &log) {
  if (log.empty()) return;
  if (std::isfinite(log.back().test_loss)) session.say("test loss {:.6f}", log.back().test_loss);
  if (std::isfinite(log.back().optimal_loss)) session.say("optimal loss {:.6f}", log.back().optimal_loss);
  if (std::isfinite(log.back().coupling_error)) session.say("coupling error {:.6g}", log.back().coupling_error);
}

int run_learn(Session &session, LearnFlags &flags) {
  apply_preset(session, flags.app, flags.like);
  const Choice choice = make_options(session, flags);
  needs("--test-rows", flags.test_rows, !flags.test.empty(), "with --test");
  TrainingJob job;
  job.checkpoint_seconds = flags.checkpoint.check_values();
  check_outputs(flags);
  Checkpoint checkpoint(session, "learn", flags.checkpoint);
  auto before = std::make_unique<EndAtOnce>(flags.checkpoint.resume
                                                ? fmt::format("interrupted before training went on; {} is as it was", checkpoint.path())
                                                : "interrupted before training began; nothing was kept");
  const Inputs in = read_inputs(session, flags, choice.options.get());
  flags.attention.set_penalty(choice.options.get(), atp_alignment_sites(in.data.get()));
  RunPlan plan;
  plan.checkpoint = checkpoint.wanted();
  plan.model = plan.written = true;
  const std::string needed = check_memory(session, in.data.get(), choice.options.get(), choice.start, plan);
  Trainer trainer = make_trainer(session, flags, in, choice.options.get());
  checkpoint.read();
  before.reset();
  job.epochs = epochs_of(choice.options.get(), in.data.get());
  KeptRun kept(session, checkpoint, flags.log);
  kept.messages.push_back(needed);
  if (!flags.attention.convention.empty()) kept.messages.push_back(flags.attention.text());
  atp_outcome outcome = ATP_OUTCOME_NONE;
  const std::string stopped = train_kept(session, choice, in, trainer.get(), job, kept, &outcome);
  kept.finish_log(atp_outcome_name(outcome));
  if (!stopped.empty())
    throw Failure(kept.failure().empty() ? kInterrupted : kFailed, fmt::format("interrupted {}; {}", stopped, checkpoint.kept()));
  double loss = 0, objective = 0;
  check(atp_trainer_gradient(trainer.get(), &loss, &objective, nullptr, 0));
  const int64_t epochs = atp_trainer_epochs(trainer.get());
  write_learned(session, std::move(trainer), flags, checkpoint);
  if (choice.dense)
    session.say("{} after {} {}; training loss {:.6f} nats per site, objective {:.10g}", atp_outcome_name(outcome), epochs,
                flags.training.asymmetric ? "sites" : "iterations", loss, objective);
  else
    session.say("{} after {} epochs; training loss {:.6f} nats per site", atp_outcome_name(outcome), epochs, loss);
  say_result(session, kept.log);
  if (!kept.failure().empty()) failed("--output {} was written, but {}", flags.output, kept.failure());
  if (outcome == ATP_OUTCOME_CONVERGED) return kDone;
  // SGD and Adam have a plan, not a stopping test.
  if (outcome == ATP_OUTCOME_MAX_ITER && !choice.lbfgs) return kDone;
  session.say("warning: not converged ({}); the model was written all the same", atp_outcome_name(outcome));
  return kNotConverged;
}

}  // namespace

void add_learn(Program &program) {
  auto flags = std::make_shared<LearnFlags>();
  CLI::App *app = program.add("learn", "a model from sequences: factored attention, trained on masked tokens",
                              "attopotts learn data.h5 -o learned.h5 --rows 0:3000 --test data.h5 --test-rows 3000:3000 \\\n"
                              "    --truth truth.h5 --epochs 1000 --log learn.csv",
                              [flags](Session &session) { return run_learn(session, *flags); });
  const auto text = [app](const char *name, std::string &value, const char *description, const char *type) {
    return app->add_option(name, value, description)->type_name(type);
  };
  app->add_option("DATA", flags->data, "the sequences: HDF5, FASTA or integers; -: standard input")->required();
  text("-o,--output", flags->output, "the model, HDF5", "MODEL")->required();
  text("--family", flags->family, "factored (attention) or dense (couplings of every pair)", "WHAT")->capture_default_str();
  text("--heads", flags->heads, "attention heads (1)", "H");
  text("--map", flags->map, "free (default), softmax or lowrank", "WHAT");
  text("--rank", flags->rank, "of --map lowrank (16)", "R");
  app->add_flag("--fields", flags->fields, "learn fields b_i(a)");
  text("--colors-from", flags->colors_from, "keep V fixed as in this model", "MODEL");
  text("--objective", flags->objective, "pseudolikelihood (default) or mlm (one masked site per sequence and epoch)", "WHAT");
  text("--optimizer", flags->optimizer, "lbfgs (default), sgd (default with mlm) or adam", "WHAT");
  text("--rate", flags->rate, "initial learning rate (sgd 0.5, adam 0.01)", "X");
  text("--momentum", flags->momentum, "of sgd (0)", "X");
  text("--batch", flags->batch, "sequences per step of sgd and adam (100)", "N");
  text("--start", flags->start, "wide (by way of 4 H heads; default with lbfgs, free maps and H < 4) or random", "WHAT");
  text("--init-scale", flags->init_scale, "standard deviation of the random start (0.1)", "X");
  text("--l2-colors", flags->l2_colors, "penalty on V (0)", "X");
  text("--rows", flags->rows, "learn from COUNT sequences from FIRST (0-based) on", "FIRST:COUNT");
  text("--test", flags->test, "held-out sequences: adds test_loss to the log", "DATA");
  text("--test-rows", flags->test_rows, "use these sequences of them", "FIRST:COUNT");
  text("--truth", flags->truth, "the model that made the data: adds optimal_loss and coupling_error", "MODEL");
  text("--log", flags->log, "CSV with a row per epoch", "FILE");
  flags->checkpoint.add(app);
  flags->training.add(app);
  flags->app = app;
  add_like(app, flags->like);
  flags->attention.add(app);
  flags->input.add(app);
}

}  // namespace cli
