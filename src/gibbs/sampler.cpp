// SPDX-License-Identifier: MIT
#include "gibbs/sampler.hpp"

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/philox.hpp"
#include "base/team.hpp"
#include "gibbs/energy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atp {

namespace {

constexpr double kReportSeconds = 0.1;
constexpr double kBlockSeconds = 0.03;   // sweeps between two clock checks take about this long
constexpr int64_t kFirstBlock = 200000;  // site updates before the first clock check
constexpr int64_t kDenseShare = 32;      // groups that read a dense table together
constexpr int64_t kGap = 2048;           // floats between the work spaces of two threads: hardware prefetch runs past the end
constexpr int64_t kMeasureSweeps = 256;  // after this many sweeps the tracked energies are computed again
constexpr double kLog2EInDouble = 1.4426950408889634;

}  // namespace

SamplerOptions::SamplerOptions(const Options &options, double model_beta)
    : seed(static_cast<uint64_t>(options.integer(ATP_OPT_SEED))),
      chains(options.integer(ATP_OPT_CHAINS)),
      rungs(options.integer(ATP_OPT_TEMPERATURES)),
      swap_interval(options.integer(ATP_OPT_SWAP_INTERVAL)),
      beta(options.real(ATP_OPT_BETA)),
      beta_hot(options.real(ATP_OPT_BETA_HOT)) {
  if (beta == 0) beta = model_beta;
  if (!(beta <= kMaxBeta)) fail(ATP_E_VALUE, "beta of the model is %g, must be in 0..%g for sampling", beta, kMaxBeta);
  if (beta_hot == 0) beta_hot = beta / 10;
  if (rungs > 1 && !(beta_hot < beta)) fail(ATP_E_CONFLICT, "beta-hot is %g, must be below beta, which is %g", beta_hot, beta);
  if (chains * rungs > int64_t{1} << 31)
    fail(ATP_E_TOO_LARGE, "%lld chains of %lld temperatures are more than 2^31 replicas", static_cast<long long>(chains),
         static_cast<long long>(rungs));
}

Sampler::Sampler(Context *owner, const ModelShape &model, const SamplerOptions &sampler_options)
    : context(owner),
      options(sampler_options),
      exact(owner, model),
      single(model, owner->target),
      kernels(gibbs_kernels(owner->target)),
      max_threads(std::max<int>(owner->threads, default_threads())) {}

void Sampler::lay_out(Arena &arena) {
  exact.lay_out(arena);
  single.lay_out(arena);
  betas_ = arena.take<double>(rungs());
  colors_ = arena.take<uint8_t>(lanes(), sites());
  scaled_betas = arena.take<float>(lanes());
  replica_energies = arena.take<double>(exchanging() ? lanes() : 0);
  replica_at = arena.take<int32_t>(replicas());
  tried = arena.take<int64_t>(chains(), (rungs() - 1));
  accepted = arena.take<int64_t>(chains(), (rungs() - 1));
  work_stride = round_up(single.shape.work_floats(share()), 16) + kGap;
  row_stride = round_up(sites(), 64);
  work = arena.take<float>(max_threads, work_stride);
  row = arena.take<uint8_t>(max_threads, row_stride);
}

void Sampler::init(const Model &source) {
  symmetric_ = source.symmetric();
  if (exchanging() && !symmetric_)
    fail(ATP_E_CONFLICT, "temperatures is %lld: replica exchange needs an energy, and the couplings are not symmetric",
         static_cast<long long>(rungs()));
  single.fill(source);
  const auto copy = [&](Span<const double> from, Span<double> to) {
    std::copy(from.begin(), from.end(), to.begin());
    fingerprint = checksum(from.data(), static_cast<std::size_t>(from.size()) * sizeof(double), fingerprint);
  };
  const int64_t numbers[] = {
      sites(), exact.colors(), exact.shape.heads, chains(), rungs(), options.swap_interval, static_cast<int64_t>(options.seed)};
  const double reals[] = {options.beta, options.beta_hot};
  fingerprint = checksum(reals, sizeof reals, checksum(numbers, sizeof numbers));
  copy(source.maps, exact.maps);
  copy(source.values, exact.values);
  copy(source.couplings, exact.couplings);
  copy(source.fields, exact.fields);
  for (int64_t k = 0; k < rungs(); ++k)
    betas_[k] = k == rungs() - 1 ? options.beta
                                 : options.beta_hot *
                                       std::pow(options.beta / options.beta_hot, static_cast<double>(k) / static_cast<double>(rungs() - 1));
  start_random();
}

