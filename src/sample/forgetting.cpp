// SPDX-License-Identifier: MIT
#include "sample/forgetting.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kBlocks = 16;        // of the jackknife
constexpr int64_t kFewestTimes = 3;    // for an exponent
constexpr double kLeastExcess = 1e-9;  // of a start over independent sequences
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Curve {
  double log_time, log_exponent;
  double at(double sweep) const { return std::exp(-std::exp(std::exp(log_exponent) * (std::log(sweep) - log_time))); }
};

struct Points {
  Span<const double> sweeps, means, errors;
  double plateau;
  double excess(int64_t t) const { return (means[t] - plateau) / (1 - plateau); }
  double weight(int64_t t) const { return (1 - plateau) * (1 - plateau) / (errors[t] * errors[t]); }
  double misfit(const Curve &curve) const {
    double sum = 0;
    for (int64_t t = 0; t < sweeps.size(); ++t) sum += weight(t) * std::pow(excess(t) - curve.at(sweeps[t]), 2);
    return sum;
  }
};

// The first sweep at which the excess is at most 1/e, between points on a straight line from (0, 1); 0 if there is none.
double crossing(const Points &points) {
  const double goal = std::exp(-1.0);
  double before = 1, at = 0;
  for (int64_t t = 0; t < points.sweeps.size(); ++t) {
    const double now = points.excess(t);
    if (now <= goal) return at + (points.sweeps[t] - at) * (before - goal) / (before - now);
    before = now;
    at = points.sweeps[t];
  }
  return 0;
}

// Levenberg's and Marquardt's least squares from a curve near the minimum; of the time alone unless `stretched`.
Curve fit_from(Curve curve, const Points &points, bool stretched) {
  double damping = 1e-3, misfit = points.misfit(curve);
  for (int step = 0; step < 100 && damping < 1e12; ++step) {
    double a = 0, b = 0, c = 0, u = 0, v = 0;  // [a b; b c] d = (u, v)
    for (int64_t t = 0; t < points.sweeps.size(); ++t) {
      const double exponent = std::exp(curve.log_exponent), y = curve.at(points.sweeps[t]), power = y > 0 ? -std::log(y) : 0;
      const double by_time = y * power * exponent;
      const double by_exponent = stretched ? -y * power * exponent * (std::log(points.sweeps[t]) - curve.log_time) : 0;
      const double weight = points.weight(t), rest = points.excess(t) - y;
      a += weight * by_time * by_time, b += weight * by_time * by_exponent, c += weight * by_exponent * by_exponent;
      u += weight * by_time * rest, v += weight * by_exponent * rest;
    }
    if (!stretched) c = 1;
    const double damped_a = a * (1 + damping), damped_c = c * (1 + damping), determinant = damped_a * damped_c - b * b;
    if (!(determinant > 0)) break;
    Curve next = curve;
    next.log_time += std::clamp((damped_c * u - b * v) / determinant, -1.0, 1.0);
    next.log_exponent = std::clamp(curve.log_exponent + std::clamp((damped_a * v - b * u) / determinant, -1.0, 1.0), -3.0, 3.0);
    const double now = points.misfit(next);
    if (!(now <= misfit)) {
      damping *= 10;
      continue;
    }
    const bool small = misfit - now <= 1e-12 * misfit;
    curve = next;
    misfit = now;
    damping /= 10;
    if (small) break;
  }
  return curve;
}

// Means and standard errors of the overlaps of chains except first..end - 1.
void average(Span<const double> overlaps, int64_t times, int64_t first, int64_t end, Span<double> means, Span<double> errors) {
  const int64_t chains = overlaps.size() / times;
  const auto n = static_cast<double>(chains - (end - first));
  for (int64_t t = 0; t < times; ++t) {
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < chains; ++c)
      if (c < first || c >= end) sum += overlaps[c * times + t];
    means[t] = sum / n;
    for (int64_t c = 0; c < chains && !errors.empty(); ++c)
      if (c < first || c >= end) squares += std::pow(overlaps[c * times + t] - means[t], 2);
    if (!errors.empty()) errors[t] = n > 1 ? std::sqrt(squares / (n * (n - 1))) : std::nan("");
  }
}

}  // namespace

void ForgettingWork::lay_out(Arena &arena, int64_t times, int64_t chains, int64_t sites, int64_t colors) {
  overlaps = arena.take<double>(chains, times);
  means = arena.take<double>(times);
  errors = arena.take<double>(times);
  fit = arena.take<double>(times);
  left_out = arena.take<double>(times);
  frequencies = arena.take<double>(sites, colors);
  sweeps = arena.take<double>(times);
}

Estimate plateau_of(const uint8_t *starts, int64_t chains, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                    Span<double> frequencies) {
  std::fill(frequencies.begin(), frequencies.end(), 0.0);
  for (int64_t c = 0; c < chains; ++c)
    for (int64_t i = 0; i < sites; ++i) frequencies[i * colors + starts[c * sites + i]] += 1 / static_cast<double>(chains * sites);
  const auto overlap = [&](int64_t k) {
    double sum = 0;
    for (int64_t i = 0; i < sites; ++i) sum += frequencies[i * colors + sequences[k * sites + i]];
    return sum;
  };
  double sum = 0, squares = 0;
  for (int64_t k = 0; k < n; ++k) sum += overlap(k);
  const double mean = sum / static_cast<double>(n);
  for (int64_t k = 0; k < n; ++k) squares += std::pow(overlap(k) - mean, 2);
  return {mean, n > 1 ? std::sqrt(squares / (static_cast<double>(n) * static_cast<double>(n - 1))) : std::nan("")};
}

