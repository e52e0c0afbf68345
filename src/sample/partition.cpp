// SPDX-License-Identifier: MIT
#include "sample/partition.hpp"

#include "base/checked.hpp"
#include "math/mean_error.hpp"
#include "potts/enumerate.hpp"
#include "sample/annealing.hpp"
#include "sample/ladder_length.hpp"
#include "sample/ladder_run.hpp"
#include "sample/owned_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kAutomaticStates = 1 << 22;  // ATP_METHOD_AUTO enumerates at most so many, in about 0.2 s
constexpr int64_t kEntropyStates = 1 << 18;    // of autoregressive models
constexpr int64_t kPilotSteps = 128, kPilotChains = 256;
constexpr int64_t kChains = 1024, kSequences = 1 << 14, kLadders = 32, kLadderSweeps = 4096;
constexpr int64_t kFewestChains = 16, kFewestLadders = 8, kFewestSweeps = 64;
constexpr int64_t kFewestSteps = 256, kMostSteps = 1 << 15;  // if their number is not given
constexpr double kVariance = 1, kSmallVariance = 0.5;  // of log weights: that automatic steps aim at; that a pilot run needs not better
constexpr double kPseudocount = 1;                     // chains' worth of uniform sites in a profile
constexpr double kEvenShare = 0.05;                    // of the length that goes to times alone
constexpr double kLeastBeta = 1e-12;                   // below, fields of independent sites divided by t beta leave single precision
constexpr double kLeastShare = 0.05, kLeastEffective = 10;  // of effective chains

constexpr int64_t kMainRun = 0, kPilots = 5;  // numbers of the run that counts, and of the last pilot run

double log_states(const Model &model) { return static_cast<double>(model.sites()) * std::log(static_cast<double>(model.colors())); }

Thermodynamics enumerated(const Model &model) {
  Thermodynamics out;
  StateSums sums;
  sums.log_z = &out.log_z;
  sums.energy = &out.energy;
  enumerate_states(model, sums);
  out.entropy = out.log_z + model.beta * out.energy;
  return out;
}

// At beta = 0 all states have the same probability.
Thermodynamics uniform(const Model &model) {
  const int64_t L = model.sites(), q = model.colors();
  Thermodynamics out;
  out.log_z = out.entropy = log_states(model);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) {
      if (!model.fields.empty()) out.energy -= model.fields[i * q + a] / static_cast<double>(q);
      model.for_neighbors(i, [&](int64_t j) {
        for (int64_t b = 0; j < i && b < q; ++b)
          out.energy -= (model.coupling(i, j, a, b) + model.coupling(j, i, b, a)) / static_cast<double>(2 * q * q);
      });
    }
  return out;
}

bool few_states(const Model &model, int64_t most) { return log_states(model) <= std::log(static_cast<double>(most)) + 1e-9; }

double variance(Span<const double> values) {
  const MeanError of = mean_error(values);
  return of.error * of.error * static_cast<double>(values.size());
}

// log of the mean weight, the weighted mean energy, and their entropy. Errors are of first order in the deviations of single chains.
Thermodynamics weighted_means(const Annealing &chains, double beta, Span<double> weights, Span<double> parts, double *effective) {
  const Span<const double> logs = chains.log_weights(), energies = chains.energies();
  const double most = *std::max_element(logs.begin(), logs.end());
  double squares = 0;
  for (int64_t c = 0; c < logs.size(); ++c) {
    weights[c] = std::exp(logs[c] - most);
    squares += weights[c] * weights[c];
  }
  const MeanError weight = mean_error(Span<const double>(weights)), energy = weighted_mean_error(energies, weights);
  const double n = static_cast<double>(logs.size());
  Thermodynamics out;
  out.log_z = most + std::log(weight.mean);
  out.log_z_error = weight.error / weight.mean;
  out.energy = energy.mean;
  out.energy_error = energy.error;
  out.entropy = out.log_z + beta * energy.mean;
  for (int64_t c = 0; c < logs.size(); ++c) parts[c] = weights[c] / weight.mean * (1 + beta * (energies[c] - energy.mean));
  out.entropy_error = mean_error(Span<const double>(parts)).error;
  *effective = n * weight.mean * (n * weight.mean) / squares;
  return out;
}

