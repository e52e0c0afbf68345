// SPDX-License-Identifier: MIT
#include "learn/likelihood/effort.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kChainsOverNoise = 2;
constexpr int64_t kFewestChains = 2000;
constexpr int64_t kStepsToForget = 16;

double chains_needed(const Statistics &statistics, double target) {
  return statistics.spread() / (statistics.signal() * (1 / (target * target) - 1));
}

}  // namespace

int64_t chains_of(const BoltzmannSettings &settings, const Statistics &statistics) {
  if (settings.chains > 0) return settings.chains;
  const double most = static_cast<double>(settings.room());
  const double wanted = settings.target < 1 ? kChainsOverNoise * chains_needed(statistics, settings.target) : 0;
  return std::max(kFewestChains, static_cast<int64_t>(std::fmin(wanted, most)));
}

void warn_of_noise(const Context &context, const Alignment &family, const Statistics &statistics, double target, int64_t chains) {
  const double signal = statistics.signal(), spread = statistics.spread();
  if (!(target < 1)) return;
  double sum = 0, squares = 0;
  for (double w : family.weights) sum += w, squares += w * w;
  const double of_family = spread * squares / (sum * sum), needed = chains_needed(statistics, target);
  if (static_cast<double>(chains) < needed)
    context.message(ATP_LOG_WARNING,
                    "chains is %lld: the noise of so few leaves a perfect model with a Pearson correlation of %.3f, and target is "
                    "%g; it needs %.0f chains or more",
                    static_cast<long long>(chains), std::sqrt(signal / (signal + spread / static_cast<double>(chains))), target,
                    std::ceil(needed));
  const double real = signal - of_family;
  if (real < target * target * signal)
    context.message(ATP_LOG_WARNING,
                    "the weights leave the noise of %.0f independent sequences, (sum w)^2 / sum w^2: with it the true model of the family "
                    "has a Pearson correlation of about %.3f, and target is %g; what a fit adds to this is noise",
                    sum * sum / squares, real > 0 ? std::sqrt(real / signal) : 0.0, target);
}

void tell_of_exchange(const Context &context, const Verdict &verdict, int64_t rungs) {
  char after[64] = "did not forget them, either";
  if (verdict.mixing > 0) format_text(after, sizeof after, "forgot them in %lld sweeps", static_cast<long long>(verdict.mixing));
  context.message(ATP_LOG_INFO,
                  "chains had not forgotten training sequences after %lld sweeps, the limit: replica exchange of %lld rungs, acceptance "
                  "%.2f, %s",
                  static_cast<long long>(Equilibrium::kMostSweeps), static_cast<long long>(rungs), verdict.acceptance, after);
}

int64_t more_sweeps(int64_t sweeps, const Verdict &verdict) {
  const int64_t wanted = verdict.mixing > 0 && verdict.acceptance == 0 ? verdict.mixing / kStepsToForget : kMostStepSweeps;
  return std::max(sweeps, std::min(wanted, kMostStepSweeps));
}

}  // namespace atp
