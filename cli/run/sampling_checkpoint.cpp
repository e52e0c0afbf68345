// SPDX-License-Identifier: MIT
#include "run/sampling_checkpoint.hpp"

#include "run/errors.hpp"

#include <cstring>

namespace cli {

namespace {

const char *stage_text(const atp_sampling *run) {
  switch (atp_sampling_stage_of(run)) {
    case ATP_SAMPLING_STAGE_LADDER: return "before the burn-in";
    case ATP_SAMPLING_STAGE_BURN_IN: return "in the burn-in";
    case ATP_SAMPLING_STAGE_SAMPLE: return "in the sampling";
    default: return "at the end";
  }
}

}  // namespace

SamplingCheckpoint::SamplingCheckpoint(const Session &session, Checkpoint &checkpoint, double interval, std::string settings)
    : session_(session), checkpoint_(checkpoint), interval_(interval), settings_(std::move(settings)) {
  if (!checkpoint.resumed()) return;
  const std::string had(checkpoint.part("settings"));
  if (had != settings_) wrong_use("--checkpoint {} was made with \"{}\", expected \"{}\" with --resume", checkpoint.path(), had, settings_);
  numbers_ = checkpoint.part("numbers");
}

std::vector<double> SamplingCheckpoint::numbers(const std::function<std::vector<double>()> &make) {
  std::vector<double> x(numbers_.size() / sizeof(double));
  if (x.empty()) {
    x = make();
    numbers_.assign(reinterpret_cast<const char *>(x.data()), x.size() * sizeof(double));
  } else {
    std::memcpy(x.data(), numbers_.data(), x.size() * sizeof(double));
  }
  return x;
}

void SamplingCheckpoint::load(atp_sampling *run) {
  if (!checkpoint_.resumed()) return;
  const std::string_view state = checkpoint_.part("state");
  check(atp_sampling_load_state(run, state.data(), static_cast<int64_t>(state.size())), "--checkpoint " + checkpoint_.path());
  checkpoint_.forget();
  session_.say("continuing {}", stage_text(run));
}

bool SamplingCheckpoint::due() const {
  return checkpoint_.wanted() && std::chrono::duration<double>(Clock::now() - saved_).count() >= interval_;
}

void SamplingCheckpoint::save(const atp_sampling *run) {
  if (!checkpoint_.wanted()) return;
  CheckpointImage image("sampling");
  const int64_t size = atp_sampling_state_bytes(run);
  check(atp_sampling_save_state(run, image.room("state", size), size));
  image.add("settings", settings_);
  if (!numbers_.empty()) image.add("numbers", numbers_);
  checkpoint_.save(std::move(image), stage_text(run));
  saved_ = Clock::now();
}

void SamplingCheckpoint::end_interrupted() const {
  if (!checkpoint_.wanted()) throw Failure(kInterrupted, "interrupted");
  throw Failure(checkpoint_.failure().empty() ? kInterrupted : kFailed, "interrupted; " + checkpoint_.kept());
}

}  // namespace cli
