// SPDX-License-Identifier: MIT
// Samples against the probabilities of all states.
#include "commands/check_works.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kStateSites = 6, kStateColors = 4, kStates = 4096;  // kStateColors to the power of kStateSites
constexpr int64_t kChains = 8192, kRounds = 32;
// Sweeps between two samples of a chain, and before the first. At this beta couplings are weak: after 20 sweeps chains forget their start.
constexpr int64_t kThin = 20;
constexpr double kBeta = 0.5;

Model sampled_model(const Session &session, const Context &context, bool dense) {
  Model model = Model::random(context, kStateSites, kStateColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, session.seed);
  if (dense) {
    std::vector<double> fields(kStateSites * kStateColors);
    for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = 0.1 * static_cast<double>(k % 5);
    model = Model::dense(context, kStateSites, kStateColors, model.couplings(), fields);
  }
  model.set_beta(kBeta);
  return model;
}

std::vector<int64_t> counted_states(const Session &session, const Context &context, const Model &model) {
  Options options(context, ATP_OWNER_SAMPLER);
  options.set(ATP_OPT_SEED, session.seed).set(ATP_OPT_CHAINS, kChains);
  Sampler sampler(context, model, &options);
  std::vector<uint8_t> sequences(static_cast<std::size_t>(kChains * kRounds * kStateSites));
  check(atp_sampler_sample(sampler.get(), kThin, sequences.data(), static_cast<int64_t>(sequences.size()), nullptr, nullptr, nullptr));
  std::vector<int64_t> counts(kStates);
  for (std::size_t m = 0; m < sequences.size(); m += kStateSites) {
    std::size_t state = 0;
    for (std::size_t i = 0; i < kStateSites; ++i) state = state * kStateColors + sequences[m + i];
    if (state < counts.size()) ++counts[state];
  }
  return counts;
}

// The colour of a site in a state; site 0 is the slowest digit.
std::size_t color_in(std::size_t state, std::size_t site) {
  for (std::size_t k = site + 1; k < kStateSites; ++k) state /= kStateColors;
  return state % kStateColors;
}

// Sums over states with two colours at two sites, or one: [pair i <= j][a][b].
template <class T>
std::vector<T> pair_sums(const std::vector<T> &states) {
  std::vector<T> sums;
  for (std::size_t i = 0; i < kStateSites; ++i)
    for (std::size_t j = i; j < kStateSites; ++j) {
      std::vector<T> of_pair(kStateColors * kStateColors);
      for (std::size_t state = 0; state < states.size(); ++state)
        of_pair[color_in(state, i) * kStateColors + color_in(state, j)] += states[state];
      sums.insert(sums.end(), of_pair.begin(), of_pair.end());
    }
  return sums;
}

// Divergence of Bernoulli distributions, D(f || p).
double divergence(double f, double p) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0; };
  return part(f, p) + part(1 - f, 1 - p);
}

}  // namespace

// Chernoff: with n independent samples, n D(f || p) > t has at most the probability 2 exp(-t). The sum over all events is the alarm rate.
SampleCheck check_samples(const Session &session, bool dense) {
  const Context context = check_context(session.context.simd(), session.context.threads());
  const Model model = sampled_model(session, context, dense);
  std::vector<double> exact = model.enumerate(false, true).probabilities;
  std::vector<int64_t> counts = counted_states(session, context, model);
  // Single states see large errors of a few; pairs of sites see small errors of many.
  const std::vector<double> exact_pairs = pair_sums(exact);
  const std::vector<int64_t> pairs = pair_sums(counts);
  exact.insert(exact.end(), exact_pairs.begin(), exact_pairs.end());
  counts.insert(counts.end(), pairs.begin(), pairs.end());
  SampleCheck result;
  result.states = kStates;
  result.samples = kChains * kRounds;
  result.bound = std::log(2 * static_cast<double>(counts.size()) / kSampleAlarm);
  const auto n = static_cast<double>(result.samples);
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (exact[k] > 0 || counts[k] > 0)  // two colours at one site have neither
      result.largest = std::max(result.largest, n * divergence(static_cast<double>(counts[k]) / n, std::min(exact[k], 1.0)));
  return result;
}

}  // namespace cli
