// SPDX-License-Identifier: MIT
#include "math/lattice.hpp"

#include "base/error.hpp"
#include "base/philox.hpp"

#include <cmath>

namespace atp {

void require_power_of_two(int64_t points) {
  if ((points & (points - 1)) != 0) fail(ATP_E_VALUE, "points is %lld, must be a power of two", llong{points});
}

namespace {
constexpr int64_t kCandidates = 64;
constexpr double kWeight = 0.5;
constexpr double kPi = 3.14159265358979323846;
}  // namespace

// (1/n) sum_i prod_j (1 + weight 2 pi^2 B_2({i z_j / n})) - 1, B_2(x) = x^2 - x + 1/6.
double lattice_error(int64_t n, int64_t dimensions, int64_t multiplier, Span<double> work) {
  for (int64_t i = 0; i < n; ++i) work[i] = 1;
  int64_t z = 1;
  for (int64_t j = 0; j < dimensions; ++j) {
    int64_t place = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(place) / static_cast<double>(n);
      work[i] *= 1 + kWeight * 2 * kPi * kPi * (x * (x - 1) + 1.0 / 6);
      place = (place + z) & (n - 1);
    }
    z = z * multiplier & (n - 1);
  }
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += work[i];
  return sum / static_cast<double>(n) - 1;
}

int64_t korobov_multiplier(int64_t n, int64_t dimensions, Span<double> work) {
  const RandomView random(0, Stream::lattice, 0, 0);
  int64_t best = 1;
  double least = HUGE_VAL;
  for (int64_t k = 0; k < kCandidates; ++k) {
    const int64_t candidate = static_cast<int64_t>(random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(n / 2))) * 2 + 1;
    const double error = lattice_error(n, dimensions, candidate, work);
    if (error < least) {
      least = error;
      best = candidate;
    }
  }
  return best;
}

void normal_points(int64_t n, int64_t dimensions, int64_t multiplier, uint64_t seed, int64_t shift, Span<double> out) {
  const RandomView random(seed, Stream::lattice, static_cast<uint64_t>(shift) + 1, 0);
  int64_t z = 1;
  for (int64_t j = 0; j < dimensions; ++j) {
    const double move = random.uniform(static_cast<uint64_t>(j));
    int64_t place = 0;
    for (int64_t i = 0; i < n; ++i) {
      double x = static_cast<double>(place) / static_cast<double>(n) + move;
      if (x >= 1) x -= 1;
      // Neither end of the interval: half of the spacing of uniform numbers.
      out[i * dimensions + j] = normal_quantile(std::fmin(std::fmax(x, 0x1p-53), 1 - 0x1p-53));
      place = (place + z) & (n - 1);
    }
    z = z * multiplier & (n - 1);
  }
}

}  // namespace atp
