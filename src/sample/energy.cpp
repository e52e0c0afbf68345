// SPDX-License-Identifier: MIT
#include "sample/energy.hpp"

namespace atp {

double energy_of(const Model &model, bool symmetric, const uint8_t *s) {
  const int64_t L = model.sites(), q = model.colors();
  double pairs = 0, singles = 0;
  for (int64_t i = 0; i < L; ++i) {
    // A symmetric model needs only j < i. Separate sums of even and odd j keep the adder busy. The diagonal
    // is 0.
    const int64_t end = symmetric ? i : L;
    double even = 0, odd = 0;
    if (model.shape.dense()) {
      const double *row = model.block(i, 0) + s[i] * q;
      int64_t j = 0;
      for (; j + 1 < end; j += 2) {
        even += row[j * q * q + s[j]];
        odd += row[(j + 1) * q * q + s[j + 1]];
      }
      if (j < end) even += row[j * q * q + s[j]];
    } else {
      for (int64_t h = 0; h < model.shape.heads; ++h) {
        const double *map = model.map(h) + i * L;
        const double *value = model.value(h) + s[i] * q;
        int64_t j = 0;
        for (; j + 1 < end; j += 2) {
          even += map[j] * value[s[j]];
          odd += map[j + 1] * value[s[j + 1]];
        }
        if (j < end) even += map[j] * value[s[j]];
      }
    }
    pairs += even + odd;
    if (!model.fields.empty()) singles += model.fields[i * q + s[i]];
  }
  return -(symmetric ? 1.0 : 0.5) * pairs - singles;
}

}  // namespace atp
