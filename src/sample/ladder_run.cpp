// SPDX-License-Identifier: MIT
#include "sample/ladder_run.hpp"

#include "base/philox.hpp"
#include "sample/owned_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

uint64_t run_seed(uint64_t seed, uint64_t run) {
  const PhiloxBlock block = philox(seed, counter(Stream::start, 0xFFFFFFFFu, run, 0));
  return static_cast<uint64_t>(block[0]) << 32 | block[1];
}

void LadderRun::Arrays::lay_out(Arena &arena, int64_t rungs, int64_t ladders, int64_t sites) {
  series = arena.take<double>(rungs, ladders, kReads);
  sums = arena.take<int64_t>(4, rungs, ladders);
  deviation = arena.take<double>(rungs);
  rhat = arena.take<double>(rungs);
  mixing.lay_out(arena, ladders, kReads);
  states = arena.take<uint8_t>(ladders, sites);
  snapshots = arena.take<uint8_t>(kSnapshots, rungs, ladders, sites);
  energies = arena.take<double>(ladders);
}

LadderRun::LadderRun(Context &owner, const Model &source, int64_t ladders, Span<const double> betas)
    : context_(owner),
      model_(source),
      ladders_(ladders),
      betas_(betas),
      scratch_(owner.allocator, bytes_laid_out(Arrays(), betas.size(), ladders, source.sites())) {
  Arena arena = scratch_.arena();
  arrays_.lay_out(arena, rungs(), ladders, source.sites());
}

bool LadderRun::make(int64_t sweeps, uint64_t seed, Reporter &reporter, RunProgress &progress) {
  Options options(kSamplerOptions);
  options.set(ATP_OPT_SEED, static_cast<int64_t>(seed >> 2));
  options.set(ATP_OPT_CHAINS, ladders_);
  options.set(ATP_OPT_TEMPERATURES, rungs());
  options.set(ATP_OPT_BETA, betas_[rungs() - 1]);
  OwnedSampler sampler(context_, model_, SamplerOptions(options, model_.beta));
  sampler->set_betas(betas_.data());
  std::fill(arrays_.sums.begin(), arrays_.sums.end(), 0);

  // Sweeps between two read-outs. Burn-in is not read.
  const int64_t burn_in = sweeps / 4, step = (sweeps - burn_in + kReads - 1) / kReads;
  reads_ = (sweeps - burn_in) / step / 2 * 2;
  snapshot_count_ = std::min(kSnapshots, reads_ / 2);
  const int64_t unread = sweeps - reads_ * step;
  const double updates_per_sweep = static_cast<double>(ladders_ * rungs()) * static_cast<double>(model_.sites());
  double last_report = reporter.seconds();
  Reporter silent(nullptr, nullptr, sampler->stop, nullptr, reporter.ranks());
  for (int64_t done = 0, index = -((unread + step - 1) / step); index < reads_; ++index) {
    const int64_t count = index < 0 ? std::min(step, unread - done) : step;
    sampler->sweep(count, silent);
    if (reporter.meet()) return false;
    done += count;
    progress.site_updates += updates_per_sweep * static_cast<double>(count);
    if (index >= 0) read(*sampler, index);
    if (reporter.wanted() && reporter.seconds() - last_report > 0.1) {
      last_report = reporter.seconds();
      if (report(*sampler, done, sweeps, reporter, progress)) return false;
    }
  }
  progress.sweeps += sweeps;
  evaluate();
  return true;
}

bool LadderRun::report(const Sampler &sampler, int64_t done, int64_t sweeps, Reporter &reporter, const RunProgress &progress) {
  sampler.followed_energies(rungs() - 1, arrays_.energies.data());
  double energy = 0, swaps = 0;
  for (double e : arrays_.energies) energy += e / static_cast<double>(ladders_);
  for (int64_t k = 0; k + 1 < rungs(); ++k) swaps += sampler.swap_rate(k) / static_cast<double>(rungs() - 1);
  atp_progress report;
  report.set(ATP_PROGRESS_STEP, static_cast<double>(progress.sweeps + done));
  report.set(ATP_PROGRESS_TOTAL, static_cast<double>(progress.sweeps + sweeps));
  report.set(ATP_PROGRESS_SITE_UPDATES, progress.site_updates);
  report.set(ATP_PROGRESS_ENERGY, energy);
  report.set(ATP_PROGRESS_SWAP_RATE, swaps);
  return reporter.report(report);
}

