// SPDX-License-Identifier: MIT
#include "support/sampling_store.hpp"

#include "support/memory.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <cstring>

namespace cli {

namespace {

template <class T>
void put(std::string &bytes, const T *x, std::size_t n) {
  bytes.append(reinterpret_cast<const char *>(x), n * sizeof(T));
}

void put_text(std::string &bytes, const std::string &text) {
  const int64_t n = static_cast<int64_t>(text.size());
  put(bytes, &n, 1);
  bytes += text;
}

// Reads values from the front of a byte string.
class Pieces {
 public:
  Pieces(std::string_view bytes, const std::string &path) : bytes_(bytes), path_(path) {}
  int64_t integer() {
    int64_t x = 0;
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }
  std::string text() { return std::string(take(integer())); }

 private:
  std::string_view take(int64_t n) {
    if (n < 0 || n > static_cast<int64_t>(bytes_.size())) wrong_use("--checkpoint {} is damaged: its steps do not fit their size", path_);
    const std::string_view piece = bytes_.substr(0, static_cast<std::size_t>(n));
    bytes_.remove_prefix(static_cast<std::size_t>(n));
    return piece;
  }
  std::string_view bytes_;
  const std::string &path_;
};

std::string packed(const Record &r, int64_t times) {
  std::string bytes;
  put(bytes, r.energies.data(), static_cast<std::size_t>(times * r.chains));
  put(bytes, r.sequences.data(), static_cast<std::size_t>(times * r.chains * r.sites));
  return bytes;
}

// Copies rounds from the bytes to the record; returns their number.
int64_t unpack(const std::string &bytes, Record &r) {
  const std::size_t round = static_cast<std::size_t>(r.chains) * (sizeof(double) + static_cast<std::size_t>(r.sites));
  const int64_t times = std::min(r.times, static_cast<int64_t>(bytes.size() / round));
  const std::size_t energies = static_cast<std::size_t>(times * r.chains) * sizeof(double);
  if (times == 0) return 0;
  std::memcpy(r.energies.data(), bytes.data(), energies);
  std::memcpy(r.sequences.data(), bytes.data() + energies, static_cast<std::size_t>(times * r.chains * r.sites));
  return times;
}

std::string state_name(std::size_t k) { return k == 0 ? "state" : fmt::format("state {}", k + 1); }

}  // namespace

SamplingStore::SamplingStore(const Session &session, Checkpoint &checkpoint, double interval, std::string settings)
    : session_(&session), checkpoint_(checkpoint.wanted() ? &checkpoint : nullptr), interval_(interval), settings_(std::move(settings)) {
  if (!checkpoint.resumed()) return;
  const std::string had(checkpoint.part("settings"));
  if (had != settings_) wrong_use("--checkpoint {} was made with \"{}\", expected \"{}\" with --resume", checkpoint.path(), had, settings_);
  Pieces pieces(checkpoint.part("steps"), checkpoint.path());
  done_.resize(static_cast<std::size_t>(std::clamp<int64_t>(pieces.integer(), 0, 1 << 20)));
  for (std::string &result : done_) result = pieces.text();
  base_ = pieces.integer();
  partial_ = pieces.text();
  for (std::size_t k = 0; !checkpoint.part(state_name(k)).empty(); ++k) states_.emplace_back(checkpoint.part(state_name(k)));
  checkpoint.forget();
  session.say("continuing after step {}", done_.size());
}

bool SamplingStore::finished(std::string *result) {
  if (states_.empty() || step_ >= done_.size()) return false;
  *result = done_[step_++];
  return true;
}

std::vector<double> SamplingStore::numbers(const std::function<std::vector<double>()> &make) {
  std::string result;
  if (finished(&result)) {
    std::vector<double> x(result.size() / sizeof(double));
    if (!x.empty()) std::memcpy(x.data(), result.data(), x.size() * sizeof(double));
    return x;
  }
  const std::vector<double> x = make();
  put(result, x.data(), x.size());
  end(std::move(result));
  return x;
}

void SamplingStore::begin(atp_sampler *sampler) {
  if (states_.empty()) {
    base_ = atp_sampler_sweeps(sampler);
    partial_.clear();
    return;
  }
  if (states_.size() != samplers_.size())
    wrong_use("--checkpoint {} has the states of other samplers, expected those of this command", checkpoint_->path());
  for (std::size_t k = 0; k < states_.size(); ++k)
    check(atp_sampler_load_state(samplers_[k], states_[k].data(), static_cast<int64_t>(states_[k].size())),
          "--checkpoint " + checkpoint_->path());
  states_.clear();
}

void SamplingStore::end(std::string result) {
  if (checkpoint_ != nullptr) done_.push_back(std::move(result));
  ++step_;
  base_ = 0;
  partial_.clear();
}

int SamplingStore::on_progress(const atp_progress *progress, void *self) {
  SamplingStore &store = *static_cast<SamplingStore *>(self);
  store.progress_->show(progress);
  store.due_ = store.checkpoint_ != nullptr && std::chrono::duration<double>(Clock::now() - store.saved_).count() >= store.interval_;
  return interrupted() || store.due_ ? 1 : 0;
}

void SamplingStore::pause() {
  const bool stop = interrupted();
  if (checkpoint_ != nullptr && (stop || due_)) save();
  due_ = false;
  if (!stop) return;
  if (checkpoint_ == nullptr) stop_if_interrupted();
  throw Failure(checkpoint_->failure().empty() ? kInterrupted : kFailed, "interrupted; " + checkpoint_->kept());
}

void SamplingStore::save() {
  CheckpointImage image("sampling");
  for (std::size_t k = 0; k < samplers_.size(); ++k) {
    const int64_t size = atp_sampler_state_bytes(samplers_[k]);
    check(atp_sampler_save_state(samplers_[k], image.room(state_name(k), size), size));
  }
  std::string steps;
  const int64_t count = static_cast<int64_t>(done_.size());
  put(steps, &count, 1);
  for (const std::string &result : done_) put_text(steps, result);
  put(steps, &base_, 1);
  put_text(steps, partial_);
  image.add("settings", settings_);
  image.add("steps", steps);
  checkpoint_->save(std::move(image), fmt::format("in step {}", step_ + 1));
  saved_ = Clock::now();
}

void SamplingStore::sweep(atp_sampler *sampler, int64_t sweeps, Progress &progress) {
  std::string result;
  if (finished(&result)) return;
  begin(sampler);
  progress_ = &progress;
  const StopOnSignal stop(sampler);
  for (;;) {
    const int64_t made = atp_sampler_sweeps(sampler) - base_;
    if (made >= sweeps && !interrupted()) break;
    progress.set_frame(static_cast<double>(made), static_cast<double>(sweeps));
    if (!interrupted()) check(atp_sampler_sweep(sampler, sweeps - made, on_progress, this, nullptr));
    sweeps_made_ += static_cast<double>(atp_sampler_sweeps(sampler) - base_ - made);
    pause();
  }
  end("");
}

Record SamplingStore::record(atp_sampler *sampler, int64_t times, int64_t thin, Progress &progress, double offset, double total) {
  Record r;
  r.times = times;
  r.chains = atp_sampler_chains(sampler);
  r.sites = atp_sampler_sites(sampler);
  // The sequences count twice, because the alignment copies them.
  const double bytes = static_cast<double>(times) * static_cast<double>(r.chains) * (2 * static_cast<double>(r.sites) + 16);
  if (session_ != nullptr) require_memory(*session_, bytes, "the sequences");
  r.sequences.resize(static_cast<std::size_t>(times * r.chains * r.sites));
  r.energies.resize(static_cast<std::size_t>(times * r.chains));
  std::string result;
  if (finished(&result)) {
    if (unpack(result, r) != times)
      wrong_use("--checkpoint {} has another number of samples, expected that of this command", checkpoint_->path());
    return r;
  }
  begin(sampler);
  progress_ = &progress;
  int64_t round = unpack(partial_, r);
  const StopOnSignal stop(sampler);
  while (round < times) {
    const int64_t now = atp_sampler_sweeps(sampler), next = base_ + (round + 1) * thin, rest = next - now;
    uint8_t *states = r.sequences.data() + round * r.chains * r.sites;
    double *energies = r.energies.data() + round * r.chains;
    progress.set_frame(offset + static_cast<double>(now - base_), total > 0 ? total : static_cast<double>(times * thin));
    int64_t read = 0;
    if (interrupted()) {
    } else if (rest == 0) {  // stopped between the sweeps and the reading
      const int64_t rung = atp_sampler_temperatures(sampler) - 1;
      check(atp_sampler_states(sampler, rung, states, r.chains * r.sites));
      check(atp_sampler_energies(sampler, rung, energies, r.chains));
      read = r.chains;
    } else {
      // The rest of an interrupted round, or all remaining rounds.
      const int64_t n = rest < thin ? r.chains : (times - round) * r.chains;
      check(atp_sampler_sample(sampler, rest, states, n * r.sites, on_progress, this, nullptr));
      read = atp_sampler_drawn(sampler);
      if (read > 0) check(atp_sampler_sequence_energies(sampler, states, read, energies, read));
    }
    round += read / r.chains;
    sweeps_made_ += static_cast<double>(atp_sampler_sweeps(sampler) - now);
    if (round == times && !interrupted()) break;
    if (checkpoint_ != nullptr && (interrupted() || due_)) partial_ = packed(r, round);
    pause();
  }
  end(checkpoint_ != nullptr ? packed(r, times) : "");
  return r;
}

}  // namespace cli
