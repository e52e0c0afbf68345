// SPDX-License-Identifier: MIT
#include "commands/kept_run.hpp"

#include "flags/training_flags.hpp"
#include "run/files.hpp"
#include "run/memory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace cli {

namespace {

// What a run needs: the training itself and, where it begins with one, the wide start beside it.
MemoryForecast forecast_run(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan) {
  plan.more_training_bytes = 0;
  if (start == Start::wide) {
    int64_t heads = 1;
    const Options wide = copy_options(session, options);
    check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
    check(atp_options_set_i64(wide.get(), ATP_OPT_HEADS, std::min(kWideTimes * heads, kMostHeads)));
    plan.more_training_bytes = forecast_memory(session, data, wide.get(), RunPlan()).training;
  }
  return forecast_memory(session, data, options, plan);
}

// A flag that saves memory.
struct MemorySaver {
  const char *flag;
  atp_option key;
  int64_t value;
  Start start;
};

// Those that a run with these options takes: only lbfgs has a history and problems of single sites, only factored attention has heads.
std::vector<MemorySaver> memory_savers(const Session &session, const atp_options *options, Start start) {
  int64_t family = 0, optimizer = 0, asymmetric = 0;
  check(atp_options_get_i64(options, ATP_OPT_FAMILY, &family));
  check(atp_options_get_i64(options, ATP_OPT_OPTIMIZER, &optimizer));
  check(atp_options_get_i64(options, ATP_OPT_ASYMMETRIC, &asymmetric));
  const bool dense = family == ATP_FAMILY_DENSE, factored = family == ATP_FAMILY_FACTORED;
  const bool lbfgs = optimizer == ATP_OPTIMIZER_LBFGS || (optimizer == 0 && (dense || factored));
  std::vector<MemorySaver> savers;
  if (start == Start::wide) savers.push_back({"--start random", ATP_OPT_SEED, session.seed, Start::random});
  savers.push_back({"--precision 32", ATP_OPT_PRECISION, 32, start});
  if (lbfgs) savers.push_back({"--set history=3", ATP_OPT_HISTORY, 3, start});
  if (factored) savers.push_back({"--heads 1", ATP_OPT_HEADS, 1, start});
  if (dense && lbfgs && asymmetric == 0) savers.push_back({"--asymmetric", ATP_OPT_ASYMMETRIC, 1, start});
  return savers;
}

// What to do where no flag alone is enough. `least` is what dense couplings need with --asymmetric; 0: it is given or has no use.
std::string larger_change(int64_t family, double needed, double least) {
  switch (family) {
    case ATP_FAMILY_DENSE:  // its couplings take most of the memory however few the sequences
      return fmt::format("factored attention, fewer sites with --focus or --max-gaps-column, or {}{}",
                         least > 0 ? "--asymmetric and " : "a --memory of ", memory_text(least > 0 ? least : needed));
    case ATP_FAMILY_ENCODER: return "a smaller network with --set width, hidden or blocks, or a larger --memory";
    default: return "fewer sequences with --rows FIRST:COUNT, or a larger --memory";
  }
}

}  // namespace

std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan) {
  const MemoryForecast forecast = forecast_run(session, data, options, start, plan);
  const double available = available_memory(session);
  if (available < 0 || forecast.more <= available) return forecast_text(data, forecast, available);
  int64_t family = 0;
  check(atp_options_get_i64(options, ATP_OPT_FAMILY, &family));
  std::string help;  // all flags that would do, each alone
  double least = 0;
  for (const MemorySaver &saver : memory_savers(session, options, start)) {
    const Options changed = copy_options(session, options);
    check(atp_options_set_i64(changed.get(), saver.key, saver.value));
    const double needed = forecast_run(session, data, changed.get(), saver.start, plan).more;
    if (needed <= available) help += (help.empty() ? "" : " or ") + std::string(saver.flag);
    if (saver.key == ATP_OPT_ASYMMETRIC) least = needed;
  }
  if (help.empty()) help = larger_change(family, forecast.more, least);
  wrong_use("training needs {} and {} are available, expected {}", memory_text(forecast.more), memory_text(available), help);
}

namespace {

// For L-BFGS, which minimises over all sites: no masked tokens.
void use_all_sites(atp_options *options) {
  int64_t objective = 0;
  check(atp_options_get_i64(options, ATP_OPT_OBJECTIVE, &objective));
  if (objective == ATP_OBJECTIVE_MLM) check(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD));
}

}  // namespace