int64_t Sampler::share() const { return single.shape.method == GibbsMethod::dense ? std::min(groups(), kDenseShare) : 1; }

Threads Sampler::threads() const { return Threads(context->threads).at_most(max_threads); }

void Sampler::set_betas(const double *betas) {
  std::copy_n(betas, rungs(), betas_.begin());
  spread_betas();
}

void Sampler::spread_betas() {
  // Lanes past the last replica run at the target, so that every lane has a finite beta.
  std::fill(scaled_betas.begin(), scaled_betas.end(), static_cast<float>(betas_[rungs() - 1] * kLog2EInDouble));
  for (int64_t c = 0; c < chains(); ++c)
    for (int64_t k = 0; k < rungs(); ++k) scaled_betas[target(c, k)] = static_cast<float>(betas_[k] * kLog2EInDouble);
}

double Sampler::swap_rate(int64_t k) const {
  double n = 0, yes = 0;  // double: exact up to 2^53, and no sum overflows
  for (int64_t c = 0; c < chains(); ++c) {
    n += static_cast<double>(tried[c * (rungs() - 1) + k]);
    yes += static_cast<double>(accepted[c * (rungs() - 1) + k]);
  }
  return n == 0 ? 0.0 : yes / n;
}

void Sampler::restart() {
  sweeps_ = 0;
  for (int64_t c = 0; c < chains(); ++c)
    for (int64_t k = 0; k < rungs(); ++k) replica_at[c * rungs() + k] = static_cast<int32_t>(k);
  std::fill(tried.begin(), tried.end(), 0);
  std::fill(accepted.begin(), accepted.end(), 0);
  spread_betas();
  if (exchanging()) parallel_for(threads(), groups(), [&](int64_t group, int thread) { measure_replicas(group, group + 1, thread); });
}

void Sampler::start_random() {
  for (int64_t r = 0; r < lanes(); ++r) {
    const RandomView random(options.seed, Stream::start, static_cast<uint64_t>(r), 0);
    for (int64_t i = 0; i < sites(); ++i)
      colors_[(r / kGibbsLanes * sites() + i) * kGibbsLanes + r % kGibbsLanes] =
          static_cast<uint8_t>(random.below(static_cast<uint64_t>(i), static_cast<uint32_t>(exact.colors())));
  }
  restart();
}

void Sampler::start_from(const uint8_t *sequences, int64_t n) {
  for (int64_t r = 0; r < lanes(); ++r) {
    const uint8_t *sequence = sequences + r / rungs() % n * sites();
    for (int64_t i = 0; i < sites(); ++i) colors_[(r / kGibbsLanes * sites() + i) * kGibbsLanes + r % kGibbsLanes] = sequence[i];
  }
  restart();
}

void Sampler::read(int64_t replica, uint8_t *sequence) const {
  const uint8_t *group = colors_.data() + replica / kGibbsLanes * sites() * kGibbsLanes + replica % kGibbsLanes;
  for (int64_t i = 0; i < sites(); ++i) sequence[i] = group[i * kGibbsLanes];
}

double Sampler::replica_energy(int64_t replica, int thread) const {
  uint8_t *sequence = row.data() + thread * row_stride;
  read(replica, sequence);
  return energy_of(exact, symmetric_, sequence);
}

void Sampler::states(int64_t rung, uint8_t *sequences) const {
  for (int64_t c = 0; c < chains(); ++c) read(target(c, rung), sequences + c * sites());
}

void Sampler::energies(int64_t rung, double *out) const {
  parallel_for(threads(), chains(), [&](int64_t c, int thread) { out[c] = replica_energy(target(c, rung), thread); });
}

void Sampler::sequence_energies(const uint8_t *sequences, int64_t n, double *out) const {
  parallel_for(threads(), n, [&](int64_t k, int) { out[k] = energy_of(exact, symmetric_, sequences + k * sites()); });
}

void Sampler::followed_energies(int64_t rung, double *out) const {
  for (int64_t c = 0; c < chains(); ++c) out[c] = replica_energies[target(c, rung)];
}

