// SPDX-License-Identifier: MIT
// Connected correlations of three sites,
//   C_ijk(a, b, c) = <(1[s_i = a] - f_i(a)) (1[s_j = b] - f_j(b)) (1[s_k = c] - f_k(c))>,
// averaged over the sequences that have all three sites. Those compared are the largest in the data.
#pragma once

#include "alignment/components.hpp"

namespace atp {

class Triples {
 public:
  static constexpr int64_t kSites = 50, kColors = 8;  // candidates

  // For alignments of at most `count` sequences.
  Triples(Arena &arena, int64_t count, int64_t sites, int64_t q, int64_t most, int threads);
  // Chooses the correlations that are largest in the data, at most `most`, among the kSites sites with the largest sum_a v_i(a)^2,
  // v = f (1 - f), and the kColors most frequent colours of each. Of equal ones it takes the first in the order of sites, then colours.
  void choose(const Colored &data, Threads threads);
  // The numbers of atp_comparison_column for those chosen, of the data against the samples.
  void compare(const Colored &samples, Threads threads, double *numbers);

 private:
  struct Element {
    double value;
    int32_t triple, colors;  // places among the candidates: (i * kSites + j) * kSites + k, (a * kColors + b) * kColors + c
  };
  static bool before(const Element &x, const Element &y);
  void choose_candidates(const Colored &data);
  void set_columns(const Colored &of, Threads threads);
  const double *count(int64_t i, int64_t j, int64_t k, int thread);
  void collect(int32_t triple, const double *block, int thread);
  void keep_largest(int thread);

  int64_t sites_, q_, most_, threads_, sequences_ = 0, chosen_ = 0, candidate_count_ = 0;
  Span<int64_t> candidates_;   // [kSites], ascending
  Span<int64_t> color_count_;  // [kSites]
  Span<uint8_t> places_;       // [kSites][q]: of the colours among the candidates
  Span<double> site_values_;   // [sites]
  Span<uint8_t> columns_;      // [kSites][count]: places of the colours
  Span<double> weights_;       // [count]
  Span<double> blocks_;        // [threads]: sums of weights by three places
  Span<Element> found_;        // [threads][2 most]
  Span<int64_t> found_count_;  // [threads]
  Span<double> in_samples_;    // [most]
};

}  // namespace atp
