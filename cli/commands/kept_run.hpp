// SPDX-License-Identifier: MIT
// Keeps a training run: its memory and its start, the trainer's state and the rows of the log in one checkpoint, and the log in a separate
// table.
#pragma once

#include "run/checkpoint.hpp"
#include "run/files.hpp"
#include "run/system.hpp"
#include "run/training.hpp"
#include "run/memory.hpp"
#include "run/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cli {

// Start parameters: random, or from a wider problem with more heads, because few heads have local minima on low-temperature data.
enum class Start { random, wide };
inline constexpr int64_t kWideTimes = 4, kWideIterations = 100, kWideBelow = 4, kMostHeads = 1024;

// Fails if the run does not fit into memory, with a flag that would make it fit. Returns one line on the memory needed.
std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan);

// Creates the trainer of a wide start, with more heads than the options have. Its states are ordinary trainer states.
Trainer make_wide(const Session &session, const atp_alignment *data, const atp_options *options, const std::vector<int64_t> &order);
// Gives a trainer the order that --order FILE has; empty: there is none.
void set_order(atp_trainer *trainer, const std::vector<int64_t> &order);
// Trains it from its present state. Unless the outcome is CANCELLED or DIVERGED, `trainer` starts from the closest couplings with its
// heads.
atp_outcome wide_start(const Session &session, atp_trainer *wide, atp_trainer *trainer, TrainingJob job = {});

// Names of the phases in checkpoints. A bare state is from the training phase.
inline constexpr const char *kWidePhase = "wide start", *kTrainingPhase = "training", *kPolishPhase = "polish";

// What a run began with, by a flag, so that a run is not continued with another one that would have no effect.
struct RunStart {
  std::string flag;
  bool given;            // by this command
  std::string checksum;  // "none": there is none
};

class KeptRun {
 public:
  KeptRun(const Session &session, Checkpoint &checkpoint, std::string log_path)
      : session_(session),
        checkpoint_(checkpoint),
        log_path_(std::move(log_path)),
        log_is_replaced_(is_replaced(log_path_) || is_named_pipe(log_path_)) {}

  EpochLog log;
  std::vector<double> best;           // the parameters of the epoch with the lowest test loss, with --keep best
  std::vector<std::string> messages;  // printed when the run begins or continues
  std::vector<RunStart> starts;

  const Checkpoint &checkpoint() const { return checkpoint_; }
  void announce();
  // Loads the state that --resume found, and the rows of the log up to it. `before`: epochs of earlier trainers.
  void load(atp_trainer *trainer, int64_t before = 0);
  // Saves state and log; TrainingJob::save calls it. Failures are warnings.
  void save(const atp_trainer *trainer, const char *phase, int64_t before = 0);
  // Keeps the parameters of the best epoch; TrainingJob::keep calls it.
  void keep(const atp_trainer *trainer);
  // Writes the final log.
  void finish_log(const std::string &outcome);
  // Returns "", or why the checkpoint or the log could not be written.
  std::string failure() const;

 private:
  void check_starts() const;
  bool log_is_a_file() const { return log_is_replaced_; }
  void save_log(const std::string &outcome);
  const Session &session_;
  Checkpoint &checkpoint_;
  std::string log_path_, log_failure_;
  bool log_is_replaced_;  // a file or named pipe, which gets the whole log at each save; a stream gets it once, at the end
};

// What is trained: `trainer` was created from these.
struct TrainingTask {
  const atp_alignment *data = nullptr;
  const atp_options *options = nullptr;
  Start start = Start::random;
  bool keep_best = false;
  int64_t polish = 0;  // iterations of L-BFGS on all sites after the training
  // Makes a trainer of other options, with the same test sequences and truth; needed with `polish`.
  std::function<Trainer(const atp_options *)> make;
  std::vector<int64_t> order;  // of an autoregressive model; empty: that of the options
};

struct TrainingEnd {
  atp_outcome outcome = ATP_OUTCOME_NONE;
  std::string stopped;    // the place of an interruption, or ""
  bool learned = false;   // the trainer has parameters that were learned
  int64_t epochs = 0;     // of all trainers
  bool polished = false;  // the outcome is that of the last iterations
};

// Runs the wide start, if there is one, the training and its polish, from the beginning or from the checkpoint; `trainer` is the last one.
// After an interruption of the wide start it has the closest parameters to those so far.
TrainingEnd train_kept(const Session &session, const TrainingTask &task, Trainer &trainer, TrainingJob job, KeptRun &kept);

// Throws the failure that ends an interrupted run. A model that was learned so far is first written to `path`, marked by its origin line,
// or beside it where `path` has anything but a model that is marked so; `flag` names the path; it may be "".
[[noreturn]] void end_interrupted(const Session &session, Trainer trainer, const TrainingEnd &end, const KeptRun &kept,
                                  const std::pair<std::string, std::string> &flag_and_path);

}  // namespace cli
