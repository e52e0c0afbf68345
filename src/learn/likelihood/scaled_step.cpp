// SPDX-License-Identifier: MIT
#include "learn/likelihood/scaled_step.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

void ScaledStep::lay_out(Arena &arena) {
  fields_ = arena.take<double>(pairs_.sites, pairs_.colors);
  shifts_ = arena.take<double>(pairs_.pairs(), 2, pairs_.colors);
}

// The couplings of site i with later ones.
void ScaledStep::step_row(int64_t i, const Statistics &statistics, double rate, const StepRules &rules, Span<double> point,
                          Span<const double> slope) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double *f = statistics.family(i), *own = slope.data() + i * q;
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
    const int64_t j = pairs_.neighbor(i, k), pair = pairs_.pair(i, k), at = L * q + pair * q * q;
    const double *g = statistics.family(j), *other = slope.data() + j * q, *G = slope.data() + at;
    double *J = point.data() + at, *shift = shifts_.data() + pair * 2 * q;
    std::fill_n(shift, 2 * q, 0.0);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        if (!rules.active.empty() && rules.active[pair * q * q + a * q + b] == 0) continue;
        const double scale = rate / (f[a] * (1 - f[a]) * g[b] * (1 - g[b]) + kEpsilon), before = J[a * q + b];
        double after = before - scale * (G[a * q + b] - own[a] * g[b] - f[a] * other[b] + 2 * rules.couplings * before);
        if (rules.l1 > 0) after = std::copysign(std::fmax(0, std::fabs(after) - scale * rules.l1), after);
        J[a * q + b] = after;
        shift[a] += (after - before) * g[b];
        shift[q + b] += (after - before) * f[a];
      }
  }
}

void ScaledStep::step(const Statistics &statistics, double rate, const StepRules &rules, Span<double> point, Span<const double> slope,
                      Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const bool couplings = rules.fixed != ATP_FIXED_COUPLINGS;
  std::copy_n(point.data(), L * q, fields_.data());
  if (couplings) parallel_for(threads, L, [&](int64_t i, int) { step_row(i, statistics, rate, rules, point, slope); });
  parallel_for(threads, L, [&](int64_t i, int) {
    const double *f = statistics.family(i), *g = slope.data() + i * q;
    double *h = point.data() + i * q;
    for (int64_t a = 0; a < q; ++a) h[a] -= 0.5 * rate * (g[a] + 2 * rules.fields * h[a]) / (f[a] * (1 - f[a]) + kEpsilon);
    for (int64_t k = 0; couplings && k < pairs_.degree(i); ++k) {
      const double *shift = shifts_.data() + pairs_.pair(i, k) * 2 * q + (k < pairs_.below(i) ? q : 0);
      for (int64_t a = 0; a < q; ++a) h[a] -= shift[a];
    }
  });
  if (rules.fixed == ATP_FIXED_FIELDS) move_fields_to_couplings(point, threads);
}

void ScaledStep::move_fields_to_couplings(Span<double> point, Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  parallel_for(threads, L, [&](int64_t i, int) {
    const double n = static_cast<double>(std::max<int64_t>(1, pairs_.degree(i)));
    for (int64_t a = 0; a < q; ++a) {
      const double before = fields_[i * q + a];
      fields_[i * q + a] = (point[i * q + a] - before) / n;
      point[i * q + a] = before;
    }
  });
  parallel_for(threads, L, [&](int64_t i, int) {
    for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
      double *J = point.data() + L * q + pairs_.pair(i, k) * q * q;
      const double *own = fields_.data() + i * q, *other = fields_.data() + pairs_.neighbor(i, k) * q;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) J[a * q + b] += own[a] + other[b];
    }
  });
}

}  // namespace atp
