// SPDX-License-Identifier: MIT
#include "alignment/weights.hpp"

#include "alignment/packed_sequences.hpp"
#include "base/philox.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace atp {

namespace {

constexpr ColumnInfo kWeights[] = {
    {"theta", "", "largest fraction of differing columns of neighbours"},
    {"effective", "", "effective number of sequences, the sum of the weights"},
    {"alone", "", "sequences without neighbours"},
    {"largest", "", "sequences in the largest neighbourhood, its centre included"},
};

}  // namespace

constexpr TableKind kWeightsTable = kind_of(ATP_TABLE_WEIGHTS, "ATP_TABLE_WEIGHTS", kWeights);

namespace {

// The neighbours of each sequence, by the thetas of a list that does not fall. Each pair is compared once.
class NeighbourCounts {
 public:
  NeighbourCounts(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule)
      : context_(context),
        alignment_(alignment),
        levels_(thetas.size()),
        memory_(context.allocator, bytes()),
        arena_(memory_.arena()),
        packed_(arena_, alignment),
        counter_(arena_, context.target, alignment, packed_, levels_) {
    by_thread_ = arena_.take<int32_t>(context.threads, count() * levels_);
    neighbours_ = arena_.take<int64_t>(count());
    std::fill(by_thread_.begin(), by_thread_.end(), 0);
    std::fill(neighbours_.begin(), neighbours_.end(), 0);
    counter_.set(thetas, rule, rule == ATP_WEIGHTS_RESIDUES);
  }

  // Counts are integers, so their sums depend neither on the threads nor on the ranks. With a reporter the tasks come in parts of the same
  // size on all ranks, with a report after each. False where it stopped the run.
  bool compare(Reporter *reporter = nullptr) {
    constexpr int64_t kPart = 64;  // tasks, about 0.1 s of a thread
    const int64_t tasks = counter_.any() ? packed_.tasks() : 0, part = reporter == nullptr ? tasks : kPart * context_.ranks.size();
    std::optional<Heartbeat> heartbeat;
    if (reporter != nullptr && tasks > 0) heartbeat.emplace(*reporter, static_cast<double>(tasks));
    for (int64_t first = 0; first < tasks; first += part) {
      const int64_t n = std::min(part, tasks - first);
      shared_for(context_.ranks, context_.threads, n, [&](int64_t k, int thread) {
        counter_.count(packed_.tiles_of(first + k), by_thread_.data() + thread * count() * levels_);
      });
      if (heartbeat && heartbeat->step(static_cast<double>(n))) return false;
    }
    return true;
  }

  // Adds the neighbours of a theta to those of the thetas before it: over the threads, and over the ranks, 8 bytes for each sequence.
  void add_level(int64_t level) {
    constexpr int64_t kPart = 512;
    int64_t added[kPart];
    for (int64_t first = 0; first < count(); first += kPart) {
      const int64_t n = std::min(count() - first, kPart);
      for (int64_t k = 0; k < n; ++k) {
        added[k] = 0;
        for (int64_t t = 0; t < context_.threads; ++t) added[k] += by_thread_[(t * count() + first + k) * levels_ + level];
      }
      context_.ranks.sum(added, n);
      for (int64_t k = 0; k < n; ++k) neighbours_[first + k] += added[k];
    }
  }

  int64_t operator[](int64_t n) const { return neighbours_[n]; }

 private:
  int64_t count() const { return alignment_.count(); }
  std::size_t bytes() const {
    return PackedSequences::bytes(count(), alignment_.sites()) + NeighbourCounter::bytes(count(), alignment_.sites(), levels_) +
           Scratch::piece<int32_t>(count() * levels_ * context_.threads) + Scratch::piece<int64_t>(count());
  }

