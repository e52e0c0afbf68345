// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/nested.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)
constexpr double kWindow = 6.5;                     // of z1: 8e-11 of the weight is beyond
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums over the inner number; those of lines have the factor exp(mu reference).
struct Inner {
  double reference = kInfinity, z = 0, energy = 0, square = 0, along = 0, across = 0;
};

double place_of(int64_t k, int64_t n, double spacing) { return (static_cast<double>(k) - 0.5 * static_cast<double>(n - 1)) * spacing; }

// Over the points of a line near `place`.
Inner over_line(const NestedPoints &p, int64_t line, double place, const NestedWidths &widths) {
  const double *begin = p.along.data() + line * p.points, *end = begin + p.points;
  const int64_t first = std::lower_bound(begin, end, place - kWindow * widths.s1) - p.along.data(),
                last = std::upper_bound(begin, end, place + kWindow * widths.s1) - p.along.data();
  Inner sum;
  for (int64_t k = first; k < last; ++k) sum.reference = std::min(sum.reference, p.energy[k]);
  for (int64_t k = first; k < last; ++k) {
    const double z = (p.along[k] - place) / widths.s1;
    const double weight = p.length[k] * kNormal / widths.s1 * std::exp(-0.5 * z * z - widths.mu * (p.energy[k] - sum.reference));
    sum.z += weight;
    sum.energy += weight * p.energy[k];
    sum.square += weight * (p.g_along[k] * p.g_along[k] + p.g_across[k] * p.g_across[k]);
    sum.along += weight * p.g_along[k];
    sum.across += weight * p.g_across[k];
  }
  return sum;
}

void store(const Inner &sum, double *out) {
  const double numbers[NestedScratch::kSums] = {sum.reference, sum.z, sum.energy, sum.square, sum.along, sum.across};
  std::copy(numbers, numbers + NestedScratch::kSums, out);
}

// Over the lines near `place`, at one place along them.
Inner over_lines(const NestedPoints &p, int64_t at, double place, const NestedWidths &widths, const NestedScratch &scratch) {
  const double middle = 0.5 * static_cast<double>(p.lines - 1), reach = kWindow * widths.s1;
  const int64_t first = p.lines == 1 ? 0 : std::max<int64_t>(0, static_cast<int64_t>(std::ceil((place - reach) / p.spacing + middle)));
  const int64_t last =
      p.lines == 1 ? 0 : std::min<int64_t>(p.lines - 1, static_cast<int64_t>(std::floor((place + reach) / p.spacing + middle)));
  const auto numbers = [&](int64_t line) { return scratch.sums.data() + (line * scratch.outer + at) * NestedScratch::kSums; };
  Inner sum;
  for (int64_t line = first; line <= last; ++line) sum.reference = std::min(sum.reference, numbers(line)[0]);
  for (int64_t line = first; line <= last; ++line) {
    const double *n = numbers(line);
    if (!(n[1] > 0)) continue;
    const double z = (place_of(line, p.lines, p.spacing) - place) / widths.s1;
    const double share = p.lines == 1 ? 1 : p.spacing * kNormal / widths.s1 * std::exp(-0.5 * z * z);
    const double weight = share * std::exp(-widths.mu * (n[0] - sum.reference));
    sum.z += weight * n[1];
    sum.energy += weight * n[2];
    sum.square += weight * n[3];
    sum.along += weight * n[4];
    sum.across += weight * n[5];
  }
  return sum;
}

void add(const Inner &inner, double weight, double z_along, double z_across, double mu, NestedSums &sums) {
  if (!(inner.z > 0)) return;
  const double energy = inner.energy / inner.z, along = inner.along / inner.z, across = inner.across / inner.z;
  sums.free += weight * (mu > 0 ? inner.reference - std::log(inner.z) / mu : energy);
  sums.energy += weight * energy;
  sums.square += weight * inner.square / inner.z;
  sums.mean_square += weight * (along * along + across * across);
  sums.along += weight * along;
  sums.across += weight * across;
  sums.noise += weight * (along * z_along + across * z_across);
}

}  // namespace

void NestedPoints::lay_out(Arena &arena, int64_t most_lines, int64_t most_points) {
  for (Span<double> *span : {&along, &length, &energy, &g_along, &g_across}) *span = arena.take<double>(most_lines * most_points);
}

void NestedScratch::lay_out(Arena &arena, int64_t most_lines, int64_t most_outer) {
  sums = arena.take<double>(most_lines * most_outer * kSums);
}

NestedSums nested_sums(const NestedPoints &points, const NestedWidths &widths, const NestedScratch &scratch) {
  const int64_t n = scratch.outer;
  const double step = 2 * kOuterRange / static_cast<double>(n - 1);  // of z0
  for (int64_t line = 0; line < points.lines; ++line)
    for (int64_t at = 0; at < n; ++at)
      store(over_line(points, line, widths.s0 * place_of(at, n, step), widths),
            scratch.sums.data() + (line * n + at) * NestedScratch::kSums);
  NestedSums sums;
  for (int64_t at = 0; at < n; ++at) {
    const double along = place_of(at, n, step), weight = step * kNormal * std::exp(-0.5 * along * along);
    for (int64_t b = 0; b < (points.lines == 1 ? 1 : n); ++b) {
      const double across = points.lines == 1 ? 0 : place_of(b, n, step);
      const double both = points.lines == 1 ? weight : weight * step * kNormal * std::exp(-0.5 * across * across);
      add(over_lines(points, at, widths.s0 * across, widths, scratch), both, along, across, widths.mu, sums);
    }
  }
  return sums;
}

}  // namespace atp::dotattn
