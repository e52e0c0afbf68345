// SPDX-License-Identifier: MIT
#include "data/alignment.hpp"

#include <cmath>
#include <cstring>

namespace atp {

void check_shape(const AlignmentShape &shape) {
  if (shape.sites < 2) fail(ATP_E_VALUE, "sites is %lld, must be at least 2", static_cast<long long>(shape.sites));
  if (shape.count < 1 || shape.count > kMaxElements / shape.sites)
    fail(ATP_E_VALUE, "n is %lld, must be in 1..%lld", static_cast<long long>(shape.count),
         static_cast<long long>(kMaxElements / shape.sites));
  if (shape.colors < 2 || shape.colors > 255) fail(ATP_E_VALUE, "colors is %lld, must be in 2..255", static_cast<long long>(shape.colors));
}

void check_weights(const double *weights, int64_t n, const char *argument) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (!std::isfinite(weights[k]))
      fail(ATP_E_NOT_FINITE, "%s[%lld] is %g, must be finite", argument, static_cast<long long>(k), weights[k]);
    if (weights[k] < 0) fail(ATP_E_VALUE, "%s[%lld] is %g, must be >= 0", argument, static_cast<long long>(k), weights[k]);
    sum += weights[k];
  }
  if (!(sum > 0) || !std::isfinite(sum)) fail(ATP_E_VALUE, "the sum of %s is %g, must be positive and finite", argument, sum);
}

void Alignment::set_origin(const char *text) {
  const std::size_t kept = strnlen(text, sizeof origin - 1);
  std::memmove(origin, text, kept);  // the text may be the present one
  origin[kept] = 0;
}

Alignment *create_alignment(Context &context, const uint8_t *sequences, const AlignmentShape &shape, const double *weights) {
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, AlignmentShape{shape.count, shape.sites, shape.colors, 0});
  std::memcpy(made->sequences.data(), sequences, static_cast<std::size_t>(shape.count * shape.sites));
  for (int64_t n = 0; n < shape.count; ++n) made->weights[n] = weights == nullptr ? 1 : weights[n];
  return made;
}

Alignment *select_sequences(Context &context, const Alignment &source, int64_t first, int64_t count, int64_t stride) {
  AlignmentShape shape{count, source.sites(), source.colors(), 0};
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t n = first + k * stride;
    if (source.has_names()) shape.name_bytes += static_cast<int64_t>(std::strlen(source.name(n))) + 1;
    sum += source.weights[n];
  }
  if (!(sum > 0))
    fail(ATP_E_VALUE, "first = %lld, count = %lld: all these sequences have weight 0", static_cast<long long>(first),
         static_cast<long long>(count));
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, shape);
  int64_t place = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t n = first + k * stride;
    std::memcpy(made->sequences.data() + k * shape.sites, source.sequence(n), static_cast<std::size_t>(shape.sites));
    made->weights[k] = source.weights[n];
    if (source.has_names()) {
      const std::size_t bytes = std::strlen(source.name(n)) + 1;
      std::memcpy(made->names.data() + place, source.name(n), bytes);
      made->name_offsets[k] = place;
      place += static_cast<int64_t>(bytes);
    }
  }
  std::memcpy(made->alphabet, source.alphabet, sizeof made->alphabet);
  std::memcpy(made->origin, source.origin, sizeof made->origin);
  made->labels.copy(source.labels);
  return made;
}

}  // namespace atp
