// SPDX-License-Identifier: MIT
// Keeps a training run: the trainer's state and the rows of the log in one checkpoint, and the log in a separate table.
#pragma once

#include "support/checkpoint.hpp"
#include "support/files.hpp"
#include "support/training.hpp"

#include <string>
#include <vector>

namespace cli {

// Names of the phases in checkpoints. A bare state is from the training phase.
inline constexpr const char *kWidePhase = "wide start", *kTrainingPhase = "training";

class KeptRun {
 public:
  KeptRun(const Session &session, Checkpoint &checkpoint, std::string log_path)
      : session_(session),
        checkpoint_(checkpoint),
        log_path_(std::move(log_path)),
        log_is_replaced_(is_replaced(log_path_) || is_named_pipe(log_path_)) {}

  EpochLog log;
  std::vector<std::string> messages;  // printed when the run begins or continues

  const Checkpoint &checkpoint() const { return checkpoint_; }
  void announce();
  // Loads the state that --resume found, and the rows of the log up to it.
  void load(atp_trainer *trainer);
  // Saves state and log; TrainingJob::save calls it. Failures are warnings.
  void save(const atp_trainer *trainer, const char *phase);
  // Writes the final log.
  void finish_log(const std::string &outcome);
  // Returns "", or why the checkpoint or the log could not be written.
  std::string failure() const;

 private:
  bool log_is_a_file() const { return log_is_replaced_; }
  void save_log(const std::string &outcome);
  const Session &session_;
  Checkpoint &checkpoint_;
  std::string log_path_, log_failure_;
  bool log_is_replaced_;  // a file or named pipe, which gets the whole log at each save; a stream gets it once, at the end
};

}  // namespace cli
