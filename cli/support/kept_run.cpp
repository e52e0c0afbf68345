// SPDX-License-Identifier: MIT
#include "support/kept_run.hpp"

#include "support/files.hpp"
#include "support/memory.hpp"

#include <sys/stat.h>

#include <new>

namespace cli {

namespace {

bool is_there(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

void KeptRun::announce() {
  for (const std::string &text : messages) session_.message(text);
}

void KeptRun::load(atp_trainer *trainer) {
  const std::string_view state = checkpoint_.part("state");
  check(atp_trainer_load_state(trainer, state.data(), static_cast<int64_t>(state.size())), "--checkpoint " + checkpoint_.path());
  const int64_t done = atp_trainer_epochs(trainer);
  if (checkpoint_.phase() != kWidePhase) {
    const std::string rows(checkpoint_.part("log"));
    if (!rows.empty())
      log = log_of(parse_table(rows), "--checkpoint " + checkpoint_.path(), done);
    else if (log_is_a_file() && is_there(log_path_))  // beside a bare state
      log = log_of(read_table(session_, log_path_), "--log " + log_path_, done);
  }
  checkpoint_.forget();
  announce();
  session_.say("continuing after {} {}", checkpoint_.phase() == kWidePhase ? "iteration" : "epoch", done);
  // Rewrites the log file up to the epoch of the state: later rows disappear, missing rows come from the checkpoint.
  if (log_is_a_file()) save_log("running");
}

void KeptRun::save(const atp_trainer *trainer, const char *phase) {
  const int64_t done = atp_trainer_epochs(trainer), size = atp_trainer_state_bytes(trainer);
  if (checkpoint_.wanted()) try {
      const std::string rows = log.empty() ? "" : log_table(session_, log, "running").text();
      CheckpointImage image(phase);
      char *state = image.room("state", size, rows.size());
      check(atp_trainer_save_state(trainer, state, size));
      image.add("log", rows);
      checkpoint_.save(std::move(image), fmt::format("after {} {}", phase == kWidePhase ? "iteration" : "epoch", done));
    } catch (const std::bad_alloc &) {
      checkpoint_.cannot_save(fmt::format("no memory for a state of {}", memory_text(static_cast<double>(size))));
    }
  if (log_is_a_file()) save_log("running");
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

}  // namespace cli
