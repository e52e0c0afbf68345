// SPDX-License-Identifier: MIT
// A random alignment of relatives, and how two of its sequences differ.
#pragma once

#include "counting.h"

#include "alignment/alignment.hpp"
#include "base/philox.hpp"

#include <cstring>

namespace atp {

// Families of relatives: each sequence is a copy of an earlier one with a few changes, or new.
struct Family {
  Family(int64_t count, int64_t sites, int64_t colors, uint64_t seed, int threads = 1) : context(counting_alloc, counting_free, nullptr) {
    context.threads = threads;
    AlignmentShape shape;
    shape.count = count;
    shape.sites = sites;
    shape.colors = colors;
    all = create_in_block<Alignment>(context.allocator, &context, shape);
    const RandomView random(seed, Stream::start, 0, 0);
    uint64_t at = 0;
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random.uniform(at++) * static_cast<double>(n)); };
    for (int64_t n = 0; n < count; ++n) {
      uint8_t *s = all->own_sequences.data() + n * sites;
      const bool fresh = n == 0 || below(3) == 0;
      if (!fresh) std::memcpy(s, all->sequence(below(n)), static_cast<size_t>(sites));
      const int64_t changes = fresh ? sites : 1 + below(2);
      for (int64_t k = 0; k < changes; ++k) s[fresh ? k : below(sites)] = static_cast<uint8_t>(below(colors));
      all->weights[n] = 0.25 + 0.75 * random.uniform(at++);
    }
  }
  ~Family() { destroy_block(context.allocator, all); }
  Context context;
  Alignment *all;
};

inline int64_t differences(const Alignment &a, int64_t n, int64_t m) {
  int64_t d = 0;
  for (int64_t i = 0; i < a.sites(); ++i) d += a.sequence(n)[i] != a.sequence(m)[i] ? 1 : 0;
  return d;
}

}  // namespace atp
