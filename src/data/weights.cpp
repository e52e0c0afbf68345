// SPDX-License-Identifier: MIT
#include "data/weights.hpp"

#include "base/team.hpp"
#include "data/packed.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace atp {

int64_t allowed_differences(double theta, int64_t sites, atp_weight_rule rule) {
  const double exact = theta * static_cast<double>(sites), whole = std::round(exact);
  const double x = std::fabs(exact - whole) <= 1e-9 * static_cast<double>(sites) ? whole : exact;
  switch (rule) {
    case ATP_WEIGHTS_STRICT: return static_cast<int64_t>(std::ceil(x)) - 1;
    case ATP_WEIGHTS_FLOOR: return static_cast<int64_t>(std::floor(x)) - 1;
    case ATP_WEIGHTS_INCLUSIVE: break;
  }
  return static_cast<int64_t>(std::floor(x));
}

void weigh_sequences(Context &context, Alignment &alignment, int64_t allowed) {
  const int64_t n = alignment.count();
  if (allowed < 0) {
    for (double &w : alignment.weights) w = 1;
    return;
  }
  const int64_t threads = context.threads;
  const Scratch memory(context.allocator, PackedSequences::bytes(n, alignment.sites()) + Scratch::piece<int32_t>(n * threads));
  Arena arena = memory.arena();
  const PackedSequences packed(arena, alignment);
  const Span<int32_t> neighbours = arena.take<int32_t>(n, threads);
  std::fill(neighbours.begin(), neighbours.end(), 0);
  const IdentityKernels &kernels = identity_kernels(context.target);
  // Counts are integers, so their sums depend neither on the threads nor on the ranks.
  shared_for(context.ranks, context.threads, packed.tasks(), [&](int64_t task, int thread) {
    const PackedSequences::Tiles t = packed.tiles_of(task);
    kernels.count(packed.data(), n, packed.pieces(), t.a_first, t.a_end, t.b_first, t.b_end, allowed, neighbours.data() + thread * n);
  });
  // With several ranks 8 n bytes are summed.
  int64_t counts[512];
  for (int64_t first = 0; first < n; first += std::size(counts)) {
    const int64_t end = std::min<int64_t>(n, first + static_cast<int64_t>(std::size(counts)));
    for (int64_t k = first; k < end; ++k) {
      counts[k - first] = 0;
      for (int64_t t = 0; t < threads; ++t) counts[k - first] += neighbours[t * n + k];
    }
    context.ranks.sum(counts, end - first);
    for (int64_t k = first; k < end; ++k) alignment.weights[k] = 1 / static_cast<double>(1 + counts[k - first]);
  }
}

double mean_identity(const Alignment &alignment) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  double sum = 0;
  for (int64_t i = 0; i < sites; ++i) {
    int64_t counts[256] = {};
    for (int64_t k = 0; k < n; ++k) ++counts[alignment.sequence(k)[i]];
    for (int64_t c : counts) sum += static_cast<double>(c) * static_cast<double>(c - 1);
  }
  return sum / (static_cast<double>(n) * static_cast<double>(n - 1) * static_cast<double>(sites));
}

double automatic_theta(const Alignment &alignment) { return std::fmin(0.5, 0.1216 / mean_identity(alignment)); }

}  // namespace atp
