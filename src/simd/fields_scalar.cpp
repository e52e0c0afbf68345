// SPDX-License-Identifier: MIT
#include "simd/fields.hpp"

namespace atp {

namespace {

void add(const FieldPanel &panel, const uint8_t *sequences, int64_t length, int64_t count, double *fields, int64_t step) {
  for (int64_t n = 0; n < count; ++n)
    for (int64_t k = 0; k < panel.count; ++k) {
      const int64_t color = sequences[n * length + panel.sites[k]];
      const double *row = panel.rows + (k * (panel.colors + 1) + (color < panel.colors ? color : panel.colors)) * panel.lanes;
      for (int64_t a = 0; a < panel.lanes; ++a) fields[n * step + a] += row[a];
    }
}

}  // namespace

const FieldKernels field_scalar_kernels = {add};

}  // namespace atp
