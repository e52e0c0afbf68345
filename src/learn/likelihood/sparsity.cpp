// SPDX-License-Identifier: MIT
#include "learn/likelihood/sparsity.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

double relative_entropy(double f, double p) { return f > 0 ? f * std::log(f / p) : 0; }

}  // namespace

double activation_gain(double f, double p) { return relative_entropy(f, p) + relative_entropy(1 - f, 1 - p); }

double decimation_loss(double coupling, const PairOfColors &p, double f_first, double f_second) {
  const double mean = coupling * (p.both - p.first * f_second - p.second * f_first);
  const double first = p.first - p.both, second = p.second - p.both, neither = 1 - p.first - second;
  return mean + std::log(p.both * std::exp(-coupling * (1 - f_first - f_second)) + first * std::exp(coupling * f_second) +
                         second * std::exp(coupling * f_first) + neither);
}

void Sparsity::lay_out(Arena &arena) {
  const int64_t n = wanted() ? pairs_.pairs() * pairs_.block() : 0;
  active_ = arena.take<uint8_t>(n);
  scores_ = arena.take<float>(n);
  candidates_ = arena.take<float>(n);
}

void Sparsity::restart(Span<const double> point) {
  const double *couplings = point.data() + pairs_.sites * pairs_.colors;
  count_ = age_ = 0;
  gain_ = 0;
  for (int64_t k = 0; k < active_.size(); ++k) count_ += active_[k] = couplings[k] != 0 ? 1 : 0;
  if (count_ > 0 || !removes()) return;
  std::fill(active_.begin(), active_.end(), uint8_t{1});
  count_ = active_.size();
}

int64_t Sparsity::limit() const { return static_cast<int64_t>(settings_.density * static_cast<double>(active_.size())); }

// The couplings of site i with later ones. c: pseudocount of p.
void Sparsity::score_row(int64_t i, const Statistics &statistics, double c, Span<const double> slope, const double *couplings) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double *f = statistics.family(i), *own = slope.data() + i * q, one = c / static_cast<double>(q), two = one / static_cast<double>(q);
  const bool added = !removes();
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
    const int64_t j = pairs_.neighbor(i, k), at = pairs_.pair(i, k) * q * q;
    const double *g = statistics.family(j), *other = slope.data() + j * q, *both = slope.data() + L * q + at;
    const float *family = statistics.family_pair(pairs_.pair(i, k));
    for (int64_t n = 0; n < q * q; ++n) {
      const int64_t a = n / q, b = n % q;
      const double x = static_cast<double>(family[n]), p = (1 - c) * (x + both[n]) + two;
      if ((active_[at + n] != 0) == added)
        scores_[at + n] = -1;
      else if (added)
        scores_[at + n] = static_cast<float>(std::fmax(0, activation_gain(x, p)));
      else
        scores_[at + n] = static_cast<float>(std::fmax(
            0, decimation_loss(couplings[at + n], {(1 - c) * (f[a] + own[a]) + one, (1 - c) * (g[b] + other[b]) + one, p}, f[a], g[b])));
    }
  }
}

// Of the n best candidates; of equal ones those with the lowest numbers.
void Sparsity::change(int64_t n) {
  const bool added = !removes();
  const float *end = std::copy_if(scores_.begin(), scores_.end(), candidates_.begin(), [](float x) { return x >= 0; });
  const auto better = [added](float x, float y) { return added ? x > y : x < y; };
  std::nth_element(candidates_.begin(), candidates_.begin() + (n - 1), candidates_.begin() + (end - candidates_.begin()), better);
  const float worst = candidates_[n - 1];
  int64_t equal = n - std::count_if(scores_.begin(), scores_.end(), [&](float x) { return x >= 0 && better(x, worst); });
  double sum = 0;
  for (int64_t k = 0; k < scores_.size(); ++k) {
    if (scores_[k] < 0 || better(worst, scores_[k]) || (scores_[k] == worst && equal-- <= 0)) continue;
    active_[k] = added ? 1 : 0;
    sum += static_cast<double>(scores_[k]);
  }
  count_ += added ? n : -n;
  gain_ = added ? sum : -sum;
  age_ = 0;
}

// The couplings that are not active, at the same centred fields.
void Sparsity::remove(const Statistics &statistics, Span<double> point) const {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
      const int64_t j = pairs_.neighbor(i, k), at = pairs_.pair(i, k) * q * q;
      for (int64_t n = 0; n < q * q; ++n) {
        double &coupling = point[L * q + at + n];
        if (active_[at + n] != 0 || coupling == 0) continue;
        point[i * q + n / q] += coupling * statistics.family(j)[n % q];
        point[j * q + n % q] += coupling * statistics.family(i)[n / q];
        coupling = 0;
      }
    }
}

void Sparsity::update(const Statistics &statistics, int64_t chains, bool allowed, Span<const double> slope, Span<double> point,
                      Span<double> mean, Threads threads) {
  ++age_;
  if (!wanted() || !allowed || age_ < settings_.steps) return;
  const int64_t others = removes() ? count_ : active_.size() - count_, room = removes() ? count_ - limit() : limit() - count_;
  if (room <= 0) return;
  const double *couplings = point.data() + pairs_.sites * pairs_.colors;
  parallel_for(threads, pairs_.sites, [&](int64_t i, int) { score_row(i, statistics, 1 / static_cast<double>(chains), slope, couplings); });
  change(std::min(room, std::max<int64_t>(1, std::llround(settings_.fraction * static_cast<double>(others)))));
  if (!removes()) return;
  remove(statistics, point);
  remove(statistics, mean);
}

void Sparsity::clear(Span<double> of_point) const {
  double *couplings = of_point.data() + pairs_.sites * pairs_.colors;
  for (int64_t k = 0; k < active_.size(); ++k)
    if (active_[k] == 0) couplings[k] = 0;
}

void Sparsity::save(StateWriter &writer) const {
  if (!wanted()) return;
  writer.value(age_);
  writer.value(gain_);
  writer.array(Span<const uint8_t>(active_));
}

void Sparsity::check(StateReader &reader) const {
  if (!wanted()) return;
  reader.integer("steps since a change of the couplings", 0, int64_t{1} << 62);
  reader.real("gain of that change");
  for (int64_t k = 0; k < active_.size(); ++k) {
    uint8_t one;
    reader.value(one);
    if (one > 1) fail(ATP_E_FORMAT, "the state has %d for a coupling, must be 0 or 1", one);
  }
}

void Sparsity::load(StateReader &reader) {
  if (!wanted()) return;
  reader.value(age_);
  reader.value(gain_);
  reader.array(active_);
  count_ = std::count(active_.begin(), active_.end(), uint8_t{1});
}

}  // namespace atp