PartitionResult cancelled(int64_t method) {
  const double unknown = std::nan("");
  PartitionResult out;
  out.method = method;
  out.at_beta = {unknown, unknown, unknown, unknown, unknown, unknown};
  out.outcome = ATP_OUTCOME_CANCELLED;
  return out;
}

int64_t chosen(int64_t given, int64_t automatic) { return given > 0 ? given : automatic; }

void require_chains(int64_t chains, int64_t fewest, const char *method) {
  if (chains < fewest)
    fail(ATP_E_VALUE, "chains is %lld, must be at least %lld for the method %s", static_cast<long long>(chains),
         static_cast<long long>(fewest), method);
}

// Pilot runs at even times, from uniform sites and then from a profile, and what they tell of the runs that count.
class Pilots {
 public:
  Pilots(Context &context, const Model &model, uint64_t seed, int64_t number)
      : scratch_(context.allocator,
                 3 * Scratch::piece<double>(kPilotSteps + 1) + 2 * Scratch::piece<double>(product_of(model.sites(), model.colors()))),
        chains(context, model, seed, number, kPilotSteps) {
    Arena arena = scratch_.arena();
    for (Span<double> *steps : {&times_, &deviations_, &spaced_}) *steps = arena.take<double>(kPilotSteps + 1);
    for (Span<double> *logs : {&next_, &best_}) *logs = arena.take<double>(model.sites(), model.colors());
    for (int64_t k = 0; k <= kPilotSteps; ++k) times_[k] = static_cast<double>(k) / static_cast<double>(kPilotSteps);
    std::fill(next_.begin(), next_.end(), -std::log(static_cast<double>(model.colors())));
    path.times = times_;
    path.log_profile = next_;
  }

  // The run from uniform sites. Returns false if it was stopped, as does the next.
  bool uniform(Reporter &reporter, AnnealingProgress &progress) {
    path.number = 1;
    spread_ = HUGE_VAL;
    return run(reporter, progress);
  }
  // A run from the frequencies of the sites in its last states, and more as long as each lowers the variance by a quarter.
  bool profiles(Reporter &reporter, AnnealingProgress &progress) {
    for (double before = HUGE_VAL; path.number < kPilots && spread_ < 0.75 * before;) {
      if (path.number > 1 && spread_ < kSmallVariance) break;
      before = spread_;
      ++path.number;
      chains.log_profile(kPseudocount, next_);
      progress.total += static_cast<double>(path.sweeps_in_all());
      if (!run(reporter, progress)) return false;
    }
    return true;
  }

  // Of the best run: its length, with a share that goes to even times, because fluctuations may be 0 at some; the variance of its log
  // weights; its start, and whether that is a profile.
  LadderLength length() {
    double mean = 0;
    for (double deviation : deviations_) mean += deviation / static_cast<double>(deviations_.size());
    for (int64_t k = 0; k <= kPilotSteps; ++k) spaced_[k] = deviations_[k] + (mean > 0 ? kEvenShare * mean : 1);
    return {times_, spaced_};
  }
  double spread() const { return spread_; }
  Span<const double> start() const { return best_; }
  bool profile_is_best() const { return best_run_ > 1; }

 private:
  bool run(Reporter &reporter, AnnealingProgress &progress) {
    if (!chains.run(path, reporter, progress)) return false;
    const double measured = variance(chains.log_weights());
    if (!(measured < spread_)) return true;
    spread_ = measured;
    best_run_ = path.number;
    std::copy(next_.begin(), next_.end(), best_.begin());
    for (int64_t k = 0; k <= kPilotSteps; ++k) deviations_[k] = chains.deviation(k);
    return true;
  }

  Scratch scratch_;
  Span<double> times_, deviations_, spaced_, next_, best_;
  double spread_ = 0;
  int64_t best_run_ = 1;

 public:
  Annealing chains;
  AnnealingPath path;
};

// n values at equal steps of a length, the last of which is `end`.
void space(const LadderLength &length, double end, Span<double> out) {
  const int64_t last = out.size() - 1;
  for (int64_t k = 0; k < last; ++k) out[k] = end * length.beta(length.total() * static_cast<double>(k) / static_cast<double>(last));
  out[last] = end;
}

