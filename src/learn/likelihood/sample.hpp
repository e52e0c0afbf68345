// SPDX-License-Identifier: MIT
// Sequences of chains whose colours and pairs of colours are counted.
#pragma once

#include "base/team.hpp"
#include "learn/dense/dense_data.hpp"
#include "simd/gibbs.hpp"
#include "simd/pair_counts.hpp"

namespace atp {

class Sample {
 public:
  // Of so many groups of 16 sequences.
  Sample(const DenseShape &pairs, int64_t groups, int threads)
      : pairs_(pairs),
        groups_(groups),
        threads_(threads),
        method_(pairs.lists == nullptr ? PairCountMethod::sites : pair_count_method(pairs.sites, pairs.pairs())),
        counter_({groups * kGibbsLanes, pairs.sites, static_cast<int>(pairs.colors)}, threads, method_) {}
  void lay_out(Arena &arena);
  // Fewer groups than it was made for, before any is filled.
  void set_groups(int64_t groups) {
    groups_ = groups;
    counter_.set_count(groups * kGibbsLanes);
  }

  // Fills the sample: groups first .. first + n - 1 from colours [n][L][16]. All groups must have been filled before the sample is read.
  void put(int64_t first, const uint8_t *colors, int64_t n, Threads threads);
  // Counts single colours, after the last group.
  void count_colors(Threads threads);

  int64_t count() const { return groups_ * kGibbsLanes; }
  int64_t groups() const { return groups_; }
  const double *frequencies(int64_t i) const { return p_.data() + i * pairs_.colors; }  // p_i [q]
  // n_ij(a, b) [q][q] of site i with later neighbours, that of neighbour k at counts + place(i, k) q^2; valid until the next call of this
  // thread.
  const uint32_t *pairs_of(Target target, int64_t i, int thread) const;
  int64_t place(int64_t i, int64_t k) const {
    return method_ == PairCountMethod::listed ? k - pairs_.below(i) : pairs_.neighbor(i, k) - i - 1;
  }

 private:
  int64_t most_counts() const {
    return method_ == PairCountMethod::listed ? pairs_.most_neighbors() * pairs_.block() : counter_.count_size(0);
  }

  const DenseShape pairs_;
  int64_t groups_;
  const int threads_;
  const PairCountMethod method_;
  PairCounter counter_;
  Span<double> p_;         // [L][q]
  Span<uint32_t> counts_;  // [threads][most_counts]
};

}  // namespace atp
