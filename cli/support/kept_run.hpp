// SPDX-License-Identifier: MIT
// A training run as it is kept: the trainer's state and the rows of the log in one checkpoint, and the log as a table of its own.
#pragma once

#include "support/checkpoint.hpp"
#include "support/files.hpp"
#include "support/training.hpp"

#include <string>
#include <vector>

namespace cli {

// Phases of a run, as checkpoints name them; a bare state is of the training.
inline constexpr const char *kWidePhase = "wide start", *kTrainingPhase = "training";

class KeptRun {
 public:
  KeptRun(const Session &session, Checkpoint &checkpoint, std::string log_path)
      : session_(session),
        checkpoint_(checkpoint),
        log_path_(std::move(log_path)),
        log_is_replaced_(is_replaced(log_path_) || is_named_pipe(log_path_)) {}

  EpochLog log;
  std::vector<std::string> messages;  // said when the run begins or goes on

  const Checkpoint &checkpoint() const { return checkpoint_; }
  void announce();
  // The state that --resume has found, and the rows of the log up to it.
  void load(atp_trainer *trainer);
  // What TrainingJob::save does in this phase. Failures are warnings.
  void save(const atp_trainer *trainer, const char *phase);
  // The log at the end.
  void finish_log(const std::string &outcome);
  // "" or why a file that was asked for is not what it should be.
  std::string failure() const;

 private:
  bool log_is_a_file() const { return log_is_replaced_; }
  void save_log(const std::string &outcome);
  const Session &session_;
  Checkpoint &checkpoint_;
  std::string log_path_, log_failure_;
  bool log_is_replaced_;  // a file, or a named pipe, which gets the whole log at each save; else a stream, which gets it once, at the end
};

}  // namespace cli