PartitionResult annealed(Context &context, const Model &model, const PartitionOptions &options, Reporter &reporter) {
  const int64_t wanted = chosen(options.chains, kChains);
  require_chains(wanted, kFewestChains, "annealing");
  Pilots pilots(context, model, options.seed, wanted);
  Annealing &chains = pilots.chains;
  AnnealingPath &path = pilots.path;
  path.sweeps = chosen(options.sweeps, 1);
  AnnealingProgress progress;
  progress.total = static_cast<double>(path.sweeps_in_all() + chosen(options.steps, kFewestSteps) * path.sweeps);
  if (!pilots.uniform(reporter, progress)) return cancelled(ATP_METHOD_ANNEALING);
  if (model.beta > kLeastBeta && !pilots.profiles(reporter, progress)) return cancelled(ATP_METHOD_ANNEALING);
  const double needed = std::ceil(static_cast<double>(kPilotSteps) * pilots.spread() / kVariance);
  const int64_t steps = chosen(options.steps, static_cast<int64_t>(std::clamp<double>(needed, kFewestSteps, kMostSteps)));
  const int64_t n = chains.chains();
  const Scratch scratch(context.allocator, Scratch::piece<double>(steps + 1) + 2 * Scratch::piece<double>(n));
  Arena arena = scratch.arena();
  const Span<double> times = arena.take<double>(steps + 1), weights = arena.take<double>(n), parts = arena.take<double>(n);
  space(pilots.length(), 1, times);
  path.times = times;
  path.log_profile = pilots.start();
  path.number = kMainRun;
  path.hold = std::max<int64_t>(1, steps / 4);
  progress.total = progress.done + static_cast<double>(path.sweeps_in_all());
  if (!chains.run(path, reporter, progress)) return cancelled(ATP_METHOD_ANNEALING);
  PartitionResult out;
  out.method = ATP_METHOD_ANNEALING;
  out.distributions = steps + 1;
  out.profile = pilots.profile_is_best();
  out.at_beta = weighted_means(chains, model.beta, weights, parts, &out.effective);
  if (out.effective < std::max(kLeastEffective, kLeastShare * static_cast<double>(n))) {
    out.outcome = ATP_OUTCOME_MAX_ITER;
    context.message(
        ATP_LOG_WARNING,
        "log Z: by their weights %lld chains are worth %.3g, and the error is not to be relied on. Take more than the %lld steps "
        "made, or the method ladder",
        static_cast<long long>(n), out.effective, static_cast<long long>(steps));
  }
  return out;
}

PartitionResult along_ladder(Context &context, const Model &model, const PartitionOptions &options, Reporter &reporter) {
  const int64_t ladders = chosen(options.chains, kLadders), sweeps = chosen(options.sweeps, kLadderSweeps);
  require_chains(ladders, kFewestLadders, "ladder");
  if (sweeps < kFewestSweeps)
    fail(ATP_E_VALUE, "sweeps is %lld, must be at least %lld for the method ladder", static_cast<long long>(sweeps),
         static_cast<long long>(kFewestSweeps));
  if (options.temperatures == 1) fail(ATP_E_VALUE, "temperatures is 1, must be 0 or at least 2 for the method ladder");
  const Scratch scratch(context.allocator, Scratch::piece<double>(kMaxRungs));
  const Span<double> room = scratch.arena().take<double>(kMaxRungs);
  AnnealingProgress pilot_progress;
  int64_t rungs = 0;
  {
    Pilots pilots(context, model, options.seed, kPilotChains);
    pilot_progress.total = static_cast<double>(pilots.path.sweeps_in_all() + sweeps);
    if (!pilots.uniform(reporter, pilot_progress)) return cancelled(ATP_METHOD_LADDER);
    const LadderLength length = pilots.length();
    const double steps = std::ceil(length.total() / LadderLength::kStep);
    rungs = chosen(options.temperatures, 1 + static_cast<int64_t>(std::clamp<double>(steps, 1, kMaxRungs - 1)));
    space(length, model.beta, room.sub(0, rungs));
  }
  const Span<const double> betas = room.sub(0, rungs);
  LadderRun run(context, model, ladders, betas);
  RunProgress progress{static_cast<int64_t>(pilot_progress.done), pilot_progress.updates};
  if (!run.make(sweeps, run_seed(options.seed, 0), reporter, progress)) return cancelled(ATP_METHOD_LADDER);
  PartitionResult out;
  out.method = ATP_METHOD_LADDER;
  out.at_beta = bridge_ladder(context, run, betas, log_states(model));
  out.effective = static_cast<double>(ladders);
  out.distributions = rungs;
  const RhatTest test = run.rhat(rungs);
  out.rhat = test.rhat;
  if (!test.agreed()) {
    out.outcome = ATP_OUTCOME_MAX_ITER;
    context.message(ATP_LOG_WARNING,
                    "log Z: R-hat of the energy reaches %.4f on the ladder, must be at most %.4f: the ladders are not in equilibrium. Take "
                    "more than the %lld sweeps made",
                    test.rhat, test.limit, static_cast<long long>(sweeps));
  }
  return out;
}