void set_order(atp_trainer *trainer, const std::vector<int64_t> &order) {
  if (!order.empty()) check(atp_trainer_set_order(trainer, order.data(), static_cast<int64_t>(order.size())), "--order");
}

Trainer make_wide(const Session &session, const atp_alignment *data, const atp_options *options, const std::vector<int64_t> &order) {
  int64_t heads = 1;
  check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
  const Options wide = copy_options(session, options);
  check(atp_options_set_i64(wide.get(), ATP_OPT_HEADS, std::min(kWideTimes * heads, kMostHeads)));
  check(atp_options_set_i64(wide.get(), ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS));
  use_all_sites(wide.get());
  check(atp_options_set_f64(wide.get(), ATP_OPT_MOMENTUM, 0));
  check(atp_options_set_f64(wide.get(), ATP_OPT_RATE, 0));
  check(atp_options_set_i64(wide.get(), ATP_OPT_BATCH, 100));  // the defaults: L-BFGS uses none of rate, batch and schedule
  check(atp_options_set_i64(wide.get(), ATP_OPT_SCHEDULE, 0));
  check(atp_options_set_i64(wide.get(), ATP_OPT_EPOCHS, kWideIterations));
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data, wide.get(), out(trainer)), "--start wide");
  set_order(trainer.get(), order);
  return trainer;
}

atp_outcome wide_start(const Session &session, atp_trainer *wide, atp_trainer *trainer, TrainingJob job) {
  EpochLog unused;  // the log contains only the training itself
  job.task = "start";
  const atp_outcome outcome = train(session, wide, job, unused);
  if (outcome != ATP_OUTCOME_CANCELLED && outcome != ATP_OUTCOME_DIVERGED) check(atp_trainer_start_from(trainer, wide), "--start wide");
  return outcome;
}

