// SPDX-License-Identifier: MIT
#include "learn/factored/pair_penalty.hpp"

#include "base/team.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kPiece = 512;  // elements of a map at a time: those of all heads stay in the cache

Span<const double> piece(const double *x, int64_t head, int64_t size, int64_t begin, int64_t count) {
  return {x + head * size + begin, count};
}

}  // namespace

void PairPenalty::lay_out(Arena &arena, int64_t heads) {
  heads_ = heads;
  value_gram_ = arena.take<double>(heads, heads);
  map_gram_ = arena.take<double>(heads, heads);
}

double PairPenalty::add(Threads threads, const Penalties &strengths, const double *maps, int64_t map_size, const double *values,
                        int64_t value_size, double *map_sums, double *value_sums) {
  const auto gram = [&](const double *x, int64_t size, Span<double> g) {
    // A task is a row, which it fills up to the diagonal.
    parallel_for(threads, heads_, [&](int64_t h, int) {
      std::fill_n(g.data() + h * heads_, h + 1, 0.0);
      for (int64_t begin = 0; begin < size; begin += kPiece) {
        const int64_t count = std::min(kPiece, size - begin);
        for (int64_t k = 0; k <= h; ++k) g[h * heads_ + k] += dot(piece(x, h, size, begin, count), piece(x, k, size, begin, count));
      }
    });
    for (int64_t h = 0; h < heads_; ++h)
      for (int64_t k = h + 1; k < heads_; ++k) g[h * heads_ + k] = g[k * heads_ + h];
  };
  gram(values, value_size, value_gram_);
  gram(maps, map_size, map_gram_);
  const double square = dot(value_gram_, map_gram_), length = std::sqrt(std::max(square, 0.0));
  const double strength = strengths.pairs + (length > 0 ? strengths.norm_pairs / (2 * length) : 0);
  const auto add_combined = [&](const double *x, int64_t size, Span<const double> g, double *to) {
    parallel_for(threads, heads_, [&](int64_t h, int) {
      for (int64_t begin = 0; begin < size; begin += kPiece) {
        const int64_t count = std::min(kPiece, size - begin);
        for (int64_t k = 0; k < heads_; ++k)
          add_scaled(2 * strength * g[h * heads_ + k], piece(x, k, size, begin, count), {to + h * size + begin, count});
      }
    });
  };
  if (map_sums != nullptr) add_combined(maps, map_size, value_gram_, map_sums);
  if (value_sums != nullptr) add_combined(values, value_size, map_gram_, value_sums);
  return strengths.pairs * square + strengths.norm_pairs * length;
}

}  // namespace atp
