// SPDX-License-Identifier: MIT
// Cobalt: S. Petti, S. Eddy, PLoS Comput. Biol. 18, e1009492 (2022). The edges of the graph are not stored: a run compares each sequence
// with those before it, a block of sequences at a time, and stops where it has neighbours in both sets.
#include "alignment/split.hpp"

#include "alignment/packed_sequences.hpp"
#include "base/philox.hpp"
#include "base/team.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr uint8_t kTraining = ATP_PART_TRAINING, kTest = ATP_PART_TEST, kBoth = kTraining | kTest;
static_assert((kTraining & kTest) == 0, "sets are bits");

// The random numbers of a run, by step.
enum : uint64_t { kOrder = 0, kPreference = 1, kKept = 2 };  // kKept + part: the order in which sequences of a set are kept

struct SplitRules {
  explicit SplitRules(const Options &o)
      : identity(o.real(ATP_OPT_IDENTITY)),
        identity_within{0, o.real(ATP_OPT_IDENTITY_TRAINING), o.real(ATP_OPT_IDENTITY_TEST)},
        fraction(o.real(ATP_OPT_TEST_FRACTION)),
        most{0, o.integer(ATP_OPT_MAX_TRAINING), o.integer(ATP_OPT_MAX_TEST)},
        residues(o.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE),
        seed(static_cast<uint64_t>(o.integer(ATP_OPT_SEED))),
        runs(o.integer(ATP_OPT_RUNS)) {}
  double identity, identity_within[3], fraction;
  int64_t most[3];  // 0: any number
  bool residues;
  uint64_t seed;
  int64_t runs;
};

// Visits sequences in an order and tells of each in which sets it has neighbours among those before it.
class Visitor {
 public:
  static std::size_t bytes(const Context &context, const Alignment &alignment) {
    const int64_t n = alignment.count();
    return PackedSequences::bytes(n, alignment.sites()) + NeighbourCounter::bytes(n, alignment.sites()) + Scratch::piece<int64_t>(n) +
           Scratch::piece<uint8_t>(n) + Scratch::piece<uint8_t>(kBlock) + Scratch::piece<int32_t>(context.threads * n);
  }
  Visitor(Context &context, Arena &arena, const Alignment &alignment)
      : context_(context), packed_(arena, alignment), counter_(arena, context.target, alignment, packed_) {
    const int64_t n = alignment.count();
    rows_ = arena.take<int64_t>(n);
    set_ = arena.take<uint8_t>(n);
    near_ = arena.take<uint8_t>(kBlock);
    by_thread_ = arena.take<int32_t>(context.threads, n);
    std::fill(by_thread_.begin(), by_thread_.end(), 0);
  }

  // Neighbours are more identical than `identity`. decide(n, sets) returns the set that takes sequence n, or 0.
  template <class Decide>
  void visit(Span<const int64_t> order, double identity, bool residues, Decide &&decide) {
    const int64_t n = order.size();
    // The kernels count neighbours after a sequence, so that what is visited first comes last.
    for (int64_t k = 0; k < n; ++k) rows_[k] = order[n - 1 - k];
    counter_.pack(rows_.sub(0, n));
    const double theta = 1 - identity;
    counter_.set({&theta, 1}, ATP_WEIGHTS_STRICT, residues);
    for (int64_t end = n; end > 0;) {
      const int64_t first = std::max(int64_t{0}, end - kBlock);
      if (counter_.any()) compare_with_visited(first, end);
      for (int64_t a = end - 1; a >= first; --a) {
        const uint8_t near = counter_.any() ? near_[a - first] | sets_near(a, a + 1, end, 0) : 0;
        set_[a] = decide(rows_[a], near);
      }
      end = first;
    }
  }

 private:
  static constexpr int64_t kBlock = 256, kGroup = 16;  // sequences; a group is a task

  // The sets of neighbours of the sequences of a block among those visited before the block.
  void compare_with_visited(int64_t first, int64_t end) {
    const int64_t groups = (end - first + kGroup - 1) / kGroup;
    parallel_for(context_.threads, groups, [&](int64_t group, int thread) {
      const int64_t from = first + group * kGroup, to = std::min(end, from + kGroup);
      for (int64_t a = from; a < to; ++a) near_[a - first] = 0;
      for (int64_t b = end; b < packed_.count(); b += PackedSequences::kTile)
        for (int64_t a = from; a < to; ++a)
          if (near_[a - first] != kBoth) near_[a - first] |= sets_near(a, b, std::min(packed_.count(), b + PackedSequences::kTile), thread);
    });
  }

  // The sets of the neighbours of a among [b_first, b_end).
  uint8_t sets_near(int64_t a, int64_t b_first, int64_t b_end, int thread) {
    int32_t *mine = by_thread_.data() + thread * set_.size();
    counter_.count(packed_.block(a, a + 1, b_first, b_end), mine);
    if (mine[a] == 0) return 0;
    mine[a] = 0;
    uint8_t sets = 0;
    for (int64_t b = b_first; b < b_end; ++b) {
      if (mine[b] != 0) sets |= set_[b];
      mine[b] = 0;
    }
    return sets;
  }

