// SPDX-License-Identifier: MIT
#include "run/sampling.hpp"

#include "run/errors.hpp"
#include "run/memory.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

namespace cli {

namespace {

int64_t seed_of(const Session &session, int64_t seed) { return seed >= 0 ? seed : session.seed; }

SamplingRun make_run(const Session &session, const atp_model *model, const SamplingPlan &plan) {
  Options options = plan.own_settings ? Options(session.context, ATP_OWNER_SAMPLING) : options_of(session, ATP_OWNER_SAMPLING);
  const auto set = [&](atp_option key, auto value, const char *flag) { labelled(flag, [&] { options.set(key, value); }); };
  set(ATP_OPT_PROTOCOL, plan.protocol, "--protocol");
  set(ATP_OPT_SEED, seed_of(session, plan.seed), "--seed");
  set(ATP_OPT_CHAINS, plan.chains, "--chains");
  set(ATP_OPT_BURN_IN, plan.burn_in, "--burn-in");
  set(ATP_OPT_THIN, plan.thin, "--thin");
  if (plan.limits.max_mutations > 0) set(ATP_OPT_MAX_MUTATIONS, plan.limits.max_mutations, "--max-mutations");
  if (plan.limits.kept_color >= 0) set(ATP_OPT_KEPT_COLOR, plan.limits.kept_color, "--keep-gaps");
  // 0 in the option means the model's own beta, so beta is set in the model.
  Model cooled;
  check(atp_model_copy(session.context.get(), model, out(cooled)));
  labelled("--beta", [&] { cooled.set_beta(plan.beta); });
  // The sequences count twice, because the alignment copies them.
  const int64_t chains = std::max<int64_t>(plan.chains, 1), rounds = (plan.samples + chains - 1) / chains;
  require_memory(session,
                 static_cast<double>(rounds) * static_cast<double>(chains) * (2 * static_cast<double>(atp_model_sites(model)) + 16),
                 "the sequences");
  SamplingRun run(session.context, cooled, plan.samples, options);
  if (!plan.limits.allowed.empty()) labelled("--allowed, --fixed", [&] { run.restrict_to(plan.limits.allowed); });
  if (!plan.limits.starts.empty()) labelled("--start", [&] { run.start_from(plan.limits.starts); });
  return run;
}

// The display of a run: one bar for each stage. It ends a call when a signal has arrived or a checkpoint is due.
class StageDisplay {
 public:
  StageDisplay(const Session &session, const atp_sampling *run, const SamplingCheckpoint *kept)
      : session_(session), run_(run), kept_(kept) {}

