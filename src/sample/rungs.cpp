// SPDX-License-Identifier: MIT
#include "sample/rungs.hpp"

#include "math/mean_error.hpp"
#include "sample/bridge.hpp"
#include "sample/owned_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

void put(double *row, int column, const Estimate &of) {
  row[column] = of.value;
  row[column + 1] = of.error;
}

constexpr double kFewestExchanges = 10;  // expected ones of all read-outs: with fewer, neighbours have no energies in common

double mean_of(Span<const double> x) { return mean_error(x).mean; }

double power_mean(Span<const double> x, int power) {
  return mean_error(x, [power](double value) { return power == 2 ? value * value : value * value * value * value; }).mean;
}

double variance_of(Span<const double> x, double mean) {
  return mean_error(x, [mean](double value) { return (value - mean) * (value - mean); }).mean;
}

int64_t count_equal(const uint8_t *a, const uint8_t *b, int64_t sites) {
  int64_t equal = 0;
  for (int64_t i = 0; i < sites; ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

}  // namespace

void RungReads::Arrays::lay_out(Arena &arena, const Sampler &sampler, int64_t reads) {
  const int64_t rungs = sampler.rungs(), chains = sampler.chains();
  energies = arena.take<double>(rungs, chains, reads);
  order = arena.take<double>(rungs, chains, reads);
  equal = arena.take<int32_t>(rungs, chains / 2, reads);
  agree = arena.take<int32_t>(rungs, sampler.reference() != nullptr ? chains : 0, reads);
  for (Span<double> *series : {&values, &y, &log_z, &integral}) *series = arena.take<double>(chains, reads);
  chain_energies = arena.take<double>(chains);
  states = arena.take<uint8_t>(chains, sampler.sites());
  mixing.lay_out(arena, chains, reads);
}

RungReads::RungReads(Sampler &sampler, int64_t reads)
    : sampler_(sampler),
      rungs_(sampler.rungs()),
      chains_(sampler.chains()),
      pairs_(sampler.chains() / 2),
      reads_(reads),
      scratch_(sampler.context->allocator, bytes_laid_out(Arrays(), sampler, reads)) {
  Arena arena = scratch_.arena();
  arrays_.lay_out(arena, sampler, reads);
}

bool RungReads::make(int64_t thin, Reporter &reporter) {
  thin_ = thin;
  double updates = 0;
  Relay relay(reporter, static_cast<double>(thin) * static_cast<double>(reads_), updates);
  for (int64_t index = 0; index < reads_; ++index) {
    if (!relay.sweep(sampler_, thin)) return false;
    read(index);
  }
  return true;
}

void RungReads::read(int64_t index) {
  const int64_t sites = sampler_.sites(), colors = sampler_.colors();
  const double q = static_cast<double>(colors);
  int32_t counts[256];
  for (int64_t k = 0; k < rungs_; ++k) {
    if (rungs_ > 1)
      sampler_.followed_energies(k, arrays_.chain_energies.data());
    else
      sampler_.shared_energies(k, arrays_.chain_energies.data());
    sampler_.states(k, arrays_.states.data());
    for (int64_t c = 0; c < chains_; ++c) {
      const uint8_t *state = arrays_.states.data() + c * sites;
      std::fill_n(counts, colors, 0);
      for (int64_t i = 0; i < sites; ++i) ++counts[state[i]];
      const double most = static_cast<double>(*std::max_element(counts, counts + colors));
      arrays_.energies[(k * chains_ + c) * reads_ + index] = arrays_.chain_energies[c];
      arrays_.order[(k * chains_ + c) * reads_ + index] = (q * most / static_cast<double>(sites) - 1) / (q - 1);
      if (const uint8_t *reference = sampler_.reference(); reference != nullptr)
        arrays_.agree[(k * chains_ + c) * reads_ + index] = static_cast<int32_t>(count_equal(state, reference, sites));
    }
    for (int64_t p = 0; p < pairs_; ++p) {
      const uint8_t *a = arrays_.states.data() + 2 * p * sites, *b = a + sites;
      arrays_.equal[(k * pairs_ + p) * reads_ + index] = static_cast<int32_t>(count_equal(a, b, sites));
    }
  }
}

double RungReads::overlap(int32_t equal) const {
  const double q = static_cast<double>(sampler_.colors());
  return (q * static_cast<double>(equal) / static_cast<double>(sampler_.sites()) - 1) / (q - 1);
}

Span<const double> RungReads::overlaps_of(Span<const int32_t> equal) {
  for (int64_t k = 0; k < equal.size(); ++k) arrays_.values[k] = overlap(equal[k]);
  return arrays_.values.sub(0, equal.size());
}

// Of the mean of an influence, [chains or pairs][n].
double RungReads::error(Span<const double> y) const {
  const double variance = variance_of(y, mean_of(y));
  return variance > 0 ? std::sqrt(variance / effective_samples(y.data(), y.size() / reads_, reads_, arrays_.mixing)) : 0;
}

// In sweeps; NaN of a constant.
double RungReads::tau(Span<const double> x) const {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  if (!(*least < *most)) return std::nan("");
  const double n = static_cast<double>(x.size()), effective = effective_samples(x.data(), x.size() / reads_, reads_, arrays_.mixing);
  return static_cast<double>(thin_) * n / (2 * effective);
}

Estimate RungReads::mean(Span<const double> x) { return {mean_of(x), error(x)}; }

Estimate RungReads::mean_square(Span<const double> x) {
  const Span<double> y = arrays_.y.sub(0, x.size());
  for (int64_t k = 0; k < x.size(); ++k) y[k] = x[k] * x[k];
  return mean(y);
}

// 1 - <x^4> / (3 <x^2>^2).
Estimate RungReads::binder(Span<const double> x) {
  const double second = power_mean(x, 2), fourth = power_mean(x, 4);
  if (!(second > 0)) return {std::nan(""), std::nan("")};
  const Span<double> y = arrays_.y.sub(0, x.size());
  for (int64_t k = 0; k < x.size(); ++k) {
    const double square = x[k] * x[k];
    y[k] = ((2 * fourth / second) * (square - second) - (square * square - fourth)) / (3 * second * second);
  }
  return {1 - fourth / (3 * second * second), error(y)};
}

// beta^2 Var(H) / L.
Estimate RungReads::specific_heat(int64_t rung) {
  const Span<const double> x = energies(rung);
  const double beta = sampler_.betas()[rung], per = beta * beta / static_cast<double>(sampler_.sites()), center = mean_of(x);
  for (int64_t k = 0; k < x.size(); ++k) arrays_.y[k] = per * (x[k] - center) * (x[k] - center);
  return mean(arrays_.y);
}

// Mean probability of an exchange with the next rung.
Estimate RungReads::exchange(int64_t rung) {
  if (rung + 1 == rungs_) return {std::nan(""), std::nan("")};
  const Span<const double> low = energies(rung), high = energies(rung + 1);
  const double step = sampler_.betas()[rung + 1] - sampler_.betas()[rung];
  for (int64_t k = 0; k < low.size(); ++k) arrays_.y[k] = std::exp(std::fmin(0, step * (high[k] - low[k])));
  return mean(arrays_.y);
}

struct RungReads::Sums {
  double log_z, integral;
};

// From a rung to the next one: log Z by the bridge between both, and by the integral of -<H> with the corrected trapezoid rule, whose
// slopes are -Var(H).
void RungReads::add_step(int64_t rung, Sums &sums) {
  const Span<const double> low = energies(rung), high = energies(rung + 1);
  const double n = static_cast<double>(low.size()), step = sampler_.betas()[rung + 1] - sampler_.betas()[rung];
  if (!(n * exchange(rung).value >= kFewestExchanges)) {
    sums = {std::nan(""), std::nan("")};
    return;
  }
  const double d = bridge(low, high, step), slope = bridge_balance(low, high, step, d, 0, low.size()).slope;
  const double mean_low = mean_of(low), mean_high = mean_of(high);
  const double var_low = variance_of(low, mean_low), var_high = variance_of(high, mean_high);
  const double half = step / 2, correction = step * step / 12;
  sums.log_z += d;
  sums.integral -= half * (mean_low + mean_high) + correction * (var_high - var_low);
  for (int64_t k = 0; k < low.size(); ++k) {
    const double a = low[k] - mean_low, b = high[k] - mean_high;
    if (slope > 0) arrays_.log_z[k] -= n * bridge_balance(low, high, step, d, k, k + 1).value / slope;
    arrays_.integral[k] -= half * (a + b) + correction * (b * b - var_high - a * a + var_low);
  }
}

void RungReads::put_sums(int64_t rung, const Sums &sums, double *row) {
  const bool known = !std::isnan(sums.log_z);
  const double beta = sampler_.betas()[rung], unknown = std::nan("");
  const Span<const double> x = energies(rung);
  const double energy = mean_of(x);
  const Estimate log_z = {sums.log_z, known ? error(arrays_.log_z) : unknown};
  put(row, ATP_RUNGS_LOG_Z, log_z);
  put(row, ATP_RUNGS_LOG_Z_INTEGRAL, Estimate{sums.integral, known ? error(arrays_.integral) : unknown});
  put(row, ATP_RUNGS_FREE_ENERGY, beta > 0 ? Estimate{-log_z.value / beta, log_z.error / beta} : Estimate{unknown, unknown});
  for (int64_t k = 0; k < x.size(); ++k) arrays_.y[k] = arrays_.log_z[k] + beta * (x[k] - energy);
  put(row, ATP_RUNGS_ENTROPY, Estimate{log_z.value + beta * energy, known ? error(arrays_.y) : unknown});
}

// The magnetisation by the reference; NaN without one.
void RungReads::put_reference(int64_t rung, double *row) {
  if (sampler_.reference() == nullptr) {
    std::fill_n(row + ATP_RUNGS_REFERENCE, 4, std::nan(""));
    return;
  }
  const Span<const double> x = overlaps_of(agreeing(rung));
  put(row, ATP_RUNGS_REFERENCE, mean(x));
  put(row, ATP_RUNGS_REFERENCE_BINDER, binder(x));
}

// R-hat that lies highest above its limit, the fewest effective samples, and what follows from them.
void RungReads::put_mixing(int64_t rung, double *row) {
  const bool refers = sampler_.reference() != nullptr;
  const int64_t tests = (refers ? 4 : 3) * rungs_;
  Mixing worst = mixing_of(energies(rung).data(), chains_, reads_, arrays_.mixing, tests);
  const auto take = [&](Span<const double> series, int64_t chains) {
    const Mixing next = mixing_of(series.data(), chains, reads_, arrays_.mixing, tests);
    if (next.rhat - next.limit > worst.rhat - worst.limit) worst.rhat = next.rhat, worst.limit = next.limit;
    worst.bulk = std::fmin(worst.bulk, next.bulk);
    worst.tail = std::fmin(worst.tail, next.tail);
  };
  take(orders(rung), chains_);
  take(overlaps(rung), pairs_);
  if (refers) take(overlaps_of(agreeing(rung)), chains_);
  row[ATP_RUNGS_RHAT] = worst.rhat;
  row[ATP_RUNGS_RHAT_LIMIT] = worst.limit;
  row[ATP_RUNGS_BULK_ESS] = worst.bulk;
  row[ATP_RUNGS_TAIL_ESS] = worst.tail;
  row[ATP_RUNGS_OUTCOME] = worst.outcome();
}

void RungReads::put_rungs(Span<double> rows) {
  const double log_states = static_cast<double>(sampler_.sites()) * std::log(static_cast<double>(sampler_.colors()));
  const double start = sampler_.betas()[0] == 0 && !sampler_.restriction().any() ? log_states : std::nan("");
  Sums sums = {start, start};
  for (Span<double> influence : {arrays_.log_z, arrays_.integral}) std::fill(influence.begin(), influence.end(), 0.0);
  for (int64_t k = 0; k < rungs_; ++k) {
    double *row = rows.data() + k * ATP_RUNGS_COLUMNS;
    row[ATP_RUNGS_BETA] = sampler_.betas()[k];
    put(row, ATP_RUNGS_ENERGY, mean(energies(k)));
    put(row, ATP_RUNGS_SPECIFIC_HEAT, specific_heat(k));
    put(row, ATP_RUNGS_MAGNETISATION, mean(orders(k)));
    put(row, ATP_RUNGS_MAGNETISATION_BINDER, binder(orders(k)));
    const Span<const double> overlap = overlaps(k);
    put(row, ATP_RUNGS_OVERLAP, mean(overlap));
    put(row, ATP_RUNGS_OVERLAP_SQUARE, mean_square(overlap));
    put(row, ATP_RUNGS_OVERLAP_BINDER, binder(overlap));
    row[ATP_RUNGS_OVERLAP_TAU] = tau(overlap);
    row[ATP_RUNGS_TAU] = tau(energies(k));
    put(row, ATP_RUNGS_EXCHANGE, exchange(k));
    if (k > 0 && !std::isnan(sums.log_z)) add_step(k - 1, sums);
    put_sums(k, sums, row);
    put_reference(k, row);
    put_mixing(k, row);
  }
}

void RungReads::put_overlaps(Span<double> rows) {
  const int64_t sites = sampler_.sites(), size = overlap_bin_sites(sites), bins = overlap_bins(sites);
  for (int64_t k = 0; k < rungs_; ++k) {
    const Span<const int32_t> equal = equals(k);
    const Span<double> inside = arrays_.y.sub(0, equal.size());
    for (int64_t bin = 0; bin < bins; ++bin) {
      const int64_t first = bin * size, last = std::min(first + size, sites + 1) - 1;
      const double low = overlap(static_cast<int32_t>(first)), high = overlap(static_cast<int32_t>(last));
      const double width = static_cast<double>(last - first + 1) * (overlap(1) - overlap(0));
      for (int64_t at = 0; at < equal.size(); ++at) inside[at] = equal[at] >= first && equal[at] <= last ? 1 / width : 0;
      double *row = rows.data() + (k * bins + bin) * ATP_OVERLAPS_COLUMNS;
      row[ATP_OVERLAPS_BETA] = sampler_.betas()[k];
      row[ATP_OVERLAPS_OVERLAP] = (low + high) / 2;
      row[ATP_OVERLAPS_WIDTH] = width;
      put(row, ATP_OVERLAPS_DENSITY, mean(inside));
    }
  }
}

}  // namespace atp