void Sampler::measure_replicas(int64_t first_group, int64_t end_group, int thread) {
  for (int64_t r = first_group * kGibbsLanes; r < end_group * kGibbsLanes; ++r) replica_energies[r] = replica_energy(r, thread);
}

// Sweeps of some groups, at most share() of them at a time.
void Sampler::run_kernel(const GibbsTables &tables, const GibbsSweeps &what, int64_t first_group, int64_t end_group, int thread) {
  const GibbsKernel kernel = kernels.of(single.shape.method);
  for (int64_t first = first_group; first < end_group; first += share()) {
    GibbsChains some;
    some.colors = colors_.data() + first * sites() * kGibbsLanes;
    some.scaled_betas = scaled_betas.data() + first * kGibbsLanes;
    some.energies = exchanging() ? replica_energies.data() + first * kGibbsLanes : nullptr;
    some.groups = std::min(share(), end_group - first);
    some.first_chain = static_cast<uint64_t>(first * kGibbsLanes);
    kernel(tables, some, what, work.data() + thread * work_stride);
  }
}

// The exchanges of a ladder in one round: even pairs of rungs in even rounds, odd pairs in odd ones.
void Sampler::exchange_ladder(int64_t ladder, int64_t round) {
  const RandomView random(options.seed, Stream::swap, static_cast<uint64_t>(ladder), static_cast<uint64_t>(round));
  int32_t *at = replica_at.data() + ladder * rungs();
  for (int64_t k = round % 2; k + 1 < rungs(); k += 2) {
    const int64_t low = target(ladder, k), high = target(ladder, k + 1), pair = ladder * (rungs() - 1) + k;
    const double gain = (betas_[k] - betas_[k + 1]) * (replica_energies[low] - replica_energies[high]);
    ++tried[pair];
    if (gain < 0 && !(random.uniform(static_cast<uint64_t>(k)) < std::exp(gain))) continue;
    ++accepted[pair];
    std::swap(at[k], at[k + 1]);
    std::swap(scaled_betas[low], scaled_betas[high]);
  }
}

// Sweeps and exchanges of some ladders. Their replicas fill these groups.
void Sampler::run_ladders(const GibbsTables &tables, int64_t count, int64_t first_ladder, int64_t end_ladder, int thread) {
  const int64_t interval = options.swap_interval, measure_every = std::max<int64_t>(1, kMeasureSweeps / interval);
  const int64_t first_group = first_ladder * rungs() / kGibbsLanes;
  const int64_t end_group = end_ladder == chains() ? groups() : end_ladder * rungs() / kGibbsLanes;
  for (int64_t sweep = sweeps_, end = sweeps_ + count; sweep < end;) {
    const int64_t step = std::min(end - sweep, interval - sweep % interval);
    run_kernel(tables, {options.seed, sweep, step}, first_group, end_group, thread);
    sweep += step;
    if (sweep % interval != 0) continue;
    const int64_t round = sweep / interval;
    if (round % measure_every == 0) measure_replicas(first_group, end_group, thread);
    for (int64_t ladder = first_ladder; ladder < end_ladder; ++ladder) exchange_ladder(ladder, round);
  }
}

// Chains and ladders are independent: a task makes all sweeps of its share without waiting for others.
void Sampler::make(int64_t count) {
  const GibbsTables tables = single.tables();
  const int64_t fair_groups = (groups() + threads() - 1) / threads();
  if (!exchanging()) {
    const int64_t size = std::min(share(), fair_groups);
    parallel_for(threads(), (groups() + size - 1) / size, [&](int64_t task, int thread) {
      run_kernel(tables, {options.seed, sweeps_, count}, task * size, std::min(groups(), (task + 1) * size), thread);
    });
  } else {
    // The ladders of a task fill whole groups, as many as read a dense table together.
    const int64_t least = kGibbsLanes / std::gcd(rungs(), kGibbsLanes), least_groups = least * rungs() / kGibbsLanes;
    const int64_t size = least * std::max<int64_t>(1, std::min(share(), fair_groups) / least_groups);
    parallel_for(threads(), (chains() + size - 1) / size,
                 [&](int64_t task, int thread) { run_ladders(tables, count, task * size, std::min(chains(), (task + 1) * size), thread); });
  }
  sweeps_ += count;
}

