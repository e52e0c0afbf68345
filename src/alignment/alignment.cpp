// SPDX-License-Identifier: MIT
#include "alignment/alignment.hpp"

#include "alignment/text.hpp"

#include <cmath>
#include <cstring>

namespace atp {

void check_shape(const AlignmentShape &shape) {
  if (shape.sites < 2) fail(ATP_E_VALUE, "sites is %lld, must be at least 2", llong{shape.sites});
  if (shape.count < 1 || shape.count > kMaxElements / shape.sites)
    fail(ATP_E_VALUE, "n is %lld, must be in 1..%lld", llong{shape.count}, llong{kMaxElements / shape.sites});
  if (shape.colors < 2 || shape.colors > 255) fail(ATP_E_VALUE, "colors is %lld, must be in 2..255", llong{shape.colors});
  memory_size(shape.count * shape.sites);
}

void check_weights(const double *weights, int64_t n, const char *argument) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (!std::isfinite(weights[k])) fail(ATP_E_NOT_FINITE, "%s" ATP_AT " is %g, must be finite", argument, llong{k}, weights[k]);
    if (weights[k] < 0) fail(ATP_E_VALUE, "%s" ATP_AT " is %g, must be >= 0", argument, llong{k}, weights[k]);
    sum += weights[k];
  }
  if (!(sum > 0) || !std::isfinite(sum)) fail(ATP_E_VALUE, "the sum of %s is %g, must be positive and finite", argument, sum);
}

void Alignment::set_origin(const char *text) {
  const std::size_t kept = strnlen(text, sizeof origin - 1);
  check_one_line(text, static_cast<int64_t>(kept), "origin");
  std::memmove(origin, text, kept);  // the text may be the current origin
  origin[kept] = 0;
}

Alignment *create_alignment(Context &context, const uint8_t *sequences, const AlignmentShape &shape, const double *weights, bool copied) {
  const AlignmentShape unnamed{shape.count, shape.sites, shape.colors, 0};
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, unnamed, copied ? nullptr : sequences);
  if (copied) std::memcpy(made->own_sequences.data(), sequences, static_cast<std::size_t>(shape.count * shape.sites));
  for (int64_t n = 0; n < shape.count; ++n) made->weights[n] = weights == nullptr ? 1 : weights[n];
  return made;
}

}  // namespace atp