// An autoregressive model: Z is 1 and its energy -log P, whose mean is the entropy. One sweep draws independent sequences.
PartitionResult autoregressive(Context &context, const Model &model, const PartitionOptions &options, Reporter &reporter) {
  PartitionResult out;
  if (few_states(model, kEntropyStates)) {
    out.at_beta = enumerated(model);
    out.at_beta.log_z = 0;
    out.at_beta.entropy = out.at_beta.energy;
    return out;
  }
  const int64_t n = chosen(options.chains, kSequences);
  require_chains(n, kFewestChains, "exact");
  Options of_sampler(kSamplerOptions);
  of_sampler.set(ATP_OPT_SEED, static_cast<int64_t>(run_seed(options.seed, 1) >> 2));
  of_sampler.set(ATP_OPT_CHAINS, n);
  const OwnedSampler sampler(context, model, SamplerOptions(of_sampler, model.beta));
  const Scratch scratch(context.allocator, Scratch::piece<double>(n));
  const Span<double> energies = scratch.arena().take<double>(n);
  double updates = 0;
  Relay relay(reporter, 1, updates);
  if (!relay.sweep(*sampler, 1)) return cancelled(ATP_METHOD_EXACT);
  sampler->shared_energies(0, energies.data());
  const MeanError mean = mean_error(Span<const double>(energies));
  out.at_beta = {0, 0, mean.mean, mean.error, mean.mean, mean.error};
  out.effective = static_cast<double>(n);
  return out;
}

// The method to use, by the number of states unless it is given.
int64_t method_for(const Model &model, int64_t given) {
  if (given != ATP_METHOD_AUTO) return given;
  return few_states(model, kAutomaticStates) ? ATP_METHOD_EXACT : ATP_METHOD_ANNEALING;
}

}  // namespace

PartitionOptions::PartitionOptions(const Options &options)
    : seed(static_cast<uint64_t>(options.integer(ATP_OPT_SEED))),
      method(options.integer(ATP_OPT_METHOD)),
      chains(options.integer(ATP_OPT_CHAINS)),
      steps(options.integer(ATP_OPT_STEPS)),
      sweeps(options.integer(ATP_OPT_SWEEPS)),
      temperatures(options.integer(ATP_OPT_TEMPERATURES)) {}

PartitionResult partition(Context &context, const Model &model, const PartitionOptions &options, Reporter &reporter) {
  if (!(model.beta <= kMaxBeta)) fail(ATP_E_VALUE, "beta of the model is %g, must be in 0..%g for sampling", model.beta, kMaxBeta);
  if (model.shape.ordered) return autoregressive(context, model, options, reporter);
  const int64_t method = method_for(model, options.method);
  PartitionResult out;
  if (method == ATP_METHOD_EXACT) {
    count_states(model);  // refuses too many
    out.at_beta = enumerated(model);
    return out;
  }
  if (model.beta == 0) {
    out.at_beta = uniform(model);
    return out;
  }
  const Owner<Model> part(model.symmetric() ? nullptr : symmetric_part(context, model));
  const Model &of = part == nullptr ? model : *part;
  return method == ATP_METHOD_LADDER ? along_ladder(context, of, options, reporter) : annealed(context, of, options, reporter);
}

}  // namespace atp
