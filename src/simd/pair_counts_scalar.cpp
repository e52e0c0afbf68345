// SPDX-License-Identifier: MIT
// The specification of the kernel that counts pairs of colours.
#include "simd/pair_counts.hpp"

#include <algorithm>

namespace atp {

namespace {

void count_site(const PairCountData &data, int64_t i, uint32_t * /*order*/, uint32_t *counts) {
  const int64_t q = data.shape.colors, stride = data.column_stride();
  const uint8_t *a = data.columns.data() + i * stride;
  for (int64_t j = i + 1; j < data.shape.sites; ++j, counts += q * q) {
    const uint8_t *b = data.columns.data() + j * stride;
    std::fill_n(counts, q * q, 0U);
    for (int64_t n = 0; n < data.shape.sequences; ++n) ++counts[a[n] * q + b[n]];
  }
}

}  // namespace

const PairCountKernels pair_count_scalar_kernels = {count_site};

}  // namespace atp