  static int callback(const atp_progress *progress, void *self) { return static_cast<StageDisplay *>(self)->show(progress) ? 1 : 0; }
  // After each call.
  void next_call() {
    before_ += last_;
    last_ = 0;
  }
  // The rate without the pilot runs.
  double updates_per_second() const {
    return (before_ + last_ - pilots_) / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  bool show(const atp_progress *progress) {
    constexpr const char *kNames[] = {"ladder", "burn-in", "sample", "sample"};
    const int stage = atp_sampling_stage_of(run_);
    if (bar_ == nullptr || stage != stage_) bar_ = std::make_unique<Progress>(session_, kNames[stage], "sweeps");
    stage_ = stage;
    bar_->show(progress);
    last_ = atp_progress_value(progress, ATP_PROGRESS_SITE_UPDATES);
    if (stage != ATP_SAMPLING_STAGE_LADDER) return interrupted() || (kept_ != nullptr && kept_->due());
    // The pilot runs are not kept: they begin again after an interruption.
    pilots_ = before_ + last_;
    begin_ = std::chrono::steady_clock::now();
    return interrupted();
  }

  const Session &session_;
  const atp_sampling *run_;
  const SamplingCheckpoint *kept_;
  std::unique_ptr<Progress> bar_;
  int stage_ = -1;
  double before_ = 0, last_ = 0, pilots_ = 0;  // site updates: of earlier calls, of this one, of the pilot runs
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void read_report(const SamplingRun &run, SamplingReport &report) {
  const std::vector<double> row = run.report().values();
  report.hamming = {row[ATP_SAMPLING_HAMMING], row[ATP_SAMPLING_HAMMING_ERROR]};
  report.tau = row[ATP_SAMPLING_TAU];
  report.tau_error = row[ATP_SAMPLING_TAU_ERROR];
  report.rhat = row[ATP_SAMPLING_RHAT];
  report.overlap_rhat = row[ATP_SAMPLING_OVERLAP_RHAT];
  report.rhat_limit = row[ATP_SAMPLING_RHAT_LIMIT];
  report.overlap_rhat_limit = row[ATP_SAMPLING_OVERLAP_RHAT_LIMIT];
  report.bulk_ess = row[ATP_SAMPLING_BULK_ESS];
  report.tail_ess = row[ATP_SAMPLING_TAIL_ESS];
  report.burn_in = static_cast<int64_t>(row[ATP_SAMPLING_BURN_IN]);
  report.thin = static_cast<int64_t>(row[ATP_SAMPLING_THIN]);
  report.temperatures = static_cast<int64_t>(row[ATP_SAMPLING_TEMPERATURES]);
  report.beta_hot = row[ATP_SAMPLING_BETA_HOT];
  report.slowest_swap = row[ATP_SAMPLING_SWAP_RATE];
  report.entropy = {row[ATP_SAMPLING_ENTROPY], row[ATP_SAMPLING_ENTROPY_ERROR]};
  report.why = run.difference();
  report.equilibrated = report.why.empty();
}

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

SamplingReport draw(const Session &session, const atp_model *model, const SamplingPlan &plan, SamplingCheckpoint *kept,
                    const std::function<void(const SamplingRun &, const SamplingReport &)> &finished) {
  const SamplingRun run = make_run(session, model, plan);
  if (kept != nullptr) kept->load(run.get());
  SamplingReport report;
  {
    StageDisplay watch(session, run.get(), kept);
    const StopOnSignal stop(run.get());
    for (atp_outcome outcome = ATP_OUTCOME_CANCELLED; outcome == ATP_OUTCOME_CANCELLED;) {
      if (!interrupted_anywhere()) check(atp_sampling_run(run.get(), StageDisplay::callback, &watch, &outcome));
      watch.next_call();
      // A signal can come with the last sweep: then the finished run is kept.
      const bool interrupted = interrupted_anywhere();
      if (kept != nullptr) kept->save(run.get());  // at the end, too: --resume gives the same samples again
      if (interrupted && kept != nullptr) kept->end_interrupted();
      if (interrupted) throw Failure(kInterrupted, "interrupted");
    }
    report.updates_per_second = watch.updates_per_second();
  }
  read_report(run, report);
  report.data = run.alignment();
  if (finished) finished(run, report);
  return report;
}

TunedBeta tune_beta(const Session &session, const atp_model *model, double target, int64_t seed) {
  Options options(session.context, ATP_OWNER_TUNING);
  options.set(ATP_OPT_SEED, seed_of(session, seed));
  Progress progress(session, "tune beta", "sweeps");
  TunedBeta tuned;
  const ResultTable table(session.context, ATP_TABLE_TUNING, 1);
  check(atp_tune_beta(session.context.get(), model, options.get(), target, table.get(), Progress::callback, &progress), "--hamming");
  stop_if_interrupted();
  const std::vector<double> row = table.values();
  tuned.beta = {row[ATP_TUNING_BETA], row[ATP_TUNING_BETA_ERROR]};
  tuned.hamming = {row[ATP_TUNING_HAMMING], row[ATP_TUNING_HAMMING_ERROR]};
  tuned.converged = row[ATP_TUNING_OUTCOME] == static_cast<double>(ATP_OUTCOME_CONVERGED);
  return tuned;
}

namespace {

constexpr int64_t kDataChains = 64;

}  // namespace

std::string PottsData::tuning_text() const {
  return fmt::format("beta = {:.4f} +- {:.4f}: equilibrium samples differ at {:.3f} +- {:.3f} of the sites.{}", tuned.beta.value,
                     tuned.beta.error, tuned.hamming.value, tuned.hamming.error,
                     tuned.converged ? "" : " (not in equilibrium: the best known)");
}

std::string PottsData::sampling_text() const {
  return fmt::format("{} samples by replica exchange ({} ladders of {} betas): {} site updates/s, R-hat {:.3f}{}.", samples, chains,
                     sampled.temperatures, short_number(sampled.updates_per_second), sampled.rhat,
                     sampled.equilibrated ? "" : ", NOT equilibrated: " + sampled.why);
}

PottsData draw_potts_data(const Session &session, Model truth, double hamming, int64_t samples, int64_t seed) {
  PottsData data;
  data.truth = std::move(truth);
  data.tuned = tune_beta(session, data.truth.get(), hamming, seed);
  data.truth.set_beta(data.tuned.beta.value);
  SamplingPlan plan;
  plan.beta = data.tuned.beta.value;
  plan.chains = data.chains = kDataChains;
  plan.samples = data.samples = samples;
  plan.seed = seed;
  data.sampled = draw(session, data.truth.get(), plan);
  data.all = std::move(data.sampled.data);
  return data;
}

std::vector<double> map_like(const Session &session, const atp_model *model, const atp_model *truth) {
  const int64_t size = atp_model_sites(model) * atp_model_sites(model);
  std::vector<double> map(static_cast<std::size_t>(size));
  check(atp_model_map_like(session.context.get(), model, truth, map.data(), size));
  return map;
}

}  // namespace cli