namespace {

bool is_there(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

constexpr const char *kInterruptedMark = "training was interrupted";

// The file for the model of an interrupted run. A file with anything but such a model is not replaced.
std::string place_of_interrupted(const Session &session, const std::string &path) {
  struct stat status;
  if (!is_there(path) || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return path;
  Model earlier;
  const atp_status read = atp_model_read(session.context.get(), path.c_str(), out(earlier));
  const bool interrupted = read == ATP_OK && std::strstr(atp_model_origin(earlier.get()), kInterruptedMark) != nullptr;
  return interrupted ? path : path + ".interrupted";
}

}  // namespace

void KeptRun::announce() {
  for (const std::string &text : messages) session_.message(text);
}

// Fails where a flag names another start than that of the run in the checkpoint.
void KeptRun::check_starts() const {
  const std::string_view saved = checkpoint_.part("start");
  if (saved.empty()) return;
  for (const RunStart &start : starts)
    if (start.given && saved.find(start.flag + " " + start.checksum + "\n") == std::string_view::npos)
      wrong_use(
          "{} is not that of the run in --checkpoint {}, which goes on from its state; expected the same or none with --resume, or "
          "--restart",
          start.flag, checkpoint_.path());
}

void KeptRun::load(atp_trainer *trainer, int64_t before) {
  check_starts();
  const std::string_view state = checkpoint_.part("state");
  check(atp_trainer_load_state(trainer, state.data(), static_cast<int64_t>(state.size())), "--checkpoint " + checkpoint_.path());
  const int64_t done = before + atp_trainer_epochs(trainer);
  if (checkpoint_.phase() != kWidePhase) {
    const std::string rows(checkpoint_.part("log"));
    if (!rows.empty())
      log = log_of(parse_table(rows), "--checkpoint " + checkpoint_.path(), done);
    else if (as_first_rank([&] { return log_is_a_file() && is_there(log_path_); }))  // beside a bare state
      log = log_of(read_table(session_, log_path_), "--log " + log_path_, done);
  }
  const std::string_view kept = checkpoint_.part("best");
  best.resize(kept.size() / sizeof(double));
  if (!best.empty()) std::memcpy(best.data(), kept.data(), best.size() * sizeof(double));
  checkpoint_.forget();
  announce();
  session_.say("continuing after {} {}", checkpoint_.phase() == kWidePhase ? "iteration" : "epoch", done);
  // Rewrites the log file up to the epoch of the state: later rows disappear, missing rows come from the checkpoint.
  if (log_is_a_file()) save_log("running");
}

void KeptRun::save(const atp_trainer *trainer, const char *phase, int64_t before) {
  const int64_t done = before + atp_trainer_epochs(trainer), size = atp_trainer_state_bytes(trainer);
  if (checkpoint_.wanted()) try {
      const std::string rows = log.empty() ? "" : log_table(session_, log, "running").text();
      CheckpointImage image(phase);
      const std::string_view kept(reinterpret_cast<const char *>(best.data()), best.size() * sizeof(double));
      char *state = image.room("state", size, rows.size() + kept.size());
      check(atp_trainer_save_state(trainer, state, size));
      image.add("log", rows);
      if (!starts.empty()) {
        std::string lines;
        for (const RunStart &start : starts) lines += start.flag + " " + start.checksum + "\n";
        image.add("start", lines);
      }
      if (!kept.empty()) image.add("best", std::string(kept));
      checkpoint_.save(std::move(image), fmt::format("after {} {}", phase == kWidePhase ? "iteration" : "epoch", done));
    } catch (const std::bad_alloc &) {
      checkpoint_.cannot_save(fmt::format("no memory for a state of {}", memory_text(static_cast<double>(size))));
    }
  if (log_is_a_file()) save_log("running");
}

void KeptRun::keep(const atp_trainer *trainer) {
  best.resize(static_cast<std::size_t>(atp_trainer_parameter_count(trainer)));
  check(atp_trainer_parameters(trainer, best.data(), static_cast<int64_t>(best.size())));
}

void KeptRun::save_log(const std::string &outcome) {
  try {
    log_table(session_, log, outcome).write(session_, log_path_);
    log_failure_.clear();
  } catch (const Failure &failure) {
    log_failure_ = failure.what();
    session_.say("warning: log not written: {}; the run continues", failure.what());
  }
}

void KeptRun::finish_log(const std::string &outcome) {
  if (log_is_a_file()) save_log(outcome);
  if (!log_path_.empty() && !log_is_a_file()) log_table(session_, log, outcome).write(session_, log_path_);
}

std::string KeptRun::failure() const {
  std::string text;
  if (!checkpoint_.failure().empty()) text = "the last checkpoint could not be saved: " + checkpoint_.failure();
  if (!log_failure_.empty()) text += (text.empty() ? "" : "; ") + ("--log could not be written: " + log_failure_);
  return text;
}

namespace {

// Runs or continues the wide start. Returns the place of an interruption, or "".
std::string start_wide(const Session &session, const TrainingTask &task, atp_trainer *trainer, double checkpoint_seconds, KeptRun &kept,
                       TrainingEnd *end) {
  const Trainer wide = make_wide(session, task.data, task.options, task.order);
  if (kept.checkpoint().resumed()) kept.load(wide.get());
  TrainingJob job;
  job.checkpoint_seconds = checkpoint_seconds;
  if (kept.checkpoint().wanted()) job.save = [&] { kept.save(wide.get(), kWidePhase); };
  end->outcome = wide_start(session, wide.get(), trainer, job);
  if (end->outcome != ATP_OUTCOME_CANCELLED) return "";
  end->learned = atp_trainer_epochs(wide.get()) > 0;
  if (end->learned) check(atp_trainer_start_from(trainer, wide.get()), "--start wide");
  return fmt::format("after iteration {} of the wide start", atp_trainer_epochs(wide.get()));
}

// Options of the polish of a training: L-BFGS on all sites, with the penalties of the training.
Options polish_options(const Session &session, const TrainingTask &task) {
  Options polish = copy_options(session, task.options);
  polish.set(ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS);
  use_all_sites(polish.get());
  polish.set(ATP_OPT_EPOCHS, task.polish);
  for (const atp_option key : {ATP_OPT_MOMENTUM, ATP_OPT_RATE, ATP_OPT_MASK_PROBABILITY}) polish.set(key, 0);
  polish.set(ATP_OPT_BATCH, 100);  // the defaults: L-BFGS uses neither
  polish.set(ATP_OPT_SCHEDULE, 0);
  return polish;
}

// Trains from the present state, and counts the epochs of `before`.
void train_phase(const Session &session, const TrainingTask &task, atp_trainer *trainer, TrainingJob job, const char *phase, KeptRun &kept,
                 TrainingEnd &end) {
  if (kept.checkpoint().wanted()) job.save = [&kept, trainer, phase, before = job.before] { kept.save(trainer, phase, before); };
  if (task.keep_best) job.keep = [&kept, trainer] { kept.keep(trainer); };
  end.outcome = train(session, trainer, job, kept.log);
  end.epochs = job.before + atp_trainer_epochs(trainer);
  end.learned = end.learned || end.epochs > 0;
  if (end.outcome == ATP_OUTCOME_CANCELLED) end.stopped = fmt::format("after epoch {}", end.epochs);
}

}  // namespace

TrainingEnd train_kept(const Session &session, const TrainingTask &task, Trainer &trainer, TrainingJob job, KeptRun &kept) {
  const Checkpoint &checkpoint = kept.checkpoint();
  TrainingEnd end;
  const bool resumed = checkpoint.resumed(), resumed_wide = resumed && checkpoint.phase() == kWidePhase;
  const bool resumed_polish = resumed && checkpoint.phase() == kPolishPhase;
  if (!resumed) kept.announce();
  if (resumed_wide && task.start != Start::wide) wrong_use("--checkpoint {} is of a wide start, expected --start wide", checkpoint.path());
  if (resumed_polish && task.polish == 0) wrong_use("--checkpoint {} is of a polish, expected --polish as in that run", checkpoint.path());
  if (resumed_wide || (task.start == Start::wide && !resumed)) {
    end.stopped = start_wide(session, task, trainer.get(), job.checkpoint_seconds, kept, &end);
    if (!end.stopped.empty()) return end;
    end.learned = true;
  }
  int64_t epochs = 0;
  check(atp_options_get_i64(task.options, ATP_OPT_EPOCHS, &epochs));
  if (resumed_polish) {
    trainer = task.make(polish_options(session, task).get());
    kept.load(trainer.get(), epochs);
  } else if (resumed && !resumed_wide) {
    kept.load(trainer.get());
  }
  if (!task.keep_best) kept.best.clear();
  if (task.keep_best && kept.best.empty() && best_row(kept.log) != nullptr)
    wrong_use("--keep is \"best\" but --checkpoint {} has no best model, expected last as in that run", checkpoint.path());
  if (!resumed_polish) {
    train_phase(session, task, trainer.get(), job, kTrainingPhase, kept, end);
    if (task.polish == 0 || end.outcome == ATP_OUTCOME_CANCELLED || end.outcome == ATP_OUTCOME_DIVERGED) return end;
    std::vector<double> parameters(static_cast<std::size_t>(atp_trainer_parameter_count(trainer.get())));
    check(atp_trainer_parameters(trainer.get(), parameters.data(), static_cast<int64_t>(parameters.size())));
    trainer = task.make(polish_options(session, task).get());
    check(atp_trainer_set_parameters(trainer.get(), parameters.data(), static_cast<int64_t>(parameters.size())));
  }
  end.polished = true;
  job.task = "polish";
  job.unit = "iterations";
  job.before = epochs;
  train_phase(session, task, trainer.get(), job, kPolishPhase, kept, end);
  return end;
}

void end_interrupted(const Session &session, Trainer trainer, const TrainingEnd &end, const KeptRun &kept,
                     const std::pair<std::string, std::string> &flag_and_path) {
  const auto &[flag, path] = flag_and_path;
  std::string text = "interrupted " + end.stopped;
  if (!path.empty() && end.learned) {
    Model model;
    check(atp_trainer_model(trainer.get(), out(model)));
    trainer = Trainer();  // its memory is needed to build the file
    const EpochRow *best = kept.best.empty() ? nullptr : best_row(kept.log);
    const std::string of_best = best == nullptr ? "" : fmt::format("; epoch {}, the lowest test loss", best->epoch);
    const std::string origin = fmt::format("attopotts {}: {} {}{}", atp_version_string(), kInterruptedMark, end.stopped, of_best);
    check(atp_model_set_origin(model.get(), origin.c_str()));
    const std::string place = is_first_rank() ? place_of_interrupted(session, path) : path;
    const atp_status status = !is_first_rank() ? ATP_OK : atp_model_write(session.context.get(), model.get(), place.c_str());
    text += status == ATP_OK ? fmt::format("; {} has the model so far, marked as interrupted", place)
                             : fmt::format("; {} could not be written: {}", flag, last_error(status));
  } else if (!path.empty()) {
    text += fmt::format("; nothing was learned yet, {} was not written", path);
  }
  throw Failure(kept.failure().empty() ? kInterrupted : kFailed, text + "; " + kept.checkpoint().kept());
}

}  // namespace cli
