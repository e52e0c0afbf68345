// SPDX-License-Identifier: MIT
#include "learn/likelihood/annealed.hpp"

#include "base/philox.hpp"
#include "learn/likelihood/exchange.hpp"
#include "math/mean_error.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kRenewal = 64;        // steps
constexpr double kRenewedBelow = 0.05;  // t
constexpr int64_t kStepsBetween = 32;   // steps between two looks at the stop

}  // namespace

void Annealed::lay_out(Arena &arena) {
  chains_.lay_out(arena);
  fields_ = arena.take<float>(tables_.field_floats());
  for (Span<double> *numbers : {&u_, &profile_, &log_w_}) *numbers = arena.take<double>(kGroups, kGibbsLanes);
}

double Annealed::profile(const Path &path, int64_t lane) const {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const uint8_t *states = chains_.colors.data() + lane / kGibbsLanes * L * kGibbsLanes + lane % kGibbsLanes;
  double sum = 0;
  for (int64_t i = 0; i < L; ++i) sum += path.log_f[i * q + states[i * kGibbsLanes]];
  return sum;
}

void Annealed::start(const Path &path, int64_t lane) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const RandomView random(seed_, Stream::start, first_chain_ + static_cast<uint64_t>(lane), static_cast<uint64_t>(path.first_number));
  uint8_t *states = chains_.colors.data() + lane / kGibbsLanes * L * kGibbsLanes + lane % kGibbsLanes;
  for (int64_t i = 0; i < L; ++i) {
    const double u = random.uniform(static_cast<uint64_t>(i));
    double sum = 0;
    int64_t a = 0;
    while (a + 1 < q && (sum += std::exp(path.log_f[i * q + a])) <= u) ++a;
    states[i * kGibbsLanes] = static_cast<uint8_t>(a);
  }
}

void Annealed::sweep(const Path &path, int64_t step) {
  const int64_t q = pairs_.colors, team = chains_.threads();
  const double t = static_cast<double>(step) / static_cast<double>(path.steps), tilt = (1 - t) / t;
  for (int64_t i = 0; i < pairs_.sites; ++i)
    for (int64_t a = 0; a < q; ++a)
      fields_[tables_.field_index(i, a)] = static_cast<float>(path.point[i * q + a] + tilt * path.log_f[i * q + a]);
  GibbsTables tables = path.tables;
  tables.fields = fields_.data();
  const int64_t size = std::max<int64_t>(1, std::min(chains_.share(), (end_ - first_ + team - 1) / team));
  parallel_for(chains_.threads(), (end_ - first_ + size - 1) / size, [&](int64_t task, int thread) {
    const int64_t from = first_ + task * size, to = std::min(end_, from + size);
    for (int64_t c = from * kGibbsLanes; c < to * kGibbsLanes; ++c) {
      chains_.scaled_betas[c] = scaled_beta(t);
      chains_.energies[c] = -(u_[c] + (1 + tilt) * profile_[c]);
    }
    chains_.sweep(tables, path.first_number + step, 1, from, to, thread);
    for (int64_t c = from * kGibbsLanes; c < to * kGibbsLanes; ++c) {
      profile_[c] = profile(path, c);
      u_[c] = -chains_.energies[c] - (1 + tilt) * profile_[c];
    }
  });
}

bool Annealed::run(const Path &path, Reporter &reporter, Estimate &out) {
  Ranks &ranks = context_->ranks;
  first_ = ranks.first(ranks.rank(), kGroups), end_ = ranks.first(ranks.rank() + 1, kGroups);
  const int64_t begin = first_ * kGibbsLanes, lanes = end_ * kGibbsLanes;
  const double one = 1 / static_cast<double>(path.steps);
  for (int64_t c = begin; c < lanes; ++c) start(path, c);
  for (int64_t c = begin; c < lanes; ++c) profile_[c] = profile(path, c), log_w_[c] = 0;
  for (int64_t k = 0; k < path.steps; ++k) {
    if (k > 0) sweep(path, k);
    if (static_cast<double>(k) * one < kRenewedBelow || k % kRenewal == 0)
      measure_gains(pairs_, path.point, path.log_f, {chains_.colors.data() + begin * pairs_.sites, end_ - first_}, u_.data() + begin,
                    chains_.threads());
    for (int64_t c = begin; c < lanes; ++c) log_w_[c] += one * u_[c];
    if (k % kStepsBetween == 0 && reporter.meet()) return false;
  }
  ranks.gather(log_w_.data(), kGroups, static_cast<int64_t>(kGibbsLanes * sizeof(double)));
  const double most = *std::max_element(log_w_.begin(), log_w_.end());
  for (double &w : log_w_) w = std::exp(w - most);
  const MeanError weight = mean_error(Span<const double>(log_w_));
  out = {most + std::log(weight.mean), weight.error / weight.mean};
  return true;
}

}  // namespace atp
