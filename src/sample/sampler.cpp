// SPDX-License-Identifier: MIT
#include "sample/sampler.hpp"

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/philox.hpp"
#include "base/team.hpp"
#include "potts/evaluate.hpp"

#include <cmath>

namespace atp {

double energy_of(const Model &model, bool symmetric, const uint8_t *s) {
  if (model.shape.ordered) {
    double energy;
    energies(model, s, 1, &energy);
    return energy;
  }
  const int64_t L = model.sites(), q = model.colors();
  double pairs = 0, singles = 0;
  for (int64_t i = 0; i < L; ++i) {
    // A symmetric model needs only j < i. Separate sums of even and odd j keep the adder busy. The diagonal
    // is 0.
    const int64_t end = symmetric ? i : L;
    double even = 0, odd = 0;
    if (model.shape.pairs > 0) {  // the sums of a dense model without its zeros
      const double *block = model.couplings.data() + model.first_block(i) * q * q + s[i] * q;
      for (const int32_t j : model.neighbors(i)) {
        if (j < end) (j % 2 == 0 ? even : odd) += block[s[j]];
        block += q * q;
      }
    } else if (model.shape.dense()) {
      const double *row = model.block(i, 0) + s[i] * q;
      int64_t j = 0;
      for (; j + 1 < end; j += 2) {
        even += row[j * q * q + s[j]];
        odd += row[(j + 1) * q * q + s[j + 1]];
      }
      if (j < end) even += row[j * q * q + s[j]];
    } else {
      for (int64_t h = 0; h < model.shape.heads; ++h) {
        const double *map = model.map(h) + i * L;
        const double *value = model.value(h) + s[i] * q;
        int64_t j = 0;
        for (; j + 1 < end; j += 2) {
          even += map[j] * value[s[j]];
          odd += map[j + 1] * value[s[j + 1]];
        }
        if (j < end) even += map[j] * value[s[j]];
      }
    }
    pairs += even + odd;
    if (!model.fields.empty()) singles += model.fields[i * q + s[i]];
  }
  return -(symmetric ? 1.0 : 0.5) * pairs - singles;
}

namespace {

constexpr double kReportSeconds = 0.1;
constexpr double kBlockSeconds = 0.03;   // sweeps between two clock checks take about this long
constexpr int64_t kFirstBlock = 200000;  // site updates before the first clock check
constexpr int64_t kMeasureSweeps = 256;  // after this many sweeps the tracked energies are computed again

}  // namespace

SamplerOptions::SamplerOptions(const Options &options, double model_beta)
    : seed(static_cast<uint64_t>(options.integer(ATP_OPT_SEED))),
      chains(options.integer(ATP_OPT_CHAINS)),
      first_chain(options.integer(ATP_OPT_FIRST_CHAIN)),
      rungs(options.integer(ATP_OPT_TEMPERATURES)),
      swap_interval(options.integer(ATP_OPT_SWAP_INTERVAL)),
      beta(options.real(ATP_OPT_BETA)),
      beta_hot(options.real(ATP_OPT_BETA_HOT)),
      kept(options.integer(ATP_OPT_KEPT_COLOR)),
      most(options.integer(ATP_OPT_MAX_MUTATIONS)) {
  if (beta == 0) beta = model_beta;
  if (!(beta <= kMaxBeta)) fail(ATP_E_VALUE, "beta of the model is %g, must be in 0..%g for sampling", beta, kMaxBeta);
  if (beta_hot == 0) beta_hot = beta / 10;
  if (rungs > 1 && !(beta_hot < beta)) fail(ATP_E_CONFLICT, "beta-hot is %g, must be below beta, which is %g", beta_hot, beta);
  if (first_chain > 0 && (first_chain + chains) * rungs > int64_t{1} << 31)
    fail(ATP_E_TOO_LARGE, "first-chain is %lld: %lld chains of %lld temperatures after it have replicas with numbers above 2^31",
         static_cast<long long>(first_chain), static_cast<long long>(chains), static_cast<long long>(rungs));
  if (chains * rungs > int64_t{1} << 31)
    fail(ATP_E_TOO_LARGE, "%lld chains of %lld temperatures are more than 2^31 replicas", static_cast<long long>(chains),
         static_cast<long long>(rungs));
}

Sampler::Sampler(Context *owner, const ModelShape &model, const SamplerOptions &sampler_options)
    : context(owner),
      options(sampler_options),
      exact(owner, model),
      single(model, owner->target),
      lanes_(owner, single.shape, sampler_options.chains * sampler_options.rungs,
             static_cast<uint64_t>(sampler_options.first_chain * sampler_options.rungs), sampler_options.seed, sampler_options.rungs > 1,
             sampler_options.most > 0),
      restriction_(model, sampler_options.kept, sampler_options.most) {}

void Sampler::lay_out(Arena &arena) {
  exact.lay_out(arena);
  single.lay_out(arena);
  lanes_.lay_out(arena);
  restriction_.lay_out(arena);
  betas_ = arena.take<double>(rungs());
  replica_at = arena.take<int32_t>(replicas());
  tried = arena.take<int64_t>(chains(), (rungs() - 1));
  accepted = arena.take<int64_t>(chains(), (rungs() - 1));
  records = arena.take<ReplicaRecord>(exchanging() && context->ranks.several() ? lanes() : 0);
  row_stride = round_up(sites(), 64);
  row = arena.take<uint8_t>(lanes_.room(), row_stride);
  reference_ = arena.take<uint8_t>(sites());
}

void Sampler::init(const Model &source) {
  symmetric_ = source.symmetric();
  if (exchanging() && source.shape.ordered)
    fail(ATP_E_CONFLICT,
         "temperatures is %lld, must be 1: the model is autoregressive, and every sweep draws independent sequences without replica "
         "exchange",
         static_cast<long long>(rungs()));
  if (exchanging() && !symmetric_)
    fail(ATP_E_CONFLICT, "temperatures is %lld: replica exchange needs an energy, and the couplings are not symmetric",
         static_cast<long long>(rungs()));
  single.fill(source);
  const auto copy = [&](Span<const double> from, Span<double> to) {
    std::copy(from.begin(), from.end(), to.begin());
    fingerprint = checksum_of(from, fingerprint);
  };
  const int64_t numbers[] = {
      sites(), exact.colors(), exact.shape.heads, chain_range(), rungs(), options.swap_interval, static_cast<int64_t>(options.seed)};
  const double reals[] = {options.beta, options.beta_hot};
  fingerprint = checksum_of(reals, checksum_of(numbers));
  copy(source.maps, exact.maps);
  copy(source.values, exact.values);
  exact.set_pairs(source.pairs);
  if (source.shape.pairs > 0) fingerprint = checksum_of(source.pair_sites(), fingerprint);
  copy(source.couplings, exact.couplings);
  copy(source.fields, exact.fields);
  exact.copy_order(source);
  lanes_.order = exact.order;
  if (source.shape.ordered) fingerprint = checksum_of(source.order, fingerprint);
  for (int64_t k = 0; k < rungs(); ++k)
    betas_[k] = k == rungs() - 1 ? options.beta
                                 : options.beta_hot *
                                       std::pow(options.beta / options.beta_hot, static_cast<double>(k) / static_cast<double>(rungs() - 1));
  of_model_ = fingerprint;
  restrict_to(nullptr);
}

void Sampler::restrict_to(const uint8_t *mask) {
  restriction_.allow(mask, exact);
  take_limits();
}

void Sampler::restrict_to(const Restriction &other) {
  restriction_.copy(other, exact);
  take_limits();
}

void Sampler::take_limits() {
  lanes_.limits = restriction_.limits();
  fingerprint = restriction_.checksum(of_model_);
  start_random();
}

void Sampler::set_betas(const double *betas) {
  std::copy_n(betas, rungs(), betas_.begin());
  spread_betas();
}

void Sampler::spread_betas() {
  // Lanes past the last replica run at the target, so that every lane has a finite beta.
  exact.beta = betas_[rungs() - 1];
  std::fill(lanes_.scaled_betas.begin(), lanes_.scaled_betas.end(), scaled_beta(betas_[rungs() - 1]));
  for (int64_t c = 0; c < chains(); ++c)
    for (int64_t k = 0; k < rungs(); ++k) lanes_.scaled_betas[target(c, k)] = scaled_beta(betas_[k]);
}

void Sampler::set_reference(const uint8_t *sequence) {
  has_reference_ = sequence != nullptr;
  if (has_reference_) std::copy_n(sequence, sites(), reference_.begin());
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
  if (!exchanging()) return;
  const int64_t rank = context->ranks.rank(), first = first_group(rank);
  parallel_for(threads(), first_group(rank + 1) - first,
               [&](int64_t group, int thread) { measure_replicas(first + group, first + group + 1, thread); });
  gather_groups(lanes_.energies.data(), kGibbsLanes * static_cast<int64_t>(sizeof(double)));
}

void Sampler::start_random() {
  lanes_.start_random(0, groups(), 0);
  lanes_.refer();
  restart();
}

void Sampler::put_starts(const uint8_t *sequences, int64_t n) {
  for (int64_t r = 0; r < lanes(); ++r) lanes_.put(r, sequences + (options.first_chain + r / rungs()) % n * sites());
  lanes_.refer();
}

void Sampler::start_from(const uint8_t *sequences, int64_t n) {
  put_starts(sequences, n);
  restart();
}

void Sampler::start_near(const uint8_t *sequences, int64_t n) {
  put_starts(sequences, n);
  lanes_.leave_references(1);
  lanes_.measure();
  restart();
}

void Sampler::start_cold(const uint8_t *sequence) {
  for (int64_t r = 0; r < lanes(); ++r) lanes_.put(r, sequence);
  lanes_.measure();
  restart();
}

double Sampler::replica_energy(int64_t replica, int thread) const {
  uint8_t *sequence = row.data() + thread * row_stride;
  lanes_.get(replica, sequence);
  return energy_of(exact, symmetric_, sequence);
}

void Sampler::states(int64_t rung, uint8_t *sequences) const {
  for (int64_t c = 0; c < chains(); ++c) lanes_.get(target(c, rung), sequences + c * sites());
}

void Sampler::energies(int64_t rung, double *out) const {
  parallel_for(threads(), chains(), [&](int64_t c, int thread) { out[c] = replica_energy(target(c, rung), thread); });
}

void Sampler::shared_energies(int64_t rung, double *out) const {
  const int64_t rank = context->ranks.rank(), first = first_ladder(rank);
  parallel_for(threads(), first_ladder(rank + 1) - first,
               [&](int64_t c, int thread) { out[first + c] = replica_energy(target(first + c, rung), thread); });
  gather_ladders(out, chains(), static_cast<int64_t>(sizeof *out));
}

void Sampler::sequence_energies(const uint8_t *sequences, int64_t n, double *out) const {
  if (exact.shape.ordered) return atp::energies(exact, sequences, n, out);
  parallel_for(threads(), n, [&](int64_t k, int) { out[k] = energy_of(exact, symmetric_, sequences + k * sites()); });
}

void Sampler::followed_energies(int64_t rung, double *out) const {
  for (int64_t c = 0; c < chains(); ++c) out[c] = lanes_.energies[target(c, rung)];
}

void Sampler::measure_replicas(int64_t first_group, int64_t end_group, int thread) {
  for (int64_t r = first_group * kGibbsLanes; r < end_group * kGibbsLanes; ++r) lanes_.energies[r] = replica_energy(r, thread);
}

// The exchanges of a ladder in one round: even pairs of rungs in even rounds, odd pairs in odd ones.
void Sampler::exchange_ladder(int64_t ladder, int64_t round) {
  const RandomView random(options.seed, Stream::swap, static_cast<uint64_t>(options.first_chain + ladder), static_cast<uint64_t>(round));
  int32_t *at = replica_at.data() + ladder * rungs();
  for (int64_t k = round % 2; k + 1 < rungs(); k += 2) {
    const int64_t low = target(ladder, k), high = target(ladder, k + 1), pair = ladder * (rungs() - 1) + k;
    const double gain = (betas_[k] - betas_[k + 1]) * (lanes_.energies[low] - lanes_.energies[high]);
    ++tried[pair];
    if (gain < 0 && !(random.uniform(static_cast<uint64_t>(k)) < std::exp(gain))) continue;
    ++accepted[pair];
    std::swap(at[k], at[k + 1]);
    std::swap(lanes_.scaled_betas[low], lanes_.scaled_betas[high]);
  }
}

// Sweeps and exchanges of the ladders of some items.
void Sampler::run_ladders(const GibbsTables &tables, int64_t count, int64_t first_item, int64_t end_item, int thread) {
  const int64_t interval = options.swap_interval, measure_every = std::max<int64_t>(1, kMeasureSweeps / interval);
  const int64_t from = first_item * item_groups(), to = std::min(groups(), end_item * item_groups());
  for (int64_t sweep = sweeps_, end = sweeps_ + count; sweep < end;) {
    const int64_t step = std::min(end - sweep, interval - sweep % interval);
    lanes_.sweep(tables, sweep, step, from, to, thread);
    sweep += step;
    if (sweep % interval != 0) continue;
    const int64_t round = sweep / interval;
    if (round % measure_every == 0) measure_replicas(from, to, thread);
    for (int64_t ladder = first_item * item_ladders(); ladder < std::min(chains(), end_item * item_ladders()); ++ladder)
      exchange_ladder(ladder, round);
  }
}

// Chains and ladders are independent: a task makes all sweeps of its share without waiting for others. It takes as
// many items of this rank as read a dense table together.
void Sampler::make(int64_t count) {
  const GibbsTables tables = single.tables();
  const int64_t rank = context->ranks.rank(), first = first_item(rank), end = first_item(rank + 1);
  const int64_t fair_groups = (first_group(rank + 1) - first_group(rank) + threads() - 1) / threads();
  const int64_t size = std::max<int64_t>(1, std::min(lanes_.share(), fair_groups) / item_groups());
  parallel_for(threads(), (end - first + size - 1) / size, [&](int64_t task, int thread) {
    const int64_t from = first + task * size, to = std::min(end, from + size);
    if (exchanging())
      run_ladders(tables, count, from, to, thread);
    else
      lanes_.sweep(tables, sweeps_, count, from, to, thread);
  });
  sweeps_ += count;
}

// Gives all ranks what each has in an array with so many bytes for each group.
void Sampler::gather_groups(void *data, int64_t group_bytes) const {
  Ranks &ranks = context->ranks;
  if (!ranks.several()) return;
  for (int64_t r = 0; r < ranks.size(); ++r) ranks.ends()[r] = first_group(r + 1) * group_bytes;
  ranks.gather(data, ranks.ends());
}

// The same with so many bytes for each of the first ladders.
void Sampler::gather_ladders(void *data, int64_t ladders, int64_t ladder_bytes) const {
  Ranks &ranks = context->ranks;
  if (!ranks.several()) return;
  for (int64_t r = 0; r < ranks.size(); ++r) ranks.ends()[r] = std::min(ladders, first_ladder(r + 1)) * ladder_bytes;
  ranks.gather(data, ranks.ends());
}

// Gives all ranks the states of all chains.
void Sampler::gather_states() {
  const Ranks &ranks = context->ranks;
  if (!ranks.several()) return;
  gather_groups(lanes_.colors.data(), sites() * kGibbsLanes);
  if (!exchanging()) return;
  if (records.empty()) fail(ATP_E_STAGE, "the ranks of the context were set after the sampler was made");
  const auto has_pair = [&](int64_t r) { return r < replicas() && r % rungs() + 1 < rungs(); };
  const auto pair = [&](int64_t r) { return r / rungs() * (rungs() - 1) + r % rungs(); };
  for (int64_t r = first_group(ranks.rank()) * kGibbsLanes; r < first_group(ranks.rank() + 1) * kGibbsLanes; ++r)
    records[r] = {lanes_.energies[r], r < replicas() ? replica_at[r] : 0, has_pair(r) ? tried[pair(r)] : 0,
                  has_pair(r) ? accepted[pair(r)] : 0};
  gather_groups(records.data(), kGibbsLanes * static_cast<int64_t>(sizeof(ReplicaRecord)));
  for (int64_t r = 0; r < lanes(); ++r) {
    lanes_.energies[r] = records[r].energy;
    if (r < replicas()) replica_at[r] = static_cast<int32_t>(records[r].replica_at);
    if (!has_pair(r)) continue;
    tried[pair(r)] = records[r].tried;
    accepted[pair(r)] = records[r].accepted;
  }
  spread_betas();
}

// One call of sweep or sample.
struct Sampler::Run {
  Run(Reporter &r, int64_t all, int64_t updates_per_sweep)
      : reporter(r), total(all), updates(updates_per_sweep), block(std::max<int64_t>(1, kFirstBlock / updates_per_sweep)) {}
  Reporter &reporter;
  int64_t total, updates;
  int64_t done = 0;
  int64_t block;        // sweeps between two clock checks
  int64_t unmet = 0;    // sweeps since the last one
  bool behind = false;  // this rank has not got the states of the others
  double reported = 0;
  double energy = std::nan(""), energy_seconds = 0, energy_time = 0;
};

void Sampler::gather_states(Run &run) {
  if (run.behind) gather_states();
  run.behind = false;
}

// Reports progress; returns true if the run must end. The mean energy is computed again as often as 1 per cent
// of the time allows. Its first computation is assumed to take as long as four sweeps, so many short calls cost
// no more than one long call.
bool Sampler::report(Run &run) {
  if (!run.reporter.wanted()) return run.reporter.stopped();
  gather_states(run);
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
    run.reporter.meet();
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
    const int64_t block = std::min(count, run.block - run.unmet);
    const double begin = run.reporter.seconds();
    make(block);
    count -= block;
    run.done += block;
    run.unmet += block;
    run.behind = true;
    const bool last = run.done == run.total;
    // Several ranks agree on clock and stop once in a block, not in every short call.
    if (run.reporter.ranks() != nullptr && run.unmet < run.block && !last) continue;
    run.reporter.meet();
    const double end = run.reporter.seconds();
    if (run.unmet == run.block && end - begin < kBlockSeconds / 2) run.block *= 2;
    if (end - begin > kBlockSeconds && run.block > 1) run.block /= 2;
    run.unmet = 0;
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
  gather_states(run);
  const bool stopped = reporter.stopped();
  stop.clear();
  return stopped ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_DONE;
}

// The sequences of the first `count` chains, and their energies unless NULL.
void Sampler::read_round(int64_t count, uint8_t *sequences, double *energies_out) const {
  const int64_t rank = context->ranks.rank(), end = std::min(count, first_ladder(rank + 1));
  for (int64_t c = first_ladder(rank); c < end; ++c) lanes_.get(target(c, rungs() - 1), sequences + c * sites());
  gather_ladders(sequences, count, sites());
  if (energies_out != nullptr) sequence_energies(sequences, count, energies_out);
}

atp_outcome Sampler::sample(int64_t n, int64_t thin, uint8_t *sequences, double *energies_out, int64_t *done, Reporter &reporter) {
  const int64_t total = product_of(n / chains() + (n % chains() != 0 ? 1 : 0), thin);
  check_sweeps(total);
  Run run(reporter, total, replicas() * sites());
  *done = 0;
  while (*done < n && !reporter.stopped()) {
    if (!advance(thin, run)) break;
    const int64_t count = std::min(chains(), n - *done);
    read_round(count, sequences + *done * sites(), energies_out == nullptr ? nullptr : energies_out + *done);
    *done += count;
  }
  gather_states(run);
  const bool stopped = reporter.stopped();
  stop.clear();
  return stopped ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_DONE;
}

}  // namespace atp
