// SPDX-License-Identifier: MIT
#include "sample/bridge.hpp"

#include "base/arena.hpp"
#include "sample/ladder_length.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

double logistic(double x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

}  // namespace

ValueAndSlope bridge_balance(Span<const double> low, Span<const double> high, double step, double d, int64_t first, int64_t end) {
  ValueAndSlope sum{};
  for (int64_t k = first; k < end; ++k) {
    const double from_high = logistic(step * high[k] + d), from_low = logistic(-step * low[k] - d);
    sum.value += from_high - from_low;
    sum.slope += from_high * (1 - from_high) + from_low * (1 - from_low);
  }
  return sum;
}

double bridge(Span<const double> low, Span<const double> high, double step) {
  const int64_t n = low.size();
  const auto [low_least, low_most] = std::minmax_element(low.begin(), low.end());
  const auto [high_least, high_most] = std::minmax_element(high.begin(), high.end());
  const Bracket<double> in{-step * std::max(*low_most, *high_most), -step * std::min(*low_least, *high_least)};
  if (!(in.low < in.high)) return in.low;  // all energies are equal
  const auto at = [&](double d) { return bridge_balance(low, high, step, d, 0, n); };
  const double rounding = 1e-12 * (1 + std::fabs(in.low) + std::fabs(in.high));
  return newton_in(in, middle_of(in.low, in.high), 200, rounding, at,
                   [&](double, double move, double) { return std::fabs(move) < rounding; })
      .x;
}

Thermodynamics bridge_ladder(Context &context, const LadderRun &run, Span<const double> betas, double log_states) {
  const int64_t ladders = run.ladders(), last = run.rungs() - 1, reads = run.energies(0).size() / ladders;
  const Scratch scratch(context.allocator, Scratch::piece<double>(ladders));
  const Span<double> without = scratch.arena().take<double>(ladders);  // log Z less that of all ladders
  Thermodynamics out;
  out.log_z = log_states;
  for (int64_t k = 0; k < last; ++k) {
    const Span<const double> low = run.energies(k), high = run.energies(k + 1);
    const double step = betas[k + 1] - betas[k], d = bridge(low, high, step);
    const ValueAndSlope all = bridge_balance(low, high, step, d, 0, low.size());
    out.log_z += d;
    // One step of Newton's method finds the root without a ladder.
    for (int64_t c = 0; c < ladders; ++c) {
      const ValueAndSlope own = bridge_balance(low, high, step, d, c * reads, (c + 1) * reads);
      if (all.slope > own.slope) without[c] += own.value / (all.slope - own.slope);
    }
  }
  const Span<const double> energies = run.energies(last);
  const double sum = std::accumulate(energies.begin(), energies.end(), 0.0), beta = betas[last];
  out.energy = sum / static_cast<double>(energies.size());
  out.entropy = out.log_z + beta * out.energy;
  Jackknife log_z, energy, entropy;
  for (int64_t c = 0; c < ladders; ++c) {
    const double own = std::accumulate(energies.begin() + c * reads, energies.begin() + (c + 1) * reads, 0.0);
    const double others = (sum - own) / static_cast<double>(energies.size() - reads);
    log_z.add(without[c]);
    energy.add(others);
    entropy.add(without[c] + beta * (others - out.energy));
  }
  out.log_z_error = log_z.error();
  out.energy_error = energy.error();
  out.entropy_error = entropy.error();
  return out;
}

}  // namespace atp
