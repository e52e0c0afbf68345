// SPDX-License-Identifier: MIT
// attopotts learn: a model from sequences.
#include "attention_flags.hpp"
#include "files.hpp"
#include "presets.hpp"
#include "training.hpp"
#include "training_flags.hpp"
#include "training_start.hpp"

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
  std::string rows, test, test_rows, truth, log, checkpoint, checkpoint_interval = "30";
  bool fields = false, resume = false;
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

void save_state(const Session &session, const atp_trainer *trainer, const std::string &path) {
  std::vector<unsigned char> state(static_cast<std::size_t>(atp_trainer_state_bytes(trainer)));
  check(atp_trainer_save_state(trainer, state.data(), static_cast<int64_t>(state.size())));
  check(atp_file_write(session.context.get(), path.c_str(), state.data(), static_cast<int64_t>(state.size())), path);
}

void load_state(const Session &session, atp_trainer *trainer, const std::string &path) {
  const std::string state = read_text(session, path);
  check(atp_trainer_load_state(trainer, state.data(), static_cast<int64_t>(state.size())), "--checkpoint " + path);
}

bool exists(const Session &session, const std::string &path) {
  int64_t size = 0;
  return atp_file_size(session.context.get(), path.c_str(), &size) == ATP_OK;
}

int run_learn(Session &session, LearnFlags &flags) {
  apply_preset(session, flags.app, flags.like);
  const Choice choice = make_options(session, flags);
  if (flags.resume && flags.checkpoint.empty()) wrong_use("--resume is given without --checkpoint FILE, expected the file to go on from");
  needs("--test-rows", flags.test_rows, !flags.test.empty(), "with --test");
  const Rows rows = parse_rows("--rows", flags.rows), test_rows = parse_rows("--test-rows", flags.test_rows);
  const double interval = parse_number("--checkpoint-interval", flags.checkpoint_interval, 0, 1e9);
  check_writable("--output", flags.output);
  check_writable("--log", flags.log);
  check_writable("--checkpoint", flags.checkpoint);
  const std::size_t n = flags.output.size();
  if (flags.output == "-" || (n > 4 && flags.output.compare(n - 4, 4, ".txt") == 0))
    wrong_use("--output is \"{}\", expected the name of an HDF5 file, model.h5 say", flags.output);

  Model truth, colors;
  if (!flags.truth.empty()) truth = read_model(session, "--truth", flags.truth);
  if (!flags.colors_from.empty()) colors = read_model(session, "--colors-from", flags.colors_from);
  const atp_model *like = truth ? truth.get() : colors.get();
  DataFlags test_input = flags.test.empty() ? flags.input : flags.input.for_test();
  const Alignment data = read_data(session, "DATA", flags.data, flags.input, rows, like);
  if (atp_alignment_count(data.get()) == 1) wrong_use("DATA {} leaves one sequence to learn from, expected at least 2", flags.data);
  Alignment test;
  if (!flags.test.empty()) {
    if (test_input.colors.empty()) test_input.colors = fmt::format("{}", atp_alignment_colors(data.get()));
    test = read_data(session, "--test", flags.test, test_input, test_rows, like);
  }
  if (colors) check_fixed_colors(colors.get(), data.get(), choice.options.get(), flags.colors_from);
  flags.attention.set_penalty(choice.options.get(), atp_alignment_sites(data.get()));
  RunPlan plan;
  plan.checkpoint = !flags.checkpoint.empty();
  plan.model = plan.written = true;
  const std::string needed = check_memory(session, data.get(), choice.options.get(), choice.start, plan);
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data.get(), choice.options.get(), out(trainer)));
  if (colors) fix_colors(colors.get(), trainer.get(), flags.colors_from);
  if (test) check(atp_trainer_set_test(trainer.get(), test.get()), "--test " + flags.test);
  if (truth) check(atp_trainer_set_truth(trainer.get(), truth.get()), "--truth " + flags.truth);

  EpochLog log;
  if (flags.resume) load_state(session, trainer.get(), flags.checkpoint);
  session.message(needed);
  if (!flags.attention.convention.empty()) session.message(flags.attention.text());
  if (flags.resume) {
    const int64_t done = atp_trainer_epochs(trainer.get());
    session.say("going on after epoch {}", done);
    if (!flags.log.empty() && flags.log != "-" && exists(session, flags.log)) log = read_log(session, flags.log, done);
  } else if (choice.start != Start::random) {
    wide_start(session, trainer.get(), choice.options.get());
  }
  TrainingJob job;
  job.epochs = epochs_of(choice.options.get(), data.get());
  job.checkpoint_seconds = interval;
  if (!flags.checkpoint.empty())
    job.save = [&] {
      save_state(session, trainer.get(), flags.checkpoint);
      if (!flags.log.empty() && flags.log != "-") log_table(session, log, "running").write(session, flags.log);
    };
  const atp_outcome outcome = train(session, trainer.get(), job, log);
  if (!flags.log.empty()) log_table(session, log, atp_outcome_name(outcome)).write(session, flags.log);
  if (outcome == ATP_OUTCOME_CANCELLED) {
    if (flags.checkpoint.empty()) throw Failure(kInterrupted, "interrupted; without --checkpoint nothing was kept");
    throw Failure(kInterrupted, fmt::format("interrupted after epoch {}; state saved in {}, go on with --resume",
                                            atp_trainer_epochs(trainer.get()), flags.checkpoint));
  }
  Model model;
  double loss = 0, objective = 0;
  check(atp_trainer_gradient(trainer.get(), &loss, &objective, nullptr, 0));
  check(atp_trainer_model(trainer.get(), out(model)));
  const int64_t epochs = atp_trainer_epochs(trainer.get());
  trainer.reset();  // its memory is needed to put the file together
  check(atp_model_write(session.context.get(), model.get(), flags.output.c_str()), "--output " + flags.output);
  if (choice.dense)
    session.say("{} after {} {}; training loss {:.6f} nats per site, objective {:.10g}", atp_outcome_name(outcome), epochs,
                flags.training.asymmetric ? "sites" : "iterations", loss, objective);
  else
    session.say("{} after {} epochs; training loss {:.6f} nats per site", atp_outcome_name(outcome), epochs, loss);
  if (!log.empty() && std::isfinite(log.back().test_loss)) session.say("test loss {:.6f}", log.back().test_loss);
  if (!log.empty() && std::isfinite(log.back().optimal_loss)) session.say("optimal loss {:.6f}", log.back().optimal_loss);
  if (!log.empty() && std::isfinite(log.back().coupling_error)) session.say("coupling error {:.6g}", log.back().coupling_error);
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
  text("--checkpoint", flags->checkpoint, "keep the state here, every so often and at the end", "FILE");
  text("--checkpoint-interval", flags->checkpoint_interval, "seconds between checkpoints", "SECONDS")->capture_default_str();
  flags->training.add(app);
  app->add_flag("--resume", flags->resume, "go on from --checkpoint with the same numbers");
  flags->app = app;
  add_like(app, flags->like);
  flags->attention.add(app);
  flags->input.add(app);
}

}  // namespace cli
