// SPDX-License-Identifier: MIT
#include "alignment/clusters.hpp"

#include "base/team.hpp"
#include "alignment/growing.hpp"
#include "alignment/packed.hpp"
#include "alignment/weights.hpp"

namespace atp {

namespace {

// A forest of sequences: trees are clusters, and a root is the first sequence of its tree.
class Forest {
 public:
  explicit Forest(int32_t *parents) : parents_(parents) {}
  int32_t root(int32_t n) {
    while (parents_[n] != n) n = parents_[n] = parents_[parents_[n]];
    return n;
  }
  void join(int32_t n, int32_t m) {
    const int32_t a = root(n), b = root(m);
    if (a < b)
      parents_[b] = a;
    else
      parents_[a] = b;
  }

 private:
  int32_t *parents_;
};

// A forest for each thread; together they have the links of all pairs. Which thread finds a link does not change the clusters.
int64_t link(Context &context, const PackedSequences &packed, int64_t allowed, Arena arena, Span<int64_t> cluster) {
  const int64_t n = packed.count(), threads = context.threads;
  const Span<int32_t> parents = arena.take<int32_t>(threads, n);
  const Span<int32_t> near = arena.take<int32_t>(threads, n);
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t k = 0; k < n; ++k) parents[t * n + k] = static_cast<int32_t>(k);
  std::fill(near.begin(), near.end(), 0);
  const IdentityKernels &kernels = identity_kernels(context.target);
  parallel_for(context.threads, packed.tasks(), [&](int64_t task, int thread) {
    const PackedSequences::Tiles t = packed.tiles_of(task);
    Forest forest(parents.data() + thread * n);
    int32_t *mine = near.data() + thread * n;
    for (int64_t a = t.a_first; a < t.a_end; ++a) {
      // The kernel compares a with those after it, and counts a itself once for each neighbour.
      kernels.count(packed.data(), n, packed.pieces(), a, a + 1, t.b_first, t.b_end, allowed, mine);
      if (mine[a] == 0) continue;
      mine[a] = 0;
      for (int64_t b = std::max(t.b_first, a + 1); b < t.b_end; ++b) {
        if (mine[b] != 0) forest.join(static_cast<int32_t>(a), static_cast<int32_t>(b));
        mine[b] = 0;
      }
    }
  });
  Forest all(parents.data());
  for (int64_t t = 1; t < threads; ++t)
    for (int64_t k = 0; k < n; ++k) all.join(static_cast<int32_t>(k), parents[t * n + k]);
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    const int32_t root = all.root(static_cast<int32_t>(k));
    cluster[k] = root == k ? count++ : cluster[root];
  }
  return count;
}

// Numbers of sequences, packed, and room for link().
std::size_t link_bytes(const Context &context, const Alignment &alignment) {
  const int64_t n = alignment.count();
  return PackedSequences::bytes(n, alignment.sites()) + 2 * Scratch::piece<int32_t>(context.threads * n);
}

double heaviest(const Alignment &alignment, Span<const int64_t> cluster, Span<double> weights) {
  std::fill(weights.begin(), weights.end(), 0.0);
  for (int64_t n = 0; n < alignment.count(); ++n) weights[cluster[n]] += alignment.weights[n];
  return *std::max_element(weights.begin(), weights.end());
}

// The heaviest cluster first, each to the lightest fold.
void deal(Span<const double> weights, Span<int64_t> order, Span<double> loads, Span<int64_t> fold_of_cluster) {
  for (int64_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return weights[a] != weights[b] ? weights[a] > weights[b] : a < b; });
  std::fill(loads.begin(), loads.end(), 0.0);
  for (int64_t c : order) {
    const int64_t fold = std::min_element(loads.begin(), loads.end()) - loads.begin();
    fold_of_cluster[c] = fold;
    loads[fold] += weights[c];
  }
}

}  // namespace

int64_t link_sequences(Context &context, const Alignment &alignment, int64_t allowed, Span<int64_t> cluster) {
  const Scratch memory(context.allocator, link_bytes(context, alignment));
  Arena arena = memory.arena();
  const PackedSequences packed(arena, alignment);
  return link(context, packed, allowed, arena, cluster);
}

Folds make_folds(Context &context, const Alignment &alignment, int64_t folds, double distance, Span<int64_t> cluster, Span<int64_t> fold) {
  const int64_t n = alignment.count();
  const Scratch memory(context.allocator, link_bytes(context, alignment) + Scratch::piece<double>(n) + 2 * Scratch::piece<int64_t>(n) +
                                              Scratch::piece<double>(folds));
  Arena arena = memory.arena();
  const Span<double> weights = arena.take<double>(n);
  const Span<int64_t> order = arena.take<int64_t>(n), fold_of = arena.take<int64_t>(n);
  const Span<double> loads = arena.take<double>(folds);
  const PackedSequences packed(arena, alignment);
  const double share = alignment.effective_count() / static_cast<double>(folds) * (1 + 1e-12);
  // Clusters only grow with the allowed differences: bisection between `low`, which is taken, and `high`, which is too much.
  int64_t low = 0, high = allowed_differences(distance, alignment.sites(), ATP_WEIGHTS_INCLUSIVE) + 1;
  for (int64_t next = high - 1; high - low > 1; next = low + (high - low) / 2) {
    link(context, packed, next, arena, cluster);
    (heaviest(alignment, cluster, weights) <= share ? low : high) = next;
  }
  Folds made;
  made.allowed = low;
  made.clusters = link(context, packed, low, arena, cluster);
  heaviest(alignment, cluster, weights);
  const int64_t with_weight = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
  if (with_weight < folds)
    fail(ATP_E_VALUE, "folds is %lld and the alignment has %lld clusters of similar sequences, must have at least as many",
         static_cast<long long>(folds), static_cast<long long>(with_weight));
  deal(weights.sub(0, made.clusters), order.sub(0, made.clusters), loads, fold_of);
  for (int64_t k = 0; k < n; ++k) fold[k] = fold_of[cluster[k]];
  return made;
}

}  // namespace atp