Forgetting fit_forgetting(Span<const double> sweeps, const Estimate &plateau, const ForgettingWork &work) {
  const int64_t times = sweeps.size(), chains = work.overlaps.size() / times;
  average(work.overlaps, times, 0, 0, work.means, work.errors);
  // A point without scatter, or of a single chain, gets the resolution of the overlap.
  const Span<double> weights = work.fit;
  for (int64_t t = 0; t < times; ++t) weights[t] = work.errors[t] > 1e-6 ? work.errors[t] : 1e-6;
  const Points points{sweeps, work.means, weights, plateau.value};
  const double first = 1 - plateau.value > kLeastExcess ? crossing(points) : 0;
  const Estimate none{std::nan(""), std::nan("")};
  if (!(first > 0)) {
    std::fill(work.fit.begin(), work.fit.end(), std::nan(""));
    return {{kInfinity, kInfinity}, none, plateau};
  }
  const bool stretched = times >= kFewestTimes && points.excess(0) > std::exp(-1.0);
  const Curve curve = fit_from({std::log(first), 0}, points, stretched);
  double time_squares = 0, exponent_squares = 0;
  const int64_t blocks = std::min(kBlocks, chains);
  for (int64_t k = 0; k < blocks && blocks > 1; ++k) {
    average(work.overlaps, times, k * chains / blocks, (k + 1) * chains / blocks, work.left_out, {});
    const Curve other = fit_from(curve, {sweeps, work.left_out, weights, plateau.value}, stretched);
    time_squares += std::pow(other.log_time - curve.log_time, 2);
    exponent_squares += std::pow(other.log_exponent - curve.log_exponent, 2);
  }
  const auto b = static_cast<double>(blocks);
  double time_error = (b - 1) / b * time_squares, exponent_error = (b - 1) / b * exponent_squares;
  if (plateau.error > 0) {
    const Curve shifted = fit_from(curve, {sweeps, work.means, weights, plateau.value + plateau.error}, stretched);
    time_error += std::pow(shifted.log_time - curve.log_time, 2);
    exponent_error += std::pow(shifted.log_exponent - curve.log_exponent, 2);
  }
  for (int64_t t = 0; t < times; ++t) work.fit[t] = plateau.value + (1 - plateau.value) * curve.at(sweeps[t]);
  const double time = std::exp(curve.log_time), exponent = std::exp(curve.log_exponent);
  if (blocks == 1) time_error = exponent_error = std::nan("");
  return {{time, time * std::sqrt(time_error)}, {exponent, stretched ? exponent * std::sqrt(exponent_error) : std::nan("")}, plateau};
}

void append_forgetting(const Sampling &run, const uint8_t *independent, int64_t n, Table &table) {
  const int64_t sites = run.sites(), chains = run.options.chains, times = run.rounds(), colors = run.model().colors();
  ForgettingWork work;
  const Scratch scratch(run.context->allocator, bytes_laid_out(ForgettingWork(), times, chains, sites, colors));
  Arena arena = scratch.arena();
  work.lay_out(arena, times, chains, sites, colors);
  for (int64_t t = 0; t < times; ++t) {
    work.sweeps[t] = run.sweep_of(t);
    for (int64_t c = 0; c < chains; ++c)
      work.overlaps[c * times + t] = 1 - static_cast<double>(run.mutations(t * chains + c)) / static_cast<double>(sites);
  }
  const Estimate plateau = plateau_of(run.starts().data(), chains, independent, n, sites, colors, work.frequencies);
  const Forgetting found = fit_forgetting(work.sweeps, plateau, work);
  const Span<double> room = table.room(times);
  for (int64_t t = 0; t < times; ++t) {
    const double row[] = {work.sweeps[t], work.means[t],    work.errors[t],   work.fit[t],          plateau.value,
                          plateau.error,  found.time.value, found.time.error, found.exponent.value, found.exponent.error};
    static_assert(sizeof row == ATP_FORGETTING_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), room.begin() + t * ATP_FORGETTING_COLUMNS);
  }
  table.append(times);
}

void append_trajectory(const Sampling &run, Table &table) {
  const Span<double> room = table.room(run.count());
  for (int64_t m = 0; m < run.count(); ++m) {
    const double row[] = {static_cast<double>(run.options.first_chain + m % run.options.chains), run.sweep_of(m / run.options.chains),
                          run.started() ? static_cast<double>(run.mutations(m)) : std::nan(""), run.energies()[m]};
    static_assert(sizeof row == ATP_TRAJECTORY_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), room.begin() + m * ATP_TRAJECTORY_COLUMNS);
  }
  table.append(run.count());
}

}  // namespace atp
