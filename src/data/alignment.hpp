// SPDX-License-Identifier: MIT
// N sequences of L sites with weights.
#pragma once

#include "base/context.hpp"

namespace atp {

struct AlignmentShape {
  int64_t count = 0, sites = 0, colors = 0;
  int64_t name_bytes = 0;  // of all names with their final zeros; 0: no names
};

class Alignment {
 public:
  Alignment(Context *owner, const AlignmentShape &alignment_shape) : context(owner), shape(alignment_shape) {}
  void lay_out(Arena &arena) {
    sequences = arena.take<uint8_t>(shape.count * shape.sites);
    weights = arena.take<double>(shape.count);
    name_offsets = arena.take<int64_t>(shape.name_bytes > 0 ? shape.count : 0);
    names = arena.take<char>(shape.name_bytes);
  }
  int64_t count() const { return shape.count; }
  int64_t sites() const { return shape.sites; }
  int64_t colors() const { return shape.colors; }
  const uint8_t *sequence(int64_t n) const { return sequences.data() + n * shape.sites; }
  const char *name(int64_t n) const { return names.empty() ? "" : names.data() + name_offsets[n]; }
  double effective_count() const {
    double sum = 0;
    for (double w : weights) sum += w;
    return sum;
  }

  Context *context;
  std::size_t block_bytes = 0;
  AlignmentShape shape;
  Span<uint8_t> sequences;
  Span<double> weights;
  Span<int64_t> name_offsets;
  Span<char> names;
  char alphabet[256] = "";
  char origin[1024] = "";
};

}  // namespace atp
