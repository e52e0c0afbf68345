// SPDX-License-Identifier: MIT
// Philox4x32-10, a counter-based generator: random numbers are a function of (key, counter). Source: J. Salmon,
// M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
//
// Key = seed. Counter words: {place, step (low half), chain, stream << 24 | step (high bits)}. One block serves
// four consecutive places: site i uses word i % 4 of the block with place i / 4.
#pragma once

#include <array>
#include <cstdint>

namespace atp {

// The purposes of random numbers. Reproducibility depends on the values: never change one.
enum class Stream : uint32_t {
  gibbs = 0,       // chain, sweep, site
  start = 1,       // chain, 0, site: random initial colours
  swap = 2,        // ladder, round, rung: replica exchange
  model = 3,       // 0, array, element: random couplings
  batch = 4,       // 0, epoch, position: order of sequences
  mask = 5,        // 0, epoch, sequence: masked sites; 1, epoch, site of a sequence: whether it is masked
  parameters = 6,  // 0, array, element: initial parameters
  replica = 7,     // learning curves: 0, 0, element: couplings; realisation, number of samples >= 1, element: data
  dotattn = 8,     // run, 0, element: teacher; run, 1, element: start of the student; run, 2 + sample, element: data
  split = 16,      // run, step, sequence: order and sets of a split
  family = 10,     // chain, sweep, 0: the training sequence that a chain starts from
  bootstrap = 20,  // draw, 0, place: resampled measurements
  lattice = 9,     // 0, 0, candidate: multipliers; 1 + number of the shift, 0, dimension: shifts
};

using PhiloxBlock = std::array<uint32_t, 4>;

inline constexpr uint32_t kPhiloxM0 = 0xD2511F53u, kPhiloxM1 = 0xCD9E8D57u;
inline constexpr uint32_t kPhiloxW0 = 0x9E3779B9u, kPhiloxW1 = 0xBB67AE85u;
inline constexpr int kPhiloxRounds = 10;

constexpr PhiloxBlock philox(uint64_t key, PhiloxBlock c) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t p0 = static_cast<uint64_t>(kPhiloxM0) * c[0], p1 = static_cast<uint64_t>(kPhiloxM1) * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1), static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<uint32_t>(p0)};
    k0 += kPhiloxW0;
    k1 += kPhiloxW1;
  }
  return c;
}

constexpr PhiloxBlock counter(Stream stream, uint64_t chain, uint64_t step, uint64_t place) {
  return {static_cast<uint32_t>(place), static_cast<uint32_t>(step), static_cast<uint32_t>(chain),
          static_cast<uint32_t>(stream) << 24 | static_cast<uint32_t>(step >> 32 & 0xFFFFFFu)};
}

// Uniform float in (0, 1): 23 bits plus one half, so that the result is never 0 or 1.
constexpr float uniform_f32(uint32_t bits) { return static_cast<float>(bits >> 9) * 0x1p-23f + 0x1p-24f; }

// Uniform double in (0, 1): 52 bits plus one half.
constexpr double uniform_f64(uint32_t high, uint32_t low) {
  return static_cast<double>((static_cast<uint64_t>(high) << 32 | low) >> 12) * 0x1p-52 + 0x1p-53;
}

// Random access to one stream, for code that is not hot: element `index` of (stream, chain, step) does not depend on earlier calls.
class RandomView {
 public:
  RandomView(uint64_t seed, Stream stream, uint64_t chain, uint64_t step) : seed_(seed), stream_(stream), chain_(chain), step_(step) {}
  uint32_t word(uint64_t index) const { return philox(seed_, counter(stream_, chain_, step_, index / 4))[index % 4]; }
  double uniform(uint64_t index) const {
    const PhiloxBlock b = philox(seed_, counter(stream_, chain_, step_, index / 2));
    return index % 2 == 0 ? uniform_f64(b[0], b[1]) : uniform_f64(b[2], b[3]);
  }
  // Uniform integer in 0..n-1, n < 2^32. The bias is below n / 2^52.
  uint32_t below(uint64_t index, uint32_t n) const { return static_cast<uint32_t>(uniform(index) * n); }
  double normal(uint64_t index) const;  // standard normal, by inversion

 private:
  uint64_t seed_;
  Stream stream_;
  uint64_t chain_, step_;
};

// Inverse of the standard normal distribution function, p in (0, 1). Relative error below 1e-15, same bits on
// every machine. Source: M. Wichura, algorithm AS 241, Appl. Statist. 37, 477 (1988).
double normal_quantile(double p);

}  // namespace atp
