// SPDX-License-Identifier: MIT
#include "data/weights.hpp"

#include "base/team.hpp"
#include "data/growing.hpp"
#include "simd/identity.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kTile = 512;  // sequences: the first pieces of two tiles are 64 KiB

// The pair of tiles (a, b), a <= b, with a number in the order b = 0, 1, ..., a = 0..b.
struct TilePair {
  explicit TilePair(int64_t task) : b(static_cast<int64_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2)) {
    while (b * (b + 1) / 2 > task) --b;
    while ((b + 1) * (b + 2) / 2 <= task) ++b;
    a = task - b * (b + 1) / 2;
  }
  int64_t a = 0, b;
};

// The neighbours of each sequence, for one theta after the other. The sequences are packed once.
class NeighbourCounts {
 public:
  NeighbourCounts(Context &context, const Alignment &alignment)
      : context_(context),
        alignment_(alignment),
        count_(checked_count(alignment)),
        pieces_((alignment.sites() + kIdentityPiece - 1) / kIdentityPiece),
        threads_(context.threads),
        memory_(context.allocator, bytes()) {
    Arena arena = memory_.arena();
    order_ = arena.take<int64_t>(sites());
    same_ = arena.take<double>(sites());
    packed_ = arena.take<uint8_t>(count_, pieces_, kIdentityPiece);
    by_thread_ = arena.take<int32_t>(count_, threads_);
    allowed_ = arena.take<int32_t>(pieces_ * kIdentityPiece + 1);
    residues_ = arena.take<int32_t>(count_);
    neighbours_ = arena.take<int64_t>(count_);
    pack();
  }
  void count(double theta, atp_weight_rule rule);
  int64_t operator[](int64_t n) const { return neighbours_[n]; }

 private:
  static int64_t checked_count(const Alignment &alignment) {
    if (alignment.count() > INT32_MAX)
      fail(ATP_E_TOO_LARGE, "the alignment has %lld sequences, must have at most 2^31 - 1 to compute weights",
           static_cast<long long>(alignment.count()));
    return alignment.count();
  }
  std::size_t bytes() const {
    return Scratch::piece<int64_t>(sites()) + Scratch::piece<double>(sites()) + Scratch::piece<uint8_t>(count_ * pieces_ * kIdentityPiece) +
           Scratch::piece<int32_t>(count_ * threads_) + Scratch::piece<int32_t>(pieces_ * kIdentityPiece + 1) +
           Scratch::piece<int32_t>(count_) + Scratch::piece<int64_t>(count_);
  }
  int64_t sites() const { return alignment_.sites(); }
  void order_columns();
  void pack();
  void count_pairs(double theta, atp_weight_rule rule);
  void sum();

  Context &context_;
  const Alignment &alignment_;
  int64_t count_, pieces_, threads_;
  Scratch memory_;
  Span<int64_t> order_, neighbours_;
  Span<double> same_;
  Span<uint8_t> packed_;
  Span<int32_t> by_thread_, allowed_, residues_;
};

// Sorts the columns by information content, so that dissimilar sequences show their differences early.
void NeighbourCounts::order_columns() {
  for (int64_t i = 0; i < sites(); ++i) {
    int64_t counts[256] = {};
    for (int64_t k = 0; k < count_; ++k) ++counts[alignment_.sequence(k)[i]];
    same_[i] = 0;
    for (int64_t c : counts) same_[i] += static_cast<double>(c) * static_cast<double>(c);
    order_[i] = i;
  }
  std::sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return same_[a] != same_[b] ? same_[a] < same_[b] : a < b; });
}

void NeighbourCounts::pack() {
  order_columns();
  std::fill(packed_.begin(), packed_.end(), uint8_t{0});
  for (int64_t k = 0; k < count_; ++k) {
    const uint8_t *s = alignment_.sequence(k);
    residues_[k] = 0;
    for (int64_t i = 0; i < sites(); ++i) {
      const uint8_t color = s[order_[i]];
      packed_[(i / kIdentityPiece * count_ + k) * kIdentityPiece + i % kIdentityPiece] = color;
      residues_[k] += color != 0 ? 1 : 0;
    }
  }
}

void NeighbourCounts::count(double theta, atp_weight_rule rule) {
  std::fill(by_thread_.begin(), by_thread_.end(), 0);
  if (rule == ATP_WEIGHTS_RESIDUES || allowed_differences(theta, sites(), rule) >= 0) count_pairs(theta, rule);
  sum();
}

// Counts are integers, so their sums depend neither on the threads nor on the ranks.
void NeighbourCounts::count_pairs(double theta, atp_weight_rule rule) {
  const IdentityKernels &kernels = identity_kernels(context_.target);
  const int64_t tiles = (count_ + kTile - 1) / kTile, allowed = allowed_differences(theta, sites(), rule);
  allowed_[0] = -1;  // nothing to compare
  for (int64_t c = 1; c < allowed_.size(); ++c) allowed_[c] = static_cast<int32_t>(allowed_differences(theta, c, rule));
  shared_for(context_.ranks, context_.threads, tiles * (tiles + 1) / 2, [&](int64_t task, int thread) {
    const TilePair pair(task);
    const IdentityBlock block{packed_.data(),
                              count_,
                              pieces_,
                              pair.a * kTile,
                              std::min(count_, (pair.a + 1) * kTile),
                              pair.b * kTile,
                              std::min(count_, (pair.b + 1) * kTile)};
    int32_t *to = by_thread_.data() + thread * count_;
    if (rule == ATP_WEIGHTS_RESIDUES)
      kernels.count_residues(block, allowed_.data(), residues_.data(), to);
    else
      kernels.count(block.packed, count_, pieces_, block.n_first, block.n_end, block.m_first, block.m_end, allowed, to);
  });
}

// Over the threads, and over the ranks, 8 bytes for each sequence.
void NeighbourCounts::sum() {
  constexpr int64_t kPart = 512;
  for (int64_t first = 0; first < count_; first += kPart) {
    const int64_t end = std::min(count_, first + kPart);
    for (int64_t k = first; k < end; ++k) {
      neighbours_[k] = 0;
      for (int64_t t = 0; t < threads_; ++t) neighbours_[k] += by_thread_[t * count_ + k];
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

void weigh_sequences(Context &context, Alignment &alignment, double theta, atp_weight_rule rule) {
  NeighbourCounts counts(context, alignment);
  counts.count(theta, rule);
  for (int64_t n = 0; n < alignment.count(); ++n) alignment.weights[n] = 1 / static_cast<double>(1 + counts[n]);
}

void scan_weights(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule, Table &table) {
  NeighbourCounts counts(context, alignment);
  const Span<double> rows = table.room(thetas.size());
  for (int64_t k = 0; k < thetas.size(); ++k) {
    counts.count(thetas[k], rule);
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
