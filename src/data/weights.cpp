// SPDX-License-Identifier: MIT
#include "data/weights.hpp"

#include "base/team.hpp"
#include "data/growing.hpp"
#include "simd/identity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace atp {

namespace {

constexpr int64_t kTile = 512;  // sequences: the first pieces of two tiles are 64 KiB

// Sorts the columns by information content, so that dissimilar sequences show their differences early.
void order_columns(const Alignment &alignment, Span<int64_t> order, Span<double> same) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  for (int64_t i = 0; i < sites; ++i) {
    int64_t counts[256] = {};
    for (int64_t k = 0; k < n; ++k) ++counts[alignment.sequence(k)[i]];
    same[i] = 0;
    for (int64_t c : counts) same[i] += static_cast<double>(c) * static_cast<double>(c);
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return same[a] != same[b] ? same[a] < same[b] : a < b; });
}

}  // namespace

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
  const int64_t n = alignment.count(), sites = alignment.sites(), pieces = (sites + kIdentityPiece - 1) / kIdentityPiece;
  if (allowed < 0) {
    for (double &w : alignment.weights) w = 1;
    return;
  }
  if (n > INT32_MAX)
    fail(ATP_E_TOO_LARGE, "the alignment has %lld sequences, must have at most 2^31 - 1 to compute weights", static_cast<long long>(n));
  const int64_t threads = context.threads;
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(sites) + Scratch::piece<double>(sites) +
                                              Scratch::piece<uint8_t>(n * pieces * kIdentityPiece) + Scratch::piece<int32_t>(n * threads));
  Arena arena = memory.arena();
  const Span<int64_t> order = arena.take<int64_t>(sites);
  const Span<double> same = arena.take<double>(sites);
  const Span<uint8_t> packed = arena.take<uint8_t>(n, pieces, kIdentityPiece);
  const Span<int32_t> neighbours = arena.take<int32_t>(n, threads);
  order_columns(alignment, order, same);
  std::fill(packed.begin(), packed.end(), uint8_t{0});
  std::fill(neighbours.begin(), neighbours.end(), 0);
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = alignment.sequence(k);
    for (int64_t i = 0; i < sites; ++i) packed[(i / kIdentityPiece * n + k) * kIdentityPiece + i % kIdentityPiece] = s[order[i]];
  }
  const IdentityKernels &kernels = identity_kernels(context.target);
  const int64_t tiles = (n + kTile - 1) / kTile;
  // Task t is the pair of tiles (a, b), a <= b, number t in the order b = 0, 1, ..., a = 0..b. Counts are
  // integers, so their sums depend neither on the threads nor on the ranks.
  shared_for(context.ranks, context.threads, tiles * (tiles + 1) / 2, [&](int64_t task, int thread) {
    int64_t b = static_cast<int64_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2);
    while (b * (b + 1) / 2 > task) --b;
    while ((b + 1) * (b + 2) / 2 <= task) ++b;
    const int64_t a = task - b * (b + 1) / 2;
    kernels.count(packed.data(), n, pieces, a * kTile, std::min(n, (a + 1) * kTile), b * kTile, std::min(n, (b + 1) * kTile), allowed,
                  neighbours.data() + thread * n);
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