void LadderRun::read(const Sampler &sampler, int64_t index) {
  for (int64_t rung = 0; rung < rungs(); ++rung) {
    sampler.followed_energies(rung, arrays_.energies.data());
    for (int64_t c = 0; c < ladders_; ++c) series(rung)[c * reads_ + index] = arrays_.energies[c];
    sampler.states(rung, arrays_.states.data());
    compare_ladders(sums(2 * index < reads_ ? Pairs::first_half : Pairs::second_half, rung));
    compare_snapshot(rung, index);
  }
}

// Compares each ladder with all others by counting colours, without a loop over pairs.
void LadderRun::compare_ladders(int64_t *sum) {
  const int64_t sites = model_.sites();
  const uint8_t *states = arrays_.states.data();
  int32_t count[256] = {};
  for (int64_t i = 0; i < sites; ++i) {
    for (int64_t c = 0; c < ladders_; ++c) ++count[states[c * sites + i]];
    for (int64_t c = 0; c < ladders_; ++c) sum[c] += ladders_ - count[states[c * sites + i]];
    for (int64_t c = 0; c < ladders_; ++c) count[states[c * sites + i]] = 0;
  }
}

// Snapshot n is taken at read-out n * spacing and compared half a run later.
void LadderRun::compare_snapshot(int64_t rung, int64_t index) {
  const int64_t half = reads_ / 2, spacing = half / snapshot_count_;
  const int64_t number = index % half / spacing, size = ladders_ * model_.sites();
  if (index % half % spacing != 0 || number >= snapshot_count_) return;
  uint8_t *kept = arrays_.snapshots.data() + (number * rungs() + rung) * size;
  if (index < half) {
    std::copy_n(arrays_.states.data(), size, kept);
    return;
  }
  int64_t *sum = sums(Pairs::later, rung);
  for (int64_t k = 0; k < size; ++k) sum[k / model_.sites()] += kept[k] != arrays_.states[k];
}

void LadderRun::evaluate() {
  const int64_t n = ladders_ * reads_;
  for (int64_t rung = 0; rung < rungs(); ++rung) {
    const double *e = series(rung);
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < n; ++k) mean += (e[k] - e[0]) / static_cast<double>(n);
    mean += e[0];
    for (int64_t k = 0; k < n; ++k) squares += (e[k] - mean) * (e[k] - mean);
    arrays_.deviation[rung] = std::sqrt(squares / static_cast<double>(n));
    arrays_.rhat[rung] = rank_rhat(e, ladders_, reads_, arrays_.mixing).rhat;
    for (int64_t c = 0; c < ladders_; ++c)
      sums(Pairs::ladders, rung)[c] = sums(Pairs::first_half, rung)[c] + sums(Pairs::second_half, rung)[c];
  }
}

RhatTest LadderRun::rhat(int64_t rungs) const {
  return {*std::max_element(arrays_.rhat.begin(), arrays_.rhat.begin() + rungs), rhat_limit(ladders_, reads_, 2 * rungs)};
}

void LadderRun::distances(Pairs pairs, int64_t without, double *out) const {
  const int64_t n = without < 0 ? ladders_ : ladders_ - 1;
  const int64_t times = pairs == Pairs::later ? snapshot_count_ : pairs == Pairs::ladders ? reads_ : reads_ / 2;
  for (int64_t rung = 0; rung < rungs(); ++rung) {
    const int64_t *sum = sums(pairs, rung);
    int64_t all = 0;
    for (int64_t c = 0; c < ladders_; ++c) all += sum[c];
    const int64_t left_out = without < 0 ? 0 : sum[without];
    // The sums count every pair of ladders twice, once for each.
    const int64_t differences = pairs == Pairs::later ? all - left_out : all / 2 - left_out;
    const double counted = static_cast<double>(pairs == Pairs::later ? n : n * (n - 1) / 2) * static_cast<double>(times);
    out[rung] = static_cast<double>(differences) / (counted * static_cast<double>(model_.sites()));
  }
  if (betas_[0] == 0 && pairs != Pairs::later) out[0] = 1 - 1.0 / static_cast<double>(model_.colors());
}

}  // namespace atp
