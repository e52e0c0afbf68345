// SPDX-License-Identifier: MIT
#include "learn/substitutions.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

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
