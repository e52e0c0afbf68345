// SPDX-License-Identifier: MIT
// Normal numbers of simulations.
#pragma once

#include "base/philox.hpp"

namespace atp::replica {

// Successive standard normal numbers of one realisation. Each block of the generator gives two.
class Normals {
 public:
  Normals(uint64_t seed, uint64_t realisation, uint64_t samples) : seed_(seed), realisation_(realisation), samples_(samples) {}
  double next() {
    if (half_) {
      half_ = false;
      return second_;
    }
    const PhiloxBlock b = philox(seed_, counter(Stream::replica, realisation_, samples_, place_++));
    second_ = normal_quantile(uniform_f64(b[2], b[3]));
    half_ = true;
    return normal_quantile(uniform_f64(b[0], b[1]));
  }

 private:
  uint64_t seed_, realisation_, samples_, place_ = 0;
  bool half_ = false;
  double second_ = 0;
};

}  // namespace atp::replica