  Context &context_;
  PackedSequences packed_;
  NeighbourCounter counter_;
  Span<int64_t> rows_;
  Span<uint8_t> set_, near_;  // by packed sequence; by sequence of a block
  Span<int32_t> by_thread_;
};

struct Sizes {
  int64_t training = 0, test = 0;
  double product() const { return static_cast<double>(training) * static_cast<double>(test); }
};

class Splitter {
 public:
  static std::size_t bytes(const Context &context, const Alignment &alignment) {
    return Visitor::bytes(context, alignment) + 2 * Scratch::piece<int64_t>(alignment.count());
  }
  Splitter(Context &context, Arena &arena, const Alignment &alignment, const SplitRules &rules)
      : visitor_(context, arena, alignment), rules_(rules) {
    room_ = arena.take<int64_t>(alignment.count());
    parts_ = arena.take<int64_t>(alignment.count());
  }
  Span<const int64_t> parts() const { return parts_; }

  Sizes run(int64_t run, double identity) {
    fill(run, kOrder, [](int64_t) { return true; });
    const RandomView random = numbers(run, kPreference);
    visitor_.visit(order_, identity, rules_.residues, [&](int64_t n, uint8_t near) {
      const uint8_t first = random.uniform(static_cast<uint64_t>(n)) < rules_.fraction ? kTest : kTraining, other = kBoth ^ first;
      const uint8_t taken = (near & other) == 0 ? first : (near & first) == 0 ? other : uint8_t{ATP_PART_UNUSED};
      parts_[n] = taken;
      return taken;
    });
    if (std::count(parts_.begin(), parts_.end(), kTest) > std::count(parts_.begin(), parts_.end(), kTraining))
      for (int64_t &part : parts_) part = part == ATP_PART_UNUSED ? part : kBoth ^ part;
    return {thin(run, kTraining), thin(run, kTest)};
  }

 private:
  RandomView numbers(int64_t run, uint64_t step) const { return RandomView(rules_.seed, Stream::split, static_cast<uint64_t>(run), step); }

  // The sequences that belong to it, in random order.
  template <class Belongs>
  void fill(int64_t run, uint64_t step, Belongs &&belongs) {
    int64_t count = 0;
    for (int64_t n = 0; n < room_.size(); ++n)
      if (belongs(n)) room_[count++] = n;
    order_ = room_.sub(0, count);
    const RandomView random = numbers(run, step);
    for (int64_t k = count - 1; k > 0; --k)
      std::swap(order_[k], order_[random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(k + 1))]);
  }

  // Leaves sequences of a set out; returns how many stay.
  int64_t thin(int64_t run, uint8_t part) {
    fill(run, kKept + part, [&](int64_t n) { return parts_[n] == part; });
    int64_t kept = 0;
    const int64_t most = rules_.most[part] == 0 ? order_.size() : rules_.most[part];
    visitor_.visit(order_, rules_.identity_within[part], rules_.residues, [&](int64_t n, uint8_t near) {
      const bool stays = near == 0 && kept < most;
      if (!stays) parts_[n] = ATP_PART_UNUSED;
      kept += stays ? 1 : 0;
      return stays ? part : uint8_t{0};
    });
    return kept;
  }

  Visitor visitor_;
  const SplitRules &rules_;
  Span<int64_t> room_, order_, parts_;
};

// The text has the smallest identity, to a hundredth, for which the first run has both sets.
[[noreturn]] void fail_no_split(Splitter &splitter, const SplitRules &rules) {
  int64_t low = static_cast<int64_t>(rules.identity * 100), high = 100;
  Sizes sizes = splitter.run(0, 1.0);
  if (!(sizes.product() > 0)) fail(ATP_E_VALUE, "no sequence is left for one of the sets: the alignment has too few");
  while (high - low > 1) {
    const int64_t next = (low + high) / 2;
    const Sizes found = splitter.run(0, static_cast<double>(next) / 100);
    (found.product() > 0 ? high : low) = next;
    if (high == next) sizes = found;
  }
  fail(ATP_E_VALUE,
       "identity is %g: no test sequence is left in %lld runs, must be at least %g, which leaves %lld training and %lld test sequences",
       rules.identity, llong{rules.runs}, static_cast<double>(high) / 100, llong{sizes.training}, llong{sizes.test});
}

}  // namespace

void split_sequences(Context &context, const Alignment &alignment, const Options &options, Span<int64_t> parts) {
  if (alignment.count() < 2) fail(ATP_E_VALUE, "alignment has one sequence, must have at least 2");
  const SplitRules rules(options);
  const Scratch memory(context.allocator, Splitter::bytes(context, alignment) + Scratch::piece<int64_t>(alignment.count()));
  Arena arena = memory.arena();
  Splitter splitter(context, arena, alignment, rules);
  const Span<int64_t> best = arena.take<int64_t>(alignment.count());
  double largest = 0;
  for (int64_t run = 0; run < rules.runs; ++run) {
    const double product = splitter.run(run, rules.identity).product();
    if (product <= largest) continue;
    largest = product;
    std::copy(splitter.parts().begin(), splitter.parts().end(), best.begin());
  }
  if (largest == 0) fail_no_split(splitter, rules);
  std::copy(best.begin(), best.end(), parts.begin());
}

}  // namespace atp