// One call of sweep or sample.
struct Sampler::Run {
  Run(Reporter &r, int64_t all, int64_t updates_per_sweep)
      : reporter(r), total(all), updates(updates_per_sweep), block(std::max<int64_t>(1, kFirstBlock / updates_per_sweep)) {}
  Reporter &reporter;
  int64_t total, updates;
  int64_t done = 0;
  int64_t block;  // sweeps between two clock checks
  double reported = 0;
  double energy = std::nan(""), energy_seconds = 0, energy_time = 0;
};

// Reports progress; returns true if the run must end. The mean energy is computed again as often as 1 per cent
// of the time allows. Its first computation is assumed to take as long as four sweeps, so many short calls cost
// no more than one long call.
bool Sampler::report(Run &run) {
  if (!run.reporter.wanted()) return run.reporter.stopped();
  const double now = run.reporter.seconds();
  if (run.energy_seconds == 0 && run.done > 0) run.energy_seconds = 4 * now / static_cast<double>(run.done);
  if (now - run.energy_time >= 100 * run.energy_seconds) {
    double sum = 0;
    for (int64_t first = 0; first < chains(); first += 64) {
      double some[64];
      const int64_t n = std::min<int64_t>(64, chains() - first);
      parallel_for(threads(), n, [&](int64_t k, int thread) { some[k] = replica_energy(target(first + k, rungs() - 1), thread); });
      for (int64_t k = 0; k < n; ++k) sum += some[k];
    }
    run.energy = sum / static_cast<double>(chains());
    run.energy_time = run.reporter.seconds();
    run.energy_seconds = run.energy_time - now;
  }
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(run.done));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(run.total));
  progress.set(ATP_PROGRESS_SITE_UPDATES, static_cast<double>(run.done) * static_cast<double>(run.updates));
  progress.set(ATP_PROGRESS_ENERGY, run.energy);
  if (exchanging()) {
    double n = 0, yes = 0;
    for (int64_t t : tried) n += static_cast<double>(t);
    for (int64_t a : accepted) yes += static_cast<double>(a);
    if (n > 0) progress.set(ATP_PROGRESS_SWAP_RATE, yes / n);
  }
  run.reported = run.reporter.seconds();
  return run.reporter.report(progress);
}

// Makes sweeps in blocks of about kBlockSeconds. Returns true if all were made.
bool Sampler::advance(int64_t count, Run &run) {
  while (count > 0 && !run.reporter.stopped()) {
    const int64_t block = std::min(count, run.block);
    const double begin = run.reporter.seconds();
    make(block);
    const double end = run.reporter.seconds();
    count -= block;
    run.done += block;
    if (block == run.block && end - begin < kBlockSeconds / 2) run.block *= 2;
    if (end - begin > kBlockSeconds && run.block > 1) run.block /= 2;
    const bool last = run.done == run.total;
    if (last || end - run.reported >= kReportSeconds ? report(run) : run.reporter.stopped()) break;
  }
  return count == 0;
}

void Sampler::check_sweeps(int64_t count) const {
  if (count > kMaxSweeps - sweeps_)
    fail(ATP_E_TOO_LARGE, "%lld sweeps after the %lld already made exceed the limit of 2^48", static_cast<long long>(count),
         static_cast<long long>(sweeps_));
}

atp_outcome Sampler::sweep(int64_t count, Reporter &reporter) {
  check_sweeps(count);
  Run run(reporter, count, replicas() * sites());
  advance(count, run);
  const bool stopped = reporter.stopped();
  stop.clear();
  return stopped ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_DONE;
}

atp_outcome Sampler::sample(int64_t n, int64_t thin, uint8_t *sequences, double *energies_out, int64_t *done, Reporter &reporter) {
  const int64_t total = product_of(n / chains() + (n % chains() != 0 ? 1 : 0), thin);
  check_sweeps(total);
  Run run(reporter, total, replicas() * sites());
  *done = 0;
  while (*done < n && !reporter.stopped()) {
    if (!advance(thin, run)) break;
    const int64_t first = *done, count = std::min(chains(), n - first);
    parallel_for(threads().at_most(energies_out == nullptr ? 1 : kMaxThreads), count, [&](int64_t c, int thread) {
      read(target(c, rungs() - 1), sequences + (first + c) * sites());
      if (energies_out != nullptr) energies_out[first + c] = replica_energy(target(c, rungs() - 1), thread);
    });
    *done += count;
  }
  const bool stopped = reporter.stopped();
  stop.clear();
  return stopped ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_DONE;
}

}  // namespace atp
