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
        counter_({groups * kGibbsLanes, pairs.sites, static_cast<int>(pairs.colors)}, threads) {}
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
  // n_ij(a, b) for j > i, [L - 1 - i][q][q]; valid until the next call of this thread.
  const uint32_t *pairs_of(Target target, int64_t i, int thread) const {
    uint32_t *counts = counts_.data() + thread * counter_.count_size(0);
    counter_.count_site(target, i, thread, counts);
    return counts;
  }

 private:
  const DenseShape pairs_;
  int64_t groups_;
  const int threads_;
  PairCounter counter_;
  Span<double> p_;         // [L][q]
  Span<uint32_t> counts_;  // [threads][L - 1][q][q]
};

}  // namespace atp
