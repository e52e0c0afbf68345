// SPDX-License-Identifier: MIT
#include "alignment/weights.hpp"

#include "base/team.hpp"
#include "alignment/packed.hpp"

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

// The neighbours of each sequence, for one theta after the other. The sequences are packed once.
class NeighbourCounts {
 public:
  NeighbourCounts(Context &context, const Alignment &alignment)
      : context_(context),
        alignment_(alignment),
        threads_(context.threads),
        memory_(context.allocator, bytes()),
        arena_(memory_.arena()),
        packed_(arena_, alignment) {
    by_thread_ = arena_.take<int32_t>(count(), threads_);
    allowed_ = arena_.take<int32_t>(packed_.pieces() * kIdentityPiece + 1);
    residues_ = arena_.take<int32_t>(count());
    neighbours_ = arena_.take<int64_t>(count());
    for (int64_t k = 0; k < count(); ++k) {
      const uint8_t *s = alignment.sequence(k);
      residues_[k] = static_cast<int32_t>(sites() - std::count(s, s + sites(), uint8_t{0}));
    }
  }
  // False where the reporter (NULL: none) stopped the run.
  bool count_near(double theta, atp_weight_rule rule, Reporter *reporter = nullptr);
  int64_t operator[](int64_t n) const { return neighbours_[n]; }

 private:
  int64_t count() const { return alignment_.count(); }
  int64_t sites() const { return alignment_.sites(); }
  std::size_t bytes() const {
    return PackedSequences::bytes(count(), sites()) + Scratch::piece<int32_t>(count() * threads_) +
           Scratch::piece<int32_t>((sites() + kIdentityPiece - 1) / kIdentityPiece * kIdentityPiece + 1) +
           Scratch::piece<int32_t>(count()) + Scratch::piece<int64_t>(count());
  }
  bool count_pairs(double theta, atp_weight_rule rule, Reporter *reporter);
  void sum();

  Context &context_;
  const Alignment &alignment_;
  int64_t threads_;
  Scratch memory_;
  Arena arena_;
  PackedSequences packed_;
  Span<int64_t> neighbours_;
  Span<int32_t> by_thread_, allowed_, residues_;
};

bool NeighbourCounts::count_near(double theta, atp_weight_rule rule, Reporter *reporter) {
  std::fill(by_thread_.begin(), by_thread_.end(), 0);
  const bool any = rule == ATP_WEIGHTS_RESIDUES || allowed_differences(theta, sites(), rule) >= 0;
  if (any && !count_pairs(theta, rule, reporter)) return false;
  sum();
  return true;
}

// Counts are integers, so their sums depend neither on the threads nor on the ranks. With a reporter the tasks come in parts of the same
// size on all ranks, with a report after each.
bool NeighbourCounts::count_pairs(double theta, atp_weight_rule rule, Reporter *reporter) {
  constexpr int64_t kPart = 64;  // tasks, about 0.1 s of a thread
  const IdentityKernels &kernels = identity_kernels(context_.target);
  const int64_t allowed = allowed_differences(theta, sites(), rule);
  allowed_[0] = -1;  // nothing to compare
  for (int64_t c = 1; c < allowed_.size(); ++c) allowed_[c] = static_cast<int32_t>(allowed_differences(theta, c, rule));
  const auto count_tiles = [&](int64_t task, int thread) {
    const PackedSequences::Tiles t = packed_.tiles_of(task);
    const IdentityBlock block{packed_.data(), count(), packed_.pieces(), t.a_first, t.a_end, t.b_first, t.b_end};
    int32_t *to = by_thread_.data() + thread * count();
    if (rule == ATP_WEIGHTS_RESIDUES)
      kernels.count_residues(block, allowed_.data(), residues_.data(), to);
    else
      kernels.count(block.packed, count(), packed_.pieces(), block.n_first, block.n_end, block.m_first, block.m_end, allowed, to);
  };
  const int64_t tasks = packed_.tasks(), part = reporter == nullptr ? tasks : kPart * context_.ranks.size();
  std::optional<Heartbeat> heartbeat;
  if (reporter != nullptr) heartbeat.emplace(*reporter, static_cast<double>(tasks));
  for (int64_t first = 0; first < tasks; first += part) {
    const int64_t n = std::min(part, tasks - first);
    shared_for(context_.ranks, context_.threads, n, [&](int64_t k, int thread) { count_tiles(first + k, thread); });
    if (heartbeat && heartbeat->step(static_cast<double>(n))) return false;
  }
  return true;
}

// Over the threads, and over the ranks, 8 bytes for each sequence.
void NeighbourCounts::sum() {
  constexpr int64_t kPart = 512;
  for (int64_t first = 0; first < count(); first += kPart) {
    const int64_t end = std::min(count(), first + kPart);
    for (int64_t k = first; k < end; ++k) {
      neighbours_[k] = 0;
      for (int64_t t = 0; t < threads_; ++t) neighbours_[k] += by_thread_[t * count() + k];
    }
    context_.ranks.sum(neighbours_.data() + first, end - first);
  }
}

}  // namespace

int64_t allowed_differences(double theta, int64_t columns, atp_weight_rule rule) {
  const double exact = theta * static_cast<double>(columns), whole = std::round(exact);
  const double x = std::fabs(exact - whole) <= 1e-9 * static_cast<double>(columns) ? whole : exact;
  switch (rule) {
    case ATP_WEIGHTS_STRICT: return static_cast<int64_t>(std::ceil(x)) - 1;
    case ATP_WEIGHTS_FLOOR: return static_cast<int64_t>(std::floor(x)) - 1;
    case ATP_WEIGHTS_INCLUSIVE:
    case ATP_WEIGHTS_RESIDUES: break;
  }
  return static_cast<int64_t>(std::floor(x));
}

atp_outcome weigh_sequences(Context &context, Alignment &alignment, double theta, atp_weight_rule rule, Reporter &reporter) {
  NeighbourCounts counts(context, alignment);
  if (!counts.count_near(theta, rule, &reporter)) return ATP_OUTCOME_CANCELLED;
  for (int64_t n = 0; n < alignment.count(); ++n) alignment.weights[n] = 1 / static_cast<double>(1 + counts[n]);
  return ATP_OUTCOME_CONVERGED;
}

void scan_weights(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule, Table &table) {
  NeighbourCounts counts(context, alignment);
  const Span<double> rows = table.room(thetas.size());
  for (int64_t k = 0; k < thetas.size(); ++k) {
    counts.count_near(thetas[k], rule);
    double *row = rows.data() + k * table.columns();
    int64_t alone = 0, largest = 0;
    double effective = 0;
    for (int64_t n = 0; n < alignment.count(); ++n) {
      effective += 1 / static_cast<double>(1 + counts[n]);
      alone += counts[n] == 0 ? 1 : 0;
      largest = std::max(largest, 1 + counts[n]);
    }
    row[ATP_WEIGHTS_THETA] = thetas[k];
    row[ATP_WEIGHTS_EFFECTIVE] = effective;
    row[ATP_WEIGHTS_ALONE] = static_cast<double>(alone);
    row[ATP_WEIGHTS_LARGEST] = static_cast<double>(largest);
  }
  table.append(thetas.size());
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
