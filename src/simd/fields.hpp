// SPDX-License-Identifier: MIT
// Local fields of a Potts model in float64, of many sequences at once. Every lane is a colour and is summed separately, in the order of the
// sites: the bits do not depend on the vector width, and are those of a plain loop.
#pragma once

#include "base/context.hpp"

namespace atp {

inline constexpr int64_t kMostFieldLanes = 24;

// Couplings of one site to some others, for `lanes` of its colours (8, 16 or 24): for each of those sites a block of rows
// [colors + 1][lanes], one for each colour there; the last is zeros, for sequences in which the site is missing.
struct FieldPanel {
  int64_t colors, lanes, count;  // count: sites
  const int32_t *sites;
  const double *rows;
};

struct FieldKernels {
  // For n = 0..count-1 and the sites j of the panel, one after the other: fields[n * step + a] += the row of sequences[n * length + j],
  // where values from `colors` on are missing. Rows and fields begin at multiples of 64 bytes.
  void (*add)(const FieldPanel &panel, const uint8_t *sequences, int64_t length, int64_t count, double *fields, int64_t step);
};

extern const FieldKernels field_scalar_kernels;
const FieldKernels &field_kernels(Target target);

}  // namespace atp
