// SPDX-License-Identifier: MIT
#include "support/sampling.hpp"

#include "support/ladder.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace cli {

namespace {

constexpr int64_t kSnapshots = 32;           // of each chain in a window of the burn-in
constexpr int64_t kFirstWindow = 256;        // sweeps
constexpr int64_t kLongestBurnIn = 1 << 18;  // sweeps
constexpr double kAgreement = 4;             // standard errors between the two runs
constexpr double kRhat = 1.05;
constexpr double kDecorrelated = 0.95;  // of the distance between independent chains, for the automatic thin

// Joins two records: first the chains of one, then those of the other.
Record joined(const Record &a, const Record &b) {
  if (b.chains == 0) return a;
  Record r;
  r.times = a.times;
  r.chains = a.chains + b.chains;
  r.sites = a.sites;
  for (int64_t t = 0; t < r.times; ++t)
    for (const Record *part : {&a, &b}) {
      r.sequences.insert(r.sequences.end(), part->state(t, 0), part->state(t, 0) + part->chains * part->sites);
      r.energies.insert(r.energies.end(), part->energies.begin() + t * part->chains, part->energies.begin() + (t + 1) * part->chains);
    }
  return r;
}

// Mean over chains and times. The error is from the scatter of the chains, because times are correlated.
Estimate mean_energy(const Record &r) {
  std::vector<double> means(static_cast<std::size_t>(r.chains), 0);
  for (int64_t t = 0; t < r.times; ++t)
    for (int64_t c = 0; c < r.chains; ++c) means[static_cast<std::size_t>(c)] += r.energy(t, c) / static_cast<double>(r.times);
  double sum = 0, squares = 0;
  for (double m : means) sum += m;
  const auto n = static_cast<double>(r.chains);
  for (double m : means) squares += (m - sum / n) * (m - sum / n);
  return {sum / n, std::sqrt(squares / (n * std::fmax(n - 1, 1)))};
}

// Mean Hamming distance between different chains at the same time, as a fraction of the sites, with the jackknife error over chains.
// From the counts of colours: chain c differs from C - n(s_c) others at a site.
Estimate hamming_between_chains(const Record &r) {
  const auto chains = static_cast<double>(r.chains);
  std::vector<double> sums(static_cast<std::size_t>(r.chains), 0);
  std::vector<int64_t> counts(256);
  for (int64_t t = 0; t < r.times; ++t)
    for (int64_t i = 0; i < r.sites; ++i) {
      std::fill(counts.begin(), counts.end(), 0);
      for (int64_t c = 0; c < r.chains; ++c) ++counts[r.state(t, c)[i]];
      for (int64_t c = 0; c < r.chains; ++c) sums[static_cast<std::size_t>(c)] += static_cast<double>(r.chains - counts[r.state(t, c)[i]]);
    }
  double all = 0, squares = 0;
  for (double &s : sums) {
    s /= static_cast<double>(r.times * r.sites);
    all += s;
  }
  const double mean = all / (chains * (chains - 1));
  if (r.chains < 3) return {mean, 0};
  for (double s : sums) {
    const double without = (all - 2 * s) / ((chains - 1) * (chains - 2));
    squares += (without - mean) * (without - mean);
  }
  return {mean, std::sqrt(squares * (chains - 1) / chains)};
}

// Mean Hamming distance of a chain to itself `lag` times later.
double hamming_at_lag(const Record &r, int64_t lag) {
  int64_t different = 0;
  for (int64_t t = 0; t + lag < r.times; ++t)
    for (int64_t k = 0; k < r.chains * r.sites; ++k) different += r.state(t, 0)[k] != r.state(t + lag, 0)[k];
  return static_cast<double>(different) / static_cast<double>((r.times - lag) * r.chains * r.sites);
}

// Mean Hamming distance over all pairs of sequences, computed from counts of colours.
double hamming_of_all(const Record &r) {
  const int64_t n = r.times * r.chains;
  if (n < 2) return 0;
  double same = 0;
  std::vector<int64_t> counts(256);
  for (int64_t i = 0; i < r.sites; ++i) {
    std::fill(counts.begin(), counts.end(), 0);
    for (int64_t k = 0; k < n; ++k) ++counts[r.sequences[static_cast<std::size_t>(k * r.sites + i)]];
    for (int64_t m : counts) same += static_cast<double>(m) * static_cast<double>(m - 1);
  }
  return 1 - same / (static_cast<double>(n) * static_cast<double>(n - 1) * static_cast<double>(r.sites));
}

// Energies as [chains][times].
std::vector<double> series(const Record &r) {
  std::vector<double> s;
  for (int64_t c = 0; c < r.chains; ++c)
    for (int64_t t = 0; t < r.times; ++t) s.push_back(r.energy(t, c));
  return s;
}

double split_rhat(const Record &r) {
  double rhat = 0;
  if (r.times >= 4) check(atp_split_rhat(series(r).data(), r.chains, r.times, &rhat));
  return rhat;
}

// The limit for R-hat: 1.05 plus two standard deviations of the statistical error for mixed chains of this length.
double rhat_limit(const Record &r) {
  return kRhat + 2 * std::sqrt(2.0 / static_cast<double>(2 * r.chains - 1)) / static_cast<double>(r.times);
}

bool disagree(const Estimate &a, const Estimate &b) {
  return std::fabs(a.value - b.value) > kAgreement * std::hypot(a.error, b.error) + 1e-9;
}

// Compares two runs that start from opposite sides: one from random states (too hot), the other from copies of one cold state (too cold).
// Returns "" if they agree, else the quantity that differs.
std::string disagreement(const Record &a, const Record &b) {
  const Estimate energy_a = mean_energy(a), energy_b = mean_energy(b);
  if (disagree(energy_a, energy_b))
    return fmt::format("the mean energies of the two runs differ: {:.4f} +- {:.4f} and {:.4f} +- {:.4f}", energy_a.value, energy_a.error,
                       energy_b.value, energy_b.error);
  const Estimate hamming_a = hamming_between_chains(a), hamming_b = hamming_between_chains(b);
  if (disagree(hamming_a, hamming_b))
    return fmt::format("the mean Hamming distances of the two runs differ: {:.4f} +- {:.4f} and {:.4f} +- {:.4f}", hamming_a.value,
                       hamming_a.error, hamming_b.value, hamming_b.error);
  const Record all = joined(a, b);
  const double rhat = split_rhat(all);
  if (rhat > rhat_limit(all)) return fmt::format("split R-hat of the energy is {:.3f}, above {:.3f}", rhat, rhat_limit(all));
  return "";
}

// The number of sweeps after which a chain is decorrelated: nearly as far from its old state as from other chains.
int64_t decorrelation(const Record &r, int64_t spacing) {
  const double between = hamming_between_chains(r).value;
  for (int64_t lag = 1; lag < r.times; ++lag)
    if (hamming_at_lag(r, lag) >= kDecorrelated * between) return lag * spacing;
  return r.times * spacing;
}

void measure(SamplingReport &report, const Record &r) {
  report.hamming = r.chains > 1 ? hamming_between_chains(r) : Estimate{hamming_of_all(r), 0};
  report.rhat = split_rhat(r);
  double tau = 0, tau_error = 0;
  if (r.times >= 16 && atp_autocorrelation_time(series(r).data(), r.chains, r.times, &tau, &tau_error) == ATP_OK) {
    report.tau = tau * static_cast<double>(report.thin);
    report.tau_error = tau_error * static_cast<double>(report.thin);
  }
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int64_t rounds_of(const SamplingPlan &plan) { return (plan.samples + plan.chains - 1) / plan.chains; }

int64_t seed_of(const Session &session, int64_t seed) { return seed >= 0 ? seed : session.seed; }

SamplingReport draw_chains(const Session &session, const atp_model *model, const SamplingPlan &plan, SamplingStore &store) {
  SamplingReport report;
  report.thin = plan.thin > 0 ? plan.thin : 10000;
  report.burn_in = plan.burn_in >= 0 ? plan.burn_in : report.thin;
  const int64_t seed = seed_of(session, plan.seed);
  const Sampler sampler = make_sampler(session, model, seed, plan.chains, {plan.beta});
  store.watch({sampler.get()});
  const Clock clock;
  {
    Progress progress(session, "burn-in", "sweeps");
    store.sweep(sampler.get(), report.burn_in, progress);
  }
  Progress progress(session, "sample", "sweeps");
  const Record r = store.record(sampler.get(), rounds_of(plan), report.thin, progress);
  report.updates_per_second = store.sweeps_made() * static_cast<double>(plan.chains * r.sites) / clock.seconds();
  measure(report, r);
  report.sequences.assign(r.sequences.begin(), r.sequences.begin() + plan.samples * r.sites);
  report.origin = fmt::format("protocol=chain beta={:.10g} seed={} chains={} burn-in={} thin={}", plan.beta, seed, plan.chains,
                              report.burn_in, report.thin);
  return report;
}

// The two runs of the equilibrium protocol.
struct Runs {
  Sampler random, cold;
};

// Burns in for the given number of sweeps, or in windows of doubling length until the runs agree. Returns the thinning that the last window
// suggests.
int64_t burn_in(const Session &session, const SamplingPlan &plan, Runs &runs, SamplingReport &report, SamplingStore &store) {
  Progress progress(session, "burn-in", "sweeps");
  int64_t window = plan.burn_in >= 0 ? plan.burn_in : kFirstWindow;
  if (window < 2 * kSnapshots) {
    // Too short for the test.
    for (atp_sampler *sampler : {runs.random.get(), runs.cold.get()}) store.sweep(sampler, window, progress);
    report.burn_in = window;
    return 10;
  }
  for (;;) {
    // The test uses the second half of each window.
    const int64_t spacing = window / (2 * kSnapshots), first = window - kSnapshots * spacing;
    Record records[2];
    int k = 0;
    for (atp_sampler *sampler : {runs.random.get(), runs.cold.get()}) {
      store.sweep(sampler, first, progress);
      records[k++] = store.record(sampler, kSnapshots, spacing, progress);
    }
    report.burn_in += window;
    report.why = disagreement(records[0], records[1]);
    if (plan.burn_in >= 0 || report.why.empty() || report.burn_in >= kLongestBurnIn) {
      const int64_t suggested = decorrelation(joined(records[0], records[1]), spacing);
      return std::max<int64_t>(suggested, 1);
    }
    window *= 2;
  }
}

// Makes a ladder as one step of the store.
Ladder kept_ladder(const Session &session, const atp_model *model, const SamplingPlan &plan, int64_t seed, SamplingStore &store) {
  const std::vector<double> x = store.numbers([&] {
    const Ladder made = make_ladder(session, model, plan.beta, plan.beta_hot, plan.temperatures, seed);
    std::vector<double> numbers = {made.slowest_swap, static_cast<double>(made.betas.size())};
    numbers.insert(numbers.end(), made.betas.begin(), made.betas.end());
    numbers.insert(numbers.end(), made.cold_state.begin(), made.cold_state.end());
    return numbers;
  });
  Ladder ladder;
  ladder.slowest_swap = x[0];
  const auto cold = x.begin() + 2 + static_cast<std::ptrdiff_t>(x[1]);
  ladder.betas.assign(x.begin() + 2, cold);
  for (auto color = cold; color != x.end(); ++color) ladder.cold_state.push_back(static_cast<uint8_t>(*color));
  return ladder;
}

SamplingReport draw_equilibrium(const Session &session, const atp_model *model, const SamplingPlan &plan, SamplingStore &store) {
  SamplingReport report;
  const int64_t seed = seed_of(session, plan.seed);
  const Ladder ladder = kept_ladder(session, model, plan, seed, store);
  report.temperatures = static_cast<int64_t>(ladder.betas.size());
  report.beta_hot = ladder.betas.front();
  report.slowest_swap = ladder.slowest_swap;
  // Seeds that runs with consecutive --seed values do not share.
  const int64_t other_seed = seed ^ 0x5851f42d4c957f2d;
  Runs runs;
  runs.random = make_sampler(session, model, seed, (plan.chains + 1) / 2, ladder.betas);
  runs.cold = make_sampler(session, model, other_seed, plan.chains / 2, ladder.betas);
  check(atp_sampler_start_from(runs.cold.get(), ladder.cold_state.data(), 1, atp_model_sites(model)));
  store.watch({runs.random.get(), runs.cold.get()});
  const Clock clock;
  const int64_t suggested = burn_in(session, plan, runs, report, store);
  report.thin = plan.thin > 0 ? plan.thin : suggested;

  const int64_t rounds = rounds_of(plan);
  Progress progress(session, "sample", "sweeps");
  const auto half = static_cast<double>(rounds * report.thin);
  const Record a = store.record(runs.random.get(), rounds, report.thin, progress, 0, 2 * half);
  const Record b = store.record(runs.cold.get(), rounds, report.thin, progress, half, 2 * half);
  const Record all = joined(a, b);
  report.updates_per_second =
      store.sweeps_made() * static_cast<double>(plan.chains) / 2 * static_cast<double>(report.temperatures * all.sites) / clock.seconds();
  measure(report, all);
  // The test uses the data set itself or, if that is too short, the last window of the burn-in.
  if (rounds >= 4) report.why = disagreement(a, b);
  report.equilibrated = report.why.empty();
  report.sequences.assign(all.sequences.begin(), all.sequences.begin() + plan.samples * all.sites);
  report.origin = fmt::format(
      "protocol=equilibrium beta={:.10g} seed={} chains={} temperatures={} beta-hot={:.6g} burn-in={} thin={} rhat={:.4f} equilibrated={}",
      plan.beta, seed, plan.chains, report.temperatures, report.beta_hot, report.burn_in, report.thin, report.rhat,
      report.equilibrated ? "yes" : "no");
  return report;
}

}  // namespace

SamplingReport draw(const Session &session, const atp_model *model, const SamplingPlan &plan) {
  SamplingStore nothing_kept;
  return draw(session, model, plan, nothing_kept);
}

SamplingReport draw(const Session &session, const atp_model *model, const SamplingPlan &plan, SamplingStore &store) {
  return plan.protocol == Protocol::chain ? draw_chains(session, model, plan, store) : draw_equilibrium(session, model, plan, store);
}

TunedBeta tune_beta(const Session &session, const atp_model *model, double target, int64_t seed) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, seed_of(session, seed)));
  Progress progress(session, "tune beta", "sweeps");
  TunedBeta tuned;
  ResultTable table;
  check(atp_table_create(session.context.get(), ATP_TABLE_TUNING, 1, out(table)));
  check(atp_tune_beta(session.context.get(), model, options.get(), target, table.get(), Progress::callback, &progress), "--hamming");
  stop_if_interrupted();
  double row[ATP_TUNING_COLUMNS];
  check(atp_table_values(table.get(), row, ATP_TUNING_COLUMNS));
  tuned.beta = {row[ATP_TUNING_BETA], row[ATP_TUNING_BETA_ERROR]};
  tuned.hamming = {row[ATP_TUNING_HAMMING], row[ATP_TUNING_HAMMING_ERROR]};
  tuned.converged = row[ATP_TUNING_OUTCOME] == ATP_OUTCOME_CONVERGED;
  return tuned;
}

}  // namespace cli