  Context &context_;
  const Alignment &alignment_;
  int64_t levels_;
  Scratch memory_;
  Arena arena_;
  PackedSequences packed_;
  NeighbourCounter counter_;
  Span<int32_t> by_thread_;  // [threads][sequences][levels]
  Span<int64_t> neighbours_;
};

// The mean fraction of identical columns of two sequences, from counts per column.
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

}  // namespace

atp_outcome weigh_sequences(Context &context, Alignment &alignment, double theta, atp_weight_rule rule, Reporter &reporter) {
  NeighbourCounts counts(context, alignment, {&theta, 1}, rule);
  if (!counts.compare(&reporter)) return ATP_OUTCOME_CANCELLED;
  counts.add_level(0);
  for (int64_t n = 0; n < alignment.count(); ++n) alignment.weights[n] = 1 / static_cast<double>(1 + counts[n]);
  return ATP_OUTCOME_CONVERGED;
}

void scan_weights(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule, Table &table) {
  const int64_t levels = thetas.size();
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(levels) + Scratch::piece<double>(levels));
  Arena arena = memory.arena();
  const Span<int64_t> order = arena.take<int64_t>(levels);
  const Span<double> rising = arena.take<double>(levels);
  for (int64_t k = 0; k < levels; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return thetas[a] < thetas[b]; });
  for (int64_t l = 0; l < levels; ++l) rising[l] = thetas[order[l]];
  NeighbourCounts counts(context, alignment, rising, rule);
  counts.compare();
  const Span<double> rows = table.room(levels);
  for (int64_t l = 0; l < levels; ++l) {
    counts.add_level(l);
    double *row = rows.data() + order[l] * table.columns();
    int64_t alone = 0, largest = 0;
    double effective = 0;
    for (int64_t n = 0; n < alignment.count(); ++n) {
      effective += 1 / static_cast<double>(1 + counts[n]);
      alone += counts[n] == 0 ? 1 : 0;
      largest = std::max(largest, 1 + counts[n]);
    }
    row[ATP_WEIGHTS_THETA] = rising[l];
    row[ATP_WEIGHTS_EFFECTIVE] = effective;
    row[ATP_WEIGHTS_ALONE] = static_cast<double>(alone);
    row[ATP_WEIGHTS_LARGEST] = static_cast<double>(largest);
  }
  table.append(levels);
}

void resample_weights(const Alignment &alignment, uint64_t seed, uint64_t sample, Span<double> weights) {
  const RandomView random(seed, Stream::bootstrap, sample, 0);
  std::fill(weights.begin(), weights.end(), 0.0);
  for (int64_t k = 0; k < weights.size(); ++k) {
    const uint32_t drawn = random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(weights.size()));
    weights[drawn] += alignment.weights[drawn];
  }
}

double automatic_theta(const Alignment &alignment) { return std::fmin(0.5, 0.1216 / mean_identity(alignment)); }

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
  const int32_t most = static_cast<int32_t>(allowed);
  const IdentityLimits limits = {&most, nullptr, 1, 0};
  parallel_for(context.threads, packed.tasks(), [&](int64_t task, int thread) {
    const IdentityBlock t = packed.tiles_of(task);
    Forest forest(parents.data() + thread * n);
    int32_t *mine = near.data() + thread * n;
    for (int64_t a = t.n_first; a < t.n_end; ++a) {
      // The kernel compares a with those after it, and counts a itself once for each neighbour.
      kernels.count(packed.block(a, a + 1, t.m_first, t.m_end), limits, mine);
      if (mine[a] == 0) continue;
      mine[a] = 0;
      for (int64_t b = std::max(t.m_first, a + 1); b < t.m_end; ++b) {
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
    fail(ATP_E_VALUE, "folds is %lld and the alignment has %lld clusters of similar sequences, must have at least as many", llong{folds},
         llong{with_weight});
  deal(weights.sub(0, made.clusters), order.sub(0, made.clusters), loads, fold_of);
  for (int64_t k = 0; k < n; ++k) fold[k] = fold_of[cluster[k]];
  return made;
}

}  // namespace atp
