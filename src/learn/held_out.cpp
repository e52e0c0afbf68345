// SPDX-License-Identifier: MIT
// Losses of held-out sequences: of the site-independent model, and of accepted substitutions (attopotts/selection.h).
#include "learn/selection.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// log p(a) of fields h; the objective.
double objective(const double *counts, int64_t q, double penalty, const double *h, double *log_p) {
  const double top = *std::max_element(h, h + q);
  double sum = 0, value = 0;
  for (int64_t a = 0; a < q; ++a) sum += std::exp(h[a] - top);
  const double log_sum = top + std::log(sum);
  for (int64_t a = 0; a < q; ++a) {
    log_p[a] = h[a] - log_sum;
    value += std::fma(-counts[a], log_p[a], penalty * h[a] * h[a]);
  }
  return value;
}

}  // namespace

// The Hessian is D - n p p^T with D = n diag(p) + 2 penalty; its inverse follows from that of D (Sherman and Morrison).
void fit_site(const double *counts, int64_t q, double penalty, double *log_p) {
  double h[kMaxColors] = {}, next[kMaxColors], step[kMaxColors], side[kMaxColors], n = 0;
  for (int64_t a = 0; a < q; ++a) n += counts[a];
  double value = objective(counts, q, penalty, h, log_p);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double with_gradient = 0, with_p = 0, slope = 0;
    for (int64_t a = 0; a < q; ++a) {
      const double p = std::exp(log_p[a]), d = n * p + 2 * penalty;
      const double gradient = n * p - counts[a] + 2 * penalty * h[a];
      step[a] = gradient / d;
      side[a] = p / d;
      with_gradient += p * step[a];
      with_p += p * side[a];
    }
    const double factor = n * with_gradient / (1 - n * with_p);
    for (int64_t a = 0; a < q; ++a) {
      step[a] += factor * side[a];
      slope += step[a] * (n * std::exp(log_p[a]) - counts[a] + 2 * penalty * h[a]);
    }
    if (!(slope > 1e-14 * std::fabs(value))) return;
    double length = 1, now = 0;
    do {
      for (int64_t a = 0; a < q; ++a) next[a] = h[a] - length * step[a];
      now = objective(counts, q, penalty, next, log_p);
      length /= 2;
    } while (now > value - 1e-4 * 2 * length * slope && length > 1e-10);
    std::copy_n(next, q, h);
    value = now;
  }
}

int64_t find_accepted(const Alignment &alignment, const SubstitutionRule &rule, int64_t n, Span<const int64_t> rows, uint8_t *accepted) {
  const int64_t L = alignment.sites(), q = alignment.colors();
  const uint8_t *s = alignment.sequence(n);
  std::fill_n(accepted, L * q, uint8_t{0});
  for (int64_t m : rows) {
    const uint8_t *t = alignment.sequence(m);
    int64_t different = 0;
    for (int64_t i = 0; i < L; ++i) different += s[i] != t[i] ? 1 : 0;
    if (different > rule.allowed) continue;
    for (int64_t i = 0; i < L; ++i)
      if (s[i] != t[i] && s[i] != rule.gap && t[i] != rule.gap) accepted[i * q + t[i]] = 1;
  }
  return std::count(accepted, accepted + L * q, uint8_t{1});
}

double substitution_loss(const Alignment &alignment, const SubstitutionRule &rule, int64_t n, const uint8_t *accepted,
                         const double *delta) {
  const int64_t L = alignment.sites(), q = alignment.colors(), states = q - rule.first;
  const uint8_t *s = alignment.sequence(n);
  double lowest = HUGE_VAL, sum = 0, found = 0, count = 0;
  const auto each = [&](auto &&visit) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t c = rule.first; s[i] != rule.gap && c < q; ++c)
        if (c != s[i] && c != rule.gap) visit(delta[i * states + c - rule.first], accepted[i * q + c] != 0);
  };
  each([&](double energy, bool) { lowest = std::fmin(lowest, energy); });
  each([&](double energy, bool is_accepted) {
    sum += std::exp(lowest - energy);
    if (!is_accepted) return;
    found += energy;
    count += 1;
  });
  return std::log(sum) - lowest + found / count;
}

}  // namespace atp
